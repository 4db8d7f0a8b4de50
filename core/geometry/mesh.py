"""Measures of triangle meshes: volume, mass properties, closedness, connected shells.

Triangles are rows of three vertex numbers, counter-clockwise seen from outside. Sums run about a local origin (the
centre of the bounding box, then the centroid), so that a small mesh far from the world's origin loses no digits.
"""

import numpy as np
from numpy.typing import ArrayLike

from ..jit import njit
from ..types import Floats, Ints


def sealed_floats(array: ArrayLike) -> Floats:
    """A contiguous float64 view (or copy) that is read-only: every kernel then compiles for one array type only."""
    view = np.ascontiguousarray(array, dtype=np.float64).view()
    view.setflags(write=False)
    return view


def sealed_ints(array: ArrayLike) -> Ints:
    """A contiguous int64 view (or copy) that is read-only."""
    view = np.ascontiguousarray(array, dtype=np.int64).view()
    view.setflags(write=False)
    return view


def diagonal(vertices: Floats) -> float:
    """Length of the bounding box's diagonal [m]; 0 without vertices."""
    if len(vertices) == 0:
        return 0.0
    size = vertices.max(axis=0) - vertices.min(axis=0)
    return float(np.sqrt(size[0] ** 2 + size[1] ** 2 + size[2] ** 2))


def volume(vertices: Floats, triangles: Ints) -> float:
    """Signed volume [m^3] enclosed by a closed mesh: positive where its triangles face outward.

    The sum of tetrahedra over the triangles, compensated (Neumaier 1974). Meaningless for an open mesh.
    """
    if len(triangles) == 0:
        return 0.0
    return float(_volume(sealed_floats(vertices), sealed_ints(triangles), _box_centre(vertices)))


def area(vertices: Floats, triangles: Ints) -> float:
    """Area of all triangles [m^2]."""
    if len(triangles) == 0:
        return 0.0
    return float(_area(sealed_floats(vertices), sealed_ints(triangles)))


def mass_properties(vertices: Floats, triangles: Ints) -> tuple[float, Floats, Floats]:
    """Volume [m^3], centroid (3,) [m] and second moment about the centroid (3,3) [m^5] of a closed mesh.

    The second moment is the integral of (x-c)(x-c)^T over the enclosed volume. Two passes: the centroid about the
    centre of the bounding box, the moment about the centroid, so that nothing is lost by shifting it.
    The centroid of a mesh without volume is the centre of its bounding box.
    """
    if len(triangles) == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    positions, corners = sealed_floats(vertices), sealed_ints(triangles)
    centre = _box_centre(positions)
    total = float(_volume(positions, corners, centre))
    if total == 0.0:
        return 0.0, np.array(centre), np.zeros((3, 3))
    centroid = centre + _first_moment(positions, corners, centre) / total
    return total, centroid, _second_moment(positions, corners, sealed_floats(centroid))


def unbalanced_edges(triangles: Ints) -> Ints:
    """Directed edges (n,2) that lack their opposite, sorted by smaller, then larger vertex.

    An edge that is used m times more in one direction than in the other appears m times. None at all means: every
    edge's directions cancel, the mesh is closed and consistently oriented.
    """
    if len(triangles) == 0:
        return np.empty((0, 2), dtype=np.int64)
    corners = sealed_ints(triangles)
    return np.asarray(_unbalanced(*_half_edges(corners, int(corners.max()) + 1), corners))


def is_closed(triangles: Ints) -> bool:
    """Whether every directed edge has its opposite (and there is at least one triangle)."""
    return len(triangles) > 0 and len(unbalanced_edges(triangles)) == 0


def edge_census(triangles: Ints) -> tuple[int, int, int]:
    """How many edges have one triangle only, two that run the same way, and more than two."""
    if len(triangles) == 0:
        return 0, 0, 0
    corners = sealed_ints(triangles)
    border, turned, crowded = _census(*_half_edges(corners, int(corners.max()) + 1), corners)
    return int(border), int(turned), int(crowded)


def shells(triangles: Ints) -> Ints:
    """Shell of each triangle (T,), 0.. in the order of their first triangles: shells are joined by common edges.

    Parts that touch in single vertices only are separate shells.
    """
    if len(triangles) == 0:
        return np.empty(0, dtype=np.int64)
    corners = sealed_ints(triangles)
    return np.asarray(_shells(*_half_edges(corners, int(corners.max()) + 1), len(corners)))


def _box_centre(vertices: Floats) -> Floats:
    return sealed_floats(0.5 * (vertices.min(axis=0) + vertices.max(axis=0)))


@njit
def _determinant(v: Floats, a: int, b: int, c: int, o: Floats) -> float:
    """Six times the signed volume of the tetrahedron o, a, b, c."""
    ax, ay, az = v[a, 0] - o[0], v[a, 1] - o[1], v[a, 2] - o[2]
    bx, by, bz = v[b, 0] - o[0], v[b, 1] - o[1], v[b, 2] - o[2]
    cx, cy, cz = v[c, 0] - o[0], v[c, 1] - o[1], v[c, 2] - o[2]
    return float(ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx))


@njit
def _volume(vertices: Floats, triangles: Ints, origin: Floats) -> float:
    total, lost = 0.0, 0.0
    for t in range(len(triangles)):
        term = _determinant(vertices, triangles[t, 0], triangles[t, 1], triangles[t, 2], origin)
        added = total + term
        lost += (total - added) + term if abs(total) >= abs(term) else (term - added) + total
        total = added
    return (total + lost) / 6.0


@njit
def _area(v: Floats, triangles: Ints) -> float:
    total = 0.0
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = v[b, 0] - v[a, 0], v[b, 1] - v[a, 1], v[b, 2] - v[a, 2]
        wx, wy, wz = v[c, 0] - v[a, 0], v[c, 1] - v[a, 1], v[c, 2] - v[a, 2]
        x, y, z = uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx
        total += np.sqrt(x * x + y * y + z * z)
    return 0.5 * total


@njit
def _first_moment(v: Floats, triangles: Ints, o: Floats) -> Floats:
    moment = np.zeros(3)
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        det = _determinant(v, a, b, c, o)
        for i in range(3):
            moment[i] += det / 24.0 * ((v[a, i] - o[i]) + (v[b, i] - o[i]) + (v[c, i] - o[i]))
    return moment


@njit
def _second_moment(v: Floats, triangles: Ints, o: Floats) -> Floats:
    """Sum over tetrahedra (o, a, b, c) of V/20 (aa' + bb' + cc' + ss'), s = a + b + c, all relative to o."""
    moment = np.zeros((3, 3))
    p = np.zeros((4, 3))
    for t in range(len(triangles)):
        det = _determinant(v, triangles[t, 0], triangles[t, 1], triangles[t, 2], o)
        for i in range(3):
            for k in range(3):
                p[k, i] = v[triangles[t, k], i] - o[i]
            p[3, i] = p[0, i] + p[1, i] + p[2, i]
        for i in range(3):
            for j in range(i, 3):
                moment[i, j] += (
                    det / 120.0 * (p[0, i] * p[0, j] + p[1, i] * p[1, j] + p[2, i] * p[2, j] + p[3, i] * p[3, j])
                )
    for i in range(3):
        for j in range(i):
            moment[i, j] = moment[j, i]
    return moment


@njit
def _half_edges(triangles: Ints, vertex_count: int) -> tuple[Ints, Ints, Ints]:
    """Half-edges 3t + k (from corner k to the next) sorted by their smaller, then larger vertex, then number.

    Returns start (V+1,) of each smaller vertex, larger vertex (3T,) and half-edge (3T,). Runs of equal larger vertices
    are one edge. Two counting sorts: linear, also at the hub of a fan.
    """
    total = 3 * len(triangles)
    small, large = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    for t in range(len(triangles)):
        for k in range(3):
            a, b = triangles[t, k], triangles[t, (k + 1) % 3]
            small[3 * t + k], large[3 * t + k] = min(a, b), max(a, b)
    half, start = np.empty(total, dtype=np.int64), np.empty(vertex_count + 1, dtype=np.int64)
    _counting_sort(large, np.arange(total), half, start)
    order = half.copy()
    _counting_sort(small, order, half, start)
    for i in range(total):
        small[i] = large[half[i]]
    return start, small, half


@njit
def _counting_sort(key: Ints, order: Ints, out: Ints, start: Ints) -> None:
    """Stable: `out` gets `order` sorted by key[order]; start[k]:start[k+1] bounds key k in it."""
    start[:] = 0
    for i in range(len(order)):
        start[key[i] + 1] += 1
    for k in range(len(start) - 1):
        start[k + 1] += start[k]
    fill = start[:-1].copy()
    for i in range(len(order)):
        k = key[order[i]]
        out[fill[k]] = order[i]
        fill[k] += 1


@njit
def _run_end(large: Ints, begin: int, end: int) -> int:
    """End of the run of equal keys that starts at `begin`: the half-edges of one edge."""
    stop = begin + 1
    while stop < end and large[stop] == large[begin]:
        stop += 1
    return stop


@njit
def _surplus(small: int, large: Ints, half: Ints, triangles: Ints, begin: int, end: int) -> int:
    """Uses of one edge from its smaller to its larger vertex minus those in the other direction."""
    surplus = 0
    if large[begin] != small:  # a corner pair of one and the same vertex is no edge
        for i in range(begin, end):
            surplus += 1 if triangles[half[i] // 3, half[i] % 3] == small else -1
    return surplus


@njit
def _unbalanced(start: Ints, large: Ints, half: Ints, triangles: Ints) -> Ints:
    edges = np.empty((len(half), 2), dtype=np.int64)
    count = 0
    for small in range(len(start) - 1):
        i = start[small]
        while i < start[small + 1]:
            stop = _run_end(large, i, start[small + 1])
            surplus = _surplus(small, large, half, triangles, i, stop)
            for _ in range(abs(surplus)):
                edges[count, 0] = small if surplus > 0 else large[i]
                edges[count, 1] = large[i] if surplus > 0 else small
                count += 1
            i = stop
    return edges[:count].copy()


@njit
def _census(start: Ints, large: Ints, half: Ints, triangles: Ints) -> tuple[int, int, int]:
    border, turned, crowded = 0, 0, 0
    for small in range(len(start) - 1):
        i = start[small]
        while i < start[small + 1]:
            stop = _run_end(large, i, start[small + 1])
            if large[i] != small:
                if stop - i == 1:
                    border += 1
                elif stop - i > 2:
                    crowded += 1
                elif _surplus(small, large, half, triangles, i, stop) != 0:
                    turned += 1
            i = stop
    return border, turned, crowded


@njit
def _root(parent: Ints, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit
def _shells(start: Ints, large: Ints, half: Ints, count: int) -> Ints:
    parent = np.arange(count)
    for small in range(len(start) - 1):
        for i in range(start[small] + 1, start[small + 1]):
            if large[i] == large[i - 1] and large[i] != small:
                a, b = _root(parent, half[i - 1] // 3), _root(parent, half[i] // 3)
                parent[max(a, b)] = min(a, b)  # a root is always the first triangle of its shell
    label = np.empty(count, dtype=np.int64)
    shell_count = 0
    for t in range(count):
        root = _root(parent, t)
        if root == t:
            label[t] = shell_count
            shell_count += 1
        else:
            label[t] = label[root]
    return label
