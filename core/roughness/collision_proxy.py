"""Rough cells and plain ones: the same cut without the noise, in whose planes contacts are computed.

Both cuts have the same partition, so nearly the same cells; a region may fall into other pieces where it is thinner
than the noise. Such pieces of rough cells stay with a neighbour, those of plain ones follow one.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry import packed
from ..geometry.graph import connected_labels
from ..types import Bools, Cells, Floats, Frozen, Ints


@dataclass(frozen=True, eq=False, slots=True)
class CollisionProxy(Frozen):
    """What pieces are like where they touch each other."""

    cells: Cells  #: plain ones; `unit` is that of the rough cells
    cell: Ints  #: (C',) rough cell that each of them stands for


def matched(rough: Cells, plain: Cells) -> tuple[Cells, CollisionProxy]:
    """The rough cells, those without a plain one joined to the unit of a neighbour; and what they are in contacts."""
    twin = _twins(rough, plain)
    lost = np.ones(len(rough.volume), np.bool_)
    lost[twin] = False
    unit = _with_neighbours(rough, lost)
    lost &= np.bincount(unit)[unit] > 1
    rough = replace(rough, unit=unit, crumb=rough.crumb | lost)
    return rough, CollisionProxy(replace(plain, unit=unit[twin]), twin)


def _twins(rough: Cells, plain: Cells) -> Ints:
    """(C',) the rough cell of each plain one: the nearest in its region, or that of its neighbour."""
    regions = max(int(cells.region.max(initial=0)) for cells in (rough, plain)) + 1
    start, order = packed.group_by_owner(rough.region, regions)
    first, count = start[plain.region], np.diff(start)[plain.region]
    twin = np.full(len(plain.volume), -1)
    alone = count == 1
    twin[alone] = order[first[alone]]
    for c in np.flatnonzero(count > 1):
        near = order[first[c] : first[c] + count[c]]
        twin[c] = near[np.argmin(_apart(rough.centroid[near], plain.centroid[c]))]
    return _followed(twin, plain, rough)


def _apart(points: Floats, point: Floats) -> Floats:
    return np.asarray(np.square(points - point).sum(axis=1))


def _followed(twin: Ints, plain: Cells, rough: Cells) -> Ints:
    """Plain cells without a twin take that of the neighbour with which they share most, again and again."""
    twin = twin.copy()
    order = np.argsort(-plain.bond_area, kind="stable")
    pairs = plain.bond_cells[order]
    while (twin < 0).any():
        known = twin >= 0
        ends = np.concatenate([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)  # each bond both ways, largest first
        useful = ends[~known[ends[:, 0]] & known[ends[:, 1]]]
        if len(useful) == 0:
            for c in np.flatnonzero(~known):
                twin[c] = int(np.argmin(_apart(rough.centroid, plain.centroid[c])))
            break
        lone, row = np.unique(useful[:, 0], return_index=True)
        twin[lone] = twin[useful[row, 1]]
    return twin


def _with_neighbours(rough: Cells, lost: Bools) -> Ints:
    """Units (C,), where each lost cell has joined that of the neighbour with which it shares most."""
    if not lost.any():
        return rough.unit
    order = np.argsort(-rough.bond_area, kind="stable")
    pairs = rough.bond_cells[order]
    ends = np.concatenate([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)
    ends = ends[lost[ends[:, 0]]]
    _, row = np.unique(ends[:, 0], return_index=True)
    units = int(rough.unit.max()) + 1
    cells = len(rough.volume)
    links = np.concatenate([ends[row], np.column_stack([np.arange(cells), cells + rough.unit])])
    label = connected_labels(cells + units, links)[:cells]
    return np.asarray(np.unique(label, return_inverse=True)[1].reshape(-1), np.int64)
