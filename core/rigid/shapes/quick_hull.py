"""The convex hulls of a few hundred points each, in a fraction of the time that Qhull takes.

Quickhull: each point outside is kept with a face that it sees; the farthest of a face becomes a corner, all faces that
it sees go, and new ones join it to the horizon. Qhull also merges faces that round-off spoils. Here points less than
`_SLACK` outside of a face count as inside, and where a face would be a sliver or the horizon no ring, Qhull is asked.

Reference: Barber, Dobkin, Huhdanpaa: The Quickhull algorithm for convex hulls, 1996.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ...geometry.vectors import row_difference
from ...jit import device_no_refs, njit_no_refs, sealed_floats, sealed_ints
from ...record_arrays import Record, Records, record_type
from ...types import Floats, Ints

_SLACK = 1e-12  # height above a face that is round-off, in the largest coordinate; ten thousand roundings
#: How Qhull is asked: strictly, then so that it lets wide facets be, which points that all but coincide lead to.
QHULL = ("Qt", "Qt Q12")
_SLIVER = 1e-7  # height of a triangle below which its plane says too little, in its longest edge; chosen

#: What a face is now.
GONE, _THERE, _VISIBLE = 0, 1, 2
#: A face of a hull.
HULL_FACE = record_type(
    corner=("i8", 3),  # points
    across=("i8", 3),  # face across from each corner
    state="i8",  # one of the above
    outside="i8",  # first of the points that are kept with it, -1 for none
    normal=("f8", 3),  # unit, outwards
    offset="f8",  # minus the one of its plane
)
#: A point of a hull.
HULL_POINT = record_type(
    next="i8",  # the next one that is kept with the same face, -1 for none
    leaving="i8",  # the new face whose edge of the horizon begins there, -1 for none
)
#: An edge of the horizon of a point, as the faces that it sees have it.
HORIZON_EDGE = record_type(
    tail="i8",
    head="i8",
    beyond="i8",  # the face that is not seen
)
#: How many faces are used, and are free.
HULL_TALLY = record_type(used="i8", free="i8")


class QuickHull(NamedTuple):
    """A hull of triangles, those in one plane not merged."""

    corner: Ints  #: (T,3) points of each triangle, counter-clockwise seen from outside where it is not Qhull's
    across: Ints  #: (T,3) triangle across from each corner
    plane: Floats  #: (T,4) unit normal, outwards, and minus the offset
    volume: float  #: [m^3]

    def corners(self) -> Ints:
        """The points that are corners, ascending."""
        return np.unique(self.corner)


class _Scratch(NamedTuple):
    """Tables that one hull after the other is built in."""

    face: Records  #: (.,) HULL_FACE
    link: Records  #: (.,) HULL_POINT of each point
    horizon: Records  #: (.,) HORIZON_EDGE
    seen: Ints  #: (.,) faces that a point sees
    free: Ints  #: (.,) faces that are free
    new: Ints  #: (.,) faces on the edges of the horizon; numbers of faces, at the end
    tally: Records  #: (1,) HULL_TALLY


class _Hulls(NamedTuple):
    """The hulls of several sets of points."""

    size: Ints  #: triangles of each, 0 where it failed
    volume: Floats  #: of each [m^3]
    corner: Ints  #: (.,3) as in `QuickHull`; so are the next two
    across: Ints  #: (.,3)
    plane: Floats  #: (.,4)


def build_hull(points: Floats) -> QuickHull | None:
    """The hull of points (n,3) [m]; None where they are flat or too few."""
    return build_hulls(points, np.array([0, len(points)]))[0]


def build_hulls(points: Floats, start: Ints) -> list[QuickHull | None]:
    """The hull of each of several sets of points, one after the other in `points (n,3)` [m]; `start` bounds them."""
    several, most = len(start) - 1, int(np.diff(start).max(initial=0))
    size, volume = np.zeros(several, np.int64), np.zeros(several)
    corner, across = np.empty((2 * len(points), 3), np.int64), np.empty((2 * len(points), 3), np.int64)
    plane = np.empty((2 * len(points), 4))
    room = 3 * most + 8
    scratch = _Scratch(
        face=np.empty(room, HULL_FACE),
        link=np.empty(most, HULL_POINT),
        horizon=np.empty(room, HORIZON_EDGE),
        seen=np.empty(room, np.int64),
        free=np.empty(room, np.int64),
        new=np.empty(room, np.int64),
        tally=np.zeros(1, HULL_TALLY),
    )
    hulls = _Hulls(size, volume, corner, across, plane)
    _build_all(sealed_floats(points), sealed_ints(start), scratch, hulls)
    result: list[QuickHull | None] = []
    for k, (begin, end, count) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), size.tolist(), strict=True)):
        own = slice(2 * begin, 2 * begin + count)
        quick = QuickHull(corner[own], across[own], plane[own], float(volume[k])) if count else None
        result.append(quick or _by_qhull(points[begin:end]))
    return result


def _by_qhull(points: Floats) -> QuickHull | None:
    if len(points) < 4:
        return None
    for options in QHULL:
        try:
            hull = ConvexHull(points, qhull_options=options)
        except (QhullError, ValueError):
            continue
        corner, across = hull.simplices.astype(np.int64), hull.neighbors.astype(np.int64)
        return QuickHull(corner, across, hull.equations, float(hull.volume))
    return None


@njit_no_refs
def _build_all(points: Floats, start: Ints, scratch: _Scratch, hulls: _Hulls) -> None:
    """Triangles of all sets, those of each from twice its first point on."""
    face, new = scratch.face, scratch.new
    size, volume, corners, across, planes = hulls
    for k in range(len(size)):
        point, first = points[start[k] : start[k + 1]], 2 * start[k]
        if len(point) < 4 or not _build(point, scratch):
            continue
        used = scratch.tally[0].used
        for f in range(used):
            if face[f].state == _THERE:
                new[f] = size[k]
                size[k] += 1
                volume[k] += _cone(point, face[f]) / 6.0
        for f in range(used):
            if face[f].state == _THERE:
                to = first + new[f]
                for c in range(3):
                    corners[to, c], across[to, c] = face[f].corner[c], new[face[f].across[c]]
                    planes[to, c] = face[f].normal[c]
                planes[to, 3] = face[f].offset


@device_no_refs
def _build(point: Floats, scratch: _Scratch) -> bool:
    """Fill the tables; False where that failed."""
    face, link = scratch.face, scratch.link
    slack = 0.0
    for i in range(len(point)):
        link[i].next, link[i].leaving = -1, -1
        for k in range(3):
            slack = max(slack, _SLACK * abs(point[i, k]))
    if not _begin(point, scratch, slack):
        return False
    busy = True
    while busy:
        busy = False
        for f in range(scratch.tally[0].used):
            if face[f].state == _THERE and face[f].outside >= 0:
                busy = True
                if not _insert(f, point, scratch, slack):
                    return False
    return _convex(point, face, link, scratch.tally[0].used, 100.0 * slack)


@device_no_refs
def _begin(point: Floats, scratch: _Scratch, slack: float) -> bool:
    """A first tetrahedron of points far from each other; False where they are flat."""
    face, corner = scratch.face, scratch.seen[:4]  # normals are room, too: for directions in which the corners are
    corner[0] = 0
    for number in range(len(corner)):
        best, most = 0, 0.0
        for i in range(len(point)):
            u, v, w = row_difference(point, corner[0], i)
            for k in range(number - 1):
                way = face[k].normal
                along = u * way[0] + v * way[1] + w * way[2]
                u, v, w = u - along * way[0], v - along * way[1], w - along * way[2]
            away = np.sqrt(u * u + v * v + w * w)
            if away > most:
                best, most, way = i, away, face[max(number - 1, 0)].normal
                way[0], way[1], way[2] = u / away, v / away, w / away
        if not most > 1e4 * slack:
            return False
        corner[number] = best
    good = True
    for f in range(len(corner)):
        if not good:
            return False
        tip, a, b, c = corner[f], corner[f - 1], corner[f - 2], corner[f - 3]
        good = _set_face(point, face[f], a, b, c)
        if _height(point, face[f], tip) > 0.0:
            good = _set_face(point, face[f], a, c, b)
        for k in range(3):  # face g has no corner g
            for g in range(4):
                if face[f].corner[k] == corner[g]:
                    face[f].across[k] = g
        scratch.new[f] = f
    scratch.tally[0].used, scratch.tally[0].free = len(corner), 0
    for i in range(len(point)):
        _attach(point, scratch, i, len(corner), slack)
    return good


@device_no_refs
def _insert(f: int, point: Floats, scratch: _Scratch, slack: float) -> bool:
    """Make the farthest point of a face a corner; False where that failed."""
    face, link, new, tally = scratch.face, scratch.link, scratch.new, scratch.tally[0]
    p, most = -1, -1.0
    i = face[f].outside
    while i >= 0:
        height = _height(point, face[f], i)
        if height > most:
            p, most = i, height
        i = link[i].next
    seen, edges = _look(f, p, point, scratch, slack)
    if edges > seen + 2:  # no disc: by this the tables never overflow, whatever round-off does
        return False
    for e in range(edges):
        edge = scratch.horizon[e]
        n = tally.used
        if tally.free > 0:
            tally.free -= 1
            n = scratch.free[tally.free]
        else:
            tally.used += 1
        if link[edge.tail].leaving >= 0 or not _set_face(point, face[n], edge.tail, edge.head, p):
            return False
        link[edge.tail].leaving, new[e], face[n].across[2] = n, n, edge.beyond
        for k in range(3):
            if face[edge.beyond].corner[(k + 1) % 3] == edge.head:
                face[edge.beyond].across[k] = n
    for e in range(edges):
        n, after = new[e], link[scratch.horizon[e].head].leaving
        if after < 0:
            return False
        face[n].across[0], face[after].across[1] = after, n
    for e in range(edges):
        link[scratch.horizon[e].tail].leaving = -1
    for s in range(seen):
        old = scratch.seen[s]
        i = face[old].outside
        face[old].state = GONE
        while i >= 0:
            after = link[i].next
            if i != p:
                _attach(point, scratch, i, edges, slack)
            i = after
        scratch.free[tally.free] = old
        tally.free += 1
    return True


@device_no_refs
def _look(f: int, p: int, point: Floats, scratch: _Scratch, slack: float) -> tuple[int, int]:
    """List the faces that a point sees, from `f` on, and the edges of their horizon; returns how many there are."""
    face, faces, horizon = scratch.face, scratch.seen, scratch.horizon
    faces[0], face[f].state = f, _VISIBLE
    seen, edges, done = 1, 0, 0
    while done < seen:
        at = face[faces[done]]
        for k in range(3):
            g = at.across[k]
            if face[g].state == _VISIBLE:
                continue
            if _height(point, face[g], p) > slack:
                face[g].state, faces[seen] = _VISIBLE, g
                seen += 1
            elif edges < len(horizon):
                edge = horizon[edges]
                edge.tail, edge.head, edge.beyond = at.corner[(k + 1) % 3], at.corner[(k + 2) % 3], g
                edges += 1
        done += 1
    return seen, edges


@device_no_refs
def _attach(point: Floats, scratch: _Scratch, i: int, count: int, slack: float) -> None:
    """Keep a point with the first of the new faces that sees it; points that none sees are inside."""
    for e in range(count):
        face = scratch.face[scratch.new[e]]
        if _height(point, face, i) > slack:
            scratch.link[i].next, face.outside = face.outside, i
            return


@device_no_refs
def _set_face(point: Floats, face: Record, a: int, b: int, c: int) -> bool:
    """Make a face one of three points, with none outside; False for a sliver."""
    face.corner[0], face.corner[1], face.corner[2], face.state, face.outside = a, b, c, _THERE, -1
    u, v, w = row_difference(point, a, b)
    p, q, r = row_difference(point, a, c)
    s, t, o = row_difference(point, b, c)
    x, y, z = v * r - w * q, w * p - u * r, u * q - v * p
    double = np.sqrt(x * x + y * y + z * z)
    x, y, z = x / double, y / double, z / double
    face.normal[0], face.normal[1], face.normal[2] = x, y, z
    face.offset = -(x * point[a, 0] + y * point[a, 1] + z * point[a, 2])
    longest = max(u * u + v * v + w * w, p * p + q * q + r * r, s * s + t * t + o * o)
    return bool(double > _SLIVER * longest)


@device_no_refs
def _convex(point: Floats, face: Records, link: Records, count: int, slack: float) -> bool:
    """Whether no face sees a corner of its neighbours, and there are as many as a closed surface has (Euler)."""
    faces = corners = 0
    for f in range(count):
        if face[f].state != _THERE:
            continue
        faces += 1
        for k in range(3):
            own, other = link[face[f].corner[k]], face[face[f].across[k]]
            corners += own.leaving < 0
            own.leaving = 0
            for m in range(3):
                if _height(point, face[f], other.corner[m]) > slack:
                    return False
    return faces == 2 * corners - 4


@device_no_refs
def _cone(point: Floats, face: Record) -> float:
    """Six times the volume between a face and the first point."""
    a = face.corner[0]
    u, v, w = row_difference(point, a, face.corner[1])
    p, q, r = row_difference(point, a, face.corner[2])
    first = point[0]
    x, y, z = point[a, 0] - first[0], point[a, 1] - first[1], point[a, 2] - first[2]
    return float((v * r - w * q) * x + (w * p - u * r) * y + (u * q - v * p) * z)


@device_no_refs
def _height(point: Floats, face: Record, i: int) -> float:
    """How far a point is above a face [m]."""
    x, y, z = point[i, 0], point[i, 1], point[i, 2]
    normal = face.normal
    return float(normal[0] * x + normal[1] * y + normal[2] * z + face.offset)
