"""Edges in a plane, the faces between them, and these cut into triangles."""

import math
from collections import defaultdict

import manifold3d
import numpy as np

from ....arithmetic.elementary import hypot
from ....planar.half_edges import contains
from ....types import Bools, Floats, Ints

Loop = list[int]


def filled(
    pieces: Ints, nodes: Ints, place: Floats, corner: Floats, known: dict[frozenset[tuple[int, int]], list[list[int]]]
) -> list[list[list[int]]]:
    """The faces between edges (n,2) as lists of triangles, counter-clockwise: those within triangles (m,3,2).

    `place (k,2)` is where each of the `nodes (k,)` lies. Faces with equal borders get equal triangles, by what is
    `known` of them: turned round where they are seen from the other side.
    """
    at = dict(zip(nodes.tolist(), place.tolist(), strict=True))
    faces = []
    for outline, *holes in _faces(pieces, at):
        loops = [outline, *holes]
        border = frozenset((min(a, b), max(a, b)) for loop in loops for a, b in _sides(loop))
        triangles = known.get(border)
        if triangles is None:
            flat = [np.array([at[node] for node in loop]) for loop in loops]
            joined = [node for loop in loops for node in loop]
            triangles = [[joined[k] for k in row] for row in manifold3d.triangulate(flat, allow_convex=False).tolist()]
            known[border] = triangles
        area = [_area([at[node] for node in row]) for row in triangles]
        if sum(area) < 0.0:
            triangles = [row[::-1] for row in triangles]
        largest = triangles[int(np.argmax(np.abs(area)))]
        if covers(corner, np.array([[at[node] for node in largest]]).mean(axis=1))[0]:
            faces.append(triangles)
    return faces


def covers(corner: Floats, points: Floats) -> Bools:
    """Whether points (n,2) lie in any of the triangles (m,3,2), which run counter-clockwise."""
    inside = np.ones((len(points), len(corner)), np.bool_)
    for k in range(3):
        start, along = corner[:, k], corner[:, (k + 1) % 3] - corner[:, k]
        x, y = points[:, None, 0] - start[:, 0], points[:, None, 1] - start[:, 1]
        inside &= along[:, 0] * y - along[:, 1] * x >= -1e-12 * hypot(along[:, 0], along[:, 1])
    return np.asarray(inside.any(axis=1))


def _sides(loop: Loop) -> list[tuple[int, int]]:
    return list(zip(loop, loop[1:] + loop[:1], strict=True))


def _area(points: list[list[float]]) -> float:
    """Signed area of a polygon."""
    p = np.array(points)
    q = np.roll(p, -1, axis=0)
    return float(0.5 * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum())


def _faces(pieces: Ints, at: dict[int, list[float]]) -> list[list[Loop]]:
    """Outline and holes of each bounded face."""
    loops = _loops(pieces, at)
    area = [_area([at[node] for node in loop]) for loop in loops]
    faces = {k: [loop] for k, loop in enumerate(loops) if area[k] > 0.0}
    for k, loop in enumerate(loops):
        if area[k] > 0.0 or len(set(loop)) < 3:
            continue
        own, point = set(loop), np.array(at[loop[0]])
        apart = [j for j in faces if own.isdisjoint(loops[j])]
        around = [j for j in apart if contains(np.array([at[n] for n in loops[j]]), point)]
        if around:
            faces[min(around, key=lambda j: area[j])].append(loop)
    return list(faces.values())


def _loops(pieces: Ints, at: dict[int, list[float]]) -> list[Loop]:
    """The loops that the edges form, each with its face on the left; edges that end in nothing are left out."""
    beside: dict[int, set[int]] = defaultdict(set)
    for a, b in pieces.tolist():
        beside[a].add(b)
        beside[b].add(a)
    loose = [node for node, others in beside.items() if len(others) < 2]
    while loose:
        node = loose.pop()
        for other in beside.pop(node, set()):
            beside[other].discard(node)
            if len(beside[other]) < 2:
                loose.append(other)
    after: dict[tuple[int, int], int] = {}
    for node, others in beside.items():
        x, y = at[node]
        around = sorted(others, key=lambda n: _turn(at[n][0] - x, at[n][1] - y))
        for k, other in enumerate(around):
            after[other, node] = around[k - 1]  # the next one clockwise: the face stays on the left
    loops = []
    while after:
        loop, edge = [], next(iter(after))
        while edge in after:
            loop.append(edge[1])
            edge = (edge[1], after.pop(edge))
        loops.append(loop)
    return loops


def _turn(x: float, y: float) -> float:
    """A number from -2 to 2 that grows with the angle of a direction from -pi to pi."""
    return math.copysign(1.0 - x / ((abs(x) + abs(y)) or 1.0), y)
