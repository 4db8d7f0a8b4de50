"""Bodies that are cut apart by hand or slit, broken independently, and what must hold once they are sewn."""

from dataclasses import replace

import manifold3d
import numpy as np

from core.cutting.cut import cut
from core.fragments.build import are_closed, build_fragments
from core.geometry import packed
from core.types import Body, Cells, Floats, Partition
from core.unroll.sew import traced, unsewn
from core.unroll.slit import Slit, new_face
from tests import shapes
from tests.core.cutting.built import signed_volume
from tests.core.cutting.closedness import mesh_moments, open_cells, voronoi

X_AXIS = np.array([[1.0, 0.0, 0.0, 0.5]])  #: the plane of all bodies that are cut by hand


def extruded(rings: list[Floats], low: float, high: float, turn: int = 0) -> Body:
    """A prism from x = low to high over polygons in the (y, z) plane, counter-clockwise around matter.

    The source of its caps is -1 at the low end and -2 at the high end. `turn` changes the triangles of the caps.
    """
    rings = [np.roll(ring, turn, axis=0) for ring in rings]
    flat = np.concatenate(rings)
    caps = np.asarray(manifold3d.triangulate(rings), np.int64)
    count, first = len(flat), 0
    sides = []
    for ring in rings:
        k = np.arange(len(ring))
        a, b = first + k, first + (k + 1) % len(ring)
        sides += [np.stack([a, b, b + count], axis=1), np.stack([a, b + count, a + count], axis=1)]
        first += len(ring)
    vertices = np.concatenate([np.column_stack([np.full(count, x), flat]) for x in (low, high)])
    triangles = np.concatenate([*sides, caps[:, ::-1], caps + count])
    source = np.concatenate([np.arange(2 * count), np.full(len(caps), -1), np.full(len(caps), -2)])
    return Body(vertices, triangles, source)


def halves(rings: list[Floats]) -> tuple[Body, Body, Body]:
    """A prism from x = 0 to 1 in one, and its halves: their sources are its triangles, or new faces 0 and 1."""
    left, right = extruded(rings, 0.0, 0.5), extruded(rings, 0.5, 1.0, turn=1)
    # Vertices of the whole: those of the left half, then those at the end of the right one.
    count = len(left.vertices) // 2
    place = np.lexsort(left.vertices[count:].T)[np.argsort(np.argsort(np.lexsort(right.vertices[:count].T)))]
    at_middle = np.empty(count, np.int64)
    at_middle[np.lexsort(right.vertices[:count].T)] = np.lexsort(left.vertices[count:].T)
    number = np.concatenate([at_middle + count, np.arange(count) + 2 * count])
    assert len(place) == count
    whole = [left.triangles[left.source != -2], number[right.triangles[right.source != -1]]]
    body = shapes.body(np.concatenate([left.vertices, right.vertices[count:]]), np.concatenate(whole))
    parts = []
    first = 0
    for half, cap, face in ((left, -2, 0), (right, -1, 1)):
        own = half.source != cap
        source = np.full(len(half.triangles), new_face(face))
        source[own] = first + np.arange(np.count_nonzero(own))
        first += np.count_nonzero(own)
        weight = np.where(own[:, None, None], np.eye(3), 0.0)
        parts.append(replace(half, source=source, weight=weight))
    return body, parts[0], parts[1]


def quartered(part: Body) -> Body:
    """Each triangle in four, as a part that was refined: new points in the middle of edges, also on the outline."""
    a, b, c = part.triangles.T
    ends = np.sort(np.stack([[a, b], [b, c], [c, a]], axis=0), axis=1)  # (3,2,T)
    edges, row = np.unique(ends.transpose(2, 0, 1).reshape(-1, 2), axis=0, return_inverse=True)
    middle = len(part.vertices) + row.reshape(-1, 3)
    corner = np.concatenate([part.triangles, middle], axis=1)
    weight = np.concatenate([part.weight, (part.weight + np.roll(part.weight, -1, axis=1)) / 2.0], axis=1)
    rows = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]])
    vertices = np.concatenate([part.vertices, part.vertices[edges].mean(axis=1)])
    return Body(vertices, corner[:, rows].reshape(-1, 3), np.repeat(part.source, 4), weight[:, rows].reshape(-1, 3, 3))


def side_by_side(*parts: tuple[Body, Partition]) -> Cells:
    """The cells of parts, each cut by its own partition, before sewing."""
    return unsewn([traced(cut(part, partition), part) for part, partition in parts])


def unrolled(made: Slit, radius: float, count: int, seed: int) -> tuple[Cells, np.ndarray]:
    """Cells of the strip, cut by Voronoi cells in the space (R angle, z, r - R), and of the plug, cut as it is.

    The axis is z, and `away` is x. Inner vertices go where the chart puts them: cells stay closed, and their volumes
    are those of their faces as fans. Returns the cells and which of them are the plug's.
    """
    parts = []
    for part in (made.strip, made.plug):
        if part is None:
            continue
        if part is made.plug:
            cells = cut(part, voronoi(part, 6, seed))
        else:
            x, y, z = part.vertices.T
            flat = replace(part, vertices=np.column_stack([radius * made.angle, z, np.hypot(x, y) - radius]))
            cells = rolled(cut(flat, voronoi(flat, count, seed)), part, radius)
        parts.append(traced(cells, part))
    in_plug = np.repeat(np.arange(len(parts)) == 1, [len(part.volume) for part in parts])
    return unsewn(parts), in_plug


def rolled(cells: Cells, part: Body, radius: float) -> Cells:
    angle, z, out = cells.vertices.T
    r = radius + out
    vertices = np.column_stack([r * np.cos(angle / radius), r * np.sin(angle / radius), z])
    triangle = np.repeat(cells.outer_triangle, np.diff(cells.outer_start))
    vertices[cells.outer_vertex] = np.einsum("nk,nki->ni", cells.outer_weight, part.vertices[part.triangles[triangle]])
    return replace(cells, vertices=vertices, volume=fan_volumes(replace(cells, vertices=vertices)))


def fan_volumes(cells: Cells) -> Floats:
    """Volumes (C,) within faces as fans, the same ones for both cells at an inner face, which need not be flat."""
    outer, face = packed.fan_triangles(cells.outer_start, cells.outer_vertex)
    inner, at = packed.fan_triangles(cells.inner_start, cells.inner_vertex)
    sides = cells.bond_cells[cells.inner_bond[at]]
    triangles = np.concatenate([outer, inner, inner[:, ::-1]])
    owner = np.concatenate([cells.outer_cell[face], sides[:, 0], sides[:, 1]])
    p = cells.vertices[triangles] - cells.vertices.mean(axis=0)
    volume = np.einsum("ni,ni->n", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6.0
    return np.bincount(owner, volume, len(cells.volume))


def area_of(vertices: Floats, triangles: np.ndarray) -> float:
    p = vertices[triangles]
    return float(np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1).sum() / 2.0)


def assert_sewn(body: Body, before: Cells, after: Cells, seed: int = 0) -> None:
    """Closed cells and fragments, whose outside is that of the body, and nothing left inside of them."""
    assert open_cells(after) == 0
    assert (after.volume == before.volume).all()
    assert (after.outer_triangle >= 0).all()
    assert (after.bond_cells[len(before.bond_cells) :, 0] < after.bond_cells[len(before.bond_cells) :, 1]).all()
    assert np.array_equal(np.unique(after.unit), np.arange(after.unit.max() + 1))
    count = int(after.unit.max()) + 1
    label = np.random.default_rng(seed).integers(0, 4, count)
    some = build_fragments(after, [np.flatnonzero(label == k) for k in np.unique(label)], 1.0, body)
    assert are_closed(some).all()
    volume = mesh_moments(body.vertices, body.triangles)[0]
    whole = build_fragments(after, [np.arange(count)], 1.0, body)
    assert are_closed(whole).all()
    assert (whole.face_bond < 0).all()
    # Round-off of some hundred sums.
    assert abs(signed_volume(whole, 0) - volume) < 1e-12 * volume
    corners = [whole.corner_vertex[a:b] for a, b in zip(whole.corner_start, whole.corner_start[1:], strict=False)]
    fans = np.concatenate([np.stack([np.full(len(f) - 2, f[0]), f[1:-1], f[2:]], axis=1) for f in corners])
    signed = np.cross(*(whole.vertices[fans[:, k]] - whole.vertices[fans[:, 0]] for k in (1, 2)))
    face = np.repeat(np.arange(len(corners)), [len(f) - 2 for f in corners])
    area = sum(np.linalg.norm(signed[face == f].sum(axis=0)) for f in range(len(corners))) / 2.0
    assert abs(area - area_of(body.vertices, body.triangles)) < 1e-12 * area


def assert_flat_bonds(before: Cells, after: Cells, plane: Floats) -> Floats:
    """New bonds lie in the planes (P,4), and measure what their faces do; returns the area over each plane."""
    result = np.zeros(len(plane))
    size = np.ptp(after.vertices, axis=0).max()
    for bond in range(len(before.bond_cells), len(after.bond_cells)):
        total, first = np.zeros(3), np.zeros(3)
        turn = after.bond_normal[bond] @ plane[:, :3].T
        on = np.flatnonzero(np.abs(turn) == 1.0) if (np.abs(turn) == 1.0).any() else [np.argmax(np.abs(turn))]
        for face in np.flatnonzero(after.inner_bond == bond):
            p = after.vertices[after.inner_vertex[after.inner_start[face] : after.inner_start[face + 1]]]
            off = [np.abs(p @ plane[k, :3] - plane[k, 3]).max() for k in on]
            at = on[int(np.argmin(off))]
            assert min(off) < 1e-14 * size
            parts = np.cross(p[1:-1] - p[0], p[2:] - p[0]) / 2.0
            signed = parts @ after.bond_normal[bond]
            total += parts.sum(axis=0)
            first += signed @ (p[0] + p[1:-1] + p[2:]) / 3.0
        area = after.bond_area[bond]
        assert np.abs(total - area * after.bond_normal[bond]).max() < 1e-13 * size**2
        assert np.abs(first - area * after.bond_centroid[bond]).max() < 1e-13 * size**3
        result[at] += area
    return result
