"""The body's surface cut by the partition: every triangle walks through the regions that it touches.

Vertices have symbolic keys: body vertex; (body edge, facet); (body triangle, strut). New ones are numbered in the order
in which they are found and kept in short lists per body edge and per strut, so nothing is hashed, sorted or welded.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import njit
from ..types import Floats, Ints
from .clip import DOUBTS, KEYS, LEAKS, LOOSE, ON_EDGE, ON_STRUT, Polygon, Triangle, clip_to_region, new_polygon
from .complex import Complex


class Skin(NamedTuple):
    """Cut triangles (faces), cut segments on facets, and new vertices. Arrays are longer than `made` says."""

    made: Ints  #: (4,) faces, corners, segments, new vertices
    start: Ints  #: (faces+1,)
    triangle: Ints  #: (faces,)
    region: Ints  #: (faces,)
    corner: Ints  #: (corners,) vertex
    weight: Floats  #: (corners,3) barycentric coordinates in the triangle
    segment_facet: Ints
    segment_side: Ints  #: 0 seen from lo, 1 from hi
    segment_from: Ints
    segment_to: Ints
    position: Floats  #: (new,3)
    param: Floats  #: (new,) place along the body edge or strut
    other: Ints  #: (new,) facet or triangle
    following: Ints  #: (new,) next new vertex of the same body edge or strut, -1 at the end
    enters: Ints  #: (new,) 1 where the strut enters the body
    edge_head: Ints  #: (body edges,) first new vertex, -1 for none
    strut_head: Ints  #: (struts,)


FACES, CORNERS, SEGMENTS, NEW = 0, 1, 2, 3


class Surface(NamedTuple):
    """The body as the kernels see it."""

    vertices: Floats
    triangles: Ints
    triangle_edge: Ints
    home: Ints  #: (V,) region of each vertex
    reach: Floats  #: (1,) largest coordinate


class Walk(NamedTuple):
    """Where the walk of the triangles stands."""

    visited: Ints  #: (R,) last triangle that queued this region
    queue: Ints  #: (R,) regions that the triangle touches
    inside: Ints  #: scratch
    progress: Ints  #: (3,) triangle, place in its queue, length of its queue


TRIANGLE, AT, SIZE = 0, 1, 2


def _empty_skin(triangles: int, edges: int, struts: int) -> Skin:
    """Room for the uncut triangles and a first guess of what is cut."""
    faces, corners, new = 2 * triangles + 256, 6 * triangles + 1024, triangles + 256

    def ints(length: int) -> Ints:
        return np.empty(length, np.int64)

    return Skin(
        made=np.zeros(4, np.int64),
        start=np.zeros(faces + 1, np.int64),
        triangle=ints(faces),
        region=ints(faces),
        corner=ints(corners),
        weight=np.empty((corners, 3)),
        segment_facet=ints(new),
        segment_side=ints(new),
        segment_from=ints(new),
        segment_to=ints(new),
        position=np.empty((new, 3)),
        param=np.empty(new),
        other=ints(new),
        following=ints(new),
        enters=ints(new),
        edge_head=np.full(edges, -1, np.int64),
        strut_head=np.full(struts, -1, np.int64),
    )


@njit
def _new_vertex(s: Skin, heads: Ints, owner: int, other: int, poly: Polygon, i: int) -> int:
    """The number, from 0, of the new vertex (owner, other); made from polygon vertex i when it is not known yet."""
    at = heads[owner]
    while at >= 0:
        if s.other[at] == other:
            return at
        at = s.following[at]
    at = s.made[NEW]
    s.made[NEW] += 1
    s.other[at] = other
    s.following[at] = heads[owner]
    heads[owner] = at
    s.param[at] = poly.param[i]
    s.enters[at] = poly.enters[i]
    for c in range(3):
        s.position[at, c] = poly.position[i, c]
    return at


@njit
def _weigh_inside(tri: Triangle, poly: Polygon, i: int, weight: Floats, row: int) -> None:
    """Barycentric coordinates of a vertex inside the triangle, from areas projected on its normal."""
    n = tri.normal
    total = 0.0
    for k in range(3):
        a = tri.position[(k + 1) % 3]
        b = tri.position[(k + 2) % 3]
        u0, u1, u2 = a[0] - poly.position[i, 0], a[1] - poly.position[i, 1], a[2] - poly.position[i, 2]
        w0, w1, w2 = b[0] - poly.position[i, 0], b[1] - poly.position[i, 1], b[2] - poly.position[i, 2]
        area = n[0] * (u1 * w2 - u2 * w1) + n[1] * (u2 * w0 - u0 * w2) + n[2] * (u0 * w1 - u1 * w0)
        weight[row, k] = max(area, 0.0)
        total += weight[row, k]
    for k in range(3):
        weight[row, k] = weight[row, k] / total if total > 0.0 else 1.0 / 3.0


@njit
def _put_corner(s: Skin, surface: Surface, t: int, tri: Triangle, poly: Polygon, n: int, i: int, tally: Ints) -> None:
    """Append polygon vertex i as a corner of the face that is being written."""
    row = s.made[CORNERS]
    s.made[CORNERS] += 1
    kind = poly.kind[i]
    item = poly.item[i]
    known = len(surface.vertices)
    for k in range(3):
        s.weight[row, k] = 0.0
    if kind == ON_EDGE:
        facet = max(poly.tag[i], poly.tag[(i + n - 1) % n])
        s.corner[row] = known + _new_vertex(s, s.edge_head, surface.triangle_edge[t, item], facet, poly, i)
        a, b = item, (item + 1) % 3
        if tri.corner[a] > tri.corner[b]:
            a, b = b, a
        s.weight[row, a] = 1.0 - poly.param[i]
        s.weight[row, b] = poly.param[i]
    elif kind == ON_STRUT:
        if poly.beyond[i] >= 0:
            tally[KEYS] += 1
        s.corner[row] = known + _new_vertex(s, s.strut_head, item, t, poly, i)
        _weigh_inside(tri, poly, i, s.weight, row)
    else:
        if kind == LOOSE:
            tally[KEYS] += 1
            item = 0
        s.corner[row] = tri.corner[item]
        s.weight[row, item] = 1.0


@njit
def _close_face(s: Skin, t: int, region: int) -> None:
    face = s.made[FACES]
    s.triangle[face] = t
    s.region[face] = region
    s.start[face + 1] = s.made[CORNERS]
    s.made[FACES] += 1


@njit
def _put_segments(cx: Complex, s: Skin, poly: Polygon, n: int, region: int) -> None:
    """Append the sides of the last face that lie on facets."""
    begin = s.start[s.made[FACES] - 1]
    for i in range(n):
        facet = poly.tag[i]
        if facet >= 0:
            row = s.made[SEGMENTS]
            s.made[SEGMENTS] += 1
            s.segment_facet[row] = facet
            s.segment_side[row] = 0 if cx.facet_regions[facet, 0] == region else 1
            s.segment_from[row] = s.corner[begin + i]
            s.segment_to[row] = s.corner[begin + (i + 1) % n]


@njit
def _load(surface: Surface, t: int, tri: Triangle) -> None:
    for k in range(3):
        tri.corner[k] = surface.triangles[t, k]
        for c in range(3):
            tri.position[k, c] = surface.vertices[tri.corner[k], c]
    p = tri.position
    for c in range(3):
        d, e = (c + 1) % 3, (c + 2) % 3
        tri.normal[c] = (p[1, d] - p[0, d]) * (p[2, e] - p[0, e]) - (p[1, e] - p[0, e]) * (p[2, d] - p[0, d])


@njit
def _put_whole(s: Skin, surface: Surface, t: int, region: int) -> None:
    row = s.made[CORNERS]
    for k in range(3):
        s.corner[row + k] = surface.triangles[t, k]
        for j in range(3):
            s.weight[row + k, j] = 1.0 if j == k else 0.0
    s.made[CORNERS] = row + 3
    _close_face(s, t, region)


@njit
def _has_room(s: Skin, more: int) -> bool:
    """Whether one more face of `more` corners fits into the arrays."""
    if s.made[FACES] >= len(s.triangle) or s.made[CORNERS] + more > len(s.corner):
        return False
    return s.made[SEGMENTS] + more <= len(s.segment_facet) and s.made[NEW] + more <= len(s.param)


@njit
def _enqueue(region: int, t: int, walk: Walk) -> None:
    if walk.visited[region] != t:
        walk.visited[region] = t
        walk.queue[walk.progress[SIZE]] = region
        walk.progress[SIZE] += 1


@njit
def _walk_across(cx: Complex, poly: Polygon, n: int, region: int, t: int, walk: Walk, tally: Ints) -> None:
    """Queue the regions across the polygon's sides."""
    for i in range(n):
        facet = poly.tag[i]
        if facet >= 0:
            if cx.facet_regions[facet, 1] < 0:
                tally[LEAKS] += 1
            else:
                _enqueue(cx.facet_regions[facet, 0] + cx.facet_regions[facet, 1] - region, t, walk)


@njit
def _cut_some(
    cx: Complex, surface: Surface, skin: Skin, walk: Walk, tri: Triangle, first: Polygon, second: Polygon, tally: Ints
) -> bool:
    """Cut triangles until all are done (True) or the skin is full; a second call goes on where the first stopped."""
    most = len(first.tag)
    progress = walk.progress
    while progress[TRIANGLE] < len(surface.triangles):
        if not _has_room(skin, most):
            return False
        t = progress[TRIANGLE]
        if progress[SIZE] == 0:
            home = surface.home[surface.triangles[t, 0]]
            if home == surface.home[surface.triangles[t, 1]] and home == surface.home[surface.triangles[t, 2]]:
                _put_whole(skin, surface, t, home)
                progress[TRIANGLE] += 1
                continue
            _load(surface, t, tri)
            for k in range(3):
                _enqueue(surface.home[surface.triangles[t, k]], t, walk)
        region = walk.queue[progress[AT]]
        n = clip_to_region(cx, tri, region, first, second, walk.inside, tally)
        if n > 0:
            for i in range(n):
                _put_corner(skin, surface, t, tri, first, n, i, tally)
            _close_face(skin, t, region)
            _put_segments(cx, skin, first, n, region)
            _walk_across(cx, first, n, region, t, walk, tally)
        progress[AT] += 1
        if progress[AT] == progress[SIZE]:
            progress[AT] = 0
            progress[SIZE] = 0
            progress[TRIANGLE] += 1
    return True


def cut_skin(cx: Complex, surface: Surface, edges: int) -> tuple[Skin, Ints]:
    """Cut all triangles of the surface.

    Returns the skin, its arrays trimmed to what is used, and the tally (3,) of doubtful signs, of vertices whose keys
    contradict each other, and of sides on the outer border of the complex.
    """
    tally = np.zeros(3, np.int64)
    regions = len(cx.region_start) - 1
    most = int(np.max(np.diff(cx.region_start))) + 8
    tri = Triangle(np.zeros(3, np.int64), np.zeros((3, 3)), np.zeros(3), surface.reach)
    walk = Walk(
        np.full(regions, -1, np.int64), np.empty(regions, np.int64), np.zeros(most, np.int64), np.zeros(3, np.int64)
    )
    first, second = new_polygon(most), new_polygon(most)
    skin = _empty_skin(len(surface.triangles) + most, edges, len(cx.edge_vertices))
    while not _cut_some(cx, surface, skin, walk, tri, first, second, tally):
        skin = _resized(skin, 2 * len(skin.triangle), 2 * len(skin.corner), 2 * len(skin.param))
    faces, corners, segments, new = (int(count) for count in skin.made)
    return _resized(skin, faces, corners, new, segments), tally


def _resized(s: Skin, faces: int, corners: int, new: int, segments: int | None = None) -> Skin:
    """The skin with arrays of other lengths; what they hold is kept."""
    segments = new if segments is None else segments
    lengths = {"start": faces + 1, "triangle": faces, "region": faces, "corner": corners, "weight": corners}
    lengths |= dict.fromkeys(("segment_facet", "segment_side", "segment_from", "segment_to"), segments)
    lengths |= dict.fromkeys(("position", "param", "other", "following", "enters"), new)
    return s._replace(**{name: _fitted(getattr(s, name), length) for name, length in lengths.items()})


def _fitted(array: NDArray[Any], length: int) -> NDArray[Any]:
    if length <= len(array):
        return array[:length]
    longer = np.empty((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


__all__ = ["DOUBTS", "KEYS", "LEAKS", "Skin", "Surface", "cut_skin"]
