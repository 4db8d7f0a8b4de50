"""Measures of triangle meshes: volume, mass properties, closedness, connected shells.

Triangles are rows of three vertex numbers, counter-clockwise seen from outside. Sums run about a local origin (the
centre of the bounding box, then the centroid), so that a small mesh far from the world's origin loses no digits.
"""

from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply, norm
from ..jit import njit_no_refs, sealed_floats, sealed_ints
from ..types import Bools, Floats, Ints
from .graph import connected_labels
from .packed import check_range, group_by_owner
from .pair_ids import directed_pairs


def bounds(vertices: Floats) -> tuple[Floats, Floats]:
    """Lower and upper corner (3,) [m] of the bounding box of at least one vertex; a third of the time of `axis=0`."""
    return np.array([vertices[:, k].min() for k in range(3)]), np.array([vertices[:, k].max() for k in range(3)])


def diagonal(vertices: Floats) -> float:
    """Length of the bounding box's diagonal [m]; 0 without vertices."""
    if len(vertices) == 0:
        return 0.0
    low, high = bounds(vertices)
    size = high - low
    return float(np.sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]))


def volume(vertices: Floats, triangles: Ints) -> float:
    """Signed volume [m^3] enclosed by a closed mesh: positive where its triangles face outward.

    The sum of tetrahedra over the triangles, compensated (Neumaier 1974). Meaningless for an open mesh.
    """
    if len(triangles) == 0:
        return 0.0
    return _volume(vertices, triangles, _box_centre(vertices))


def areas(vertices: Floats, triangles: Ints) -> Floats:
    """Area of each triangle (T,) [m^2]."""
    result = np.empty(len(triangles))
    _fill_areas(sealed_floats(vertices), sealed_ints(triangles), result)
    return result


@njit_no_refs
def _fill_areas(vertices: Floats, triangles: Ints, result: Floats) -> None:
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = vertices[b, 0] - vertices[a, 0], vertices[b, 1] - vertices[a, 1], vertices[b, 2] - vertices[a, 2]
        vx, vy, vz = vertices[c, 0] - vertices[a, 0], vertices[c, 1] - vertices[a, 1], vertices[c, 2] - vertices[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        result[t] = 0.5 * np.sqrt(x * x + y * y + z * z)


def area(vertices: Floats, triangles: Ints) -> float:
    """Area of all triangles [m^2]."""
    return _summed(areas(vertices, triangles)) if len(triangles) else 0.0


def mass_properties(vertices: Floats, triangles: Ints) -> tuple[float, Floats, Floats]:
    """Volume [m^3], centroid (3,) [m] and second moment about the centroid (3,3) [m^5] of a closed mesh.

    The second moment is the integral of (x-c)(x-c)^T over the enclosed volume. Two passes: the centroid about the
    centre of the bounding box, the moment about the centroid, so that nothing is lost by shifting it.
    The centroid of a mesh without volume is the centre of its bounding box.
    """
    if len(triangles) == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = _box_centre(vertices)
    total = _volume(vertices, triangles, centre)
    if total == 0.0:
        return 0.0, centre, np.zeros((3, 3))
    centroid = centre + _first_moment(vertices, triangles, centre) / total
    return total, centroid, _second_moment(vertices, triangles, centroid)


class MeshEdges(NamedTuple):
    """The E edges of a mesh, by their smaller vertices, and what uses them."""

    ends: Ints  #: (E,2) smaller vertex, larger vertex
    of_half: Ints  #: (3T,) edge of the half-edge 3t + k, from corner k to the next
    surplus: Ints  #: (E,) uses from the smaller to the larger vertex minus those in the other direction
    proper: Bools  #: (E,) False for a corner pair of one and the same vertex, which is no edge


def edge_table(triangles: Ints, vertex_count: int | None = None) -> MeshEdges:
    """The edges of a mesh (T,3) of vertices 0.. in linear time. Memory grows with the largest vertex number.

    Raises IndexError for a vertex that does not exist, where it is told how many there are.
    """
    begin = np.array(triangles, np.int64).reshape(-1, 3)  # one kind of array for the kernel
    end = np.empty_like(begin)
    end[:, :2], end[:, 2] = begin[:, 1:], begin[:, 0]
    if vertex_count is None:
        vertex_count = int(begin.max()) + 1 if begin.size else 0
    check_range(begin, vertex_count)
    ends, of_half, surplus = directed_pairs(begin.reshape(-1), end.reshape(-1), vertex_count)
    proper = ends[:, 0] != ends[:, 1]
    return MeshEdges(ends, of_half, surplus * proper, proper)


def edge_uses(edges: MeshEdges) -> Ints:
    """How many half-edges run along each edge (E,)."""
    return np.bincount(edges.of_half, minlength=len(edges.ends))


def group_half_edges(edges: MeshEdges) -> tuple[Ints, Ints]:
    """`start (E+1,)` and the half-edges (3T,) edge by edge, ascending at each."""
    return group_by_owner(edges.of_half, len(edges.ends))


def paired_half_edges(edges: MeshEdges) -> Ints:
    """The half-edges (n,2) of the edges with just two, edge by edge, the smaller one first."""
    start, half = group_half_edges(edges)
    first = start[:-1][np.diff(start) == 2]
    return np.asarray(half[np.stack([first, first + 1], axis=1)])


def count_open_edges(edges: MeshEdges) -> int:
    """How many edges are not used equally often in both directions, or join a vertex with itself.

    None are for a closed, consistently oriented mesh.
    """
    return int(np.count_nonzero((edges.surplus != 0) | ~edges.proper))


def unbalanced_edges(edges: MeshEdges) -> Ints:
    """Directed edges (n,2) that lack their opposite, sorted by smaller, then larger vertex.

    An edge that is used m times more in one direction than in the other appears m times. None at all means: every
    edge's directions cancel, the mesh is closed and consistently oriented.
    """
    at = np.flatnonzero(edges.surplus)
    at = at[np.lexsort((edges.ends[at, 1], edges.ends[at, 0]))]
    at = np.repeat(at, np.abs(edges.surplus[at]))
    return np.where(edges.surplus[at, None] > 0, edges.ends[at], edges.ends[at, ::-1])


def is_closed(triangles: Ints) -> bool:
    """Whether every directed edge has its opposite (and there is at least one triangle)."""
    return len(triangles) > 0 and not edge_table(triangles).surplus.any()


def is_manifold(edges: MeshEdges) -> bool:
    """Whether every edge has two triangles, one each way."""
    return bool((edge_uses(edges) == 2).all() and not edges.surplus.any() and edges.proper.all())


def edge_census(edges: MeshEdges) -> tuple[int, int, int]:
    """How many edges have one triangle only, two that run the same way, and more than two."""
    uses = edge_uses(edges)
    turned = (uses == 2) & (edges.surplus != 0)
    return tuple(int(np.count_nonzero(some & edges.proper)) for some in (uses == 1, turned, uses > 2))  # type: ignore[return-value]


def find_shells(edges: MeshEdges) -> Ints:
    """Shell of each triangle (T,), 0.. in the order of their first triangles: shells are joined by common edges.

    Parts that touch in single vertices only are separate shells.
    """
    triangle = np.arange(len(edges.of_half)) // 3
    some = np.empty(len(edges.ends), np.int64)
    some[edges.of_half] = triangle  # any triangle of each edge
    other = some[edges.of_half]
    joins = np.flatnonzero((other != triangle) & edges.proper[edges.of_half])
    return connected_labels(len(triangle) // 3, np.stack([other[joins], triangle[joins]], axis=1))


def _box_centre(vertices: Floats) -> Floats:
    low, high = bounds(vertices)
    return np.asarray(0.5 * (low + high))


def map_vectors(vectors: Floats, matrix: Floats) -> Floats:
    """Each row v of `vectors (n,3)` as `matrix (m,3)` v."""
    return apply(matrix, vectors)


def rotated(vertices: Floats, turn: Floats) -> Floats:
    """Each row v of `vertices (n,3)` as `turn (3,3)` v; the same array where that leaves everything in place."""
    return vertices if np.array_equal(turn, np.eye(3)) else map_vectors(vertices, turn)


def invert_3x3(matrix: Floats) -> Floats:
    """Inverse (3,3) of a matrix (3,3) by its cofactors.

    That of numpy wakes the threads of BLAS, which then keep their cores busy for many milliseconds.
    """
    x, y, z = np.asarray(matrix, np.float64)
    cofactors = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=1)
    result: Floats = cofactors / float((x * cofactors[:, 0]).sum())
    return result


def cross_rows(a: Floats, b: Floats) -> Floats:
    """Row-wise cross products; a tenth of the time of np.cross."""
    product = np.empty(a.shape)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        product[:, i] = a[:, j] * b[:, k] - a[:, k] * b[:, j]
    return product


def unit_normals(corner: Floats) -> Floats:
    """Unit normals (n,3) of triangles (n,3,3), zero where one has no area."""
    vector = cross_rows(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    length = norm(vector)
    return np.asarray(vector / np.where(length > 0.0, length, 1.0)[:, None])


def plane_axes(normal: Floats) -> Floats:
    """Two unit vectors (n,2,3) across each unit normal (n,3), right-handed with it: counter-clockwise from its tip."""
    axis = np.eye(3)[np.argmin(np.abs(normal), axis=1)]
    first = cross_rows(normal, axis)
    first /= norm(first)[:, None]
    return np.stack([first, cross_rows(normal, first)], axis=1)


def _summed(terms: Floats) -> float:
    """The plain sum from the first to the last: np.sum adds in another order on other lengths of vector registers."""
    return float(np.cumsum(terms)[-1])


def _determinants(vertices: Floats, triangles: Ints, origin: Floats) -> Floats:
    """Six times the signed volume (T,) of the tetrahedra of the origin and each triangle."""
    a, b, c = (vertices[triangles[:, k]] - origin for k in range(3))
    product = a * cross_rows(b, c)
    return np.asarray(product[:, 0] + product[:, 1] + product[:, 2])


def _volume(vertices: Floats, triangles: Ints, origin: Floats) -> float:
    return float(_summed_volume(sealed_floats(vertices), sealed_ints(triangles), *origin.tolist()))


@njit_no_refs
def _summed_volume(vertices: Floats, triangles: Ints, x: float, y: float, z: float) -> float:
    """Sum of the tetrahedra of (x, y, z) and each triangle, with the rounding of each addition summed up (Neumaier)."""
    total, lost = 0.0, 0.0
    for t in range(len(triangles)):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay, az = vertices[a, 0] - x, vertices[a, 1] - y, vertices[a, 2] - z
        bx, by, bz = vertices[b, 0] - x, vertices[b, 1] - y, vertices[b, 2] - z
        cx, cy, cz = vertices[c, 0] - x, vertices[c, 1] - y, vertices[c, 2] - z
        term = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        before = total
        total = before + term
        lost += (before - total) + term if abs(before) >= abs(term) else (term - total) + before
    return (total + lost) / 6.0


def _first_moment(vertices: Floats, triangles: Ints, origin: Floats) -> Floats:
    a, b, c = (vertices[triangles[:, k]] - origin for k in range(3))
    terms = (_determinants(vertices, triangles, origin) / 24.0)[:, None] * (a + b + c)
    return np.asarray(np.cumsum(terms, axis=0)[-1])


def _second_moment(vertices: Floats, triangles: Ints, origin: Floats) -> Floats:
    """Sum over tetrahedra (o, a, b, c) of V/20 (aa' + bb' + cc' + ss'), s = a + b + c, all relative to o."""
    a, b, c = (vertices[triangles[:, k]] - origin for k in range(3))
    s = a + b + c
    weight = _determinants(vertices, triangles, origin) / 120.0
    moment = np.empty((3, 3))
    for i in range(3):
        for j in range(i, 3):
            product = a[:, i] * a[:, j] + b[:, i] * b[:, j] + c[:, i] * c[:, j] + s[:, i] * s[:, j]
            moment[i, j] = moment[j, i] = _summed(weight * product)
    return moment
