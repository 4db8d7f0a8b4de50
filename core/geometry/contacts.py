"""Which labelled pieces of one mesh touch or cross each other: pairs of labels, not of triangles.

Two pieces touch where some triangle of the one comes within 2^-22 of the mesh's diagonal (the margin of `crossings.py`)
of some triangle of the other, unless one of the directions that separate triangles (normals, side normals in their
planes, cross products of sides) shows a wider gap. So everything that crosses or touches is found, whether at a vertex,
an edge or a face, and nothing that is more than a few margins apart.

The search walks a tree against itself and is done with a pair of pieces at its first contact.
"""

import numpy as np

from ..jit import device_inlined, njit_no_refs, sealed_ints
from ..types import Floats, Ints
from .bvh import boxes_meet, build_tree, descend, in_reach, leaf_entries
from .crossings import CROSSING_MARGIN, along_side, are_separated, sides_apart

MIXED = -1  # node whose triangles have several labels
# Room for the first search; four times as much for each further one; cells have some 15 neighbours, of which each pair
# counts once.
PAIRS_PER_LABEL = 8


def find_shell_contacts(vertices: Floats, triangles: Ints, label: Ints, size: float) -> Ints:
    """Pairs (n,2) of labels a < b whose triangles touch or cross, sorted. `label (T,)` is 0.. of each triangle.

    `size` [m] is the diagonal to which the margin is relative.
    """
    if len(triangles) == 0:
        return np.empty((0, 2), np.int64)
    if label.min() < 0:
        raise IndexError("a label is negative")
    tree = build_tree(vertices, triangles)
    margin = CROSSING_MARGIN * size
    of_entry = sealed_ints(label[tree.order])
    box, of_node = np.empty((len(triangles), 6)), np.empty(len(tree.low), np.int64)
    stack = np.empty((4 * tree.depth + 8, 2), np.int64)
    count = int(label.max()) + 1
    size = 1024
    while size < 2 * PAIRS_PER_LABEL * count:
        size *= 2
    while True:
        table = np.full(size, -1, np.int64)
        found = _search(
            tree.corners, of_entry, tree.low, tree.high, tree.depth, count, margin, box, of_node, stack, table
        )
        if found >= 0:
            break
        size *= 4
    keys = np.sort(table[table >= 0])
    return np.stack([keys // count, keys % count], axis=1)


@njit_no_refs
def _search(
    corners: Floats,
    label: Ints,
    low: Floats,
    high: Floats,
    depth: int,
    labels: int,
    margin: float,
    box: Floats,
    node_label: Ints,
    stack: Ints,
    table: Ints,
) -> int:
    """Fill the hash table with the keys a * labels + b of touching pairs; how many, or -1 where it is half full.

    `box (T,6)`, `node_label (nodes,)` and `stack` are scratch; `table` holds -1, its length is a power of two.
    """
    total, leaves = len(corners), 1 << depth
    _boxes(corners, 0.5 * margin, box)
    _label_nodes(label, depth, node_label)
    count = 0
    stack[0, 0], stack[0, 1] = 1, 1
    top = 1
    while top > 0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        p, q = node_label[a], node_label[b]
        if p >= 0 and q >= 0 and (p == q or table[_slot(table, min(p, q) * labels + max(p, q))] >= 0):
            continue
        if a < leaves:
            top = descend(stack, top, a, b, low, high, margin)
            continue
        a_begin, a_end = leaf_entries(a - leaves, depth, total)
        b_begin, b_end = leaf_entries(b - leaves, depth, total)
        for i in range(a_begin, a_end):
            if not in_reach(box, i, low, high, b, margin):
                continue
            for j in range(max(b_begin, i + 1), b_end):
                p, q = label[i], label[j]
                if p == q or not boxes_meet(box, i, j):
                    continue
                key = min(p, q) * labels + max(p, q)
                slot = _slot(table, key)
                if table[slot] < 0 and _near(corners, i, j, margin):
                    table[slot] = key
                    count += 1
                    if 2 * count > len(table):
                        return -1
    return count


@device_inlined
def _slot(table: Ints, key: int) -> int:
    """Where the key is in the table, or the free place for it (open addressing; Knuth's multiplicative hash)."""
    at = ((key * 2654435761) >> 7) & (len(table) - 1)
    while table[at] >= 0 and table[at] != key:
        at = (at + 1) & (len(table) - 1)
    return int(at)


@device_inlined
def _boxes(corners: Floats, margin: float, box: Floats) -> None:
    """The box (T,6) of each entry, low then high, grown by the margin."""
    for t in range(len(corners)):
        for k in range(3):
            a, b, c = corners[t, 0, k], corners[t, 1, k], corners[t, 2, k]
            box[t, k] = min(a, b, c) - margin
            box[t, k + 3] = max(a, b, c) + margin


@device_inlined
def _label_nodes(label: Ints, depth: int, node_label: Ints) -> None:
    """The label of all entries of each node, or MIXED."""
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


@device_inlined
def _near(corners: Floats, i: int, j: int, margin: float) -> bool:
    """Whether no direction separates triangles i and j by the margin. Any direction may be tried: none is wrong."""
    for turn in range(2):
        t = i if turn == 0 else j
        ax, ay, az = along_side(corners, t, 0)
        bx, by, bz = along_side(corners, t, 1)
        a, b, c = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        for k in range(4):  # the normal, then across each side in the plane of the triangle
            x, y, z = a, b, c
            if k < 3:
                sx, sy, sz = along_side(corners, t, k)
                x, y, z = b * sz - c * sy, c * sx - a * sz, a * sy - b * sx
            if x * x + y * y + z * z > 0.0 and are_separated(corners, i, j, x, y, z, -margin):
                return False
    return not sides_apart(corners, i, j, -margin)
