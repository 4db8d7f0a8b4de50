"""The body's surface cut by the partition: every triangle walks through the regions that it touches.

Vertices have symbolic keys: body vertex; (body edge, facet); (body triangle, partition edge). New ones are numbered in
the order in which they are found and kept in short lists per body edge and per partition edge, so nothing is hashed,
sorted or welded.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, njit_no_refs
from ..record_arrays import Record, Records, lengthened, record_type
from ..types import Floats, Ints
from .clip import LOOSE, ON_EDGE, ON_PARTITION_EDGE, TALLY, TRIANGLE, Polygon, clip_to_region, new_polygon
from .complex import Complex

#: A side of a face that lies on a facet.
SEGMENT = record_type(
    facet="i8",
    side="i8",  # 0 seen from lo, 1 from hi
    tail="i8",  # vertex from
    head="i8",  # vertex to
)
#: A new vertex, on an edge of the body or of the partition.
NEW_VERTEX = record_type(
    other="i8",  # the facet, or the triangle, that meets the edge
    following="i8",  # the next one of the same edge, -1 at the end
    inward="i8",  # whether the partition edge enters the body there
    position=("f8", 3),
    place="f8",  # along the edge, as in POLYGON_VERTEX
)
#: Where the walk of the triangles stands: how much of the skin is filled, and what comes next.
WALK = record_type(
    faces="i8",
    corners="i8",
    segments="i8",
    vertices="i8",  # new ones
    triangle="i8",  # row of `BodySurface.mixed`
    at="i8",  # place in the queue
    queued="i8",  # length of the queue
)


class CutSkin(NamedTuple):
    """Cut triangles (faces), cut segments on facets, and new vertices. Uncut triangles come first."""

    start: Ints  #: (faces+1,) bounds of the corners of each face
    triangle: Ints  #: (faces,)
    region: Ints  #: (faces,)
    corner: Ints  #: (corners,) vertex: the body's, then the new ones
    weight: Floats  #: (corners,3) barycentric coordinates in the triangle
    segment: Records  #: (segments,) SEGMENT
    vertex: Records  #: (new,) NEW_VERTEX
    edge_head: Ints  #: (body edges,) first new vertex, -1 for none
    partition_edge_head: Ints  #: (E,)


class BodySurface(NamedTuple):
    """The body as the kernels see it."""

    vertices: Floats
    triangles: Ints
    triangle_edge: Ints
    home: Ints  #: (V,) region of each vertex
    mixed: Ints  #: (.,) triangles whose corners are in different regions


class Walk(NamedTuple):
    """Where the walk of the triangles stands."""

    state: Records  #: (1,) WALK
    visited: Ints  #: (R,) last triangle that queued this region
    queue: Ints  #: (R,) regions that the triangle touches


@device_inlined
def _new_vertex(state: Record, vertices: Records, heads: Ints, owner: int, other: int, vertex: Record) -> int:
    """The number, from 0, of the new vertex (owner, other); made from a polygon vertex when it is not known yet."""
    at: int = heads[owner]
    while at >= 0:
        if vertices[at].other == other:
            return at
        at = vertices[at].following
    at = state.vertices
    state.vertices += 1
    vertices[at].other = other
    vertices[at].following = heads[owner]
    vertices[at].inward = vertex.enters
    heads[owner] = at
    for c in range(3):
        vertices[at].position[c] = vertex.position[c]
    vertices[at].place = vertex.place
    return at


@device_inlined
def _settle_inside(tri: Record, point: Floats, weight: Floats) -> None:
    """Barycentric coordinates of a point, from areas projected on the triangle's normal; moves it to where they say.

    A partition edge that meets the triangle at a very shallow angle has a rounded position some way beside it.
    """
    p, normal = tri.position, tri.normal
    total = 0.0
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        u0, u1, u2 = p[a, 0] - point[0], p[a, 1] - point[1], p[a, 2] - point[2]
        w0, w1, w2 = p[b, 0] - point[0], p[b, 1] - point[1], p[b, 2] - point[2]
        area = normal[0] * (u1 * w2 - u2 * w1) + normal[1] * (u2 * w0 - u0 * w2)
        weight[k] = max(area + normal[2] * (u0 * w1 - u1 * w0), 0.0)
        total += weight[k]
    for k in range(3):
        weight[k] = weight[k] / total if total > 0.0 else 1.0 / 3.0
    if total > 0.0:
        for c in range(3):
            point[c] = weight[0] * p[0, c] + weight[1] * p[1, c] + weight[2] * p[2, c]


@device_inlined
def _put_corners(
    surface: BodySurface, skin: CutSkin, state: Record, t: int, tri: Record, polygon: Records, n: int, tally: Record
) -> None:
    """Append the polygon's vertices as corners of the face that is being written."""
    known = len(surface.vertices)
    for i in range(n):
        row = state.corners
        state.corners += 1
        vertex = polygon[i]
        item = vertex.on
        for k in range(3):
            skin.weight[row, k] = 0.0
        if vertex.kind == ON_EDGE:
            facet = max(vertex.tag, polygon[i - 1 if i > 0 else n - 1].tag)
            edge = surface.triangle_edge[t, item]
            skin.corner[row] = known + _new_vertex(state, skin.vertex, skin.edge_head, edge, facet, vertex)
            a, b = item, (item + 1) % 3
            if tri.corner[a] > tri.corner[b]:
                a, b = b, a
            skin.weight[row, a] = 1.0 - vertex.place
            skin.weight[row, b] = vertex.place
        elif vertex.kind == ON_PARTITION_EDGE:
            if vertex.beyond >= 0:
                tally.keys += 1
            _settle_inside(tri, vertex.position, skin.weight[row])
            skin.corner[row] = known + _new_vertex(state, skin.vertex, skin.partition_edge_head, item, t, vertex)
        else:
            if vertex.kind == LOOSE:
                tally.keys += 1
                item = 0
            skin.corner[row] = tri.corner[item]
            skin.weight[row, item] = 1.0


@device_inlined
def _put_segments(cx: Complex, polygon: Records, skin: CutSkin, state: Record, n: int, region: int) -> None:
    """Append the sides of the last n corners that lie on facets."""
    begin = state.corners - n
    for i in range(n):
        f = polygon[i].tag
        if f >= 0:
            segment = skin.segment[state.segments]
            state.segments += 1
            segment.facet = f
            segment.side = 0 if cx.facet[f].lo == region else 1
            segment.tail = skin.corner[begin + i]
            segment.head = skin.corner[begin + (i + 1) % n]


@device_inlined
def _walk_across(cx: Complex, polygon: Records, n: int, region: int, t: int, walk: Walk, tally: Record) -> None:
    """Queue the regions across the polygon's sides."""
    for i in range(n):
        f = polygon[i].tag
        if f < 0:
            continue
        facet = cx.facet[f]
        if facet.hi < 0:
            tally.leaks += 1
            continue
        _queue(walk, facet.lo + facet.hi - region, t)


@device_inlined
def _queue(walk: Walk, region: int, t: int) -> None:
    """Queue a region that triangle t touches, once."""
    if walk.visited[region] != t:
        walk.visited[region] = t
        walk.queue[walk.state[0].queued] = region
        walk.state[0].queued += 1


@device_inlined
def _load(surface: BodySurface, t: int, tri: Record, walk: Walk) -> None:
    """Make triangle t the one at hand, and queue the regions of its corners."""
    p = tri.position
    for k in range(3):
        v = surface.triangles[t, k]
        tri.corner[k] = v
        for c in range(3):
            p[k, c] = surface.vertices[v, c]
        _queue(walk, surface.home[v], t)
    for c in range(3):
        d, e = (c + 1) % 3, (c + 2) % 3
        tri.normal[c] = (p[1, d] - p[0, d]) * (p[2, e] - p[0, e]) - (p[1, e] - p[0, e]) * (p[2, d] - p[0, d])
    longest = 0.0
    for k in range(3):
        j = (k + 1) % 3
        x, y, z = p[j, 0] - p[k, 0], p[j, 1] - p[k, 1], p[j, 2] - p[k, 2]
        longest = max(longest, x * x + y * y + z * z)
    tri.longest = np.sqrt(longest)


@njit_no_refs
def _cut_some(
    cx: Complex, surface: BodySurface, skin: CutSkin, walk: Walk, triangle: Records, poly: Polygon, tallies: Records
) -> bool:
    """Cut mixed triangles until all are done (True) or the skin is full; a second call goes on where it stopped."""
    most = len(poly.inside)
    state, tri, tally = walk.state[0], triangle[0], tallies[0]
    while state.triangle < len(surface.mixed):
        if state.faces >= len(skin.triangle) or state.corners + most > len(skin.corner):
            return False
        if state.segments + most > len(skin.segment) or state.vertices + most > len(skin.vertex):
            return False
        t = surface.mixed[state.triangle]
        if state.queued == 0:
            _load(surface, t, tri, walk)
        region = walk.queue[state.at]
        n = clip_to_region(cx, tri, region, poly, tally)
        if n > 0:
            _put_corners(surface, skin, state, t, tri, poly.vertex, n, tally)
            _put_segments(cx, poly.vertex, skin, state, n, region)
            _walk_across(cx, poly.vertex, n, region, t, walk, tally)
            skin.triangle[state.faces] = t
            skin.region[state.faces] = region
            skin.start[state.faces + 1] = state.corners
            state.faces += 1
        state.at += 1
        if state.at == state.queued:
            state.at = 0
            state.queued = 0
            state.triangle += 1
    return True


@njit_no_refs
def _put_whole(surface: BodySurface, skin: CutSkin) -> None:
    """The triangles that lie within one region, as they are: their corners do, and the region is convex."""
    triangles = surface.triangles
    face = 0
    for t in range(len(triangles)):
        region = surface.home[triangles[t, 0]]
        if surface.home[triangles[t, 1]] != region or surface.home[triangles[t, 2]] != region:
            continue
        skin.triangle[face] = t
        skin.region[face] = region
        for k in range(3):
            skin.corner[3 * face + k] = triangles[t, k]
            for c in range(3):
                skin.weight[3 * face + k, c] = 1.0 if c == k else 0.0
        face += 1
        skin.start[face] = 3 * face


def cut_skin(cx: Complex, surface: BodySurface, edges: int, reach: float) -> tuple[CutSkin, Record]:
    """Cut all triangles of the surface; `reach` is its largest coordinate.

    Returns the skin, and what the checks counted: a TALLY.
    """
    tallies = np.zeros(1, TALLY)
    most = int(np.max(np.diff(cx.region_start))) + 8
    regions = len(cx.region_start) - 1
    whole = len(surface.triangles) - len(surface.mixed)
    state, tri = np.zeros(1, WALK), np.zeros(1, TRIANGLE)
    state["faces"], state["corners"] = whole, 3 * whole
    walk = Walk(state, np.full(regions, -1, np.int64), np.empty(regions, np.int64))
    tri["reach"] = reach
    skin = _room(whole, len(surface.mixed), most, edges, len(cx.edge_vertices))
    _put_whole(surface, skin)
    poly = new_polygon(most)
    while not _cut_some(cx, surface, skin, walk, tri, poly, tallies):
        skin = _resized(skin, 2 * len(skin.triangle), 2 * len(skin.corner), 2 * len(skin.segment), 2 * len(skin.vertex))
    filled = (int(state[name][0]) for name in ("faces", "corners", "segments", "vertices"))
    return _resized(skin, *filled), tallies[0]


def _room(whole: int, mixed: int, most: int, edges: int, partition_edges: int) -> CutSkin:
    """Room for the triangles within one region, and a first guess for what is cut."""
    faces = whole + 4 * mixed + 64
    corners, new = 3 * whole + 16 * mixed + most, 4 * mixed + most
    return CutSkin(
        start=np.zeros(faces + 1, np.int64),
        triangle=np.empty(faces, np.int64),
        region=np.empty(faces, np.int64),
        corner=np.empty(corners, np.int64),
        weight=np.empty((corners, 3)),
        segment=np.empty(2 * new, SEGMENT),
        vertex=np.empty(new, NEW_VERTEX),
        edge_head=np.full(edges, -1, np.int64),
        partition_edge_head=np.full(partition_edges, -1, np.int64),
    )


def _resized(s: CutSkin, faces: int, corners: int, segments: int, new: int) -> CutSkin:
    """The skin with tables of other lengths; what they hold is kept."""
    lengths = {"start": faces + 1, "triangle": faces, "region": faces, "corner": corners, "weight": corners}
    lengths |= {"segment": segments, "vertex": new}
    resized = {}
    for name, length in lengths.items():
        table = getattr(s, name)
        resized[name] = table[:length] if length <= len(table) else lengthened(table, len(table), length)
    return s._replace(**resized)
