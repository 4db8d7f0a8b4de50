"""What of a convex polygon lies before others in its plane, and the rest of it, as convex polygons.

Each of the others is taken away in turn: what of the free polygons lies within all of its sides is covered, and what
lies beyond one of them stays free.
"""

import math
from typing import NamedTuple

import numpy as np

from ...jit import device_inlined, njit_no_refs
from ...types import Floats, Ints

_ROOM = 8  # polygons, and points of each, for which there is room at first, for each of the others; it grows on demand


class _Division(NamedTuple):
    """Convex polygons (n,2), counter-clockwise [m]."""

    covered: list[Floats]
    by: list[int]  #: the one of the others that covers each
    free: list[Floats]


class _Pools(NamedTuple):
    """Three stores of polygons."""

    pool: Floats  #: (3,.,2) their points
    ends: Ints  #: (3,.) where each begins, and the last one ends
    by: Ints  #: (.,) the one of the others that covers each of pool 2
    sizes: Ints  #: (3,) how many are covered and free, and in which pool the latter are


def divide_polygon(outline: Floats, others: list[Floats], snap: float, narrow: float) -> _Division:
    """Divide a polygon (n,2) by others; corners within `snap` [m] of a line lie on it.

    What stays free and is no wider than `narrow` [m] counts as covered, without a polygon.
    """
    points = np.concatenate([outline, *others])
    end = np.cumsum([len(outline), *map(len, others)])
    lines, count = np.empty((len(points), 3)), np.empty(3, np.int64)
    room = _ROOM * (1 + len(others))
    while True:
        scratch, pool = np.empty((4, 2 * (len(points) + room), 2)), np.empty((3, _ROOM * room, 2))
        ends, by = np.zeros((3, room + 1), np.int64), np.empty(room, np.int64)
        if _divide(points, end, snap, narrow, lines, scratch, _Pools(pool, ends, by, count)):
            break
        room *= 2
    side = int(count[2])
    covered, free = (
        [pool[k, ends[k, i] : ends[k, i + 1]] for i in range(int(count[which]))] for which, k in ((0, 2), (1, side))
    )
    return _Division(covered, by[: len(covered)].tolist(), free)


@njit_no_refs
def _divide(
    points: Floats, end: Ints, snap: float, narrow: float, lines: Floats, scratch: Floats, pools: _Pools
) -> bool:
    """Fill pool 2 with what is covered and one of the others with what is free; False where there is no room.

    `points` are those of the polygon, up to `end[0]`, and of the others.
    """
    pool, ends, by, count = pools
    side, covered, free, room = 0, 0, _put(points, 0, end[0], pool, ends, 0, 0), scratch.shape[1]
    for other in range(len(end) - 1):
        sides = _lines(points, end[other], end[other + 1], lines)
        rest = 0
        for i in range(free):
            begin, number = ends[side, i], ends[side, i + 1] - ends[side, i]
            within = _within(pool[side], begin, number, lines, sides, snap, scratch)
            if within < 0:
                return False
            if _width(scratch[1], 0, within) <= max(snap, 1e-3 * narrow):
                rest = _put(pool[side], begin, number, pool, ends, 1 - side, rest)
            else:
                covered = _put(scratch[1], 0, within, pool, ends, 2, covered)
                by[covered - 1] = other
                _copy(pool[side], begin, number, scratch[0])
                for line in range(sides):
                    number, beyond = _halves(scratch[0], number, lines, line, snap, scratch[2], scratch[3])
                    _copy(scratch[2], 0, number, scratch[0])
                    if _width(scratch[3], 0, beyond) > narrow:
                        rest = _put(scratch[3], 0, beyond, pool, ends, 1 - side, rest)
                    if rest < 0 or 2 * number > room:
                        return False
            if rest < 0 or covered < 0:
                return False
        side, free = 1 - side, rest
    wide = 0
    for i in range(free):
        begin, number = ends[side, i], ends[side, i + 1] - ends[side, i]
        if _width(pool[side], begin, number) > narrow:
            wide = _put(pool[side], begin, number, pool, ends, 1 - side, wide)
    count[0], count[1], count[2] = covered, wide, 1 - side
    return True


@device_inlined
def _copy(polygon: Floats, begin: int, number: int, to: Floats) -> None:
    for k in range(number):
        to[k, 0], to[k, 1] = polygon[begin + k, 0], polygon[begin + k, 1]


@device_inlined
def _put(polygon: Floats, first: int, number: int, pool: Floats, ends: Ints, which: int, count: int) -> int:
    """Add a polygon to the `count` ones of a pool; how many it has then, -1 where there is no room."""
    if count < 0:
        return -1
    begin = ends[which, count]
    if count + 1 >= ends.shape[1] or begin + number > pool.shape[1]:
        return -1
    for k in range(number):
        pool[which, begin + k, 0], pool[which, begin + k, 1] = polygon[first + k, 0], polygon[first + k, 1]
    ends[which, count + 1] = begin + number
    return count + 1


@device_inlined
def _lines(points: Floats, begin: int, end: int, lines: Floats) -> int:
    """The lines (n,3) along the sides of a polygon, a x + b y <= c within; how many."""
    count = 0
    for k in range(begin, end):
        n = k + 1 if k + 1 < end else begin
        x, y = points[k, 0], points[k, 1]
        a, b = points[n, 1] - y, x - points[n, 0]
        length = math.sqrt(a * a + b * b)
        if length > 0.0:
            lines[count, 0], lines[count, 1], lines[count, 2] = a / length, b / length, (a * x + b * y) / length
            count += 1
    return count


@device_inlined
def _within(polygon: Floats, begin: int, number: int, lines: Floats, sides: int, snap: float, scratch: Floats) -> int:
    """Fill scratch[1] with what of a polygon lies within all lines; the number of its corners, -1 for want of room."""
    _copy(polygon, begin, number, scratch[1])
    for line in range(sides):
        if 2 * number > scratch.shape[1]:
            return -1
        number = _halves(scratch[1], number, lines, line, snap, scratch[2], scratch[3])[0]
        _copy(scratch[2], 0, number, scratch[1])
    return number


@device_inlined
def _halves(
    polygon: Floats, number: int, lines: Floats, line: int, snap: float, within: Floats, beyond: Floats
) -> tuple[int, int]:
    """Fill in what of a convex polygon lies within a line, and what beyond it; corners near the line lie on it."""
    a, b, c = lines[line, 0], lines[line, 1], lines[line, 2]
    inside, outside = 0, 0
    for k in range(number):
        n = k + 1 if k + 1 < number else 0
        x, y, u, v = polygon[k, 0], polygon[k, 1], polygon[n, 0], polygon[n, 1]
        h, g = a * x + b * y - c, a * u + b * v - c
        if h <= snap:
            within[inside, 0], within[inside, 1] = x, y
            inside += 1
        if h >= -snap:
            beyond[outside, 0], beyond[outside, 1] = x, y
            outside += 1
        if (h > snap and g < -snap) or (h < -snap and g > snap):
            t = h / (h - g)
            x, y = x + t * (u - x), y + t * (v - y)
            within[inside, 0], within[inside, 1] = x, y
            beyond[outside, 0], beyond[outside, 1] = x, y
            inside, outside = inside + 1, outside + 1
    return inside, outside


@device_inlined
def _width(polygon: Floats, begin: int, number: int) -> float:
    """About how wide a convex polygon is where it is the narrowest: its area over its longest diagonal or side."""
    if number < 3:
        return 0.0
    longest, double = 0.0, 0.0
    for i in range(begin, begin + number):
        for k in range(begin, begin + number):
            x, y = polygon[i, 0] - polygon[k, 0], polygon[i, 1] - polygon[k, 1]
            longest = max(longest, x * x + y * y)
    x, y = polygon[begin, 0], polygon[begin, 1]
    for k in range(begin + 1, begin + number - 1):
        a, b, c, d = polygon[k, 0], polygon[k, 1], polygon[k + 1, 0], polygon[k + 1, 1]
        double += (a - x) * (d - y) - (b - y) * (c - x)
    return 0.5 * double / math.sqrt(longest) if longest > 0.0 else 0.0
