"""The skin of a refined body back in the artist's triangles: one outer face for each of them in each cell.

A body is refined so that bent space can be cut by planes; nothing of the refinement but its rims should reach the
artist. The outer faces of a cell in one triangle of the body are a patch. What is left of a patch is its outline: the
half-edges that have no opposite in it. Positions are not looked at, for in bent space the edges of the body are no
straight lines.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...jit import lean, lean_inner
from ...types import Bools, Cells, Floats, Ints
from .. import packed
from ..cut import used_vertices
from ..dissolve import join_faces
from ..rings import Rings

OPEN, TRACED = -1, -2  #: instead of the opposite of a half-edge: it is on the outline, which has not, or has, been there


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
    vertices, outer, inner = used_vertices(
        cells.vertices, cells.outer_vertex[loops.corner[row]], cells.inner_vertex
    )
    face = loops.face[by_cell]
    return replace(
        joined,
        vertices=vertices,
        outer_start=packed.starts(size),
        outer_vertex=outer,
        outer_weight=mixed[row],
        outer_triangle=joined.outer_triangle[face],
        outer_cell=cells.outer_cell[face],
        inner_vertex=inner,
    )


def _outlines(cells: Cells) -> _Loops:
    """The simple loops that replace the faces of each patch."""
    patches, corners = _patches(cells), len(cells.outer_vertex)
    mate, following = np.empty(corners, np.int64), packed.following(cells.outer_start)
    start, corner = np.zeros(len(patches.bound), np.int64), np.empty(corners, np.int64)
    head, seen = np.full(len(cells.vertices), -1), np.full(len(cells.vertices), -1)
    link = np.empty(corners, np.int64)
    _trace(*patches, cells.outer_start, cells.outer_vertex, following, head, link, seen, mate, start, corner)
    plain = np.diff(start) > 0
    loops = _Loops(np.append(0, start[1:][plain]), corner[: start[-1]], patches.face[patches.bound[:-1][plain]])
    return loops if plain.all() else _both(loops, _split(cells, patches, np.flatnonzero(~plain), mate))


def _patches(cells: Cells) -> _Patches:
    """The outer faces by cell, then by body triangle, then in their own order."""
    by_triangle = packed.grouped(cells.outer_triangle, int(cells.outer_triangle.max(initial=-1)) + 1)[1]
    face = by_triangle[packed.grouped(cells.outer_cell[by_triangle], len(cells.volume))[1]]
    triangle, cell = cells.outer_triangle[face], cells.outer_cell[face]
    first = np.flatnonzero((np.diff(triangle, prepend=-1) != 0) | (np.diff(cell, prepend=-1) != 0))
    return _Patches(np.append(first, len(face)), face)


@lean
def _trace(
    bound: Ints,
    face: Ints,
    first: Ints,
    vertex: Ints,
    following: Ints,
    head: Ints,
    link: Ints,
    seen: Ints,
    mate: Ints,
    start: Ints,
    corner: Ints,
) -> None:
    """Find `mate (N,)`, the opposite of each half-edge in its patch, and the outline of each patch.

    The outline of patch k is `corner[start[k]:start[k + 1]]`, nothing where it is not one simple loop.
    `head (V,)` and `seen (V,)`, which hold -1, and `link (N,)` are room to work in.
    """
    size = 0
    for k in range(len(bound) - 1):
        for i in range(bound[k], bound[k + 1]):
            _pair(first[face[i]], first[face[i] + 1], vertex, following, head, link, mate)
        loops = 0
        for i in range(bound[k], bound[k + 1]):
            for c in range(first[face[i]], first[face[i] + 1]):
                at = c
                loops += mate[c] == OPEN
                while mate[at] == OPEN:
                    mate[at] = TRACED
                    a = vertex[at]
                    loops += seen[a] == k  # it touches itself
                    seen[a] = k
                    corner[size] = at
                    size += 1
                    at = following[at]
                    head[min(a, vertex[at])] = -1
                    while mate[at] >= 0:
                        at = following[mate[at]]
        if loops != 1 or size < start[k] + 3:
            size = start[k]
        start[k + 1] = size


@lean_inner
def _pair(begin: int, end: int, vertex: Ints, following: Ints, head: Ints, link: Ints, mate: Ints) -> None:
    """Give the half-edges of a face their mates; those without wait in a list at the lower vertex of their edge."""
    for c in range(begin, end):
        a, b = vertex[c], vertex[following[c]]
        low = min(a, b)
        before, other = -1, head[low]
        while other >= 0 and (vertex[other] != b or vertex[following[other]] != a):
            before, other = other, link[other]
        mate[c] = other
        if other < 0:
            link[c] = head[low]
            head[low] = c
            continue
        mate[other] = c
        if before < 0:
            head[low] = link[other]
        else:
            link[before] = link[other]


def _split(cells: Cells, patches: _Patches, some: Ints, mate: Ints) -> _Loops:
    """Several simple loops for each of some patches, which have holes or touch themselves."""
    length = np.diff(patches.bound)[some]
    face = patches.face[packed.ranges(patches.bound[some], length)]
    size = np.diff(cells.outer_start)[face]
    corner, start = packed.ranges(cells.outer_start[face], size), packed.starts(size)
    number = np.full(len(mate) + 1, -1)
    number[corner] = np.arange(len(corner))
    own = number[np.maximum(mate[corner], OPEN)]
    triangle, none, cell = cells.outer_triangle[face], np.full(len(face), -1), cells.outer_cell[face]
    rings = Rings(start, triangle, none, cell, cells.outer_vertex[corner], corner, packed.following(start))
    stamp, every = np.empty(len(cells.vertices), np.int64), np.arange(len(some))
    work = join_faces(
        every, packed.starts(length), rings, triangle, own, stamp, cells.bond_cells, cells.bond_normal
    )
    left = np.flatnonzero(work.entry >= 0)
    at, following = [], work.following.tolist()
    for c, count in zip(work.entry[left].tolist(), work.size[left].tolist(), strict=True):
        for _ in range(count):
            at.append(c)
            c = following[c]
    return _Loops(packed.starts(work.size[left]), corner[at], face[left])


def _both(a: _Loops, b: _Loops) -> _Loops:
    start = np.concatenate([a.start, a.start[-1] + b.start[1:]])
    return _Loops(start, np.concatenate([a.corner, b.corner]), np.concatenate([a.face, b.face]))


def _mixed(cells: Cells, weight: Floats, corner: Ints) -> Floats:
    """(n,3) barycentric coordinates of outer corners (n,) in the body."""
    triangle = np.repeat(cells.outer_triangle, np.diff(cells.outer_start))[corner]
    mixed = np.einsum("nk,nki->ni", cells.outer_weight[corner], weight[triangle])
    # Dyadic coordinates sum to one exactly, so this rounds nothing that is exact.
    mixed /= mixed.sum(axis=1)[:, None]
    return mixed


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
    own = (mixed[pair] == 1.0).any(axis=(1, 2))
    pair = pair[(on[:, 0] != on[:, 1]) & (cell[:, 0] == cell[:, 1]) & ~own]
    small = np.diff(loops.start) - np.bincount(loop[pair].reshape(-1), minlength=len(loops.face)) < 3
    result = np.zeros(len(vertex), np.bool_)
    result[pair[~small[loop[pair]].any(axis=1)]] = True
    return result
