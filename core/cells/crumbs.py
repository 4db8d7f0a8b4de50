"""Units: cells that never part. Groups of the partition stay together, and crumbs join their best neighbour."""

import numpy as np

from ..geometry.graph import connected_labels
from ..types import Bools, Floats, Ints

THIN = 0.05  #: a crumb is thinner than this times the volume-weighted median thickness


def _grouped(cells: int, pairs: Ints, group: Ints) -> Ints:
    """Label (C,), 0..U-1 in the order of cells: connected through bonds between cells of one group."""
    return connected_labels(cells, pairs[group[pairs[:, 0]] == group[pairs[:, 1]]])


def _thickness(unit: Ints, pairs: Ints, area: Floats, volume: Floats, outer: Floats) -> tuple[Floats, Floats]:
    """Volume and 3V/A of each unit; bonds inside a unit are not part of its surface A."""
    count = int(unit.max()) + 1
    a, b = unit[pairs[:, 0]], unit[pairs[:, 1]]
    open_area = np.where(a != b, area, 0.0)
    surface = np.bincount(unit, outer, count) + np.bincount(a, open_area, count) + np.bincount(b, open_area, count)
    size: Floats = np.bincount(unit, volume, count).astype(np.float64)
    return size, 3.0 * size / np.maximum(surface, np.finfo(np.float64).tiny)


def _weighted_median(values: Floats, weights: Floats) -> float:
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(total, 0.5 * total[-1])]])


def _join_crumbs(unit: Ints, thin: Bools, a: Ints, b: Ints, area: Floats) -> tuple[Ints, int]:
    """Each thin unit joins the neighbour with which it shares the largest area; returns new labels of the units.

    `a, b, area` are the contacts between units a < b, one row each.
    """
    ends = np.stack([np.stack([a, b], axis=1), np.stack([b, a], axis=1)], axis=1).reshape(-1, 2)
    row = np.flatnonzero(thin[ends[:, 0]])
    order = row[np.lexsort((row, -area[row // 2], ends[row, 0]))]  # of equal areas the first one
    best = order[np.unique(ends[order, 0], return_index=True)[1]]
    label = connected_labels(len(thin), ends[best])
    return label[unit], len(best)


def _contacts(unit: Ints, pairs: Ints, area: Floats) -> tuple[Ints, Ints, Floats]:
    """Pairs of different units a < b that touch, and the area they share."""
    ends = np.sort(unit[pairs], axis=1)
    apart = ends[:, 0] != ends[:, 1]
    ends, area = ends[apart], area[apart]
    key = ends[:, 0] * (int(unit.max()) + 1) + ends[:, 1]
    unique, row = np.unique(key, return_inverse=True)
    count = int(unit.max()) + 1
    return unique // count, unique % count, np.bincount(row.ravel(), area, len(unique)).astype(np.float64)


def units_of_cells(pairs: Ints, area: Floats, volume: Floats, outer: Floats, group: Ints) -> tuple[Ints, Bools]:
    """The unit (C,) of each cell, numbered 0..U-1, and which cells (C,) were crumbs and joined another unit.

    Every unit is connected through bonds.

    pairs (B,2) and area (B,) of the bonds; volume and outer surface area (C,) and group (C,) of the cells. No geometry
    moves, so volumes stay exact. A thin cell without any bond stays by itself.
    """
    unit = _grouped(len(volume), pairs, group)
    size, thickness = _thickness(unit, pairs, area, volume, outer)
    limit = THIN * _weighted_median(thickness, size)
    crumb = np.zeros(len(volume), np.bool_)
    while True:
        thin = thickness < limit
        if not thin.any():
            return unit, crumb
        before = unit
        unit, joined = _join_crumbs(unit, thin, *_contacts(unit, pairs, area))
        if joined == 0:
            return unit, crumb
        crumb |= thin[before]
        size, thickness = _thickness(unit, pairs, area, volume, outer)
