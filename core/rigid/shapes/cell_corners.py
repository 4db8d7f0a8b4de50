"""Where the corners and the skin of cells lie, as their shapes are made of them."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...geometry import packed
from ...geometry.mesh import bounds, cross_rows
from ...types import Bools, Cells, Floats, Ints
from .solids import SLIVER_HEIGHT

PAIRS = 1 << 17  # corners times planes that are compared at a time; bounds the memory


class CellCorners(NamedTuple):
    """The vertices of each cell."""

    start: Ints  #: (C+1,)
    vertex: Ints  #: (.,)
    bonded: Bools  #: (.,) corners of an inner face


def corners_of_cells(cells: Cells) -> CellCorners:
    """The vertices of each cell, in ascending order."""
    count = len(cells.vertices)
    inner_bond = np.repeat(cells.inner_bond, np.diff(cells.inner_start))
    outer = np.repeat(cells.outer_cell, np.diff(cells.outer_start)) * count + cells.outer_vertex
    inner = np.unique(np.concatenate([cells.bond_cells[inner_bond, k] * count + cells.inner_vertex for k in (0, 1)]))
    key = np.unique(np.concatenate([outer, inner]))
    start = (
        np.searchsorted(key // count, np.arange(len(cells.volume) + 1))
        if count
        else packed.packed_starts(0 * cells.unit)
    )
    bonded = np.zeros(len(key), np.bool_)
    bonded[np.searchsorted(key, inner)] = True
    return CellCorners(start, key % max(count, 1), bonded)


def outer_planes(cells: Cells) -> tuple[Floats, Floats]:
    """Unit normal of each outer face, 0 for slivers, and its first corner."""
    start = cells.outer_start
    point = cells.vertices[cells.outer_vertex[start[:-1]]]
    if len(point) == 0:
        return point, point
    p = cells.vertices[cells.outer_vertex] - point[packed.owners(start)]
    n = np.add.reduceat(cross_rows(p, p[packed.following(start)]), start[:-1])
    length = np.sqrt(np.square(n).sum(axis=1))
    reach = np.maximum.reduceat(np.square(p).sum(axis=1), start[:-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((length > SLIVER_HEIGHT * reach)[:, None], n / length[:, None], 0.0), point


def heights_above(vertices: Floats, corners: CellCorners, cell: Ints, plane: Floats) -> Floats:
    """How far the corners of a `cell (n,)` reach beyond a `plane (n,4)` of unit normal and offset, for each [m]."""
    many = np.diff(corners.start)[cell]
    blocks = np.append(np.unique(np.cumsum(many) // PAIRS, return_index=True)[1], len(cell))
    result = np.full(len(cell), -np.inf)
    for begin, end in pairwise(blocks.tolist()):
        each = many[begin:end]
        at = vertices[corners.vertex[packed.ranges(corners.start[cell[begin:end]], each)]]
        n = np.repeat(plane[begin:end], each, axis=0)
        height = n[:, 0] * at[:, 0] + n[:, 1] * at[:, 1] + n[:, 2] * at[:, 2] - n[:, 3]
        full = np.flatnonzero(each)
        if len(full):
            result[begin + full] = np.maximum.reduceat(height, packed.packed_starts(each)[full])
    return result


def radii_of(place: Floats, start: Ints) -> Floats:
    """As `radius_of`, for each of several sets of points, one after the other; 0 for an empty set."""
    result, full = np.zeros(len(start) - 1), np.flatnonzero(np.diff(start))
    if len(full):
        low, high = np.minimum.reduceat(place, start[full]), np.maximum.reduceat(place, start[full])
        away = place - np.repeat(0.5 * (low + high), np.diff(start)[full], axis=0)
        result[full] = np.sqrt(np.maximum.reduceat(np.square(away).sum(axis=1), start[full]))
    return result


def radius_of(place: Floats) -> float:
    """Distance of the farthest of the points (n,3) from the middle of the box around them [m]."""
    low, high = bounds(place)
    return float(np.sqrt(np.square(place - 0.5 * (low + high)).sum(axis=1).max()))
