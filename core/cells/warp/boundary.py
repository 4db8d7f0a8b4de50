"""The boundaries of bonds: closed loops, what each of their edges runs along, and points on edges inside of the body.

An edge inside of the body is a part of an edge of the partition; all facets around it get the same points on it.
"""

from dataclasses import dataclass

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


def subdivided(boundary: Boundary, position: Floats, spacing: float) -> tuple[Boundary, Floats]:
    """The loops with evenly spaced points on edges inside of the body, at most `spacing` [m] apart; and those points.

    The new points (M,3) are numbered behind the rows of `position (V,3)`.
    """
    start, vertex = boundary.start, boundary.vertex
    following = vertex[packed.following(start)]
    count = len(position)
    strut = np.flatnonzero(boundary.side == STRUT)
    low, high = np.minimum(vertex, following)[strut], np.maximum(vertex, following)[strut]
    _, first, edge = np.unique(low * count + high, return_index=True, return_inverse=True)
    a, b = low[first], high[first]
    length = np.sqrt(((position[b] - position[a]) ** 2).sum(axis=1))
    parts = np.maximum(np.ceil(length / spacing), 1.0).astype(np.int64)
    new = packed.starts(parts - 1)
    of = packed.owners(new)
    share = ((np.arange(new[-1]) - new[of] + 1) / parts[of])[:, None]
    points = position[a[of]] + share * (position[b[of]] - position[a[of]])
    inserted = np.zeros(len(vertex), np.int64)
    inserted[strut] = (parts - 1)[edge.reshape(-1)]
    place = packed.starts(inserted + 1)
    result, side = np.empty(place[-1], np.int64), np.repeat(boundary.side, inserted + 1)
    result[place[:-1]] = vertex
    rows = strut[inserted[strut] > 0]
    number = np.zeros(len(vertex), np.int64)
    number[strut] = new[edge.reshape(-1)]
    steps = inserted[rows]
    offset = packed.ranges(np.zeros(len(rows), np.int64), steps)
    upwards = np.repeat(vertex[rows] < following[rows], steps)
    at = np.repeat(place[rows] + 1, steps) + offset
    result[at] = (
        count + np.repeat(number[rows], steps) + np.where(upwards, offset, np.repeat(steps, steps) - 1 - offset)
    )
    return Boundary(place[start], result, boundary.bond, side), points
