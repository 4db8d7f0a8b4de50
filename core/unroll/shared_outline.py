"""Two subdivisions of one polygon: their borders, and the outline that they have in common.

A border is an edge of which the faces of one cell lie on one side only. Both sides have the corners of the polygon;
along its straight edges each has points of its own, where its cracks end.
"""

from collections.abc import Set
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ..arithmetic.products import dot, norm
from ..errors import CutError
from ..geometry import packed
from ..types import Cells, Floats, Ints

BEYOND_OUTLINE = -1  #: in the place of a cell: beyond the outline
UNKNOWN_CELL = -2  #: in the place of a cell: not told by this edge
UNCLEAR = "The two sides of a seam do not lie on each other: try another seed."


class Border(NamedTuple):
    """The edges of one side, directed: along outlines with the matter on the left."""

    ends: Ints  #: (E,2) vertices
    cells: Ints  #: (E,2) cell on the left, cell on the right or OUTSIDE


class EdgePieces(NamedTuple):
    """Edges of which the cells of both sides may be known."""

    ends: Ints  #: (E,2)
    along: Floats  #: (E,2) direction in the plane, the same bits for all pieces of one edge
    cells: Ints  #: (E,4) first side's cell on the left, on the right, the second side's; OUTSIDE, UNKNOWN


class Between(NamedTuple):
    """Vertices to be inserted in edges: in edge u -> v they follow each other as listed."""

    ends: Ints  #: (n,2) u, v
    vertex: Ints  #: (n,)


def border(cells: Cells, triangle: int, turned: bool) -> Border:
    """The border of the outer faces on made-up triangle `triangle`; `turned`: seen from behind."""
    face = np.flatnonzero(cells.outer_triangle == triangle)
    length = np.diff(cells.outer_start)[face]
    first = cells.outer_vertex[packed.ranges(cells.outer_start[face], length)]
    second = first[packed.following(packed.packed_starts(length))] if len(first) else first
    owner = np.repeat(cells.outer_cell[face], length)
    if turned:
        first, second = second, first
    low, high, ahead = np.minimum(first, second), np.maximum(first, second), first < second
    # Edges between faces of one cell cancel.
    key = (low * len(cells.vertices) + high) * len(cells.volume) + owner
    unique, row = np.unique(key, return_inverse=True)
    net = np.bincount(row.ravel(), np.where(ahead, 1.0, -1.0), len(unique)).astype(np.int64)
    edge, at, uses = np.unique(unique[net != 0] // len(cells.volume), return_inverse=True, return_counts=True)
    net, owner = net[net != 0], unique[net != 0] % len(cells.volume)
    sides = np.full((len(edge), 2), BEYOND_OUTLINE)
    sides[at, np.where(net > 0, 0, 1)] = owner
    if (np.abs(net) > 1).any() or (uses != (sides != BEYOND_OUTLINE).sum(axis=1)).any():
        raise CutError(UNCLEAR)
    ends = np.stack([edge // len(cells.vertices), edge % len(cells.vertices)], axis=1)
    backwards = sides[:, 0] == BEYOND_OUTLINE
    ends[backwards], sides[backwards] = ends[backwards, ::-1], sides[backwards, ::-1]
    return Border(ends, sides)


def coincident(a: Border, b: Border, position: Floats, tolerance: float) -> Ints:
    """Pairs (n,2) of a vertex of `a` and another one of `b` at the same place, one to one.

    Raises CutError where a vertex has two partners.
    """
    of_a, of_b = np.unique(a.ends), np.unique(b.ends)
    near = cKDTree(position[of_a]).query_ball_point(position[of_b], tolerance, return_sorted=True)
    pairs = np.array([(of_a[i], v) for v, found in zip(of_b, near, strict=True) for i in found], np.int64)
    pairs = pairs.reshape(-1, 2)
    if any(len(np.unique(column)) < len(column) for column in pairs.T):
        raise CutError(UNCLEAR)
    result: Ints = pairs[pairs[:, 0] != pairs[:, 1]]
    return result


def outline(a: Border, b: Border, at: Floats, tolerance: float) -> tuple[EdgePieces, Between]:
    """The outline with the points of both sides, and which of them each side lacks.

    at (V,2): places of the vertices in the plane [m]; vertices in common have one number. Between two such vertices the
    outline must be straight. Raises CutError where the outlines differ by more than `tolerance`.
    """
    onward = [_onward(side) for side in (a, b)]
    common = onward[0].keys() & onward[1].keys()
    ends: list[tuple[int, int]] = []
    along: list[Floats] = []
    cells: list[Ints] = []
    missing: list[tuple[int, int, int]] = []
    used = [0, 0]
    for vertex in sorted(common):
        paths = [_path(side, vertex, common) for side in onward]
        chain = _merged(paths, at, tolerance)
        place = {v: i for i, v in enumerate(chain)}
        cell = np.full((len(chain) - 1, 4), BEYOND_OUTLINE)
        for k, path in enumerate(paths):
            used[k] += len(path) - 1
            for u, v in pairwise(path):
                cell[place[u] : place[v], 2 * k] = onward[k][u][1]
                missing += [(u, v, x) for x in chain[place[u] + 1 : place[v]]]
        ends += pairwise(chain)
        along += [at[chain[-1]] - at[chain[0]]] * (len(chain) - 1)
        cells.append(cell)
    if used != [len(side) for side in onward]:
        raise CutError(UNCLEAR)
    lacks = np.array(missing, np.int64).reshape(-1, 3)
    pieces = EdgePieces(
        np.array(ends, np.int64).reshape(-1, 2),
        np.array(along, np.float64).reshape(-1, 2),
        np.concatenate([np.zeros((0, 4), np.int64), *cells]),
    )
    return pieces, Between(lacks[:, :2], lacks[:, 2])


def _onward(side: Border) -> dict[int, tuple[int, int]]:
    """From each vertex of the outline: the next one, and the cell at the edge between them."""
    edge = side.cells[:, 1] == BEYOND_OUTLINE
    first, second = side.ends[edge].T
    onward = dict(zip(first.tolist(), zip(second.tolist(), side.cells[edge, 0].tolist(), strict=True), strict=True))
    if len(onward) < len(first):
        raise CutError(UNCLEAR)
    return onward


def _path(onward: dict[int, tuple[int, int]], vertex: int, common: Set[int]) -> list[int]:
    """The vertices of the outline from a common one to the next."""
    path = [vertex]
    while len(path) <= len(onward):
        after = onward.get(path[-1])
        if after is None:
            break
        path.append(after[0])
        if after[0] in common:
            return path
    raise CutError(UNCLEAR)


def _merged(paths: list[list[int]], at: Floats, tolerance: float) -> list[int]:
    """The vertices of two paths along one straight line in order."""
    first, last = paths[0][0], paths[0][-1]
    direction = at[last] - at[first]
    length = float(norm(direction))
    if paths[1][-1] != last or first == last or not length > 0.0:
        raise CutError(UNCLEAR)
    inner = [path[1:-1] for path in paths]
    between = np.array(inner[0] + inner[1], np.int64)
    arm = at[between] - at[first]
    off = arm[:, 0] * direction[1] - arm[:, 1] * direction[0]
    way = dot(arm, direction) / (length * length)
    ways = np.concatenate([[0.0], np.sort(way), [1.0]])
    ordered = all((np.diff(x) > 0.0).all() for x in (ways, way[: len(inner[0])], way[len(inner[0]) :]))
    if not ordered or (np.abs(off) > tolerance * length).any():
        raise CutError(UNCLEAR)
    return [first, *between[np.argsort(way, kind="stable")].tolist(), last]
