"""Pairs of triangles that may meet: a box tree walked against itself.

`near_pairs` hands them over by the thousand; each question that is asked of two triangles (whether they cross, touch
or overlap) is a kernel of the module that asks. Where only pairs of labels are wanted, what is settled is not walked.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, njit_no_refs
from ..types import Floats, Ints
from .bvh import LEAF, Tree, boxes_meet, leaf_entries

ROOM = 1 << 12  # pairs that are handed over at a time, at most; chosen by memory
MIXED = -1  # node whose entries have several labels

#: Takes pairs of entries (n,2), rows for those that it keeps, and how many of these there are; returns how many then.
Keep = Callable[[Ints, Ints, int], int]


class SettledLabels(NamedTuple):
    """Labels 0.. of the entries of a tree, and the pairs of labels of which no more is wanted."""

    entry: Ints  #: (T,) label of each entry
    node: Ints  #: (nodes,) that of all entries of a node, or MIXED
    labels: int  #: how many there are
    table: Ints  #: hash table of keys a * labels + b, a < b; -1 where it is free; its length is a power of two


class _Boxes(NamedTuple):
    """Boxes of a tree."""

    entry: Floats  #: (T,6) low then high
    low: Floats  #: (nodes,3)
    high: Floats  #: (nodes,3)
    depth: int
    gap: float  #: between boxes of nodes that are told apart: twice by what those of the entries are grown


#: Where no labels are told apart: all are empty.
_NO_LABELS = SettledLabels(np.empty(0, np.int64), np.empty(0, np.int64), 0, np.empty(0, np.int64))


def near_pairs(tree: Tree, margin: float, labels: SettledLabels | None = None) -> Iterator[Ints]:
    """Pairs (n,2) of entries i < j of a tree whose boxes come within a margin [m] of each other along every axis.

    They come in batches in one array, which the next batch overwrites. Pairs with one label, and pairs of labels that
    were settled before the batch was begun, are left out.
    """
    box = np.empty((len(tree.order), 6))
    _grow_boxes(tree.corners, 0.5 * margin, box)
    boxes = _Boxes(box, tree.low, tree.high, tree.depth, margin)
    stack, pairs, top = np.empty((4 * tree.depth + 8, 2), np.int64), np.empty((ROOM, 2), np.int64), 1
    stack[0] = 1
    while top > 0:
        top, count = _next_pairs(boxes, _NO_LABELS if labels is None else labels, stack, top, pairs)
        yield pairs[:count]


def kept_pairs(tree: Tree, margin: float, most: int, keep: Keep) -> Ints:
    """Pairs (n,2) of near triangles i < j, sorted, that `keep` keeps; the search stops at `most` of them."""
    found, count = np.empty((most, 2), np.int64), 0
    for near in near_pairs(tree, margin):
        count = keep(near, found, count)
        if count == most:
            break
    pairs = np.sort(tree.order[found[:count]], axis=1)
    return np.ascontiguousarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


def label_tree(tree: Tree, label: Ints, room: int) -> SettledLabels:
    """The labels (T,) of triangles 0.. on their tree, with nothing settled and room for half of so many pairs."""
    entry, node = np.asarray(label[tree.order], np.int64), np.empty(len(tree.low), np.int64)
    _label_nodes(entry, tree.depth, node)
    return SettledLabels(entry, node, int(label.max()) + 1, np.full(room, -1, np.int64))


@njit_no_refs
def _grow_boxes(corners: Floats, margin: float, box: Floats) -> None:
    """The box (T,6) of each entry, low then high, grown by the margin."""
    for t in range(len(corners)):
        for k in range(3):
            a, b, c = corners[t, 0, k], corners[t, 1, k], corners[t, 2, k]
            box[t, k] = min(a, b, c) - margin
            box[t, k + 3] = max(a, b, c) + margin


@njit_no_refs
def _label_nodes(label: Ints, depth: int, node_label: Ints) -> None:
    leaves = 1 << depth
    for leaf in range(leaves):
        begin, end = leaf_entries(leaf, depth, len(label))
        node_label[leaves + leaf] = label[begin]
        for i in range(begin, end):
            if label[i] != label[begin]:
                node_label[leaves + leaf] = MIXED
    for node in range(leaves - 1, 0, -1):
        one, other = node_label[2 * node], node_label[2 * node + 1]
        node_label[node] = one if one == other else MIXED


@njit_no_refs
def _next_pairs(boxes: _Boxes, labels: SettledLabels, stack: Ints, top: int, pairs: Ints) -> tuple[int, int]:
    """Go on with the search until `pairs` is full; the new height of the stack, 0 at the end, and how many it got."""
    total, leaves, count = len(boxes.entry), 1 << boxes.depth, 0
    labelled = len(labels.entry) > 0
    while top > 0 and count + LEAF * LEAF <= len(pairs):
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        if labelled and is_settled(labels, labels.node[a], labels.node[b]):
            continue
        if a < leaves:
            top = _descend(boxes, stack, top, a, b)
            continue
        a_begin, a_end = leaf_entries(a - leaves, boxes.depth, total)
        b_begin, b_end = leaf_entries(b - leaves, boxes.depth, total)
        for i in range(a_begin, a_end):
            if _in_reach(boxes, i, b):
                for j in range(max(b_begin, i + 1), b_end):
                    if boxes_meet(boxes.entry, i, j) and not (labelled and labels.entry[i] == labels.entry[j]):
                        pairs[count, 0], pairs[count, 1] = i, j
                        count += 1
    return top, count


@device_inlined
def is_settled(labels: SettledLabels, one: int, other: int) -> bool:
    """Whether of two labels, MIXED for several, no more is wanted: equal ones, and those in the table."""
    if one < 0 or other < 0:
        return False
    return bool(one == other or labels.table[find_slot(labels, one, other)] >= 0)


@device_inlined
def find_slot(labels: SettledLabels, one: int, other: int) -> int:
    """Where a pair is in the table, or the free place for it (open addressing; Knuth's multiplicative hash)."""
    key = min(one, other) * labels.labels + max(one, other)
    at = ((key * 2654435761) >> 7) & (len(labels.table) - 1)
    while labels.table[at] >= 0 and labels.table[at] != key:
        at = (at + 1) & (len(labels.table) - 1)
    return int(at)


@device_inlined
def _descend(boxes: _Boxes, stack: Ints, top: int, a: int, b: int) -> int:
    """Push the pairs of children of the nodes a <= b whose boxes meet; the new height of the stack."""
    low, high, gap = boxes.low, boxes.high, boxes.gap
    for i in range(2):
        for j in range(2):
            m, n = 2 * a + i, 2 * b + j
            if m <= n and (
                (low[m, 0] - gap <= high[n, 0]) & (low[n, 0] - gap <= high[m, 0])
                & (low[m, 1] - gap <= high[n, 1]) & (low[n, 1] - gap <= high[m, 1])
                & (low[m, 2] - gap <= high[n, 2]) & (low[n, 2] - gap <= high[m, 2])
            ):  # fmt: skip
                stack[top, 0], stack[top, 1] = m, n
                top += 1
    return top


@device_inlined
def _in_reach(boxes: _Boxes, i: int, node: int) -> bool:
    """Whether the box of entry i comes within the gap of a node's."""
    box, low, high, gap = boxes.entry, boxes.low, boxes.high, boxes.gap
    return bool(
        (box[i, 0] - gap <= high[node, 0]) & (low[node, 0] - gap <= box[i, 3])
        & (box[i, 1] - gap <= high[node, 1]) & (low[node, 1] - gap <= box[i, 4])
        & (box[i, 2] - gap <= high[node, 2]) & (low[node, 2] - gap <= box[i, 5])
    )  # fmt: skip
