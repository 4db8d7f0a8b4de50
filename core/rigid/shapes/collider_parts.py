"""The convex parts of a mesh that is in the way of others: a floor, a terrain, a bowl, a room, a statue.

Each connected component of the mesh is taken on its own. A closed one that faces outwards is a solid; closed ones that
face inwards are the hollows of the solid around them. Everything else is a sheet: it becomes a solid that extends from
its visible surface BACK of the mesh's diagonal backwards, against its normals, so that things rest on the surface
itself. So is a closed component that faces inwards with nothing around it: a room seen from inside.
Solids are then split into convex parts.

Limitations: overlapping components stay separate; what lies within TOLERANCE of a hollow's surface is filled.
"""

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...geometry import packed
from ...geometry.inside import winding_number
from ...geometry.mesh import MeshEdges, areas, cross_rows, diagonal, edge_table, find_shells
from ...geometry.shells import measure_shells
from ...stepwise import result_of
from ...types import Bools, Floats, Ints, Mesh
from .convex_hulls import make_convex_parts
from .convex_parts import ConvexParts
from .decomposition import Decomposition, decompose_steps
from .dense_decomposition import DENSE, decompose_dense_steps
from .round_parts import FINE_HEIGHT, MOST_PART_CORNERS, reduce_corners
from .solids import SolidMesh, make_solid
from .split_adjacency import with_split_adjacency

COLLIDER_TOLERANCE = 0.01  # gap between a solid and its parts that is left, in diagonals of the mesh; by eye
# Thickness of sheets, in diagonals of the mesh; by eye: thicker catches faster things, and fills what is behind.
BACK = 0.02
_PARTS = 400  # of the mesh, shared out by area; by time
_FEWEST = 8  # parts that any component may have; by eye
# Cosine between a triangle's normal and its vertex's below which its corner moves along its own; by eye: some 78
# degrees.
WITH = 0.2


def make_collider_parts(mesh: Mesh) -> ConvexParts:
    """`collider_part_steps`, run to their end at once."""
    return result_of(collider_part_steps(mesh))


def collider_part_steps(mesh: Mesh) -> Generator[None, None, ConvexParts]:
    """The parts of the mesh in the object's own axes (`mesh.turn` is not applied).

    Faces between two parts of one component have an adjacent part. Yields with each part. Raises InputError for a mesh
    without faces, without area or with a vertex that is no place.
    """
    vertices, triangles = _welded(mesh)
    size = diagonal(vertices)
    if not areas(vertices, triangles).sum() > 1e-12 * size * size:
        raise InputError(f"{mesh.name} has no area, so nothing can hit it: take it out of the colliders.")
    points: list[Floats] = []
    keep: list[Ints | None] = []
    splits: list[tuple[int, Decomposition, float]] = []
    for solid, share in _solids(vertices, triangles, BACK * size):
        cut = decompose_dense_steps if len(solid.triangles) >= DENSE else decompose_steps
        found = yield from cut(solid, COLLIDER_TOLERANCE * size, max(_FEWEST, int(np.ceil(_PARTS * share))))
        splits.append((len(points), found, COLLIDER_TOLERANCE * size))
        whole = len(found.points) == 1  # parts of one solid keep what they have in common
        few = [reduce_corners(found.points[0])] if whole else found.points
        points += few
        keep += [np.arange(len(few[0]))] if whole and len(few[0]) <= MOST_PART_CORNERS else [None] * len(few)
    return (yield from with_split_adjacency(make_convex_parts(points, keep, FINE_HEIGHT), splits))


def _welded(mesh: Mesh) -> tuple[Floats, Ints]:
    """The used vertices, those at one place as one, and the triangles that keep three corners."""
    if len(mesh.triangles) == 0:
        raise InputError(f"{mesh.name} has no faces, so nothing can hit it: take it out of the colliders.")
    if not np.isfinite(mesh.vertices[mesh.triangles]).all():
        raise InputError(f"{mesh.name} has a vertex at no place (not a number): delete it in Edit Mode.")
    used = np.unique(mesh.triangles)
    place = mesh.vertices[used] + 0.0  # no negative zeros: equal places have equal bits
    order = np.lexsort((place[:, 2], place[:, 1], place[:, 0]))
    new = np.append(True, (np.diff(place[order], axis=0) != 0.0).any(axis=1))
    number = np.zeros(len(mesh.vertices), np.int64)
    number[used[order]] = np.cumsum(new) - 1
    t = number[mesh.triangles]
    t = t[(t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])]
    if len(t) == 0:
        raise InputError(f"{mesh.name} has no area, so nothing can hit it: take it out of the colliders.")
    return place[order][new], t


class _Shells(NamedTuple):
    """The n connected components of a mesh."""

    label: Ints  #: (T,) component of each triangle
    closed: Bools  #: (n,)
    area: Floats  #: (n,) [m^2]
    volume: Floats  #: (n,) signed [m^3]


def _solids(vertices: Floats, triangles: Ints, back: float) -> list[tuple[SolidMesh, float]]:
    """The solids that the mesh stands for, in the order of their first triangles, and their shares of the area."""
    edges = edge_table(triangles)
    found = _shells(vertices, triangles, edges)
    start, order = packed.group_by_owner(found.label, len(found.area))
    rows = [order[a:b] for a, b in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)]
    flat = 1e-9 * found.area * diagonal(vertices)
    around = _around(vertices, triangles, found, rows, flat)
    result = []
    for k in range(len(rows)):
        share = float(found.area[k] / found.area.sum())
        if found.closed[k] and found.volume[k] >= -flat[k]:
            own = np.concatenate([rows[k], *(rows[h] for h in np.flatnonzero(around == k))])
            result.append((make_solid(vertices, triangles[own]), share))
        elif around[k] < 0:
            result.append((_thick(vertices, triangles[rows[k]], back), share))
    return result


def _shells(vertices: Floats, triangles: Ints, edges: MeshEdges) -> _Shells:
    label = find_shells(edges)
    measured = measure_shells(vertices, triangles, label)
    closed = np.ones(len(measured.area), np.bool_)
    open_half = edges.surplus[edges.of_half] != 0
    closed[np.repeat(label, 3)[open_half]] = False
    return _Shells(label, closed, measured.area, measured.volume)


def _around(vertices: Floats, triangles: Ints, found: _Shells, rows: list[Ints], flat: Floats) -> Ints:
    """The smallest solid (n,) around each closed component that faces inwards, -1 where there is none."""
    around = np.full(len(rows), -1, np.int64)
    hollows = np.flatnonzero(found.closed & (found.volume < -flat))
    for solid in np.argsort(-found.volume, kind="stable"):  # the smaller ones last
        if len(hollows) == 0 or not found.closed[solid] or found.volume[solid] <= flat[solid]:
            continue
        point = vertices[triangles[[rows[h][0] for h in hollows], 0]]
        inside = winding_number(vertices, triangles[rows[solid]], point) != 0
        around[hollows[inside & (-found.volume[hollows] < found.volume[solid])]] = solid
    return around


def _thick(vertices: Floats, triangles: Ints, back: float) -> SolidMesh:
    """A sheet with a second side `back` [m] behind it, and walls along its borders."""
    used, corner = np.unique(triangles, return_inverse=True)
    top, place = corner.reshape(-1, 3), vertices[used]
    a, b, c = (place[top[:, k]] for k in range(3))
    n = cross_rows(b - a, c - a)
    vertex_normal = np.zeros(place.shape)
    for k in range(3):
        vertex_normal[:, k] = np.bincount(top.reshape(-1), np.repeat(n[:, k], 3), len(place))
    own, shared = np.repeat(_unit(n), 3, axis=0), _unit(vertex_normal)[top.reshape(-1)]
    alone = np.flatnonzero((own * shared).sum(axis=1) < WITH)  # corners of folded sheets
    behind = len(place) + top.reshape(-1)
    behind[alone] = 2 * len(place) + np.arange(len(alone))
    points = np.concatenate(
        [place, place - back * _unit(vertex_normal), place[top.reshape(-1)[alone]] - back * own[alone]]
    )
    edges = edge_table(top)
    begin, end = top.reshape(-1), top[:, [1, 2, 0]].reshape(-1)
    forward = np.where(begin < end, 1, -1)
    border = np.flatnonzero(edges.surplus[edges.of_half] * forward > 0)
    below = behind[border]
    below_end = behind.reshape(-1, 3)[:, [1, 2, 0]].reshape(-1)[border]
    walls = [np.stack([begin[border], below, end[border]], axis=1), np.stack([end[border], below, below_end], axis=1)]
    return make_solid(points, np.concatenate([top, behind.reshape(-1, 3)[:, ::-1], *walls]))


def _unit(vectors: Floats) -> Floats:
    """The vectors (n,3) at length one; those without a length stay 0."""
    length = np.sqrt(np.square(vectors).sum(axis=1))
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0)[:, None])
