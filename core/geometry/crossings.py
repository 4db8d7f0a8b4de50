"""Pairs of triangles of one mesh that pass through each other or lie on each other.

A pair counts when pushing the two triangles apart would take more than 2^-22 of the mesh's diagonal (the spacing of
the float32 coordinates that Blender stores): then no separating axis exists among the two normals, the six in-plane
side normals and the nine cross products of sides (Gottschalk, Lin and Manocha 1996, SIGGRAPH, section 5, for
triangles). The margin is a billion times the round-off of these tests, so they need no exact arithmetic.

How ties are treated: touching is not crossing, whether at a vertex, along an edge, or an edge on a face. Two triangles
in one plane (to the margin) count where they overlap by more than the margin, whichever way they face.

Limitations: two triangles with a common side are never a pair (folded faces); a triangle thinner than the margin is
never one; surfaces that cross exactly along rows of their own edges touch pairwise and are not seen here (the winding
numbers in `intake/clean.py` see them).
"""

import numpy as np

from ..arithmetic.products import norm
from ..jit import device_inlined, njit_no_refs, sealed_ints
from ..types import Floats, Ints
from .bvh import PAIR_ROOM, build_tree, find_meeting_boxes

CROSSING_MARGIN = 2.0**-22  # of the diagonal; four roundings of float32
#: Pairs after which a search ends that was told nothing else: by time.
LIMIT = 10_000


def crossing_pairs(vertices: Floats, triangles: Ints, limit: int = LIMIT) -> Ints:
    """Pairs (n,2) of triangles i < j that cross or overlap, sorted; the search stops at `limit` pairs."""
    if len(triangles) < 2 or limit < 1:
        return np.empty((0, 2), dtype=np.int64)
    tree = build_tree(vertices, triangles)
    margin = CROSSING_MARGIN * float(norm(tree.high[1] - tree.low[1]))
    entries = sealed_ints(sealed_ints(triangles).take(tree.order, axis=0))
    normal, box = np.empty((len(entries), 3)), np.empty((len(entries), 6))
    found = np.empty((limit, 2), np.int64)
    stack, near = np.empty((4 * tree.depth + 8, 2), np.int64), np.empty((PAIR_ROOM, 2), np.int64)
    count = _pairs(entries, tree.corners, normal, box, tree.low, tree.high, tree.depth, margin, stack, near, found)
    pairs = np.sort(tree.order[found[:count]], axis=1)
    return np.ascontiguousarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


@device_inlined
def _prepare(corners: Floats, margin: float, normal: Floats, box: Floats) -> None:
    """Unit normal (T,3) of each entry, and its box (T,6), low then high, grown by half of the margin on every side.

    An entry whose least height is within the margin gets an empty box, which meets none.
    """
    for t in range(len(corners)):
        longest = 0.0
        ax, ay, az, x, y, z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            bx, by, bz = along_side(corners, t, k)
            longest = max(longest, bx * bx + by * by + bz * bz)
            if k == 1:  # the cross product of the first two sides
                x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
            ax, ay, az = bx, by, bz
        length = np.sqrt(x * x + y * y + z * z)
        thin = length <= margin * np.sqrt(longest)
        if not thin:
            x, y, z = x / length, y / length, z / length
        normal[t, 0], normal[t, 1], normal[t, 2] = x, y, z
        for k in range(3):
            a, b, c = corners[t, 0, k], corners[t, 1, k], corners[t, 2, k]
            box[t, k] = np.inf if thin else min(a, b, c) - 0.5 * margin
            box[t, k + 3] = -np.inf if thin else max(a, b, c) + 0.5 * margin


@njit_no_refs
def _pairs(
    triangles: Ints,
    corners: Floats,
    normal: Floats,
    box: Floats,
    low: Floats,
    high: Floats,
    depth: int,
    margin: float,
    stack: Ints,
    near: Ints,
    found: Ints,
) -> int:
    """Fill `found` with crossing pairs of tree entries; how many. `normal`, `box`, `stack` and `near` are scratch."""
    _prepare(corners, margin, normal, box)
    count = 0
    stack[0, 0], stack[0, 1] = 1, 1
    top = 1
    while top > 0:
        top, meet = find_meeting_boxes(box, low, high, depth, margin, stack, top, near)
        for n in range(meet):
            i, j = near[n, 0], near[n, 1]
            shared = _shared(triangles, i, j)
            if shared < 2 and _cross(corners, normal, i, j, shared, margin):
                found[count, 0], found[count, 1] = i, j
                count += 1
                if count == len(found):
                    return count
    return count


@device_inlined
def _shared(triangles: Ints, i: int, j: int) -> int:
    """Number of common vertices."""
    count = 0
    for k in range(3):
        v = triangles[i, k]
        if v == triangles[j, 0] or v == triangles[j, 1] or v == triangles[j, 2]:
            count += 1
    return count


@device_inlined
def along_side(corners: Floats, t: int, k: int) -> tuple[float, float, float]:
    """Vector along side k of triangle t."""
    n = (k + 1) % 3
    return corners[t, n, 0] - corners[t, k, 0], corners[t, n, 1] - corners[t, k, 1], corners[t, n, 2] - corners[t, k, 2]


@device_inlined
def _span(corners: Floats, t: int, o: int, x: float, y: float, z: float) -> tuple[float, float]:
    """Least and largest coordinate of triangle t along a direction, seen from the first corner of triangle o."""
    low, high = np.inf, -np.inf
    for k in range(3):
        value = (corners[t, k, 0] - corners[o, 0, 0]) * x
        value += (corners[t, k, 1] - corners[o, 0, 1]) * y
        value += (corners[t, k, 2] - corners[o, 0, 2]) * z
        low, high = min(low, value), max(high, value)
    return low, high


@device_inlined
def are_separated(corners: Floats, i: int, j: int, x: float, y: float, z: float, margin: float) -> bool:
    """Whether a push of at most `margin` times the direction's length along it separates the triangles."""
    i_low, i_high = _span(corners, i, j, x, y, z)
    j_low, j_high = _span(corners, j, j, x, y, z)
    return bool(min(i_high - j_low, j_high - i_low) <= margin * np.sqrt(x * x + y * y + z * z))


@device_inlined
def _cross(corners: Floats, normal: Floats, i: int, j: int, shared: int, margin: float) -> bool:
    """Whether triangles i and j cross or overlap by more than the margin."""
    low, high = _span(corners, i, j, normal[j, 0], normal[j, 1], normal[j, 2])
    i_flat = low >= -margin and high <= margin
    if not i_flat and (low >= -margin or high <= margin):
        return False
    low, high = _span(corners, j, i, normal[i, 0], normal[i, 1], normal[i, 2])
    j_flat = low >= -margin and high <= margin
    if not j_flat and (low >= -margin or high <= margin):
        return False
    if i_flat != j_flat and shared > 0:
        return False
    for side in range(6):  # in the plane of a triangle, across each of its sides
        t = i if side % 2 == 0 else j
        x, y, z = along_side(corners, t, side // 2)
        a, b, c = normal[t, 0], normal[t, 1], normal[t, 2]
        if are_separated(corners, i, j, b * z - c * y, c * x - a * z, a * y - b * x, margin):
            return False
    return i_flat or j_flat or not sides_apart(corners, i, j, margin)


@device_inlined
def sides_apart(corners: Floats, i: int, j: int, margin: float) -> bool:
    """Whether a direction across a side of each of the triangles separates them."""
    for k in range(3):
        ux, uy, uz = along_side(corners, i, k)
        for m in range(3):
            vx, vy, vz = along_side(corners, j, m)
            x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
            square = x * x + y * y + z * z
            parallel = 1e-24 * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz)
            if square > parallel and are_separated(corners, i, j, x, y, z, margin):
                return True
    return False
