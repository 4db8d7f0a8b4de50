"""One triangle clipped to one convex region, with signs that every region around a vertex shares.

The side of a vertex that the cut itself has made is never read from its rounded position, but from a predicate on
what defines the vertex; so all regions that meet there decide alike, whatever their number (see `sides`).
"""

from typing import NamedTuple

import numpy as np

from ..jit import njit
from ..types import Floats, Ints
from .complex import DOUBT, Complex, distance, doubtful_distance

CORNER, ON_EDGE, ON_STRUT, LOOSE = 0, 1, 2, 3  #: kinds of polygon vertices; a strut is an edge of the partition
DOUBTS, KEYS, LEAKS = 0, 1, 2  #: rows of the tally


class Triangle(NamedTuple):
    """The triangle at hand: corner numbers and positions, plane normal (not of unit length), largest coordinate."""

    corner: Ints  #: (3,)
    position: Floats  #: (3,3)
    normal: Floats  #: (3,)
    reach: Floats  #: (1,)


class Polygon(NamedTuple):
    """A convex polygon; `tag[i]` labels the side from vertex i to i+1: -1-k triangle edge k, or a facet."""

    tag: Ints
    kind: Ints
    item: Ints  #: corner, triangle edge, or strut
    param: Floats  #: place along the triangle edge (from its smaller corner number) or along the strut
    beyond: Ints  #: partition vertex beyond which a point ON_STRUT lies, or -1
    enters: Ints  #: 1 where the strut enters the body, walked from p to q
    position: Floats  #: (.,3)
    side: Floats  #: scratch: signed distance of each vertex from the clipping facet


def new_polygon(capacity: int) -> Polygon:
    """An empty polygon with room for `capacity` vertices."""
    ints = [np.zeros(capacity, np.int64) for _ in range(5)]
    return Polygon(
        ints[0], ints[1], ints[2], np.zeros(capacity), ints[3], ints[4], np.zeros((capacity, 3)), np.zeros(capacity)
    )


@njit
def _copy(source: Polygon, i: int, target: Polygon, j: int) -> None:
    target.tag[j] = source.tag[i]
    target.kind[j] = source.kind[i]
    target.item[j] = source.item[i]
    target.param[j] = source.param[i]
    target.beyond[j] = source.beyond[i]
    target.enters[j] = source.enters[i]
    for c in range(3):
        target.position[j, c] = source.position[i, c]


@njit
def _shared_slot(cx: Complex, facet: int, other: int, region: int) -> int:
    """The slot of `facet` whose edge it shares with `other` inside the region, or -1."""
    side = 0 if cx.facet_regions[facet, 0] == region else 1
    for h in range(cx.facet_start[facet], cx.facet_start[facet + 1]):
        if cx.mate[h, side] == other:
            return h
    return -1


@njit
def _passes_inside(cx: Complex, tri: Triangle, k: int, facet: int, slot: int, tally: Ints) -> bool:
    """Whether the point (triangle edge k, facet) lies on the facet's side of the strut in that slot.

    With a < b the edge's ends and the strut's line through l along d: sign of det(b-a, l-a, d), times the strut's sign
    in the facet, times the direction in which ab crosses the facet. Neither region enters, so all of them agree.
    """
    ia, ib = k, (k + 1) % 3
    if tri.corner[ia] > tri.corner[ib]:
        ia, ib = ib, ia
    a = tri.position[ia]
    b = tri.position[ib]
    e = cx.facet_edge[slot]
    u0, u1, u2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    w0 = cx.line_point[e, 0] - a[0]
    w1 = cx.line_point[e, 1] - a[1]
    w2 = cx.line_point[e, 2] - a[2]
    d0, d1, d2 = cx.line_direction[e, 0], cx.line_direction[e, 1], cx.line_direction[e, 2]
    det = u0 * (w1 * d2 - w2 * d1) + u1 * (w2 * d0 - w0 * d2) + u2 * (w0 * d1 - w1 * d0)
    reach = tri.reach[0]
    terms = abs(u0) * (abs(w1 * d2) + abs(w2 * d1) + reach) + abs(u1) * (abs(w2 * d0) + abs(w0 * d2) + reach)
    terms += abs(u2) * (abs(w0 * d1) + abs(w1 * d0) + reach)
    if abs(det) < DOUBT * terms:
        tally[DOUBTS] += 1
    if cx.facet_sign[slot] < 0:
        det = -det
    if distance(cx, facet, a[0], a[1], a[2]) > 0.0:
        det = -det
    return det > 0.0


@njit
def _contains(cx: Complex, facet: int, vertex: int) -> bool:
    for h in range(cx.facet_start[facet], cx.facet_start[facet + 1]):
        e = cx.facet_edge[h]
        if cx.edge_vertices[e, 0] == vertex or cx.edge_vertices[e, 1] == vertex:
            return True
    return False


@njit
def _height(cx: Complex, tri: Triangle, vertex: int, tally: Ints) -> float:
    """Where a partition vertex stands over the triangle's plane, times the length of the normal."""
    h = 0.0
    terms = 0.0
    for c in range(3):
        term = tri.normal[c] * (cx.vertices[vertex, c] - tri.position[0, c])
        h += term
        terms += abs(term) + abs(tri.normal[c]) * tri.reach[0]
    if abs(h) < DOUBT * terms:
        tally[DOUBTS] += 1
    return h


@njit
def _put_on_edge(cx: Complex, tri: Triangle, k: int, facet: int, poly: Polygon, i: int) -> None:
    """Make vertex i the point where triangle edge k meets the facet, computed from the smaller corner number."""
    ia, ib = k, (k + 1) % 3
    if tri.corner[ia] > tri.corner[ib]:
        ia, ib = ib, ia
    a = tri.position[ia]
    b = tri.position[ib]
    da = distance(cx, facet, a[0], a[1], a[2])
    db = distance(cx, facet, b[0], b[1], b[2])
    t = 0.5 if da == db else min(max(da / (da - db), 0.0), 1.0)
    poly.kind[i] = ON_EDGE
    poly.item[i] = k
    poly.param[i] = t
    poly.beyond[i] = -1
    for c in range(3):
        poly.position[i, c] = a[c] + t * (b[c] - a[c])


@njit
def _put_on_strut(cx: Complex, tri: Triangle, strut: int, poly: Polygon, i: int, tally: Ints) -> None:
    """Make vertex i the point where a strut meets the triangle's plane, from the heights of the strut's ends."""
    p = cx.edge_vertices[strut, 0]
    q = cx.edge_vertices[strut, 1]
    hp = _height(cx, tri, p, tally)
    hq = _height(cx, tri, q, tally)
    near_p = abs(hp) <= abs(hq)
    t = -1e9 if hp == hq else hp / (hp - hq)  # a strut parallel to the triangle meets its plane far away
    poly.beyond[i] = -1
    if (hp > 0.0) == (hq > 0.0):
        poly.beyond[i] = p if near_p else q
    poly.kind[i] = ON_STRUT
    poly.item[i] = strut
    poly.param[i] = t
    poly.enters[i] = 1 if hp > 0.0 else 0
    for c in range(3):
        if near_p:
            poly.position[i, c] = cx.vertices[p, c] + t * (cx.vertices[q, c] - cx.vertices[p, c])
        else:
            poly.position[i, c] = cx.vertices[q, c] + (1.0 - t) * (cx.vertices[p, c] - cx.vertices[q, c])


@njit
def _put_crossing(
    cx: Complex, tri: Triangle, region: int, facet: int, old: Polygon, i: int, j: int, new: Polygon, n: int, tally: Ints
) -> None:
    """Make vertex n of `new` the point where side i -> j of `old` meets the facet."""
    tag = old.tag[i]
    if tag < 0:
        _put_on_edge(cx, tri, -1 - tag, facet, new, n)
        return
    slot = _shared_slot(cx, tag, facet, region)
    if slot >= 0:
        _put_on_strut(cx, tri, cx.facet_edge[slot], new, n, tally)
        return
    new.kind[n] = LOOSE
    new.item[n] = -1
    new.beyond[n] = -1
    di, dj = old.side[i], old.side[j]
    t = 0.5 if di == dj else min(max(di / (di - dj), 0.0), 1.0)
    for c in range(3):
        new.position[n, c] = old.position[i, c] + t * (old.position[j, c] - old.position[i, c])


@njit
def _is_inside(
    cx: Complex, tri: Triangle, region: int, facet: int, is_lo: bool, poly: Polygon, n: int, i: int, tally: Ints
) -> bool:
    """Which side of the facet vertex i is on; also stores its rounded distance for LOOSE crossings."""
    value = distance(cx, facet, poly.position[i, 0], poly.position[i, 1], poly.position[i, 2])
    poly.side[i] = value
    kind = poly.kind[i]
    if kind == ON_STRUT:
        if poly.beyond[i] < 0:
            return True
        if _contains(cx, facet, poly.beyond[i]):
            return False
    elif kind == ON_EDGE:
        own = max(poly.tag[i], poly.tag[(i + n - 1) % n])
        slot = _shared_slot(cx, own, facet, region)
        if slot >= 0:
            return _passes_inside(cx, tri, poly.item[i], own, slot, tally)
    return (value <= 0.0) == is_lo


@njit
def _corners_inside(cx: Complex, tri: Triangle, facet: int, is_lo: bool, tally: Ints) -> int:
    """How many corners of the triangle are on the region's side of the facet."""
    inside = 0
    for k in range(3):
        x, y, z = tri.position[k, 0], tri.position[k, 1], tri.position[k, 2]
        value = distance(cx, facet, x, y, z)
        if doubtful_distance(cx, facet, x, y, z, tri.reach[0], value):
            tally[DOUBTS] += 1
        if (value <= 0.0) == is_lo:
            inside += 1
    return inside


@njit
def _start(tri: Triangle, poly: Polygon) -> None:
    for k in range(3):
        poly.tag[k] = -1 - k
        poly.kind[k] = CORNER
        poly.item[k] = k
        poly.beyond[k] = -1
        for c in range(3):
            poly.position[k, c] = tri.position[k, c]


@njit
def _clip_once(
    cx: Complex, tri: Triangle, region: int, facet: int, n: int, old: Polygon, new: Polygon, inside: Ints, tally: Ints
) -> int:
    """Clip `old` with n vertices, of which some are inside and some not, into `new`; returns its vertex count."""
    leave = -1
    enter = -1
    for i in range(n):
        j = (i + 1) % n
        if inside[i] and not inside[j]:
            if leave >= 0:
                tally[KEYS] += 1  # the inside part is not in one piece: signs contradict each other
                return 0
            leave = i
        elif inside[j] and not inside[i]:
            enter = i
    m = 0
    i = (enter + 1) % n
    while True:
        _copy(old, i, new, m)
        m += 1
        if i == leave:
            break
        i = (i + 1) % n
    _put_crossing(cx, tri, region, facet, old, leave, (leave + 1) % n, new, m, tally)
    new.tag[m] = facet
    _put_crossing(cx, tri, region, facet, old, enter, (enter + 1) % n, new, m + 1, tally)
    new.tag[m + 1] = old.tag[enter]
    return m + 2


@njit
def clip_to_region(
    cx: Complex, tri: Triangle, region: int, first: Polygon, second: Polygon, inside: Ints, tally: Ints
) -> int:
    """Clip the triangle to the region; the polygon is left in `first`. Returns its vertex count, 0 if nothing is left.

    A facet with all corners on its inner side is skipped, since it cannot touch any part of the triangle.
    """
    _start(tri, first)
    n = 3
    for at in range(cx.region_start[region], cx.region_start[region + 1]):
        facet = cx.region_facet[at]
        is_lo = cx.facet_regions[facet, 0] == region
        corners = _corners_inside(cx, tri, facet, is_lo, tally)
        if corners == 3:
            continue
        if corners == 0:
            return 0
        within = 0
        for i in range(n):
            inside[i] = 1 if _is_inside(cx, tri, region, facet, is_lo, first, n, i, tally) else 0
            within += inside[i]
        if within == n:
            continue
        if within == 0:
            return 0
        n = _clip_once(cx, tri, region, facet, n, first, second, inside, tally)
        if n == 0:
            return 0
        for i in range(n):
            _copy(second, i, first, i)
    return n
