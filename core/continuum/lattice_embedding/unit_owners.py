"""What units of cells belong to, when cells are parts of something larger."""

import numpy as np

from ...types import Cells, Floats, Ints


def find_unit_owners(cells: Cells, own: Ints) -> Ints:
    """The owner (U,) of each unit: that in which most of it is, -1 for none; `own (C,)` is that of each cell, or -1."""
    units, owners = int(cells.unit.max()) + 1, int(own.max(initial=0)) + 1
    rows = np.flatnonzero(own >= 0)
    key, place = np.unique(cells.unit[rows] * owners + own[rows], return_inverse=True)
    matter = np.bincount(place, cells.volume[rows], len(key))
    order = np.lexsort((key, -matter, key // owners))
    unit, first = np.unique(key[order] // owners, return_index=True)
    best = np.full(units, -1)
    best[unit] = key[order][first] % owners
    return best


def unit_centres(cells: Cells) -> Floats:
    """Centres (U,3) of units by volume [m]."""
    units = int(cells.unit.max()) + 1
    size = np.bincount(cells.unit, cells.volume, units)
    centre = np.stack([np.bincount(cells.unit, cells.volume * x, units) for x in cells.centroid.T], axis=1)
    return np.asarray(centre / size[:, None])
