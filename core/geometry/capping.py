"""Closing loops by triangles on their own points.

Small loops, and curved ones, get the least area (dynamic programming over the chords: Barequet and Sharir 1995,
"Filling gaps in the boundary of a polyhedron"); a flat loop then gets exactly what it surrounds, also where it is
not convex. Larger ones, and the largest where a mesh has so many that it would take minutes, are cut by ears in the
plane of their area vector. A loop of n points always gets n - 2 triangles whose border is the loop.

Limitation: caps of very ragged curved loops may cross themselves.
"""

from typing import NamedTuple

import numpy as np

from ..arithmetic.products import dot
from ..jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ..types import Bools, Floats, Ints
from . import packed
from .facet_planes import triangulate_facets
from .mesh import cross_rows

_FLAT = 1e-3  # height of a flat loop at most, relative to its perimeter; as on a prototype, by eye
SMALL = 32  # points of a loop that always gets the least area; chosen by time
# Points of a loop that may get it: the time grows with the cube; measured: 48 ms for 198, 1.35 s for 600
# (docs/decisions.md, Intake).
LARGEST_LOOP = 300
WORK = 20 * LARGEST_LOOP * LARGEST_LOOP * LARGEST_LOOP  # sum of those cubes that is spent on a mesh: some seconds
_ROUND = 1e-9  # weight of the squared sides beside the area: decides among equal areas; chosen
LINE, LINE_WEIGHT = 1e-7, 1e-4  # area over squared sides of a triangle that is a line, and what that costs; chosen


class Caps(NamedTuple):
    """Triangles that close L loops."""

    triangles: Ints  #: (n,3) rows of the points; they run as their loop does
    loop: Ints  #: (n,) never falls
    flat: Bools  #: (L,) the loop lies in a plane


def caps(points: Floats, start: Ints, barred: Ints) -> Caps:
    """Close many loops at once.

    Parameters: `points (N,3)` of all loops, one after the other; `start (L+1,)` bounds of each, at least three points
    long; `barred (B,2)` pairs of points of one loop, no neighbours, that should not be joined because something else
    joins them already. Loops that cannot do without are closed all the same.
    Raises ValueError for a shorter loop, IndexError for a point that does not exist.
    """
    length = np.diff(start)
    if len(length) and length.min() < 3:
        raise ValueError("a loop has three points at least")
    if start[0] != 0 or start[-1] != len(points) or (barred.size and (barred.min() < 0 or barred.max() >= len(points))):
        raise IndexError("a point that does not exist")
    normal, flat = _planes(points, start)
    by_area = (length <= SMALL) | _affordable(length, ~flat & (length > SMALL) & (length <= LARGEST_LOOP))
    triangles = np.empty((int((length - 2).sum()), 3), np.int64)
    by_area |= _affordable(length, _fill_by_ears(points, start, np.flatnonzero(~by_area), normal, barred, triangles))
    _fill_by_area(points, start, np.flatnonzero(by_area), barred, triangles)
    return Caps(triangles, np.repeat(np.arange(len(length)), length - 2), flat)


def _affordable(length: Ints, wanted: Bools) -> Bools:
    """Those of the loops `wanted` (L,) that get the least area: the shortest first, until the work is done."""
    order = np.argsort(length, kind="stable")
    work = np.cumsum(np.where(wanted[order], length[order] * length[order] * length[order], 0))
    result = wanted.copy()
    result[order[work > WORK]] = False
    return result


def _planes(points: Floats, start: Ints) -> tuple[Floats, Bools]:
    """Unit normal (L,3) of the area of each loop, 0 where it has none, and whether the loop is flat (L,)."""
    length = np.diff(start)
    if len(length) == 0:
        return np.empty((0, 3)), np.empty(0, dtype=np.bool_)
    following = np.arange(1, len(points) + 1)
    following[start[1:] - 1] = start[:-1]
    arm = points - np.repeat(points[start[:-1]], length, axis=0)
    normal = np.add.reduceat(cross_rows(arm, arm[following]), start[:-1], axis=0)
    size = np.sqrt(np.square(normal).sum(axis=1))
    perimeter = np.add.reduceat(np.sqrt(np.square(points[following] - points).sum(axis=1)), start[:-1])
    normal = normal / np.where(size > 0.0, size, 1.0)[:, None]
    height = dot(arm, np.repeat(normal, length, axis=0))
    height = np.maximum.reduceat(height, start[:-1]) - np.minimum.reduceat(height, start[:-1])
    return normal, (size > 0.0) & (height <= _FLAT * perimeter)


def _fill_by_ears(points: Floats, start: Ints, loops: Ints, normal: Floats, barred: Ints, triangles: Ints) -> Bools:
    """Write the triangles of the given loops, seen along their normals, at their places in the table of all.

    Returns which of all loops (L,) join barred points and are short enough to do without.
    """
    length = np.diff(start)[loops]
    corner = packed.ranges(start[loops], length)
    bounds, face = packed.packed_starts(length), np.arange(len(loops) + 1)
    found, owner = triangulate_facets(face, bounds, corner, points, normal[loops])
    found = corner[found]
    triangles[packed.ranges(start[loops] - 2 * loops, length - 2)] = found
    ahead = found[:, [1, 2, 0]]
    low, high = np.minimum(found, ahead), np.maximum(found, ahead)
    joined = np.isin(low * len(points) + high, barred.min(axis=1) * len(points) + barred.max(axis=1)).any(axis=1)
    blocking = np.zeros(len(start) - 1, np.bool_)
    blocking[loops[owner[joined]]] = True
    return blocking & (np.diff(start) <= LARGEST_LOOP)


def _fill_by_area(points: Floats, start: Ints, loops: Ints, barred: Ints, triangles: Ints) -> None:
    """Write the triangles of the given loops: of least area, at their places in the table of all."""
    if len(loops) == 0:
        return
    loop_of = np.searchsorted(start, barred[:, 0], side="right") - 1
    order = np.argsort(loop_of, kind="stable")
    barred, loop_of = barred[order], loop_of[order]
    inside = (barred[:, 1] >= start[loop_of]) & (barred[:, 1] < start[loop_of + 1])
    bounds = np.searchsorted(loop_of[inside], np.arange(len(start)))
    longest = int(np.diff(start)[loops].max())
    room = np.empty((longest, longest)), np.empty((longest, longest), np.int64), np.empty((longest, 2), np.int64)
    _least_area(
        sealed_floats(points), sealed_ints(start), sealed_ints(loops), sealed_ints(barred[inside]),
        sealed_ints(bounds), *room, triangles,
    )  # fmt: skip


@njit_no_refs
def _least_area(
    points: Floats, start: Ints, loops: Ints, barred: Ints, barred_start: Ints, cost: Floats, pick: Ints, stack: Ints,
    triangles: Ints,
) -> None:  # fmt: skip
    """Fill in the loops; `cost` and `pick` (n,n) and `stack` (n,2) are room for the longest.

    The part of a loop from point i to a later point j, under the chord, costs cost[i, j] with point pick[i, j] across
    the chord; cost[j, i] says what the chord itself costs.
    """
    for at in range(len(loops)):
        loop = loops[at]
        begin = start[loop]
        n = start[loop + 1] - begin
        for j in range(n):
            for i in range(j):
                cost[i, j], cost[j, i] = 0.0, 0.0
        for b in range(barred_start[loop], barred_start[loop + 1]):
            p, q = barred[b, 0] - begin, barred[b, 1] - begin
            cost[max(p, q), min(p, q)] = 1e3 * _square(points, start, loop)
        for span in range(2, n):
            for i in range(n - span):
                j = i + span
                best, least = -1, np.inf
                for k in range(i + 1, j):
                    total = cost[i, k] + cost[k, j]
                    if best < 0 or total < least:  # the triangle only adds
                        total += _weight(points, begin + i, begin + k, begin + j)
                    if best < 0 or total < least:
                        best, least = k, total
                cost[i, j], pick[i, j] = least + cost[j, i], best
        out = begin - 2 * loop
        stack[0, 0], stack[0, 1] = 0, n - 1
        top = 1
        while top > 0:
            top -= 1
            i, j = stack[top, 0], stack[top, 1]
            k = pick[i, j]
            triangles[out, 0], triangles[out, 1], triangles[out, 2] = begin + i, begin + k, begin + j
            out += 1
            if j - k > 1:
                stack[top, 0], stack[top, 1] = k, j
                top += 1
            if k - i > 1:
                stack[top, 0], stack[top, 1] = i, k
                top += 1


@device_inlined
def _square(points: Floats, start: Ints, loop: int) -> float:
    """Sum of the squared distances of a loop's points from its first: more than any of its triangles' areas."""
    total = 0.0
    for i in range(start[loop], start[loop + 1]):
        for x in range(3):
            away = points[i, x] - points[start[loop], x]
            total += away * away
    return total


@device_inlined
def _weight(points: Floats, a: int, b: int, c: int) -> float:
    """Area of a triangle and a little for its shape."""
    ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    area = 0.5 * np.sqrt(x * x + y * y + z * z)
    squares = ux * ux + uy * uy + uz * uz + vx * vx + vy * vy + vz * vz
    wx, wy, wz = ux - vx, uy - vy, uz - vz
    squares += wx * wx + wy * wy + wz * wz
    weight: float = area + (LINE_WEIGHT if area <= LINE * squares else _ROUND) * squares
    return weight
