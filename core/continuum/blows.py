"""What a hit does to nodes: it hands its speed to those within its radius."""

import numpy as np

from ..arithmetic.products import dot
from ..types import Bools, Floats, Impact


def struck_velocity(position: Floats, velocity: Floats, impact: Impact, anchored: Bools) -> Floats:
    """Velocities (n,3) of nodes after a hit: those at the point get all of its speed, those at its radius none.

    The share (1 - r^2/R^2)^2 has no edge. Where no node is within the radius the nearest one is struck.
    """
    away = position - impact.point
    square = dot(away, away)
    near = np.maximum(1.0 - square / (impact.radius * impact.radius), 0.0)
    share = near * near
    if not share.any():
        share[square.argmin()] = 1.0
    return np.asarray(velocity + np.where(anchored, 0.0, share)[:, None] * (impact.speed * impact.direction))
