"""What must be true of any cut, found without the cutter's own code. Each check returns complaints; none: all is well.

Faces are fanned to triangles, points are located by solid angles, volumes by the divergence theorem and by manifold3d.
"""

from typing import NamedTuple

import manifold3d
import numpy as np

from core.fragments.build import build_fragments
from core.types import Body, Bools, Cells, Floats, Fragments, Ints, Partition

NEAR = 1e-6  #: of the size: solid angles of a point nearer to a face than this have few digits
SHALLOW = 1e-4  #: [rad] facets nearer than this to parallel to a face have areas of few digits
VOLUME = 1e-9  #: of the body's volume
POINTS = 24
CRUMB = 1e-7  #: parts below this share of the body's volume are not counted: libraries differ on slivers


class Fans(NamedTuple):
    """All sides of all faces as triangles, outward from their cell."""

    triangle: Ints  #: (n,3) vertices
    cell: Ints  #: (n,)


def fanned(start: Ints, vertex: Ints) -> tuple[Ints, Ints]:
    """Triangles (n,3) of polygons, and the polygon of each."""
    size = np.diff(start) - 2
    face = np.repeat(np.arange(len(size)), size)
    at = np.arange(len(face)) - np.repeat(np.cumsum(size) - size, size) + start[face] + 1
    return np.stack([vertex[start[face]], vertex[at], vertex[at + 1]], axis=1), face


def fans(c: Cells) -> Fans:
    outer, face = fanned(c.outer_start, c.outer_vertex)
    inner, side = fanned(c.inner_start, c.inner_vertex)
    pair = c.bond_cells[c.inner_bond[side]].reshape(-1, 2)
    return Fans(
        np.concatenate([outer, inner, inner[:, ::-1]]),
        np.concatenate([c.outer_cell[face], pair[:, 0], pair[:, 1]]),
    )


def six_volumes(position: Floats) -> Floats:
    """Six times the signed volume under each triangle (n,3,3), seen from the origin."""
    a, b, c = position[:, 0], position[:, 1], position[:, 2]
    return np.einsum("ni,ni->n", a, np.cross(b, c))


def winding(position: Floats, owner: Ints, count: int, points: Floats, near: float) -> tuple[Floats, Bools]:
    """(points, count) how often the triangles of each owner wrap around each point (van Oosterom, Strackee 1983).

    Also whether a point lies nearer than `near` to a triangle or a corner, so that rounding decides the number.
    """
    order = np.argsort(owner, kind="stable")
    position, owner = position[order], owner[order]
    filled, first = np.unique(owner, return_index=True)
    normal = np.cross(position[:, 1] - position[:, 0], position[:, 2] - position[:, 0])
    thin = near * np.sqrt(np.einsum("ni,ni->n", normal, normal))
    result, doubtful = np.zeros((len(points), count)), np.zeros(len(points), np.bool_)
    for row, point in enumerate(points):
        r = position - point
        length = np.sqrt(np.einsum("nki,nki->nk", r, r))
        a, b, c = r[:, 0], r[:, 1], r[:, 2]
        up = np.einsum("ni,ni->n", a, np.cross(b, c))
        down = length[:, 0] * length[:, 1] * length[:, 2] + np.einsum("ni,ni->n", a, b) * length[:, 2]
        down += np.einsum("ni,ni->n", b, c) * length[:, 0] + np.einsum("ni,ni->n", c, a) * length[:, 1]
        angle = 2.0 * np.arctan2(up, down)
        doubtful[row] = length.min() <= near or np.any((np.abs(angle) > 1.0) & (np.abs(up) <= thin))
        result[row, filled] = np.add.reduceat(angle, first) / (4.0 * np.pi)
    return result, doubtful


def balanced(start: Ints, end: Ints, owner: Ints, count: int) -> Ints:
    """Owners whose directed edges do not cancel."""
    n = int(max(start.max(), end.max())) + 1
    forward = np.sort((owner * n + start) * n + end)
    backward = np.sort((owner * n + end) * n + start)
    return np.unique(forward[forward != backward] // (n * n))


def tables(c: Cells) -> list[str]:
    """Indices within their tables, numbers finite, measures positive."""
    bad = []
    for name in (
        "vertices",
        "volume",
        "centroid",
        "second_moment",
        "bond_area",
        "bond_normal",
        "bond_centroid",
        "site",
    ):
        if not np.isfinite(getattr(c, name)).all():
            bad.append(f"{name} is not finite")
    if not np.all(c.volume > 0.0):
        bad.append("a cell has no positive volume")
    if not np.all(c.bond_area > 0.0):
        bad.append("a bond has no positive area")
    if np.any(np.diff(c.outer_start) < 3) or np.any(np.diff(c.inner_start) < 3):
        bad.append("a face has fewer than three corners")
    if np.any(c.bond_cells[:, 0] == c.bond_cells[:, 1]):
        bad.append("a bond joins a cell to itself")
    if not np.array_equal(np.unique(c.inner_bond), np.arange(len(c.bond_cells))):
        bad.append("a bond has no face")
    return bad


def closedness(c: Cells, rng: np.random.Generator) -> list[str]:
    """Every cell is closed by itself, and so is the union of any of them when the bonds between them are left out."""
    f = fans(c)
    start, end = f.triangle.ravel(), f.triangle[:, [1, 2, 0]].ravel()
    open_cells = balanced(start, end, np.repeat(f.cell, 3), len(c.volume))
    bad = [f"{len(open_cells)} cells are open, the first is {open_cells[0]}"] if len(open_cells) else []
    chosen = rng.random(len(c.volume)) < 0.5
    outer, face = fanned(c.outer_start, c.outer_vertex)
    inner, side = fanned(c.inner_start, c.inner_vertex)
    pair = chosen[c.bond_cells[c.inner_bond[side]].reshape(-1, 2)]
    skin = [
        outer[chosen[c.outer_cell[face]]],
        inner[pair[:, 0] & ~pair[:, 1]],
        inner[~pair[:, 0] & pair[:, 1]][:, ::-1],
    ]
    union = np.concatenate(skin)
    if len(union) and len(balanced(union.ravel(), union[:, [1, 2, 0]].ravel(), np.zeros(union.size, np.int64), 1)):
        bad.append("a union of cells is open")
    return bad


def volumes(body: Body, c: Cells) -> list[str]:
    """Each cell's volume is that of its own surface, and all of them sum to the body's."""
    middle = 0.5 * (body.vertices.min(axis=0) + body.vertices.max(axis=0))
    whole = six_volumes(body.vertices[body.triangles] - middle).sum() / 6.0
    f = fans(c)
    own = np.bincount(f.cell, six_volumes(c.vertices[f.triangle] - middle), len(c.volume)) / 6.0
    bad = []
    if not np.abs(own - c.volume).max() <= VOLUME * whole:
        bad.append(f"a cell's volume differs from its surface's by {np.abs(own - c.volume).max() / whole:.2g}")
    if not abs(c.volume.sum() - whole) <= VOLUME * whole:
        bad.append(f"volumes sum to {c.volume.sum() / whole - 1.0:.2g} more than the body's")
    moment = np.einsum("c,ci->i", c.volume, c.centroid - middle)
    a = body.vertices[body.triangles] - middle
    expected = np.einsum("n,ni->i", six_volumes(a), a.sum(axis=1)) / 24.0
    if not np.abs(moment - expected).max() <= 10 * VOLUME * whole * np.ptp(body.vertices):
        bad.append("the centroids do not add up to the body's")
    return bad


def skin(body: Body, c: Cells) -> list[str]:
    """Outer faces lie on their triangles and cover each of them once."""
    size = float(np.abs(body.vertices).max() + np.linalg.norm(np.ptp(body.vertices, axis=0)))
    triangle = np.repeat(c.outer_triangle, np.diff(c.outer_start))
    corner = body.vertices[body.triangles[triangle]]
    placed = np.einsum("nk,nki->ni", c.outer_weight, corner)
    bad = []
    if not np.abs(placed - c.vertices[c.outer_vertex]).max() <= 1e-11 * size:
        bad.append(f"weights miss their corners by {np.abs(placed - c.vertices[c.outer_vertex]).max() / size:.2g}")
    if c.outer_weight.min() < -1e-12 or np.abs(c.outer_weight.sum(axis=1) - 1.0).max() > 1e-12:
        bad.append("weights are not barycentric")
    outer, face = fanned(c.outer_start, c.outer_vertex)
    p, q = c.vertices[outer], body.vertices[body.triangles]
    area = 0.5 * np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    whole = 0.5 * np.cross(q[:, 1] - q[:, 0], q[:, 2] - q[:, 0])
    covered = np.stack([np.bincount(c.outer_triangle[face], area[:, k], len(q)) for k in range(3)], axis=1)
    if not np.abs(covered - whole).max() <= 1e-10 * size * np.linalg.norm(np.ptp(body.vertices, axis=0)):
        bad.append("outer faces do not cover their triangles")
    return bad


def bonds(p: Partition, c: Cells, flatness: float) -> list[str]:
    """Bonds lie in the plane of a facet between the regions of their cells, with its normal and their own area."""
    if not len(c.bond_cells):
        return []
    bad = []
    key = {(lo, hi): f for f, (lo, hi) in enumerate(p.facet_regions.tolist())}
    pairs = c.region[c.bond_cells].tolist()
    facet = np.array([key.get((a, b), -1) for a, b in pairs])
    if np.any(facet < 0):
        return ["a bond joins regions that share no facet"]
    if not np.allclose(p.facet_normal[facet], c.bond_normal, rtol=0, atol=1e-9):
        bad.append("a bond's normal is not its facet's")
    size = float(np.abs(c.vertices).max() + np.linalg.norm(np.ptp(c.vertices, axis=0)))
    of = np.repeat(c.inner_bond, np.diff(c.inner_start))
    offset = np.einsum("ni,ni->n", c.vertices[c.inner_vertex] - p.facet_point[facet[of]], c.bond_normal[of])
    if not np.abs(offset).max() <= flatness * size:
        bad.append(f"a bond is off its plane by {np.abs(offset).max() / size:.2g}")
    inner, face = fanned(c.inner_start, c.inner_vertex)
    q = c.vertices[inner]
    vector = 0.5 * np.cross(q[:, 1] - q[:, 0], q[:, 2] - q[:, 0])
    bond = c.inner_bond[face]
    area = np.bincount(bond, np.einsum("ni,ni->n", vector, c.bond_normal[bond]), len(c.bond_area))
    if not np.abs(area - c.bond_area).max() <= 1e-10 * size**2:
        bad.append("a bond's area is not that of its faces")
    if not np.array_equal(c.bond_strength, p.facet_strength[facet]):
        bad.append("a bond's strength is not its facet's")
    return bad


def points(body: Body, p: Partition, c: Cells, rng: np.random.Generator, flatness: float) -> list[str]:
    """Random points of the body lie in exactly one cell, whose region they are in; points outside in none."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    cell = rng.integers(0, len(c.volume), POINTS // 2)
    some = c.vertices[rng.integers(0, len(c.vertices), len(cell))]
    share = rng.random((len(cell), 1)) ** 2
    sample = np.concatenate([c.centroid[cell] * (1.0 - share) + some * share, rng.uniform(low, high, (POINTS // 2, 3))])
    size = float(np.linalg.norm(high - low) + np.abs(body.vertices).max())
    f = fans(c)
    wound, on_cell = winding(c.vertices[f.triangle], f.cell, len(c.volume), sample, NEAR * size)
    one = np.zeros(len(body.triangles), np.int64)
    whole, on_skin = winding(body.vertices[body.triangles], one, 1, sample, NEAR * size)
    clear = ~on_cell & ~on_skin
    if np.abs(wound[clear] - np.round(wound[clear])).max(initial=0.0) > 1e-3:
        return ["a cell is open around a point"]
    inside = np.round(whole[clear, 0])
    cells = np.round(wound[clear])
    bad = []
    if np.any(cells.sum(axis=1) != inside) or cells.max(initial=0) > 1 or cells.min(initial=0) < 0:
        bad.append("a point lies in several cells, or in none")
    for point, row in zip(sample[clear], cells, strict=True):
        for region in c.region[row == 1]:
            facets = p.region_facet[p.region_start[region] : p.region_start[region + 1]]
            side = np.where(p.facet_regions[facets, 0] == region, 1.0, -1.0)
            away = side * np.einsum("fi,fi->f", p.facet_normal[facets], point - p.facet_point[facets])
            if away.max() > max(1e-9, flatness) * size:
                bad.append("a point of a cell lies outside of the cell's region")
    return bad[:1]


def parts(c: Cells) -> list[str]:
    """Each cell hangs together, but for hollows in it."""
    f = fans(c)
    label = np.arange(len(c.vertices) * 1)
    key = np.unique(np.concatenate([f.cell[:, None] * len(label) + f.triangle[:, k, None] for k in range(3)]))
    number = np.searchsorted(key, f.cell[:, None] * len(label) + f.triangle)
    parent = _merged(number, len(key))
    component, which = np.unique(parent[number[:, 0]], return_inverse=True)
    middle = c.vertices.mean(axis=0)
    size = np.bincount(which, six_volumes(c.vertices[f.triangle] - middle), len(component))
    owner = np.zeros(len(component), np.int64)
    owner[which] = f.cell
    solid = np.bincount(owner[size > CRUMB * size.sum()], minlength=len(c.volume))
    return ["a cell consists of parts that do not touch"] if np.any(solid > 1) else []


def _merged(triangles: Ints, count: int) -> Ints:
    """The smallest connected vertex of each vertex (label propagation with shortcuts)."""
    label = np.arange(count)
    while True:
        low = label[triangles].min(axis=1)
        new = label.copy()
        for k in range(3):
            np.minimum.at(new, triangles[:, k], low)
        new = new[new]
        if np.array_equal(new, label):
            return label
        label = new


def second_opinion(
    body: Body, p: Partition, c: Cells, rng: np.random.Generator, flatness: float, samples: int = 2
) -> list[str]:
    """Volume, and number of parts, of some regions as manifold3d sees them."""
    middle = 0.5 * (body.vertices.min(axis=0) + body.vertices.max(axis=0))
    mesh = manifold3d.Mesh64(np.ascontiguousarray(body.vertices - middle), body.triangles.astype(np.uint64))
    solid = manifold3d.Manifold(mesh)
    whole = float(c.volume.sum())
    if solid.status() != manifold3d.Error.NoError or abs(solid.volume() - whole) > 1e-10 * whole:
        return []
    for region in rng.choice(np.unique(c.region), samples):
        part = solid
        for f in p.region_facet[p.region_start[region] : p.region_start[region + 1]]:
            normal = -p.facet_normal[f] if p.facet_regions[f, 0] == region else p.facet_normal[f]
            part = part.trim_by_plane(tuple(normal), float(normal @ (p.facet_point[f] - middle)))
        mine = c.volume[c.region == region]
        if not abs(part.volume() - mine.sum()) <= max(VOLUME, flatness) * whole:
            return [f"region {region} has {mine.sum() / whole:.12g} of the volume, not {part.volume() / whole:.12g}"]
        theirs = np.array([piece.volume() for piece in part.decompose()])
        counts = [np.count_nonzero(size > CRUMB * whole) for size in (theirs, mine)]
        if counts[0] != counts[1] and flatness < 1e-6 and not touches_itself(body):
            return [f"region {region} has {len(mine)} parts, manifold3d finds {len(theirs)}"]
    return []


def touches_itself(body: Body) -> bool:
    """Whether surfaces meet in a point or along an edge; what touches there may be counted as one part or as two."""
    return len(np.unique(body.vertices, axis=0)) < len(body.vertices)


def differences(body: Body, a: Cells, b: Cells, flatness: float) -> list[str]:
    """Where two cuts of the same body by the same partition differ by more than crumbs.

    The corners of a rough pattern are known to so few digits that areas depend on how lines through them are found.
    So do those of facets that meet a face of the body at an angle of the size of the jitter.
    """
    whole = float(a.volume.sum())
    size = float(np.square(np.ptp(a.vertices, axis=0)).sum())
    count = int(max(a.region.max(), b.region.max())) + 1
    bad = []
    sizes = [np.bincount(c.region, c.volume, count) for c in (a, b)]
    if np.abs(sizes[0] - sizes[1]).max() > max(VOLUME, flatness) * whole:
        bad.append("volumes of regions differ")
    counts = [np.count_nonzero(c.volume > CRUMB * whole) for c in (a, b)]
    if counts[0] != counts[1] and flatness < 1e-6 and not touches_itself(body):
        bad.append("numbers of cells differ")
    key = [np.sort(c.region[c.bond_cells], axis=1) @ np.array([count, 1]) for c in (a, b)]
    pairs = np.unique(np.concatenate(key))
    shallow = pairs[np.isin(pairs, key[0][almost_along(body, a.bond_normal)])]
    areas = [np.bincount(np.searchsorted(pairs, k), c.bond_area, len(pairs)) for k, c in zip(key, (a, b), strict=True)]
    clear = ~np.isin(pairs, shallow)
    if flatness < 1e-6 and np.abs(areas[0] - areas[1])[clear].max(initial=0.0) > VOLUME * size:
        bad.append("areas of bonds differ")
    return bad


def almost_along(body: Body, normal: Floats) -> Bools:
    """Which facets (n,), by their normals, are almost parallel to a face of the body."""
    a, b, c = (body.vertices[body.triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    face = face / np.maximum(np.linalg.norm(face, axis=1), 1e-300)[:, None]
    return np.array([np.linalg.norm(np.cross(face, n), axis=1).min() < SHALLOW for n in normal], bool)


def fragments(body: Body, c: Cells, rng: np.random.Generator, flatness: float) -> list[str]:
    """Random sets of units become closed manifold meshes with the volume of their cells.

    How much facets of a rough pattern enclose depends on how they are cut into triangles.
    """
    count = int(c.unit.max()) + 1
    bad = []
    if not np.array_equal(np.unique(c.unit), np.arange(count)):
        bad.append("units are not numbered 0..U-1")
    label = rng.integers(0, max(1, min(count, 6)), count)
    members = [np.flatnonzero(label == k) for k in np.unique(label)]
    made = build_fragments(c, members, 1.0, body)
    triangle, fragment = fragment_triangles(made)
    start, end = triangle.ravel(), triangle[:, [1, 2, 0]].ravel()
    n = len(made.vertices)
    if len(balanced(start, end, np.zeros(len(start), np.int64), 1)):
        bad.append("a fragment is open")
    if len(np.unique(_polygon_edges(made))) != len(made.corner_vertex):
        bad.append("a fragment has an edge with more than two faces")
    size = np.bincount(fragment, six_volumes(made.vertices[triangle]), len(members)) / 6.0
    whole = c.volume.sum()
    limit = max(VOLUME, flatness) * whole
    if not np.abs(size - made.volume).max() <= limit or not abs(size.sum() - whole) <= limit:
        bad.append("a fragment's surface has another volume than its cells")
    if n and not np.isfinite(made.vertices).all():
        bad.append("a fragment is not finite")
    return bad


def fragment_triangles(made: Fragments) -> tuple[Ints, Ints]:
    """Global triangles and the fragment of each."""
    face_fragment = np.repeat(np.arange(len(made.mass)), np.diff(made.face_start))
    corner_face = np.repeat(np.arange(len(face_fragment)), np.diff(made.corner_start))
    vertex = made.corner_vertex + made.vertex_start[face_fragment[corner_face]]
    triangle, face = fanned(made.corner_start, vertex)
    return triangle, face_fragment[face]


def _polygon_edges(made: Fragments) -> Ints:
    """One number for each directed edge of the faces."""
    face_fragment = np.repeat(np.arange(len(made.mass)), np.diff(made.face_start))
    corner_face = np.repeat(np.arange(len(face_fragment)), np.diff(made.corner_start))
    start = made.corner_vertex + made.vertex_start[face_fragment[corner_face]]
    following = np.arange(1, len(start) + 1)
    following[made.corner_start[1:] - 1] = made.corner_start[:-1]
    return start * len(made.vertices) + start[following]


def complaints(body: Body, p: Partition, c: Cells, rng: np.random.Generator, flatness: float = 1e-9) -> list[str]:
    """Everything that is wrong with a cut; `flatness` is how well the pattern knows the corners of its facets."""
    bad = tables(c)
    if bad:
        return bad
    bad += (
        closedness(c, rng)
        + volumes(body, c)
        + skin(body, c)
        + bonds(p, c, flatness)
        + points(body, p, c, rng, flatness)
    )
    return bad + parts(c) + second_opinion(body, p, c, rng, flatness) + fragments(body, c, rng, flatness)
