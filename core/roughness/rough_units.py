"""Rough cells beside the plain ones of the same cut: which unit of the plain cells each rough cell is seen of.

Plain cells, cut without the noise, decide what breaks, what pieces weigh and how they touch; rough ones are their
meshes. Both cuts have the same partition, so nearly the same cells; a region may fall into other pieces where it is
thinner than the noise. Such pieces of rough cells follow a neighbour.
"""

from dataclasses import replace

import numpy as np

from ..errors import CutError
from ..geometry import packed
from ..geometry.graph import connected_labels
from ..types import Bools, Cells, Floats, Ints


class PieceLost(CutError):
    """Nothing is left of a piece: the noise is too rough for how thin it is."""


def assign_units(rough: Cells, plain: Cells) -> Cells:
    """The rough cells with the units of the plain ones. Raises PieceLost where nothing would be seen of a unit.

    Of each region the cells nearest to each other are the same; rough cells without a plain one follow the neighbour
    with which they share most, and so do those that the noise has cut off from their unit.
    """
    twin = _twins(rough, plain)
    unit = np.where(twin >= 0, plain.unit[twin], -1)
    unit = follow_neighbours(unit, rough, plain)
    unit = follow_neighbours(np.where(are_cut_off(unit, rough), -1, unit), rough, plain)
    if len(np.unique(unit)) != len(np.unique(plain.unit)):
        raise PieceLost("Broken faces as rough as that would leave nothing of a thin piece.")
    return replace(rough, unit=unit, crumb=np.where(twin >= 0, plain.crumb[twin], True))


def _twins(rough: Cells, plain: Cells) -> Ints:
    """(C,) the plain cell that each rough one is, -1 for none; no plain cell is two of them."""
    regions = max(int(cells.region.max(initial=0)) for cells in (rough, plain)) + 1
    (first, rough_of), (start, plain_of) = (packed.group_by_owner(cells.region, regions) for cells in (rough, plain))
    twin = np.full(len(rough.volume), -1)
    counts = np.diff(first), np.diff(start)
    alone = np.flatnonzero((counts[0] == 1) & (counts[1] == 1))
    twin[rough_of[first[alone]]] = plain_of[start[alone]]
    for region in np.flatnonzero((counts[0] > 0) & (counts[1] > 0) & (counts[0] + counts[1] > 2)):
        here, there = rough_of[first[region] : first[region + 1]], plain_of[start[region] : start[region + 1]]
        for i, j in _nearest_pairs(rough.centroid[here], plain.centroid[there]):
            twin[here[i]] = there[j]
    return twin


def _nearest_pairs(a: Floats, b: Floats) -> list[tuple[int, int]]:
    """Rows of a (n,3) and of b (m,3), each at most once, in pairs: the two nearest first, then of the rest."""
    apart = np.square(a[:, None] - b[None]).sum(axis=2)
    pairs = []
    for _ in range(min(apart.shape)):
        i, j = np.unravel_index(apart.argmin(), apart.shape)
        apart[i], apart[:, j] = np.inf, np.inf
        pairs.append((int(i), int(j)))
    return pairs


def are_cut_off(unit: Ints, rough: Cells) -> Bools:
    """(C,) which cells no bond joins to the largest part of their unit."""
    inside = rough.bond_cells[unit[rough.bond_cells[:, 0]] == unit[rough.bond_cells[:, 1]]]
    part = connected_labels(len(unit), inside)
    size = np.bincount(part, rough.volume)
    order = np.lexsort((part, -size[part], unit))
    largest = np.full(int(unit.max()) + 1, -1)
    largest[unit[order[::-1]]] = part[order[::-1]]  # the last one that is written is the largest of its unit
    return np.asarray(part != largest[unit])


def follow_neighbours(unit: Ints, rough: Cells, plain: Cells) -> Ints:
    """Cells without a unit take that of the neighbour with which they share most, again and again."""
    unit = unit.copy()
    order = np.argsort(-rough.bond_area, kind="stable")
    pairs = rough.bond_cells[order]
    ends = np.concatenate([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)  # each bond both ways, largest first
    while (unit < 0).any():
        known = unit >= 0
        useful = ends[~known[ends[:, 0]] & known[ends[:, 1]]]
        if len(useful) == 0:
            for c in np.flatnonzero(~known):
                near = np.square(plain.centroid - rough.centroid[c]).sum(axis=1).argmin()
                unit[c] = plain.unit[near]
            break
        lone, row = np.unique(useful[:, 0], return_index=True)
        unit[lone] = unit[useful[row, 1]]
    return unit
