"""The dual of Delaunay tetrahedra: Voronoi vertices, edges and facets of the real sites, with rings and signs.

A vertex is the circumcentre of a tetrahedron, an edge is a triangle between two tetrahedra, a facet is a pair of
neighbouring sites. Sites from `real` on are ghosts: what has no real site is left out.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device, njit
from ..types import Floats, Ints
from .delaunay import TetrahedraTable, put_centre

FAR, _SHORT = -1, -2  #: faults: a real site at the hull; an edge that is shorter than the errors of its ends


#: Bits of a slot: from which on its larger site, triangle and side are; the lowest is set where the sign is +1. Of 64
#: bits 30 are the site, 31 the triangle, two its side, and one the sign.
SITE, _TRIANGLE, _SIDE = 34, 3, 1
#: Mask of the triangle's bits.
TRIANGLES = (1 << (SITE - _TRIANGLE)) - 1


class DualEdges(NamedTuple):
    """Vertices and edges of the diagram."""

    number: Ints  #: (M,) vertex of each tetrahedron, -1 where all its corners are ghosts
    centre: Floats  #: (P,3)
    error: Floats  #: (P,) bounds of the errors of the centres
    ends: Ints  #: (E,2)
    line: Floats  #: (E,2,3) circumcentre of the three sites, unit vector from first end to second
    sites: TetrahedraTable  #: (E,3) ascending
    turn: Ints  #: (E,) +1 where the line runs along (s1-s0) x (s2-s0), else -1
    start: Ints  #: (E+1,) facets around each edge: two where two sites are ghosts, else three


class Pairs(NamedTuple):
    """Pairs of sites that are corners of one triangle, numbered by their smaller site: Delaunay edges, dual facets."""

    sites: Ints  #: (F,2) the smaller first, so that it is real
    direction: Floats  #: (F,3) unit vector from the smaller to the larger
    middle: Floats  #: (F,3) half-way between them
    start: Ints  #: (F+1,)
    triangle: Ints  #: (H,) triangles of each pair
    sign: Ints  #: (H,) +1 where the triangle's line runs counter-clockwise seen from the larger site
    of_triangle: Ints  #: (H,) pairs of each triangle


def dual_edges(points: Floats, corners: TetrahedraTable, neighbours: TetrahedraTable, real: int) -> DualEdges | int:
    """Vertices and edges of the diagram of `points (N,3)`; FAR or SHORT where there is no valid one."""
    count = len(corners)
    edges = DualEdges(
        number=np.empty(count, np.int64),
        centre=np.empty((count, 3)),
        error=np.empty(count),
        ends=np.empty((2 * count, 2), np.int64),
        line=np.empty((2 * count, 2, 3)),
        sites=np.empty((2 * count, 3), np.int32),
        turn=np.empty(2 * count, np.int64),
        start=np.zeros(2 * count + 1, np.int64),
    )
    vertices, found = _find_edges(points, corners, neighbours, real, edges)
    if found < 0:
        return int(found)
    ends, line, sites, turn = edges.ends[:found], edges.line[:found], edges.sites[:found], edges.turn[:found]
    return DualEdges(
        edges.number, edges.centre[:vertices], edges.error, ends, line, sites, turn, edges.start[: found + 1]
    )


def pairs_of_triangles(points: Floats, sites: TetrahedraTable, turn: Ints, start: Ints, real: int) -> Pairs:
    """The pairs with a real site of triangles `sites (E,3)`, ascending, with their `turn (E,)` as in `DualEdges`.

    `start (E+1,)` bounds the pairs of each triangle: two where two of its sites are ghosts, else three, in the order
    0-1, 0-2, 1-2 of its corners.
    """
    slots = int(start[-1])
    pairs = Pairs(
        sites=np.empty((slots, 2), np.int64),
        direction=np.empty((slots, 3)),
        middle=np.empty((slots, 3)),
        start=np.zeros(slots + 1, np.int64),
        triangle=np.empty(slots, np.int64),
        sign=np.empty(slots, np.int64),
        of_triangle=np.empty(slots, np.int64),
    )
    at = np.zeros(real + 1, np.int64)
    last = np.full((len(points), 2), -1, np.int64)
    count = _find_pairs(points, sites, turn, start, real, at, np.empty(slots, np.int64), last, pairs)
    found = pairs.sites[:count], pairs.direction[:count], pairs.middle[:count], pairs.start[: count + 1]
    return Pairs(*found, pairs.triangle, pairs.sign, pairs.of_triangle)


def sort_region_facets(regions: Ints, size: Floats, count: int) -> tuple[Ints, Ints]:
    """The packed list of the facets of each region, those of least `size (F,)` first; `regions (F,2)`, -1 for none."""
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(regions[regions >= 0], minlength=count), out=start[1:])
    facet = np.empty(start[-1], np.int64)
    _list_facets(regions, size, start, facet)
    return start, facet


@device
def _put_line(points: Floats, sites: TetrahedraTable, far: int, line: Floats) -> int:
    """The line on which the spheres through three sites have their centres, leaving `far` behind; returns the turn."""
    o, i, j = sites[0], sites[1], sites[2]
    ox, oy, oz = points[o, 0], points[o, 1], points[o, 2]
    ax, ay, az = points[i, 0] - ox, points[i, 1] - oy, points[i, 2] - oz
    bx, by, bz = points[j, 0] - ox, points[j, 1] - oy, points[j, 2] - oz
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    aa, bb, nn = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, nx * nx + ny * ny + nz * nz
    ux, uy, uz = aa * bx - bb * ax, aa * by - bb * ay, aa * bz - bb * az
    half = 0.5 / nn
    line[0, 0] = ox + (uy * nz - uz * ny) * half
    line[0, 1] = oy + (uz * nx - ux * nz) * half
    line[0, 2] = oz + (ux * ny - uy * nx) * half
    height = nx * (points[far, 0] - ox) + ny * (points[far, 1] - oy) + nz * (points[far, 2] - oz)
    turn = 1 if height < 0.0 else -1
    unit = turn / np.sqrt(nn)
    line[1, 0], line[1, 1], line[1, 2] = nx * unit, ny * unit, nz * unit
    return turn


@device
def put_sites(corner: TetrahedraTable, k: int, sites: TetrahedraTable) -> None:
    """The three corners of a tetrahedron but the k-th, ascending."""
    a, b, c = corner[(k + 1) & 3], corner[(k + 2) & 3], corner[(k + 3) & 3]
    least, most = min(a, b, c), max(a, b, c)
    sites[0], sites[1], sites[2] = least, a + b + c - least - most, most


@njit
def _find_edges(
    points: Floats, corners: TetrahedraTable, neighbours: TetrahedraTable, real: int, edges: DualEdges
) -> tuple[int, int]:
    """Fill all tables; returns the numbers of vertices and edges, or a fault in place of the latter."""
    vertices, e = 0, 0
    number, centre, error = edges.number, edges.centre, edges.error
    ends, line, start = edges.ends, edges.line, edges.start
    for t in range(len(corners)):
        number[t] = -1
        if min(corners[t, 0], corners[t, 1], corners[t, 2], corners[t, 3]) < real:
            number[t] = vertices
            error[vertices] = put_centre(points, corners[t], centre[vertices])
            vertices += 1
    for t in range(len(corners)):
        if number[t] < 0:
            continue
        for k in range(4):
            n = neighbours[t, k]
            if n >= 0 and n <= t:
                continue
            put_sites(corners[t], k, edges.sites[e])
            if edges.sites[e, 0] >= real:
                continue
            if n < 0:
                return vertices, FAR
            edges.turn[e] = _put_line(points, edges.sites[e], corners[t, k], line[e])
            p, q = number[t], number[n]
            length = 0.0
            for c in range(3):
                length += (centre[q, c] - centre[p, c]) * line[e, 1, c]
            if not length > error[p] + error[q]:
                return vertices, _SHORT
            ends[e, 0], ends[e, 1] = p, q
            start[e + 1] = start[e] + (3 if edges.sites[e, 1] < real else 2)
            e += 1
    return vertices, e


@device
def _put_pair(points: Floats, lo: int, hi: int, pairs: Pairs, f: int) -> None:
    x, y, z = points[hi, 0] - points[lo, 0], points[hi, 1] - points[lo, 1], points[hi, 2] - points[lo, 2]
    length = np.sqrt(x * x + y * y + z * z)
    pairs.sites[f, 0], pairs.sites[f, 1] = lo, hi
    pairs.direction[f, 0], pairs.direction[f, 1], pairs.direction[f, 2] = x / length, y / length, z / length
    for c in range(3):
        pairs.middle[f, c] = 0.5 * (points[lo, c] + points[hi, c])


@device
def _sort_slots(sites: TetrahedraTable, turn: Ints, real: int, at: Ints, slots: Ints) -> None:
    """Sides of triangles by their smaller site; `at[s]` becomes the end of the slots of site s.

    Sides 0, 1, 2 join corners 0-1, 0-2, 1-2. Seen from the larger site j of a pair (i, j), the dual facet's interior
    lies left of (j-i) x (k-i), k being the third site. A slot is the larger site, the triangle, the side and the sign,
    so that nothing is looked up where places are far apart in memory.
    """
    for e in range(len(sites)):
        at[sites[e, 0] + 1] += 2
        if sites[e, 1] < real:
            at[sites[e, 1] + 1] += 1
    for s in range(real):
        at[s + 1] += at[s]
    for e in range(len(sites)):
        for side in range(3 if sites[e, 1] < real else 2):
            lo, hi = sites[e, 1 if side == 2 else 0], np.int64(sites[e, 1 if side == 0 else 2])
            ahead = (turn[e] > 0) != (side == 1)
            slots[at[lo]] = (hi << SITE) | (e << _TRIANGLE) | (side << _SIDE) | ahead
            at[lo] += 1


@device
def _count_pairs(points: Floats, lo: int, slots: Ints, last: Ints, pairs: Pairs, f: int) -> int:
    """New pairs, from f on, for the slots of one smaller site; returns the next free number."""
    first, start = f, pairs.start
    for slot in slots:
        hi = slot >> SITE
        if last[hi, 0] < first:
            last[hi, 0] = f
            _put_pair(points, lo, hi, pairs, f)
            f += 1
        start[last[hi, 0] + 1] += 1
    for g in range(first, f):
        last[pairs.sites[g, 1], 1] = start[g]
        start[g + 1] += start[g]
    return f


@njit
def _find_pairs(
    points: Floats,
    sites: TetrahedraTable,
    turn: Ints,
    begins: Ints,
    real: int,
    at: Ints,
    slots: Ints,
    last: Ints,
    pairs: Pairs,
) -> int:
    """Fill all tables, returns the number of pairs; `last (N,2)`: the latest pair of each larger site, and its end."""
    _sort_slots(sites, turn, real, at, slots)
    f: int = np.int64(0)  # type: ignore[assignment]  # a plain one would compile what it goes into twice
    begin = 0
    for lo in range(real):
        f = _count_pairs(points, lo, slots[begin : at[lo]], last, pairs, f)
        for slot in slots[begin : at[lo]]:
            hi, e, side = slot >> SITE, (slot >> _TRIANGLE) & TRIANGLES, (slot >> _SIDE) & 3
            row = last[hi, 1]
            last[hi, 1] += 1
            pairs.of_triangle[begins[e] + side] = last[hi, 0]
            pairs.triangle[row] = e
            pairs.sign[row] = 2 * (slot & 1) - 1
        begin = at[lo]
    return f


@njit
def _list_facets(regions: Ints, size: Floats, start: Ints, facet: Ints) -> None:
    filled = np.zeros(len(start), np.int64)
    for f in range(len(regions)):
        for c in range(2):
            region = regions[f, c]
            if region < 0:
                continue
            row = start[region] + filled[region]
            filled[region] += 1
            # the rows of a region stay sorted while it grows
            while row > start[region] and size[facet[row - 1]] > size[f]:
                facet[row] = facet[row - 1]
                row -= 1
            facet[row] = f
