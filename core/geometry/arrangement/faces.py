"""The faces of the planar graphs in crossed triangles, and triangles that fill them.

A face lies left of a loop of half-edges. A loop that hangs free in its triangle and runs clockwise is a hole in the
face around it. Whatever fills a loop is closed with its neighbours; that it does not lie on itself is checked by areas.
"""

from typing import NamedTuple

import numpy as np

from ...jit import device_inlined, njit_no_refs
from ...planar.ears import triangulate_polygons
from ...planar.half_edges import trace_loops_of
from ...types import Bools, Floats, Ints
from ..graph import connected_labels
from ..mesh import cross_rows
from .contacts import Unsettled
from .graph import Graph, begins

#: Height, in units of the mesh's diagonal, that round-off may turn around. Some thousand roundings.
_ROUND_OFF = 2.0**-43


class ArrangementFaces(NamedTuple):
    """F faces of the crossed triangles, and the n triangles that fill them."""

    of_half: Ints  #: (H,) face on the left of each half-edge
    row: Ints  #: (F,) crossed triangle of each face
    triangles: Ints  #: (n,3) nodes
    piece: Ints  #: (n,3) piece of each side, from corner k to the next; numbers from the graph's on are inner sides
    face: Ints  #: (n,) face of each triangle, ascending


class _Loops(NamedTuple):
    of_half: Ints  #: (H,) loop of each half-edge
    half: Ints  #: (H,) half-edges loop by loop
    start: Ints  #: (n+1,)
    row: Ints  #: (n,) crossed triangle
    area: Floats  #: (n,) twice the signed area, projected


def filled_faces(graph: Graph, corner: Floats) -> ArrangementFaces:
    """The faces of a graph whose crossed triangles are `corner (M,3,3)`, in units of the diagonal. Raises Unsettled."""
    point = _flat_points(graph, corner)
    low, high = (pick(pick(corner[:, 0], corner[:, 1]), corner[:, 2]) for pick in (np.minimum, np.maximum))
    extent = np.sqrt(np.square(high - low).sum(axis=1))
    loops = _loops(graph, point)
    around = _around_holes(graph, loops, point, _ROUND_OFF * extent)
    outer = np.flatnonzero(around < 0)
    face_of_loop = np.empty(len(around), np.int64)
    face_of_loop[outer] = np.arange(len(outer))
    face_of_loop[around >= 0] = face_of_loop[around[around >= 0]]
    order = np.lexsort((around >= 0, face_of_loop))  # face by face, holes last
    face_start = np.concatenate([[0], np.cumsum(np.bincount(face_of_loop, minlength=len(outer)))])
    row = loops.row[outer]
    flat = 2.0**-50 * extent[row]
    halves, piece, face = triangulate_polygons(
        face_start, order, loops.start, loops.half, point, graph.piece, flat, graph.piece_count
    )
    _check_areas(graph, point, halves, face, row, _ROUND_OFF * extent[row])
    return ArrangementFaces(face_of_loop[loops.of_half], row, graph.tail.take(halves), piece, face)


def _flat_points(graph: Graph, corner: Floats) -> Floats:
    """The beginnings of half-edges (H,2), seen along the axis along which their triangle shows most of its area."""
    normal = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    axis = np.argmax(np.abs(normal), axis=1)
    front = np.take_along_axis(normal, axis[:, None], axis=1)[:, 0] > 0.0
    x, y = np.where(front, (axis + 1) % 3, (axis + 2) % 3), np.where(front, (axis + 2) % 3, (axis + 1) % 3)
    local = graph.position.take(graph.tail, axis=0) - corner[:, 0].take(graph.row, axis=0)
    first = np.arange(0, local.size, 3)
    return np.stack([local.take(first + axis[graph.row]) for axis in (x, y)], axis=1)


def _loops(graph: Graph, point: Floats) -> _Loops:
    of_half, half, start = trace_loops_of(graph.follows)
    x, y = point.T
    cross = x * y.take(graph.follows) - y * x.take(graph.follows)
    area: Floats = np.bincount(of_half, cross, len(start) - 1).astype(np.float64)
    return _Loops(of_half, half, start, graph.row[half[start[:-1]]], area)


def _around_holes(graph: Graph, loops: _Loops, point: Floats, flat: Floats) -> Ints:
    """The loop around each hole, -1 for loops that are none. `flat (M,)` is a height that means nothing."""
    count, first_side = len(loops.row), int(graph.side_half[0])
    twins = loops.of_half[:first_side].reshape(-1, 2)
    part = connected_labels(count, twins)
    attached = np.zeros(int(part.max(initial=-1)) + 1, np.bool_)
    attached[part[loops.of_half[first_side:]]] = True
    _check_euler(graph, loops, part, attached)
    hole = np.zeros(count, np.bool_)
    free = np.flatnonzero(~attached[part])
    free = free[np.lexsort((loops.area[free], part[free]))]
    hole[free[begins(part[free])]] = True
    bad = np.where(hole, loops.area > 0.0, loops.area < -flat[loops.row])
    if bad.any():
        raise Unsettled(graph.rows[np.unique(loops.row[bad])])
    around = np.full(count, -1, np.int64)
    if hole.any():
        # Only triangles with holes are searched.
        holed = np.zeros(len(graph.rows), np.bool_)
        holed[loops.row[hole]] = True
        some = np.flatnonzero(holed[loops.row])
        some = some[np.argsort(loops.row[some], kind="stable")]
        begin = begins(loops.row[some])
        _enclose(np.append(begin, len(some)), some, hole, part, loops.area, loops.start, loops.half, point, around)
        if (around[hole] < 0).any():
            raise Unsettled(graph.rows[np.unique(loops.row[hole & (around < 0)])])
    return around


def _check_euler(graph: Graph, loops: _Loops, part: Ints, attached: Bools) -> None:
    """Every connected part of a planar graph has vertices - edges + faces = 2."""
    count, first_side = len(attached), int(graph.side_half[0])
    part_of_half = part[loops.of_half]
    node = np.unique(part_of_half * len(graph.position) + graph.tail) // len(graph.position)
    euler = np.bincount(node, minlength=count) + np.bincount(part, minlength=count) + attached
    euler -= np.bincount(part_of_half[first_side:], minlength=count)
    euler -= np.bincount(part_of_half[:first_side], minlength=count) // 2
    bad = euler != 2
    if bad.any():
        raise Unsettled(graph.rows[np.unique(loops.row[bad[part]])])


@njit_no_refs
def _enclose(
    row_start: Ints, loop: Ints, hole: Bools, part: Ints, area: Floats, start: Ints, half: Ints, point: Floats,
    around: Ints,
) -> None:  # fmt: skip
    """Fill in `around` for the holes: the smallest loop of another part of the same triangle with the hole inside."""
    for r in range(len(row_start) - 1):
        for i in range(row_start[r], row_start[r + 1]):
            h = loop[i]
            if not hole[h]:
                continue
            x, y = point[half[start[h]], 0], point[half[start[h]], 1]
            for j in range(row_start[r], row_start[r + 1]):
                other = loop[j]
                if hole[other] or part[other] == part[h] or (around[h] >= 0 and area[other] >= area[around[h]]):
                    continue
                if _holds(start[other], start[other + 1], half, point, x, y):
                    around[h] = other


@device_inlined
def _holds(begin: int, end: int, half: Ints, point: Floats, x: float, y: float) -> bool:
    """Whether a loop runs around a point."""
    odd = False
    before = half[end - 1]
    for k in range(begin, end):
        at = half[k]
        ax, ay, bx, by = point[before, 0], point[before, 1], point[at, 0], point[at, 1]
        if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
            odd = not odd
        before = at
    return odd


def _check_areas(graph: Graph, point: Floats, halves: Ints, face: Ints, row: Ints, flat: Floats) -> None:
    """The triangles `halves (n,3)` of a face must not lie on each other; `flat (F,)` is an area that means nothing."""
    (x, x_one, x_two), (y, y_one, y_two) = (np.ascontiguousarray(line).take(halves).T for line in point.T)
    area = (x_one - x) * (y_two - y) - (y_one - y) * (x_two - x)
    turned = np.bincount(face, np.maximum(-area, 0.0), len(row))
    bad = turned > flat
    if bad.any():
        raise Unsettled(graph.rows[np.unique(row[bad])])
