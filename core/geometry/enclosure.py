"""How closed solids in one mesh lie to each other: which touch, which lie within which.

Solids that hang together by touching are a group. A solid that does not touch another lies wholly in it or wholly out
of it, and where it does, so does all of its group: one winding number each decides.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import dot
from ..jit import sealed_floats, sealed_ints
from ..types import Floats, Ints
from .contacts import find_shell_contacts
from .crossings import CROSSING_MARGIN
from .graph import connected_labels
from .inside import winding_number
from .mesh import diagonal

ROWS = 1 << 20  # pairs of boxes that are compared at a time; bounds the memory


class Relations(NamedTuple):
    """How S closed solids lie to each other."""

    touch: Ints  #: (n,2) pairs a < b that touch or cross
    group: Ints  #: (S,) solids that hang together by touching
    hold: Ints  #: (m,2) outer, inner: pairs that do not touch, of which one lies within the other, sorted


def relations(vertices: Floats, triangles: Ints, solid: Ints, count: int) -> Relations:
    """Relations of the solids 0..count-1 to which the triangles (T,3) belong; each has a triangle and is closed."""
    none = np.empty((0, 2), np.int64)
    if count < 2:
        return Relations(none, np.arange(count), none)
    order = np.argsort(solid, kind="stable")
    start = np.searchsorted(solid[order], np.arange(count + 1))
    each = np.diff(start)
    corner = vertices.take(triangles.take(order, axis=0), axis=0)
    low = np.minimum(np.minimum(corner[:, 0], corner[:, 1]), corner[:, 2])
    high = np.maximum(np.maximum(corner[:, 0], corner[:, 1]), corner[:, 2])
    size = diagonal(vertices)
    boxes = _Boxes(np.minimum.reduceat(low, start[:-1]), np.maximum.reduceat(high, start[:-1]))
    near, reach = _beside(boxes, 2.0 * CROSSING_MARGIN * size)
    beside = np.ones(len(order), np.bool_)
    for k in range(3):
        beside &= low[:, k] <= np.repeat(reach.high[:, k], each)
        beside &= high[:, k] >= np.repeat(reach.low[:, k], each)
    some = order[beside]
    touch = find_shell_contacts(vertices, triangles.take(some, axis=0), solid[some], size)
    apart = ~np.isin(near[:, 0] * count + near[:, 1], np.concatenate([dot(touch, (count, 1)), dot(touch, (1, count))]))
    near = near[apart]
    point = corner[start[:-1], 0]
    held = np.zeros(len(near), np.bool_)
    first = np.flatnonzero(np.diff(near[:, 0], prepend=-1))
    for begin, end in pairwise([*first.tolist(), len(near)]):
        outer = int(near[begin, 0])
        labelled = sealed_floats(corner[start[outer] : start[outer + 1]].reshape(-1, 3))
        corners = sealed_ints(np.arange(len(labelled)).reshape(-1, 3))
        held[begin:end] = winding_number(labelled, corners, point[near[begin:end, 1]]) != 0
    return Relations(touch, connected_labels(count, touch), near[held])


class _Boxes(NamedTuple):
    """One box for each solid."""

    low: Floats  #: (S,3)
    high: Floats  #: (S,3)


def _beside(boxes: _Boxes, slack: float) -> tuple[Ints, _Boxes]:
    """Pairs (n,2) of boxes of which the first holds the second, sorted, and the box in which each may touch others.

    Boxes whose gap is within the slack are in each other's reach; what reaches none is upside down. Equal boxes hold
    each other.
    """
    low, high = boxes
    axis = int(np.argmax((high.max(axis=0) - low.min(axis=0)) / np.maximum((high - low).sum(axis=0), 1e-300)))
    order = np.argsort(low[:, axis], kind="stable")
    begin = np.searchsorted(low[order, axis], low[:, axis], side="left")
    length = np.searchsorted(low[order, axis], high[:, axis] + slack, side="right") - begin
    reach = _Boxes(np.full(low.shape, np.inf), np.full(low.shape, -np.inf))
    found = [np.empty((0, 2), np.int64)]
    bound = np.concatenate([[0], np.cumsum(length)])
    first = 0
    while first < len(low):
        last = max(first + 1, int(np.searchsorted(bound, bound[first] + ROWS, side="right")) - 1)
        a = np.repeat(np.arange(first, last), length[first:last])
        b = order[np.arange(bound[first], bound[last]) - bound[a] + begin[a]]
        meet = np.flatnonzero(
            (a != b) & (low[b] <= high[a] + slack).all(axis=1) & (low[a] <= high[b] + slack).all(axis=1)
        )
        a, b = a[meet], b[meet]
        for one, other in ((a, b), (b, a)):
            np.minimum.at(reach.low, one, low[other] - slack)
            np.maximum.at(reach.high, one, high[other] + slack)
        fits = (low[a] <= low[b]).all(axis=1) & (high[b] <= high[a]).all(axis=1)
        found.append(np.stack([a[fits], b[fits]], axis=1))
        first = last
    pairs = np.concatenate(found)
    return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]), reach
