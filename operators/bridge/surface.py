"""Places on the surface of an object: nearest to a point, and first along a line."""

from typing import Protocol

import numpy as np

from ...core.arithmetic.products import dot, norm
from ...core.geometry.corner_values import normalized
from ...core.geometry.mesh import diagonal, rotated
from ...core.geometry.nearest import nearest
from ...core.types import Mesh

#: A point is on a surface that is nearer than this share of the diagonal. By eye.
NEAR = 1e-4


class Placement(Protocol):
    """Where an object stands."""

    @property
    def origin(self) -> np.ndarray:
        """(3,) where body coordinates are 0, in the world, in Blender's units."""

    @property
    def unit_scale(self) -> float:
        """Metres per Blender unit."""


def nearest_surface(mesh: Mesh, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The point (3,) of a mesh nearest to another, in body coordinates, and the unit normal (3,) of its triangle."""
    vertices, triangles = finite(mesh)
    triangles = _candidates(vertices, triangles, target)
    point, row, _ = nearest(vertices, triangles, target[None])
    a, b, c = vertices[triangles[row[0]]]
    return point[0], normalized(np.cross(b - a, c - a)[None])[0]


def finite(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Vertices in body coordinates, those without a place at 0, and the triangles that need none of these.

    The core drops the others as well; where none is left it refuses the mesh, so any triangle will do here.
    """
    vertices = rotated(mesh.vertices, mesh.turn)
    if np.isfinite(vertices).all():
        return vertices, mesh.triangles
    placed = np.isfinite(vertices).all(axis=1)
    triangles = mesh.triangles[placed[mesh.triangles].all(axis=1)]
    return np.where(placed[:, None], vertices, 0.0), triangles if len(triangles) else mesh.triangles


def extent(mesh: Mesh) -> float:
    """Diagonal [m] of what of a mesh has a place."""
    placed = np.isfinite(mesh.vertices)
    return diagonal(mesh.vertices if placed.all() else mesh.vertices[placed.all(axis=1)])


def _candidates(vertices: np.ndarray, triangles: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The triangles among which the one nearest to a point is: for one point that is quicker than a search tree.

    No point of a triangle is farther from its first corner than its longer edge there.
    """
    offset = vertices - target
    away = norm(offset)
    # It is no farther than the nearest corner, with room for rounding.
    bound = 1.000001 * away[triangles[:, 0]].min()
    triangles = triangles[_within(triangles, *offset.T, low=-bound, high=bound)]
    a, b, c = triangles.T
    u, v = vertices[b] - vertices[a], vertices[c] - vertices[a]
    reach = np.sqrt(np.maximum(dot(u, u), dot(v, v)))
    return triangles[away[a] - reach <= bound]


def _within(triangles: np.ndarray, *axes: np.ndarray, low: float, high: float) -> np.ndarray:
    """Rows of the triangles that may have a point from `low` to `high` on each axis, where vertices are at `axes`.

    What has all its corners beyond one of the limits has none.
    """
    beyond = np.zeros(len(axes[0]), np.uint8)
    for k, along in enumerate(axes):
        beyond |= (along < low).astype(np.uint8) << 2 * k
        beyond |= (along > high).astype(np.uint8) << (2 * k + 1)
    a, b, c = triangles.T
    return np.flatnonzero((beyond[a] & beyond[b] & beyond[c]) == 0)


def axes_across(direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit axes (3,) across a unit direction (3,) and each other."""
    across = np.cross(direction, np.eye(3)[np.abs(direction).argmin()])
    across = across / norm(across)
    return across, np.cross(direction, across)


def first_along(mesh: Mesh, through: np.ndarray, direction: np.ndarray) -> np.ndarray | None:
    """The first point (3,) of a mesh on the line through a point (3,) along a unit direction (3,), in body coordinates.

    None where the line passes the mesh by. A line through an edge may miss both its triangles.
    """
    depth = _crossings(mesh, through, direction)
    return np.asarray(through + depth.min() * direction) if len(depth) else None


def depth_behind(mesh: Mesh, point: np.ndarray, direction: np.ndarray) -> float:
    """How far [m] matter goes on behind a point (3,) of a surface, or before it, along a unit direction (3,).

    0 behind a sheet, and where the line meets nothing. Of an open vessel without thickness all its inside counts.
    """
    beyond = np.sort(_crossings(mesh, point, direction))
    beyond = beyond[beyond > NEAR * extent(mesh)]
    if len(beyond) % 2:
        return float(beyond[0])
    return float(beyond[1] - beyond[0]) if len(beyond) else 0.0


def _crossings(mesh: Mesh, through: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """(n,) where the line through a point (3,) along a unit direction (3,) pierces the triangles of a mesh [m]."""
    vertices, triangles = finite(mesh)
    # Two axes across the line: what the line pierces has 0 inside of its outline on them.
    across, upward = axes_across(direction)
    away = vertices - through
    u, v = dot(away, across), dot(away, upward)
    triangles = triangles[_within(triangles, u, v, low=0.0, high=0.0)]
    along = dot(away[triangles], direction)
    (ua, ub, uc), (va, vb, vc) = u[triangles.T], v[triangles.T]
    weights = np.stack([ub * vc - uc * vb, uc * va - ua * vc, ua * vb - ub * va])
    total = weights.sum(axis=0)
    pierced = ((weights >= 0.0).all(axis=0) | (weights <= 0.0).all(axis=0)) & (total != 0.0)
    return np.asarray((weights * along.T).sum(axis=0)[pierced] / total[pierced])
