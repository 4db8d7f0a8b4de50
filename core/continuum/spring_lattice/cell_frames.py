"""How cells have turned, and how flat they are: by their mean edges."""

import numpy as np

from ...arithmetic.products import apply, dot, multiply, norm
from ...geometry.mesh import cross_rows
from ...types import Floats, Ints


def mean_edges(position: Floats, cell_node: Ints) -> list[Floats]:
    """Three times (c,3) the mean edges of cells (c,8) between nodes at positions (n,3) [m]."""
    corner, edges = position[cell_node], []
    for axis in range(3):
        total = np.zeros((len(cell_node), 3))
        for k in range(8):
            total += (2 * (k >> axis & 1) - 1) * corner[:, k]
        edges.append(total / 4.0)
    return edges


def edge_products(edges: list[Floats]) -> Floats:
    """e1 x e2 . e3 (c,) of mean edges [m^3]: about the volumes of the cells, negative where they are inside out."""
    return np.asarray(dot(cross_rows(edges[0], edges[1]), edges[2]))


def cell_turn(rest: Floats, now: Floats) -> Floats:
    """The rotation (3,3) of a cell with corners (8,3) at rest and now: that of its first edge and first face."""
    return np.asarray(multiply(_frame(now).T, _frame(rest)))


def _frame(corner: Floats) -> Floats:
    """Rows (3,3): a right-handed frame along the first mean edge of a cell, its second row towards the second one."""
    a, b, _ = (edge[0] for edge in mean_edges(corner, np.arange(8)[None]))
    first = _unit(a, np.array([1.0, 0.0, 0.0]))
    second = _unit(b - dot(b, first) * first, _across(first))
    return np.stack([first, second, cross_rows(first[None], second[None])[0]])


def _unit(vector: Floats, instead: Floats) -> Floats:
    length = float(norm(vector))
    return vector / length if length > 0.0 else instead


def _across(direction: Floats) -> Floats:
    """A unit vector (3,) square to another one."""
    axis = np.eye(3)[int(np.abs(direction).argmin())]
    across = axis - dot(axis, direction) * direction
    return np.asarray(across / norm(across))


def rotate_about(turn: Floats, points: Floats, centre: Floats, to: Floats) -> Floats:
    """Points (n,3) turned about a centre (3,) that goes `to` (3,)."""
    return np.asarray(to + apply(turn, points - centre))
