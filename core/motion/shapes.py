"""From fragments to rigid bodies: the corners of their convex hulls are all that the ground can touch."""

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ..types import Floats, Fragments
from .state import RigidBodies

FEW = 64  # so many vertices are kept as they are: inner ones cost less than the hull
MOST = 200  # hull corners that are kept; of more only the extreme ones in `MOST` directions


def rigid_bodies(fragments: Fragments, friction: float, restitution: float) -> RigidBodies:
    """The rigid bodies (K) of the fragments, with hull corners as contact points.

    A hull with more than 200 corners keeps those that are extreme in 200 even directions. They are true corners, so a
    body never floats; it can sink into the floor by at most 1 % of its radius where corners were left out.
    Degenerate (flat) fragments keep all their vertices.
    """
    kept, radius = [], []
    for k in range(len(fragments.mass)):
        vertices = fragments.vertices[fragments.vertex_start[k] : fragments.vertex_start[k + 1]]
        corners = hull_corners(vertices)
        kept.append(corners)
        radius.append(np.sqrt(np.max(np.sum(corners**2, axis=1))))
    return RigidBodies(
        mass=fragments.mass,
        inertia=fragments.inertia,
        point_start=np.concatenate([[0], np.cumsum([len(corners) for corners in kept])]).astype(np.int64),
        points=np.concatenate(kept) if kept else np.empty((0, 3)),
        radius=np.array(radius),
        friction=friction,
        restitution=restitution,
    )


def hull_corners(vertices: Floats) -> Floats:
    """The corners of the convex hull of the vertices (n,3), in their order; all of a few or flat vertices."""
    if len(vertices) <= FEW:
        return vertices
    try:
        corners = vertices[np.sort(ConvexHull(vertices).vertices)]
    except QhullError:
        corners = vertices
    if len(corners) > MOST:
        corners = corners[np.unique(np.argmax(corners @ DIRECTIONS.T, axis=0))]
    return corners


def _even_directions(count: int) -> Floats:
    """Unit vectors on a Fibonacci spiral."""
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    turn = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    ring = np.sqrt(1.0 - z * z)
    return np.stack([ring * np.cos(turn), ring * np.sin(turn), z], axis=1)


DIRECTIONS = _even_directions(MOST)
