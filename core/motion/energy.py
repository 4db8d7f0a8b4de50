"""Kinetic and potential energy, and the budget that keeps their sum from rising over a frame."""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inner, njit
from ..types import Floats
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


@njit
def kinetic(moving: Moving) -> Floats:
    """Kinetic energy (K,) of each body [J]."""
    count = len(moving.mass)
    result = rotation_energy(moving.rotation[:count], moving.angular_momentum[:count], moving.moments, moving.axes)
    for k in range(count):
        v = moving.velocity[k]
        result[k] += 0.5 * moving.mass[k] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return result


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


class Account(NamedTuple):
    """What each island gained and what it can give back, in the row of its root."""

    gain: Floats  #: (K,) energy [J]
    height: Floats  #: (K,) potential energy, a part of the gain [J]
    lift: Floats  #: (K,) potential energy by position corrections, a part of the height [J]
    free: Floats  #: (K,) kinetic energy that may be taken: all on the ground, that about the mean velocity in the air
    mean: Floats  #: (K,3) velocity that stays: zero on the ground [m/s]


@njit
def settle(moving: Moving, kinetic_before: Floats, start: Floats) -> None:
    """Take back what each island of touching bodies gained over the frame beyond its work against gravity.

    In this order: its position corrections, a uniform share of its velocities (an island in the air keeps its
    momentum), its displacement. The velocities also pay for the corrections that stay. A body that touched nothing is
    exact by itself and is left alone.
    `kinetic_before` (K,) [J] and `start` (K,3) [m] are kinetic energies and positions at the start of the frame.
    """
    account = sums(moving, kinetic_before, start)
    share, scale, back = repayments(account)
    for k in range(len(moving.mass)):
        if not moving.touched[k]:
            continue
        i = find(moving.root, k)
        for x in range(3):
            moving.position[k, x] -= share[i] * moving.pushed[k, x]
        if scale[i] == 1.0:
            continue
        for x in range(3):
            moving.velocity[k, x] = account.mean[i, x] + scale[i] * (moving.velocity[k, x] - account.mean[i, x])
            moving.velocity[k, 3 + x] *= scale[i]
            moving.angular_momentum[k, x] *= scale[i]
            moving.position[k, x] -= back[i] * (moving.position[k, x] - start[k, x])


@inner
def sums(moving: Moving, kinetic_before: Floats, start: Floats) -> Account:
    """The account of each island, from differences: totals would lose the digits that matter."""
    count = len(moving.mass)
    gain, height, lift, free = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    mass, mean, supported = np.zeros(count), np.zeros((count, 3)), np.zeros(count, np.bool_)
    turning = rotation_energy(moving.rotation[:count], moving.angular_momentum[:count], moving.moments, moving.axes)
    for k in range(count):
        if moving.touched[k]:
            i = find(moving.root, k)
            supported[i] = supported[i] or moving.grounded[k]
            mass[i] += moving.mass[k]
            for x in range(3):
                mean[i, x] += moving.mass[k] * moving.velocity[k, x]
    for i in range(count):
        for x in range(3):
            mean[i, x] = 0.0 if supported[i] or mass[i] == 0.0 else mean[i, x] / mass[i]
    for k in range(count):
        if moving.touched[k]:
            i = find(moving.root, k)
            free[i] += turning[k]
            gain[i] += turning[k] - kinetic_before[k]
            for x in range(3):
                moved = moving.position[k, x] - start[k, x]
                height[i] -= moving.mass[k] * moving.gravity[x] * moved
                lift[i] -= moving.mass[k] * moving.gravity[x] * moving.pushed[k, x]
                gain[i] += 0.5 * moving.mass[k] * moving.velocity[k, x] ** 2
                free[i] += 0.5 * moving.mass[k] * (moving.velocity[k, x] - mean[i, x]) ** 2
    return Account(gain + height, height, lift, free, mean)


@inner
def repayments(account: Account) -> tuple[Floats, Floats, Floats]:
    """For each island (K,): the share of its corrections and of its displacement to take back, the velocity to keep."""
    count = len(account.gain)
    share, scale, back = np.zeros(count), np.ones(count), np.zeros(count)
    for i in range(count):
        over, height = account.gain[i], account.height[i]
        if over > 0.0 and account.lift[i] > 0.0:
            share[i] = min(1.0, over / account.lift[i])
            over -= share[i] * account.lift[i]
            height -= share[i] * account.lift[i]
        # The motion pays for the lift that stays: else corrections would feed back what contacts dissipate, and a
        # rocking body would never come to rest although its energy does not rise.
        debt = max(0.0, over) + max(0.0, (1.0 - share[i]) * account.lift[i])
        if debt > 0.0:
            scale[i] = math.sqrt(max(0.0, 1.0 - debt / account.free[i])) if account.free[i] > 0.0 else 0.0
        if over > account.free[i] and height > 0.0:
            back[i] = min(1.0, (over - account.free[i]) / height)
    return share, scale, back
