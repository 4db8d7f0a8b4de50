"""A lattice steered toward a goal, and slowed where it hardly moves any more (Norton et al. 1991, "Future work").

Both act from frame to frame, on all nodes alike: they neither bend nor break anything by themselves.
"""

import numpy as np

from ...arithmetic.elementary import exp
from ...arithmetic.products import dot
from ...types import Floats
from .state import LatticeState

#: How soon what stands almost still comes to rest [1/s]. By eye: within a fifth of a second.
_SETTLING = 20.0


def centre_motion(state: LatticeState, mass: Floats) -> tuple[Floats, Floats]:
    """The centre of mass of a lattice (3,) [m], and its velocity (3,) [m/s]."""
    share = mass[:, None] / mass.sum()
    return (share * state.position).sum(axis=0), (share * state.velocity).sum(axis=0)


def steering_acceleration(state: LatticeState, mass: Floats, goal: Floats, rate: float, dt: float) -> Floats:
    """The acceleration (3,) that leads the middle of a lattice to a goal (3,) [m], for a frame of dt [s].

    It is that of a critically damped spring of frequency `rate` [1/s], by where the middle will be at the end of the
    frame (Tan, Liu, Turk 2011, "Stable proportional-derivative controllers"). No goal is reached faster than in some
    frames: with more than a radian in a frame it would swing about it.
    """
    x, v = centre_motion(state, mass)
    w = min(rate, 1.0 / dt)
    k, d = w * w, 2.0 * w
    return np.asarray((k * (goal - x - dt * v) - d * v) / (1.0 + d * dt + k * dt * dt))


def slow_settling_nodes(velocity: Floats, limit: float, dt: float) -> Floats:
    """Velocities (n,3) after a frame in which all that is slower than a limit [m/s] is slowed, the more the slower."""
    slow = np.maximum(1.0 - dot(velocity, velocity) / (limit * limit), 0.0)
    return np.asarray(velocity * exp(-_SETTLING * dt * slow)[:, None])
