"""Faces of parts, divided by what lies behind them.

A splitting plane goes through all of a part, and what lies beyond it may be smaller: of an L cut where its arms meet,
the face of the long arm is covered in one place and open to the world in another one. Such a face is divided into
convex patches: those behind which another part lies, and the rest. A face that one part covers wholly has that part
as its mate and no patches.
"""

import math
from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..cells import packed
from ..geometry.mesh import cross
from ..types import Floats, Ints
from .records import PATCH, Records, empty, joined_records, sealed
from .shapes import Geometry, Shapes

SAME = 0.999  # cosine between normals of faces in one plane
PLANE = 1e-6  # distance between planes that are one, in sizes of the face
MANY = 200  # faces that are divided without a pause
SNAP = 1e-9  # distance from a line that counts as none, in sizes of the face

#: A convex polygon in the plane of a face, counter-clockwise: corners [m].
Polygon = list[tuple[float, float]]
#: a x + b y <= c within.
Line = tuple[float, float, float]


class Face(NamedTuple):
    """A face, and what may lie behind it."""

    row: int
    against: Ints  #: (n,) faces of other parts, of which some lie in the same plane and look the other way
    narrow: float  #: width below which what is left uncovered counts as covered [m]


def with_patches(shapes: Shapes, several: list[Face]) -> Generator[None, None, Shapes]:
    """The same parts, where these faces have a mate, or are divided, or are free if nothing lies behind them.

    Yields after each MANY faces.
    """
    if not several:
        return shapes
    faces, corners = shapes.faces.copy(), _corners_of(shapes.geometry)
    mates: list[int] = []
    outlines: list[Floats] = []
    for k, face in enumerate(several):
        if k % MANY == MANY - 1:
            yield
        chart = _chart(corners, faces["normal"][face.row], face.row)
        covered, free = _divided(chart.outline, _behind(corners, faces, face, chart), SNAP * chart.size, face.narrow)
        faces["mate"][face.row], faces["patch"][face.row] = -1, 0
        if not covered:
            continue
        area = [_area(polygon) for _, polygon in covered]
        faces["mate"][face.row] = covered[int(np.argmax(area))][0]
        if free or len({mate for mate, _ in covered}) > 1:
            first = len(shapes.patches) + len(mates)
            mates += [mate for mate, _ in covered] + [-1] * len(free)
            outlines += [_in_space(chart, polygon) for polygon in [*(polygon for _, polygon in covered), *free]]
            faces["patch"][face.row] = first, len(shapes.patches) + len(mates)
    patches, start = empty(PATCH, len(mates)), packed.starts(np.array([len(one) for one in outlines], np.int64))
    patches.mate = mates
    patches.corner = np.stack([start[:-1], start[1:]], axis=1) + len(shapes.outline)
    return replace(
        shapes,
        faces=sealed(faces),
        patches=sealed(joined_records([shapes.patches, patches])),
        outline=np.concatenate([shapes.outline, *outlines]),
    )


def face_areas(geometry: Geometry) -> Floats:
    """Area of each face [m^2]."""
    if len(geometry.faces) == 0:
        return np.zeros(0)
    start = np.append(geometry.faces.loop[:, 0], len(geometry.loop))
    part = packed.owners(np.append(geometry.parts.face[:, 0], len(geometry.faces)))
    corner = geometry.vertices[geometry.loop + np.repeat(geometry.parts.vertex[part, 0], np.diff(start))]
    arm = corner - np.repeat(corner[start[:-1]], np.diff(start), axis=0)
    double = np.add.reduceat(cross(arm, arm[packed.following(start)]), start[:-1])
    return np.asarray(0.5 * np.sqrt((double * double).sum(axis=1)))


class _Corners(NamedTuple):
    """The corners of all faces, and the boxes around these."""

    start: list[int]  #: F+1
    place: Floats  #: (H,3)
    low: Floats  #: (F,3)
    high: Floats  #: (F,3)
    part: Ints  #: (F,) to which the faces belong

    def of(self, face: int) -> Floats:
        return self.place[self.start[face] : self.start[face + 1]]


def _corners_of(geometry: Geometry) -> _Corners:
    start = np.append(geometry.faces.loop[:, 0], len(geometry.loop))
    part = packed.owners(np.append(geometry.parts.face[:, 0], len(geometry.faces)))
    place = geometry.vertices[geometry.loop + np.repeat(geometry.parts.vertex[part, 0], np.diff(start))]
    low, high = (extreme.reduceat(place, start[:-1]) for extreme in (np.minimum, np.maximum))
    return _Corners(start.tolist(), place, low, high, part)


class _Chart(NamedTuple):
    """The plane of a face with axes in it."""

    origin: Floats
    x: Floats  #: (3,)
    y: Floats
    outline: Polygon  #: of the face
    size: float  #: [m]


def _chart(corners: _Corners, normal: Floats, face: int) -> _Chart:
    corner = corners.of(face)
    x = corner[1] - corner[0]
    x = x - normal * (normal * x).sum()
    x = x / np.sqrt((x * x).sum())
    flat = _Chart(corner[0], x, cross(normal[None], x[None])[0], [], 0.0)
    extent = corners.high[face] - corners.low[face]
    size = float(np.sqrt((extent * extent).sum()))
    return flat._replace(outline=_in_plane(flat, corner), size=size)


def _in_plane(chart: _Chart, points: Floats) -> Polygon:
    away = points - chart.origin
    return list(zip((away * chart.x).sum(axis=1).tolist(), (away * chart.y).sum(axis=1).tolist(), strict=True))


def _in_space(chart: _Chart, polygon: Polygon) -> Floats:
    x, y = np.array(polygon).T
    return np.asarray(chart.origin + x[:, None] * chart.x + y[:, None] * chart.y)


def _behind(corners: _Corners, faces: Records, face: Face, chart: _Chart) -> list[tuple[int, Polygon]]:
    """The parts with a face that may lie against this one, and those faces in its chart."""
    slack = PLANE * chart.size
    own, other = faces[face.row], face.against
    along = (faces["normal"][other] * own["normal"]).sum(axis=1)
    other = other[(along < -SAME) & (np.abs(faces["offset"][other] + own["offset"]) <= slack)]
    low, high = corners.low[face.row] - slack, corners.high[face.row] + slack
    near = other[((corners.low[other] <= high) & (corners.high[other] >= low)).all(axis=1)]
    # seen from the other side
    return [(int(corners.part[f]), _in_plane(chart, corners.of(f))[::-1]) for f in near.tolist()]


def _divided(
    outline: Polygon, behind: list[tuple[int, Polygon]], snap: float, narrow: float
) -> tuple[list[tuple[int, Polygon]], list[Polygon]]:
    """What of a polygon lies before others, with their numbers, and the rest of it."""
    covered: list[tuple[int, Polygon]] = []
    free = [outline]
    for number, other in behind:
        lines, rest = _lines(other), []
        for polygon in free:
            common = polygon
            for line in lines:
                common = _halves(common, line, snap)[0]
            if _width(common) <= max(snap, 1e-3 * narrow):
                rest.append(polygon)
                continue
            covered.append((number, common))
            rest += _outside(polygon, lines, snap, narrow)
        free = rest
    return covered, [polygon for polygon in free if _width(polygon) > narrow]


def _outside(polygon: Polygon, lines: list[Line], snap: float, narrow: float) -> list[Polygon]:
    """What of a polygon lies beyond one of the lines, as convex polygons."""
    found = []
    for line in lines:
        polygon, beyond = _halves(polygon, line, snap)
        if _width(beyond) > narrow:
            found.append(beyond)
    return found


def _lines(polygon: Polygon) -> list[Line]:
    """The lines along the sides of a polygon."""
    lines = []
    for (x, y), (u, v) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        a, b = v - y, x - u
        length = math.sqrt(a * a + b * b)
        if length > 0.0:
            lines.append((a / length, b / length, (a * x + b * y) / length))
    return lines


def _halves(polygon: Polygon, line: Line, snap: float) -> tuple[Polygon, Polygon]:
    """What of a convex polygon lies within a line, and what lies beyond it; corners near the line lie on it."""
    a, b, c = line
    height = [a * x + b * y - c for x, y in polygon]
    within: Polygon = []
    beyond: Polygon = []
    for k, (p, h) in enumerate(zip(polygon, height, strict=True)):
        if h <= snap:
            within.append(p)
        if h >= -snap:
            beyond.append(p)
        q, g = polygon[(k + 1) % len(polygon)], height[(k + 1) % len(polygon)]
        if (h > snap and g < -snap) or (h < -snap and g > snap):
            t = h / (h - g)
            point = (p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]))
            within.append(point)
            beyond.append(point)
    return within, beyond


def _area(polygon: Polygon) -> float:
    if len(polygon) < 3:
        return 0.0
    (x, y), total = polygon[0], 0.0
    for (a, b), (c, d) in pairwise(polygon[1:]):
        total += (a - x) * (d - y) - (b - y) * (c - x)
    return 0.5 * total


def _width(polygon: Polygon) -> float:
    """About how wide a convex polygon is where it is the narrowest: its area over its longest diagonal or side."""
    if len(polygon) < 3:
        return 0.0
    longest = max((x - u) * (x - u) + (y - v) * (y - v) for x, y in polygon for u, v in polygon)
    return _area(polygon) / math.sqrt(longest) if longest > 0.0 else 0.0
