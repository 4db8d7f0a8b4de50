"""Rings cut into triangles, with the neighbours of each triangle: a start for `delaunay`.

Ears are clipped all around the ring in turn. No flat ear is taken while there is another one. A ring of n nodes always
gives n - 2 triangles: where nothing is an ear, since the ring crosses itself, the largest triangle is taken.
Time grows with the corners, times the concave ones.
"""

from ..jit import device_inlined, device_no_refs
from ..types import Floats, Ints
from .delaunay import ZERO, after, doubled_area, turns

#: Columns of a ring of nodes: neighbours (NEXT is -1 where the node is gone), corner, the half-edge behind the edge to
#: the next node (or as in `bridges`). Two lists lie beside them: a half-edge at bridge k, the concave nodes.
_PREVIOUS, _NEXT, RING_CORNER, BEHIND, BRIDGE, _CONCAVE = 0, 1, 2, 3, 4, 5
COLUMNS = 6
_GAP = 1e3  #: distance of corners that count as one, in altitudes that are round-off


@device_no_refs
def clip_ears(at: Floats, free: int, around: Ints, behind: Ints, ring: Ints, tip: Ints, mate: Ints, flat: float) -> int:
    """Fill `tip` and `mate` with the triangles of a ring; returns the number of half-edges.

    `around` are the corners around it, `behind` the bridges, of `bridges`. `ring` has room for each node, in
    `COLUMNS`; so has `at` from row `free` on.
    """
    nodes = left = len(around)
    for k in range(nodes):
        ring[k, _PREVIOUS], ring[k, _NEXT] = k - 1 if k > 0 else nodes - 1, k + 1 if k < nodes - 1 else 0
        ring[k, RING_CORNER], ring[k, BEHIND], ring[k, BRIDGE] = around[k], behind[k], -1
    i = halves = ZERO
    for _ in range(nodes):  # corners in one place would hide whether the ring is concave there
        a, b = ring[i, RING_CORNER], ring[ring[i, _NEXT], RING_CORNER]
        near = max(abs(at[b, 0] - at[a, 0]), abs(at[b, 1] - at[a, 1])) <= _GAP * flat
        if near and left > 3:
            _clip(ring, i, tip, mate, halves)
            halves, left = halves + 3, left - 1
            i = ring[i, _PREVIOUS]
        i = ring[i, _NEXT]
    concave = _list_concave(at, ring, nodes, free, flat)
    idle, level = ZERO, ZERO
    while left > 3:
        if _is_ear(at, ring, i, free, concave, flat, level):
            _clip(ring, i, tip, mate, halves)
            halves, left, idle, level = halves + 3, left - 1, ZERO, ZERO
            i = ring[ring[ring[i, _PREVIOUS], _NEXT], _NEXT]  # leave its neighbour alone: rounder triangles
            continue
        i = ring[i, _NEXT]
        idle += 1
        if idle > left:
            idle, level = ZERO, level + 1
            if level == 2:
                i = _largest(at, ring, i, left)
    if left == 3:
        last = ring[i, _NEXT]
        _clip(ring, i, tip, mate, halves)
        _attach(ring, mate, halves + 2, ring[last, BEHIND])
        halves += 3
    return halves


@device_no_refs
def repeats_edge(tip: Ints, halves: int, corners: int, ring: Ints, others: Ints) -> bool:
    """Whether two half-edges run between the same corners in the same direction. `others` has room for all."""
    for i in range(corners):
        ring[i, _NEXT] = -1  # the last half-edge that begins there
    for e in range(halves):
        a, b = tip[e], tip[after(e)]
        if a >= corners or b >= corners:
            continue
        k = ring[a, _NEXT]
        while k >= 0:
            if tip[after(k)] == b:
                return True
            k = others[k]
        others[e], ring[a, _NEXT] = ring[a, _NEXT], e
    return False


@device_no_refs
def fill_blindly(at: Floats, corners: int, around: Ints, tip: Ints) -> None:
    """Fill a polygon whose loops cross each other, edge by edge: n nodes give n points and 3n - 2 triangles.

    Each node gets a point of its own in the same place, in the rows of `at` behind the corners; a strip of two
    triangles for each edge and a fan inside of the strip. So no edge is there twice, whatever the shape. Mates are
    not kept.
    """
    nodes = len(around)
    for k in range(nodes):
        following = k + 1 if k < nodes - 1 else 0
        a, p, q = around[k], corners + k, corners + following
        at[p, 0], at[p, 1] = at[a, 0], at[a, 1]
        e = 6 * k
        tip[e], tip[e + 1], tip[e + 2] = a, around[following], q
        tip[e + 3], tip[e + 4], tip[e + 5] = a, q, p
        if 0 < k < nodes - 1:
            e = 6 * nodes + 3 * (k - 1)
            tip[e], tip[e + 1], tip[e + 2] = corners, p, q


@device_inlined
def _attach(ring: Ints, mate: Ints, e: int, behind: int) -> None:
    mate[e] = behind
    if behind >= 0:
        mate[behind] = e
    elif behind < -1:
        other = ring[-2 - behind, BRIDGE]
        mate[e] = other
        if other >= 0:
            mate[other] = e
        else:
            ring[-2 - behind, BRIDGE] = e


@device_no_refs
def _clip(ring: Ints, i: int, tip: Ints, mate: Ints, halves: int) -> None:
    """Take node i out of the ring: its triangle becomes half-edges `halves` to `halves` + 2."""
    a, b = ring[i, _PREVIOUS], ring[i, _NEXT]
    tip[halves], tip[halves + 1], tip[halves + 2] = ring[a, RING_CORNER], ring[i, RING_CORNER], ring[b, RING_CORNER]
    mate[halves + 2] = -1
    _attach(ring, mate, halves, ring[a, BEHIND])
    _attach(ring, mate, halves + 1, ring[i, BEHIND])
    ring[a, _NEXT], ring[b, _PREVIOUS], ring[i, _NEXT] = b, a, -1
    ring[a, BEHIND] = halves + 2


@device_no_refs
def _list_concave(at: Floats, ring: Ints, nodes: int, free: int, flat: float) -> int:
    """List nodes where the ring turns clockwise or back, and copy them to `at[free:]`; returns how many."""
    count = 0
    for i in range(nodes):
        if ring[i, _NEXT] < 0:
            continue
        a, c, b = ring[ring[i, _PREVIOUS], RING_CORNER], ring[i, RING_CORNER], ring[ring[i, _NEXT], RING_CORNER]
        turn = turns(at, a, c, b, flat)
        if turn == 0:
            along = (at[c, 0] - at[a, 0]) * (at[b, 0] - at[c, 0]) + (at[c, 1] - at[a, 1]) * (at[b, 1] - at[c, 1])
            turn = -1 if along < 0.0 else 1
        if turn < 0:
            ring[count, _CONCAVE] = i
            at[free + count, 0], at[free + count, 1] = at[c, 0], at[c, 1]
            count += 1
    return count


@device_no_refs
def _is_ear(at: Floats, ring: Ints, i: int, free: int, concave: int, flat: float, level: int) -> bool:
    """Whether node i can be clipped.

    At level 0 its triangle is not flat and no other corner is in it or on its border. At level 1 a border may hold
    corners and the triangle may be flat but for round-off. At level 2 everything goes.
    """
    if level > 1:
        return True
    a, c, b = ring[ring[i, _PREVIOUS], RING_CORNER], ring[i, RING_CORNER], ring[ring[i, _NEXT], RING_CORNER]
    if level == 0:
        if turns(at, a, c, b, flat) <= 0:
            return False
    elif doubled_area(at, a, c, b) <= 0.0:
        return False
    left, right = min(at[a, 0], at[b, 0], at[c, 0]) - flat, max(at[a, 0], at[b, 0], at[c, 0]) + flat
    low, high = min(at[a, 1], at[b, 1], at[c, 1]) - flat, max(at[a, 1], at[b, 1], at[c, 1]) + flat
    for k in range(concave):
        x, y = at[free + k, 0], at[free + k, 1]
        if x < left or x > right or y < low or y > high:
            continue
        node = ring[k, _CONCAVE]
        q = ring[node, RING_CORNER]
        if ring[node, _NEXT] < 0 or (q - a) * (q - b) * (q - c) == 0:
            continue
        if turns(at, b, a, q, flat) < level or turns(at, a, c, q, flat) < level or turns(at, c, b, q, flat) < level:
            continue
        return False
    return True


@device_no_refs
def _largest(at: Floats, ring: Ints, i: int, left: int) -> int:
    """The node of the ring around i with the largest triangle."""
    best, most = i, -1e300
    for _ in range(left):
        area = doubled_area(
            at, ring[ring[i, _PREVIOUS], RING_CORNER], ring[i, RING_CORNER], ring[ring[i, _NEXT], RING_CORNER]
        )
        if area > most:
            best, most = i, area
        i = ring[i, _NEXT]
    return best
