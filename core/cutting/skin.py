"""The body's surface cut by the partition: every triangle walks through the regions that it touches.

Vertices have symbolic keys: body vertex; (body edge, facet); (body triangle, partition edge). New ones are numbered in
the order in which they are found and kept in short lists per body edge and per partition edge, so nothing is hashed,
sorted or welded.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import device_inlined, njit_no_refs
from ..types import Floats, Ints
from .clip import (
    BEYOND,
    DOUBTS,
    ENTERS,
    ITEM,
    KEYS,
    KIND,
    LEAKS,
    LONGEST,
    LOOSE,
    NORMAL,
    ON_EDGE,
    ON_PARTITION_EDGE,
    PARAM,
    TAG,
    TRIANGLE_REACH,
    Polygon,
    Triangle,
    clip_to_region,
    new_polygon,
)  # fmt: skip
from .complex import HI, LO, Complex


class CutSkin(NamedTuple):
    """Cut triangles (faces), cut segments on facets, and new vertices. Uncut triangles come first."""

    start: Ints  #: (faces+1,) bounds of the corners of each face
    triangle: Ints  #: (faces,)
    region: Ints  #: (faces,)
    corner: Ints  #: (corners,) vertex: the body's, then the new ones
    weight: Floats  #: (corners,3) barycentric coordinates in the triangle
    segment: Ints  #: (segments,4) facet, side (0 seen from lo, 1 from hi), vertices from and to
    label: Ints  #: (new,3) columns OTHER, FOLLOWING, INWARD
    place: Floats  #: (new,4) position, and place along the body edge or partition edge
    edge_head: Ints  #: (body edges,) first new vertex, -1 for none
    partition_edge_head: Ints  #: (E,)


#: Columns of a new vertex: its facet or triangle; the next one of the same body edge or partition edge, -1 at the
#: end; whether the partition edge enters the body there.
_OTHER, FOLLOWING, INWARD = 0, 1, 2
_FACES, _CORNERS, SEGMENTS, _NEW, _TRIANGLE, AT, SIZE = 0, 1, 2, 3, 4, 5, 6  #: rows of a walk's state


class BodySurface(NamedTuple):
    """The body as the kernels see it."""

    vertices: Floats
    triangles: Ints
    triangle_edge: Ints
    home: Ints  #: (V,) region of each vertex
    mixed: Ints  #: (.,) triangles whose corners are in different regions


class Walk(NamedTuple):
    """Where the walk of the triangles stands."""

    state: Ints  #: (7,) numbers of faces, corners, segments, new vertices; row of mixed, place in queue, its length
    visited: Ints  #: (R,) last triangle that queued this region
    queue: Ints  #: (R,) regions that the triangle touches


@device_inlined
def _new_vertex(
    state: Ints, label: Ints, place: Floats, heads: Ints, owner: int, other: int, tags: Ints, numbers: Floats
) -> int:
    """The number, from 0, of the new vertex (owner, other); made from a polygon vertex when it is not known yet."""
    at: int = heads[owner]
    while at >= 0:
        if label[at, _OTHER] == other:
            return at
        at = label[at, FOLLOWING]
    at = state[_NEW]
    state[_NEW] += 1
    label[at, _OTHER] = other
    label[at, FOLLOWING] = heads[owner]
    label[at, INWARD] = tags[ENTERS]
    heads[owner] = at
    for c in range(4):
        place[at, c] = numbers[c]
    return at


@device_inlined
def _settle_inside(tri: Floats, point: Floats, weight: Floats) -> None:
    """Barycentric coordinates of a point, from areas projected on the triangle's normal; moves it to where they say.

    A partition edge that meets the triangle at a very shallow angle has a rounded position some way beside it.
    """
    total = 0.0
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        u0, u1, u2 = tri[a, 0] - point[0], tri[a, 1] - point[1], tri[a, 2] - point[2]
        w0, w1, w2 = tri[b, 0] - point[0], tri[b, 1] - point[1], tri[b, 2] - point[2]
        area = tri[NORMAL, 0] * (u1 * w2 - u2 * w1) + tri[NORMAL, 1] * (u2 * w0 - u0 * w2)
        weight[k] = max(area + tri[NORMAL, 2] * (u0 * w1 - u1 * w0), 0.0)
        total += weight[k]
    for k in range(3):
        weight[k] = weight[k] / total if total > 0.0 else 1.0 / 3.0
    if total > 0.0:
        for c in range(3):
            point[c] = weight[0] * tri[0, c] + weight[1] * tri[1, c] + weight[2] * tri[2, c]


@device_inlined
def _put_corners(
    surface: BodySurface, skin: CutSkin, state: Ints, t: int, tri: Triangle, poly: Polygon, n: int, tally: Ints
) -> None:
    """Append the polygon's vertices as corners of the face that is being written."""
    known = len(surface.vertices)
    for i in range(n):
        row = state[_CORNERS]
        state[_CORNERS] += 1
        kind = poly.label[i, KIND]
        item = poly.label[i, ITEM]
        for k in range(3):
            skin.weight[row, k] = 0.0
        if kind == ON_EDGE:
            facet = max(poly.label[i, TAG], poly.label[i - 1 if i > 0 else n - 1, TAG])
            edge = surface.triangle_edge[t, item]
            new = _new_vertex(state, skin.label, skin.place, skin.edge_head, edge, facet, poly.label[i], poly.number[i])
            skin.corner[row] = known + new
            a, b = item, (item + 1) % 3
            if tri.corner[a] > tri.corner[b]:
                a, b = b, a
            skin.weight[row, a] = 1.0 - poly.number[i, PARAM]
            skin.weight[row, b] = poly.number[i, PARAM]
        elif kind == ON_PARTITION_EDGE:
            if poly.label[i, BEYOND] >= 0:
                tally[KEYS] += 1
            _settle_inside(tri.number, poly.number[i], skin.weight[row])
            new = _new_vertex(
                state, skin.label, skin.place, skin.partition_edge_head, item, t, poly.label[i], poly.number[i]
            )
            skin.corner[row] = known + new
        else:
            if kind == LOOSE:
                tally[KEYS] += 1
                item = 0
            skin.corner[row] = tri.corner[item]
            skin.weight[row, item] = 1.0


@device_inlined
def _put_segments(facet: Ints, label: Ints, corner: Ints, segment: Ints, state: Ints, n: int, region: int) -> None:
    """Append the sides of the last n corners that lie on facets."""
    begin = state[_CORNERS] - n
    for i in range(n):
        f = label[i, TAG]
        if f >= 0:
            row = state[SEGMENTS]
            state[SEGMENTS] += 1
            segment[row, 0] = f
            segment[row, 1] = 0 if facet[f, LO] == region else 1
            segment[row, 2] = corner[begin + i]
            segment[row, 3] = corner[begin + (i + 1) % n]


@device_inlined
def _walk_across(facet: Ints, label: Ints, n: int, region: int, t: int, walk: Walk, tally: Ints) -> None:
    """Queue the regions across the polygon's sides."""
    for i in range(n):
        f = label[i, TAG]
        if f < 0:
            continue
        if facet[f, HI] < 0:
            tally[LEAKS] += 1
            continue
        across = facet[f, LO] + facet[f, HI] - region
        if walk.visited[across] != t:
            walk.visited[across] = t
            walk.queue[walk.state[SIZE]] = across
            walk.state[SIZE] += 1


@device_inlined
def _load(surface: BodySurface, t: int, tri: Triangle, walk: Walk) -> None:
    """Make triangle t the one at hand, and queue the regions of its corners."""
    p = tri.number
    for k in range(3):
        v = surface.triangles[t, k]
        tri.corner[k] = v
        for c in range(3):
            p[k, c] = surface.vertices[v, c]
        region = surface.home[v]
        if walk.visited[region] != t:
            walk.visited[region] = t
            walk.queue[walk.state[SIZE]] = region
            walk.state[SIZE] += 1
    for c in range(3):
        d, e = (c + 1) % 3, (c + 2) % 3
        p[NORMAL, c] = (p[1, d] - p[0, d]) * (p[2, e] - p[0, e]) - (p[1, e] - p[0, e]) * (p[2, d] - p[0, d])
    longest = 0.0
    for k in range(3):
        j = (k + 1) % 3
        x, y, z = p[j, 0] - p[k, 0], p[j, 1] - p[k, 1], p[j, 2] - p[k, 2]
        longest = max(longest, x * x + y * y + z * z)
    p[TRIANGLE_REACH, LONGEST] = np.sqrt(longest)


@njit_no_refs
def _cut_some(
    cx: Complex, surface: BodySurface, skin: CutSkin, walk: Walk, tri: Triangle, poly: Polygon, tally: Ints
) -> bool:
    """Cut mixed triangles until all are done (True) or the skin is full; a second call goes on where it stopped."""
    most = len(poly.inside)
    state = walk.state
    while state[_TRIANGLE] < len(surface.mixed):
        if state[_FACES] >= len(skin.triangle) or state[_CORNERS] + most > len(skin.corner):
            return False
        if state[SEGMENTS] + most > len(skin.segment) or state[_NEW] + most > len(skin.label):
            return False
        t = surface.mixed[state[_TRIANGLE]]
        if state[SIZE] == 0:
            _load(surface, t, tri, walk)
        region = walk.queue[state[AT]]
        n = clip_to_region(cx, tri, region, poly, tally)
        if n > 0:
            _put_corners(surface, skin, state, t, tri, poly, n, tally)
            _put_segments(cx.facet, poly.label, skin.corner, skin.segment, state, n, region)
            _walk_across(cx.facet, poly.label, n, region, t, walk, tally)
            face = state[_FACES]
            skin.triangle[face] = t
            skin.region[face] = region
            skin.start[face + 1] = state[_CORNERS]
            state[_FACES] += 1
        state[AT] += 1
        if state[AT] == state[SIZE]:
            state[AT] = 0
            state[SIZE] = 0
            state[_TRIANGLE] += 1
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


def cut_skin(cx: Complex, surface: BodySurface, edges: int, reach: float) -> tuple[CutSkin, Ints]:
    """Cut all triangles of the surface; `reach` is its largest coordinate.

    Returns the skin and the tally (3,) of doubtful signs, of vertices whose keys contradict each other, and of sides
    on the outer border of the complex.
    """
    tally = np.zeros(3, np.int64)
    most = int(np.max(np.diff(cx.region_start))) + 8
    regions = len(cx.region_start) - 1
    whole = len(surface.triangles) - len(surface.mixed)
    state = np.array([whole, 3 * whole, 0, 0, 0, 0, 0], np.int64)
    walk = Walk(state, np.full(regions, -1, np.int64), np.empty(regions, np.int64))
    tri = Triangle(np.zeros(3, np.int64), np.zeros((5, 3)))
    tri.number[TRIANGLE_REACH, 0] = reach
    skin = _room(whole, len(surface.mixed), most, edges, len(cx.edge_vertices))
    _put_whole(surface, skin)
    poly = new_polygon(most)
    while not _cut_some(cx, surface, skin, walk, tri, poly, tally):
        skin = _resized(skin, 2 * len(skin.triangle), 2 * len(skin.corner), 2 * len(skin.segment), 2 * len(skin.label))
    return _resized(skin, *(int(count) for count in state[:4])), tally


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
        segment=np.empty((2 * new, 4), np.int64),
        label=np.empty((new, 3), np.int64),
        place=np.empty((new, 4)),
        edge_head=np.full(edges, -1, np.int64),
        partition_edge_head=np.full(partition_edges, -1, np.int64),
    )


def _resized(s: CutSkin, faces: int, corners: int, segments: int, new: int) -> CutSkin:
    """The skin with tables of other lengths; what they hold is kept."""
    lengths = {"start": faces + 1, "triangle": faces, "region": faces, "corner": corners, "weight": corners}
    lengths |= {"segment": segments, "label": new, "place": new}
    return s._replace(**{name: _fitted(getattr(s, name), length) for name, length in lengths.items()})


def _fitted(table: NDArray[Any], length: int) -> NDArray[Any]:
    if length <= len(table):
        return table[:length]
    longer = np.empty((length, *table.shape[1:]), table.dtype)
    longer[: len(table)] = table
    return longer


__all__ = ["DOUBTS", "FOLLOWING", "INWARD", "KEYS", "LEAKS", "BodySurface", "CutSkin", "cut_skin"]
