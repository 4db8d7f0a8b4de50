"""Which labelled pieces of one mesh touch or cross each other: pairs of labels, not of triangles.

Two pieces touch where some triangle of the one comes within 2^-22 of the mesh's diagonal (the margin of `crossings.py`)
of some triangle of the other, unless one of the directions that separate triangles (normals, side normals in their
planes, cross products of sides) shows a wider gap. So everything that crosses or touches is found, whether at a vertex,
an edge or a face, and nothing that is more than a few margins apart.

The search walks a tree against itself and is done with a pair of pieces at its first contact.
"""

import numpy as np

from ..jit import device_inlined, njit_no_refs
from ..types import Floats, Ints
from .bvh import build_tree
from .crossings import CROSSING_MARGIN, along_side, are_separated, sides_apart
from .pair_search import SettledLabels, find_slot, label_tree, near_pairs

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
    count, room = int(label.max()) + 1, 1024
    while room < 2 * PAIRS_PER_LABEL * count:
        room *= 2
    while True:
        labels, found = label_tree(tree, label, room), 0
        for near in near_pairs(tree, margin, labels):
            found = _settle_touching(labels, tree.corners, margin, near, found)
            if found < 0:
                break
        if found >= 0:
            break
        room *= 4
    keys = np.sort(labels.table[labels.table >= 0])
    return np.stack([keys // count, keys % count], axis=1)


@njit_no_refs
def _settle_touching(labels: SettledLabels, corners: Floats, margin: float, near: Ints, count: int) -> int:
    """Enter the labels of those of some pairs that touch in the table of `count` ones; how many, -1 where half full."""
    for n in range(len(near)):
        i, j = near[n, 0], near[n, 1]
        p, q = labels.entry[i], labels.entry[j]
        slot = find_slot(labels, p, q)
        if labels.table[slot] < 0 and _near(corners, i, j, margin):
            labels.table[slot] = min(p, q) * labels.labels + max(p, q)
            count += 1
            if 2 * count > len(labels.table):
                return -1
    return count


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
