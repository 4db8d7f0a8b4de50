"""The separate pieces of an object before anything breaks: which of them a hit meets."""

from itertools import pairwise

import numpy as np

from ..errors import InputError
from ..geometry.inside import winding_number
from ..geometry.mesh import bounds, diagonal
from ..geometry.nearest import nearest
from ..types import Body, Cells, Floats, Ints

# Of the diagonal: pieces whose distances from a hit differ by less are equally near; chosen, well above round-off.
_NEAR = 1e-9


class InitialPieces:
    """The surfaces of the pieces, each as vertices and triangles of its own."""

    def __init__(self, body: Body, cells: Cells, members: list[Ints]) -> None:
        """`members` are the units of each piece. Raises InputError where the cells are not those of the body."""
        self.surface = [(body.vertices, body.triangles)]
        if len(members) > 1:
            self.surface = _surfaces(body, cells, members)
        self.low, self.high = (np.array(ends) for ends in zip(*(bounds(some) for some, _ in self.surface), strict=True))
        self.near = _NEAR * diagonal(body.vertices)

    def clamped(self, piece: int, points: Floats) -> tuple[Floats, Floats]:
        """The point (n,3) of a piece nearest to each of the points (n,3), and how far away that is (n,)."""
        result, away = points.copy(), np.zeros(len(points))
        out = np.flatnonzero(winding_number(*self.surface[piece], points) < 1)
        if len(out):
            result[out], _, away[out] = nearest(*self.surface[piece], points[out])
        return result, away

    def nearest(self, piece: Ints, points: Floats) -> Ints:
        """Rows of the points (n,3) that are nearest to their pieces (n,): within or equally far outside."""
        if len(self.surface) == 1:
            return np.arange(len(points))
        beside = np.maximum(np.maximum(self.low[piece] - points, points - self.high[piece]), 0.0)
        least = np.sqrt(np.square(beside).sum(axis=1))  # no point is nearer to its piece than to the box around it
        away = np.full(len(points), np.inf)
        pieces, first = np.unique(piece[np.argsort(least, kind="stable")], return_index=True)
        for k in pieces[np.argsort(first, kind="stable")]:
            rows = np.flatnonzero(piece == k)
            if least[rows].min() > away.min() + self.near:
                break
            away[rows] = self.clamped(int(k), points[rows])[1]
        return np.flatnonzero(away <= away.min() + self.near)


def _surfaces(body: Body, cells: Cells, members: list[Ints]) -> list[tuple[Floats, Ints]]:
    piece = np.full(int(cells.unit.max()) + 1, -1)
    for k, units in enumerate(members):
        piece[units] = k
    of_triangle = np.full(len(body.triangles), -1)  # -1 stays where a triangle without area left no face
    if int(cells.outer_triangle.max(initial=-1)) < len(of_triangle):
        of_triangle[cells.outer_triangle] = piece[cells.unit[cells.outer_cell]]
    order = np.argsort(of_triangle, kind="stable")
    start = np.searchsorted(of_triangle[order], np.arange(len(members) + 1))
    if (np.diff(start) == 0).any():
        raise InputError("The stored pieces belong to another mesh: restore the object and shatter it again.")
    corner = body.vertices[body.triangles[order]]
    soups = [corner[begin:end].reshape(-1, 3) for begin, end in pairwise(start)]
    return [(labelled, np.arange(len(labelled)).reshape(-1, 3)) for labelled in soups]
