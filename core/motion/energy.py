"""Kinetic and potential energy, and the budget that keeps their sum from rising over a frame."""

import math
from dataclasses import dataclass

import numpy as np

from ..jit import njit
from ..types import Bools, Floats, Ints
from .islands import find
from .moving import Moving
from .rotation import principal_frame, solve_inertia
from .state import RigidBodies, RigidState, World

Energy = Floats  #: (3,) kinetic energy of translation, of rotation, potential energy [J]


def energy(bodies: RigidBodies, state: RigidState, world: World) -> Energy:
    """Energies (3,) [J] summed over the bodies: translation, rotation, potential -m g.x (zero at the origin)."""
    total = np.zeros(3)
    total[0] = 0.5 * np.sum(bodies.mass[:, None] * state.velocity**2)
    total[1] = np.sum(rotation_energy(state.rotation, state.angular_momentum, bodies.moments, bodies.axes))
    total[2] = -np.sum(bodies.mass[:, None] * (state.position * world.gravity))
    return total


@dataclass(frozen=True, slots=True)
class Account:
    """What the bodies had at the start of the frame."""

    kinetic: Floats  #: (K,) [J]
    position: Floats  #: (K,3) [m]


def kinetic(moving: Moving) -> Floats:
    """Kinetic energy (K,) of each body [J]."""
    bodies = moving.bodies
    turning = rotation_energy(moving.rotation[:-1], moving.angular_momentum[:-1], bodies.moments, bodies.axes)
    return np.asarray(0.5 * bodies.mass * np.sum(moving.velocity[:-1, :3] ** 2, axis=1) + turning)


def open_account(moving: Moving) -> Account:
    """Note the energies before the frame."""
    return Account(kinetic(moving), moving.position[:-1].copy())


def settle(moving: Moving, account: Account) -> None:
    """Take back what each island of touching bodies gained over the frame beyond its work against gravity.

    In this order: its position corrections, a uniform share of its velocities (an island in the air keeps its
    momentum), its displacement. A body that touched nothing is exact by itself and is left alone.
    """
    if not moving.touched.any():
        return
    bodies = moving.bodies
    moved = moving.position[:-1] - account.position
    # from differences, never from totals: a total loses the digits that matter
    gain = kinetic(moving) - account.kinetic - bodies.mass * (moved @ moving.gravity)
    settle_islands(
        moving.root, moving.touched, moving.grounded, gain, bodies.mass, moving.gravity, account.position,
        moving.position, moving.pushed, moving.velocity, moving.angular_momentum, bodies.moments, bodies.axes,
        moving.rotation,
    )  # fmt: skip


@njit
def rotation_energy(rotation: Floats, angular_momentum: Floats, moments: Floats, axes: Floats) -> Floats:
    """1/2 L . I^-1 L (K,) of each body [J]."""
    result = np.empty(len(rotation))
    B = np.empty((3, 3))
    omega = np.empty(3)
    for k in range(len(rotation)):
        principal_frame(rotation[k], axes[k], B)
        result[k] = 0.5 * solve_inertia(B, moments[k], angular_momentum[k], omega)
    return result


@njit
def settle_islands(
    root: Ints, touched: Bools, grounded: Bools, gain: Floats, mass: Floats, gravity: Floats, start: Floats,
    position: Floats, pushed: Floats, velocity: Floats, angular_momentum: Floats, moments: Floats, axes: Floats,
    rotation: Floats,
) -> None:  # fmt: skip
    """The three repayments of `settle`, island by island (an island is known by its root)."""
    count = len(root)
    excess, lift = np.zeros(count), np.zeros(count)
    island_mass, momentum, supported = np.zeros(count), np.zeros((count, 3)), np.zeros(count, np.bool_)
    for k in range(count):
        if touched[k]:
            i = find(root, k)
            excess[i] += gain[k]
            island_mass[i] += mass[k]
            supported[i] = supported[i] or grounded[k]
            for x in range(3):
                lift[i] -= mass[k] * gravity[x] * pushed[k, x]
                momentum[i, x] += mass[k] * velocity[k, x]
    share = np.zeros(count)
    for i in range(count):
        if excess[i] > 0.0 and lift[i] > 0.0:
            share[i] = min(1.0, excess[i] / lift[i])
    free = np.zeros(count)  # kinetic energy that may be taken: all of it, or that about the mean velocity
    turning = rotation_energy(rotation[:count], angular_momentum[:count], moments, axes)
    for k in range(count):
        if touched[k]:
            i = find(root, k)
            free[i] += turning[k]
            for x in range(3):
                position[k, x] -= share[i] * pushed[k, x]
                mean = 0.0 if supported[i] else momentum[i, x] / island_mass[i]
                free[i] += 0.5 * mass[k] * (velocity[k, x] - mean) ** 2
    height = np.zeros(count)  # potential energy gained
    for k in range(count):
        if touched[k]:
            i = find(root, k)
            for x in range(3):
                height[i] -= mass[k] * gravity[x] * (position[k, x] - start[k, x])
    for k in range(count):
        if touched[k]:
            i = find(root, k)
            over = excess[i] - share[i] * lift[i]
            if over <= 0.0:
                continue
            scale = math.sqrt(max(0.0, 1.0 - over / free[i])) if free[i] > 0.0 else 0.0
            back = min(1.0, (over - free[i]) / height[i]) if over > free[i] and height[i] > 0.0 else 0.0
            for x in range(3):
                mean = 0.0 if supported[i] else momentum[i, x] / island_mass[i]
                velocity[k, x] = mean + scale * (velocity[k, x] - mean)
                velocity[k, 3 + x] *= scale
                angular_momentum[k, x] *= scale
                position[k, x] -= back * (position[k, x] - start[k, x])
