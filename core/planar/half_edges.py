"""Loops of half-edges in plane graphs, and whether a loop runs around a point.

Each half-edge has its face on its left and is followed by one half-edge around that face, so what follows what is a
permutation, whose cycles are the loops around faces. Source: the doubly-connected edge list of de Berg et al.,
Computational Geometry, 3rd ed., 2.2.
"""

from typing import NamedTuple

import numpy as np

from ..arithmetic.angles import arctan2
from ..jit import njit_no_refs, sealed_ints
from ..types import Floats, Ints


class HalfEdgeLoops(NamedTuple):
    """The L loops of H half-edges."""

    of_half: Ints  #: (H,) loop of each half-edge
    half: Ints  #: (H,) half-edges, loop by loop in the order in which they follow each other
    start: Ints  #: (L+1,) bounds of each loop, in the order of their first half-edges


def link_half_edges(tail: Ints, along: Floats) -> tuple[Ints, Floats]:
    """What follows each half-edge of a plane graph, and how far around its tail the next one is.

    Edge e has the half-edges 2 e and 2 e + 1; each begins at a vertex `tail (H,)` and leaves it along `along (H,2)`.
    Returns the half-edges that follow (H,), and the angle (H,) from each to the next one counter-clockwise around its
    tail [rad], 0 where there is no other one.
    """
    angle = arctan2(along[:, 1], along[:, 0])
    order = np.lexsort((angle, tail))
    start = np.flatnonzero(np.diff(tail[order], prepend=-1))
    after = np.arange(len(order)) + 1
    after[np.append(start[1:], len(order))[: len(start)] - 1] = start
    turn, follows = np.empty(len(order)), np.empty(len(order), np.int64)
    turn[order] = (angle[order[after]] - angle[order]) % (2.0 * np.pi)
    # With the face on the left, an edge is followed by the one clockwise of the way back.
    follows[order[after] ^ 1] = order
    return follows, turn


def trace_loops_of(follows: Ints) -> HalfEdgeLoops:
    """The loops of half-edges of which each is followed by `follows (H,)`, a permutation.

    Raises IndexError for a half-edge that does not exist, ValueError where two are followed by the same one.
    """
    total = len(follows)
    if total and (follows.min() < 0 or follows.max() >= total):
        raise IndexError("a half-edge that does not exist")
    if total and np.bincount(follows).max() > 1:
        raise ValueError("two half-edges are followed by the same one")
    of_half, half, start = np.full(total, -1, np.int64), np.empty(total, np.int64), np.zeros(total + 1, np.int64)
    count = _trace(sealed_ints(follows), of_half, half, start)
    return HalfEdgeLoops(of_half, half, start[: count + 1].copy())


@njit_no_refs
def _trace(follows: Ints, loop: Ints, sequence: Ints, start: Ints) -> int:
    """Number the cycles of a permutation; `loop` comes as -1."""
    count, at = 0, 0
    for first in range(len(follows)):
        if loop[first] >= 0:
            continue
        half = first
        while loop[half] < 0:
            loop[half] = count
            sequence[at] = half
            at += 1
            half = follows[half]
        count += 1
        start[count] = at
    return count


def contains(polygon: Floats, point: Floats) -> bool:
    """Whether a polygon (n,2) runs around a point (2,) an odd number of times, by crossings to its right."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    over = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
    a, b = a[over], b[over]
    x = a[:, 0] + (point[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool(np.count_nonzero(x > point[0]) % 2)
