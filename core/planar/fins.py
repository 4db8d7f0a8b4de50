"""Triangles whose three corners lie in one plane of the outer skin are flaps in that skin: fins. They are taken away.

The edges of a facet along one planar piece of skin lie in one plane once space is bent, so a triangle between three
such corners lies in the skin. Edges are flipped while that leaves less fins; the fins that stay get a new corner
in the middle of an edge inside, or in their own middle where all edges are the border's.
"""

from ..jit import device_no_refs
from ..types import Floats, Ints
from .delaunay import NO_TRIANGLE, after, before, flip, improves, is_flip_valid, split_edge, split_triangle, turns

_ROUNDS = 20  #: of flips over all edges; two or three do; chosen


@device_no_refs
def is_fin(side: Ints, a: int, b: int, c: int) -> bool:
    """Whether three vertices have a side in common. `side (n,2)`: of the border edges at each corner, -1 inside."""
    if a >= len(side) or b >= len(side) or c >= len(side):
        return False
    for k in range(2):
        s = side[a, k]
        if s >= 0 and (s == side[b, 0] or s == side[b, 1]) and (s == side[c, 0] or s == side[c, 1]):
            return True
    return False


@device_no_refs
def remove_fins(at: Floats, tip: Ints, twin: Ints, halves: int, side: Ints, free: int, flat: float) -> int:
    """Take fins away where there is room; returns the next free row of `at`: each new point gives 6 half-edges more."""
    fins = 0
    for t in range(0, halves, 3):
        fins += is_fin(side, tip[t], tip[t + 1], tip[t + 2])
    if fins == 0:
        return free
    _flip_fins(at, tip, twin, halves, side, flat)
    begin = free
    for t in range(0, halves, 3):
        a, b, c = tip[t], tip[t + 1], tip[t + 2]
        if is_fin(side, a, b, c) and free < len(at) and turns(at, a, b, c, flat) > 0:
            _split_fin(at, tip, twin, t, halves + 6 * (free - begin), side, free, flat)
            free += 1
    if free > begin:
        _flip_fins(at, tip, twin, halves + 6 * (free - begin), side, flat)
    return free


@device_no_refs
def _flip_fins(at: Floats, tip: Ints, twin: Ints, halves: int, side: Ints, flat: float) -> None:
    """Flip edges where less fins remain, or as many and the triangulation becomes more Delaunay."""
    for _ in range(_ROUNDS):
        flips = 0
        for e in range(halves):
            m = twin[e]
            if m < e:
                continue
            a, b, c, d = tip[e], tip[m], tip[before(e)], tip[before(m)]
            gain = is_fin(side, a, b, c) + is_fin(side, b, a, d) - is_fin(side, d, b, c) - is_fin(side, c, a, d)
            if (gain > 0 and is_flip_valid(at, tip, twin, e, flat)) or (gain == 0 and improves(at, tip, twin, e, flat)):
                flip(tip, twin, e)
                flips += 1
        if flips == 0:
            return


@device_no_refs
def _split_fin(at: Floats, tip: Ints, twin: Ints, t: int, halves: int, side: Ints, p: int, flat: float) -> None:
    """Put a corner p into the middle of the longest edge inside, rather of one between two fins; else of the fin."""
    best, most = NO_TRIANGLE, 0.0
    for e in range(t, t + 3):
        m = twin[e]
        if m < 0:
            continue
        a, b, d = tip[e], tip[m], tip[before(m)]
        x, y = at[b, 0] - at[a, 0], at[b, 1] - at[a, 1]
        square = x * x + y * y
        if is_fin(side, a, b, d):
            square *= 16.0
        if square > most and turns(at, b, a, d, flat) > 0:
            best, most = e, square
    if best >= 0:
        a, b = tip[best], tip[after(best)]
        for k in range(2):
            at[p, k] = 0.5 * (at[a, k] + at[b, k])
        split_edge(tip, twin, best, halves, p)
        return
    for k in range(2):
        at[p, k] = (at[tip[t], k] + at[tip[t + 1], k] + at[tip[t + 2], k]) / 3.0
    split_triangle(tip, twin, t, halves, p)
