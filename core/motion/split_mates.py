"""Which part lies beyond each face that a splitting plane made, so that parts of one solid do not push each other."""

from dataclasses import replace

import numpy as np

from ..types import Floats, Ints
from .decomposition import SNAP, Split
from .hull_points import heights
from .records import Records, sealed
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
    reach = parts.radius[:, None]
    size = (parts.centre + reach).max(axis=0) - (parts.centre - reach).min(axis=0)
    slack = ON * float(np.sqrt((size**2).sum()))
    side_of = np.zeros((len(parts), len(split.plane)), np.int64)
    for k, sides in enumerate(split.sides):
        for plane, side in sides:
            side_of[k, plane] = side
    found: tuple[list[int], list[int]] = ([], [])
    for k in range(len(parts)):
        own = slice(int(parts.face[k, 0]), int(parts.face[k, 1]))
        planes = np.flatnonzero(side_of[k])
        aligned = -heights(geometry.faces.normal[own], split.plane[planes, :3]) * side_of[k, planes]
        for f, p in zip(*(axis.tolist() for axis in np.nonzero(aligned > SAME)), strict=True):
            plane = int(planes[p])
            corner = _corners(geometry, parts[k], own.start + f)
            if np.abs((corner * split.plane[plane, :3]).sum(axis=1) - split.plane[plane, 3]).max() > slack:
                continue
            others = np.flatnonzero(side_of[:, plane] == -side_of[k, plane])
            if len(others):
                found[0].append(own.start + f)
                found[1].append(first + int(others[_holder(geometry, parts[others], corner.mean(axis=0))]))
    return found


def _holder(geometry: Geometry, parts: Records, point: Floats) -> int:
    """Which of the parts holds a point best: of those whose spheres hold it most, the one of the least height."""
    away = np.sqrt(((parts.centre - point) ** 2).sum(axis=1)) / parts.radius
    near = np.argsort(away, kind="stable")[:4]
    height = []
    for k in near:
        faces = geometry.faces[slice(*parts[k].face.tolist())]
        height.append(float(((faces.normal * point).sum(axis=1) - faces.offset).max()))
    return int(near[int(np.argmin(height))])


def _corners(geometry: Geometry, part: Records, face: int) -> Floats:
    begin, end = geometry.faces.loop[face]
    return np.asarray(geometry.vertices[part.vertex[0] + geometry.loop[begin:end]])


def on_planes(points: Floats, planes: Floats, slack: float) -> Ints:
    """Rows of the points (n,3) that lie within `slack` [m] of one of the planes (K,4) of unit normal and offset."""
    away = np.abs(heights(points, planes[:, :3]) - planes[:, 3])
    return np.flatnonzero((away <= slack).any(axis=1))
