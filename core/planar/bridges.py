"""Polygons with holes as one ring: holes are joined to the outline by bridges, edges that are passed twice.

Each hole is joined from its leftmost corner, from left to right, to what it sees there (Eberly, Triangulation by Ear
Clipping, 2002). Few facets have holes, so this is numpy.
"""

from itertools import pairwise

import numpy as np

from ..arithmetic.products import dot
from ..types import Bools, Floats, Ints

BORDER = -1  #: of an edge of the ring that is no bridge; the edges of bridge k have -2 - k


def bridged(point: Floats, start: Ints, outline: int) -> tuple[Ints, Ints]:
    """Corners around the ring (n + 2h,), and for each edge to the next one its bridge or `BORDER`.

    `start` bounds the loops of the polygon among its corners `point (n,2)`. Loop `outline` runs counter-clockwise
    around the others, which run clockwise. A hole that lies elsewhere is joined to the nearest corner.
    """
    loops = [np.arange(a, b) for a, b in pairwise(start)]
    ring = loops.pop(outline)
    behind = np.full(len(ring), BORDER)
    loops = [np.roll(hole, -int(np.argmin(point[hole, 0]))) for hole in loops if len(hole)]
    for number, hole in enumerate(sorted(loops, key=lambda hole: float(point[hole[0], 0]))):
        m = _seen_from(point, ring, int(hole[0]))
        own = np.full(len(hole), BORDER)
        ring = np.concatenate([ring[: m + 1], hole, hole[:1], ring[m:]])
        behind = np.concatenate([behind[:m], [-2 - number], own, [-2 - number], behind[m:]])
    return ring, behind


def _seen_from(point: Floats, ring: Ints, hole: int) -> int:
    """The node of the ring that the leftmost corner of a hole sees: to its left there is nothing but the ring."""
    p, h = point[ring] - point[hole], point[hole]
    q = np.roll(p, -1, axis=0)
    down = (p[:, 1] >= 0.0) & (q[:, 1] <= 0.0) & (p[:, 1] > q[:, 1])  # matter lies to the right of these edges
    fall = np.where(down, p[:, 1] - q[:, 1], 1.0)
    x = np.where(down, p[:, 0] + p[:, 1] / fall * (q[:, 0] - p[:, 0]), np.inf)
    x[x > 0.0] = -np.inf
    e = int(np.argmax(x))
    if x[e] == -np.inf:
        return int(np.argmin(dot(p, p)))
    m = e if p[e, 0] < q[e, 0] else (e + 1) % len(ring)
    # What lies in the triangle of the hole, the hit and m hides m: the one in the flattest direction does not.
    end = p[m]
    hidden = (p[:, 0] >= end[0]) & (p[:, 0] < 0.0) & (p[:, 1] * end[1] >= 0.0)
    side = (end[0] - x[e]) * p[:, 1] - end[1] * (p[:, 0] - x[e])
    hidden &= (side <= 0.0) if end[1] >= 0.0 else (side >= 0.0)
    slope = np.abs(p[:, 1]) / np.where(p[:, 0] < 0.0, -p[:, 0], 1.0)
    steepest = slope[m] if end[0] < 0.0 else np.inf
    hidden &= (slope < steepest) | ((slope == steepest) & (p[:, 0] > end[0]))
    hidden &= _opens_to(point[ring], h)
    rows = np.flatnonzero(hidden)
    return int(rows[np.lexsort((-p[rows, 0], slope[rows]))[0]]) if len(rows) else m


def _opens_to(ring: Floats, h: Floats) -> Bools:
    """Whether the ring's inner angle at each node holds the direction to h."""
    before, after = np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0)

    def left(a: Floats, b: Floats, c: Floats) -> Floats:
        u, v = b - a, c - a
        twice: Floats = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        return twice

    of_next, of_last = left(ring, after, h), left(before, ring, h)
    convex = left(before, ring, after) >= 0.0
    return np.where(convex, (of_next >= 0.0) & (of_last >= 0.0), (of_next > 0.0) | (of_last > 0.0))
