"""The point of a triangle mesh nearest to given points, by a bounding-box tree.

Closest point on a triangle: Ericson, "Real-Time Collision Detection" (2005), section 5.1.5; triangles thinner than
1e-10 of their length are taken as their three sides.
"""

import numpy as np

from ..jit import njit
from ..types import Floats, Ints
from .bvh import Tree, build_tree
from .mesh import sealed_floats

THIN = 1e-20  # squared sine-like measure below which a triangle counts as its sides


def nearest(vertices: Floats, triangles: Ints, points: Floats) -> tuple[Floats, Ints, Floats]:
    """The nearest point (n,3) [m] on the mesh, its triangle (n,) and the distance (n,) [m] of each point (n,3).

    Equally near triangles: the one with the smallest number wins, so a point's answer does not depend on the others.
    Needs at least one triangle.
    """
    return nearest_in(build_tree(vertices, triangles), points)


def nearest_in(tree: Tree, points: Floats) -> tuple[Floats, Ints, Floats]:
    """As `nearest`, for several queries of one tree."""
    queries = sealed_floats(np.asarray(points, dtype=np.float64).reshape(-1, 3))
    point, triangle, square = _nearest(tree.order, tree.corners, tree.low, tree.high, tree.depth, queries)
    return point, triangle, np.sqrt(square)


@njit
def _box_square(low: Floats, high: Floats, node: int, p: Floats) -> float:
    """Squared distance from p to a node's box."""
    square = 0.0
    for i in range(3):
        d = max(low[node, i] - p[i], p[i] - high[node, i], 0.0)
        square += d * d
    return square


@njit
def _nearest(
    order: Ints, corners: Floats, low: Floats, high: Floats, depth: int, points: Floats
) -> tuple[Floats, Ints, Floats]:
    total, leaves = len(order), 1 << depth
    result, triangle, best = np.empty((len(points), 3)), np.zeros(len(points), dtype=np.int64), np.empty(len(points))
    stack, square = np.empty(depth + 2, dtype=np.int64), np.empty(depth + 2)
    found = np.empty(3)
    last = 0  # the entry that won for the previous point: points often come in neighbourly order
    for n in range(len(points)):
        p = points[n]
        best[n] = _closest(corners[last], p, found)
        result[n] = found
        triangle[n] = order[last]
        stack[0], square[0] = 1, _box_square(low, high, 1, p)
        top = 1
        while top > 0:
            top -= 1
            if square[top] > best[n]:
                continue
            node = stack[top]
            if node < leaves:
                near, far = 2 * node, 2 * node + 1
                near_square, far_square = _box_square(low, high, near, p), _box_square(low, high, far, p)
                if far_square < near_square:
                    near, far, near_square, far_square = far, near, far_square, near_square
                stack[top], square[top] = far, far_square
                stack[top + 1], square[top + 1] = near, near_square
                top += 2
                continue
            j = node - leaves
            for e in range((j * total) >> depth, ((j + 1) * total) >> depth):
                d = _closest(corners[e], p, found)
                if d < best[n] or (d == best[n] and order[e] < triangle[n]):
                    best[n], triangle[n], last = d, order[e], e
                    result[n] = found
    return result, triangle, best


@njit
def _closest(corner: Floats, p: Floats, out: Floats) -> float:
    """Put the point of a triangle (3,3) nearest to p into `out`; its squared distance."""
    abx, aby, abz = corner[1, 0] - corner[0, 0], corner[1, 1] - corner[0, 1], corner[1, 2] - corner[0, 2]
    acx, acy, acz = corner[2, 0] - corner[0, 0], corner[2, 1] - corner[0, 1], corner[2, 2] - corner[0, 2]
    nx, ny, nz = aby * acz - abz * acy, abz * acx - abx * acz, abx * acy - aby * acx
    ab, ac = abx * abx + aby * aby + abz * abz, acx * acx + acy * acy + acz * acz
    longest = max(ab, ac)
    if nx * nx + ny * ny + nz * nz <= THIN * longest * longest:
        return _closest_side(corner, p, out)
    apx, apy, apz = p[0] - corner[0, 0], p[1] - corner[0, 1], p[2] - corner[0, 2]
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
        a, b, c = corner[0, i], corner[1, i], corner[2, i]
        out[i] = b if v == 1.0 else c if w == 1.0 else a + v * (b - a) + w * (c - a)
        square += (out[i] - p[i]) ** 2
    return square


@njit
def _closest_side(corner: Floats, p: Floats, out: Floats) -> float:
    """As `_closest`, on the three sides only."""
    best = np.inf
    for k in range(3):
        a, b = corner[k], corner[(k + 1) % 3]
        along, length = 0.0, 0.0
        for i in range(3):
            along += (p[i] - a[i]) * (b[i] - a[i])
            length += (b[i] - a[i]) ** 2
        s = min(max(along / length, 0.0), 1.0) if length > 0.0 else 0.0
        square = 0.0
        for i in range(3):
            square += (a[i] + s * (b[i] - a[i]) - p[i]) ** 2
        if square < best:
            best = square
            for i in range(3):
                out[i] = a[i] + s * (b[i] - a[i])
    return best
