"""In which region of a pattern the nodes of a grid lie.

In Su 2009, section 3, each region has a level set. Regions divide space, so at each node just one of these is negative,
and one label says which.
"""

import numpy as np

from ...errors import CutError
from ...jit import sealed_floats, sealed_ints
from ...types import Bools, Floats, Ints, Partition
from ..complex import as_complex
from ..locate import locate
from .grid import Grid, Shorts

NO_LABEL = -1  #: label of nodes without matter


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
