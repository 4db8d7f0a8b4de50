"""How deep meshes lie in each other: by winding numbers and distances to triangles, from nothing that moves them."""

import numpy as np

from core.types import Floats, Ints


def samples(vertices: Floats, triangles: Ints, along: int = 4) -> Floats:
    """The vertices of a mesh, and `along` points of each of its edges."""
    ends = np.unique(
        np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), 1), axis=0
    )
    share = (np.arange(along) + 0.5)[:, None, None] / along
    on = vertices[ends[:, 0]] * (1 - share) + vertices[ends[:, 1]] * share
    return np.concatenate([vertices, on.reshape(-1, 3)])


def winding(points: Floats, vertices: Floats, triangles: Ints) -> Floats:
    """Winding number of a mesh about each point (Van Oosterom, Strackee: The solid angle of a plane triangle, 1983)."""
    a, b, c = (vertices[triangles[:, k]] - points[:, None] for k in range(3))
    p, q, r = (np.sqrt((v * v).sum(axis=2)) for v in (a, b, c))
    triple = (a * np.cross(b, c)).sum(axis=2)
    rest = p * q * r + (a * b).sum(axis=2) * r + (b * c).sum(axis=2) * p + (c * a).sum(axis=2) * q
    return np.arctan2(triple, rest).sum(axis=1) / (2 * np.pi)


def distance(points: Floats, vertices: Floats, triangles: Ints) -> Floats:
    """Distance of each point to the nearest of the triangles: to its plane where the foot is inside, else its sides."""
    corner = vertices[triangles]
    n = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    size = np.sqrt((n * n).sum(axis=1))
    good = size > 1e-14 * size.max()
    corner, n = corner[good], n[good] / size[good, None]
    over = ((points[:, None] - corner[:, 0]) * n).sum(axis=2)
    inside, best = np.ones(over.shape, bool), np.full(over.shape, np.inf)
    for k in range(3):
        start, side = corner[:, k], corner[:, (k + 1) % 3] - corner[:, k]
        arm = points[:, None] - start
        inside &= (np.cross(n, side) * arm).sum(axis=2) >= 0
        t = np.clip((arm * side).sum(axis=2) / (side * side).sum(axis=1), 0, 1)
        best = np.minimum(best, ((arm - t[..., None] * side) ** 2).sum(axis=2))
    return np.sqrt(np.where(inside, np.minimum(over * over, best), best).min(axis=1))


def depth(points: Floats, vertices: Floats, triangles: Ints) -> float:
    """How deep the deepest of the points lies inside of a mesh, 0 where none does [m]."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    points = points[((points > low) & (points < high)).all(axis=1)]
    deepest = 0.0
    for some in np.array_split(points, max(1, len(points) * len(triangles) // 200_000)):
        some = some[np.abs(winding(some, vertices, triangles)) > 0.5] if len(some) else some
        if len(some):
            deepest = max(deepest, float(distance(some, vertices, triangles).max()))
    return deepest


def size(vertices: Floats) -> float:
    """Diagonal of the box around some points [m]."""
    return float(np.linalg.norm(np.ptp(vertices, axis=0)))
