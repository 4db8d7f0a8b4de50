"""Convex parts with polygonal faces, made of point sets.

Qhull gives triangles; those that lie in one plane become one face. A corner is where three faces or more meet, so
points inside faces and on straight edges drop out, and the corners of a face in order are those of a convex polygon:
sorted by their angle about its middle. Each part is then checked (Euler's formula, each edge between two faces, once
in either sense). One that fails, because details are as small as what counts as one plane, is merged again with a
coarser measure, and in the end becomes the box around its points.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.elementary import arctan2
from ...geometry import packed
from ...geometry.graph import connected_labels
from ...geometry.mesh import cross_rows
from ...record_arrays import zero_records
from ...types import Bools, Floats, Ints
from ..records import FACE_RECORD, PART
from .convex_parts import ConvexParts, no_parts
from .hull_points import ROUND, THIN, PointHull, hulls_of_points

_PLANE = 1e-9  # distance from a plane that still lies in it, in sizes; chosen, well above round-off
_ANGLE = 1e-7  # between normals of faces that are one [rad]; chosen
_COARSER = 30.0  # factor of both for parts that fail; chosen
#: So often: then both are nearly a million times as coarse.
_TRIES = 5


class _Triangles(NamedTuple):
    """The triangles of all hulls, their points numbered through."""

    point: Floats  #: (N,3) about the middle of the hull
    size: Floats  #: (P,)
    part: Ints  #: (T,)
    corner: Ints  #: (T,3)
    neighbour: Ints  #: (T,3)
    plane: Floats  #: (T,4)


class _Faces(NamedTuple):
    """Faces of all parts, their points numbered as in the mesh of all."""

    part: Ints  #: (F,)
    start: Ints  #: (F+1,)
    corner: Ints  #: (H,)
    normal: Floats  #: (F,3)
    edge: Ints  #: (E,4) points v0 < v1, the face that runs from v0 to v1, and the one that runs back
    sound: Bools  #: (P,) parts that are closed


def make_convex_parts(
    point_sets: list[Floats], keep: list[Ints | None] | None = None, rough: float = ROUND
) -> ConvexParts:
    """One convex part for each point set (n,3) [m], n >= 1: its hull; points in `keep` are not rounded away.

    Flat sets get a thickness, and round ones lose corners up to `rough` radii high, as told in `hull_points`. Planes
    bound the corners of their face: all lie on it within round-off and none above. No face has an adjacent part. Raises
    ValueError for a set without points.
    """
    if not point_sets:
        return no_parts()
    hulls = hulls_of_points(point_sets, keep, rough)
    labelled, middle = _joined(hulls), np.array([hull.middle for hull in hulls])
    measure = np.full(len(hulls), 1.0)
    faces = _faces(labelled, measure)
    for _ in range(_TRIES):
        if faces.sound.all():
            break
        measure[~faces.sound] *= _COARSER
        faces = _faces(labelled, measure)
    if not faces.sound.all():
        hulls = [
            hull if sound else hulls_of_points([_box(hull)])[0] for hull, sound in zip(hulls, faces.sound, strict=True)
        ]
        labelled, middle = _joined(hulls), np.array([hull.middle for hull in hulls])
        faces = _faces(labelled, np.where(faces.sound, measure, 1.0))
    return _packed(labelled, faces, middle)


def _box(hull: PointHull) -> Floats:
    """The corners of the box around a hull, nowhere thinner than what counts as flat."""
    points = hull.points + hull.middle
    low, high = points.min(axis=0), points.max(axis=0)
    slack = np.maximum(0.0, 10.0 * THIN * hull.size - (high - low))
    ends = np.stack([low - 0.5 * slack, high + 0.5 * slack])
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def _joined(hulls: list[PointHull]) -> _Triangles:
    points = packed.packed_starts(np.array([len(hull.points) for hull in hulls]))
    triangles = packed.packed_starts(np.array([len(hull.corner) for hull in hulls]))
    return _Triangles(
        point=np.concatenate([hull.points for hull in hulls]),
        size=np.array([hull.size for hull in hulls]),
        part=packed.owners(triangles),
        corner=np.concatenate([hull.corner + first for hull, first in zip(hulls, points[:-1], strict=True)]),
        neighbour=np.concatenate([hull.neighbour + first for hull, first in zip(hulls, triangles[:-1], strict=True)]),
        plane=np.concatenate([hull.plane for hull in hulls]),
    )


def _faces(labelled: _Triangles, measure: Floats) -> _Faces:
    """Triangles in one plane as faces, with the corners at which three of them meet."""
    face = _planar(labelled, measure[labelled.part])
    count = int(face.max()) + 1
    area = 0.5 * np.sqrt(np.square(_vectors(labelled.point, labelled.corner)).sum(axis=1))
    largest = np.lexsort((-area, face))
    largest = largest[np.searchsorted(face[largest], np.arange(count))]
    part, reference = labelled.part[largest], labelled.plane[largest, :3]
    owner, point = _corners(face, labelled.corner, len(labelled.point))
    owner, point = _in_order(owner, point, labelled.point, reference)
    row = _canonical(owner, point, part)
    part, reference = part[row], reference[row]
    place = np.empty(count, np.int64)
    place[row] = np.arange(count)
    order = np.argsort(place[owner], kind="stable")
    owner, point = place[owner[order]], point[order]
    each = np.bincount(owner, minlength=count)
    start = packed.packed_starts(each)
    normal = _normals(labelled.point, start, point, reference)
    edge, torn = _edges(start, point)
    sound = np.ones(len(labelled.size), np.bool_)
    sound[part[each < 3]] = False
    sound[part[torn]] = False
    corners = np.zeros(len(labelled.point), np.bool_)
    corners[point] = True
    part_of = np.empty(len(labelled.point), np.int64)
    part_of[labelled.corner] = labelled.part[:, None]
    parts = len(labelled.size)
    vertices = np.bincount(part_of[corners], minlength=parts)
    edges = np.bincount(part[edge[:, 2]], minlength=parts)
    sound &= vertices - edges + np.bincount(part, minlength=parts) == 2
    return _Faces(part, start, point, normal, edge, sound)


def _planar(labelled: _Triangles, measure: Floats) -> Ints:
    """Face (T,) of each triangle: neighbours are one where normals agree or both lie in the plane of the other.

    The plane of a sliver means nothing: it joins the largest of the larger neighbours in whose planes it lies, and no
    other, or it would join neighbours that are not in one plane.
    """
    count = len(labelled.part)
    first, second = np.repeat(np.arange(count), 3), labelled.neighbour.reshape(-1)
    turn = np.abs(labelled.plane[first, :3] - labelled.plane[second, :3]).max(axis=1)
    out = _departure(labelled, second, first)  # of each triangle from the plane of its neighbour
    back = _departure(labelled, first, second)
    near = _PLANE * labelled.size[labelled.part[first]] * measure[first]
    one = (turn <= _ANGLE * measure[first]) | (np.maximum(out, back) <= near)
    area = np.square(_vectors(labelled.point, labelled.corner)).sum(axis=1)
    held = np.where((area[second] > area[first]) & (out <= near), area[second], 0.0).reshape(-1, 3)
    best = 3 * np.arange(count) + held.argmax(axis=1)
    tied = (one & (area[second] > area[first])).reshape(-1, 3).any(axis=1)
    links = np.concatenate([np.flatnonzero(one), best[~tied & (held.max(axis=1) > 0.0)]])
    return connected_labels(count, np.stack([first[links], second[links]], axis=1))


def _departure(labelled: _Triangles, plane: Ints, triangle: Ints) -> Floats:
    """How far the corners of the triangles are from the planes of others, at most."""
    p = labelled.plane[plane]
    far = np.zeros(len(plane))
    for k in range(3):
        q = labelled.point[labelled.corner[triangle, k]]
        np.maximum(far, np.abs(p[:, 0] * q[:, 0] + p[:, 1] * q[:, 1] + p[:, 2] * q[:, 2] + p[:, 3]), out=far)
    return far


def _vectors(point: Floats, corner: Ints) -> Floats:
    a, b, c = (point[corner[:, k]] for k in range(3))
    return cross_rows(b - a, c - a)


def _corners(face: Ints, corner: Ints, points: int) -> tuple[Ints, Ints]:
    """Pairs of face and point where at least three faces meet."""
    pairs = np.unique(np.repeat(face, 3) * points + corner.reshape(-1))
    owner, point = pairs // points, pairs % points
    true = np.bincount(point, minlength=points)[point] >= 3
    return owner[true], point[true]


def _in_order(owner: Ints, point: Ints, place: Floats, normal: Floats) -> tuple[Ints, Ints]:
    """The corners of each face counter-clockwise about its normal; the lowest point comes first."""
    if len(owner) == 0:
        return owner, point
    count = np.maximum(np.bincount(owner, minlength=len(normal)), 1)
    middle = np.stack([np.bincount(owner, place[point, k], len(normal)) / count for k in range(3)], axis=1)
    arm = place[point] - middle[owner]
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    x = np.zeros(normal.shape)  # the axis of angle zero: towards the first corner
    x[owner[first]] = arm[first]
    x -= normal * (normal * x).sum(axis=1)[:, None]
    y = cross_rows(normal, x)
    angle = arctan2((y[owner] * arm).sum(axis=1), (x[owner] * arm).sum(axis=1))
    angle = np.where(angle < 0.0, angle + 2.0 * np.pi, angle)
    angle[first] = -1.0
    order = np.lexsort((angle, owner))
    return owner[order], point[order]


def _canonical(owner: Ints, point: Ints, part: Ints) -> Ints:
    """The faces sorted by their part and first three corners: Qhull's own order hangs on round-off."""
    first = np.searchsorted(owner, np.arange(len(part)))
    corner = [np.append(point, -1)[np.minimum(first + k, len(point))] for k in (2, 1, 0)]
    return np.asarray(np.lexsort((*corner, part)), np.int64)


def _normals(place: Floats, start: Ints, corner: Ints, reference: Floats) -> Floats:
    """Unit normal of each face by Newell's sum; where it says nothing, that of its largest triangle."""
    n = np.zeros(reference.shape)
    full = np.flatnonzero(np.diff(start) > 0)
    if len(full):
        base = place[corner[start[full]]]
        owner = packed.owners(start)
        origin = np.zeros(reference.shape)
        origin[full] = base
        p = place[corner] - origin[owner]
        q = p[packed.following(np.append(start[full], start[-1]))]
        n[full] = np.add.reduceat(cross_rows(p, q), start[full])
    length = np.sqrt(np.square(n).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        n /= length[:, None]
    good = (n * reference).sum(axis=1) > 0.5
    return np.where(good[:, None], n, reference)


def _edges(start: Ints, corner: Ints) -> tuple[Ints, Ints]:
    """The edges (E,4), sorted, and the faces that have one without exactly one other face on its other side."""
    owner = packed.owners(start)
    full = np.append(start[:-1][np.diff(start) > 0], start[-1])
    a, b = corner, corner[packed.following(full)] if len(corner) else corner
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((a > b, high, low))
    low, high, forward, owner = low[order], high[order], (a < b)[order], owner[order]
    new = np.flatnonzero((np.diff(low, prepend=-1) != 0) | (np.diff(high, prepend=-1) != 0))
    uses = np.diff(np.append(new, len(low)))
    second = np.minimum(new + 1, len(low) - 1)
    good = (uses == 2) & forward[new] & ~forward[second]
    bad = np.repeat(~good, uses)
    edge = np.stack([low[new], high[new], owner[new], owner[second]], axis=1)
    return edge, owner[bad]


def _packed(labelled: _Triangles, faces: _Faces, middle: Floats) -> ConvexParts:
    """The records, with points numbered within their parts."""
    count = len(middle)
    used = np.zeros(len(labelled.point), np.bool_)
    used[faces.corner] = True
    part_of = np.empty(len(labelled.point), np.int64)
    part_of[faces.corner] = faces.part[packed.owners(faces.start)]
    number = np.cumsum(used) - 1
    part_of = part_of[used]
    vertex = np.searchsorted(part_of, np.arange(count + 1))
    face = np.searchsorted(faces.part, np.arange(count + 1))
    edge_part = faces.part[faces.edge[:, 2]]
    edge = np.searchsorted(edge_part, np.arange(count + 1))
    local = labelled.point[used]
    place = local + middle[part_of]
    parts, records = zero_records(PART, count), zero_records(FACE_RECORD, len(faces.part))
    for row, start in ((parts.vertex, vertex), (parts.face, face), (parts.edge, edge)):
        row[:, 0], row[:, 1] = start[:-1], start[1:]
    low, high = np.minimum.reduceat(local, vertex[:-1]), np.maximum.reduceat(local, vertex[:-1])
    centre = 0.5 * (low + high)
    parts.centre = centre + middle
    away = np.sqrt(np.square(place - parts.centre[part_of]).sum(axis=1))
    parts.radius = np.maximum.reduceat(away, vertex[:-1])
    records.normal = faces.normal
    records.loop[:, 0], records.loop[:, 1] = faces.start[:-1], faces.start[1:]
    corner = number[faces.corner]
    records.offset = offsets(faces.normal, faces.start, place[corner])
    records.adjacent = -1
    loop = corner - vertex[faces.part[packed.owners(faces.start)]]
    edges = np.concatenate(
        [number[faces.edge[:, :2]] - vertex[edge_part, None], faces.edge[:, 2:] - face[edge_part, None]], axis=1
    )
    return ConvexParts(parts, place, records, loop, edges)


def offsets(normal: Floats, start: Ints, corner: Floats) -> Floats:
    """The largest n . x over the corners (H,3) of each face, which `start (F+1,)` bounds."""
    n = normal[packed.owners(start)]
    along = n[:, 0] * corner[:, 0] + n[:, 1] * corner[:, 1] + n[:, 2] * corner[:, 2]
    return np.asarray(np.maximum.reduceat(along, start[:-1]))
