"""Normal coordinates about a hit on a curved shell: how far along the wall, and in which direction one set out.

Points are visited in the order of their shortest paths over the graph of near neighbours. Each takes the mean of what
the neighbours before it say: their own coordinates and the step from there, in tangent frames that are carried along.
Neighbours count by how well they lie on a shortest path. On a flat wall the coordinates are exact.
Reference: Schmidt, Grimm and Wyvill 2006, "Interactive decal compositing with discrete exponential maps", with the
averaging over neighbours of Schmidt 2013, "Stroke parameterization"; the weights are ours.
Limitation: behind the line where paths from both sides meet coordinates jump.
"""

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import dijkstra

from ...arithmetic.elementary import arctan2, hypot
from ...arithmetic.products import multiply, norm
from ...arithmetic.small_matrices import eigen_symmetric, principal_directions
from ...geometry.vectors import dot3
from ...jit import njit
from ...types import Bools, Floats, Ints
from .neighbours import neighbours

#: Links of each point of the skin to its nearest ones, along which distances are walked. Chosen by eye: with fewer of
#: them ways zigzag, with more they take longer and may leap a gap.
_NEIGHBOURS = 10
#: Neighbours whose spread gives the normal of the wall. Chosen by eye: fewer take more noise for the wall, more round
#: off its bends.
NORMAL_NEIGHBOURS = 14
#: How far off a shortest path (excess length per link) a neighbour may be before it counts little. Chosen by eye: one
#: on a straight way then weighs 440 times what one weighs that is off by its own length.
_TOLERANCE = 0.05


def polar(points: Floats, near: float) -> tuple[Floats, Floats]:
    """Distance (n,) along the wall from points[0], infinite where no path leads, and azimuth (n,) in -pi..pi.

    `points (n,3)` lie on the middle surface; within `near` of points[0] the wall is taken for flat.
    """
    arm = points - points[0]
    straight = norm(arm)
    flat = straight <= max(near, float(np.sort(straight)[min(12, len(points) - 1)]))
    axes = principal_directions(arm[flat])[1]
    axes[1] = np.cross(axes[2], axes[0])  # right-handed, as the frames that are carried from here
    graph = _graph(points, np.flatnonzero(flat)[1:], straight)
    distance = dijkstra(graph, directed=False, indices=np.array((0,)))[0]
    order = np.argsort(distance, kind="stable")
    start, neighbour = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    u = _carried(points, _normals(points), axes, flat, order, start, neighbour, graph.data, distance)
    away = np.where(np.isfinite(distance), hypot(u[:, 0], u[:, 1]), np.inf)
    return away, arctan2(u[:, 1], u[:, 0])


def _graph(points: Floats, flat: Ints, straight: Floats) -> csr_matrix:
    """Lengths between near neighbours, and between points[0] and those of the flat part around it; symmetric."""
    gap, nearest = neighbours(points, points, _NEIGHBOURS + 1)
    first = np.concatenate((np.repeat(np.arange(len(points)), nearest.shape[1] - 1), np.zeros_like(flat)))
    second = np.concatenate((nearest[:, 1:].ravel(), flat))
    length = np.maximum(np.concatenate((gap[:, 1:].ravel(), straight[flat])), 1e-12)
    low, high = np.minimum(first, second), np.maximum(first, second)
    keep = np.unique(low * len(points) + high, return_index=True)[1]
    graph = coo_matrix((length[keep], (low[keep], high[keep])), shape=(len(points),) * 2).tocsr()
    both: csr_matrix = (graph + graph.T).tocsr()
    return both


def _normals(points: Floats) -> Floats:
    """Unit normals (n,3) of the wall, of either sign."""
    near = points[neighbours(points, points, NORMAL_NEIGHBOURS)[1]]
    arm = near - near.mean(axis=1)[:, None]
    return np.ascontiguousarray(eigen_symmetric(multiply(arm.transpose(0, 2, 1), arm))[1][:, :, 0])


@njit
def _carried(
    points: Floats,
    normal: Floats,
    axes: Floats,
    flat: Bools,
    order: Ints,
    start: Ints,
    neighbour: Ints,
    length: Floats,
    distance: Floats,
) -> Floats:
    count = points.shape[0]
    u = np.zeros((count, 2))
    tangent = np.zeros((count, 3))
    normal = normal.copy()
    for q in order:
        if not np.isfinite(distance[q]):
            continue
        if flat[q]:
            v = points[q] - points[0]
            u[q, 0], u[q, 1] = dot3(v, axes[0]), dot3(v, axes[1])
            normal[q], tangent[q] = axes[2], axes[0]
            continue
        total = 0.0
        best = -1.0
        for k in range(start[q], start[q + 1]):  # the side of the wall that the best neighbour calls outside
            p = neighbour[k]
            excess = (distance[p] + length[k] - distance[q]) / length[k]
            if distance[p] < distance[q] and (best < 0.0 or excess < best):
                best = excess
                total = dot3(normal[p], normal[q])
        if total < 0.0:
            normal[q] = -normal[q]
        total = 0.0
        for k in range(start[q], start[q + 1]):
            p = neighbour[k]
            if distance[p] >= distance[q]:
                continue
            excess = (distance[p] + length[k] - distance[q]) / length[k]
            weight = 1.0 / ((excess + _TOLERANCE) * (excess + _TOLERANCE))
            v = points[q] - points[p]
            mean = normal[p] + normal[q]
            size = np.sqrt(dot3(mean, mean))
            if size > 0.1:
                mean /= size
                v = v - dot3(v, mean) * mean
            x, y = dot3(v, tangent[p]), dot3(v, np.cross(normal[p], tangent[p]))
            stretch = np.sqrt(dot3(v, v) / max(x * x + y * y, 1e-300))
            u[q, 0] += weight * (u[p, 0] + stretch * x)
            u[q, 1] += weight * (u[p, 1] + stretch * y)
            tangent[q] += weight * tangent[p]
            total += weight
        u[q] /= total
        tangent[q] -= dot3(tangent[q], normal[q]) * normal[q]
        tangent[q] /= max(np.sqrt(dot3(tangent[q], tangent[q])), 1e-300)
    return u
