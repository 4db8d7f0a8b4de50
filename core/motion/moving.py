"""The working arrays of one frame: K bodies and, as the last row, the world, which nothing can move.

A contact between body a and the world has b = -1 and so indexes the world's row: kernels need no special case.
"""

from dataclasses import dataclass

import numpy as np

from ..jit import njit
from ..types import Bools, Floats, Ints
from .rotation import SECOND_ORDER, principal_frame, rotate_bodies
from .state import RigidBodies, RigidState, World


@dataclass(slots=True)
class Moving:
    """Mutable copies of a `RigidState`, with what the contact solver derives from it."""

    bodies: RigidBodies
    gravity: Floats  #: (3,) [m/s^2]
    position: Floats  #: (K+1,3) [m]
    rotation: Floats  #: (K+1,4)
    velocity: Floats  #: (K+1,6) velocity [m/s], angular velocity [rad/s]
    angular_momentum: Floats  #: (K+1,3) [kg m^2/s]
    inverse_mass: Floats  #: (K+1,) 0 for the world [1/kg]
    inverse_inertia: Floats  #: (K+1,3,3) world axes, 0 for the world [1/(kg m^2)]
    pushed: Floats  #: (K+1,3) sum of the position corrections of this frame [m]
    asleep: Bools  #: (K,)
    quiet: Floats  #: (K,) [s]
    root: Ints  #: (K,) parent in the union-find of bodies that touched in this frame
    touched: Bools  #: (K,) took part in a contact impulse or a correction in this frame
    grounded: Bools  #: (K,) of those, bodies that touched the world


def begin(bodies: RigidBodies, state: RigidState, world: World) -> Moving:
    """Copy the state into working arrays."""
    count = len(bodies.mass)
    moving = Moving(
        bodies=bodies,
        gravity=np.array(world.gravity, dtype=np.float64),
        position=np.vstack([state.position, np.zeros(3)]),
        rotation=np.vstack([state.rotation, np.array([1.0, 0.0, 0.0, 0.0])]),
        velocity=np.zeros((count + 1, 6)),
        angular_momentum=np.vstack([state.angular_momentum, np.zeros(3)]),
        inverse_mass=np.append(1.0 / bodies.mass, 0.0),
        inverse_inertia=np.zeros((count + 1, 3, 3)),
        pushed=np.zeros((count + 1, 3)),
        asleep=state.asleep & (state.velocity == 0.0).all(axis=1) & (state.angular_momentum == 0.0).all(axis=1),
        quiet=np.array(state.quiet),
        root=np.arange(count),
        touched=np.zeros(count, np.bool_),
        grounded=np.zeros(count, np.bool_),
    )
    moving.velocity[:-1, :3] = state.velocity
    refresh(moving, np.flatnonzero(~moving.asleep))
    return moving


def refresh(moving: Moving, which: Ints) -> None:
    """Recompute world inertia and angular velocity of the bodies `which` after a rotation."""
    spin_bodies(
        which, moving.rotation, moving.angular_momentum, moving.bodies.moments, moving.bodies.axes,
        moving.inverse_inertia, moving.velocity,
    )  # fmt: skip


def kick(moving: Moving, which: Ints, h: float) -> None:
    """Let gravity act on the velocities of the bodies `which` for h [s]."""
    kick_bodies(which, moving.velocity, h * moving.gravity)


def drift(moving: Moving, which: Ints, h: float) -> None:
    """Move the bodies `which` for h [s] with constant velocity and angular momentum."""
    bodies = moving.bodies
    drift_bodies(which, moving.position, moving.velocity, h)
    rotate_bodies(
        which, moving.rotation, moving.angular_momentum, bodies.mass, bodies.radius, bodies.moments, bodies.axes,
        h, SECOND_ORDER, True,
    )  # fmt: skip
    refresh(moving, which)


@njit
def kick_bodies(which: Ints, velocity: Floats, change: Floats) -> None:
    """Add `change` (3,) to the velocities."""
    for k in which:
        for i in range(3):
            velocity[k, i] += change[i]


@njit
def drift_bodies(which: Ints, position: Floats, velocity: Floats, h: float) -> None:
    """Position += h velocity."""
    for k in which:
        for i in range(3):
            position[k, i] += h * velocity[k, i]


@njit
def spin_bodies(
    which: Ints, rotation: Floats, angular_momentum: Floats, moments: Floats, axes: Floats, inverse_inertia: Floats,
    velocity: Floats,
) -> None:  # fmt: skip
    """I^-1 = B diag(1/moments) B^T in world axes, and omega = I^-1 L into the last columns of velocity (K+1,6)."""
    B = np.empty((3, 3))
    for k in which:
        principal_frame(rotation[k], axes[k], B)
        for i in range(3):
            for j in range(3):
                inverse_inertia[k, i, j] = (
                    B[i, 0] * B[j, 0] / moments[k, 0]
                    + B[i, 1] * B[j, 1] / moments[k, 1]
                    + B[i, 2] * B[j, 2] / moments[k, 2]
                )
        for i in range(3):
            omega = 0.0
            for j in range(3):
                omega += inverse_inertia[k, i, j] * angular_momentum[k, j]
            velocity[k, 3 + i] = omega
