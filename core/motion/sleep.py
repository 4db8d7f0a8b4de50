"""Sleep: islands that have been slow and supported for a while stop, and then stay bit for bit where they are."""

import math

import numpy as np

from ..jit import njit
from ..types import Bools, Floats, Ints
from .islands import find
from .moving import Moving

SLOW = 0.05  # speed in units of sqrt(g r), below which a body counts as resting
# A body that balances on an edge leaves at a rate of about sqrt(g/r): within 6/sqrt(g/r) it is either down or fast.
PATIENCE = 6.0  # time in units of sqrt(r/g)
LEAST_PATIENCE = 0.2  # [s]


def fall_asleep(moving: Moving, dt: float) -> None:
    """Count how long each body has been slow and supported, and stop the islands in which all have been for long."""
    gravity = math.sqrt(float(np.sum(moving.gravity**2)))
    rest_islands(
        moving.root, moving.grounded, moving.touched, moving.velocity, moving.angular_momentum, moving.bodies.radius,
        gravity, dt, moving.asleep, moving.quiet,
    )  # fmt: skip


@njit
def rest_islands(
    root: Ints, grounded: Bools, touched: Bools, velocity: Floats, angular_momentum: Floats, radius: Floats,
    gravity: float, dt: float, asleep: Bools, quiet: Floats,
) -> None:  # fmt: skip
    """Update asleep (K,) and quiet (K,), and set the velocities of what falls asleep to zero."""
    count = len(root)
    supported, restless = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for k in range(count):
        if grounded[k]:
            supported[find(root, k)] = True
    for k in range(count):
        if asleep[k]:
            continue
        v = math.sqrt(velocity[k, 0] ** 2 + velocity[k, 1] ** 2 + velocity[k, 2] ** 2)
        w = math.sqrt(velocity[k, 3] ** 2 + velocity[k, 4] ** 2 + velocity[k, 5] ** 2)
        i = find(root, k)
        slow = max(v, w * radius[k]) <= SLOW * math.sqrt(gravity * radius[k])
        quiet[k] = quiet[k] + dt if slow and touched[k] and supported[i] else 0.0
        patience = max(LEAST_PATIENCE, PATIENCE * math.sqrt(radius[k] / gravity)) if gravity > 0.0 else np.inf
        if quiet[k] < patience:
            restless[i] = True
    for k in range(count):
        if not asleep[k] and not restless[find(root, k)]:
            asleep[k] = True
            for x in range(3):
                velocity[k, x] = 0.0
                velocity[k, 3 + x] = 0.0
                angular_momentum[k, x] = 0.0
