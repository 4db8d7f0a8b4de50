"""The boundaries of bonds: closed loops, what each of their edges runs along, and points on edges inside of the body.

An edge inside of the body is a part of an edge of the partition; all facets around it get the same points on it.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..geometry import packed
from ..types import Bools, Cells, Floats, Frozen, Ints

INSIDE_BODY = -1  #: side of an edge inside of the body


@dataclass(frozen=True, eq=False, slots=True)
class Boundary(Frozen):
    """Packed loops, counter-clockwise about the normal around matter, clockwise around holes."""

    start: Ints  #: (L+1,)
    vertex: Ints  #: (N,)
    bond: Ints  #: (L,) never falls
    side: Ints  #: (N,) of the edge from each corner to the next: INSIDE_BODY, or the outer face's body triangle


def bond_boundary(cells: Cells) -> Boundary:
    """The loops of all bonds. Raises CutError where the parts of a bond do not join to loops."""
    start, vertex, bond = cells.inner_start, cells.inner_vertex, cells.inner_bond
    many = np.bincount(bond, minlength=len(cells.bond_cells)) > 1
    if many.any():
        start, vertex, bond = _rejoined(cells, many)
    following = vertex[packed.following(start)]
    return Boundary(start, vertex, bond, _sides(cells, vertex, following))


def _rejoined(cells: Cells, many: Bools) -> tuple[Ints, Ints, Ints]:
    """Loops of all bonds, where those with several faces get the loops around these together."""
    length = np.diff(cells.inner_start)
    plain = np.flatnonzero(~many[cells.inner_bond])
    loops = [cells.inner_vertex[packed.ranges(cells.inner_start[plain], length[plain])]]
    sizes, bonds = [length[plain]], [cells.inner_bond[plain]]
    for b in np.flatnonzero(many):
        for loop in _around(cells, np.flatnonzero(cells.inner_bond == b)):
            loops.append(loop)
            sizes.append(np.array([len(loop)]))
            bonds.append(np.array([b]))
    bond = np.concatenate(bonds)
    first, size = packed.packed_starts(np.concatenate(sizes)), np.concatenate(sizes)
    order = np.argsort(bond, kind="stable")
    vertex = np.concatenate(loops)[packed.ranges(first[:-1][order], size[order])]
    return packed.packed_starts(size[order]), vertex, bond[order]


def _around(cells: Cells, faces: Ints) -> list[Ints]:
    """The loops around some faces of one plane."""
    edges: set[tuple[int, int]] = set()
    for f in faces:
        corner = cells.inner_vertex[cells.inner_start[f] : cells.inner_start[f + 1]].tolist()
        edges.update(zip(corner, corner[1:] + corner[:1], strict=True))
    border = [(a, b) for a, b in sorted(edges) if (b, a) not in edges]
    following = dict(border)
    if len(following) < len(border):
        raise CutError("An inner face touches itself.")
    loops = []
    while following:
        first, at = following.popitem()
        loop = [first]
        while at != first:
            loop.append(at)
            if at not in following:
                raise CutError("An inner face does not close.")
            at = following.pop(at)
        loops.append(np.array(loop, np.int64))
    return loops


def _sides(cells: Cells, a: Ints, b: Ints) -> Ints:
    """Body triangle of the outer faces that have the edges (a, b), INSIDE_BODY where none has."""
    # Edges of the skin between two outer faces of one cell are no rims, but no loop has them either.
    after = cells.outer_vertex[packed.following(cells.outer_start)]
    corner = _between(a, cells.outer_vertex, after, len(cells.vertices))
    known = _keys(cells.outer_vertex[corner], after[corner])
    side = np.full(len(a), INSIDE_BODY)
    if len(known) == 0:
        return side
    order = np.argsort(known, kind="stable")
    known, key = known[order], _keys(a, b)
    row = np.minimum(np.searchsorted(known, key), len(known) - 1)
    found = np.flatnonzero(known[row] == key)
    face = np.searchsorted(cells.outer_start, corner[order[row[found]]], side="right") - 1
    side[found] = cells.outer_triangle[face]
    return side


def _between(some: Ints, a: Ints, b: Ints, count: int) -> Ints:
    """Which edges (a, b) join some of all `count` vertices: most of a body is far from all cracks."""
    near = np.zeros(count, np.bool_)
    near[some] = True
    return np.flatnonzero(near[a] & near[b])


class _Parted(NamedTuple):
    """Edges that get points, which lie evenly from the vertex of the smaller number to the other one."""

    key: Ints  #: (E,) ascending, see `_keys`
    ends: Ints  #: (E,2)
    first: Ints  #: (E+1,) number of its first point, counted from 0


def with_rim_points(cells: Cells, boundary: Boundary, spacing: float) -> tuple[Cells, Boundary]:
    """Flat cells and their loops with points on the rim that are at most `spacing` [m] apart.

    They are vertices of both outer faces at an edge of the rim, in the same triangle of the body.
    """
    parted = _parted(boundary, boundary.side != INSIDE_BODY, cells.vertices, spacing)
    if len(parted.key) == 0:
        return cells, boundary
    known = len(cells.vertices)
    start, vertex, corner, share = _inserted(cells.outer_start, cells.outer_vertex, parted, known)
    weight, new = cells.outer_weight[corner], np.flatnonzero(share)
    after = cells.outer_weight[packed.following(cells.outer_start)[corner[new]]]
    weight[new] = (1.0 - share[new, None]) * weight[new] + share[new, None] * after
    cells = replace(
        cells,
        vertices=np.concatenate([cells.vertices, _points(parted, cells.vertices)]),
        outer_start=start,
        outer_vertex=vertex,
        outer_weight=weight,
    )
    start, vertex, corner, _ = _inserted(boundary.start, boundary.vertex, parted, known)
    return cells, Boundary(start, vertex, boundary.bond, boundary.side[corner])


def subdivided(boundary: Boundary, position: Floats, spacing: float) -> tuple[Boundary, Floats]:
    """The loops with evenly spaced points on edges inside of the body, at most `spacing` [m] apart; and those points.

    The new points (M,3) are numbered behind the rows of `position (V,3)`.
    """
    parted = _parted(boundary, boundary.side == INSIDE_BODY, position, spacing)
    if len(parted.key) == 0:
        return boundary, np.empty((0, 3))
    start, vertex, corner, _ = _inserted(boundary.start, boundary.vertex, parted, len(position))
    return Boundary(start, vertex, boundary.bond, boundary.side[corner]), _points(parted, position)


def _keys(a: Ints, b: Ints) -> Ints:
    """One number for each unordered pair of vertices."""
    return np.asarray(np.minimum(a, b) << 32 | np.maximum(a, b))


def _parted(boundary: Boundary, which: Bools, position: Floats, spacing: float) -> _Parted:
    """Those of the edges at some corners (N,) of the loops that are longer than the spacing [m]."""
    a, b = boundary.vertex[which], boundary.vertex[packed.following(boundary.start)[which]]
    long = _parts(a, b, position, spacing) > 1.0
    key = np.unique(_keys(a[long], b[long]))
    a, b = key >> 32, key & 0xFFFFFFFF
    more = _parts(a, b, position, spacing) - 1.0
    return _Parted(key, np.stack([a, b], axis=1), packed.packed_starts(more.astype(np.int64)))


def _parts(a: Ints, b: Ints, position: Floats, spacing: float) -> Floats:
    """Into how many parts edges are cut."""
    along = position[b] - position[a]
    along *= along
    return np.asarray(np.ceil(np.sqrt(along[:, 0] + along[:, 1] + along[:, 2]) / spacing))


def _points(parted: _Parted, position: Floats) -> Floats:
    owner = packed.owners(parted.first)
    parts = np.diff(parted.first)[owner] + 1
    share = ((np.arange(len(owner)) - parted.first[owner] + 1) / parts)[:, None]
    a, b = position[parted.ends[owner, 0]], position[parted.ends[owner, 1]]
    return np.asarray(a + share * (b - a))


def _inserted(start: Ints, vertex: Ints, parted: _Parted, known: int) -> tuple[Ints, Ints, Ints, Floats]:
    """Packed loops with the points of edges that have some, numbered from `known` on.

    Returns bounds, vertices, and for each of these the corner of before that it is or comes after, and how far it is on
    the way to the next one (N',), 0 for corners of before.
    """
    following = vertex[packed.following(start)]
    may = _between(parted.ends, vertex, following, known)
    key = _keys(vertex[may], following[may])
    edge = np.minimum(np.searchsorted(parted.key, key), len(parted.key) - 1)
    has = parted.key[edge] == key
    may, edge = may[has], edge[has]
    count = np.diff(parted.first)[edge]
    more = np.zeros(len(vertex), np.int64)
    more[may] = count
    place = packed.packed_starts(more + 1)
    corner = packed.owners(place)
    result, share = vertex[corner], np.zeros(len(corner))
    step = packed.ranges(np.ones(len(may), np.int64), count)  # 1, 2, ... along each corner's edge
    new = np.repeat(place[may], count) + step
    upwards = np.repeat(vertex[may] < following[may], count)
    many = np.repeat(count, count)
    result[new] = known + np.repeat(parted.first[edge], count) + np.where(upwards, step - 1, many - step)
    share[new] = step / (many + 1)
    return place[start], result, corner, share
