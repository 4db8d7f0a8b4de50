"""Pairs of edges as separating axes.

Two edges can be nearest only where the arcs between the normals of their faces cross on the sphere of directions,
one of them mirrored (Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013).
"""

import numpy as np

from ...geometry.vectors import Vector, cross3, dot3, plus, store, vector
from ...jit import device_no_refs
from ...record_arrays import Record
from ...types import Floats
from .face_axes import COVER, support_distance
from .face_cover import COVERED, FREE, cover_of_face, is_covered
from .frames import rotate_vector, transform_point, unrotate_vector
from .owned_parts import BodyPart, OwnedParts

#: Edges whose angle has a smaller sine are parallel: their axis is a face's. Chosen: their product is known to 1e-10
#: then.
_PARALLEL = 1e-6
#: Edges may meet so far beyond their ends, in lengths of the edge. Chosen.
_BEYOND = 1e-6


@device_no_refs
def write_axis(of: BodyPart, k: int, parts: OwnedParts, frame: Floats, row: Floats) -> None:
    """Write an edge of part `of` into a row (6,3), in the coordinates to which the frame leads.

    In order: its start, its vector, two normals, the second cross the first, and its number, then whether its first
    face is free, and whether the second is (see `cover_of_face`).
    """
    geometry, owner, shape, body = parts.geometry, parts.owner, of.shape, of.body
    vertices, faces, edges, patches = geometry.vertices, geometry.faces, geometry.edges, geometry.patches
    start = vector(vertices[shape.vertex[0] + edges[k, 0]])
    one, two = faces[shape.face[0] + edges[k, 2]], faces[shape.face[0] + edges[k, 3]]
    n, m = rotate_vector(frame, vector(one.normal)), rotate_vector(frame, vector(two.normal))
    store(row[0], transform_point(frame, start))
    store(row[1], rotate_vector(frame, plus(vector(vertices[shape.vertex[0] + edges[k, 1]]), -1.0, start)))
    store(row[2], n)
    store(row[3], m)
    store(row[4], cross3(m, n))
    row[5, 0] = k - shape.edge[0]
    row[5, 1], row[5, 2] = cover_of_face(one, patches, owner, body), cover_of_face(two, patches, owner, body)


@device_no_refs
def gather_edges(
    of: BodyPart, own: Record, depth: float, other: Record, reach: float, parts: OwnedParts, into: Floats,
    to_a: Floats, rows: Floats,
) -> int:  # fmt: skip
    """Write the edges of part `of` that may touch into rows; returns how many.

    Edges that are at most `reach` apart, or overlap, along an axis on the outside of both best faces have a point
    within the reach of the best face of the `other` part, and one that is not deeper below their `own` best face,
    beyond which the other part lies `depth`, than the reach and that.
    The frame `into` takes the other part's coordinates into this one's, the frame `to_a` this one's into a's.
    """
    vertices, edges, shape = parts.geometry.vertices, parts.geometry.edges, of.shape
    up, over = vector(own.normal), rotate_vector(into, vector(other.normal))
    high = reach + other.offset + dot3(over, vector(into[3]))
    low = own.offset + depth - reach
    first = shape.vertex[0]
    count = 0
    for k in range(shape.edge[0], shape.edge[1]):
        s, t = vector(vertices[first + edges[k, 0]]), vector(vertices[first + edges[k, 1]])
        if min(dot3(over, s), dot3(over, t)) <= high and max(dot3(up, s), dot3(up, t)) >= low:
            write_axis(of, k, parts, to_a, rows[count])
            count += 1
    return count


@device_no_refs
def edge_crossing(one: Floats, two: Floats) -> tuple[float, Vector, float, float]:
    """Two edges: their distance along their common normal, that normal (from a to b), and where they are nearest."""
    e, g = vector(one[1]), vector(two[1])
    axis = cross3(e, g)
    square = dot3(axis, axis)
    if square <= _PARALLEL * _PARALLEL * dot3(e, e) * dot3(g, g):
        return -np.inf, axis, 0.0, 0.0
    between = plus(vector(two[0]), -1.0, vector(one[0]))
    u, v = dot3(cross3(between, g), axis) / square, dot3(cross3(between, e), axis) / square
    size = np.sqrt(square)
    if dot3(axis, vector(one[2])) + dot3(axis, vector(one[3])) < 0:
        size = -size
    axis = plus((0.0, 0.0, 0.0), 1 / size, axis)
    return dot3(axis, between), axis, u, v


@device_no_refs
def edge_is_buried(edge: Floats, along: float, axis: Vector, sign: float, of: BodyPart, parts: OwnedParts) -> bool:
    """Whether an adjacent part has this edge, at so much of its length, and reaches farther along the axis than it."""
    geometry, shape = parts.geometry, of.shape
    for side in range(2):
        state = int(edge[5, 1 + side])
        if state == FREE or sign * dot3(axis, vector(edge[2 + side])) <= COVER:
            continue
        if state == COVERED:
            return True
        ends = geometry.edges[shape.edge[0] + int(edge[5, 0])]
        face = geometry.faces[shape.face[0] + ends[2 + side]]
        start = vector(geometry.vertices[shape.vertex[0] + ends[0]])
        end = vector(geometry.vertices[shape.vertex[0] + ends[1]])
        point = plus(start, min(max(along, 0.0), 1.0), plus(end, -1.0, start))
        if is_covered(point, face, geometry.patches, geometry.outline, parts.owner, of.body):
            return True
    return False


@device_no_refs
def find_best_edges(
    of_a: Floats, of_b: Floats, least: float, margin: float, a: BodyPart, b: BodyPart, parts: OwnedParts
) -> tuple[float, int, int]:
    """The two edges that lie farthest apart, if farther than `least`: how far, and their rows (-1 for none).

    `of_a` are some edges of part `a`, `of_b` some of part `b`, see `write_axis`.
    Returns at once where they are farther than the margin.
    """
    best, at, to = least, -1, -1
    for i in range(len(of_a)):
        one = of_a[i]
        n, m, along = vector(one[2]), vector(one[3]), vector(one[4])
        for j in range(len(of_b)):
            two = of_b[j]
            c = dot3(vector(two[2]), along)
            if c * dot3(vector(two[3]), along) >= 0:
                continue
            across = vector(two[4])
            d = dot3(m, across)
            if d * dot3(n, across) >= 0 or c * d >= 0:
                continue
            distance, axis, u, v = edge_crossing(one, two)
            if distance > margin:
                return distance, i, j
            if distance <= best:
                continue
            # Nearest beyond an end: corners are nearest, and nothing closes along this axis. Where faces tell an
            # overlap, it is all that tells the truth.
            if min(distance, least) >= 0 and (min(u, v) < -_BEYOND or max(u, v) > 1 + _BEYOND):
                continue
            if edge_is_buried(one, u, axis, 1.0, a, parts):
                continue
            if not edge_is_buried(two, v, axis, -1.0, b, parts):
                best, at, to = distance, i, j
    return best, at, to


@device_no_refs
def edge_separation(a: Record, b: Record, one: Floats, two: Floats, vertices: Floats, frame: Floats) -> float:
    """How far two parts lie apart along the common normal of an edge of each."""
    distance, axis, _, _ = edge_crossing(one, two)
    if distance == -np.inf:
        return distance
    high, _ = support_distance(a, vertices, plus((0.0, 0.0, 0.0), -1.0, axis))
    low, _ = support_distance(b, vertices, unrotate_vector(frame, axis))
    return low + high + dot3(axis, vector(frame[3]))
