"""Closed cycles: a mesh whose edges all cancel, so that it winds a whole number of times around every point.

A scan, or what Booleans and merged points have left, is such a cycle but for faults: faces that are there twice, faces
that are turned, holes. Each of these steps takes what leaves the fewest edges open, and looks at directions only, never
at angles: so it does not matter what lies on what or crosses what.
"""

from typing import NamedTuple

import numpy as np

from ..geometry.capping import caps
from ..geometry.graph import connected_labels
from ..geometry.mesh import MeshEdges, areas, edge_table, find_shells, paired_half_edges
from ..geometry.orientation import orient
from ..types import Bools, Floats, Ints
from .loops import trace_loops
from .weld import first_equal, is_odd


def again_there(triangles: Ints) -> Bools:
    """Triangles (T,) on the same three vertices as an earlier one."""
    return np.asarray(first_equal(np.sort(triangles, axis=1)) != np.arange(len(triangles)))


def counted_doubles(triangles: Ints) -> Bools:
    """Which triangles (T,3) count, of those on the same three vertices.

    Two boxes on one base have that base twice, and it counts twice: both boxes are closed by it. A face that was
    copied by accident counts once. Of each patch of double faces that hangs together either all count, opposite ones
    against each other, or one of each group, whichever leaves fewer edges open; in a tie one.
    Limitation: where both kinds meet in one patch, edges stay open; their caps are the faces that are missing.
    """
    keep = np.ones(len(triangles), np.bool_)
    first = first_equal(np.sort(triangles, axis=1))
    double = np.bincount(first, minlength=len(first))[first] > 1
    if not double.any():
        return keep
    rows = np.flatnonzero(double)
    extra, patch = _beside_leaders(triangles, rows, first[rows])
    edges = edge_table(triangles)
    direction = np.where(triangles.reshape(-1) == edges.ends[edges.of_half, 0], 1, -1).reshape(-1, 3)
    edge = edges.of_half.reshape(-1, 3)[rows[extra]].reshape(-1)
    spot, where = np.unique(np.repeat(patch[extra], 3) * len(edges.ends) + edge, return_inverse=True)
    less = np.bincount(where, direction[rows[extra]].reshape(-1), len(spot)).astype(np.int64)
    of_patch, surplus = spot // len(edges.ends), edges.surplus[spot % len(edges.ends)]
    opened = np.bincount(of_patch, np.abs(surplus - less) - np.abs(surplus), int(patch.max()) + 1)
    keep[rows[extra & (opened <= 0)[patch]]] = False
    return keep


def _beside_leaders(triangles: Ints, rows: Ints, first: Ints) -> tuple[Bools, Ints]:
    """Which double faces, `rows (n,)` with the first of their group, are there beside the one that stands for all.

    Also the patch of each. The first that faces as the sum of its group does stands for it.
    """
    some, group = np.unique(first, return_inverse=True)
    sign = np.where(is_odd(triangles[rows]) == is_odd(triangles[first]), 1, -1)
    net = np.bincount(group, sign, len(some))
    fits = (sign == np.where(net < 0.0, -1, 1)[group]).nonzero()[0]
    leader = np.full(len(some), -1, np.int64)
    leader[group[fits[::-1]]] = fits[::-1]
    extra = np.ones(len(rows), np.bool_)
    extra[leader] = False
    return extra, find_shells(edge_table(triangles[rows]))


def agreeing_faces(vertices: Floats, triangles: Ints, edges: MeshEdges) -> Bools:
    """Which triangles (T,) must be turned so that those at edges with two faces agree.

    Of what hangs together by such edges the smaller area is turned, and nothing of what has one side only.
    """
    pairs = paired_half_edges(edges)
    against = edges.surplus[edges.of_half[pairs[:, 0]]] != 0
    if not against.any():
        return np.zeros(len(triangles), np.bool_)
    turned, conflict = orient(len(triangles), pairs // 3, against)
    label = connected_labels(len(triangles), pairs // 3)
    area, count = areas(vertices, triangles), int(label.max()) + 1
    other = np.bincount(label, np.where(turned, area, -area), count) > 0.0
    one_sided = np.bincount(label[conflict], minlength=count) > 0
    return np.asarray((turned ^ other[label]) & ~one_sided[label])


class Capped(NamedTuple):
    """Triangles that close T consistent ones, part by part: parts hang together by edges."""

    caps: Ints  #: (n,3)
    neighbour: Ints  #: (n,) a triangle at the loop of each cap
    loop: Ints  #: (n,) loop that each belongs to, 0..
    part: Ints  #: (T,)
    share: Floats  #: (P,) area of its caps in that of each part with them


def capped(vertices: Floats, triangles: Ints, edges: MeshEdges) -> Capped:
    """Caps for all edges that do not cancel: with them every edge does."""
    at = np.flatnonzero(edges.surplus)
    part, count = find_shells(edges), len(vertices)
    beside = np.empty(len(edges.ends), np.int64)
    beside[edges.of_half] = np.arange(len(edges.of_half)) // 3
    at = np.repeat(at, np.abs(edges.surplus[at]))
    # Caps run against the faces at their edges.
    ends = np.where(edges.surplus[at, None] > 0, edges.ends[at, ::-1], edges.ends[at])
    place, node = np.unique(part[beside[at], None] * count + ends, return_inverse=True)
    start, node, edge, _ = trace_loops(node.reshape(-1, 2), len(place))
    vertex = place[node] % count
    closing = caps(vertices[vertex], start, np.empty((0, 2), np.int64))
    made, neighbour = vertex[closing.triangles], beside[at[edge[start[:-1]]]][closing.loop]
    parts = int(part.max()) + 1
    new = np.bincount(part[neighbour], areas(vertices, made), parts)
    whole = new + np.bincount(part, areas(vertices, triangles), parts)
    return Capped(made, neighbour, closing.loop, part, new / np.where(whole > 0.0, whole, 1.0))
