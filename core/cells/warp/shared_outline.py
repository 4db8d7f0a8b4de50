"""Two subdivisions of one polygon: their borders, and the outline that they have in common.

A border is an edge of which the faces of one cell lie on one side only. Both sides have the corners of the polygon;
along its straight edges each has points of its own, where its cracks end.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ...errors import CutError
from ...types import Cells, Floats, Ints
from .. import packed

OUTSIDE = -1  #: in the place of a cell: beyond the outline
UNKNOWN = -2  #: in the place of a cell: not told by this edge
UNCLEAR = "The two sides of a seam do not lie on each other: try another seed."


class Border(NamedTuple):
    """The edges of one side, directed: along outlines with the matter on the left."""

    ends: Ints  #: (E,2) vertices
    cells: Ints  #: (E,2) cell on the left, cell on the right or OUTSIDE


class Pieces(NamedTuple):
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
    second = first[packed.following(packed.starts(length))] if len(first) else first
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
    sides = np.full((len(edge), 2), OUTSIDE)
    sides[at, np.where(net > 0, 0, 1)] = owner
    if (np.abs(net) > 1).any() or (uses != (sides != OUTSIDE).sum(axis=1)).any():
        raise CutError(UNCLEAR)
    ends = np.stack([edge // len(cells.vertices), edge % len(cells.vertices)], axis=1)
    backwards = sides[:, 0] == OUTSIDE
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


def outline(a: Border, b: Border, at: Floats, tolerance: float) -> tuple[Pieces, Between]:
    """The outline with the points of both sides, and which of them each side lacks.

    at (V,2): places of the vertices in the plane [m]; vertices in common have one number. Between two such vertices the
    outline must be straight. Raises CutError where the outlines differ by more than `tolerance`.
    """
    onward = [_onward(side) for side in (a, b)]
    common = onward[0].keys() & onward[1].keys()
    ends, along, cells, where, missing = [], [], [], [], []
    used = [0, 0]
    for vertex in sorted(common):
        paths = [_path(side, vertex, common) for side in onward]
        if paths[0][-1][0] != paths[1][-1][0]:
            raise CutError(UNCLEAR)
        chain, direction = _merged(paths, at, tolerance)
        cell = [0, 0]
        for u, v in zip(chain[:-1], chain[1:], strict=True):
            for k in range(2):
                while v not in paths[k][0] ...
