"""One triangle clipped to one convex region, with signs that every region around a vertex shares.

The side of a vertex that the cut itself has made is never read from its rounded position, but from a predicate on
what defines the vertex; so all regions that meet there decide alike, whatever their number (see `sides`).
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined
from ..types import Floats, Ints
from .complex import DOUBT, EDGE, FIRST_EDGE, LAST, LO, LO_ADJACENT, SIGN, Complex, distance, doubtful_distance

#: Kinds of polygon vertices. An edge of the partition is where two facets of a region meet.
CORNER, ON_EDGE, ON_PARTITION_EDGE, LOOSE = 0, 1, 2, 3
DOUBTS, KEYS, LEAKS = 0, 1, 2  #: rows of the tally

#: Columns of a polygon's labels: the side from this vertex to the next (-1-k: triangle edge k; else a facet); the kind;
#: the corner, triangle edge or partition edge; the partition vertex beyond which a point
#: ON_PARTITION_EDGE lies, or -1; whether the partition edge enters the body there, walked from p to q.
TAG, KIND, ITEM, BEYOND, ENTERS = 0, 1, 2, 3, 4
#: Columns of a polygon's numbers: position; place along the triangle edge (from its smaller corner number) or
#: partition edge; signed distance from the facet that clips.
X, Y, Z, PARAM, _SIDE = 0, 1, 2, 3, 4
NORMAL, TRIANGLE_REACH = 3, 4  #: rows of a triangle's numbers after its three corners
LONGEST = 1  #: column of the row REACH


class Triangle(NamedTuple):
    """The triangle at hand."""

    corner: Ints  #: (3,) body vertices
    #: (5,3) three corners, normal (not of unit length), [largest coordinate of the body, longest side, 0]
    number: Floats


class Outline(NamedTuple):
    """The vertices of a convex polygon."""

    label: Ints  #: (.,5) columns TAG...ENTERS
    number: Floats  #: (.,5) columns X...SIDE


class Polygon(NamedTuple):
    """A convex polygon, and a second one to clip into."""

    label: Ints  #: (.,5) columns TAG...ENTERS
    number: Floats  #: (.,5) columns X...SIDE
    label2: Ints
    number2: Floats
    inside: Ints  #: (.,) scratch
    facets: Ints  #: (.,) facets of the region that cross the triangle


class _ClippedTriangle(NamedTuple):
    """What is clipped, and to what."""

    cx: Complex
    tri: Triangle
    region: int
    tally: Ints  #: (.,) rows DOUBTS...LEAKS


def new_polygon(capacity: int) -> Polygon:
    """An empty polygon with room for `capacity` vertices."""
    labels = [np.zeros((capacity, 5), np.int64) for _ in range(2)]
    numbers = [np.zeros((capacity, 5)) for _ in range(2)]
    return Polygon(
        labels[0], numbers[0], labels[1], numbers[1], np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
    )


@device_inlined
def _shared_slot(cx: Complex, facet: int, other: int, region: int) -> int:
    """The slot of `facet` whose edge it shares with `other` inside the region, or -1."""
    column = LO_ADJACENT if cx.facet[facet, LO] == region else LO_ADJACENT + 1
    for h in range(cx.facet[facet, FIRST_EDGE], cx.facet[facet, LAST]):
        if cx.slot[h, column] == other:
            return h
    return -1


@device_inlined
def _edge_ends(corner: Ints, k: int) -> tuple[int, int]:
    """Corners of triangle edge k, the one with the smaller vertex number first."""
    other = (k + 1) % 3
    return (other, k) if corner[k] > corner[other] else (k, other)


@device_inlined
def _passes_inside(cx: Complex, tri: Triangle, k: int, facet: int, slot: int, tally: Ints) -> bool:
    """Whether the point (triangle edge k, facet) lies on the facet's side of the partition edge in that slot.

    With a < b the edge's ends and the partition edge on a line through l along d: sign of det(b-a, l-a, d), times its
    sign in the facet, times the direction in which ab crosses the facet. Neither region enters, so all of them agree.
    """
    ia, ib = _edge_ends(tri.corner, k)
    n = tri.number
    a0, a1, a2 = n[ia, 0], n[ia, 1], n[ia, 2]
    u0, u1, u2 = n[ib, 0] - a0, n[ib, 1] - a1, n[ib, 2] - a2
    e = cx.slot[slot, EDGE]
    w0, w1, w2 = cx.line[e, 0] - a0, cx.line[e, 1] - a1, cx.line[e, 2] - a2
    d0, d1, d2 = cx.line[e, 3], cx.line[e, 4], cx.line[e, 5]
    det = u0 * (w1 * d2 - w2 * d1) + u1 * (w2 * d0 - w0 * d2) + u2 * (w0 * d1 - w1 * d0)
    reach = n[TRIANGLE_REACH, 0]
    terms = abs(u0) * (abs(w1 * d2) + abs(w2 * d1) + reach) + abs(u1) * (abs(w2 * d0) + abs(w0 * d2) + reach)
    terms += abs(u2) * (abs(w0 * d1) + abs(w1 * d0) + reach)
    if abs(det) < DOUBT * terms:
        tally[DOUBTS] += 1
    if cx.slot[slot, SIGN] < 0:
        det = -det
    if distance(cx.plane, facet, a0, a1, a2) > 0.0:
        det = -det
    inside: bool = det > 0.0
    return inside


@device_inlined
def _contains(cx: Complex, facet: int, vertex: int) -> bool:
    for h in range(cx.facet[facet, FIRST_EDGE], cx.facet[facet, LAST]):
        e = cx.slot[h, EDGE]
        if cx.edge_vertices[e, 0] == vertex or cx.edge_vertices[e, 1] == vertex:
            return True
    return False


@device_inlined
def _height(vertices: Floats, tri: Floats, vertex: int, tally: Ints) -> float:
    """Where a partition vertex stands over the triangle's plane, times the length of the normal."""
    h = 0.0
    terms = 0.0
    for c in range(3):
        term = tri[NORMAL, c] * (vertices[vertex, c] - tri[0, c])
        h += term
        terms += abs(term) + abs(tri[NORMAL, c]) * tri[TRIANGLE_REACH, 0]
    if abs(h) < DOUBT * terms:
        tally[DOUBTS] += 1
    return h


@device_inlined
def _put_on_edge(plane: Floats, tri: Triangle, k: int, facet: int, label: Ints, number: Floats, i: int) -> None:
    """Make vertex i the point where triangle edge k meets the facet, computed from the smaller corner number."""
    a, b = _edge_ends(tri.corner, k)
    p = tri.number
    da = distance(plane, facet, p[a, 0], p[a, 1], p[a, 2])
    db = distance(plane, facet, p[b, 0], p[b, 1], p[b, 2])
    t = 0.5 if da == db else min(max(da / (da - db), 0.0), 1.0)
    label[i, KIND] = ON_EDGE
    label[i, ITEM] = k
    label[i, BEYOND] = -1
    number[i, PARAM] = t
    for c in range(3):
        number[i, c] = p[a, c] + t * (p[b, c] - p[a, c])


@device_inlined
def _put_on_partition_edge(
    cx: Complex, tri: Floats, partition_edge: int, label: Ints, number: Floats, i: int, tally: Ints
) -> None:
    """Make vertex i the point where a partition edge meets the triangle's plane, from the heights of its ends."""
    p = cx.edge_vertices[partition_edge, 0]
    q = cx.edge_vertices[partition_edge, 1]
    hp = _height(cx.vertices, tri, p, tally)
    hq = _height(cx.vertices, tri, q, tally)
    near_p = abs(hp) <= abs(hq)
    t = -1e9 if hp == hq else hp / (hp - hq)  # a partition edge parallel to the triangle meets its plane far away
    label[i, BEYOND] = -1
    if (hp > 0.0) == (hq > 0.0):
        label[i, BEYOND] = p if near_p else q
    label[i, KIND] = ON_PARTITION_EDGE
    label[i, ITEM] = partition_edge
    label[i, ENTERS] = 1 if hp > 0.0 else 0
    number[i, PARAM] = t
    for c in range(3):
        if near_p:
            number[i, c] = cx.vertices[p, c] + t * (cx.vertices[q, c] - cx.vertices[p, c])
        else:
            number[i, c] = cx.vertices[q, c] + (1.0 - t) * (cx.vertices[p, c] - cx.vertices[q, c])


@device_inlined
def _put_crossing(clipped: _ClippedTriangle, facet: int, of: Outline, i: int, j: int, into: Outline, n: int) -> None:
    """Make vertex n of the second polygon the point where side i -> j of the first meets the facet."""
    cx, tri, region, tally = clipped
    label, number = of
    label2, number2 = into
    tag = label[i, TAG]
    if tag < 0:
        _put_on_edge(cx.plane, tri, -1 - tag, facet, label2, number2, n)
        return
    slot = _shared_slot(cx, tag, facet, region)
    if slot >= 0:
        _put_on_partition_edge(cx, tri.number, cx.slot[slot, EDGE], label2, number2, n, tally)
        return
    label2[n, KIND] = LOOSE
    label2[n, ITEM] = -1
    label2[n, BEYOND] = -1
    di, dj = number[i, _SIDE], number[j, _SIDE]
    t = 0.5 if di == dj else min(max(di / (di - dj), 0.0), 1.0)
    for c in range(3):
        number2[n, c] = number[i, c] + t * (number[j, c] - number[i, c])


@device_inlined
def _is_inside(clipped: _ClippedTriangle, facet: int, value: float, label: Ints, n: int, i: int) -> bool:
    """Which side of the facet vertex i is on; `value` is its rounded distance."""
    cx, tri, region, tally = clipped
    kind = label[i, KIND]
    if kind == ON_PARTITION_EDGE:
        if label[i, BEYOND] < 0:
            return True
        if _contains(cx, facet, label[i, BEYOND]):
            return False
    elif kind == ON_EDGE:
        own = max(label[i, TAG], label[i - 1 if i > 0 else n - 1, TAG])
        slot = _shared_slot(cx, own, facet, region)
        if slot >= 0:
            return _passes_inside(cx, tri, label[i, ITEM], own, slot, tally)
    inside: bool = (value <= 0.0) == (cx.facet[facet, LO] == region)
    return inside


@device_inlined
def _start(tri: Floats, label: Ints, number: Floats) -> None:
    for k in range(3):
        label[k, TAG] = -1 - k
        label[k, KIND] = CORNER
        label[k, ITEM] = k
        label[k, BEYOND] = -1
        for c in range(3):
            number[k, c] = tri[k, c]


@device_inlined
def _clip_once(clipped: _ClippedTriangle, facet: int, of: Outline, inside: Ints, n: int, into: Outline) -> int:
    """Clip the polygon, some of whose n vertices are inside and some not, into the second one; its number of vertices.

    Contradicting signs leave nothing: 0.
    """
    leave = n  # none yet; a literal would have numba compile what it is handed to twice
    enter = n
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        if inside[i] and not inside[j]:
            if leave < n:
                clipped.tally[KEYS] += 1  # the inside part is not in one piece: signs contradict each other
                return 0
            leave = i
        elif inside[j] and not inside[i]:
            enter = i
    m = 0
    i = enter
    while i != leave:
        i = i + 1 if i + 1 < n else 0
        for c in range(5):
            into.label[m, c] = of.label[i, c]
            into.number[m, c] = of.number[i, c]
        m += 1
    for k in range(2):
        i = leave if k == 0 else enter
        j = i + 1 if i + 1 < n else 0
        _put_crossing(clipped, facet, of, i, j, into, m + k)
        into.label[m + k, TAG] = facet if k == 0 else of.label[i, TAG]
    return m + 2


@device_inlined
def _crossing_facets(cx: Complex, region: int, tri: Floats, found: Ints, tally: Ints) -> int:
    """Collect the region's facets that have corners of the triangle on both sides; -1 where one has all outside.

    A facet with all corners on its inner side cannot touch any part of the triangle.
    """
    facet, plane = cx.facet, cx.plane
    near = 1e-9 * tri[TRIANGLE_REACH, 0]
    # A corner that is this far has the others on its side, and none is near.
    far = tri[TRIANGLE_REACH, LONGEST] + 2.0 * near
    n = 0
    for at in range(cx.region_start[region], cx.region_start[region + 1]):
        f = cx.region_facet[at]
        sign = 1.0 if facet[f, LO] == region else -1.0
        value = sign * distance(plane, f, tri[0, 0], tri[0, 1], tri[0, 2])
        if value < -far:
            continue
        if value > far:
            return -1
        inside = 0
        nearest = np.inf
        for k in range(3):
            value = sign * distance(plane, f, tri[k, 0], tri[k, 1], tri[k, 2])
            if value < 0.0 or (value == 0.0 and sign > 0.0):  # points on a facet belong to its lo region
                inside += 1
            nearest = min(nearest, abs(value))
        if nearest < near:
            for k in range(3):
                if doubtful_distance(plane, f, tri[k, 0], tri[k, 1], tri[k, 2], tri[TRIANGLE_REACH, 0]):
                    tally[DOUBTS] += 1
        if inside == 0:
            return -1
        if inside < 3:
            found[n] = f
            n += 1
    return n


@device_inlined
def _copy(of: Outline, n: int, into: Outline) -> None:
    for i in range(n):
        for c in range(5):
            into.label[i, c] = of.label[i, c]
            into.number[i, c] = of.number[i, c]


@device_inlined
def clip_to_region(cx: Complex, tri: Triangle, region: int, poly: Polygon, tally: Ints) -> int:
    """Clip the triangle to the region into `poly`. Returns the number of vertices, 0 if nothing is left."""
    facets = _crossing_facets(cx, region, tri.number, poly.facets, tally)
    if facets < 0:
        return 0
    _start(tri.number, poly.label, poly.number)
    n = len(tri.corner)
    clipped = _ClippedTriangle(cx, tri, region, tally)
    here, there = Outline(poly.label, poly.number), Outline(poly.label2, poly.number2)
    swapped = False
    for at in range(facets):
        facet = poly.facets[at]
        is_lo = cx.facet[facet, LO] == region
        within = 0
        for i in range(n):
            value = distance(cx.plane, facet, here.number[i, X], here.number[i, Y], here.number[i, Z])
            here.number[i, _SIDE] = value
            kind = here.label[i, KIND]
            if kind == ON_EDGE or (kind == ON_PARTITION_EDGE and here.label[i, BEYOND] >= 0):
                inside = _is_inside(clipped, facet, value, here.label, n, i)
            else:
                inside = kind == ON_PARTITION_EDGE or (value <= 0.0) == is_lo
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
        _copy(here, n, there)
    return n
