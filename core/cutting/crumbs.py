"""Units: cells that never part. Groups of the partition stay together, and crumbs join their best neighbour.

Crumbs are cells that are too thin to be pieces, and cells of regions that the partition drops.
"""

from typing import Protocol

import numpy as np

from ..geometry.graph import connected_labels
from ..types import Bools, Floats, Ints

#: A crumb is thinner than this times the volume-weighted median thickness: docs/decisions.md, Cutting.
CRUMB_THICKNESS = 0.05


class Regions(Protocol):
    """What is known of the R regions, of a `Partition` or any other division of space."""

    @property
    def site(self) -> Floats:
        """(R,3) a point of each [m]."""

    @property
    def group(self) -> Ints:
        """(R,) regions with an equal value never part."""

    @property
    def dropped(self) -> Bools:
        """(R,) regions that are no pieces; empty: none."""


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


def _join_crumbs(unit: Ints, thin: Bools, dropped: Bools, a: Ints, b: Ints, area: Floats) -> tuple[Ints, int]:
    """Each thin or dropped unit joins the neighbour with which it shares the largest area; returns new labels of units.

    Dropped ones never join each other: those that have no other neighbours find one in a later round, when these have
    joined somebody. `a, b, area` are the contacts between units a < b, one row each.
    """
    ends = np.stack([np.stack([a, b], axis=1), np.stack([b, a], axis=1)], axis=1).reshape(-1, 2)
    seeks, found = ends.T
    row = np.flatnonzero((thin | dropped)[seeks] & ~(dropped[seeks] & dropped[found]))
    order = row[np.lexsort((row, -area[row // 2], seeks[row]))]  # of equal areas the first one
    best = order[np.unique(seeks[order], return_index=True)[1]]
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


def region_sites(site: Floats, region: Ints, centroid: Floats) -> Floats:
    """The site (C,3) of each cell: `site (C,3)` of its region, or its `centroid` where that fell into several cells."""
    several = np.bincount(region)[region] > 1
    return np.where(several[:, None], centroid, site)


def region_units(
    regions: Regions, region: Ints, pairs: Ints, area: Floats, volume: Floats, outer: Floats
) -> tuple[Ints, Bools]:
    """As `units_of_cells`, with groups and dropped cells as the `regions` say; `region (C,)` of each cell."""
    dropped = regions.dropped[region] if len(regions.dropped) else np.zeros(len(region), np.bool_)
    return units_of_cells(pairs, area, volume, outer, regions.group[region], dropped)


def units_of_cells(
    pairs: Ints, area: Floats, volume: Floats, outer: Floats, group: Ints, dropped: Bools
) -> tuple[Ints, Bools]:
    """The unit (C,) of each cell, numbered 0..U-1, and which cells (C,) were crumbs and joined another unit.

    Every unit is connected through bonds.

    pairs (B,2) and area (B,) of the bonds; volume and outer surface area (C,), group (C,) of the cells, and whether
    they are `dropped` (C,). No geometry moves, so volumes stay exact. A thin cell without any bond stays by itself. A
    group is dropped if all of it is. Dropped cells end in the unit of a cell that is neither dropped nor thin; where
    bonds lead to none, they are cells like any others.
    """
    unit = _grouped(len(volume), pairs, group)
    size, thickness = _thickness(unit, pairs, area, volume, outer)
    loose = _all_of(unit, dropped)
    limit = CRUMB_THICKNESS * _weighted_median(thickness, np.where(loose, 0.0, size) if not loose.all() else size)
    real = ~(loose | (thickness < limit))
    loose &= _reach_real(unit, pairs, real)
    real, crumb = real[unit], np.zeros(len(volume), np.bool_)
    while True:
        thin = ~loose & (thickness < limit)
        if not (thin | loose).any():
            break
        before = unit
        unit, joined = _join_crumbs(unit, thin, loose, *_contacts(unit, pairs, area))
        if joined == 0:
            break
        crumb |= (thin | loose)[before]
        size, thickness = _thickness(unit, pairs, area, volume, outer)
        loose = _all_of(unit, ~real) & ~_all_of(unit, ~loose[before])
    return unit, crumb & ~_first_of_none(unit, crumb, volume)


def _all_of(unit: Ints, cells: Bools) -> Bools:
    """Units (U,) all of whose cells (C,) are so."""
    return np.asarray(np.bincount(unit, ~cells) == 0)


def _reach_real(unit: Ints, pairs: Ints, real: Bools) -> Bools:
    """Units (U,) from which bonds lead to a real one (U,)."""
    label = connected_labels(len(real), unit[pairs])
    return np.asarray(np.bincount(label, real)[label] > 0)


def _first_of_none(unit: Ints, crumb: Bools, volume: Floats) -> Bools:
    """The largest cell of each unit that has crumbs only: it joined nobody, others joined it."""
    alone = np.flatnonzero(_all_of(unit, crumb)[unit])
    order = alone[np.lexsort((alone, -volume[alone], unit[alone]))]
    largest = np.zeros(len(unit), np.bool_)
    largest[order[np.unique(unit[order], return_index=True)[1]]] = True
    return largest
