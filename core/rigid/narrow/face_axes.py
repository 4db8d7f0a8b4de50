"""Faces as separating axes: how far one part lies beyond a face of the other."""

import numpy as np

from ...geometry.vectors import Vector, dot3, vector
from ...jit import device_no_refs
from ...record_arrays import Record
from ...types import Floats
from .face_clipping import reaches_free_patch
from .face_cover import COVERED, FREE, PARTLY_COVERED, cover_of_face, is_covered
from .frames import transform_point, unrotate_vector
from .owned_parts import BodyPart, OwnedParts

#: An adjacent part that leans this far over a feature sticks out farther than it: it is the one that is touched. By
#: eye: 6 degrees.
COVER = 0.1


@device_no_refs
def write_relative_frame(to: Record, of: Record, frame: Floats) -> None:
    """Write the frame that takes points of body `of` into the material coordinates of body `to`."""
    for i in range(3):
        shift = 0.0
        for j in range(3):
            turn = 0.0
            for k in range(3):
                turn += to.turn[k, i] * of.turn[k, j]
            frame[i, j] = turn
            shift += to.turn[j, i] * (of.origin[j] - to.origin[j])
        frame[3, i] = shift


@device_no_refs
def support_distance(of: Record, vertices: Floats, direction: Vector) -> tuple[float, int]:
    """The corner of a part that is lowest along a direction: its height and its row."""
    best, at = np.inf, -1
    for k in range(of.vertex[0], of.vertex[1]):
        height = dot3(vector(vertices[k]), direction)
        if height < best:
            best, at = height, k
    return best, at


@device_no_refs
def distance_beyond_face(face: Record, of: Record, vertices: Floats, frame: Floats) -> tuple[float, int]:
    """How far part `of`, taken into the face's coordinates by the frame, lies beyond a face, and its lowest corner."""
    normal = vector(face.normal)
    low, at = support_distance(of, vertices, unrotate_vector(frame, normal))
    return low + (dot3(normal, vector(frame[3])) - face.offset), at


@device_no_refs
def face_is_covered(at: int, direction: Vector, of: BodyPart, parts: OwnedParts) -> bool:
    """Whether an adjacent part shares the corner `at` of a part and reaches farther against the direction than it."""
    geometry, owner, shape, body = parts.geometry, parts.owner, of.shape, of.body
    faces, loop, patches = geometry.faces, geometry.loop, geometry.patches
    corner = at - shape.vertex[0]
    for f in range(shape.face[0], shape.face[1]):
        if dot3(direction, vector(faces[f].normal)) >= -COVER:
            continue
        state = cover_of_face(faces[f], patches, owner, body)
        if state == FREE:
            continue
        for k in range(faces[f].loop[0], faces[f].loop[1]):
            if loop[k] == corner:
                point = vector(geometry.vertices[at])
                if state == COVERED or is_covered(point, faces[f], patches, geometry.outline, owner, body):
                    return True
    return False


@device_no_refs
def find_best_face(
    own: BodyPart, of: BodyPart, parts: OwnedParts, frame: Floats, margin: float, points: Floats
) -> tuple[float, int, float]:
    """The face of part `own` beyond which part `of` lies farthest: how far, and its row (-1 where no face is free).

    Last how far `of` lies beyond any face, free or not. Returns at once where it is farther than the margin, then also
    for a face with an adjacent part. The deepest corner of `of`
    under one face is a bound for every other face, which rules out nearly all of them: only those that are not are
    tried with all corners. The first of equal faces wins, in whatever order they are tried.
    A face that is partly covered counts where `of` comes within the margin of a free patch; `points` is scratch.
    """
    geometry, owner, mine, theirs = parts.geometry, parts.owner, own.shape, of.shape
    vertices, faces = geometry.vertices, geometry.faces
    witness = transform_point(frame, vector(theirs.centre))
    start, highest = -1, -np.inf
    for f in range(mine.face[0], mine.face[1]):
        height = dot3(vector(faces[f].normal), witness) - faces[f].offset
        if height > highest:
            highest, start = height, f
    highest -= theirs.radius
    if highest > margin:
        return highest, start, highest
    # Bounds and distances are rounded differently.
    limit, slack, best, found = -np.inf, 1e-9 * theirs.radius, -np.inf, -1
    most = -np.inf
    first = mine.face[0]
    for k in range(first - 1, mine.face[1]):
        f = start if k < first else k
        if k == start or (k >= first and dot3(vector(faces[f].normal), witness) - faces[f].offset < limit):
            continue
        distance, at = distance_beyond_face(faces[f], theirs, vertices, frame)
        if distance > margin:
            return distance, f, distance
        most = max(most, distance)
        if distance < best or (distance == best and f > found):
            continue
        state = cover_of_face(faces[f], geometry.patches, owner, own.body)
        if state == COVERED or face_is_covered(at, unrotate_vector(frame, vector(faces[f].normal)), of, parts):
            continue
        if state == PARTLY_COVERED and not reaches_free_patch(faces[f], own.body, of, parts, frame, margin, points):
            continue
        best, found, limit = distance, f, distance - slack
        witness = transform_point(frame, vector(vertices[at]))
    return best, found, most
