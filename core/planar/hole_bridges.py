"""Rings of corners that polygons are, and bridges that join the loop of a hole to the loop around it.

A bridge leads from the hole's rightmost corner to a corner that it sees (Eberly, "Triangulation by ear clipping",
2002), and is a side of the ring both ways.
"""

import numpy as np

from ..jit import device_inlined
from ..record_arrays import Records, record_type
from ..types import Floats

#: A corner of the ring that a polygon is.
RING_CORNER = record_type(
    half="i8",
    piece="i8",  # of the side to the next corner
    previous="i8",
    next="i8",  # -1 once it is clipped
    blocker="i8",  # a corner in its ear, or what is known otherwise
)


@device_inlined
def doubled_area(at: Floats, a: int, b: int, c: int) -> float:
    """Twice the signed area."""
    area: float = (at[b, 0] - at[a, 0]) * (at[c, 1] - at[a, 1]) - (at[b, 1] - at[a, 1]) * (at[c, 0] - at[a, 0])
    return area


@device_inlined
def in_one_place(at: Floats, a: int, b: int) -> bool:
    """Whether two corners have the same place."""
    return bool(at[a, 0] == at[b, 0] and at[a, 1] == at[b, 1])


@device_inlined
def bridge_hole(ring: Records, at: Floats, first: int, size: int, inner_side: int) -> None:
    """Join the hole of the corners first..size-1 to the ring of those before; makes two corners more.

    The ring before is one loop that begins at corner 0; the hole keeps its direction.
    """
    m = first
    for i in range(first, size):
        if at[i, 0] > at[m, 0]:
            m = i
    p = _seen(ring, at, m)
    m_again, p_again = size, size + 1
    for k in range(2):
        at[m_again, k], at[p_again, k] = at[m, k], at[p, k]
    ring[m_again].half, ring[p_again].half = ring[m].half, ring[p].half
    ring[m_again].piece, ring[p_again].piece = inner_side, ring[p].piece
    last, after = ring[m].previous, ring[p].next
    ring[last].next, ring[m_again].previous = m_again, last
    ring[m_again].next, ring[p_again].previous = p_again, m_again
    ring[p_again].next, ring[after].previous = after, p_again
    ring[p].next, ring[m].previous = m, p
    ring[p].piece = inner_side


@device_inlined
def _seen(ring: Records, at: Floats, m: int) -> int:
    """A corner of the ring that begins at corner 0 which corner m of a hole in it sees, towards the right."""
    x, y = at[m, 0], at[m, 1]
    top = int(np.int64(0))
    best, nearest = int(np.int64(-1)), np.inf
    i = top
    while True:  # the first side that a ray to the right meets
        j = ring[i].next
        if at[i, 1] <= y < at[j, 1]:
            hit = at[i, 0] + (y - at[i, 1]) / (at[j, 1] - at[i, 1]) * (at[j, 0] - at[i, 0])
            if x <= hit < nearest:
                best, nearest = (i if at[i, 0] > at[j, 0] else j), hit
        i = j
        if i == 0:
            break
    if best < 0:
        return top
    # Corners within the triangle of m, the hit and that side's right end may hide it: the one at the least angle is
    # seen. Of corners at one place, the one whose inside m is in.
    far_x, far_y = at[best, 0], at[best, 1]
    turn = 1.0 if far_y > y else -1.0
    seen, least, reach = int(np.int64(-1)), np.inf, np.inf
    i = top
    while True:
        dx, dy = at[i, 0] - x, turn * (at[i, 1] - y)
        within = dx >= 0.0 and dy >= 0.0 and dx * turn * (far_y - y) >= dy * (far_x - x)
        side = (far_x - nearest) * (at[i, 1] - y) - (far_y - y) * (at[i, 0] - nearest)
        if ((within and turn * side >= 0.0) or in_one_place(at, i, best)) and _opens_to(ring, at, i, m):
            slope = dy / dx if dx > 0.0 else np.inf
            if slope < least or (slope == least and dx < reach):
                seen, least, reach = i, slope, dx
        i = ring[i].next
        if i == 0:
            break
    return seen if seen >= 0 else best


@device_inlined
def _opens_to(ring: Records, at: Floats, i: int, m: int) -> bool:
    """Whether point m lies in the wedge between the two sides at corner i."""
    a, b = ring[i].previous, ring[i].next
    if doubled_area(at, a, i, b) > 0.0:
        return bool(doubled_area(at, a, i, m) >= 0.0 and doubled_area(at, i, b, m) >= 0.0)
    return bool(doubled_area(at, a, i, m) >= 0.0 or doubled_area(at, i, b, m) >= 0.0)
