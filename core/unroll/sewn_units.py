"""Which cells stay together after sewing: halves that the seam cut apart, and the plug with what is around it."""

import heapq

import numpy as np

from ..geometry.graph import connected_labels
from ..types import Bools, Cells, Floats, Ints


def sewn_units(cells: Cells, first_bond: int, plug: Bools) -> Ints:
    """The unit (C,) of each cell, 0..U-1 in the order of cells. Bonds from `first_bond` on are new.

    Cells outside of the plug that have each other as the partner of the largest area over new bonds share a unit.
    Each cell of the plug joins a neighbour: the one with the largest area, of those that hang on the rest already.
    """
    new = np.arange(len(cells.bond_cells)) >= first_bond
    seam = new & ~plug[cells.bond_cells].any(axis=1)
    halves = _mutual(*_contacts(cells.bond_cells[seam], cells.bond_area[seam], len(cells.volume)), len(cells.volume))
    joined = _attached(*_contacts(cells.bond_cells, cells.bond_area, len(cells.volume)), plug)
    first = np.full(int(cells.unit.max(initial=-1)) + 1, -1)
    first[cells.unit[::-1]] = np.arange(len(cells.unit))[::-1]
    own = np.stack([first[cells.unit], np.arange(len(cells.unit))], axis=1)
    return connected_labels(len(cells.volume), np.concatenate([own, halves, joined]))


def _contacts(pairs: Ints, area: Floats, cells: int) -> tuple[Ints, Floats]:
    """Pairs (n,2) of cells that share bonds, and the area that they share."""
    ends = np.sort(pairs, axis=1)
    key, row = np.unique(ends[:, 0] * cells + ends[:, 1], return_inverse=True)
    shared = np.bincount(row.ravel(), area, len(key)).astype(np.float64)
    return np.stack([key // cells, key % cells], axis=1), shared


def _mutual(pairs: Ints, area: Floats, cells: int) -> Ints:
    """Those of the pairs whose cells have no partner with a larger area; of equal ones the first counts."""
    best = np.full(cells, -1)
    for row in np.argsort(-area, kind="stable").tolist():
        for cell in pairs[row].tolist():
            if best[cell] < 0:
                best[cell] = row
    row = np.arange(len(pairs))
    result: Ints = pairs[(best[pairs[:, 0]] == row) & (best[pairs[:, 1]] == row)]
    return result


def _attached(pairs: Ints, area: Floats, plug: Bools) -> Ints:
    """For each plug cell that hangs on the rest the pair (.,2) by which it does, larger areas first."""
    near: dict[int, list[tuple[float, int, int]]] = {}
    for (a, b), size in zip(pairs.tolist(), area.tolist(), strict=True):
        for one, other in ((a, b), (b, a)):
            if plug[other]:
                near.setdefault(one, []).append((-size, other, one))
    ahead = [entry for cell, entries in near.items() if not plug[cell] for entry in entries]
    heapq.heapify(ahead)
    done, joined = np.zeros(len(plug), np.bool_), []
    while ahead:
        _, cell, around = heapq.heappop(ahead)
        if not done[cell]:
            done[cell] = True
            joined.append((around, cell))
            for entry in near.get(cell, []):
                heapq.heappush(ahead, entry)
    return np.array(joined, np.int64).reshape(-1, 2)
