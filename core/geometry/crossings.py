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

from functools import partial
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import norm
from ..jit import device_inlined, njit_no_refs, sealed_ints
from ..types import Floats, Ints
from .bvh import build_tree
from .pair_search import kept_pairs

CROSSING_MARGIN = 2.0**-22  # of the diagonal; four roundings of float32
#: Pairs after which a search ends that was told nothing else: by time.
LIMIT = 10_000


class FacedEntries(NamedTuple):
    """Triangles in the order of their tree."""

    triangles: Ints  #: (T,3)
    corners: Floats  #: (T,3,3) [m]
    normal: Floats  #: (T,3) unit, but for thin ones


def crossing_pairs(vertices: Floats, triangles: Ints, limit: int = LIMIT) -> Ints:
    """Pairs (n,2) of triangles i < j that cross or overlap, sorted; the search stops at `limit` pairs."""
    if len(triangles) < 2 or limit < 1:
        return np.empty((0, 2), dtype=np.int64)
    tree = build_tree(vertices, triangles)
    margin = CROSSING_MARGIN * float(norm(tree.high[1] - tree.low[1]))
    entries = FacedEntries(
        sealed_ints(sealed_ints(triangles).take(tree.order, axis=0)), tree.corners, np.empty((len(triangles), 3))
    )
    _measure_normals(entries, margin)
    return kept_pairs(tree, margin, limit, partial(_keep_crossing, entries, margin))


@njit_no_refs
def _measure_normals(entries: FacedEntries, margin: float) -> None:
    """Unit normals; 0 of an entry whose least height is within the margin."""
    corners, normal = entries.corners, entries.normal
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
        normal[t, 0], normal[t, 1], normal[t, 2] = (0.0, 0.0, 0.0) if thin else (x / length, y / length, z / length)


@njit_no_refs
def _keep_crossing(entries: FacedEntries, margin: float, near: Ints, found: Ints, count: int) -> int:
    """Add those of some pairs that cross to the `count` that were found, while there is room; how many there are."""
    for n in range(len(near)):
        i, j = near[n, 0], near[n, 1]
        if _is_thin(entries.normal, i) or _is_thin(entries.normal, j):
            continue
        shared, _, _ = shared_corners(entries.triangles, i, j)
        if shared < 2 and _cross(entries.corners, entries.normal, i, j, shared, margin):
            found[count, 0], found[count, 1] = i, j
            count += 1
            if count == len(found):
                break
    return count


@device_inlined
def _is_thin(normal: Floats, t: int) -> bool:
    return bool((normal[t, 0] == 0.0) & (normal[t, 1] == 0.0) & (normal[t, 2] == 0.0))


@device_inlined
def shared_corners(triangles: Ints, i: int, j: int) -> tuple[int, int, int]:
    """How many vertices two triangles share; the sums of the corners at which i, and j, has them."""
    count, in_i, in_j = 0, 0, 0
    for k in range(3):
        for m in range(3):
            if triangles[i, k] == triangles[j, m]:
                count += 1
                in_i += k
                in_j += m
    return count, in_i, in_j


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
