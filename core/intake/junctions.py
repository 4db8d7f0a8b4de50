"""T-junctions: vertices that stand on the open side of a triangle, and triangles that are split there."""

from typing import NamedTuple

import numpy as np

from ..geometry.bvh import build_tree
from ..jit import njit_no_refs, sealed_floats
from ..types import Floats, Ints

NEAR_SIDE = 1e-5  # a vertex this near to an open side stands on it, relative to the diagonal; by eye, as on a prototype


class Junctions(NamedTuple):
    """Where n vertices stand on sides: sorted by side, then along it."""

    half: Ints  #: (n,) side 3t + k, from corner k of triangle t to the next
    along: Floats  #: (n,) where on it: 0 at its beginning, 1 at its end


def junctions(vertices: Floats, triangles: Ints, halves: Ints, reach: float) -> Junctions:
    """Where ends of the open sides `halves (n,)` stand on others of them: within reach, but not so near to their ends.

    Places of one side that are within reach of each other are one.
    """
    if len(halves) == 0:
        return Junctions(halves, np.empty(0))
    begin, end, across = (triangles.reshape(-1)[halves // 3 * 3 + (halves + i) % 3] for i in range(3))
    ends = np.unique(np.concatenate([begin, end]))
    tree = build_tree(vertices, np.stack([begin, end, end], axis=1))
    points = sealed_floats(vertices[ends])
    room = 2 * len(ends)
    while True:
        found, along = np.empty((room, 2), np.int64), np.empty(room)
        stack = np.empty(tree.depth + 2, np.int64)
        count = _standing(tree.corners, tree.low, tree.high, tree.depth, points, reach, stack, found, along)
        if count <= room:
            break
        room = count
    side, vertex, along = tree.order[found[:count, 1]], ends[found[:count, 0]], along[:count]
    strange = (vertex != begin[side]) & (vertex != end[side]) & (vertex != across[side])
    side, along = side[strange], along[strange]
    order = np.lexsort((along, halves[side]))
    side, along = side[order], along[order]
    length = np.sqrt(np.square(vertices[end[side]] - vertices[begin[side]]).sum(axis=1))
    single = np.ones(len(side), dtype=np.bool_)
    single[1:] = (side[1:] != side[:-1]) | ((along[1:] - along[:-1]) * length[1:] > reach)
    return Junctions(halves[side[single]], along[single])


@njit_no_refs
def _standing(
    corners: Floats, low: Floats, high: Floats, depth: int, points: Floats, reach: float, stack: Ints, found: Ints,
    along: Floats,
) -> int:  # fmt: skip
    """Put (point, entry) and the place along the entry's first side where points stand; how many there are.

    More than there is room for are counted only.
    """
    total, leaves, count = len(corners), 1 << depth, 0
    for n in range(len(points)):
        stack[0] = 1
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            outside = False
            for i in range(3):
                x = points[n, i]
                outside = outside or x < low[node, i] - reach or x > high[node, i] + reach
            if outside:
                continue
            if node < leaves:
                stack[top], stack[top + 1] = 2 * node + 1, 2 * node
                top += 2
                continue
            for e in range(((node - leaves) * total) >> depth, ((node - leaves + 1) * total) >> depth):
                dot, square = 0.0, 0.0
                for i in range(3):
                    side = corners[e, 1, i] - corners[e, 0, i]
                    dot += side * (points[n, i] - corners[e, 0, i])
                    square += side * side
                at = dot / square if square > 0.0 else 0.0
                away = 0.0
                for i in range(3):
                    off = corners[e, 0, i] + at * (corners[e, 1, i] - corners[e, 0, i]) - points[n, i]
                    away += off * off
                if away <= reach * reach and min(at, 1.0 - at) * np.sqrt(square) > reach:
                    if count < len(found):
                        found[count, 0], found[count, 1], along[count] = n, e, at
                    count += 1
    return count


def split_sides(vertices: Floats, triangles: Ints, places: Junctions) -> tuple[Floats, Ints, Ints]:
    """Split triangles at the given places of their sides; a place is one new vertex, in the given order.

    Returns vertices (V + n,3), triangles (T + n,3) and the row of the triangle that each is a part of.
    The part at the beginning of the side split last stays in its row, the others are appended.
    """
    start = vertices[triangles.reshape(-1)[places.half]]
    t, side = np.divmod(places.half, 3)
    end = vertices[triangles[t, (side + 1) % 3]]
    point = start + places.along[:, None] * (end - start)
    new = len(vertices) + np.arange(len(places.half))
    triangles = np.concatenate([triangles, np.empty((len(new), 3), np.int64)])
    parent = np.concatenate([np.arange(len(triangles) - len(new)), t])
    owner = np.repeat(np.arange(len(triangles) - len(new))[:, None], 3, axis=1)  # row that has each side by now
    free = len(owner)
    for k in range(3):
        at = np.flatnonzero(side == k)
        if len(at) == 0:
            continue
        rows = free + np.arange(len(at))  # each place opens a row: from itself to the next place, or to the end
        free += len(at)
        opens = np.concatenate([[True], t[at[1:]] != t[at[:-1]]])
        closes = np.concatenate([t[at[1:]] != t[at[:-1]], [True]])
        home = owner[t[at], k]
        parent[rows] = t[at]
        triangles[rows, k] = new[at]
        triangles[rows, (k + 2) % 3] = triangles[home, (k + 2) % 3]
        triangles[rows, (k + 1) % 3] = np.where(closes, triangles[home, (k + 1) % 3], np.roll(new[at], -1))
        triangles[home[opens], (k + 1) % 3] = new[at[opens]]
        if k < 2:  # the next side went with the last part
            last = t[at[closes]]
            mine = owner[last, k + 1] == home[closes]
            owner[last[mine], k + 1] = rows[closes][mine]
    return np.concatenate([vertices, point]), triangles, parent
