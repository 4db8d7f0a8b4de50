"""Vertices and edges that lie within a tolerance of each other become one vertex, and one chain of edges.

Nothing moves farther than the tolerance. Reference: snap rounding (Hobby 1999), with clusters instead of a grid.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ....arithmetic.products import dot, norm
from ....geometry.graph import connected_labels
from ....types import Floats, Ints

#: Pairs of boxes that are compared at once. Bounds the memory.
PAIRS_AT_ONCE = 4_000_000
#: So often edges are split at what lies on them: each round may bend some onto new neighbours. Chosen by time.
_ROUNDS = 6


class Chains(NamedTuple):
    """Edges as chains of shorter ones that meet only at their ends."""

    vertices: Floats  #: (V',3) the given ones first
    start: Ints  #: (E+1,) pieces of each edge, in its direction
    piece: Ints  #: (.,2) ends of each piece, in the direction of its edge


def weld_vertices(vertices: Floats, near: float) -> Ints:
    """(V,) first vertex of the cluster of each: such as are no farther apart than `near`, one after the other."""
    pairs = cKDTree(vertices).query_pairs(near, output_type="ndarray").astype(np.int64).reshape(-1, 2)
    label = connected_labels(len(vertices), pairs)
    first = np.unique(label, return_index=True)[1]
    return np.asarray(first[label])


def chains(vertices: Floats, edges: Ints, near: float) -> Chains:
    """Split welded edges (E,2) where they cross, and at vertices that lie on them, to the tolerance `near`."""
    piece, owner = edges.copy(), np.arange(len(edges))
    used = np.unique(edges)
    for _ in range(_ROUNDS):
        vertices, crossing, point = _crossings(vertices, piece, used, near)
        used = np.union1d(used, point)
        on, at = _on_edges(vertices, piece, used, near)
        cut = np.concatenate([crossing, on])
        if len(cut) == 0:
            break
        piece, owner = _split(vertices, piece, owner, cut, np.concatenate([point, at]))
    order = np.argsort(owner, kind="stable")
    return Chains(vertices, np.searchsorted(owner[order], np.arange(len(edges) + 1)), piece[order])


def _split(vertices: Floats, piece: Ints, owner: Ints, cut: Ints, point: Ints) -> tuple[Ints, Ints]:
    """Pieces split at points; (row of the piece, vertex) for each of them."""
    pairs = np.unique(np.stack([cut, point], axis=1), axis=0)
    cut, point = pairs[:, 0], pairs[:, 1]
    start = vertices[piece[cut, 0]]
    along = vertices[piece[cut, 1]] - start
    share = dot(vertices[point] - start, along)
    order = np.lexsort((share, cut))
    cut, point = cut[order], point[order]
    row = np.concatenate([np.arange(len(piece)), cut])
    order = np.argsort(row, kind="stable")  # the piece itself, then its points by their order
    begin = np.concatenate([piece[:, 0], point])[order]
    row = row[order]
    end = np.append(begin[1:], 0)
    last = np.append(row[1:] != row[:-1], True)
    end[last] = piece[row[last], 1]
    keep = begin != end
    return np.stack([begin, end], axis=1)[keep], owner[row[keep]]


def _on_edges(vertices: Floats, piece: Ints, used: Ints, near: float) -> tuple[Ints, Ints]:
    """Vertices that lie on pieces, not at their ends: rows of pieces, and the vertices."""
    low, high = boxes(vertices[piece], near)
    rows, points = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    place = vertices[used]
    for row, k in meeting_in_blocks(low, high, place, place):
        point = used[k]
        a, b = piece[row, 0], piece[row, 1]
        start, along = vertices[a], vertices[b] - vertices[a]
        share = dot(vertices[point] - start, along) / dot(along, along)
        away = vertices[point] - start - share[:, None] * along
        found = (dot(away, away) < near * near) & (point != a) & (point != b)
        found &= (share > 0.0) & (share < 1.0)
        rows.append(row[found])
        points.append(point[found])
    return np.concatenate(rows), np.concatenate(points)


def _crossings(vertices: Floats, piece: Ints, used: Ints, near: float) -> tuple[Floats, Ints, Ints]:
    """Vertices with those added at which pieces cross; rows of the pieces, and the vertex of each."""
    low, high = boxes(vertices[piece], near)
    some, places = [np.zeros((0, 2), np.int64)], [np.zeros((0, 3))]
    for i, j in meeting_in_blocks(low, high, low, high):
        apart = (i < j) & (piece[i][:, :, None] != piece[j][:, None, :]).all(axis=(1, 2))
        i, j = i[apart], j[apart]
        distance, place, inner = _closest(vertices[piece[i]], vertices[piece[j]], near)
        found = (distance < near) & inner
        some.append(np.stack([i[found], j[found]], axis=1))
        places.append(place[found])
    pairs, place = np.concatenate(some), np.concatenate(places)
    if len(pairs) == 0:
        return vertices, np.zeros(0, np.int64), np.zeros(0, np.int64)
    # A crossing at a vertex that is there already is that vertex.
    known, which = (np.asarray(a) for a in cKDTree(vertices[used]).query(place, distance_upper_bound=near))
    there = np.isfinite(known)
    label = weld_vertices(place, near)
    new, number = np.unique(label[~there], return_inverse=True)
    vertex = np.empty(len(pairs), np.int64)
    vertex[there] = used[which[there]]
    vertex[~there] = len(vertices) + number.ravel()
    vertices = np.concatenate([vertices, place[new]])
    return vertices, pairs.T.ravel().copy(), np.concatenate([vertex, vertex])


def _closest(one: Floats, two: Floats, near: float) -> tuple[Floats, Floats, Ints]:
    """Distance (n,), middle (n,3), and whether both nearest points are inner ones, of segments (n,2,3)."""
    u, v, w = one[:, 1] - one[:, 0], two[:, 1] - two[:, 0], one[:, 0] - two[:, 0]
    a, b, c = (dot(x, y) for x, y in ((u, u), (u, v), (v, v)))
    d, e = dot(u, w), dot(v, w)
    size = a * c - b * b
    good = size > 1e-12 * a * c
    size = np.where(good, size, 1.0)
    s, t = (b * e - c * d) / size, (a * e - b * d) / size
    p, q = one[:, 0] + s[:, None] * u, two[:, 0] + t[:, None] * v
    distance = norm(p - q)
    end, tip = near / np.sqrt(a), near / np.sqrt(c)
    inner = good & (s > end) & (s < 1.0 - end) & (t > tip) & (t < 1.0 - tip)
    return distance, 0.5 * (p + q), inner


def boxes(corners: Floats, margin: float) -> tuple[Floats, Floats]:
    """Low and high (n,3) of the boxes around points (n,k,3), grown by a margin."""
    return corners.min(axis=1) - margin, corners.max(axis=1) + margin


def meeting_in_blocks(low: Floats, high: Floats, other_low: Floats, other_high: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of boxes of two sets that meet, as rows of the one and the other, in blocks.

    The others are swept along x by powers of two of their length, so that a few long ones do not slow down all.
    """
    if len(low) == 0 or len(other_low) == 0:
        return
    length = np.frexp(other_high[:, 0] - other_low[:, 0])[1]
    for size in np.unique(length):
        some = np.flatnonzero(length == size)
        for row, k in _swept(low, high, other_low[some], other_high[some]):
            yield row, some[k]


def _swept(low: Floats, high: Floats, other_low: Floats, other_high: Floats) -> Iterator[tuple[Ints, Ints]]:
    order = np.argsort(other_low[:, 0], kind="stable")
    begin = other_low[order, 0]
    longest = float((other_high[:, 0] - other_low[:, 0]).max())
    first = np.searchsorted(begin, low[:, 0] - longest, side="left")
    last = np.searchsorted(begin, high[:, 0], side="right")
    total = np.concatenate([[0], np.cumsum(last - first)])
    at = 0
    while at < len(low):
        to = max(at + 1, int(np.searchsorted(total, total[at] + PAIRS_AT_ONCE, side="right")) - 1)
        count = (last - first)[at:to]
        row = np.repeat(np.arange(at, to), count)
        k = order[np.arange(total[to] - total[at]) - np.repeat(total[at:to] - total[at] - first[at:to], count)]
        for axis in (1, 2, 0):
            found = low[row, axis] <= other_high[k, axis]
            found &= other_low[k, axis] <= high[row, axis]
            row, k = row[found], k[found]
        yield row, k
        at = to
