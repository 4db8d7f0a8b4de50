"""The body's surface cut by the partition: every triangle walks through the regions that it touches.

Vertices have symbolic keys: body vertex; (body edge, facet); (body triangle, strut). New ones are numbered in the order
in which they are found and kept in short lists per body edge and per strut, so nothing is hashed, sorted or welded.
"""

from typing import NamedTuple

import numpy as np

from ..jit import njit
from ..types import Floats, Ints
from .clip import DOUBTS, KEYS, LEAKS, LOOSE, ON_EDGE, ON_STRUT, Polygon, Triangle, clip_to_region, new_polygon
from .complex import Complex


class Skin(NamedTuple):
    """Cut triangles (faces), cut segments on facets, and new vertices. Arrays are longer than `count` says."""

    count: Ints  #: (4,) faces, corners, segments, new vertices
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


def empty_skin(triangles: int, edges: int, struts: int) -> Skin:
    """Room for the uncut triangles and a first guess of what is cut; grows when needed."""
    faces, corners, new = 2 * triangles + 256, 6 * triangles + 1024, triangles + 256
    ints = [np.empty(size, np.int64) for size in (faces + 1, faces, faces, corners, new, new, new, new, new, new, new)]
    ints[0][0] = 0
    return Skin(
        np.zeros(4, np.int64),
        *ints[:4],
        np.empty((corners, 3)),
        *ints[4:8],
        np.empty((new, 3)),
        np.empty(new),
        *ints[8:11],
        np.full(edges, -1, np.int64),
        np.full(struts, -1, np.int64),
    )


@njit
def _longer(array: Ints, need: int) -> Ints:
    longer = np.empty(max(need, 2 * len(array)), np.int64)
    longer[: len(array)] = array
    return longer


@njit
def _longer_rows(array: Floats, need: int) -> Floats:
    longer = np.empty((max(need, 2 * len(array)), 3))
    longer[: len(array)] = array
    return longer


@njit
def _longer_floats(array: Floats, need: int) -> Floats:
    longer = np.empty(max(need, 2 * len(array)))
    longer[: len(array)] = array
    return longer


@njit
def with_room(s: Skin, more: int) -> Skin:
    """The same skin with room for one more face of `more` corners."""
    faces, corners, segments, new = s.count[FACES] + 2, s.count[1] + more, s.count[2] + more, s.count[3] + more
    start, triangle, region, corner, weight = s.start, s.triangle, s.region, s.corner, s.weight
    if faces > len(triangle):
        start = _longer(start, faces + 1)
        triangle = _longer(triangle, faces)
        region = _longer(region, faces)
    if corners > len(corner):
        corner = _longer(corner, corners)
        weight = _longer_rows(weight, corners)
    facet, side, begin, end = s.segment_facet, s.segment_side, s.segment_from, s.segment_to
    if segments > len(facet):
        facet = _longer(facet, segments)
        side = _longer(side, segments)
        begin = _longer(begin, segments)
        end = _longer(end, segments)
    position, param, other, following, enters = s.position, s.param, s.other, s.following, s.enters
    if new > len(param):
        position = _longer_rows(position, new)
        param = _longer_floats(param, new)
        other = _longer(other, new)
        following = _longer(following, new)
        enters = _longer(enters, new)
    return Skin(
        s.count, start, triangle, region, corner, weight, facet, side, begin, end,
        position, param, other, following, enters, s.edge_head, s.strut_head,
    )  # fmt: skip


@njit
def _new_vertex(s: Skin, heads: Ints, owner: int, other: int, poly: Polygon, i: int) -> int:
    """The number, from 0, of the new vertex (owner, other); made from polygon vertex i when it is not known yet."""
    at = heads[owner]
    while at >= 0:
        if s.other[at] == other:
            return at
        at = s.following[at]
    at = s.count[NEW]
    s.count[NEW] += 1
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
    row = s.count[CORNERS]
    s.count[CORNERS] += 1
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
    face = s.count[FACES]
    s.triangle[face] = t
    s.region[face] = region
    s.start[face + 1] = s.count[CORNERS]
    s.count[FACES] += 1


@njit
def _put_segments(cx: Complex, s: Skin, poly: Polygon, n: int, region: int) -> None:
    """Append the sides of the last face that lie on facets."""
    begin = s.start[s.count[FACES] - 1]
    for i in range(n):
        facet = poly.tag[i]
        if facet >= 0:
            row = s.count[SEGMENTS]
            s.count[SEGMENTS] += 1
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
    row = s.count[CORNERS]
    for k in range(3):
        s.corner[row + k] = surface.triangles[t, k]
        for j in range(3):
            s.weight[row + k, j] = 1.0 if j == k else 0.0
    s.count[CORNERS] = row + 3
    _close_face(s, t, region)


@njit
def _cut_skin(
    cx: Complex, surface: Surface, skin: Skin, tri: Triangle, first: Polygon, second: Polygon, tally: Ints
) -> Skin:
    regions = len(cx.region_start) - 1
    visited = np.full(regions, -1, np.int64)
    queue = np.empty(regions, np.int64)
    inside = np.empty(len(first.tag), np.int64)
    for t in range(len(surface.triangles)):
        skin = with_room(skin, 3)
        h0, h1, h2 = (
            surface.home[surface.triangles[t, 0]],
            surface.home[surface.triangles[t, 1]],
            surface.home[surface.triangles[t, 2]],
        )
        if h0 == h1 and h0 == h2:
            _put_whole(skin, surface, t, h0)
            continue
        _load(surface, t, tri)
        size = 0
        for h in (h0, h1, h2):
            if visited[h] != t:
                visited[h] = t
                queue[size] = h
                size += 1
        at = 0
        while at < size:
            region = queue[at]
            at += 1
            n = clip_to_region(cx, tri, region, first, second, inside, tally)
            if n == 0:
                continue
            skin = with_room(skin, n)
            for i in range(n):
                _put_corner(skin, surface, t, tri, first, n, i, tally)
                facet = first.tag[i]
                if facet < 0:
                    continue
                across = cx.facet_regions[facet, 0] + cx.facet_regions[facet, 1] - region
                if cx.facet_regions[facet, 1] < 0:
                    tally[LEAKS] += 1
                elif visited[across] != t:
                    visited[across] = t
                    queue[size] = across
                    size += 1
            _close_face(skin, t, region)
            _put_segments(cx, skin, first, n, region)
    return skin


def cut_skin(cx: Complex, surface: Surface, edges: int) -> tuple[Skin, Ints]:
    """Cut all triangles of the surface.

    Returns the skin, its arrays trimmed to what is used, and the tally (3,) of doubtful signs, of vertices whose keys
    contradict each other, and of sides on the outer border of the complex.
    """
    tally = np.zeros(3, np.int64)
    most = int(np.max(np.diff(cx.region_start))) + 8
    tri = Triangle(np.zeros(3, np.int64), np.zeros((3, 3)), np.zeros(3), surface.reach)
    skin = empty_skin(len(surface.triangles), edges, len(cx.edge_vertices))
    skin = _cut_skin(cx, surface, skin, tri, new_polygon(most), new_polygon(most), tally)
    return _trimmed(skin), tally


def _trimmed(s: Skin) -> Skin:
    faces, corners, segments, new = s.count
    return Skin(
        s.count, s.start[: faces + 1], s.triangle[:faces], s.region[:faces], s.corner[:corners], s.weight[:corners],
        s.segment_facet[:segments], s.segment_side[:segments], s.segment_from[:segments], s.segment_to[:segments],
        s.position[:new], s.param[:new], s.other[:new], s.following[:new], s.enters[:new], s.edge_head, s.strut_head,
    )  # fmt: skip


__all__ = ["DOUBTS", "KEYS", "LEAKS", "Skin", "Surface", "cut_skin"]
