"""Pairs of triangles of one mesh that pass through each other or lie on each other.

A pair counts when pushing the two triangles apart would take more than 2^-22 of the mesh's diagonal (the spacing of
the float32 coordinates that Blender stores): then no separating axis exists among the two normals, the six in-plane
side normals and the nine cross products of sides (Gottschalk, Lin and Manocha 1996, SIGGRAPH, section 5, for
triangles). The margin is a billion times the round-off of these tests, so they need no exact arithmetic.

How ties are treated: touching is not crossing, whether at a vertex, along an edge, or an edge on a face. Two triangles
in one plane (to the margin) count where they overlap by more than the margin, whichever way they face.

Limitations: two triangles with a common side are never a pair (folded faces); a triangle thinner than the margin is
never one; surfaces that cross exactly along rows of their own edges touch pairwise and are not seen here (the winding
numbers in `intake.py` see them).
"""

import numpy as np

from ..jit import njit
from ..types import Bools, Floats, Ints
from .bvh import build_tree
from .mesh import sealed_ints

MARGIN = 2.0**-22  # of the diagonal
LIMIT = 10_000


def crossing_pairs(vertices: Floats, triangles: Ints, limit: int = LIMIT) -> Ints:
    """Pairs (n,2) of triangles i < j that cross or overlap, sorted; the search stops at `limit` pairs."""
    if len(triangles) < 2 or limit < 1:
        return np.empty((0, 2), dtype=np.int64)
    tree = build_tree(vertices, triangles)
    margin = MARGIN * float(np.sqrt(((tree.high[1] - tree.low[1]) ** 2).sum()))
    entries = sealed_ints(sealed_ints(triangles)[tree.order])
    pairs = _pairs(entries, tree.corners, tree.low, tree.high, tree.depth, margin, limit)
    pairs = np.sort(tree.order[pairs], axis=1)
    return np.ascontiguousarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


@njit
def _pairs(triangles: Ints, corners: Floats, low: Floats, high: Floats, depth: int, margin: float, limit: int) -> Ints:
    """Crossing pairs of tree entries: the tree against itself, both nodes of a pair always on the same level."""
    total, leaves = len(triangles), 1 << depth
    normal, thin = _normals(corners, margin)
    box = _entry_boxes(corners, margin)
    found = np.empty((limit, 2), dtype=np.int64)
    count = 0
    stack = np.empty((4 * depth + 8, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 1, 1
    top = 1
    while top > 0:
        top -= 1
        a, b = stack[top, 0], stack[top, 1]
        if a < leaves:
            top = _descend(stack, top, a, b, low, high, margin)
            continue
        a_begin, a_end = ((a - leaves) * total) >> depth, ((a - leaves + 1) * total) >> depth
        b_begin, b_end = ((b - leaves) * total) >> depth, ((b - leaves + 1) * total) >> depth
        for i in range(a_begin, a_end):
            for j in range(max(b_begin, i + 1), b_end):
                if thin[i] or thin[j] or not _boxes_meet(box, i, j):
                    continue
                shared = _shared(triangles, i, j)
                if shared < 2 and _cross(corners[i], corners[j], normal[i], normal[j], shared, margin):
                    found[count, 0], found[count, 1] = i, j
                    count += 1
                    if count == limit:
                        return found
    return found[:count].copy()


@njit
def _descend(stack: Ints, top: int, a: int, b: int, low: Floats, high: Floats, margin: float) -> int:
    """Push the pairs of children of the nodes a <= b whose boxes meet; the new height of the stack."""
    for i in range(2):
        for j in range(2):
            m, n = 2 * a + i, 2 * b + j
            if m > n:
                continue
            meet = True
            for k in range(3):
                meet = meet and low[m, k] - margin <= high[n, k] and low[n, k] - margin <= high[m, k]
            if meet:
                stack[top, 0], stack[top, 1] = m, n
                top += 1
    return top


@njit
def _normals(corners: Floats, margin: float) -> tuple[Floats, Bools]:
    """Unit normal (T,3) of each entry, and whether its least height is within the margin."""
    normal = np.zeros((len(corners), 3))
    thin = np.zeros(len(corners), dtype=np.bool_)
    for t in range(len(corners)):
        longest = 0.0
        for k in range(3):
            side = 0.0
            for i in range(3):
                side += (corners[t, (k + 1) % 3, i] - corners[t, k, i]) ** 2
            longest = max(longest, side)
        ux, uy, uz = _side(corners[t], 0)
        vx, vy, vz = _side(corners[t], 1)
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        length = np.sqrt(x * x + y * y + z * z)
        thin[t] = length <= margin * np.sqrt(longest)
        if not thin[t]:
            normal[t, 0], normal[t, 1], normal[t, 2] = x / length, y / length, z / length
    return normal, thin


@njit
def _entry_boxes(corners: Floats, margin: float) -> Floats:
    """Box (T,6) of each entry, low then high, grown by half of the margin on every side."""
    box = np.empty((len(corners), 6))
    for t in range(len(corners)):
        for i in range(3):
            a, b, c = corners[t, 0, i], corners[t, 1, i], corners[t, 2, i]
            box[t, i] = min(a, b, c) - 0.5 * margin
            box[t, 3 + i] = max(a, b, c) + 0.5 * margin
    return box


@njit
def _boxes_meet(box: Floats, i: int, j: int) -> bool:
    if box[i, 0] > box[j, 3] or box[j, 0] > box[i, 3]:
        return False
    if box[i, 1] > box[j, 4] or box[j, 1] > box[i, 4]:
        return False
    return bool(box[i, 2] <= box[j, 5] and box[j, 2] <= box[i, 5])


@njit
def _shared(triangles: Ints, i: int, j: int) -> int:
    """Number of common vertices."""
    count = 0
    for k in range(3):
        v = triangles[i, k]
        if v == triangles[j, 0] or v == triangles[j, 1] or v == triangles[j, 2]:
            count += 1
    return count


@njit
def _side(p: Floats, k: int) -> tuple[float, float, float]:
    """Vector along side k of a triangle (3,3)."""
    n = (k + 1) % 3
    return p[n, 0] - p[k, 0], p[n, 1] - p[k, 1], p[n, 2] - p[k, 2]


@njit
def _span(p: Floats, o: Floats, x: float, y: float, z: float) -> tuple[float, float]:
    """Least and largest coordinate of a triangle along a direction, seen from the first corner of triangle o."""
    a = (p[0, 0] - o[0, 0]) * x + (p[0, 1] - o[0, 1]) * y + (p[0, 2] - o[0, 2]) * z
    b = (p[1, 0] - o[0, 0]) * x + (p[1, 1] - o[0, 1]) * y + (p[1, 2] - o[0, 2]) * z
    c = (p[2, 0] - o[0, 0]) * x + (p[2, 1] - o[0, 1]) * y + (p[2, 2] - o[0, 2]) * z
    return min(a, b, c), max(a, b, c)


@njit
def _apart(p: Floats, q: Floats, x: float, y: float, z: float, margin: float) -> bool:
    """Whether a push of at most `margin` times the direction's length along it separates the triangles."""
    p_low, p_high = _span(p, q, x, y, z)
    q_low, q_high = _span(q, q, x, y, z)
    return bool(min(p_high - q_low, q_high - p_low) <= margin * np.sqrt(x * x + y * y + z * z))


@njit
def _cross(p: Floats, q: Floats, n: Floats, m: Floats, shared: int, margin: float) -> bool:
    """Whether triangles p and q (3,3) with unit normals n and m cross or overlap by more than the margin."""
    p_low, p_high = _span(p, q, m[0], m[1], m[2])
    p_flat = p_low >= -margin and p_high <= margin
    if not p_flat and (p_low >= -margin or p_high <= margin):
        return False
    q_low, q_high = _span(q, p, n[0], n[1], n[2])
    q_flat = q_low >= -margin and q_high <= margin
    if not q_flat and (q_low >= -margin or q_high <= margin):
        return False
    if p_flat != q_flat and shared > 0:
        return False
    for k in range(3):
        x, y, z = _side(p, k)
        if _apart(p, q, n[1] * z - n[2] * y, n[2] * x - n[0] * z, n[0] * y - n[1] * x, margin):
            return False
        x, y, z = _side(q, k)
        if _apart(p, q, m[1] * z - m[2] * y, m[2] * x - m[0] * z, m[0] * y - m[1] * x, margin):
            return False
    return p_flat or q_flat or not _sides_apart(p, q, margin)


@njit
def _sides_apart(p: Floats, q: Floats, margin: float) -> bool:
    """Whether a direction across a side of p and a side of q separates them."""
    for i in range(3):
        ux, uy, uz = _side(p, i)
        for j in range(3):
            vx, vy, vz = _side(q, j)
            x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            square = x * x + y * y + z * z
            parallel = 1e-24 * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)
            if square > parallel and _apart(p, q, x, y, z, margin):
                return True
    return False
