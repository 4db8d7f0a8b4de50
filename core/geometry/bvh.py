"""A bounding-box tree over triangles: perfectly balanced, split at the median of the longest side, deterministic.

All leaves lie at the same depth, so the tree needs no pointers: the children of node i are 2i and 2i + 1, the root is
1, and node j of level d holds the entries [j T >> d, (j + 1) T >> d) of `order`.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ..types import Floats, Frozen, Ints

LEAF = 4  # triangles in a leaf at most; by time


class TreeNodes(NamedTuple):
    """A tree as kernels take it; see `Tree`."""

    corners: Floats
    low: Floats
    high: Floats
    depth: int


@dataclass(frozen=True, eq=False, slots=True)
class Tree(Frozen):
    """The tree and its triangles in leaf order. D levels of splits, T triangles."""

    order: Ints  #: (T,) triangle of each entry
    corners: Floats  #: (T,3,3) corner positions of each entry [m]
    low: Floats  #: (2^(D+1),3) lower corner of each node's box [m]; row 0 is unused
    high: Floats  #: (2^(D+1),3) upper corner [m]
    depth: int  #: D

    @property
    def nodes(self) -> TreeNodes:
        """What a search needs."""
        return TreeNodes(self.corners, self.low, self.high, self.depth)


def build_tree(vertices: Floats, triangles: Ints) -> Tree:
    """The tree of at least one triangle."""
    if len(triangles) == 0:
        raise ValueError("a tree needs at least one triangle")
    depth = 0
    while len(triangles) > LEAF << depth:
        depth += 1
    total = len(triangles)
    order, corners = np.arange(total), np.empty((total, 3, 3))
    low, high = np.full((2 << depth, 3), np.inf), np.full((2 << depth, 3), -np.inf)
    centre = np.empty((total, 3))
    _build(sealed_floats(vertices), sealed_ints(triangles), depth, centre, order, corners, low, high)
    return Tree(order, corners, low, high, depth)


@njit_no_refs
def _build(
    vertices: Floats,
    triangles: Ints,
    depth: int,
    centre: Floats,
    order: Ints,
    corners: Floats,
    low: Floats,
    high: Floats,
) -> None:
    """Fill the arrays of a tree; `centre (T,3)` is scratch, `order` holds 0..T-1."""
    for t in range(len(triangles)):
        for k in range(3):
            a, b, c = vertices[triangles[t, 0], k], vertices[triangles[t, 1], k], vertices[triangles[t, 2], k]
            centre[t, k] = min(a, b, c) + max(a, b, c)
    _sort(centre, order, depth)
    for i in range(len(order)):
        for corner in range(3):
            for k in range(3):
                corners[i, corner, k] = vertices[triangles[order[i], corner], k]
    _boxes(corners, depth, low, high)


@device_inlined
def leaf_entries(leaf: int, depth: int, total: int) -> tuple[int, int]:
    """The first entry of a leaf, counted from 0, and the one after its last, of `total` in all."""
    return (leaf * total) >> depth, ((leaf + 1) * total) >> depth


@device_inlined
def _boxes(corners: Floats, depth: int, low: Floats, high: Floats) -> None:
    """The boxes of the nodes, from the leaves up; they come as empty boxes."""
    leaves = 1 << depth
    for leaf in range(leaves):  # no leaf is empty
        begin, end = leaf_entries(leaf, depth, len(corners))
        for i in range(begin, end):
            for k in range(3):
                a, b, c = corners[i, 0, k], corners[i, 1, k], corners[i, 2, k]
                low[leaves + leaf, k] = min(low[leaves + leaf, k], a, b, c)
                high[leaves + leaf, k] = max(high[leaves + leaf, k], a, b, c)
    for node in range(leaves - 1, 0, -1):
        for k in range(3):
            low[node, k] = min(low[2 * node, k], low[2 * node + 1, k])
            high[node, k] = max(high[2 * node, k], high[2 * node + 1, k])


@device_inlined
def _sort(centre: Floats, order: Ints, depth: int) -> None:
    """Bring the entries into leaf order, node after node from the left: what is at hand stays in the cache.

    `centre` goes with them: it is read from one end of a node to the other.
    """
    total = len(order)
    node, level = 1, 0
    while node > 0 and depth > 0:
        j = node - (1 << level)
        begin, end = (j * total) >> level, ((j + 1) * total) >> level
        _select(centre, _longest(centre, begin, end), order, begin, end, ((2 * j + 1) * total) >> (level + 1))
        node, level = 2 * node, level + 1
        if level == depth:  # nothing to split in a leaf: go on right of the nearest left child on the way up
            node, level = node // 2, level - 1
            while node % 2 == 1:
                node, level = node // 2, level - 1
            node += 1 if node > 0 else 0


@device_inlined
def _longest(centre: Floats, begin: int, end: int) -> int:
    """Axis along which the centres of some entries spread most."""
    x_low, y_low, z_low = np.inf, np.inf, np.inf
    x_high, y_high, z_high = -np.inf, -np.inf, -np.inf
    for e in range(begin, end):
        x, y, z = centre[e, 0], centre[e, 1], centre[e, 2]
        x_low, x_high = min(x_low, x), max(x_high, x)
        y_low, y_high = min(y_low, y), max(y_high, y)
        z_low, z_high = min(z_low, z), max(z_high, z)
    x, y, z = x_high - x_low, y_high - y_low, z_high - z_low
    if x >= y and x >= z:
        return 0
    return 1 if y >= z else 2


@device_inlined
def _select(centre: Floats, axis: int, order: Ints, begin: int, end: int, middle: int) -> None:
    """Partly sort centre[begin:end] (and order with it) along an axis: nothing before `middle` is above anything after.

    Quickselect with the median of three as pivot and Hoare's partition, which halves runs of equal keys.
    """
    low, high = begin, end - 1
    while low < high:
        a, b, c = centre[low, axis], centre[(low + high) // 2, axis], centre[high, axis]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while centre[i, axis] < pivot:
                i += 1
            while centre[j, axis] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                for k in range(3):
                    centre[i, k], centre[j, k] = centre[j, k], centre[i, k]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@device_inlined
def boxes_meet(box: Floats, i: int, j: int) -> bool:
    """Whether the boxes of entries i and j, (T,6) low then high, have a point in common.

    That is a coin toss to the processor: comparing all six sides at once takes less time than branching.
    """
    return bool(
        (box[i, 0] <= box[j, 3]) & (box[j, 0] <= box[i, 3])
        & (box[i, 1] <= box[j, 4]) & (box[j, 1] <= box[i, 4])
        & (box[i, 2] <= box[j, 5]) & (box[j, 2] <= box[i, 5])
    )  # fmt: skip
