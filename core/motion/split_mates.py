"""Which part lies beyond each face that a splitting plane made, so that parts of one solid do not push each other."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..types import Floats, Ints
from .decomposition import SNAP, Split
from .hull_points import heights
from .records import sealed
from .shapes import Geometry, Shapes

SAME = 0.999  # cosine between the normals of a face and of the plane that made it
ON = 4.0 * SNAP  # distance of a face's corners from the plane that made it, in sizes of the solid


def with_split_mates(shapes: Shapes, splits: list[tuple[int, Split]]) -> Shapes:
    """The same parts, where faces on splitting planes have a mate: the part beyond that holds their middle best.

    `splits`: the first part of each solid that was split, whose parts follow each other, and how it was split.
    """
    faces = shapes.faces.copy()
    for first, split in splits:
        if len(split.points) > 1:
            face, mate = _mates(shapes.geometry, first, split)
            faces["mate"][face] = mate
    return replace(shapes, faces=sealed(faces))


def _mates(geometry: Geometry, first: int, split: Split) -> tuple[list[int], list[int]]:
    """Faces on the splitting planes of one solid, and their mates."""
    parts = geometry.parts[first : first + len(split.points)]
    balls, faces = _Balls(parts.centre, parts.radius), geometry.faces
    reach = balls.radius[:, None]
    size = (balls.centre + reach).max(axis=0) - (balls.centre - reach).min(axis=0)
    slack = ON * float(np.sqrt((size**2).sum()))
    side_of = np.zeros((len(parts), len(split.plane)), np.int64)
    for k, sides in enumerate(split.sides):
        for plane, side in sides:
            side_of[k, plane] = side
    normal, offset, loop, range_of, first_vertex = (
        faces.normal,
        faces.offset,
        faces.loop,
        parts.face,
        parts.vertex[:, 0],
    )
    found: tuple[list[int], list[int]] = ([], [])
    for k in range(len(parts)):
        own = slice(int(range_of[k, 0]), int(range_of[k, 1]))
        planes = np.flatnonzero(side_of[k])
        aligned = -heights(normal[own], split.plane[planes, :3]) * side_of[k, planes]
        for f, p in zip(*(axis.tolist() for axis in np.nonzero(aligned > SAME)), strict=True):
            plane = int(planes[p])
            begin, end = loop[own.start + f]
            corner = geometry.vertices[first_vertex[k] + geometry.loop[begin:end]]
            if np.abs((corner * split.plane[plane, :3]).sum(axis=1) - split.plane[plane, 3]).max() > slack:
                continue
            others = np.flatnonzero(side_of[:, plane] == -side_of[k, plane])
            if len(others):
                found[0].append(own.start + f)
                found[1].append(first + _holder(balls, range_of, normal, offset, others, corner.mean(axis=0)))
    return found


class _Balls(NamedTuple):
    """What holds each part."""

    centre: Floats
    radius: Floats


def _holder(balls: _Balls, range_of: Ints, normal: Floats, offset: Floats, others: Ints, point: Floats) -> int:
    """Which of the parts holds a point best: of those whose spheres hold it most, the one of the least height."""
    if len(others) == 1:
        return int(others[0])
    away = np.sqrt(((balls.centre[others] - point) ** 2).sum(axis=1)) / balls.radius[others]
    near = others[np.argsort(away, kind="stable")[:4]]
    height = []
    for begin, end in range_of[near].tolist():
        height.append(float(((normal[begin:end] * point).sum(axis=1) - offset[begin:end]).max()))
    return int(near[int(np.argmin(height))])


def on_planes(points: Floats, planes: Floats, slack: float) -> Ints:
    """Rows of the points (n,3) that lie within `slack` [m] of one of the planes (K,4) of unit normal and offset."""
    away = np.abs(heights(points, planes[:, :3]) - planes[:, 3])
    return np.flatnonzero((away <= slack).any(axis=1))
