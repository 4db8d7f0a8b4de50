"""Which parts lie beyond each face that a splitting plane made, so that parts of one solid do not push each other."""

from collections import defaultdict
from collections.abc import Generator

import numpy as np

from ...arithmetic.products import norm
from ...types import Floats, Ints
from .convex_parts import ConvexParts, PartGeometry
from .decomposition import SNAP, Decomposition
from .face_patches import SAME, PatchedFace, divide_faces
from .hull_points import heights_along

# Distance of a face's corners from the plane that made it, in sizes of the solid; chosen: what counts as on it when it
# is made, with room.
ON = 4.0 * SNAP
NARROW = 0.1  # of what hulls may be off: what of a face is left uncovered counts if it is wider; by eye


def with_split_adjacency(
    shapes: ConvexParts, splits: list[tuple[int, Decomposition, float]]
) -> Generator[None, None, ConvexParts]:
    """The same parts, where faces on splitting planes have an adjacent part or are divided, see `face_patches`.

    `splits`: the first part of each solid that was split, whose parts follow each other, how it was split, and the
    gap [m] that its parts might have.
    """
    found = [
        face
        for first, split, tolerance in splits
        if len(split.points) > 1
        for face in _faces(shapes.geometry, first, split, tolerance)
    ]
    return (yield from divide_faces(shapes, found))


def _faces(geometry: PartGeometry, first: int, split: Decomposition, tolerance: float) -> list[PatchedFace]:
    """Faces on the splitting planes of one solid, and the parts beyond those planes."""
    parts = geometry.parts[first : first + len(split.points)]
    reach = parts.radius[:, None]
    size = (parts.centre + reach).max(axis=0) - (parts.centre - reach).min(axis=0)
    slack = ON * float(norm(size))
    side_of = np.zeros((len(parts), len(split.plane)), np.int64)
    for k, sides in enumerate(split.sides):
        for plane, side in sides:
            side_of[k, plane] = side
    normal, loop, range_of = geometry.faces.normal, geometry.faces.loop, parts.face
    on: dict[tuple[int, int], list[int]] = defaultdict(list)  # faces of each plane and each side of it
    for k in range(len(parts)):
        own = slice(int(range_of[k, 0]), int(range_of[k, 1]))
        planes = np.flatnonzero(side_of[k])
        aligned = -heights_along(normal[own], split.plane[planes, :3]) * side_of[k, planes]
        for f, p in zip(*(axis.tolist() for axis in np.nonzero(aligned > SAME)), strict=True):
            plane = int(planes[p])
            begin, end = loop[own.start + f]
            corner = geometry.vertices[parts.vertex[k, 0] + geometry.loop[begin:end]]
            if np.abs((corner * split.plane[plane, :3]).sum(axis=1) - split.plane[plane, 3]).max() <= slack:
                on[plane, int(side_of[k, plane])].append(own.start + f)
    return [
        PatchedFace(face, np.array(on[plane, -side], np.int64), NARROW * tolerance)
        for plane, side in sorted(on)
        for face in on[plane, side]
    ]


def on_planes(points: Floats, planes: Floats, slack: float) -> Ints:
    """Rows of the points (n,3) that lie within `slack` [m] of one of the planes (K,4) of unit normal and offset."""
    away = np.abs(heights_along(points, planes[:, :3]) - planes[:, 3])
    return np.flatnonzero((away <= slack).any(axis=1))
