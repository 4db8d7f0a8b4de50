"""Delaunay triangulations of polygons in the plane, grown point by point.

A triangulation is two tables over half-edges, of which triangle t has 3t, 3t + 1 and 3t + 2, counter-clockwise:
`tip[e]` is the vertex where half-edge e begins, `twin[e]` the half-edge on its other side, or -1 at the border, which
is never changed. Edges are flipped where that opens a flat triangle or makes it more Delaunay (Lawson 1977; the test is
that of Cline and Renka 1984), and only where both new triangles surely turn counter-clockwise: so a valid triangulation
stays valid whatever the round-off. `flat` is an altitude [m] that is round-off.
"""

from typing import cast

import numpy as np

from ..jit import device_inlined, device_no_refs
from ..types import Floats, Ints

#: Not plain numbers: numba compiles a function once more for each number that it knows.
NO_TRIANGLE, ZERO, THREE = (cast(int, np.int64(number)) for number in (-1, 0, 3))
_ROUNDS = 50  #: flips of each edge; one or two do, more means that round-off goes in circles; chosen
#: Sine of the angle by which four corners miss one circle, where that is round-off; ten thousand roundings.
_TIE = 1e-12


@device_inlined
def after(e: int) -> int:
    """The next half-edge of the triangle."""
    return e - 2 if e % 3 == 2 else e + 1


@device_inlined
def before(e: int) -> int:
    """The half-edge of the triangle that leads to e."""
    return e + 2 if e % 3 == 0 else e - 1


@device_no_refs
def turns(at: Floats, a: int, b: int, c: int, flat: float) -> int:
    """1 where a, b, c turn counter-clockwise, -1 clockwise, 0 where the altitude is round-off."""
    ux, uy, vx, vy = at[b, 0] - at[a, 0], at[b, 1] - at[a, 1], at[c, 0] - at[a, 0], at[c, 1] - at[a, 1]
    twice, round_off = ux * vy - uy * vx, flat * (abs(ux) + abs(uy) + abs(vx) + abs(vy))
    if twice > round_off:
        return 1
    return -1 if twice < -round_off else 0


@device_no_refs
def is_flip_valid(at: Floats, tip: Ints, twin: Ints, e: int, flat: float) -> bool:
    """Whether both triangles surely turn counter-clockwise after a flip of an edge inside."""
    m = twin[e]
    a, b, c, d = tip[e], tip[m], tip[before(e)], tip[before(m)]
    return turns(at, d, b, c, flat) > 0 and turns(at, c, a, d, flat) > 0


@device_no_refs
def improves(at: Floats, tip: Ints, twin: Ints, e: int, flat: float) -> bool:
    """Whether a flip of the edge opens a flat triangle, or makes the triangulation more Delaunay."""
    m = twin[e]
    if m < 0:
        return False
    a, b, c, d = tip[e], tip[m], tip[before(e)], tip[before(m)]
    acx, acy, bcx, bcy = at[a, 0] - at[c, 0], at[a, 1] - at[c, 1], at[b, 0] - at[c, 0], at[b, 1] - at[c, 1]
    adx, ady, bdx, bdy = at[a, 0] - at[d, 0], at[a, 1] - at[d, 1], at[b, 0] - at[d, 0], at[b, 1] - at[d, 1]
    cos_c, cos_d = acx * bcx + acy * bcy, adx * bdx + ady * bdy
    sin_c, sin_d = acx * bcy - acy * bcx, bdx * ady - bdy * adx
    if cos_c >= 0.0 and cos_d >= 0.0 and sin_c >= 0.0 and sin_d >= 0.0:
        return False
    flat_c = sin_c <= flat * (abs(acx) + abs(acy) + abs(bcx) + abs(bcy))
    flat_d = sin_d <= flat * (abs(adx) + abs(ady) + abs(bdx) + abs(bdy))
    delaunay = cos_c * sin_d + sin_c * cos_d >= -_TIE * (abs(cos_c) * sin_d + sin_c * abs(cos_d))  # c + d <= pi
    if delaunay and not flat_c and not flat_d:
        return False
    return is_flip_valid(at, tip, twin, e, flat)


@device_inlined
def _pair(twin: Ints, e: int, m: int) -> None:
    twin[e] = m
    if m >= 0:
        twin[m] = e


@device_no_refs
def flip(tip: Ints, twin: Ints, e: int) -> None:
    """Replace the edge by that between the corners opposite to it.

    Afterwards the edges opposite to the corner that was opposite to e are e and the one after e's old twin.
    """
    m = twin[e]
    e_last, m_last = before(e), before(m)
    tip[e], tip[m] = tip[m_last], tip[e_last]
    _pair(twin, e, twin[m_last])
    _pair(twin, m, twin[e_last])
    _pair(twin, e_last, m_last)


@device_no_refs
def settle(at: Floats, tip: Ints, twin: Ints, stack: Ints, size: int, begin: int, halves: int, flat: float) -> None:
    """Flip edges until none improves: the first `size` of the stack, those of `begin` to `halves`, and all around them.

    What finds no place on the stack is found in another round.
    """
    flips, ahead = ZERO, begin
    while (size > 0 or ahead < halves) and flips < _ROUNDS * halves:
        if size > 0:
            size -= 1
            e = stack[size]
        else:
            e = ahead
            ahead += 1
            if begin <= twin[e] < e:
                continue
        m = twin[e]
        if m < 0 or not improves(at, tip, twin, e, flat):
            continue
        flip(tip, twin, e)
        flips += 1
        if size + 4 <= len(stack):
            stack[size], stack[size + 1], stack[size + 2], stack[size + 3] = m, after(e), e, after(m)
            size += 4
        else:
            ahead = begin


@device_no_refs
def _locate(at: Floats, tip: Ints, twin: Ints, halves: int, p: int, start: int, flat: float) -> int:
    """First half-edge of a triangle that holds point p, by a walk from `start`, else by looking at all; or -1."""
    e = start
    for _ in range(halves):
        ahead = -1
        outside = False
        for _ in range(3):
            if turns(at, tip[e], tip[after(e)], p, flat) < 0:
                outside = True
                if twin[e] >= 0:
                    ahead = twin[e]
                    break
            e = after(e)
        if not outside:
            return e - e % 3
        if ahead < 0:
            break  # the border is in the way
        e = after(ahead)
    for t in range(0, halves, 3):
        a, b, c = tip[t], tip[t + 1], tip[t + 2]
        if turns(at, a, b, p, flat) < 0 or turns(at, b, c, p, flat) < 0 or turns(at, c, a, p, flat) < 0:
            continue
        if turns(at, a, b, c, flat) > 0:
            return t
    return -1


@device_no_refs
def split_triangle(tip: Ints, twin: Ints, t: int, halves: int, p: int) -> None:
    """Cut triangle t, t + 1, t + 2 into three around p. The edges opposite to p are then t, halves and halves + 3."""
    u, w = halves, halves + 3
    a, b, c = tip[t], tip[t + 1], tip[t + 2]
    tip[t + 2] = p
    tip[u], tip[u + 1], tip[u + 2] = b, c, p
    tip[w], tip[w + 1], tip[w + 2] = c, a, p
    _pair(twin, u, twin[t + 1])
    _pair(twin, w, twin[t + 2])
    _pair(twin, t + 1, u + 2)
    _pair(twin, u + 1, w + 2)
    _pair(twin, w + 1, t + 2)


@device_no_refs
def split_edge(tip: Ints, twin: Ints, e: int, halves: int, p: int) -> None:
    """Cut the two triangles of an edge inside into four around p, which lies on the edge."""
    t = e - e % 3
    split_triangle(tip, twin, t, halves, p)
    flip(tip, twin, t if e == t else (halves if e == t + 1 else halves + 3))


@device_no_refs
def insert(at: Floats, tip: Ints, twin: Ints, halves: int, p: int, start: int, stack: Ints, flat: float) -> bool:
    """Add point p, which must lie inside. Returns whether it was possible; if so there are 6 half-edges more.

    The triangle `halves` then has the corner p, unless that edge was flipped.
    """
    t = _locate(at, tip, twin, halves, p, start, flat)
    if t < 0:
        return False
    on = 2
    for k in range(3):
        a, b = tip[t + k], tip[t + (k + 1) % 3]
        if turns(at, a, b, p, flat) <= 0:  # on an edge: that will be flipped at once, which must be possible
            m = twin[t + k]
            if m < 0 or turns(at, tip[before(m)], b, p, flat) <= 0 or turns(at, p, a, tip[before(m)], flat) <= 0:
                return False
            on = k
    split_triangle(tip, twin, t, halves, p)
    for k in range(3):
        edge = (on + 1 + k) % 3
        stack[k] = t if edge == 0 else halves + 3 * (edge - 1)
    settle(at, tip, twin, stack, THREE, halves + 6, halves + 6, flat)
    return True
