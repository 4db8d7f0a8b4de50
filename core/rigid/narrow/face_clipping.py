"""Where a part meets a face: its polygon that lies on the face, cut by the face's prism, and its corners in there."""

import numpy as np

from ...geometry.vectors import Vector, cross3, dot3, plus, store, vector
from ...jit import device_no_refs
from ...record_arrays import Record, Records
from ...types import Floats, Ints
from ..records import POINTS
from ..shapes.convex_parts import PartGeometry
from .face_cover import COVERED, PARTLY_COVERED, cover_of_face, is_adjacent
from .frames import transform_point, unrotate_vector
from .owned_parts import BodyPart, OwnedParts
from .scratch import FOUND, PLANES, POLYGON, SPARE


@device_no_refs
def height_above_plane(plane: Floats, point: Vector) -> float:
    """Of a point over a plane: three numbers of its normal, and its offset."""
    return float(dot3(vector(plane), point) - plane[3])


@device_no_refs
def write_side_plane(before: Vector, corner: Vector, normal: Vector, tolerance: float, plane: Floats) -> int:
    """Write the plane beside a side of a face, moved outwards by the tolerance; returns 1, or 0 for a shorter side.

    The direction of such a side is not known: the sides next to it bound the face.
    """
    out = cross3(plus(corner, -1.0, before), normal)
    length = np.sqrt(dot3(out, out))
    if length <= tolerance:
        return 0
    store(plane, plus((0.0, 0.0, 0.0), 1 / length, out))
    plane[3] = dot3(out, corner) / length + tolerance
    return 1


@device_no_refs
def write_side_planes(first: int, face: Record, vertices: Floats, loop: Ints, tolerance: float, planes: Floats) -> int:
    """Write the planes of the prism over a face, widened by the tolerance; returns their number."""
    count = 0
    before = vector(vertices[first + loop[face.loop[1] - 1]])
    for k in range(face.loop[0], face.loop[1]):
        corner = vector(vertices[first + loop[k]])
        count += write_side_plane(before, corner, vector(face.normal), tolerance, planes[count])
        before = corner
    return count


@device_no_refs
def write_patch_planes(patch: Record, normal: Vector, outline: Floats, tolerance: float, planes: Floats) -> int:
    """The same over a patch of a face."""
    count = 0
    before = vector(outline[patch.corner[1] - 1])
    for k in range(patch.corner[0], patch.corner[1]):
        corner = vector(outline[k])
        count += write_side_plane(before, corner, normal, tolerance, planes[count])
        before = corner
    return count


@device_no_refs
def clip_polygon(polygon: Floats, count: int, plane: Floats, target: Floats) -> int:
    """Cut a polygon by a plane (Sutherland and Hodgman 1974); returns the number of corners that are left."""
    kept = 0
    last = vector(polygon[count - 1])
    before = height_above_plane(plane, last)
    for k in range(count):
        here = vector(polygon[k])
        after = height_above_plane(plane, here)
        if (before > 0) != (after > 0):
            store(target[kept], plus(last, before / (before - after), plus(here, -1.0, last)))
            kept += 1
        if after <= 0:
            store(target[kept], here)
            kept += 1
        last, before = here, after
    return kept


@device_no_refs
def find_facing_face(of: Record, faces: Records, patches: Records, direction: Vector, owner: Ints, body: int) -> int:
    """The face that looks most against a direction and is free, if partly; -1 where none is."""
    flattest, at = np.inf, -1
    for f in range(of.face[0], of.face[1]):
        slope = dot3(direction, vector(faces[f].normal))
        if slope < flattest and cover_of_face(faces[f], patches, owner, body) != COVERED:
            flattest, at = slope, f
    return at


@device_no_refs
def clip_face(
    of: Record, against: Record, geometry: PartGeometry, frame: Floats, sides: int, points: Floats, face: Record,
    margin: float, have: int,
) -> int:  # fmt: skip
    """Write the polygon of a face of part `of`, cut by the side planes, where it is within the margin of a face.

    The points follow the `have` that were found before; returns how many there are then.
    """
    vertices, loop = geometry.vertices, geometry.loop
    here, there, planes, found = points[POLYGON], points[SPARE], points[PLANES], points[FOUND]
    begin, count = against.loop[0], against.loop[1] - against.loop[0]
    for k in range(count):
        store(here[k], transform_point(frame, vector(vertices[of.vertex[0] + loop[begin + k]])))
    for side in range(sides):
        if count > 0:
            count = clip_polygon(here, count, planes[side], there)
            here, there = there, here
    for k in range(count):
        point = vector(here[k])
        gap = dot3(vector(face.normal), point) - face.offset
        if gap <= margin:
            store(found[have], point)
            found[have, 3] = gap
            have += 1
    return have


@device_no_refs
def clip_against_prism(
    face: Record, of: Record, at: int, geometry: PartGeometry, frame: Floats, sides: int, margin: float,
    points: Floats, have: int,
) -> int:  # fmt: skip
    """Find the points of part `of` within the side planes that meet a face, with their gaps; how many, with the `have`.

    The cut polygon of face `at` of it, and the corners off that face: the corners of a ball meet a floor from several.
    """
    vertices, faces, loop = geometry.vertices, geometry.faces, geometry.loop
    found, planes = points[FOUND], points[PLANES]
    direction = unrotate_vector(frame, vector(face.normal))
    count, begin, end = have, 0, 0
    if at >= 0:
        begin, end = faces[at].loop[0], faces[at].loop[1]
        count = clip_face(of, faces[at], geometry, frame, sides, points, face, margin, have)
    low = face.offset - dot3(vector(face.normal), vector(frame[3]))
    for k in range(of.vertex[0], of.vertex[1]):
        gap = dot3(direction, vector(vertices[k])) - low
        if gap > margin:
            continue
        corner = k - of.vertex[0]
        new = True
        for i in range(begin, end):
            new = new and loop[i] != corner
        point = transform_point(frame, vector(vertices[k]))
        for side in range(sides):
            new = new and height_above_plane(planes[side], point) <= 0
        if new:
            store(found[count], point)
            found[count, 3] = gap
            count += 1
    return count


@device_no_refs
def clip_against_face(
    own: BodyPart, face: Record, of: BodyPart, parts: OwnedParts, frame: Floats, margin: float, tolerance: float,
    points: Floats,
) -> int:  # fmt: skip
    """Find the points of part `of` that meet a face of part `own`, in its coordinates; how many."""
    geometry, owner, shape = parts.geometry, parts.owner, of.shape
    vertices, faces, loop, patches = geometry.vertices, geometry.faces, geometry.loop, geometry.patches
    found, planes = points[FOUND], points[PLANES]
    direction = unrotate_vector(frame, vector(face.normal))
    at = find_facing_face(shape, faces, patches, direction, owner, of.body)
    if cover_of_face(face, patches, owner, own.body) == PARTLY_COVERED:
        count = 0
        for k in range(face.patch[0], face.patch[1]):
            if is_adjacent(patches[k], owner, own.body):
                continue
            sides = write_patch_planes(patches[k], vector(face.normal), geometry.outline, tolerance, planes)
            count = clip_against_prism(face, shape, at, geometry, frame, sides, margin, points, count)
            if count > POINTS:
                keep_widest_points(found, count, vector(face.normal))
                count = POINTS
        return count
    sides = write_side_planes(own.shape.vertex[0], face, vertices, loop, tolerance, planes)
    count = clip_against_prism(face, shape, at, geometry, frame, sides, margin, points, 0)
    if count == 0:
        lowest, deepest = 0.0, -1
        low = face.offset - dot3(vector(face.normal), vector(frame[3]))
        for k in range(shape.vertex[0], shape.vertex[1]):
            gap = dot3(direction, vector(vertices[k])) - low
            if gap < lowest:
                lowest, deepest = gap, k
        if deepest >= 0:
            # They overlap, if only by what edges have to be better than faces.
            store(found[0], transform_point(frame, vector(vertices[deepest])))
            found[0, 3] = lowest
            count = 1
    return count


@device_no_refs
def reaches_free_patch(
    face: Record, body: int, of: BodyPart, parts: OwnedParts, frame: Floats, margin: float, points: Floats
) -> bool:
    """Whether part `of` comes within the margin of a free patch of a face of a body that is partly covered."""
    geometry, owner, shape = parts.geometry, parts.owner, of.shape
    patches, faces, planes = geometry.patches, geometry.faces, points[PLANES]
    direction = unrotate_vector(frame, vector(face.normal))
    for k in range(face.patch[0], face.patch[1]):
        if is_adjacent(patches[k], owner, body):
            continue
        sides = write_patch_planes(patches[k], vector(face.normal), geometry.outline, 0.0, planes)
        for f in range(shape.face[0], shape.face[1]):
            if (
                dot3(direction, vector(faces[f].normal)) >= 0.0
                or cover_of_face(faces[f], patches, owner, of.body) == COVERED
            ):
                continue
            if clip_face(shape, faces[f], geometry, frame, sides, points, face, margin, 0) > 0:
                return True
    return False


@device_no_refs
def keep_widest_points(points: Floats, count: int, normal: Vector) -> None:
    """Bring the POINTS that hold best to the front: deepest, farthest, one to each side, the deepest of the rest.

    A point as high above the deepest as it is far from it is not reached by a small turn: height counts against it.
    """
    side, length = (0.0, 0.0, 0.0), 0.0
    for k in range(min(POINTS, count)):
        at, top = k, -np.inf
        for i in range(k, count):
            away, rise = plus(vector(points[i]), -1.0, vector(points[0])), points[i, 3] - points[0, 3]
            if k == 1:
                score = dot3(away, away) - 2 * rise * rise
            elif k == 2:
                score = dot3(side, away) - length * rise
            elif k == 3:
                score = -dot3(side, away) - length * rise
            else:
                score = -points[i, 3]
            if score > top:
                at, top = i, score
        for axis in range(4):
            points[k, axis], points[at, axis] = points[at, axis], points[k, axis]
        if k == 1:
            side = cross3(normal, plus(vector(points[1]), -1.0, vector(points[0])))
            length = np.sqrt(dot3(side, side))
