"""One triangle clipped to one convex region, with signs that every region around a vertex shares.

The side of a vertex that the cut itself has made is never read from its rounded position, but from a predicate on
what defines the vertex; so all regions that meet there decide alike, whatever their number (see `sides`).
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined
from ..record_arrays import Record, Records, record_type
from ..types import Floats, Ints
from .complex import DOUBT, Complex, distance, doubtful_distance

#: Kinds of polygon vertices. An edge of the partition is where two facets of a region meet.
CORNER, ON_EDGE, ON_PARTITION_EDGE, LOOSE = 0, 1, 2, 3

#: What the checks count.
TALLY = record_type(
    doubts="i8",  # signs that round-off could decide
    keys="i8",  # vertices whose keys contradict each other
    leaks="i8",  # sides on the outer border of the complex
)
#: The triangle at hand.
TRIANGLE = record_type(
    corner=("i8", 3),  # body vertices
    position=("f8", (3, 3)),  # of the corners
    normal=("f8", 3),  # not of unit length
    longest="f8",  # side
    reach="f8",  # largest coordinate of the body
)
#: A vertex of a polygon that is clipped.
POLYGON_VERTEX = record_type(
    tag="i8",  # the side from this vertex to the next: -1-k for triangle edge k, else a facet
    kind="i8",
    on="i8",  # the corner, triangle edge or partition edge
    beyond="i8",  # the partition vertex beyond which a point ON_PARTITION_EDGE lies, or -1
    enters="i8",  # whether the partition edge enters the body there, walked from p to q
    position=("f8", 3),
    place="f8",  # along the triangle edge (from its smaller corner number) or the partition edge
    side="f8",  # signed distance from the facet that clips
)


class Polygon(NamedTuple):
    """A convex polygon, and a second one to clip into."""

    vertex: Records  #: (.,) POLYGON_VERTEX
    vertex2: Records
    inside: Ints  #: (.,) scratch
    facets: Ints  #: (.,) facets of the region that cross the triangle


class _ClippedTriangle(NamedTuple):
    """What is clipped, and to what."""

    cx: Complex
    tri: Record
    region: int
    tally: Record


def new_polygon(capacity: int) -> Polygon:
    """An empty polygon with room for `capacity` vertices."""
    vertices = [np.zeros(capacity, POLYGON_VERTEX) for _ in range(2)]
    return Polygon(vertices[0], vertices[1], np.zeros(capacity, np.int64), np.zeros(capacity, np.int64))


@device_inlined
def _shared_slot(cx: Complex, facet: int, other: int, region: int) -> int:
    """The slot of `facet` whose edge it shares with `other` inside the region, or -1."""
    side = 0 if cx.facet[facet].lo == region else 1
    for h in range(cx.facet[facet].first, cx.facet[facet].last):
        if cx.slot[h].across[side] == other:
            return h
    return -1


@device_inlined
def _edge_ends(corner: Ints, k: int) -> tuple[int, int]:
    """Corners of triangle edge k, the one with the smaller vertex number first."""
    other = (k + 1) % 3
    return (other, k) if corner[k] > corner[other] else (k, other)


@device_inlined
def _passes_inside(cx: Complex, tri: Record, k: int, facet: int, slot: int, tally: Record) -> bool:
    """Whether the point (triangle edge k, facet) lies on the facet's side of the partition edge in that slot.

    With a < b the edge's ends and the partition edge on a line through l along d: sign of det(b-a, l-a, d), times its
    sign in the facet, times the direction in which ab crosses the facet. Neither region enters, so all of them agree.
    """
    ia, ib = _edge_ends(tri.corner, k)
    p = tri.position
    a0, a1, a2 = p[ia, 0], p[ia, 1], p[ia, 2]
    u0, u1, u2 = p[ib, 0] - a0, p[ib, 1] - a1, p[ib, 2] - a2
    e = cx.slot[slot].edge
    w0, w1, w2 = cx.line[e, 0, 0] - a0, cx.line[e, 0, 1] - a1, cx.line[e, 0, 2] - a2
    d0, d1, d2 = cx.line[e, 1, 0], cx.line[e, 1, 1], cx.line[e, 1, 2]
    det = u0 * (w1 * d2 - w2 * d1) + u1 * (w2 * d0 - w0 * d2) + u2 * (w0 * d1 - w1 * d0)
    reach = tri.reach
    terms = abs(u0) * (abs(w1 * d2) + abs(w2 * d1) + reach) + abs(u1) * (abs(w2 * d0) + abs(w0 * d2) + reach)
    terms += abs(u2) * (abs(w0 * d1) + abs(w1 * d0) + reach)
    if abs(det) < DOUBT * terms:
        tally.doubts += 1
    if cx.slot[slot].sign < 0:
        det = -det
    if distance(cx.facet[facet], a0, a1, a2) > 0.0:
        det = -det
    inside: bool = det > 0.0
    return inside


@device_inlined
def _contains(cx: Complex, facet: int, vertex: int) -> bool:
    for h in range(cx.facet[facet].first, cx.facet[facet].last):
        e = cx.slot[h].edge
        if cx.edge_vertices[e, 0] == vertex or cx.edge_vertices[e, 1] == vertex:
            return True
    return False


@device_inlined
def _height(vertices: Floats, tri: Record, vertex: int, tally: Record) -> float:
    """Where a partition vertex stands over the triangle's plane, times the length of the normal."""
    h = 0.0
    terms = 0.0
    for c in range(3):
        term = tri.normal[c] * (vertices[vertex, c] - tri.position[0, c])
        h += term
        terms += abs(term) + abs(tri.normal[c]) * tri.reach
    if abs(h) < DOUBT * terms:
        tally.doubts += 1
    return h


@device_inlined
def _put_on_edge(facet: Record, tri: Record, k: int, vertex: Record) -> None:
    """Make a vertex the point where triangle edge k meets the facet, computed from the smaller corner number."""
    a, b = _edge_ends(tri.corner, k)
    p = tri.position
    da = distance(facet, p[a, 0], p[a, 1], p[a, 2])
    db = distance(facet, p[b, 0], p[b, 1], p[b, 2])
    t = 0.5 if da == db else min(max(da / (da - db), 0.0), 1.0)
    vertex.kind = ON_EDGE
    vertex.on = k
    vertex.beyond = -1
    vertex.place = t
    for c in range(3):
        vertex.position[c] = p[a, c] + t * (p[b, c] - p[a, c])


@device_inlined
def _put_on_partition_edge(cx: Complex, tri: Record, partition_edge: int, vertex: Record, tally: Record) -> None:
    """Make a vertex the point where a partition edge meets the triangle's plane, from the heights of its ends."""
    p = cx.edge_vertices[partition_edge, 0]
    q = cx.edge_vertices[partition_edge, 1]
    hp = _height(cx.vertices, tri, p, tally)
    hq = _height(cx.vertices, tri, q, tally)
    near_p = abs(hp) <= abs(hq)
    t = -1e9 if hp == hq else hp / (hp - hq)  # a partition edge parallel to the triangle meets its plane far away
    vertex.beyond = -1
    if (hp > 0.0) == (hq > 0.0):
        vertex.beyond = p if near_p else q
    vertex.kind = ON_PARTITION_EDGE
    vertex.on = partition_edge
    vertex.enters = 1 if hp > 0.0 else 0
    vertex.place = t
    for c in range(3):
        if near_p:
            vertex.position[c] = cx.vertices[p, c] + t * (cx.vertices[q, c] - cx.vertices[p, c])
        else:
            vertex.position[c] = cx.vertices[q, c] + (1.0 - t) * (cx.vertices[p, c] - cx.vertices[q, c])


@device_inlined
def _put_crossing(clipped: _ClippedTriangle, facet: int, i: Record, j: Record, vertex: Record) -> None:
    """Make a vertex the point where the side i -> j of a polygon meets the facet."""
    cx, tri, region, tally = clipped
    if i.tag < 0:
        _put_on_edge(cx.facet[facet], tri, -1 - i.tag, vertex)
        return
    slot = _shared_slot(cx, i.tag, facet, region)
    if slot >= 0:
        _put_on_partition_edge(cx, tri, cx.slot[slot].edge, vertex, tally)
        return
    vertex.kind = LOOSE
    vertex.on = -1
    vertex.beyond = -1
    t = 0.5 if i.side == j.side else min(max(i.side / (i.side - j.side), 0.0), 1.0)
    for c in range(3):
        vertex.position[c] = i.position[c] + t * (j.position[c] - i.position[c])


@device_inlined
def _is_inside(clipped: _ClippedTriangle, facet: int, vertex: Record, before: Record) -> bool:
    """Which side of the facet a vertex is on, which comes after `before` and whose rounded distance is known."""
    cx, tri, region, tally = clipped
    if vertex.kind == ON_PARTITION_EDGE:
        if vertex.beyond < 0:
            return True
        if _contains(cx, facet, vertex.beyond):
            return False
    elif vertex.kind == ON_EDGE:
        own = max(vertex.tag, before.tag)
        slot = _shared_slot(cx, own, facet, region)
        if slot >= 0:
            return _passes_inside(cx, tri, vertex.on, own, slot, tally)
    inside: bool = (vertex.side <= 0.0) == (cx.facet[facet].lo == region)
    return inside


@device_inlined
def _start(tri: Record, polygon: Records) -> None:
    for k in range(3):
        polygon[k].tag = -1 - k
        polygon[k].kind = CORNER
        polygon[k].on = k
        polygon[k].beyond = -1
        for c in range(3):
            polygon[k].position[c] = tri.position[k, c]


@device_inlined
def _clip_once(clipped: _ClippedTriangle, facet: int, of: Records, inside: Ints, n: int, into: Records) -> int:
    """Clip the polygon, some of whose n vertices are inside and some not, into the second one; its number of vertices.

    Contradicting signs leave nothing: 0.
    """
    leave = n  # none yet; a literal would have numba compile what it is handed to twice
    enter = n
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        if inside[i] and not inside[j]:
            if leave < n:
                clipped.tally.keys += 1  # the inside part is not in one piece: signs contradict each other
                return 0
            leave = i
        elif inside[j] and not inside[i]:
            enter = i
    m = 0
    i = enter
    while i != leave:
        i = i + 1 if i + 1 < n else 0
        into[m] = of[i]
        m += 1
    for k in range(2):
        i = leave if k == 0 else enter
        j = i + 1 if i + 1 < n else 0
        _put_crossing(clipped, facet, of[i], of[j], into[m + k])
        into[m + k].tag = facet if k == 0 else of[i].tag
    return m + 2


@device_inlined
def _crossing_facets(cx: Complex, region: int, tri: Record, found: Ints, tally: Record) -> int:
    """Collect the region's facets that have corners of the triangle on both sides; -1 where one has all outside.

    A facet with all corners on its inner side cannot touch any part of the triangle.
    """
    p = tri.position
    near = 1e-9 * tri.reach
    # A corner that is this far has the others on its side, and none is near.
    far = tri.longest + 2.0 * near
    n = 0
    for at in range(cx.region_start[region], cx.region_start[region + 1]):
        f = cx.region_facet[at]
        facet = cx.facet[f]
        sign = 1.0 if facet.lo == region else -1.0
        value = sign * distance(facet, p[0, 0], p[0, 1], p[0, 2])
        if value < -far:
            continue
        if value > far:
            return -1
        inside = 0
        nearest = np.inf
        for k in range(3):
            value = sign * distance(facet, p[k, 0], p[k, 1], p[k, 2])
            if value < 0.0 or (value == 0.0 and sign > 0.0):  # points on a facet belong to its lo region
                inside += 1
            nearest = min(nearest, abs(value))
        if nearest < near:
            for k in range(3):
                if doubtful_distance(facet, p[k, 0], p[k, 1], p[k, 2], tri.reach):
                    tally.doubts += 1
        if inside == 0:
            return -1
        if inside < 3:
            found[n] = f
            n += 1
    return n


@device_inlined
def clip_to_region(cx: Complex, tri: Record, region: int, poly: Polygon, tally: Record) -> int:
    """Clip the triangle to the region into `poly`. Returns the number of vertices, 0 if nothing is left."""
    facets = _crossing_facets(cx, region, tri, poly.facets, tally)
    if facets < 0:
        return 0
    _start(tri, poly.vertex)
    n = len(tri.corner)
    clipped = _ClippedTriangle(cx, tri, region, tally)
    here, there = poly.vertex, poly.vertex2
    swapped = False
    for at in range(facets):
        facet = poly.facets[at]
        is_lo = cx.facet[facet].lo == region
        within = 0
        for i in range(n):
            vertex = here[i]
            vertex.side = distance(cx.facet[facet], vertex.position[0], vertex.position[1], vertex.position[2])
            if vertex.kind == ON_EDGE or (vertex.kind == ON_PARTITION_EDGE and vertex.beyond >= 0):
                inside = _is_inside(clipped, facet, vertex, here[i - 1 if i > 0 else n - 1])
            else:
                inside = vertex.kind == ON_PARTITION_EDGE or (vertex.side <= 0.0) == is_lo
            poly.inside[i] = 1 if inside else 0
            within += poly.inside[i]
        if within == n:
            continue
        if within == 0:
            return 0
        n = _clip_once(clipped, facet, here, poly.inside, n, there)
        if n == 0:
            return 0
        here, there = there, here
        swapped = not swapped
    if swapped:
        for i in range(n):
            there[i] = here[i]
    return n
