"""The working arrays of one frame: K bodies and, as the last row, the world, which nothing can move.

A contact between body a and the world has b = -1 and so indexes the world's row: kernels need no special case.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inner, njit
from ..types import Bools, Floats, Ints
from .rotation import SECOND_ORDER, principal_frame, rotate_bodies
from .state import RigidBodies, RigidState, World


class Moving(NamedTuple):
    """The bodies, and a `RigidState` as arrays that change in place, with what the solver derives from it."""

    mass: Floats  #: (K,) [kg]
    radius: Floats  #: (K,) [m]
    moments: Floats  #: (K,3) [kg m^2]
    axes: Floats  #: (K,3,3)
    point_start: Ints  #: (K+1,)
    points: Floats  #: (N,3) [m]
    friction: float
    restitution: float
    gravity: Floats  #: (3,) [m/s^2]
    weight: float  #: size of gravity [m/s^2]
    floor: float  #: height of the ground, -inf where there is none [m]
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
    """Copy the state into working arrays. A sleeping body that was given a velocity is awake."""
    count = len(bodies.mass)
    gravity = np.array(world.gravity, dtype=np.float64)
    velocity = np.zeros((count + 1, 6))
    velocity[:-1, :3] = state.velocity
    moving = Moving(
        mass=bodies.mass,
        radius=bodies.radius,
        moments=bodies.moments,
        axes=bodies.axes,
        point_start=bodies.point_start,
        points=bodies.points,
        friction=float(bodies.friction),
        restitution=float(bodies.restitution),
        gravity=gravity,
        weight=math.sqrt(float(np.sum(gravity**2))),
        floor=-math.inf if world.ground is None else float(world.ground.height),
        position=np.vstack([state.position, np.zeros(3)]),
        rotation=np.vstack([state.rotation, np.array([1.0, 0.0, 0.0, 0.0])]),
        velocity=velocity,
        angular_momentum=np.vstack([state.angular_momentum, np.zeros(3)]),
        inverse_mass=np.append(1.0 / bodies.mass, 0.0),
        inverse_inertia=np.zeros((count + 1, 3, 3)),
        pushed=np.zeros((count + 1, 3)),
        asleep=state.asleep & ~(state.velocity != 0.0).any(axis=1) & ~(state.angular_momentum != 0.0).any(axis=1),
        quiet=np.array(state.quiet),
        root=np.arange(count),
        touched=np.zeros(count, np.bool_),
        grounded=np.zeros(count, np.bool_),
    )
    refresh(moving, np.flatnonzero(~moving.asleep))
    return moving


@inner
def kick(moving: Moving, which: Ints, h: float) -> None:
    """Let gravity act on the velocities of the bodies `which` for h [s]."""
    for k in which:
        for i in range(3):
            moving.velocity[k, i] += h * moving.gravity[i]


@inner
def drift(moving: Moving, which: Ints, h: float) -> None:
    """Move the bodies `which` for h [s] with constant velocity and angular momentum."""
    for k in which:
        for i in range(3):
            moving.position[k, i] += h * moving.velocity[k, i]
    rotate_bodies(
        which,
        moving.rotation,
        moving.angular_momentum,
        moving.mass,
        moving.radius,
        moving.moments,
        moving.axes,
        h,
        SECOND_ORDER,
        True,
    )
    refresh(moving, which)


@njit
def refresh(moving: Moving, which: Ints) -> None:
    """Recompute inertia in world axes, I^-1 = B diag(1/moments) B^T, and omega = I^-1 L after a rotation."""
    B = np.empty((3, 3))
    for k in which:
        principal_frame(moving.rotation[k], moving.axes[k], B)
        inverse, moments = moving.inverse_inertia[k], moving.moments[k]
        for i in range(3):
            for j in range(3):
                inverse[i, j] = 0.0
                for x in range(3):
                    inverse[i, j] += B[i, x] * B[j, x] / moments[x]
        L = moving.angular_momentum[k]
        for i in range(3):
            moving.velocity[k, 3 + i] = inverse[i, 0] * L[0] + inverse[i, 1] * L[1] + inverse[i, 2] * L[2]
