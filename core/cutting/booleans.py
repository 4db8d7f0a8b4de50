"""The second method: a body cut by one Boolean operation of manifold3d, for what the cutter itself refuses.

The pattern is first cut out of a box around the body, which makes each region a closed polytope; all of them together
are one mesh whose parts touch. Its intersection with the body is computed at once: every wall is there twice, with
equal coordinates and triangles, so both of its copies meet the body in the same way, and manifold3d decides all ties by
one symbolic shift along the body's normals. What comes out knows the triangle or the wall that it comes from; copies
of one point are then made one vertex (`labelled.py` puts the cells together and checks them).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import manifold3d
import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from ..arithmetic.products import dot, norm
from ..errors import CutError
from ..geometry import packed
from ..geometry.crossings import crossing_pairs
from ..geometry.graph import connected_labels
from ..types import Body, Bools, Cells, Floats, Ints, Partition
from .assemble_cells import LabelledTriangles, assemble_cells
from .cut import cut
from .prepared import Prepared

#: Margins of the box around the body, in diagonals. Odd numbers: no plane of a pattern should meet the box. Chosen
#: small, so that little is cut off beyond the body.
MARGINS = (0.0101, 0.00133)
#: Growths of the body's hull, relative to its size, for patterns that end soon after the body. Odd as well, and not to
#: be seen.
_GROWTHS = (1.3e-3, 1.7e-5)
#: Copies of a point differ by less than this times the body's diagonal. manifold3d works to 1e-12. 1e-11 was tried
#: before.
_NEAR = 1e-13
#: How far the pattern is moved aside, in diagonals, and where to: along no likely plane. Chosen: not to be seen, and a
#: million times what counts as a copy.
_SHIFTS = (0.0, 1e-7, -1e-7)
#: Direction of that shift: chosen, no two components in a simple ratio.
ASIDE = (0.618, 0.271, 0.738)


def cut_by_booleans(body: Body, partition: Partition, _: Prepared | None = None) -> Cells:
    """Cut a closed body as `cut.cut` does, only slower and from other predicates. What is known of it is not used.

    Outer faces are the same polygons; vertices agree to about 1e-12 of the diagonal. Where walls lie exactly in the
    mesh, so that slivers without volume come and go, the whole pattern is moved aside by 1e-7 of the diagonal.
    Raises CutError where the body overlaps itself, the pattern is no complex, or the result fails a check.
    """
    middle = 0.5 * (body.vertices.min(axis=0) + body.vertices.max(axis=0))
    local = replace(body, vertices=body.vertices - middle)
    if len(crossing_pairs(local.vertices, local.triangles, limit=1)):
        raise CutError("The mesh crosses or overlaps itself: unite its parts with a Boolean modifier (Union).")
    diagonal = float(norm(np.ptp(body.vertices, axis=0)))
    last = CutError("The second method was not tried.")
    for shift in _SHIFTS:
        try:
            cells = _cut(local, move_partition(partition, shift * diagonal * np.array(ASIDE) - middle))
            return put_back(cells, local, body, middle)
        except CutError as failure:
            last = failure
    raise last


def _cut(body: Body, partition: Partition) -> Cells:
    walls = _walls(body, partition)
    parts = _polytopes(walls)
    labelled = label_triangles(
        body, [parts], walls.region[walls.bond_cells], lambda point: _region_of(partition, point)
    )
    return assemble_cells(body, partition, walls, labelled)


def put_back(cells: Cells, local: Body, body: Body, middle: Floats) -> Cells:
    """The cells at the body's place; its own points come back bit for bit."""
    away, which = _nearest(local.vertices, cells.vertices, np.inf)
    vertices = cells.vertices + middle
    exact = away == 0.0
    vertices[exact] = body.vertices[which[exact]]
    return replace(
        cells,
        vertices=vertices,
        centroid=cells.centroid + middle,
        bond_centroid=cells.bond_centroid + middle,
        site=cells.site + middle,
    )


def move_partition(p: Partition, by: Floats) -> Partition:
    """The same pattern at another place."""
    line = p.edge_line.copy()
    line[:, 0] += by
    return replace(p, vertices=p.vertices + by, edge_line=line, facet_point=p.facet_point + by, site=p.site + by)


def _walls(body: Body, partition: Partition) -> Cells:
    """The pattern within a box around the body, or within its grown hull where the pattern is no larger.

    There is one cell for each region that reaches into the box: a closed polytope.
    """
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    pads = [margin * float(norm(high - low)) * np.array([1.0, 1.11, 1.23]) for margin in MARGINS]
    around = [_box(low - pad, high + 0.97 * pad) for pad in pads]
    last = CutError("The pattern was not tried.")
    for growth in (None, *_GROWTHS):
        for shape in around if growth is None else [_hull(body, growth)]:
            try:
                return cut(shape, partition)
            except CutError as failure:
                last = failure
    raise last


def _hull(body: Body, growth: float) -> Body:
    """The convex hull of the body, larger by `growth` as seen from its middle."""
    mesh = manifold3d.Manifold.hull_points(np.array(body.vertices)).to_mesh64()
    corner = np.array(mesh.vert_properties)[:, :3]
    middle = corner.mean(axis=0)
    triangles = np.array(mesh.tri_verts).astype(np.int64)
    return Body(middle + (corner - middle) * (1.0 + growth), triangles, np.arange(len(triangles)))


def _box(low: Floats, high: Floats) -> Body:
    corner = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Body(low + corner * (high - low), triangles, np.arange(12))


class Polytopes(NamedTuple):
    """The regions as one mesh of separate closed parts."""

    vertices: Floats
    triangles: Ints
    face: Ints  #: (n,) twice the wall, plus 1 on the side of hi; -1 on the box


def _polytopes(walls: Cells) -> Polytopes:
    outer, face = packed.fan_triangles(walls.outer_start, walls.outer_vertex)
    inner, side = packed.fan_triangles(walls.inner_start, walls.inner_vertex)
    bond = walls.inner_bond[side]
    triangles = np.concatenate([outer, inner, inner[:, ::-1]])
    cell = np.concatenate([walls.outer_cell[face], walls.bond_cells[bond, 0], walls.bond_cells[bond, 1]])
    count = len(walls.vertices)
    # Copies are numbered in the order of the points in every part: manifold3d turns edges by their numbers.
    copies, corner = np.unique((cell[:, None] * count + triangles).ravel(), return_inverse=True)
    return Polytopes(
        walls.vertices[copies % count],
        corner.reshape(-1, 3).astype(np.int64),
        np.concatenate([np.full(len(outer), -1), 2 * bond, 2 * bond + 1]),
    )


def _solid(vertices: Floats, triangles: Ints, face: Ints, number: int) -> manifold3d.Manifold:
    mesh = manifold3d.Mesh64(
        np.array(vertices),  # copies: it takes no read-only arrays
        triangles.astype(np.uint64),
        run_index=np.array([0, 3 * len(triangles)], np.uint64),
        run_original_id=np.array([number], np.uint32),
        face_id=face.astype(np.uint64),
    )
    solid = manifold3d.Manifold(mesh)
    if solid.status() != manifold3d.Error.NoError:
        raise CutError("The mesh is not a closed surface: close its holes, or apply a Remesh modifier.")
    return solid


class _Met(NamedTuple):
    """What polytopes and a body have in common."""

    position: Floats
    triangle: Ints
    skin: Bools  #: (n,) whether it is of the body's surface
    face: Ints  #: (n,) triangle of the body, or face of the polytopes


def label_triangles(
    body: Body, parts: Sequence[Polytopes], sides: Ints, region_of: Callable[[Floats], int]
) -> LabelledTriangles:
    """The triangles of all pieces, each with its region and where it comes from, and vertices shared by copies.

    Each of `parts` meets the body in an operation of its own. `sides (W,2)` are the regions on the lo and hi side of
    each wall, `region_of` the region of a point (3,) that no wall is needed to tell. Raises CutError where pieces and
    walls contradict each other.
    """
    mine = manifold3d.Manifold.reserve_ids(2)
    solid = _solid(body.vertices, body.triangles, np.arange(len(body.triangles)), mine)
    met = [_met(solid, one, mine) for one in parts]
    if not any(len(one.triangle) for one in met):
        raise CutError("The second method found nothing to cut; apply a Remesh modifier to the mesh.")
    start = packed.packed_starts(np.array([len(one.position) for one in met]))
    position = np.concatenate([one.position for one in met])
    triangle = np.concatenate([one.triangle + first for one, first in zip(met, start, strict=False)])
    skin, face = np.concatenate([one.skin for one in met]), np.concatenate([one.face for one in met])
    region = _regions(sides, region_of, position, triangle, skin, face)
    near = _NEAR * float(norm(np.ptp(body.vertices, axis=0)))
    label = _copies(body, position, triangle, skin, face, near)
    position = position[np.unique(label, return_index=True)[1]]
    for points in (*(one.vertices for one in parts), body.vertices):
        position = _snapped(position, points, near)
    return LabelledTriangles(position, label[triangle], region, skin, face)


def _met(solid: manifold3d.Manifold, parts: Polytopes, mine: int) -> _Met:
    both = solid ^ _solid(parts.vertices, parts.triangles, parts.face + 1, mine + 1)
    if both.status() != manifold3d.Error.NoError:
        raise CutError("The second method found nothing to cut; apply a Remesh modifier to the mesh.")
    mesh = both.to_mesh64()
    run = np.diff(np.array(mesh.run_index).astype(np.int64)) // 3
    skin = np.repeat(np.array(mesh.run_original_id) == mine, run)
    return _Met(
        np.array(mesh.vert_properties, np.float64).reshape(-1, 3)[:, :3],
        np.array(mesh.tri_verts).astype(np.int64).reshape(-1, 3),
        skin,
        np.array(mesh.face_id).astype(np.int64) - np.where(skin, 0, 1),
    )


def _regions(
    sides: Ints, region_of: Callable[[Floats], int], position: Floats, triangle: Ints, skin: Bools, face: Ints
) -> Ints:
    """Region (n,) of each triangle: its own for a wall's, that of the walls it hangs together with for a skin's."""
    part = connected_labels(len(position), np.concatenate([triangle[:, :2], triangle[:, 1:]]))[triangle[:, 0]]
    region = np.full(int(part.max()) + 1, -1)
    inner = ~skin
    own = sides[face[inner] // 2, face[inner] % 2]
    region[part[inner]] = own
    if np.any(face[inner] < 0) or np.any(region[part[inner]] != own):
        raise CutError("The second method mixed up its pieces; try another seed.")
    alone = np.flatnonzero(region[part] < 0)
    if len(alone):
        some, row = np.unique(part[alone], return_index=True)
        for k, point in zip(some, position[triangle[alone[row], 0]], strict=True):
            region[k] = region_of(point)
    return np.asarray(region[part])


def _region_of(p: Partition, point: Floats) -> int:
    """The region of whose facets none has the point clearly on its other side."""
    across = dot(p.facet_normal, point - p.facet_point)
    beyond = np.full(len(p.site), -np.inf)
    np.maximum.at(beyond, p.facet_regions[:, 0], across)
    inner = p.facet_regions[:, 1] >= 0
    np.maximum.at(beyond, p.facet_regions[inner, 1], -across[inner])
    return int(np.argmin(beyond))


def _copies(body: Body, position: Floats, triangle: Ints, skin: Bools, face: Ints, near: float) -> Ints:
    """Label (n,) of the points that are one: no farther apart than `near`, and on a common triangle or at a common
    vertex of the body.

    Where one of the two is not on the body's surface, a common wall counts: surfaces that merely touch stay apart.
    """
    pairs = cKDTree(position).query_pairs(near, output_type="ndarray").astype(np.int64).reshape(-1, 2)
    corner, of = triangle[skin].ravel(), np.repeat(face[skin], 3)
    alike = _common(pairs, corner, of)
    point, k = np.nonzero(
        np.square(position[corner][:, None] - body.vertices[body.triangles[of]]).sum(axis=2) <= near * near
    )
    alike |= _common(pairs, corner[point], body.triangles[of[point], k])
    bare = np.bincount(corner, minlength=len(position)) == 0
    alike |= bare[pairs].any(axis=1) & _common(pairs, triangle[~skin].ravel(), np.repeat(face[~skin] // 2, 3))
    return connected_labels(len(position), pairs[alike])


def _common(pairs: Ints, point: Ints, thing: Ints) -> Bools:
    """Whether both points of each pair have a thing in common, from the things (n,) that points (n,) are on."""
    shape = (max(int(pairs.max(initial=0)), int(point.max(initial=0))) + 1, int(thing.max(initial=0)) + 1)
    on = csr_matrix((np.ones(len(point)), (point, thing)), shape=shape)
    return np.asarray(on[pairs[:, 0]].multiply(on[pairs[:, 1]]).sum(axis=1)).ravel() > 0.0


def _snapped(position: Floats, points: Floats, near: float) -> Floats:
    """Positions that are within `near` of given points, moved there."""
    distance, which = _nearest(points, position, near)
    found = np.isfinite(distance)
    return np.where(found[:, None], points[np.where(found, which, 0)], position)


def _nearest(points: Floats, queries: Floats, limit: float) -> tuple[Floats, Ints]:
    """Distance (n,) and row (n,) of the point nearest to each query; infinite where none is within the limit."""
    distance, which = cKDTree(points).query(queries, distance_upper_bound=limit)
    return np.asarray(distance, np.float64), np.asarray(which, np.int64)
