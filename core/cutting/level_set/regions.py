"""Level sets of the regions of a pattern, and of the fragments that they make of a body (Su 2009, section 3).

A region is convex: its level set is the largest of the signed distances from its facets, exact inside, too small in
magnitude outside off an edge. A fragment is where both the region and its parent are: the larger of the two level sets.
Regions divide space, so at each node just one of them is negative, and one label says which.
"""

import numpy as np

from ...arithmetic.products import dot
from ...errors import CutError
from ...jit import sealed_floats, sealed_ints
from ...types import Bools, Floats, Ints, Partition
from ..complex import as_complex
from ..locate import locate
from .grid import Grid, Shorts

NO_LABEL = -1  #: label of nodes without matter


def region_distance(partition: Partition, region: int, points: Floats) -> Floats:
    """Level set (n,) [m] of a region at points (n,3)."""
    facets = partition.region_facet[partition.region_start[region] : partition.region_start[region + 1]]
    away = np.full(len(points), -np.inf)
    for f in facets:
        outward = partition.facet_normal[f]
        if partition.facet_regions[f, 0] != region:
            outward = -outward
        away = np.maximum(away, dot(points - partition.facet_point[f], outward))
    return away


def fragment_distance(region: Floats, parent: Floats) -> Floats:
    """Level set of what a body and a region have in common: phi_f = max(phi_region, phi_parent), Su 2009, section 3."""
    return np.maximum(region, parent)


def node_regions(partition: Partition, grid: Grid, within: Bools) -> Shorts:
    """Region of each node that is `within` the body, OUTSIDE for the others: the one with a level set below 0.

    It is found by walking from region to region instead of evaluating all of their level sets. A node on a facet goes
    to one of its two regions, the facet's first. Raises CutError where the body reaches out of the pattern.
    """
    region = np.full(grid.shape, NO_LABEL, np.int32)
    flat, matter, lost = region.reshape(-1), within.reshape(-1), False
    for slab in grid.slabs():
        nodes = slab.start + np.flatnonzero(matter[slab])
        flat[nodes] = home = point_regions(partition, grid.places(nodes))
        lost |= bool((home < 0).any())
    if lost:
        raise CutError("The cut failed: the mesh reaches out of the pattern.")
    return region


def point_regions(partition: Partition, points: Floats) -> Ints:
    """Region (n,) of each point (n,3), negative outside of the pattern."""
    if len(points) == 0:
        return np.zeros(0, np.int64)
    rows = np.arange(len(points) + (-len(points)) % 3)
    rows[len(points) :] = len(points) - 1
    home, _ = locate(as_complex(partition), sealed_floats(points), sealed_ints(rows.reshape(-1, 3)))
    return home
