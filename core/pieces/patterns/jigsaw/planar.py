"""Edges in planes, the faces between them, and these cut into triangles; many planes at a time."""

from typing import NamedTuple

import numpy as np

from ....arithmetic.elementary import hypot
from ....geometry import packed
from ....planar.ears import triangulate_polygons
from ....planar.half_edges import contains, link_half_edges, trace_loops_of
from ....types import Bools, Floats, Ints

#: Height of a triangle that is round-off, relative to the extent of all; ten thousand roundings.
_FLAT = 1e-12


class PlaneNodes(NamedTuple):
    """The ends of edges in planes; a node that several planes have is there once for each, plane by plane."""

    plane: Ints  #: (k,) ascending
    node: Ints  #: (k,) ascending within each plane
    place: Floats  #: (k,2)


class PlaneFaces(NamedTuple):
    """Triangles of F faces, plane by plane and face by face."""

    plane: Ints  #: (F,) ascending
    face: Ints  #: (n,) of each triangle, ascending
    triangle: Ints  #: (n,3) rows of the nodes, counter-clockwise
    inner: Floats  #: (F,2) a point within each face


def triangulate_faces(nodes: PlaneNodes, ends: Ints) -> PlaneFaces:
    """The bounded faces between edges (n,2), rows of the nodes, cut into triangles; edges meet at their ends only.

    Faces with equal borders get equal triangles, turned round where they are seen from the other side.
    """
    faces = _faces(nodes, _without_spurs(ends))
    first, face, triangle = _triangles_of_borders(nodes, faces)
    # What an earlier face of the same border has, in the nodes of this one's plane.
    size = np.bincount(face, minlength=len(faces))[first]
    begin = np.searchsorted(face, np.arange(len(faces)))
    owner, row = np.repeat(np.arange(len(faces)), size), packed.ranges(begin[first], size)
    count = int(nodes.node.max(initial=0)) + 1
    plane = np.array([nodes.plane[loops[0][0]] for loops in faces], np.int64)
    key = nodes.plane * count + nodes.node
    triangle = np.searchsorted(key, plane[owner][:, None] * count + nodes.node[triangle[row]])
    corner = nodes.place[triangle]
    u, v = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    turned = np.bincount(owner, area, len(faces)) < 0.0
    triangle = np.where(turned[owner][:, None], triangle[:, ::-1], triangle)
    order = np.lexsort((-np.abs(area), owner))
    largest = order[np.searchsorted(owner, np.arange(len(faces)))]
    return PlaneFaces(plane, owner, triangle, corner[largest].mean(axis=1))


def covers(corner: Floats, points: Floats) -> Bools:
    """Whether points (n,2) lie in any of the triangles (m,3,2), which run counter-clockwise."""
    inside = np.ones((len(points), len(corner)), np.bool_)
    for k in range(3):
        start, along = corner[:, k], corner[:, (k + 1) % 3] - corner[:, k]
        x, y = points[:, None, 0] - start[:, 0], points[:, None, 1] - start[:, 1]
        inside &= along[:, 0] * y - along[:, 1] * x >= -1e-12 * hypot(along[:, 0], along[:, 1])
    return np.asarray(inside.any(axis=1))


def _without_spurs(ends: Ints) -> Ints:
    """The edges (n,2), each once, without those that end in nothing."""
    ends = np.unique(np.sort(ends, axis=1), axis=0)
    while True:
        kept = (np.bincount(ends.ravel())[ends] > 1).all(axis=1)
        if kept.all():
            return ends
        ends = ends[kept]


def _faces(nodes: PlaneNodes, ends: Ints) -> list[list[Ints]]:
    """The outline and the holes of each bounded face, as rows of the nodes."""
    if len(ends) == 0:
        return []
    tail, head, place = ends.ravel(), ends[:, ::-1].ravel(), nodes.place
    loops = trace_loops_of(link_half_edges(tail, place[head] - place[tail])[0])
    rings = np.split(tail[loops.half], loops.start[1:-1])
    cross = place[tail, 0] * place[head, 1] - place[tail, 1] * place[head, 0]
    area = np.bincount(loops.of_half, cross, len(rings))
    plane = nodes.plane[tail[loops.half[loops.start[:-1]]]]
    order = np.argsort(plane, kind="stable")
    solid = order[area[order] > 0.0]
    faces = {int(k): [rings[k]] for k in solid}
    # Around each connected part runs a loop from outside: one alone is no hole.
    outer = order[area[order] <= 0.0]
    several = np.bincount(plane[outer], minlength=int(plane.max()) + 1) > 1
    for k in outer[several[plane[outer]]].tolist():
        ring = rings[k]
        if len(np.unique(ring)) < 3:
            continue
        around = [
            int(j)
            for j in solid[plane[solid] == plane[k]]
            if not np.isin(ring, rings[j]).any() and contains(place[rings[j]], place[ring[0]])
        ]
        if around:
            faces[min(around, key=lambda j: area[j])].append(ring)
    return list(faces.values())


def _triangles_of_borders(nodes: PlaneNodes, faces: list[list[Ints]]) -> tuple[Ints, Ints, Ints]:
    """The first face (F,) that has the border of each; of those the triangles: their face (n,), and rows (n,3)."""
    known: dict[bytes, int] = {}
    first = np.array([known.setdefault(_border(nodes, loops), k) for k, loops in enumerate(faces)], np.int64)
    own = np.unique(first)
    loops = [loop for k in own.tolist() for loop in faces[k]]
    corner = np.concatenate([np.empty(0, np.int64), *loops])
    every = np.arange(len(corner))
    triangle, _, face = triangulate_polygons(
        packed.packed_starts(np.array([len(faces[k]) for k in own.tolist()], np.int64)),
        np.arange(len(loops)),
        packed.packed_starts(np.array([len(loop) for loop in loops], np.int64)),
        every,
        nodes.place[corner],
        np.zeros_like(every),
        np.full(len(own), _FLAT * float(np.abs(nodes.place).max(initial=0.0))),
        0,
    )
    return first, own[face], corner[triangle]


def _border(nodes: PlaneNodes, loops: list[Ints]) -> bytes:
    """What faces with the same edges around them have in common."""
    ends = np.concatenate([np.stack([loop, np.roll(loop, -1)], axis=1) for loop in loops])
    ends = np.sort(nodes.node[ends], axis=1)
    border: bytes = ends[np.lexsort((ends[:, 1], ends[:, 0]))].tobytes()
    return border
