"""A bounding-box tree over triangles: perfectly balanced, split at the median of the longest side, deterministic.

All leaves lie at the same depth, so the tree needs no pointers: the children of node i are 2i and 2i + 1, the root is
1, and node j of level d holds the entries [j T >> d, (j + 1) T >> d) of `order`.
"""

from dataclasses import dataclass

import numpy as np

from ..jit import njit
from ..types import Floats, Frozen, Ints
from .mesh import sealed_floats, sealed_ints

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
    return Tree(*_build(sealed_floats(vertices), sealed_ints(triangles), depth), depth)


@njit
def _build(vertices: Floats, triangles: Ints, depth: int) -> tuple[Ints, Floats, Floats, Floats]:
    total = len(triangles)
    centre = np.empty((total, 3))
    for t in range(total):
        for i in range(3):
            a, b, c = vertices[triangles[t, 0], i], vertices[triangles[t, 1], i], vertices[triangles[t, 2], i]
            centre[t, i] = min(a, b, c) + max(a, b, c)
    order = np.arange(total)
    key = np.empty(total)
    for level in range(depth):
        for j in range(1 << level):
            begin, end = (j * total) >> level, ((j + 1) * total) >> level
            axis = _longest(centre, order, begin, end)
            for i in range(begin, end):
                key[i] = centre[order[i], axis]
            _select(key, order, begin, end, ((2 * j + 1) * total) >> (level + 1))
    corners = np.empty((total, 3, 3))
    for e in range(total):
        for k in range(3):
            for i in range(3):
                corners[e, k, i] = vertices[triangles[order[e], k], i]
    low, high = _boxes(corners, depth)
    return order, corners, low, high


@njit
def _boxes(corners: Floats, depth: int) -> tuple[Floats, Floats]:
    low = np.full((2 << depth, 3), np.inf)
    high = np.full((2 << depth, 3), -np.inf)
    total = len(corners)
    for j in range(1 << depth):
        node = (1 << depth) + j
        for e in range((j * total) >> depth, ((j + 1) * total) >> depth):
            for k in range(3):
                for i in range(3):
                    low[node, i] = min(low[node, i], corners[e, k, i])
                    high[node, i] = max(high[node, i], corners[e, k, i])
    for node in range((1 << depth) - 1, 0, -1):
        for i in range(3):
            low[node, i] = min(low[2 * node, i], low[2 * node + 1, i])
            high[node, i] = max(high[2 * node, i], high[2 * node + 1, i])
    return low, high


@njit
def _longest(centre: Floats, order: Ints, begin: int, end: int) -> int:
    """Axis along which the centres of some entries spread most."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for e in range(begin, end):
        for i in range(3):
            low[i] = min(low[i], centre[order[e], i])
            high[i] = max(high[i], centre[order[e], i])
    axis = 0
    for i in range(1, 3):
        if high[i] - low[i] > high[axis] - low[axis]:
            axis = i
    return axis


@njit
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
