"""A bounding-box tree over triangles: perfectly balanced, split at the median of the longest side, deterministic.

All leaves lie at the same depth, so the tree needs no pointers: the children of node i are 2i and 2i + 1, the root is
1, and node j of level d holds the entries [j T >> d, (j + 1) T >> d) of `order`.
"""

from dataclasses import dataclass

import numpy as np

from ..jit import inner, njit, sealed_floats, sealed_ints
from ..types import Floats, Frozen, Ints

LEAF = 4  # triangles in a leaf at most


@dataclass(frozen=True, eq=False, slots=True)
class Tree(Frozen):
    """The tree and its triangles in leaf order. D levels of splits, T triangles."""

    order: Ints  #: (T,) triangle of each entry
    corners: Floats  #: (T,3,3) corner positions of each entry [m]
    low: Floats  #: (2^(D+1),3) lower corner of each node's box [m]; row 0 is unused
    high: Floats  #: (2^(D+1),3) upper corner [m]
    depth: int  #: D


def build_tree(vertices: Floats, triangles: Ints) -> Tree:
    """The tree of at least one triangle."""
    if len(triangles) == 0:
        raise ValueError("a tree needs at least one triangle")
    depth = 0
    while len(triangles) > LEAF << depth:
        depth += 1
    corners = sealed_floats(vertices)[sealed_ints(triangles)]
    centre = corners.min(axis=1) + corners.max(axis=1)
    order = np.arange(len(triangles))
    _sort(sealed_floats(centre), order, np.empty(len(order)), depth)
    corners = corners[order]
    return Tree(order, corners, *_boxes(corners, depth), depth)


def _boxes(corners: Floats, depth: int) -> tuple[Floats, Floats]:
    low, high = np.empty((2 << depth, 3)), np.empty((2 << depth, 3))
    low[0], high[0] = np.inf, -np.inf
    leaf = (np.arange(1 << depth) * len(corners)) >> depth  # no leaf is empty
    low[1 << depth :] = np.minimum.reduceat(corners.min(axis=1), leaf)
    high[1 << depth :] = np.maximum.reduceat(corners.max(axis=1), leaf)
    for level in range(depth - 1, -1, -1):
        here, below = slice(1 << level, 2 << level), slice(2 << level, 4 << level)
        low[here] = low[below].reshape(-1, 2, 3).min(axis=1)
        high[here] = high[below].reshape(-1, 2, 3).max(axis=1)
    return low, high


@njit
def _sort(centre: Floats, order: Ints, key: Floats, depth: int) -> None:
    """Bring the entries into leaf order; `key` is scratch."""
    total = len(order)
    for level in range(depth):
        for j in range(1 << level):
            begin, end = (j * total) >> level, ((j + 1) * total) >> level
            axis = _longest(centre, order, begin, end)
            for i in range(begin, end):
                key[i] = centre[order[i], axis]
            _select(key, order, begin, end, ((2 * j + 1) * total) >> (level + 1))


@inner
def _longest(centre: Floats, order: Ints, begin: int, end: int) -> int:
    """Axis along which the centres of some entries spread most."""
    best, axis = -1.0, 0
    for i in range(3):
        low, high = np.inf, -np.inf
        for e in range(begin, end):
            value = centre[order[e], i]
            low, high = min(low, value), max(high, value)
        if high - low > best:
            best, axis = high - low, i
    return axis


@inner
def _select(key: Floats, order: Ints, begin: int, end: int, middle: int) -> None:
    """Partly sort key[begin:end] (and order with it) so that nothing before `middle` is larger than anything after.

    Quickselect with the median of three as pivot and Hoare's partition, which halves runs of equal keys.
    """
    low, high = begin, end - 1
    while low < high:
        a, b, c = key[low], key[(low + high) // 2], key[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while key[i] < pivot:
                i += 1
            while key[j] > pivot:
                j -= 1
            if i <= j:
                key[i], key[j] = key[j], key[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return
