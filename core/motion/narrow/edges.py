"""Pairs of edges as separating axes.

Two edges can be nearest only where the arcs between the normals of their faces cross on the sphere of directions,
one of them mirrored (Gregorius, "The Separating Axis Test between Convex Polyhedra", GDC 2013).
"""

import numpy as np

from ...geometry.vectors import Vector, cross, dot, plus, store, vector
from ...jit import part
from ...types import Floats, Ints
from ..records import Record, Records
from .faces import COVER, mated, support
from .frames import moved, turned, unturned

#: Edges whose angle has a smaller sine are parallel: their axis is a face's.
PARALLEL = 1e-6
#: Edges may meet so far beyond their ends, in lengths of the edge.
BEYOND = 1e-6


@part
def write(
    of: Record, k: int, vertices: Floats, faces: Records, edges: Ints, frame: Floats, owner: Ints, body: int,
    row: Floats,
) -> None:  # fmt: skip
    """Write an edge of part `of` into a row (6,3), in the coordinates to which the frame leads.

    In order: its start, its vector, two normals, the second cross the first, and its number, then 1 where the first
    face has a mate and 1 where the second has one.
    """
    start = vector(vertices[of.vertex[0] + edges[k, 0]])
    one, two = faces[of.face[0] + edges[k, 2]], faces[of.face[0] + edges[k, 3]]
    n, m = turned(frame, vector(one.normal)), turned(frame, vector(two.normal))
    store(row[0], moved(frame, start))
    store(row[1], turned(frame, plus(vector(vertices[of.vertex[0] + edges[k, 1]]), -1.0, start)))
    store(row[2], n)
    store(row[3], m)
    store(row[4], cross(m, n))
    row[5, 0], row[5, 1], row[5, 2] = k - of.edge[0], mated(one, owner, body), mated(two, owner, body)


@part
def gather(
    of: Record, own: Record, depth: float, other: Record, reach: float, vertices: Floats, faces: Records, edges: Ints,
    into: Floats, to_a: Floats, owner: Ints, body: int, rows: Floats,
) -> int:  # fmt: skip
    """Write the edges of part `of` that may touch into rows; returns how many.

    Edges that are at most `reach` apart, or overlap, along an axis on the outside of both best faces have a point
    within the reach of the best face of the `other` part, and one that is not deeper below their `own` best face,
    beyond which the other part lies `depth`, than the reach and that.
    The frame `into` takes the other part's coordinates into this one's, the frame `to_a` this one's into a's.
    """
    up, over = vector(own.normal), turned(into, vector(other.normal))
    high = reach + other.offset + dot(over, vector(into[3]))
    low = own.offset + depth - reach
    first = of.vertex[0]
    count = 0
    for k in range(of.edge[0], of.edge[1]):
        s, t = vector(vertices[first + edges[k, 0]]), vector(vertices[first + edges[k, 1]])
        if min(dot(over, s), dot(over, t)) <= high and max(dot(up, s), dot(up, t)) >= low:
            write(of, k, vertices, faces, edges, to_a, owner, body, rows[count])
            count += 1
    return count


@part
def crossing(one: Floats, two: Floats) -> tuple[float, Vector, float, float]:
    """Two edges: their distance along their common normal, that normal (from a to b), and where they are nearest."""
    e, g = vector(one[1]), vector(two[1])
    axis = cross(e, g)
    square = dot(axis, axis)
    if square <= PARALLEL * PARALLEL * dot(e, e) * dot(g, g):
        return -np.inf, axis, 0.0, 0.0
    between = plus(vector(two[0]), -1.0, vector(one[0]))
    u, v = dot(cross(between, g), axis) / square, dot(cross(between, e), axis) / square
    size = np.sqrt(square)
    if dot(axis, vector(one[2])) + dot(axis, vector(one[3])) < 0:
        size = -size
    axis = plus((0.0, 0.0, 0.0), 1 / size, axis)
    return dot(axis, between), axis, u, v


@part
def buried(edge: Floats, axis: Vector, sign: float) -> bool:
    """Whether a mate holds this edge and reaches farther along the axis than it does."""
    one, two = sign * dot(axis, vector(edge[2])), sign * dot(axis, vector(edge[3]))
    return (edge[5, 1] > 0 and one > COVER) or (edge[5, 2] > 0 and two > COVER)


@part
def best_edges(of_a: Floats, of_b: Floats, least: float, margin: float) -> tuple[float, int, int]:
    """The two edges that lie farthest apart, if farther than `least`: how far, and their rows (-1 for none).

    Returns at once where they are farther than the margin.
    """
    best, at, to = least, -1, -1
    for i in range(len(of_a)):
        one = of_a[i]
        n, m, along = vector(one[2]), vector(one[3]), vector(one[4])
        for j in range(len(of_b)):
            two = of_b[j]
            c = dot(vector(two[2]), along)
            if c * dot(vector(two[3]), along) >= 0:
                continue
            across = vector(two[4])
            d = dot(m, across)
            if d * dot(n, across) >= 0 or c * d >= 0:
                continue
            distance, axis, u, v = crossing(one, two)
            if distance > margin:
                return distance, i, j
            if distance <= best:
                continue
            # Nearest beyond an end: corners are nearest, and nothing closes along this axis. Where faces tell an
            # overlap, it is all that tells the truth.
            if min(distance, least) >= 0 and (min(u, v) < -BEYOND or max(u, v) > 1 + BEYOND):
                continue
            if not (buried(one, axis, 1.0) or buried(two, axis, -1.0)):
                best, at, to = distance, i, j
    return best, at, to


@part
def apart(a: Record, b: Record, one: Floats, two: Floats, vertices: Floats, frame: Floats) -> float:
    """How far two parts lie apart along the common normal of an edge of each."""
    distance, axis, _, _ = crossing(one, two)
    if distance == -np.inf:
        return distance
    high, _ = support(a, vertices, plus((0.0, 0.0, 0.0), -1.0, axis))
    low, _ = support(b, vertices, unturned(frame, axis))
    return low + high + dot(axis, vector(frame[3]))
