"""Packed lists of who touches whom in a complex: facets of a region, facets around an edge."""

import numpy as np

from ..types import Ints


def owner_starts(owner: Ints, count: int) -> Ints:
    """Bounds (count+1,) of the entries of each owner in a list that is sorted by `owner (n,)`."""
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=count), out=start[1:])
    return start


def find_region_facets(facet_regions: Ints, regions: int) -> tuple[Ints, Ints]:
    """The packed list `(start (R+1,), facet)` of the facets of each region; -1 in `facet_regions (F,2)` is outside."""
    region = facet_regions.ravel()
    order = np.argsort(region, kind="stable")[np.count_nonzero(region < 0) :]
    return owner_starts(region[region >= 0], regions), order // 2


def facets_of_edges(facet_start: Ints, facet_edge: Ints, edges: int) -> tuple[Ints, Ints]:
    """The packed list `(start (E+1,), facet)` of the facets around each edge."""
    facet = np.repeat(np.arange(len(facet_start) - 1), np.diff(facet_start))
    return owner_starts(facet_edge, edges), facet[np.argsort(facet_edge, kind="stable")]
