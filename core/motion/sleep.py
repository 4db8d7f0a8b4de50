"""Sleep: islands that have been slow and supported for a while stop, and then stay bit for bit where they are."""

import math

import numpy as np

from ..jit import inner, njit
from .islands import find
from .moving import Moving

SLOW = 0.05  # speed in units of sqrt(g r), below which a body counts as resting
# A body that balances on an edge leaves at a rate of about sqrt(g/r): within 6/sqrt(g/r) it is either down or fast.
PATIENCE = 6.0  # time in units of sqrt(r/g)
LEAST_PATIENCE = 0.2  # [s]


@njit
def fall_asleep(moving: Moving, dt: float) -> None:
    """Count how long each body has been slow and supported, and stop the islands in which all have been for long."""
    count = len(moving.mass)
    supported, restless = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    for k in range(count):
        if moving.grounded[k]:
            supported[find(moving.root, k)] = True
    for k in range(count):
        if moving.asleep[k]:
            continue
        island = find(moving.root, k)
        resting = moving.touched[k] and supported[island] and is_slow(moving, k)
        moving.quiet[k] = moving.quiet[k] + dt if resting else 0.0
        if moving.quiet[k] < patience(moving, k):
            restless[island] = True
    for k in range(count):
        if not moving.asleep[k] and not restless[find(moving.root, k)]:
            moving.asleep[k] = True
            moving.velocity[k] = 0.0
            moving.angular_momentum[k] = 0.0


@inner
def is_slow(moving: Moving, k: int) -> bool:
    """Whether no point of body k moves fast for its size."""
    v = moving.velocity[k]
    speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    spin = math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
    return bool(max(speed, spin * moving.radius[k]) <= SLOW * math.sqrt(moving.weight * moving.radius[k]))


@inner
def patience(moving: Moving, k: int) -> float:
    """How long body k has to be slow [s]; without gravity nothing tells rest from slow flight."""
    if moving.weight == 0.0:
        return math.inf
    return max(LEAST_PATIENCE, PATIENCE * math.sqrt(moving.radius[k] / moving.weight))
