"""The skin of a refined body back in the artist's triangles: one outer face for each of them in each cell.

A body is refined so that bent space can be cut by planes; nothing of the refinement but its rims should reach the
artist. The outer faces of a cell in one triangle of the body are a patch. What is left of a patch is its outline: the
half-edges that have no opposite in it. Positions are not looked at, for in bent space the edges of the body are no
straight lines.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..cutting.cut import drop_unused_vertices
from ..fragments.dissolve import join_faces
from ..fragments.rings import FragmentRings, find_twins
from ..geometry import packed
from ..jit import device_inlined, njit_no_refs, sealed_floats
from ..record_arrays import Records, record_type
from ..types import Bools, Cells, Floats, Ints

#: A half-edge of a patch.
PATCH_HALF_EDGE = record_type(
    corner="i8",  # of the outer faces, at which it begins
    tail="i8",  # vertex
    head="i8",  # vertex
    next="i8",  # the one after it around its face
    twin="i8",  # the one that runs the other way along the edge, or one of the two below
    waiting="i8",  # the next one of those that wait for their twins at the same vertex
)
_OPEN, TRACED = -1, -2  #: no twin: the outline runs here, and has not, or has, been followed


class _Patches(NamedTuple):
    """Outer faces of one cell in one body triangle: `face[bound[k]:bound[k + 1]]`, in the order of the cells."""

    bound: Ints  #: (K+1,)
    face: Ints  #: (F,)


class _Loops(NamedTuple):
    """Outlines: loop i has the outer corners `corner[start[i]:start[i + 1]]`."""

    start: Ints  #: (L+1,)
    corner: Ints  #: (N,)
    face: Ints  #: (L,) first of the faces that it replaces


def joined_outer(cells: Cells, source: Ints, weight: Floats) -> Cells:
    """The cells of a refined body with outer faces that lie in the triangles of the body before it was refined.

    Args:
        cells: of the refined body, whose outer faces lie in its triangles.
        source: (T,) triangle of the body in which each refined triangle lies.
        weight: (T,3,3) barycentric coordinates of each refined corner in that triangle.

    All outer faces of a cell in one triangle become one simple loop, or a few where a loop would have a hole or touch
    itself. Vertices stay that an inner face uses, and those of the body, which are the refined corners with a weight of
    one. Each cell stays closed. Outer faces come in the order of their cells.

    """
    joined = replace(cells, outer_triangle=source[cells.outer_triangle])
    loops = _outlines(joined)
    mixed = _mixed(cells, weight, loops.corner)
    kept = ~_straight(joined, loops, mixed)
    start = np.append(0, np.cumsum(kept))[loops.start]
    by_cell = np.lexsort((loops.face, cells.outer_cell[loops.face]))
    size = np.diff(start)[by_cell]
    row = np.flatnonzero(kept)[packed.ranges(start[by_cell], size)]
    vertices, outer, inner = drop_unused_vertices(
        cells.vertices, cells.outer_vertex[loops.corner[row]], cells.inner_vertex
    )
    face = loops.face[by_cell]
    return replace(
        joined,
        vertices=vertices,
        outer_start=packed.packed_starts(size),
        outer_vertex=outer,
        outer_weight=np.take(mixed, row, axis=0),
        outer_triangle=joined.outer_triangle[face],
        outer_cell=cells.outer_cell[face],
        inner_vertex=inner,
    )


def _outlines(cells: Cells) -> _Loops:
    """The simple loops that replace the faces of each patch."""
    patches, first = _patches(cells), cells.outer_start
    length = np.append(0, np.cumsum(np.diff(first)[patches.face]))[patches.bound]
    room = np.empty(int(np.diff(length).max(initial=0)), PATCH_HALF_EDGE)
    head, seen = np.full(len(cells.vertices), -1), np.full(len(cells.vertices), -1)
    start, corner = np.zeros(len(patches.bound), np.int64), np.empty(len(cells.outer_vertex), np.int64)
    _trace(*patches, first, cells.outer_vertex, room, head, seen, start, corner)
    plain = np.diff(start) > 0
    loops = _Loops(np.append(0, start[1:][plain]), corner[: start[-1]], patches.face[patches.bound[:-1][plain]])
    return loops if plain.all() else _both(loops, _split(cells, patches, np.flatnonzero(~plain)))


def _patches(cells: Cells) -> _Patches:
    """The outer faces by cell, then by body triangle, then in their own order."""
    by_triangle = np.argsort(cells.outer_triangle, kind="stable")  # almost sorted: this is quick
    face = by_triangle[packed.group_by_owner(cells.outer_cell[by_triangle], len(cells.volume))[1]]
    patch = (cells.outer_cell * (int(cells.outer_triangle.max(initial=0)) + 1) + cells.outer_triangle)[face]
    return _Patches(np.append(np.flatnonzero(np.diff(patch, prepend=-1)), len(face)), face)


@njit_no_refs
def _trace(
    bound: Ints,
    face: Ints,
    first: Ints,
    vertex: Ints,
    room: Records,
    head: Ints,
    seen: Ints,
    start: Ints,
    corner: Ints,
) -> None:
    """Find the outline of each patch: `corner[start[k]:start[k + 1]]`, nothing where it is not one simple loop.

    `room` for the half-edges of the largest patch, and `head (V,)` and `seen (V,)`, which hold -1, are to work in.
    """
    size = 0
    for k in range(len(bound) - 1):
        count = _pair(bound[k], bound[k + 1], face, first, vertex, room, head)
        loops = 0
        for c in range(count):
            loops += room[c].twin == _OPEN
            at = c
            while room[at].twin == _OPEN:
                room[at].twin = TRACED
                a = room[at].tail
                head[min(a, room[at].head)] = -1
                loops += seen[a] == k  # it touches itself
                seen[a] = k
                corner[size] = room[at].corner
                size += 1
                at = room[at].next
                while room[at].twin >= 0:
                    at = room[room[at].twin].next
        if loops != 1 or size < start[k] + 3:
            size = start[k]
        start[k + 1] = size


@device_inlined
def _pair(low: int, high: int, face: Ints, first: Ints, vertex: Ints, room: Records, head: Ints) -> int:
    """Fill `room` with the half-edges of the faces `face[low:high]` and their twins; returns how many there are.

    Those without a twin wait in a list at the lower vertex of their edge.
    """
    count = 0
    for i in range(low, high):
        f = face[i]
        base = count - first[f]
        for c in range(first[f], first[f + 1]):
            onward = c + 1 if c + 1 < first[f + 1] else first[f]
            a, b = vertex[c], vertex[onward]
            at = min(a, b)
            before, other = -1, head[at]
            while other >= 0 and (room[other].tail != b or room[other].head != a):
                before, other = other, room[other].waiting
            half = room[count]
            half.corner, half.tail, half.head = c, a, b
            half.next, half.twin = base + onward, other
            if other < 0:
                half.waiting = head[at]
                head[at] = count
            else:
                room[other].twin = count
                if before < 0:
                    head[at] = room[other].waiting
                else:
                    room[before].waiting = room[other].waiting
            count += 1
    return count


def _split(cells: Cells, patches: _Patches, some: Ints) -> _Loops:
    """Several simple loops for each of some patches, which have holes or touch themselves."""
    length = np.diff(patches.bound)[some]
    face = patches.face[packed.ranges(patches.bound[some], length)]
    size = np.diff(cells.outer_start)[face]
    corner, start = packed.ranges(cells.outer_start[face], size), packed.packed_starts(size)
    vertex, following = cells.outer_vertex[corner], packed.following(start)
    triangle, none, cell = cells.outer_triangle[face], np.full(len(face), -1), cells.outer_cell[face]
    rings = FragmentRings(start, triangle, none, cell, vertex, corner, following)
    face_start, every = packed.packed_starts(length), np.arange(len(some))
    stamp = np.empty(len(cells.vertices), np.int64)
    twin, link = np.empty(len(corner), np.int64), np.empty(len(corner), np.int64)
    find_twins(start[face_start], vertex, following, stamp, link, twin, np.zeros(len(some), np.int64))
    work = join_faces(every, face_start, rings, triangle, twin, stamp, cells.bond_cells, cells.bond_normal)
    left = np.flatnonzero(work.entry >= 0)
    at, following = [], work.following.tolist()
    for c, count in zip(work.entry[left].tolist(), work.size[left].tolist(), strict=True):
        for _ in range(count):
            at.append(c)
            c = following[c]
    return _Loops(packed.packed_starts(work.size[left]), corner[at], face[left])


def _both(a: _Loops, b: _Loops) -> _Loops:
    start = np.concatenate([a.start, a.start[-1] + b.start[1:]])
    return _Loops(start, np.concatenate([a.corner, b.corner]), np.concatenate([a.face, b.face]))


def _mixed(cells: Cells, weight: Floats, corner: Ints) -> Floats:
    """(n,3) barycentric coordinates of outer corners (n,) in the body."""
    triangle = cells.outer_triangle[packed.owners(cells.outer_start)[corner]]
    mixed = np.empty((len(corner), 3))
    _mix(corner, triangle, sealed_floats(cells.outer_weight), sealed_floats(weight), mixed)
    return mixed


@njit_no_refs
def _mix(corner: Ints, triangle: Ints, share: Floats, weight: Floats, mixed: Floats) -> None:
    for i in range(len(corner)):
        c, t = corner[i], triangle[i]
        for k in range(3):
            mixed[i, k] = share[c, 0] * weight[t, 0, k] + share[c, 1] * weight[t, 1, k] + share[c, 2] * weight[t, 2, k]
        # Dyadic coordinates sum to one exactly, so this rounds nothing that is exact.
        total = mixed[i, 0] + mixed[i, 1] + mixed[i, 2]
        for k in range(3):
            mixed[i, k] /= total


def _straight(cells: Cells, loops: _Loops, mixed: Floats) -> Bools:
    """(N,) the corners to leave out: all that lie inside of edges of the body, where two triangles meet.

    No inner face uses such a vertex, so it belongs to one cell, and to two loops of it, which both lose it: cells stay
    closed. No two vertices of a cell get two edges by this, for an edge of the body is cut only where an inner face
    meets it. Corners stay where a loop would be left with less than three.
    """
    vertex, count = cells.outer_vertex[loops.corner], len(cells.vertices)
    free = np.bincount(vertex, minlength=count) == 2
    free[cells.inner_vertex] = False
    some = np.flatnonzero(free[vertex])
    pair = some[np.argsort(vertex[some], kind="stable")].reshape(-1, 2)
    loop = packed.owners(loops.start)
    on, cell = cells.outer_triangle[loops.face][loop[pair]], cells.outer_cell[loops.face][loop[pair]]
    own = np.maximum(np.maximum(mixed[:, 0], mixed[:, 1]), mixed[:, 2]) == 1.0
    pair = pair[(on[:, 0] != on[:, 1]) & (cell[:, 0] == cell[:, 1]) & ~own[pair[:, 0]] & ~own[pair[:, 1]]]
    small = np.diff(loops.start) - np.bincount(loop[pair].reshape(-1), minlength=len(loops.face)) < 3
    result = np.zeros(len(vertex), np.bool_)
    result[pair[~small[loop[pair]].any(axis=1)]] = True
    return result
