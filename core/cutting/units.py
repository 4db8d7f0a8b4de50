"""The graph on which breaking rules work: cells that never part, contracted to units."""

import numpy as np

from ..arithmetic.products import norm
from ..geometry.sums import summed
from ..types import Cells, Floats, Ints, Units

#: Below this share of the bonded area the summed normals of a link cancel and their direction is noise. Chosen.
CANCELLED = 1e-9


def units(cells: Cells) -> Units:
    """Contract `cells` (C cells, B bonds) to units (U of them, `cells.unit`) and the L links between units.

    A link is a pair of units a < b that share at least one bond; links are sorted by (a, b). Area [m^2] is the sum
    over its bonds; strength, centroid [m] and normal, turned from a to b, are means weighted by area. Where the
    normals cancel (one unit wraps around the other) the normal is that of the link's largest bond.
    The site of a unit of one cell is the cell's, that of a larger unit is its volume-weighted centroid.
    Source: the neighbour lists of Barr 2016, section 4, on the clipped cells.
    """
    unit_count = int(cells.unit.max()) + 1 if len(cells.unit) else 0
    cell_count = np.bincount(cells.unit, minlength=unit_count)
    volume = _summed(cells.unit, cells.volume, unit_count)
    centroid = _weighted_mean(cells.unit, cells.volume, cells.centroid, unit_count)
    alone = np.flatnonzero(cell_count[cells.unit] == 1)
    site = centroid.copy()
    site[cells.unit[alone]] = cells.site[alone]
    centroid[cells.unit[alone]] = cells.centroid[alone]

    links, bond_link, turn = _links(cells.unit[cells.bond_cells.reshape(-1, 2)], unit_count)
    outer = np.flatnonzero(bond_link >= 0)
    link, area, count = bond_link[outer], cells.bond_area[outer], len(links)
    return Units(
        volume=volume,
        centroid=centroid,
        site=site,
        links=links,
        area=_summed(link, area, count),
        normal=mean_normal(link, area, cells.bond_normal[outer] * turn[outer, None], count),
        centroid_link=_weighted_mean(link, area, cells.bond_centroid[outer], count),
        strength=_weighted_mean(link, area, cells.bond_strength[outer, None], count)[:, 0],
        bond_link=bond_link,
    )


def _links(ends: Ints, unit_count: int) -> tuple[Ints, Ints, Floats]:
    """Sorted pairs (L,2), the link of each bond (B,) or -1, and the sign (B,) that turns its normal from a to b."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    between = low != high
    keys, inverse = np.unique(low[between] * unit_count + high[between], return_inverse=True)
    links = np.stack((keys // max(unit_count, 1), keys % max(unit_count, 1)), axis=1)
    bond_link = np.full(len(ends), -1, dtype=np.int64)
    bond_link[between] = inverse
    return links.astype(np.int64), bond_link, np.where(ends[:, 0] == low, 1.0, -1.0)


def _summed(group: Ints, values: Floats, count: int) -> Floats:
    """Sums (count,) of `values (n,)` over each group."""
    return np.bincount(group, weights=values, minlength=count).astype(np.float64, copy=False)


def _weighted_mean(group: Ints, weight: Floats, vectors: Floats, count: int) -> Floats:
    """Mean (count,n) of `vectors (.,n)` in each group; the plain mean where all weights are 0."""
    total = _summed(group, weight, count)
    weight = np.where(total[group] > 0.0, weight, 1.0)
    total = _summed(group, weight, count)
    return summed(vectors * weight[:, None], group, count) / total[:, None]


def mean_normal(link: Ints, area: Floats, normals: Floats, count: int) -> Floats:
    """Unit normals (count,3) of groups of bonds, weighted by area; that of the largest bond where they cancel."""
    mean = summed(normals * area[:, None], link, count)
    length = norm(mean)
    total = _summed(link, area, count)
    # Written in ascending order of area, so the largest bond of each link stays.
    order = np.argsort(area, kind="stable")
    largest = np.zeros((count, 3))
    largest[link[order]] = normals[order]
    fine = length > CANCELLED * total
    return np.where(fine[:, None], mean / np.where(fine, length, 1.0)[:, None], largest)
