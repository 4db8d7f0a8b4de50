"""Points that are one and faces that are one: exact coincidences of an artist's mesh, found without a tolerance."""

from typing import NamedTuple

import numpy as np

from ..geometry.graph import connected_labels
from ..geometry.mesh import edge_table
from ..types import Bools, Floats, Ints

MIXERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93], np.uint64)  # odd, bits all over
SAIL = 0.01  # of the whole area: a patch of faces with two sides that stands out and is larger is meant; by eye


class Welded(NamedTuple):
    """Which vertices are one."""

    map: Ints  #: (V,) the first vertex with equal coordinates
    welded: int  #: vertices that became another one


def exact_weld(vertices: Floats, triangles: Ints) -> Welded:
    """Make one of the vertices with equal coordinates that triangles (T,3) use; -0.0 equals 0.0.

    Vertices without a triangle keep their own number and take nobody's place.
    """
    used = np.zeros(len(vertices), dtype=np.bool_)
    used[triangles] = True
    chosen = np.flatnonzero(used)
    first = first_equal((vertices[chosen] + 0.0).view(np.int64))  # the sum makes 0.0 of -0.0
    target = np.arange(len(vertices))
    target[chosen] = chosen[first]
    return Welded(target, int((first != np.arange(len(first))).sum()))


def collapsed(triangles: Ints) -> Bools:
    """Triangles (T,) that use a vertex twice.

    Those without area that have three different vertices are no such: they seal the sides of others.
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return np.asarray((a == b) | (b == c) | (c == a))


def first_equal(rows: Ints) -> Ints:
    """The first row that equals each row (n,3); a third of the time of sorting by all columns."""
    mixed = np.zeros(len(rows), np.uint64)
    for k in range(3):
        mixed = (mixed ^ rows[:, k].astype(np.uint64)) * MIXERS[k]
        mixed ^= mixed >> np.uint64(29)
    order = np.argsort(mixed, kind="stable")
    differs = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    if (differs & (mixed[order[1:]] == mixed[order[:-1]])).any():  # unequal rows with one key
        order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))
        differs = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    opens = np.concatenate([[True], differs]) if len(rows) else np.zeros(0, dtype=np.bool_)
    first = np.empty(len(rows), np.int64)
    first[order] = order[np.flatnonzero(opens)[np.cumsum(opens) - 1]]
    return first


class Twins(NamedTuple):
    """What becomes of the faces that stand on the same three vertices."""

    keep: Bools  #: (T,)
    twin: Ints  #: (T,) opposite face that was dropped beside a kept one, its back side; -1 elsewhere
    equal: int  #: faces dropped beside one of the same direction
    cancelled: int  #: faces dropped together with their opposite: walls without thickness between two solids
    backs: int  #: faces dropped as the back side of another


def twins(triangles: Ints, area: Floats) -> Twins:
    """Choose among faces (T,3) on the same three vertices; `area (T,)` of each in any unit.

    Of equal ones the first is kept. Two opposite ones are a wall between solids that touch, or a fold that sticks out
    of one, and both go, or else they are the two sides of one sheet, and the first is kept. The decision is made for
    each patch of such pairs that hangs together over edges without other faces: both go if this leaves no more
    edges with a single face than keeping one does, and there are more edges of the patch that stay closed then than
    edges that open. So what has no other neighbours is never taken away, nor is what stands out and is large: a sail
    with two sides. What is small is a fault of the mesh.
    """
    keep, twin = np.ones(len(triangles), dtype=np.bool_), np.full(len(triangles), -1, np.int64)
    rows = np.sort(triangles, axis=1)
    first = first_equal(rows)
    again = first != np.arange(len(first))
    if not again.any():
        return Twins(keep, twin, 0, 0, 0)
    odd = is_odd(triangles)
    copy = again & (odd == odd[first])
    other = np.flatnonzero(again & ~copy)  # of the other direction than the first of their group
    leader, at = np.unique(first[other], return_index=True)
    back = other[at]
    keep[other] = False
    keep[copy] = False
    equal = int(copy.sum()) + len(other) - len(back)
    cancel = _cancelled(triangles, keep, leader, area)
    keep[leader[cancel]] = False
    twin[leader[~cancel]] = back[~cancel]
    return Twins(keep, twin, equal, 2 * int(cancel.sum()), int((~cancel).sum()))


def is_odd(triangles: Ints) -> Bools:
    """Whether the corners run downwards: three different numbers in an odd permutation."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return np.asarray((a > b) ^ (b > c) ^ (c > a))


def _cancelled(triangles: Ints, keep: Bools, leader: Ints, area: Floats) -> Bools:
    """Which of the pairs (n,), given by a kept face each, go altogether."""
    if len(leader) == 0:
        return np.zeros(0, dtype=np.bool_)
    rows = np.flatnonzero(keep)
    edges = edge_table(triangles[rows])
    paired = np.zeros(len(triangles), dtype=np.bool_)
    paired[leader] = True
    of_pair = np.repeat(paired[rows], 3)
    number = np.empty(len(triangles), np.int64)
    number[leader] = np.arange(len(leader))
    pair = number[np.repeat(rows[paired[rows]], 3)]  # pair of each of its half-edges
    edge = edges.of_half[of_pair]
    others = np.bincount(edges.of_half[~of_pair], minlength=len(edges.ends))
    some = np.empty(len(edges.ends), np.int64)
    some[edge] = pair
    patch = connected_labels(len(leader), np.stack([some[edge], pair], axis=1)[others[edge] == 0])
    # One row for each edge of each patch.
    spot, mine = np.unique(patch[pair] * len(edges.ends) + edge, return_counts=True)
    patch_of, edge_of = np.divmod(spot, len(edges.ends))
    large = np.bincount(patch, weights=area[leader]) > SAIL * float(area[keep].sum())
    return _chosen(patch_of, edge_of, mine, others, large)[patch]


def _chosen(patch_of: Ints, edge_of: Ints, mine: Ints, others: Ints, large: Bools) -> Bools:
    """Which patches of pairs go altogether; `large` ones that stand out do not.

    Patch `patch_of (n,)` has `mine (n,)` pairs at edge `edge_of (n,)`, which has `others (E,)` faces of no pair. Of
    patches that could go, but keep one another's edge closed, one goes first; those that hang loose before others.
    """
    patches = int(patch_of.max()) + 1
    gone = np.zeros(patches, dtype=np.bool_)
    while True:
        here = ~gone[patch_of]
        count = others + np.bincount(edge_of[here], weights=mine[here], minlength=len(others)).astype(np.int64)
        left = count[edge_of] - mine
        opened = np.bincount(patch_of[here & (left == 1)], minlength=patches)
        closed = np.bincount(patch_of[here & (left >= 2)], minlength=patches)
        free = np.bincount(patch_of[here & (left + mine == 1)], minlength=patches)
        may = (opened <= free) & (opened < closed) & ~gone & ~(large & (free > 0))
        if not may.any():
            return gone
        rank = np.argsort(np.argsort(free == 0, kind="stable"), kind="stable")
        tied = np.flatnonzero(may[patch_of] & (others[edge_of] == 1))
        first = np.full(len(others), patches)
        np.minimum.at(first, edge_of[tied], rank[patch_of[tied]])
        may[patch_of[tied[rank[patch_of[tied]] > first[edge_of[tied]]]]] = False
        gone |= may
