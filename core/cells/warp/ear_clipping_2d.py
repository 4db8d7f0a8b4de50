"""Polygons with holes cut into triangles, with the neighbours of each triangle: a start for `delaunay_2d`.

Holes are joined to the outline by bridges from their leftmost corners (Eberly, Triangulation by Ear Clipping, 2002),
then ears are clipped all around the ring in turn. No flat ear is taken while there is another one. A ring of n nodes
always gives n - 2 triangles: where nothing is an ear, since the ring crosses itself, the largest triangle is taken.
Time grows with the corners, times the concave ones.
"""

from ...jit import lean_inner, part
from ...types import Floats, Ints
from .delaunay_2d import NONE, ZERO, after, doubled_area, turns

#: Columns of a ring of nodes: neighbours (NEXT is -1 where the node is gone), corner, the half-edge behind the edge to
#: the next node (-1: border, -2 - k: bridge k). Two lists lie beside them: a half-edge at bridge k, the concave nodes.
PREVIOUS, NEXT, CORNER, BEHIND, BRIDGE, CONCAVE = 0, 1, 2, 3, 4, 5
COLUMNS = 6
GAP = 1e3  #: distance of corners that count as one, in altitudes that are round-off


@part
def clip_ears(at: Floats, loop: Ints, outline: int, ring: Ints, tip: Ints, mate: Ints, flat: float) -> int:
    """Fill `tip` and `mate` with the triangles of a polygon; returns the number of half-edges.

    `loop` bounds its loops, of which loop `outline` goes around the others; their corners are the first rows of `at`,
    from loop[0] on. `ring` has room for a node of each corner and two of each hole, in `COLUMNS`; so has `at` behind
    the corners.
    """
    i = loop[outline] - loop[0]
    nodes = left = _make_ring(at, loop, outline, ring)
    halves = ZERO
    for _ in range(nodes):  # corners in one place would hide whether the ring is concave there
        a, b = ring[i, CORNER], ring[ring[i, NEXT], CORNER]
        near = max(abs(at[b, 0] - at[a, 0]), abs(at[b, 1] - at[a, 1])) <= GAP * flat
        if near and left > 3:
            _clip(ring, i, tip, mate, halves)
            halves, left = halves + 3, left - 1
            i = ring[i, PREVIOUS]
        i = ring[i, NEXT]
    corners = loop[len(loop) - 1] - loop[0]
    concave = _list_concave(at, ring, nodes, corners, flat)
    idle, level = ZERO, ZERO
    while left > 3:
        if _is_ear(at, ring, i, corners, concave, flat, level):
            _clip(ring, i, tip, mate, halves)
            halves, left, idle, level = halves + 3, left - 1, ZERO, ZERO
            i = ring[ring[ring[i, PREVIOUS], NEXT], NEXT]  # leave its neighbour alone: rounder triangles
            continue
        i = ring[i, NEXT]
        idle += 1
        if idle > left:
            idle, level = ZERO, level + 1
            if level == 2:
                i = _largest(at, ring, i, left)
    if left == 3:
        last = ring[i, NEXT]
        _clip(ring, i, tip, mate, halves)
        _attach(ring, mate, halves + 2, ring[last, BEHIND])
        halves += 3
    return halves


@part
def is_doubtful(at: Floats, tip: Ints, halves: int, flat: float) -> bool:
    """Whether triangles are flat or turned over, so that an edge may be there twice."""
    doubts = 0
    for t in range(0, halves, 3):
        doubts += turns(at, tip[t], tip[t + 1], tip[t + 2], flat) <= 0
    return doubts > 0


@part
def repeats_edge(tip: Ints, halves: int, corners: int, ring: Ints, others: Ints) -> bool:
    """Whether two half-edges run between the same corners in the same direction. `others` has room for all."""
    for i in range(corners):
        ring[i, NEXT] = -1  # the last half-edge that begins there
    for e in range(halves):
        a, b = tip[e], tip[after(e)]
        if a >= corners or b >= corners:
            continue
        k = ring[a, NEXT]
        while k >= 0:
            if tip[after(k)] == b:
                return True
            k = others[k]
        others[e], ring[a, NEXT] = ring[a, NEXT], e
    return False


@part
def fill_blindly(at: Floats, loop: Ints, outline: int, ring: Ints, tip: Ints) -> int:
    """Fill a polygon whose loops cross each other, edge by edge; returns the number of nodes of its ring.

    Each node gets a point of its own in the same place, `at` row after row behind the corners; a strip of two triangles
    for each edge and a fan inside of the strip. So no edge is there twice, whatever the shape. Neighbours are not kept.
    """
    i = loop[outline] - loop[0]
    nodes, corners = _make_ring(at, loop, outline, ring), loop[len(loop) - 1] - loop[0]
    for k in range(nodes):
        a, b = ring[i, CORNER], ring[ring[i, NEXT], CORNER]
        p, q = corners + k, corners + (k + 1) % nodes
        at[p, 0], at[p, 1] = at[a, 0], at[a, 1]
        e = 6 * k
        tip[e], tip[e + 1], tip[e + 2] = a, b, q
        tip[e + 3], tip[e + 4], tip[e + 5] = a, q, p
        if 0 < k < nodes - 1:
            e = 6 * nodes + 3 * (k - 1)
            tip[e], tip[e + 1], tip[e + 2] = corners, p, q
        i = ring[i, NEXT]
    return nodes


@part
def _make_ring(at: Floats, loop: Ints, outline: int, ring: Ints) -> int:
    """One ring of all loops; returns its number of nodes. Node i is corner i, the others are the ends of bridges."""
    for k in range(len(loop) - 1):
        first, last = loop[k] - loop[0], loop[k + 1] - loop[0] - 1
        for i in range(first, last + 1):
            ring[i, PREVIOUS] = i - 1 if i > first else last
            ring[i, NEXT] = i + 1 if i < last else first
            ring[i, CORNER], ring[i, BEHIND] = i, -1
    nodes: int = loop[len(loop) - 1] - loop[0]
    entry = loop[outline] - loop[0]
    done_x, done_node = -1e300, NONE
    for hole in range(len(loop) - 2):  # from left to right: nothing lies between a hole and the ring to its left
        leftmost, x = NONE, 1e300
        for k in range(len(loop) - 1):
            if k == outline or loop[k] == loop[k + 1]:
                continue
            first = loop[k] - loop[0]
            node = first
            for i in range(first, loop[k + 1] - loop[0]):
                if at[i, 0] < at[node, 0]:
                    node = i
            later = at[node, 0] > done_x or (at[node, 0] == done_x and node > done_node)
            if later and (at[node, 0] < x or leftmost < 0):
                leftmost, x = node, at[node, 0]
        if leftmost < 0:
            break
        done_x, done_node = x, leftmost
        nodes = _bridge(ring, _seen_from(at, ring, leftmost, entry), leftmost, nodes, hole)
    return nodes


@part
def _bridge(ring: Ints, m: int, h: int, nodes: int, number: int) -> int:
    """Join the ring at node m and the hole at node h by two opposite edges."""
    m_out, h_in = nodes, nodes + 1
    ring[m_out, CORNER], ring[h_in, CORNER] = ring[m, CORNER], ring[h, CORNER]
    ring[m_out, BEHIND], ring[m_out, NEXT], ring[m_out, PREVIOUS] = ring[m, BEHIND], ring[m, NEXT], h_in
    ring[ring[m, NEXT], PREVIOUS] = m_out
    ring[h_in, PREVIOUS], ring[h_in, NEXT] = ring[h, PREVIOUS], m_out
    ring[ring[h, PREVIOUS], NEXT] = h_in
    ring[m, NEXT], ring[h, PREVIOUS] = h, m
    ring[m, BEHIND] = ring[h_in, BEHIND] = -2 - number
    ring[number, BRIDGE] = -1
    return nodes + 2


@part
def _seen_from(at: Floats, ring: Ints, h: int, entry: int) -> int:
    """A node of the ring around `entry` that the leftmost node h of a hole sees."""
    hx, hy = at[h, 0], at[h, 1]
    qx, m = -1e300, NONE
    nearest, distance = entry, 1e300
    p = entry
    while True:
        n = ring[p, NEXT]
        px, py, nx, ny = at[ring[p, CORNER], 0], at[ring[p, CORNER], 1], at[ring[n, CORNER], 0], at[ring[n, CORNER], 1]
        square = (px - hx) ** 2 + (py - hy) ** 2
        if square < distance:
            nearest, distance = p, square
        if py >= hy >= ny and py > ny:  # matter lies to the right of this edge
            x = px + (hy - py) * (nx - px) / (ny - py)
            if qx < x <= hx:
                qx = x
                m = p if px < nx else n
        p = n
        if p == entry:
            break
    if m < 0:
        return nearest
    mx, my = at[ring[m, CORNER], 0], at[ring[m, CORNER], 1]
    steepest, best, best_x = abs(my - hy) / (hx - mx) if mx < hx else 1e300, m, mx
    p = ring[m, NEXT]
    while p != m:  # what lies in the triangle of hole, edge and its end hides that end: the first one counts
        px, py = at[ring[p, CORNER], 0], at[ring[p, CORNER], 1]
        if mx <= px < hx and (py - hy) * (my - hy) >= 0.0:
            slope = abs(py - hy) / (hx - px)
            side = (mx - qx) * (py - hy) - (my - hy) * (px - qx)  # right of the way from the hit up to m
            hidden = side <= 0.0 if my >= hy else side >= 0.0
            closer = slope < steepest or (slope == steepest and px > best_x)
            if hidden and closer and _opens_to(at, ring, p, h):
                best, steepest, best_x = p, slope, px
        p = ring[p, NEXT]
    return best


@part
def _opens_to(at: Floats, ring: Ints, p: int, h: int) -> bool:
    """Whether the ring's inner angle at node p holds the direction to corner h."""
    a, i, b = ring[ring[p, PREVIOUS], CORNER], ring[p, CORNER], ring[ring[p, NEXT], CORNER]
    if doubled_area(at, a, i, b) >= 0.0:
        return doubled_area(at, i, b, h) >= 0.0 and doubled_area(at, a, i, h) >= 0.0
    return doubled_area(at, i, b, h) > 0.0 or doubled_area(at, a, i, h) > 0.0


@lean_inner
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


@part
def _clip(ring: Ints, i: int, tip: Ints, mate: Ints, halves: int) -> None:
    """Take node i out of the ring: its triangle becomes half-edges `halves` to `halves` + 2."""
    a, b = ring[i, PREVIOUS], ring[i, NEXT]
    tip[halves], tip[halves + 1], tip[halves + 2] = ring[a, CORNER], ring[i, CORNER], ring[b, CORNER]
    mate[halves + 2] = -1
    _attach(ring, mate, halves, ring[a, BEHIND])
    _attach(ring, mate, halves + 1, ring[i, BEHIND])
    ring[a, NEXT], ring[b, PREVIOUS], ring[i, NEXT] = b, a, -1
    ring[a, BEHIND] = halves + 2


@part
def _list_concave(at: Floats, ring: Ints, nodes: int, corners: int, flat: float) -> int:
    """List nodes where the ring turns clockwise or back, and copy them to `at[corners:]`; returns how many."""
    count = 0
    for i in range(nodes):
        if ring[i, NEXT] < 0:
            continue
        a, c, b = ring[ring[i, PREVIOUS], CORNER], ring[i, CORNER], ring[ring[i, NEXT], CORNER]
        turn = turns(at, a, c, b, flat)
        if turn == 0:
            along = (at[c, 0] - at[a, 0]) * (at[b, 0] - at[c, 0]) + (at[c, 1] - at[a, 1]) * (at[b, 1] - at[c, 1])
            turn = -1 if along < 0.0 else 1
        if turn < 0:
            ring[count, CONCAVE] = i
            at[corners + count, 0], at[corners + count, 1] = at[c, 0], at[c, 1]
            count += 1
    return count


@part
def _is_ear(at: Floats, ring: Ints, i: int, corners: int, concave: int, flat: float, level: int) -> bool:
    """Whether node i can be clipped.

    At level 0 its triangle is not flat and no other corner is in it or on its border. At level 1 a border may hold
    corners and the triangle may be flat but for round-off. At level 2 everything goes.
    """
    if level > 1:
        return True
    a, c, b = ring[ring[i, PREVIOUS], CORNER], ring[i, CORNER], ring[ring[i, NEXT], CORNER]
    if level == 0:
        if turns(at, a, c, b, flat) <= 0:
            return False
    elif doubled_area(at, a, c, b) <= 0.0:
        return False
    left, right = min(at[a, 0], at[b, 0], at[c, 0]) - flat, max(at[a, 0], at[b, 0], at[c, 0]) + flat
    low, high = min(at[a, 1], at[b, 1], at[c, 1]) - flat, max(at[a, 1], at[b, 1], at[c, 1]) + flat
    for k in range(concave):
        x, y = at[corners + k, 0], at[corners + k, 1]
        if x < left or x > right or y < low or y > high:
            continue
        node = ring[k, CONCAVE]
        q = ring[node, CORNER]
        if ring[node, NEXT] < 0 or (q - a) * (q - b) * (q - c) == 0:
            continue
        if turns(at, b, a, q, flat) < level or turns(at, a, c, q, flat) < level or turns(at, c, b, q, flat) < level:
            continue
        return False
    return True


@part
def _largest(at: Floats, ring: Ints, i: int, left: int) -> int:
    """The node of the ring around i with the largest triangle."""
    best, most = i, -1e300
    for _ in range(left):
        area = doubled_area(at, ring[ring[i, PREVIOUS], CORNER], ring[i, CORNER], ring[ring[i, NEXT], CORNER])
        if area > most:
            best, most = i, area
        i = ring[i, NEXT]
    return best
