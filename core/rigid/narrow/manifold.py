"""The narrow phase of one pair of parts."""

import numpy as np

from ...geometry.vectors import Vector, dot3, plus, store, vector
from ...jit import device_inlined, device_no_refs, njit_no_refs
from ...record_arrays import Record, Records
from ...types import Floats
from ..records import EDGE_PAIR, FACE_A, FACE_B, POINTS
from .edge_axes import edge_crossing, edge_separation, find_best_edges, gather_edges, write_axis
from .face_axes import distance_beyond_face, find_best_face, write_relative_frame
from .face_clipping import clip_against_face, keep_widest_points
from .frames import rotate_vector
from .owned_parts import BodyPart, OwnedParts
from .scratch import A_TO_A, A_TO_B, B_TO_A, FOUND, Scratch

#: Edges must lie so much farther apart than faces to be the axis, in slops; faces of b than those of a. As on the
#: prototype (docs/decisions.md, Motion).
FAVOUR = 0.2
#: An axis along which parts overlap so much more than along the best one, free or not, is none. By eye.
_TWICE = 2.0
#: Parts that overlap more, in slops, have their axis looked for each time: another one may have become the better. By
#: eye.
_DEEP = 10.0
#: Faces whose normals have a smaller product lie flat on each other. 1.8 degrees, as on the prototype.
_FLAT = -0.9995
#: The prism of a face is wider by this, in slops and in radii of the smaller part: equal corners lie inside. Chosen.
_WIDER, _ROUND_OFF = 1e-3, 1e-9


@device_no_refs
def write_in_world(body: Record, point: Vector) -> Vector:
    """A point of a body, given in material coordinates."""
    return plus(rotate_vector(body.turn, point), 1.0, vector(body.origin))


@device_no_refs
def axis_gap(pair: Record, p: BodyPart, q: BodyPart, parts: OwnedParts, frames: Floats, rows: Floats) -> float:
    """How far two parts lie apart along the axis that separated them last: no more than they are apart."""
    i, j = pair.axis[1], pair.axis[2]
    vertices, faces = parts.geometry.vertices, parts.geometry.faces
    if pair.axis[0] == FACE_A:
        return distance_beyond_face(faces[p.shape.face[0] + i], q.shape, vertices, frames[B_TO_A])[0]
    if pair.axis[0] == FACE_B:
        return distance_beyond_face(faces[q.shape.face[0] + j], p.shape, vertices, frames[A_TO_B])[0]
    write_axis(p, p.shape.edge[0] + i, parts, frames[A_TO_A], rows[0])
    write_axis(q, q.shape.edge[0] + j, parts, frames[B_TO_A], rows[1])
    return edge_separation(p.shape, q.shape, rows[0], rows[1], vertices, frames[B_TO_A])


@device_no_refs
def face_contact(pair: Record, own: Record, face: Record, sign: float, points: Floats, count: int) -> None:
    """Write the points that meet a face of body `own`, a with sign -1, b with 1."""
    normal = vector(face.normal)
    if count > POINTS:
        keep_widest_points(points, count, normal)
    pair.count = min(count, POINTS)
    outwards = rotate_vector(own.turn, normal)
    store(pair.normal, plus((0.0, 0.0, 0.0), sign, outwards))
    for k in range(pair.count):
        gap = points[k, 3]
        pair.gap[k] = gap
        point = write_in_world(own, vector(points[k]))
        foot = plus(point, -gap, outwards)
        store(pair.point[k, 0], foot if sign < 0 else point)
        store(pair.point[k, 1], point if sign < 0 else foot)


@device_no_refs
def edge_contact(pair: Record, a: Record, one: Floats, two: Floats) -> None:
    """Write the one point in which two edges meet."""
    distance, axis, u, v = edge_crossing(one, two)
    pair.count = 1
    pair.gap[0] = distance
    store(pair.normal, plus((0.0, 0.0, 0.0), -1.0, rotate_vector(a.turn, axis)))
    store(pair.point[0, 0], write_in_world(a, plus(vector(one[0]), min(max(u, 0.0), 1.0), vector(one[1]))))
    store(pair.point[0, 1], write_in_world(a, plus(vector(two[0]), min(max(v, 0.0), 1.0), vector(two[1]))))


@device_inlined
def is_plausible(gap: float, most: float, slop: float) -> bool:
    """Whether a gap along a free axis is one: the parts lie `most` apart along some face, free or not.

    Where another part of its body lies against that face, or one of the other body covers the corner below it, that
    part is what touches. The next best axis may then lead through a whole part to its far side: no overlap, although
    it looks like one.
    """
    return gap >= _TWICE * min(most, 0.0) - slop


@device_no_refs
def find_manifold(
    pair: Record, bodies: Records, parts: OwnedParts, margin: float, slop: float, again: bool, scratch: Scratch
) -> None:
    """Find where two convex parts touch, or that they are farther apart than `margin` [m] (then `pair.count` is 0).

    Fills `count`, `normal`, `gap` and `point` of the pair, and `axis` for the next call. With `slop` [m], the depth
    that the solver allows, edges must separate the parts better by a fifth of it than faces do: a single point holds
    less than a face.
    The result depends on what `axis` was only in time, except where a pair is looked at `again`: then the parts touch
    along that axis, as long as they meet there and do not overlap by more than DEEP slops.

    References
    ----------
    Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013; "Robust Contact Creation", GDC 2015.

    """
    pair.count = 0
    a, b = bodies[pair.body[0]], bodies[pair.body[1]]
    one, two = parts.geometry.parts[pair.part[0]], parts.geometry.parts[pair.part[1]]
    p, q = BodyPart(one, pair.body[0]), BodyPart(two, pair.body[1])
    between = plus(write_in_world(a, vector(one.centre)), -1.0, write_in_world(b, vector(two.centre)))
    pair.apart = np.sqrt(dot3(between, between)) - one.radius - two.radius
    if pair.apart > margin:
        return
    faces = parts.geometry.faces
    frames, rows = scratch.frames, scratch.edges
    to_a, to_b = frames[B_TO_A], frames[A_TO_B]
    write_relative_frame(a, b, to_a)
    write_relative_frame(b, a, to_b)
    if pair.axis[0] > 0:
        gap = axis_gap(pair, p, q, parts, frames, rows)
        pair.apart = gap
        if gap > margin:
            return
        if again and gap > -_DEEP * slop and refresh_manifold(pair, a, b, p, q, parts, margin, slop, scratch):
            return

    over_a, f, most_a = find_best_face(p, q, parts, to_a, margin, scratch.points)
    pair.apart = over_a
    if over_a > margin:
        pair.axis[0], pair.axis[1] = FACE_A, f - one.face[0]
        return
    over_b, g, most_b = find_best_face(q, p, parts, to_b, margin, scratch.points)
    pair.apart = max(over_a, over_b)
    if over_b > margin:
        pair.axis[0], pair.axis[2] = FACE_B, g - two.face[0]
        return
    if max(f, g) < 0:
        return
    best, most, favour = max(over_a, over_b), max(most_a, most_b), FAVOUR * slop
    of_b = over_b > over_a + favour
    known = min(f, g) >= 0
    f, g = max(f, one.face[0]), max(g, two.face[0])
    # Faces that lie flat on each other without depth are nearer than edges.
    if not (
        known
        and best >= -favour
        and dot3(vector(faces[f].normal), rotate_vector(to_a, vector(faces[g].normal))) < _FLAT
    ):
        count = gather_edges(p, faces[f], over_a, faces[g], margin, parts, to_a, frames[A_TO_A], rows)
        rest = rows[count:]
        end = gather_edges(q, faces[g], over_b, faces[f], margin, parts, to_b, to_a, rest)
        distance, i, j = find_best_edges(rows[:count], rest[:end], best + favour, margin, p, q, parts)
        if i >= 0:
            pair.axis[0], pair.axis[1], pair.axis[2] = EDGE_PAIR, int(rows[i, 5, 0]), int(rest[j, 5, 0])
            pair.apart = distance
            if distance <= margin and is_plausible(distance, most, slop):
                edge_contact(pair, a, rows[i], rest[j])
            return
    if not is_plausible(over_b if of_b else over_a, most, slop):
        return
    pair.axis[0], pair.axis[1], pair.axis[2] = (FACE_B if of_b else FACE_A), f - one.face[0], g - two.face[0]
    collide_with_face(pair, a, b, p, q, parts, margin, slop, scratch)


@device_no_refs
def collide_with_face(
    pair: Record, a: Record, b: Record, p: BodyPart, q: BodyPart, parts: OwnedParts, margin: float, slop: float,
    scratch: Scratch,
) -> None:  # fmt: skip
    """Write the points that meet the face that is the axis of a pair."""
    faces, points = parts.geometry.faces, scratch.points
    tolerance = _WIDER * slop + _ROUND_OFF * min(p.shape.radius, q.shape.radius)
    if pair.axis[0] == FACE_B:
        face, frame = faces[q.shape.face[0] + pair.axis[2]], scratch.frames[A_TO_B]
        count = clip_against_face(q, face, p, parts, frame, margin, tolerance, points)
        face_contact(pair, b, face, 1.0, points[FOUND], count)
    else:
        face, frame = faces[p.shape.face[0] + pair.axis[1]], scratch.frames[B_TO_A]
        count = clip_against_face(p, face, q, parts, frame, margin, tolerance, points)
        face_contact(pair, a, face, -1.0, points[FOUND], count)


@device_no_refs
def refresh_manifold(
    pair: Record, a: Record, b: Record, p: BodyPart, q: BodyPart, parts: OwnedParts, margin: float, slop: float,
    scratch: Scratch,
) -> bool:  # fmt: skip
    """Write the points along the axis of a pair, whose edges are in the scratch; returns whether there are any."""
    if pair.axis[0] != EDGE_PAIR:
        collide_with_face(pair, a, b, p, q, parts, margin, slop, scratch)
        return bool(pair.count > 0)
    distance, _, u, v = edge_crossing(scratch.edges[0], scratch.edges[1])
    # Other corners or edges may be the farther ones by now: then these edges do not tell how deep the parts overlap.
    if min(u, v) < 0.0 or max(u, v) > 1.0 or distance > pair.apart + FAVOUR * slop:
        return False
    edge_contact(pair, a, scratch.edges[0], scratch.edges[1])
    return True


@njit_no_refs
def find_manifolds(
    pairs: Records, bodies: Records, parts: OwnedParts, margin: float, slop: float, scratch: Scratch
) -> None:
    """`find_manifold` for all pairs."""
    for k in range(len(pairs)):
        find_manifold(pairs[k], bodies, parts, margin, slop, False, scratch)
