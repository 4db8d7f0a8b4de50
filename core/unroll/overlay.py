"""Two subdivisions of one plane polygon laid over each other: the faces in which a cell of each lies.

Where edges cross is decided by signs that round-off cannot change; the faces follow from the order of edges around
vertices. Whatever does not fit (Euler's formula, two cells in one face, areas) raises CutError.
Source: the overlay of two subdivisions, de Berg et al., Computational Geometry, 3rd ed., 2.3, with all pairs of edges
tested, for they are few.
"""

from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..geometry import packed
from ..geometry.graph import connected_labels
from ..planar.half_edges import contains, link_half_edges, trace_loops_of
from ..types import Bools, Floats, Ints
from .shared_outline import BEYOND_OUTLINE, UNCLEAR, UNKNOWN_CELL, Between, Border, EdgePieces

EDGES_AT_ONCE = 256  #: edges of one side that are tested at once against all of the other; bounds the memory
_SIGN = 1e-15  #: of the product of lengths: a smaller determinant has no certain sign; some roundings
_PARALLEL = 1e-13  #: [rad] between neighbouring edges at a vertex; a thousand roundings
_FLAT = 1e-12  #: area of a face that is round-off, relative to its squared extent; ten thousand roundings
#: Error of a cell's area relative to the whole; chosen: round-off of many faces is less, any mistake is more.
_AREA = 1e-9


class _Crossings(NamedTuple):
    """Where an edge of one side crosses one of the other."""

    edges: Ints  #: (n,2)
    way: Floats  #: (n,2) from the edge's first end (0) to its second (1)


class OverlayFaces(NamedTuple):
    """Faces and the closed loops around them, counter-clockwise around matter."""

    start: Ints  #: (L+1,)
    vertex: Ints
    face: Ints  #: (L,)
    cells: Ints  #: (F,2) of the first side, of the second
    outline: Ints  #: (F,) loop around the face, the others are holes
    area: Floats  #: (F,)
    centroid: Floats  #: (F,2)


class _Loops(NamedTuple):
    start: Ints
    half: Ints  #: 2 e from the first end of piece e on, 2 e + 1 back
    of_half: Ints  #: loop of each half
    area: Floats
    part: Ints  #: connected part of the drawing that each loop belongs to
    exterior: Bools  #: the loop around a connected part, seen from outside


def crossings(a: Floats, b: Floats) -> _Crossings:
    """All crossings of segments a (m,2,2) with segments b (n,2,2), given by their ends.

    Segments that have an end in common, with the same bits, do not cross. Raises CutError for doubtful ones.
    """
    edges, ways = [np.zeros((0, 2), np.int64)], [np.zeros((0, 2))]
    for first in range(0, len(a), EDGES_AT_ONCE):
        some = a[first : first + EDGES_AT_ONCE, None]
        near = (some.min(axis=2) <= b.max(axis=1)).all(axis=2) & (some.max(axis=2) >= b.min(axis=1)).all(axis=2)
        i, j = np.nonzero(near)
        p, q = some[i, 0], b[j]
        joined = (p[:, :, None] == q[:, None, :]).all(axis=3).any(axis=(1, 2))
        i, j, p, q = i[~joined], j[~joined], p[~joined], q[~joined]
        det = np.stack([_turn(p, q[:, 0]), _turn(p, q[:, 1]), _turn(q, p[:, 0]), _turn(q, p[:, 1])])
        apart = (det[0] * det[1] > 0.0) | (det[2] * det[3] > 0.0)
        if ((det == 0.0).any(axis=0) & ~apart).any():
            raise CutError(UNCLEAR)
        met = np.flatnonzero(~apart)
        edges.append(np.stack([i[met] + first, j[met]], axis=1))
        ways.append(np.stack([det[2] / (det[2] - det[3]), det[0] / (det[0] - det[1])], axis=1)[met])
    return _Crossings(np.concatenate(edges), np.concatenate(ways))


def _turn(segment: Floats, point: Floats) -> Floats:
    """Twice the area (n,) of segments (n,2,2) with points (n,2); 0 where round-off decides its sign."""
    u, v = segment[:, 1] - segment[:, 0], point - segment[:, 0]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    sure = np.abs(area) > _SIGN * (np.abs(u[:, 0] * v[:, 1]) + np.abs(u[:, 1] * v[:, 0]))
    return np.where(sure, area, 0.0)


def split_at_crossings(a: Border, b: Border, met: _Crossings, at: Floats, first: int) -> tuple[EdgePieces, Between]:
    """The edges of both sides cut at their crossings, which are vertices `first`, `first + 1`, ...

    at (V,2): places of the vertices. Edges that both sides have become one.
    """
    parts, between = [], []
    for k, side in enumerate((a, b)):
        order = np.lexsort((met.way[:, k], met.edges[:, k]))
        edge, way = met.edges[order, k], met.way[order, k]
        again = np.flatnonzero(edge[1:] == edge[:-1])
        if not (way[again + 1] > way[again]).all():
            raise CutError(UNCLEAR)
        vertex, count = first + order, np.bincount(edge, minlength=len(side.ends))
        between.append(Between(side.ends[edge], vertex))
        start = packed.packed_starts(count + 2)
        chain = np.empty(start[-1], np.int64)
        chain[start[:-1]], chain[start[1:] - 1] = side.ends[:, 0], side.ends[:, 1]
        chain[packed.ranges(start[:-1] + 1, count)] = vertex
        piece = packed.ranges(start[:-1], count + 1)
        cells = np.full((len(side.ends), 4), UNKNOWN_CELL)
        cells[:, 2 * k : 2 * k + 2] = side.cells
        along = at[side.ends[:, 1]] - at[side.ends[:, 0]]
        parts.append(
            EdgePieces(
                np.stack([chain[piece], chain[piece + 1]], axis=1),
                np.repeat(along, count + 1, axis=0),
                np.repeat(cells, count + 1, axis=0),
            )
        )
    return _united(*parts), Between(*(np.concatenate(x) for x in zip(*between, strict=True)))


def _united(a: EdgePieces, b: EdgePieces) -> EdgePieces:
    """The pieces of both sides; what both have becomes one piece with the cells of both."""
    row = {(int(u), int(v)): i for i, (u, v) in enumerate(a.ends)}
    cells, alone = a.cells.copy(), np.ones(len(b.ends), np.bool_)
    for j, (u, v) in enumerate(b.ends.tolist()):
        for ends, other in (((u, v), b.cells[j, 2:]), ((v, u), b.cells[j, :1:-1])):
            if ends in row:
                cells[row[ends], 2:] = other
                alone[j] = False
    return EdgePieces(
        np.concatenate([a.ends, b.ends[alone]]),
        np.concatenate([a.along, b.along[alone]]),
        np.concatenate([cells, b.cells[alone]]),
    )


def faces_between(pieces: EdgePieces, at: Floats) -> OverlayFaces:
    """The faces of a drawing whose edges meet at their ends only; at (V,2) are the places of its vertices."""
    loops = _loops(pieces, at)
    left = np.stack([pieces.cells, pieces.cells[:, [1, 0, 3, 2]]], axis=1).reshape(-1, 4)[:, [0, 2]]
    beyond = left[:, 0] == BEYOND_OUTLINE
    outside = np.bincount(loops.of_half, beyond, len(loops.area)) > 0
    if outside[loops.of_half[~beyond]].any():
        raise CutError(UNCLEAR)
    around = _around(pieces, loops, at, outside)
    solid = np.flatnonzero(~outside & ~loops.exterior)
    number = np.full(len(loops.area), -1)
    number[solid] = np.arange(len(solid))
    face = number[around]
    if (face[~outside] < 0).any():
        raise CutError(UNCLEAR)
    # What each half has on its other side belongs to the same cell where the piece is not that side's.
    across = face[loops.of_half.reshape(-1, 2)]
    inside = ~outside[loops.of_half]
    of_half, known = face[loops.of_half[inside]], left[inside]
    cells = [
        _labels(len(solid), of_half, known[:, k], across[pieces.cells[:, 2 * k] == UNKNOWN_CELL]) for k in range(2)
    ]
    return _measured(pieces, loops, at, np.where(outside, -1, face), np.stack(cells, axis=1), solid)


def _loops(pieces: EdgePieces, at: Floats) -> _Loops:
    tail, head = pieces.ends.ravel(), pieces.ends[:, ::-1].ravel()
    along = np.stack([pieces.along, -pieces.along], axis=1).reshape(-1, 2)
    following, turn = link_half_edges(tail, along)
    if ((turn < _PARALLEL) | (turn > 2.0 * np.pi - _PARALLEL)).any():
        raise CutError(UNCLEAR)
    of_half, half, start = trace_loops_of(following)
    cross = at[tail, 0] * at[head, 1] - at[tail, 1] * at[head, 0]
    area = 0.5 * np.bincount(of_half, cross, len(start) - 1)
    vertex, corner = np.unique(tail, return_inverse=True)
    label = connected_labels(len(vertex), corner.reshape(-1, 2).astype(np.int64))
    part = label[corner.ravel()[half[start[:-1]]]]
    parts = int(label.max()) + 1
    if len(vertex) - len(pieces.ends) + len(area) != 2 * parts:
        raise CutError(UNCLEAR)
    # All other loops of a part are inside of this one, and together they have its area.
    exterior = np.zeros(len(area), np.bool_)
    exterior[np.lexsort((area, part))[np.searchsorted(np.sort(part), np.arange(parts))]] = True
    return _Loops(start, half, of_half, area, part, exterior)


def _around(pieces: EdgePieces, loops: _Loops, at: Floats, outside: Bools) -> Ints:
    """The loop around the face of each loop: itself, or for a loop around a hole the smallest one that holds it."""
    around = np.arange(len(loops.area))
    tail = pieces.ends.ravel()[loops.half]
    order = np.argsort(loops.area, kind="stable")
    rings = [at[tail[loops.start[i] : loops.start[i + 1]]] for i in range(len(loops.area))]
    for hole in np.flatnonzero(loops.exterior & ~outside):
        for loop in order[(~loops.exterior & (loops.part != loops.part[hole]))[order]]:
            if loops.area[loop] > -loops.area[hole] and contains(rings[loop], rings[hole][0]):
                around[hole] = loop
                break
    return around


def _labels(count: int, face: Ints, cell: Ints, links: Ints) -> Ints:
    """The cell (count,) of each face, from what some edges tell; faces that are linked are in the same one."""
    if (links < 0).any():
        raise CutError(UNCLEAR)
    part = connected_labels(count, links)
    value = np.full(count, UNKNOWN_CELL)
    told = cell != UNKNOWN_CELL
    value[part[face[told]]] = cell[told]
    result: Ints = value[part]
    if (result < 0).any() or (result[face[told]] != cell[told]).any():
        raise CutError(UNCLEAR)
    return result


def _measured(pieces: EdgePieces, loops: _Loops, at: Floats, face: Ints, cells: Ints, outline: Ints) -> OverlayFaces:
    """Loops face by face, with the measures of the faces."""
    order = np.flatnonzero(face >= 0)[np.argsort(face[face >= 0], kind="stable")]
    length = np.diff(loops.start)[order]
    half = loops.half[packed.ranges(loops.start[order], length)]
    tail, head = pieces.ends.ravel()[half], pieces.ends[:, ::-1].ravel()[half]
    owner = np.repeat(np.arange(len(order)), length)
    if len(np.unique(owner * len(at) + tail)) < len(tail):
        raise CutError(UNCLEAR)  # a loop that touches itself
    p, q, of_face = at[tail], at[head], face[order][owner]
    # From a corner of each face on, so that small ones keep their digits.
    origin = at[tail[np.unique(of_face, return_index=True)[1]]][of_face]
    p, q = p - origin, q - origin
    cross = p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]
    count = len(outline)
    area = 0.5 * np.bincount(of_face, cross, count)
    corners = np.bincount(of_face, minlength=count)
    size = np.bincount(of_face, np.square(p).sum(axis=1), count) / corners
    centroid = np.empty((count, 2))
    first = np.unique(of_face, return_index=True)[1]
    for k in range(2):
        moment = np.bincount(of_face, cross * (p[:, k] + q[:, k]), count) / 6.0
        mean = np.bincount(of_face, p[:, k], count) / corners
        fine = area > _FLAT * size
        centroid[:, k] = np.where(fine, moment / np.where(fine, area, 1.0), mean) + origin[first, k]
    place = np.empty(len(face), np.int64)
    place[order] = np.arange(len(order))
    return OverlayFaces(packed.packed_starts(length), tail, face[order], cells, place[outline], area, centroid)


def check_areas(faces: OverlayFaces, sides: tuple[Border, Border], at: Floats) -> None:
    """Raises CutError where the faces of a cell have not the area that its border has."""
    for k, side in enumerate(sides):
        p, q = at[side.ends[:, 0]], at[side.ends[:, 1]]
        cross = 0.5 * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])
        inner = side.cells[:, 1] != BEYOND_OUTLINE
        count = int(side.cells.max()) + 1
        wanted = np.bincount(side.cells[:, 0], cross, count) - np.bincount(side.cells[inner, 1], cross[inner], count)
        found = np.bincount(faces.cells[:, k], faces.area, count)
        if np.abs(wanted - found).max() > _AREA * wanted.sum():
            raise CutError(UNCLEAR)
