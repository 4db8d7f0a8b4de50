"""Triangles of a mesh halved at their longest sides, conforming, each round in time of what it changes.

A triangle with a halved side has its longest side halved too, first of all; so shapes stay bounded: no angle falls
below half of the smallest at the start (Rosenberg and Stenger 1975; Rivara 1984). New vertices are the middles of
sides, so their barycentric coordinates in the triangles of the start are dyadic and exact.
Of two sides the longer one has the larger squared length in single precision, or the larger number if those are equal:
both triangles at a side see the same, and sides that differ by the round-off of a turn of the body count as equal.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..geometry.mesh import count_open_edges, edge_table
from ..jit import device_inlined, njit_no_refs
from ..record_arrays import Records, lengthened, record_type
from ..types import Floats, Ints

ShortTable: TypeAlias = NDArray[np.int32]
Singles: TypeAlias = NDArray[np.float32]

#: A triangle. A half is 4 t + k, side k of triangle t; those at one edge are chained, -1 ends a chain.
BISECTED_TRIANGLE = record_type(
    corner=("i4", 3),
    side=("i4", 3),  # edges, from corner k to the next
    next=("i4", 3),  # the half after that of each side
    after="i4",  # the triangle after it, -1 for none
    longest="i4",  # which side is
)
#: An edge.
BISECTED_EDGE = record_type(
    end=("i4", 2),
    first="i4",  # of its halves
    place="i4",  # among the edges of a round that are to be halved, -1 elsewhere
)
#: Room is made for this times what is needed: memory that is not yet used costs nothing. 1.25 was tried before.
_GROWTH = 2.0


class Halved(NamedTuple):
    """What a round has changed."""

    ends: ShortTable  #: (n,2) the vertices between which each new one lies in the middle
    #: Those that are new or smaller than before, the parts of one after those of another: what is near in space stays
    #: near in this order, and so in memory, as they are worked through in it.
    triangles: ShortTable


class _MeshTables(NamedTuple):
    """The mesh as kernels take it; see `Bisection`."""

    triangle: Records
    edge: Records
    length: Singles
    square: Singles
    vertices: Floats


class _FirstNumbers(NamedTuple):
    """The first numbers of what a round makes."""

    vertex: int
    half: int  #: of an edge
    inner: int  #: edge inside of a triangle
    triangle: int


class Bisection:
    """A closed mesh whose triangles are halved round by round."""

    def __init__(self, vertices: Floats, triangles: Ints) -> None:
        table = edge_table(triangles, len(vertices))
        edges, side = table.ends, table.of_half.reshape(-1, 3)
        self.open_edges = count_open_edges(table)  #: of the start: halving opens and closes none
        self.start, self.own = triangles, len(vertices)  #: triangles and number of vertices at the start
        self.triangles, self.edges, self.points = len(triangles), len(edges), self.own  #: how many there are now
        self.vertices = np.array(vertices)  #: (points and room for more, 3)
        self.parents = np.full((self.own, 2), -1, np.int32)
        self.triangle = np.empty(self.triangles, BISECTED_TRIANGLE)
        self.triangle["corner"], self.triangle["side"] = triangles, side
        self.triangle["after"] = np.arange(1, self.triangles + 1)
        self.triangle["after"][-1:] = -1
        self.edge = np.full(self.edges, -1, BISECTED_EDGE)
        self.edge["end"] = edges
        self.length = _squared(vertices[edges[:, 1]] - vertices[edges[:, 0]])  #: (edges and room for more,) [m^2]
        self.square = np.empty(self.triangles, np.float32)  #: (triangles and room for more,) of the longest side [m^2]
        _chain(self.triangle, self.edge, self.length, self.square)

    def halve(self, worst: ShortTable) -> Halved:
        """Halve the longest sides of these triangles, and what has to be halved with them."""
        marked, split = np.empty(self.edges, np.int32), np.empty(self.triangles, np.int32)
        count, parts, more = _close(self.triangle, self.edge, worst, marked, split)
        triangles, edges, points = self.triangles + more, self.edges + 2 * count + more, self.points + count
        self.triangle, self.square = (roomy(table, self.triangles, triangles) for table in (self.triangle, self.square))
        self.edge, self.length = (roomy(table, self.edges, edges) for table in (self.edge, self.length))
        self.vertices, self.parents = (roomy(table, self.points, points) for table in (self.vertices, self.parents))
        _middles(self.edge, self.length, self.vertices, self.parents, marked[:count], self.points, self.edges)
        changed = np.empty(parts + more, np.int32)
        tables = _MeshTables(self.triangle, self.edge, self.length, self.square, self.vertices)
        first = _FirstNumbers(self.points, self.edges, self.edges + 2 * count, self.triangles)
        _halve(tables, split[:parts], first, changed)
        ends = self.parents[self.points : points]
        self.points, self.edges, self.triangles = points, edges, triangles
        return Halved(ends, changed)

    def result(self) -> "Bisected":
        """The mesh as it is now. It ends the work: the edges make room for the result."""
        del self.edge, self.length, self.square
        made = Bisected(
            vertex=np.empty(self.points, np.int64),
            triangles=np.empty((self.triangles, 3), np.int64),
            source=np.empty(self.triangles, np.int64),
            weight=np.empty((self.triangles, 3, 3)),
            edges=np.empty((self.edges - (self.points - self.own), 2), np.int64),  # but for those that were halved
            triangle_edge=np.empty((self.triangles, 3), np.int64),
        )
        made.vertex[: self.own] = np.arange(self.own)
        scratch = _ListScratch(
            number=np.arange(self.points, dtype=np.int32),
            edge_number=np.full(self.edges, -1, np.int32),
            seen=np.full(self.points, -1, np.int32),
            place=np.empty((self.points, 3)),
            ahead=np.empty(self.points - self.own + 1, np.int32),
        )
        scratch.number[self.own :] = -1
        _list(self.triangle, self.parents, self.start, self.own, made, scratch)
        return made


class Bisected(NamedTuple):
    """A mesh whose triangles were halved, in an order in which what is near in space is mostly near in memory."""

    vertex: Ints  #: (V,) row of `Bisection.vertices` of each vertex: first those of the start, then by first use
    triangles: Ints  #: (T,3)
    source: Ints  #: (T,) the triangle of the start in which each lies, never falling
    weight: Floats  #: (T,3,3) barycentric coordinates there of each corner
    #: (E,2) smaller vertex first, in the order of their first use. Triangles with the same corners share none inside.
    edges: Ints
    triangle_edge: Ints  #: (T,3) edge from corner k to corner k+1


class _ListScratch(NamedTuple):
    """Room to list in: of P vertices, those that were halved away included, and E edges."""

    number: ShortTable  #: (P,) new numbers of the vertices, -1 where they have none yet
    edge_number: ShortTable  #: (E,) the same of the edges
    seen: ShortTable  #: (P,) the triangle of the start in which `place` holds
    place: Floats  #: (P,3) barycentric coordinates of each vertex
    ahead: ShortTable  #: a vertex and all that it is made of


def _squared(vectors: Floats) -> Singles:
    x, y, z = vectors.T
    squared: Singles = (x * x + y * y + z * z).astype(np.float32)
    return squared


def roomy(array: NDArray[np.generic], used: int, needed: int) -> NDArray:  # type: ignore[type-arg]
    """The array, or a larger copy of its used rows where it has fewer rows than needed."""
    if needed <= len(array):
        return array
    return lengthened(array, used, int(_GROWTH * needed))


@njit_no_refs
def _chain(triangle: Records, edge: Records, length: Singles, square: Singles) -> None:
    """Chain the halves at each edge, and find the longest sides."""
    for t in range(len(triangle)):
        for k in range(3):
            e = triangle[t].side[k]
            triangle[t].next[k] = edge[e].first
            edge[e].first = 4 * t + k
        _measure(triangle, length, square, t)


@device_inlined
def _measure(triangle: Records, length: Singles, square: Singles, t: int) -> None:
    """Find the longest side of a triangle."""
    best = 0
    for k in range(1, 3):
        e, b = triangle[t].side[k], triangle[t].side[best]
        if length[e] > length[b] or (length[e] == length[b] and e > b):
            best = k
    triangle[t].longest, square[t] = best, length[triangle[t].side[best]]


@njit_no_refs
def _close(
    triangle: Records, edge: Records, worst: ShortTable, marked: ShortTable, split: ShortTable
) -> tuple[int, int, int]:
    """Fill `marked` with the edges to be halved, and `split` with the triangles at them.

    Returns both counts, and how many triangles more there will be: one for each marked side of each.
    """
    count, parts, more = 0, 0, 0
    for at in range(len(worst)):
        t = worst[at]
        e = triangle[t].side[triangle[t].longest]
        if edge[e].place < 0:
            edge[e].place, marked[count] = count, e
            count += 1
    at = 0
    while at < count:
        half = edge[marked[at]].first
        while half >= 0:
            t, k = half >> 2, half & 3
            longest = triangle[t].longest
            e = triangle[t].side[longest]
            if edge[e].place < 0:
                edge[e].place, marked[count] = count, e
                count += 1
            if k == longest:
                split[parts] = t
                parts += 1
            more += 1
            half = triangle[t].next[k]
        at += 1
    return count, parts, more


@njit_no_refs
def _middles(
    edge: Records, length: Singles, vertices: Floats, parents: ShortTable, marked: ShortTable, vertex: int, half: int
) -> None:
    """Make the vertices from number `vertex` on the middles of marked edges, and edges from `half` on their halves."""
    for e in marked:
        a, b = edge[e].end[0], edge[e].end[1]
        parents[vertex, 0], parents[vertex, 1] = a, b
        for axis in range(3):
            vertices[vertex, axis] = 0.5 * (vertices[a, axis] + vertices[b, axis])
        edge[half].end[0], edge[half].end[1], edge[half + 1].end[0], edge[half + 1].end[1] = a, vertex, vertex, b
        for part in range(half, half + 2):
            edge[part].first, edge[part].place = -1, -1
            length[part] = 0.25 * length[e]  # exact, so ties stay ties
        vertex += 1
        half += 2


@njit_no_refs
def _halve(tables: _MeshTables, split: ShortTable, numbers: _FirstNumbers, changed: ShortTable) -> None:
    """Halve each triangle of `split` at its longest side, then its two parts at their old sides that are marked.

    `changed` is filled with all parts.
    """
    triangle, edge, length, square, vertices = tables
    vertex, half, inner, new = numbers
    at = 0
    for row in range(len(split)):
        t = split[row]
        longest, child = triangle[t].longest, new
        for turn in range(3):
            s = child if turn == 1 else t
            k = (longest + turn) % 3
            e = triangle[s].side[k]
            place = edge[e].place
            if place < 0:
                continue
            # s = (p, q, r) with the marked side p q becomes (p, m, r), the new triangle is (m, q, r)
            k1, k2 = (k + 1) % 3, (k + 2) % 3
            m, r = vertex + place, triangle[s].corner[k2]
            first = half + 2 * place
            mine = first if edge[e].end[0] == triangle[s].corner[k] else first + 1
            other = 2 * first + 1 - mine
            _hand_over(triangle, edge, 4 * s + k1, 4 * new + k1)
            triangle[new].corner[k], triangle[new].corner[k1], triangle[new].corner[k2] = m, triangle[s].corner[k1], r
            triangle[new].side[k], triangle[new].side[k2] = other, inner
            triangle[s].corner[k1] = m
            triangle[s].side[k], triangle[s].side[k1] = mine, inner
            triangle[s].next[k], edge[mine].first = edge[mine].first, 4 * s + k
            triangle[new].next[k], edge[other].first = edge[other].first, 4 * new + k
            triangle[s].next[k1], triangle[new].next[k2] = 4 * new + k2, -1
            triangle[new].after, triangle[s].after = triangle[s].after, new
            edge[inner].end[0], edge[inner].end[1], edge[inner].first, edge[inner].place = m, r, 4 * s + k1, -1
            x, y, z = (
                vertices[m, 0] - vertices[r, 0],
                vertices[m, 1] - vertices[r, 1],
                vertices[m, 2] - vertices[r, 2],
            )
            length[inner] = x * x + y * y + z * z
            inner += 1
            new += 1
        changed[at] = t
        _measure(triangle, length, square, t)
        for part in range(child, new):
            changed[at + 1 + part - child] = part
            _measure(triangle, length, square, part)
        at += 1 + new - child


@device_inlined
def _hand_over(triangle: Records, edge: Records, old: int, new: int) -> None:
    """Put the half `new` in the place of `old`, with its side."""
    e, following = triangle[old >> 2].side[old & 3], triangle[old >> 2].next[old & 3]
    triangle[new >> 2].side[new & 3] = e
    if edge[e].place >= 0:
        return  # to be halved: what is left of its chain will not be read
    triangle[new >> 2].next[new & 3] = following
    at = edge[e].first
    if at == old:
        edge[e].first = new
        return
    while triangle[at >> 2].next[at & 3] != old:
        at = triangle[at >> 2].next[at & 3]
    triangle[at >> 2].next[at & 3] = new


@njit_no_refs
def _list(triangle: Records, parents: ShortTable, start: Ints, own: int, made: Bisected, scratch: _ListScratch) -> None:
    """Fill what is `made`, and the new numbers of vertices and edges."""
    number, edge_number, seen, place, ahead = scratch
    t, origin, edges = 0, 0, 0
    for row in range(len(made.source)):
        if t < len(start):  # a triangle of the start keeps its number when it becomes smaller
            origin = t
            for k in range(3):
                seen[start[t, k]] = t
                for i in range(3):
                    place[start[t, k], i] = 1.0 if i == k else 0.0
        made.source[row] = origin
        for k in range(3):
            corner = triangle[t].corner[k]
            if number[corner] < 0:
                number[corner], made.vertex[own] = own, corner
                own += 1
            made.triangles[row, k] = number[corner]
            ahead[0], count = corner, 1
            while count > 0:
                v = ahead[count - 1]
                a, b = parents[v, 0], parents[v, 1]
                if seen[v] == origin:
                    count -= 1
                elif seen[a] != origin:
                    ahead[count] = a
                    count += 1
                elif seen[b] != origin:
                    ahead[count] = b
                    count += 1
                else:
                    seen[v] = origin
                    for i in range(3):
                        place[v, i] = 0.5 * (place[a, i] + place[b, i])
            for i in range(3):
                made.weight[row, k, i] = place[corner, i]
        for k in range(3):
            e = triangle[t].side[k]
            if edge_number[e] < 0:
                edge_number[e] = edges
                a, b = made.triangles[row, k], made.triangles[row, (k + 1) % 3]
                made.edges[edges, 0], made.edges[edges, 1] = min(a, b), max(a, b)
                edges += 1
            made.triangle_edge[row, k] = edge_number[e]
        t = triangle[t].after
