"""Faces of parts, divided by what lies behind them.

A splitting plane goes through all of a part, and what lies beyond it may be smaller: of an L cut where its arms meet,
the face of the long arm is covered in one place and open to the world in another one. Such a face is divided into
convex patches: those behind which another part lies, and the rest. A face that one part covers wholly is adjacent
to that part and has no patches.
"""

from collections.abc import Generator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...geometry import packed
from ...geometry.mesh import cross_rows
from ...record_arrays import Records, join_records, read_only_view, zero_records
from ...types import Floats, Ints
from ..records import PATCH
from .convex_parts import ConvexParts, PartGeometry
from .polygon_division import divide_polygon

# Cosine between normals of faces in one plane; 2.6 degrees, chosen: hulls of parts are off by their tolerance.
SAME = 0.999
_PLANE = 1e-6  # distance between planes that are one, in sizes of the face; chosen
_MANY = 200  # faces that are divided without a pause; by time
_SNAP = 1e-9  # distance from a line that counts as none, in sizes of the face; as `SNAP`


class PatchedFace(NamedTuple):
    """A face, and what may lie behind it."""

    row: int
    against: Ints  #: (n,) faces of other parts, of which some lie in the same plane and look the other way
    narrow: float  #: width below which what is left uncovered counts as covered [m]


def divide_faces(shapes: ConvexParts, several: list[PatchedFace]) -> Generator[None, None, ConvexParts]:
    """The same parts, where these faces have an adjacent part, or are divided, or are free if nothing lies behind them.

    Yields after each MANY faces.
    """
    if not several:
        return shapes
    faces, corners = shapes.faces.copy(), _corners_of(shapes.geometry)
    adjacent: list[int] = []
    outlines: list[Floats] = []
    for k, face in enumerate(several):
        if k % _MANY == _MANY - 1:
            yield
        chart = _chart(corners, faces["normal"][face.row], face.row)
        part, behind = _behind(corners, faces, face, chart)
        covered, by, free = divide_polygon(chart.outline, behind, _SNAP * chart.size, face.narrow)
        faces["adjacent"][face.row], faces["patch"][face.row] = -1, 0
        if not covered:
            continue
        area = [_area(polygon) for polygon in covered]
        faces["adjacent"][face.row] = part[by[int(np.argmax(area))]]
        if free or len({part[one] for one in by}) > 1:
            first = len(shapes.patches) + len(adjacent)
            adjacent += [part[one] for one in by] + [-1] * len(free)
            outlines += [_in_space(chart, polygon) for polygon in [*covered, *free]]
            faces["patch"][face.row] = first, len(shapes.patches) + len(adjacent)
    patches, start = (
        zero_records(PATCH, len(adjacent)),
        packed.packed_starts(np.array([len(one) for one in outlines], np.int64)),
    )
    patches.adjacent = adjacent
    patches.corner = np.stack([start[:-1], start[1:]], axis=1) + len(shapes.outline)
    return replace(
        shapes,
        faces=read_only_view(faces),
        patches=read_only_view(join_records([shapes.patches, patches])),
        outline=np.concatenate([shapes.outline, *outlines]),
    )


def face_areas(geometry: PartGeometry) -> Floats:
    """Area of each face [m^2]."""
    if len(geometry.faces) == 0:
        return np.zeros(0)
    start = np.append(geometry.faces.loop[:, 0], len(geometry.loop))
    part = packed.owners(np.append(geometry.parts.face[:, 0], len(geometry.faces)))
    corner = geometry.vertices[geometry.loop + np.repeat(geometry.parts.vertex[part, 0], np.diff(start))]
    arm = corner - np.repeat(corner[start[:-1]], np.diff(start), axis=0)
    double = np.add.reduceat(cross_rows(arm, arm[packed.following(start)]), start[:-1])
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


def _corners_of(geometry: PartGeometry) -> _Corners:
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
    outline: Floats  #: (n,2) corners of the face, counter-clockwise [m]
    size: float  #: [m]


def _chart(corners: _Corners, normal: Floats, face: int) -> _Chart:
    corner = corners.of(face)
    x = corner[1] - corner[0]
    x = x - normal * (normal * x).sum()
    x = x / np.sqrt((x * x).sum())
    flat = _Chart(corner[0], x, cross_rows(normal[None], x[None])[0], np.zeros((0, 2)), 0.0)
    extent = corners.high[face] - corners.low[face]
    size = float(np.sqrt((extent * extent).sum()))
    return flat._replace(outline=_in_plane(flat, corner), size=size)


def _in_plane(chart: _Chart, points: Floats) -> Floats:
    away = points - chart.origin
    return np.stack([(away * chart.x).sum(axis=1), (away * chart.y).sum(axis=1)], axis=1)


def _in_space(chart: _Chart, polygon: Floats) -> Floats:
    x, y = polygon.T
    return np.asarray(chart.origin + x[:, None] * chart.x + y[:, None] * chart.y)


def _behind(corners: _Corners, faces: Records, face: PatchedFace, chart: _Chart) -> tuple[list[int], list[Floats]]:
    """The parts with a face that may lie against this one, and those faces in its chart."""
    slack = _PLANE * chart.size
    own, other = faces[face.row], face.against
    along = (faces["normal"][other] * own["normal"]).sum(axis=1)
    other = other[(along < -SAME) & (np.abs(faces["offset"][other] + own["offset"]) <= slack)]
    low, high = corners.low[face.row] - slack, corners.high[face.row] + slack
    near = other[((corners.low[other] <= high) & (corners.high[other] >= low)).all(axis=1)]
    # seen from the other side
    return corners.part[near].tolist(), [_in_plane(chart, corners.of(f))[::-1] for f in near.tolist()]


def _area(polygon: Floats) -> float:
    """Area of a convex polygon (n,2) [m^2]."""
    (x, y), total = polygon[0].tolist(), 0.0
    for (a, b), (c, d) in pairwise(polygon[1:].tolist()):
        total += (a - x) * (d - y) - (b - y) * (c - x)
    return 0.5 * total
