"""The point of a triangle mesh nearest to given points, by a bounding-box tree.

Closest point on a triangle: Ericson, "Real-Time Collision Detection" (2005), section 5.1.5; triangles thinner than
1e-10 of their length are taken as their three sides.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, njit_no_refs, sealed_floats
from ..types import Floats, Ints
from .bvh import Tree, TreeNodes, build_tree, leaf_entries

# Squared sine-like measure below which a triangle counts as its sides; its root, 1e-10, is a million roundings.
_THIN = 1e-20


class _Scratch(NamedTuple):
    """Room for a search in a tree of depth D."""

    stack: Ints  #: (D+2,) nodes that wait
    square: Floats  #: (D+2,) squared distance of the box of each [m^2]
    at: Floats  #: (4,) the nearest point of a triangle [m]


def nearest(vertices: Floats, triangles: Ints, points: Floats) -> tuple[Floats, Ints, Floats]:
    """The nearest point (n,3) [m] on the mesh, its triangle (n,) and the distance (n,) [m] of each point (n,3).

    Equally near triangles: the one with the smallest number wins, so a point's answer does not depend on the others.
    Needs at least one triangle.
    """
    return nearest_in(build_tree(vertices, triangles), points)


def nearest_in(tree: Tree, points: Floats) -> tuple[Floats, Ints, Floats]:
    """As `nearest`, for several queries of one tree."""
    queries = sealed_floats(np.asarray(points, dtype=np.float64).reshape(-1, 3))
    found = np.empty((len(queries), 4))
    entry = np.empty(len(queries), np.int64)
    scratch = _Scratch(np.empty(tree.depth + 2, np.int64), np.empty(tree.depth + 2), np.empty(4))
    _nearest(tree.order, tree.nodes, queries, scratch, found, entry)
    return np.ascontiguousarray(found[:, :3]), tree.order[entry], np.sqrt(found[:, 3])


@device_inlined
def square_to_box(low: Floats, high: Floats, node: int, points: Floats, n: int) -> float:
    """Squared distance from point n to a node's box."""
    square = 0.0
    for i in range(3):
        d = max(low[node, i] - points[n, i], points[n, i] - high[node, i], 0.0)
        square += d * d
    return square


@njit_no_refs
def _nearest(order: Ints, nodes: TreeNodes, points: Floats, scratch: _Scratch, found: Floats, entry: Ints) -> None:
    """Nearest place and squared distance `found (n,4)` and tree entry `(n,)` of each point."""
    corners, low, high, depth = nodes
    stack, square, at = scratch
    total, leaves = len(order), 1 << depth
    last = 0  # the entry that won for the previous point: points often come in neighbourly order
    for n in range(len(points)):
        best = np.inf
        stack[0], square[0] = 1, square_to_box(low, high, 1, points, n)
        stack[1], square[1] = 0, 0.0  # node 0 stands for the entry `last`: it comes first
        top = 2
        while top > 0:
            top -= 1
            if square[top] > best:
                continue
            node = stack[top]
            if 0 < node < leaves:
                left, right = (
                    square_to_box(low, high, 2 * node, points, n),
                    square_to_box(low, high, 2 * node + 1, points, n),
                )
                swap = 1 if right < left else 0
                stack[top], square[top] = 2 * node + 1 - swap, max(left, right)
                stack[top + 1], square[top + 1] = 2 * node + swap, min(left, right)
                top += 2
                continue
            begin, end = last, last + 1
            if node > 0:
                begin, end = leaf_entries(node - leaves, depth, total)
            for e in range(begin, end):
                d = _closest(corners, e, points, n, at)
                if d < best or (d == best and order[e] < order[last]):
                    best, last = d, e
                    for i in range(3):
                        found[n, i] = at[i]
        found[n, 3] = best
        entry[n] = last


@device_inlined
def _closest(corners: Floats, t: int, points: Floats, n: int, out: Floats) -> float:
    """Put the point of triangle t nearest to point n into `out`; its squared distance."""
    ax, ay, az = corners[t, 0, 0], corners[t, 0, 1], corners[t, 0, 2]
    abx, aby, abz = corners[t, 1, 0] - ax, corners[t, 1, 1] - ay, corners[t, 1, 2] - az
    acx, acy, acz = corners[t, 2, 0] - ax, corners[t, 2, 1] - ay, corners[t, 2, 2] - az
    nx, ny, nz = aby * acz - abz * acy, abz * acx - abx * acz, abx * acy - aby * acx
    ab, ac = abx * abx + aby * aby + abz * abz, acx * acx + acy * acy + acz * acz
    longest = max(ab, ac)
    if nx * nx + ny * ny + nz * nz <= _THIN * longest * longest:
        return _closest_side(corners, t, points, n, out)
    apx, apy, apz = points[n, 0] - ax, points[n, 1] - ay, points[n, 2] - az
    d1, d2 = abx * apx + aby * apy + abz * apz, acx * apx + acy * apy + acz * apz
    d0 = abx * acx + aby * acy + abz * acz
    d3, d4 = d1 - ab, d2 - d0
    d5, d6 = d1 - d0, d2 - ac
    v, w = 0.0, 0.0
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        pass
    elif d3 >= 0.0 and d4 <= d3:
        v = 1.0
    elif d6 >= 0.0 and d5 <= d6:
        w = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = d1 / ab
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        w = d2 / ac
    elif va <= 0.0 and d4 >= d3 and d5 >= d6:
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        v = 1.0 - w
    else:
        v, w = vb / (va + vb + vc), vc / (va + vb + vc)
    square = 0.0
    for i in range(3):
        a, b, c = corners[t, 0, i], corners[t, 1, i], corners[t, 2, i]
        out[i] = b if v == 1.0 else c if w == 1.0 else a + v * (b - a) + w * (c - a)
        away = out[i] - points[n, i]
        square += away * away
    return square


@device_inlined
def _closest_side(corners: Floats, t: int, points: Floats, n: int, out: Floats) -> float:
    """As `_closest`, on the three sides only."""
    best = np.inf
    for k in range(3):
        m = (k + 1) % 3
        along, length = 0.0, 0.0
        for i in range(3):
            along += (points[n, i] - corners[t, k, i]) * (corners[t, m, i] - corners[t, k, i])
            side = corners[t, m, i] - corners[t, k, i]
            length += side * side
        s = min(max(along / length, 0.0), 1.0) if length > 0.0 else 0.0
        square = 0.0
        for i in range(3):
            away = corners[t, k, i] + s * (corners[t, m, i] - corners[t, k, i]) - points[n, i]
            square += away * away
        if square < best:
            best = square
            for i in range(3):
                out[i] = corners[t, k, i] + s * (corners[t, m, i] - corners[t, k, i])
    return best
