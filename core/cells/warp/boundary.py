"""The boundaries of bonds: closed loops, what each of their edges runs along, and points on edges inside of the body.

An edge inside of the body is a part of an edge of the partition; all facets around it get the same points on it.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...errors import CutError
from ...types import Bools, Cells, Floats, Frozen, Ints
from .. import packed

STRUT = -1  #: side of an edge inside of the body


@dataclass(frozen=True, eq=False, slots=True)
class Boundary(Frozen):
    """Packed loops, counter-clockwise about the normal around matter, clockwise around holes."""

    start: Ints  #: (L+1,)
    vertex: Ints  #: (N,)
    bond: Ints  #: (L,) never falls
    side: Ints  #: (N,) of the edge from each corner to the next: STRUT, or the outer face's body triangle


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
    first, size = packed.starts(np.concatenate(sizes)), np.concatenate(sizes)
    order = np.argsort(bond, kind="stable")
    vertex = np.concatenate(loops)[packed.ranges(first[:-1][order], size[order])]
    return packed.starts(size[order]), vertex, bond[order]


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
    """Body triangle of the outer faces that have the edges (a, b), STRUT where none has."""
    count = len(cells.vertices)
    c, d = cells.outer_vertex, cells.outer_vertex[packed.following(cells.outer_start)]
    known = np.minimum(c, d) * count + np.maximum(c, d)
    # Edges of the skin between two outer faces of one cell are no rims, but no loop has them either.
    order = np.argsort(known)
    known = known[order]
    key = np.minimum(a, b) * count + np.maximum(a, b)
    row = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
    triangle = cells.outer_triangle[packed.owners(cells.outer_start)][order]
    if len(known) == 0:
        return np.full(len(key), STRUT)
    return np.where(known[row] == key, triangle[row], STRUT)


class _Parted(NamedTuple):
    """Edges that get points, which lie evenly from the vertex of the smaller number to the other one."""

    key: Ints  #: (E,) ascending, see `_keys`
    ends: Ints  #: (E,2)
    first: Ints  #: (E+1,) number of its first point, counted from 0


def with_rim_points(cells: Cells, boundary: Boundary, spacing: float) -> tuple[Cells, Boundary]:
    """Flat cells and their loops with points on the rim that are at most `spacing` [m] apart.

    They are vertices of both outer faces at an edge of the rim, in the same triangle of the body.
    """
    parted = _parted(boundary, boundary.side != STRUT, cells.vertices, spacing)
    if len(parted.key) == 0:
        return cells, boundary
    known = len(cells.vertices)
    start, vertex, corner, share = _inserted(cells.outer_start, cells.outer_vertex, parted, known)
    weight, after = cells.outer_weight, cells.outer_weight[packed.following(cells.outer_start)]
    cells = replace(
        cells,
        vertices=np.concatenate([cells.vertices, _points(parted, cells.vertices)]),
        outer_start=start,
        outer_vertex=vertex,
        outer_weight=np.where(share > 0.0, (1.0 - share) * weight[corner] + share * after[corner], weight[corner]),
    )
    start, vertex, corner, _ = _inserted(boundary.start, boundary.vertex, parted, known)
    return cells, Boundary(start, vertex, boundary.bond, boundary.side[corner])


def subdivided(boundary: Boundary, position: Floats, spacing: float) -> tuple[Boundary, Floats]:
    """The loops with evenly spaced points on edges inside of the body, at most `spacing` [m] apart; and those points.

    The new points (M,3) are numbered behind the rows of `position (V,3)`.
    """
    parted = _parted(boundary, boundary.side == STRUT, position, spacing)
    start, vertex, corner, _ = _inserted(boundary.start, boundary.vertex, parted, len(position))
    return Boundary(start, vertex, boundary.bond, boundary.side[corner]), _points(parted, position)


def _keys(a: Ints, b: Ints) -> Ints:
    """One number for each unordered pair of vertices."""
    return np.asarray(np.minimum(a, b) << 32 | np.maximum(a, b))


def _parted(boundary: Boundary, which: Bools, position: Floats, spacing: float) -> _Parted:
    """Those of the edges at some corners (N,) of the loops that are longer than the spacing [m]."""
    a, b = boundary.vertex[which], boundary.vertex[packed.following(boundary.start)[which]]
    key = np.unique(_keys(a, b))
    ends = np.stack([key >> 32, key & 0xFFFFFFFF], axis=1)
    length = np.sqrt(((position[ends[:, 1]] - position[ends[:, 0]]) ** 2).sum(axis=1))
    parts = np.ceil(length / spacing)
    long = parts > 1.0
    return _Parted(key[long], ends[long], packed.starts((parts[long] - 1.0).astype(np.int64)))


def _points(parted: _Parted, position: Floats) -> Floats:
    owner = packed.owners(parted.first)
    parts = np.diff(parted.first)[owner] + 1
    share = ((np.arange(len(owner)) - parted.first[owner] + 1) / parts)[:, None]
    a, b = position[parted.ends[owner, 0]], position[parted.ends[owner, 1]]
    return np.asarray(a + share * (b - a))


def _inserted(start: Ints, vertex: Ints, parted: _Parted, known: int) -> tuple[Ints, Ints, Ints, Floats]:
    """Packed loops with the points of edges that have some, numbered from `known` on.

    Returns bounds, vertices, and for each of these the corner of before that it is or comes after, and how far it is on
    the way to the next one (N',1), 0 for corners of before.
    """
    following = vertex[packed.following(start)]
    key = _keys(vertex, following)
    edge = np.searchsorted(parted.key, key)
    edge[edge == len(parted.key)] = 0
    has = parted.key[edge] == key if len(parted.key) else np.zeros(len(key), np.bool_)
    more = np.zeros(len(key), np.int64)
    more[has] = np.diff(parted.first)[edge[has]]
    place = packed.starts(more + 1)
    corner = packed.owners(place)
    step = np.arange(len(corner)) - place[corner]
    result = vertex[corner]
    new = np.flatnonzero(step > 0)
    at, many = corner[new], more[corner[new]]
    upwards = vertex[at] < following[at]
    result[new] = known + parted.first[edge[at]] + np.where(upwards, step[new] - 1, many - step[new])
    return place[start], result, corner, (step / (more[corner] + 1))[:, None]
