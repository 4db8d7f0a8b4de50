"""Cells that stay together: neighbours are joined at random until the wanted number of shards is left."""

import numpy as np

from ...jit import njit
from ...types import Floats, Ints
from .neighbours import neighbours

#: A shard may hold this many times the mean number of cells; without a bound one shard swallows the rest. Chosen by
#: eye, for shards of mixed sizes.
LARGEST_GROUP = 6
#: Nearest sites taken for neighbours in a layer and in space: about the mean number of faces that matter. Voronoi cells
#: of random sites have 6 in the plane; in space 15.5, some of them behind tiny faces.
_NEIGHBOURS = {True: 6, False: 10}


def group_sites(sites: Floats, shards: int, layered: bool, rng: np.random.Generator) -> Ints:
    """Shard (R,) of each of the sites (R,3), numbered 0..; about `shards` of them, each of neighbouring cells.

    Joining stops early where every further join would pass the bound of LARGEST mean shards.
    """
    count = len(sites)
    if shards >= count:
        return np.arange(count)
    nearest = neighbours(sites, sites, _NEIGHBOURS[layered] + 1)[1]
    links = np.stack((np.repeat(nearest[:, 0], nearest.shape[1] - 1), nearest[:, 1:].ravel()), axis=1)
    order = rng.permutation(len(links))
    root = _join(count, links[order], count - shards, int(np.ceil(LARGEST_GROUP * count / shards)))
    return np.unique(root, return_inverse=True)[1].astype(np.int64)


def rejoined(sites: Floats, shard: Ints) -> Ints:
    """Shards (R,) of sites in a layer, without stray parts: each shard keeps its largest part.

    Parts are connected over the nearest sites; a stray one joins the shard that it has most neighbours in.
    """
    count = len(sites)
    if count < 2:
        return shard
    nearest = neighbours(sites, sites, _NEIGHBOURS[True] + 1)[1]
    links = np.stack((np.repeat(nearest[:, 0], nearest.shape[1] - 1), nearest[:, 1:].ravel()), axis=1)
    part = _join(count, links[shard[links[:, 0]] == shard[links[:, 1]]], count, count)
    size = np.bincount(part, minlength=count)[part]
    # Sorted by shard, then size, then part: the last of each shard is in its largest part.
    order = np.lexsort((part, size, shard))
    last = order[np.append(shard[order][1:] != shard[order][:-1], True)]
    main = np.isin(part, part[last])
    joined = shard.copy()
    for stray in np.unique(part[~main]):
        a = part == stray
        border = np.concatenate(
            (links[a[links[:, 0]] & ~a[links[:, 1]], 1], links[a[links[:, 1]] & ~a[links[:, 0]], 0])
        )
        if len(border):
            joined[a] = np.bincount(joined[border]).argmax()
    return joined


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
