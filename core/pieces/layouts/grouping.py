"""Cells that stay together: neighbours are joined at random until the wanted number of shards is left."""

import numpy as np

from ...jit import njit
from ...types import Floats, Ints
from .neighbours import neighbours

#: A shard may hold this many times the mean number of cells; without a bound one shard swallows the rest.
LARGEST = 6
#: Nearest sites taken for neighbours in a layer and in space: about the mean number of faces that matter.
NEIGHBOURS = {True: 6, False: 10}


def grouped(sites: Floats, shards: int, layered: bool, rng: np.random.Generator) -> Ints:
    """Shard (R,) of each of the sites (R,3), numbered 0..; about `shards` of them, each of neighbouring cells.

    Joining stops early where every further join would pass the bound of LARGEST mean shards.
    """
    count = len(sites)
    if shards >= count:
        return np.arange(count)
    nearest = neighbours(sites, sites, NEIGHBOURS[layered] + 1)[1]
    links = np.stack((np.repeat(nearest[:, 0], nearest.shape[1] - 1), nearest[:, 1:].ravel()), axis=1)
    order = rng.permutation(len(links))
    root = _join(count, links[order], count - shards, int(np.ceil(LARGEST * count / shards)))
    return np.unique(root, return_inverse=True)[1].astype(np.int64)


@njit
def _join(count: int, links: Ints, joins: int, largest: int) -> Ints:
    parent = np.arange(count)
    size = np.ones(count, dtype=np.int64)
    for k in range(links.shape[0]):
        if joins <= 0:
            break
        a, b = links[k, 0], links[k, 1]
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a == b or size[a] + size[b] > largest:
            continue
        parent[max(a, b)] = min(a, b)
        size[min(a, b)] += size[max(a, b)]
        joins -= 1
    for i in range(count):
        a = i
        while parent[a] != a:
            a = parent[a]
        parent[i] = a
    return parent
