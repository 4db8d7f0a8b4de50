"""Where the corners and the skin of cells lie, as their shapes are made of them."""

from typing import NamedTuple

import numpy as np

from ..cells import packed
from ..geometry.mesh import bounds, cross
from ..types import Bools, Cells, Floats, Ints
from .clipping import SLIVER


class Corners(NamedTuple):
    """The vertices of each cell."""

    start: Ints  #: (C+1,)
    vertex: Ints  #: (.,)
    bonded: Bools  #: (.,) corners of an inner face


def corners_of_cells(cells: Cells) -> Corners:
    """The vertices of each cell, in ascending order."""
    count = len(cells.vertices)
    inner_bond = np.repeat(cells.inner_bond, np.diff(cells.inner_start))
    outer = np.repeat(cells.outer_cell, np.diff(cells.outer_start)) * count + cells.outer_vertex
    inner = np.unique(np.concatenate([cells.bond_cells[inner_bond, k] * count + cells.inner_vertex for k in (0, 1)]))
    key = np.unique(np.concatenate([outer, inner]))
    start = np.searchsorted(key // count, np.arange(len(cells.volume) + 1)) if count else packed.starts(0 * cells.unit)
    bonded = np.zeros(len(key), np.bool_)
    bonded[np.searchsorted(key, inner)] = True
    return Corners(start, key % max(count, 1), bonded)


def outer_planes(cells: Cells) -> tuple[Floats, Floats]:
    """Unit normal of each outer face, 0 for slivers, and its first corner."""
    start = cells.outer_start
    point = cells.vertices[cells.outer_vertex[start[:-1]]]
    if len(point) == 0:
        return point, point
    p = cells.vertices[cells.outer_vertex] - point[packed.owners(start)]
    n = np.add.reduceat(cross(p, p[packed.following(start)]), start[:-1])
    length = np.sqrt((n**2).sum(axis=1))
    reach = np.maximum.reduceat((p**2).sum(axis=1), start[:-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((length > SLIVER * reach)[:, None], n / length[:, None], 0.0), point


def radius_of(place: Floats) -> float:
    """Distance of the farthest of the points (n,3) from the middle of the box around them [m]."""
    low, high = bounds(place)
    return float(np.sqrt(((place - 0.5 * (low + high)) ** 2).sum(axis=1).max()))
