"""The convex hulls of a few hundred points each, in a fraction of the time that Qhull takes.

Quickhull: each point outside is kept with a face that it sees; the farthest of a face becomes a corner, all faces that
it sees go, and new ones join it to the horizon. Qhull also merges faces that round-off spoils. Here points less than
`_SLACK` outside of a face count as inside, and where a face would be a sliver or the horizon no ring, Qhull is asked.

Reference: Barber, Dobkin, Huhdanpaa: The Quickhull algorithm for convex hulls, 1996.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ...jit import device_no_refs, njit_no_refs, sealed_floats, sealed_ints
from ...types import Floats, Ints

_SLACK = 1e-12  # height above a face that is round-off, in the largest coordinate; ten thousand roundings
#: How Qhull is asked: strictly, then so that it lets wide facets be, which points that all but coincide lead to.
QHULL = ("Qt", "Qt Q12")
_SLIVER = 1e-7  # height of a triangle below which its plane says too little, in its longest edge; chosen

#: Columns of the table of faces. From EDGE on they are lists of their own, one entry in each row.
CORNER_COLUMN, ACROSS, STATE, _OUTSIDE, EDGE_COLUMN, _SEEN, _FREE, _NEW, _COLUMNS = 0, 3, 6, 7, 8, 11, 12, 13, 14
#: What a face is now.
GONE, _THERE, _VISIBLE = 0, 1, 2
_NEXT, LEAVING = 0, 1  # columns of the table of points


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

    face: Ints  #: (.,_COLUMNS)
    plane: Floats  #: (.,4) of each face
    link: Ints  #: (.,2) columns _NEXT and LEAVING, of points
    tally: Ints  #: (2,) how many rows of the faces are used, and are free


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
    scratch = _Scratch(
        face=np.empty((3 * most + 8, _COLUMNS), np.int64),
        plane=np.empty((3 * most + 8, 4)),
        link=np.empty((most, 2), np.int64),
        tally=np.zeros(2, np.int64),
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
    face, plane, link, tally = scratch
    size, volume, corners, across, planes = hulls
    for k in range(len(size)):
        point, first = points[start[k] : start[k + 1]], 2 * start[k]
        if len(point) < 4 or not _build(point, face, plane, link, tally):
            continue
        for f in range(tally[0]):
            if face[f, STATE] == _THERE:
                face[f, _NEW] = size[k]
                size[k] += 1
                volume[k] += _cone(point, face, f) / 6.0
        for f in range(tally[0]):
            if face[f, STATE] == _THERE:
                to = first + face[f, _NEW]
                for c in range(3):
                    corners[to, c], across[to, c] = face[f, c], face[face[f, ACROSS + c], _NEW]
                for c in range(4):
                    planes[to, c] = plane[f, c]


@device_no_refs
def _build(point: Floats, face: Ints, plane: Floats, link: Ints, tally: Ints) -> bool:
    """Fill the tables; `tally`: how many rows of them are used, and are free."""
    slack = 0.0
    for i in range(len(point)):
        link[i, _NEXT], link[i, LEAVING] = -1, -1
        for k in range(3):
            slack = max(slack, _SLACK * abs(point[i, k]))
    if not _begin(point, face, plane, link, tally, slack):
        return False
    busy = True
    while busy:
        busy = False
        for f in range(tally[0]):
            if face[f, STATE] == _THERE and face[f, _OUTSIDE] >= 0:
                busy = True
                if not _insert(f, point, face, plane, link, tally, slack):
                    return False
    return _convex(point, face, plane, link, tally[0], 100.0 * slack)


@device_no_refs
def _begin(point: Floats, face: Ints, plane: Floats, link: Ints, tally: Ints, slack: float) -> bool:
    """A first tetrahedron of points far from each other; False where they are flat."""
    corner = link[:4, LEAVING]  # scratch, as are the planes: directions in which the corners are
    corner[0] = 0
    for number in range(len(corner)):
        best, most = 0, 0.0
        for i in range(len(point)):
            u, v, w = _arm(point, corner[0], i)
            for k in range(number - 1):
                along = u * plane[k, 0] + v * plane[k, 1] + w * plane[k, 2]
                u, v, w = u - along * plane[k, 0], v - along * plane[k, 1], w - along * plane[k, 2]
            away = np.sqrt(u * u + v * v + w * w)
            if away > most:
                best, most, row = i, away, max(number - 1, 0)
                plane[row, 0], plane[row, 1], plane[row, 2] = u / away, v / away, w / away
        if not most > 1e4 * slack:
            return False
        corner[number] = best
    good = True
    for f in range(len(corner)):
        if not good:
            return False
        tip, a, b, c = corner[f], corner[f - 1], corner[f - 2], corner[f - 3]
        good = _set_plane(point, face, plane, f, a, b, c)
        if _height(point, plane, f, tip) > 0.0:
            good = _set_plane(point, face, plane, f, a, c, b)
        for k in range(3):  # face g has no corner g
            for g in range(4):
                if face[f, k] == corner[g]:
                    face[f, ACROSS + k] = g
        face[f, _NEW] = f
    tally[0], tally[1] = len(corner), 0
    for i in range(len(point)):
        _attach(point, face, plane, link, i, tally[0], slack)
    link[:4, LEAVING] = -1
    return good


@device_no_refs
def _insert(f: int, point: Floats, face: Ints, plane: Floats, link: Ints, tally: Ints, slack: float) -> bool:
    """Make the farthest point of a face a corner; False where that failed."""
    p, most = -1, -1.0
    i = face[f, _OUTSIDE]
    while i >= 0:
        height = _height(point, plane, f, i)
        if height > most:
            p, most = i, height
        i = link[i, _NEXT]
    seen, edges = _look(f, p, point, face, plane, slack)
    if edges > seen + 2:  # no disc: by this the tables never overflow, whatever round-off does
        return False
    for e in range(edges):
        a, b, g = face[e, EDGE_COLUMN], face[e, EDGE_COLUMN + 1], face[e, EDGE_COLUMN + 2]
        n = tally[0]
        if tally[1] > 0:
            tally[1] -= 1
            n = face[tally[1], _FREE]
        else:
            tally[0] += 1
        if link[a, LEAVING] >= 0 or not _set_plane(point, face, plane, n, a, b, p):
            return False
        link[a, LEAVING], face[e, _NEW], face[n, ACROSS + 2] = n, n, g
        for k in range(3):
            if face[g, CORNER_COLUMN + (k + 1) % 3] == b:
                face[g, ACROSS + k] = n
    for e in range(edges):
        n, after = face[e, _NEW], link[face[e, EDGE_COLUMN + 1], LEAVING]
        if after < 0:
            return False
        face[n, ACROSS], face[after, ACROSS + 1] = after, n
    for e in range(edges):
        link[face[e, EDGE_COLUMN], LEAVING] = -1
    for s in range(seen):
        old = face[s, _SEEN]
        i = face[old, _OUTSIDE]
        face[old, STATE] = GONE
        while i >= 0:
            after = link[i, _NEXT]
            if i != p:
                _attach(point, face, plane, link, i, edges, slack)
            i = after
        face[tally[1], _FREE] = old
        tally[1] += 1
    return True


@device_no_refs
def _look(f: int, p: int, point: Floats, face: Ints, plane: Floats, slack: float) -> tuple[int, int]:
    """List the faces that a point sees, from `f` on, and the edges of their horizon; returns how many there are."""
    face[0, _SEEN], face[f, STATE] = f, _VISIBLE
    seen, edges, done = 1, 0, 0
    while done < seen:
        at = face[done, _SEEN]
        for k in range(3):
            g = face[at, ACROSS + k]
            if face[g, STATE] == _VISIBLE:
                continue
            if _height(point, plane, g, p) > slack:
                face[g, STATE], face[seen, _SEEN] = _VISIBLE, g
                seen += 1
            elif edges < len(face):
                face[edges, EDGE_COLUMN], face[edges, EDGE_COLUMN + 1] = face[at, (k + 1) % 3], face[at, (k + 2) % 3]
                face[edges, EDGE_COLUMN + 2] = g
                edges += 1
        done += 1
    return seen, edges


@device_no_refs
def _attach(point: Floats, face: Ints, plane: Floats, link: Ints, i: int, count: int, slack: float) -> None:
    """Keep a point with the first of the new faces that sees it; points that none sees are inside."""
    for e in range(count):
        n = face[e, _NEW]
        if _height(point, plane, n, i) > slack:
            link[i, _NEXT], face[n, _OUTSIDE] = face[n, _OUTSIDE], i
            return


@device_no_refs
def _set_plane(point: Floats, face: Ints, plane: Floats, n: int, a: int, b: int, c: int) -> bool:
    """Make a face of three points, with none outside; False for a sliver."""
    face[n, 0], face[n, 1], face[n, 2], face[n, STATE], face[n, _OUTSIDE] = a, b, c, _THERE, -1
    u, v, w = _arm(point, a, b)
    p, q, r = _arm(point, a, c)
    s, t, o = _arm(point, b, c)
    x, y, z = v * r - w * q, w * p - u * r, u * q - v * p
    double = np.sqrt(x * x + y * y + z * z)
    x, y, z = x / double, y / double, z / double
    plane[n, 0], plane[n, 1], plane[n, 2] = x, y, z
    plane[n, 3] = -(x * point[a, 0] + y * point[a, 1] + z * point[a, 2])
    longest = max(u * u + v * v + w * w, p * p + q * q + r * r, s * s + t * t + o * o)
    return bool(double > _SLIVER * longest)


@device_no_refs
def _convex(point: Floats, face: Ints, plane: Floats, link: Ints, count: int, slack: float) -> bool:
    """Whether no face sees a corner of its neighbours, and there are as many as a closed surface has (Euler)."""
    faces = corners = 0
    for f in range(count):
        if face[f, STATE] != _THERE:
            continue
        faces += 1
        for k in range(3):
            corners += link[face[f, k], LEAVING] < 0
            link[face[f, k], LEAVING] = 0
            g = face[f, ACROSS + k]
            for m in range(3):
                if _height(point, plane, f, face[g, m]) > slack:
                    return False
    return faces == 2 * corners - 4


@device_no_refs
def _cone(point: Floats, face: Ints, f: int) -> float:
    """Six times the volume between a face and the first point."""
    u, v, w = _arm(point, face[f, 0], face[f, 1])
    p, q, r = _arm(point, face[f, 0], face[f, 2])
    first, a = point[0], face[f, 0]
    x, y, z = point[a, 0] - first[0], point[a, 1] - first[1], point[a, 2] - first[2]
    return float((v * r - w * q) * x + (w * p - u * r) * y + (u * q - v * p) * z)


@device_no_refs
def _arm(point: Floats, a: int, b: int) -> tuple[float, float, float]:
    return point[b, 0] - point[a, 0], point[b, 1] - point[a, 1], point[b, 2] - point[a, 2]


@device_no_refs
def _height(point: Floats, plane: Floats, f: int, i: int) -> float:
    """How far a point is above a face [m]."""
    x, y, z = point[i, 0], point[i, 1], point[i, 2]
    return float(plane[f, 0] * x + plane[f, 1] * y + plane[f, 2] * z + plane[f, 3])
