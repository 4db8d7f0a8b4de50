"""Projected Gauss-Seidel over contact rows: non-penetration with given targets, and Coulomb friction at each point.

The normal impulse p of a row obeys  u >= target, p >= 0, p (u - target) = 0;  the friction impulse t minimises the
kinetic energy within the disc |t| <= mu p. Both steps lower the energy or leave it when the target is zero.
"""

import math

import numpy as np

from ..jit import inner
from ..types import Floats
from .contact import Rows
from .moving import Moving

SWEEPS = 30  # at most
FULL = 2  # sweeps over all rows; after these, rows whose bodies do not change any more are left out
TOLERANCE = 0.001  # change of a contact's velocity that ends its work, relative to g h + its approach speed
CLOSED = 0.005  # gap of a contact that has closed, in radii


@inner
def normal_velocity(rows: Rows, r: int, velocity: Floats) -> float:
    """Relative normal velocity of row r, negative when closing."""
    u = 0.0
    for side in range(1 if rows.body[r, 1] < 0 else 2):
        v = velocity[rows.body[r, side]]
        J = rows.J[r, side, 0]
        u += J[0] * v[0] + J[1] * v[1] + J[2] * v[2] + J[3] * v[3] + J[4] * v[4] + J[5] * v[5]
    return u


@inner
def aim(rows: Rows, moving: Moving, h: float) -> None:
    """Set targets for a solve that is followed by a drift of h [s]: a gap may just close, an overlap may not grow."""
    for r in range(len(rows.gap)):
        u = normal_velocity(rows, r, moving.velocity)
        rows.approach[r] = u
        rows.target[r] = min(0.0, -rows.gap[r] / h)
        rows.tolerance[r] = TOLERANCE * (moving.weight * h + abs(u))


@inner
def bounce(rows: Rows, moving: Moving, h: float) -> None:
    """Set targets for the solve after the drift: Newton's law of impact for rows hit faster than sqrt(g r).

    Rows that are still open belong to the next substep: braking them now would hide their approach from it.
    """
    for r in range(len(rows.gap)):
        size = size_of(rows, r, moving)
        fast = -rows.approach[r] > math.sqrt(moving.weight * size)
        near = rows.gap[r] <= CLOSED * size
        # hit: it would have closed, and it did close. The impulse does not tell, it may be shared in many ways.
        hit = near and rows.approach[r] < rows.target[r]
        if hit and fast:
            rows.target[r] = -moving.restitution * rows.approach[r]
        elif near and not fast:
            rows.target[r] = min(0.0, -rows.gap[r] / h)
        else:
            rows.target[r] = -math.inf if rows.gap[r] > 0.0 else 0.0


@inner
def size_of(rows: Rows, r: int, moving: Moving) -> float:
    """Radius of the smaller body of row r [m]."""
    a, b = rows.body[r, 0], rows.body[r, 1]
    return float(moving.radius[a] if b < 0 else min(moving.radius[a], moving.radius[b]))


@inner
def push(rows: Rows, r: int, k: int, impulse: float, velocity: Floats) -> None:
    """Apply an impulse along direction k of row r to the velocities."""
    for side in range(1 if rows.body[r, 1] < 0 else 2):
        v = velocity[rows.body[r, side]]
        Y = rows.Y[r, side, k]
        for i in range(6):
            v[i] += impulse * Y[i]


@inner
def normal_step(rows: Rows, r: int, velocity: Floats) -> float:
    """One projected step of a normal impulse; returns the change of velocity that it made."""
    K = rows.K[r, 0, 0]
    p = max(0.0, rows.impulse[r, 0] + (rows.target[r] - normal_velocity(rows, r, velocity)) / K)
    change = p - rows.impulse[r, 0]
    if change != 0.0:
        rows.impulse[r, 0] = p
        push(rows, r, 0, change, velocity)
    return float(abs(change) * K)


@inner
def friction_step(rows: Rows, r: int, velocity: Floats, friction: float) -> float:
    """One step of the friction impulse: the exact minimum where the disc allows it, a projected gradient step else."""
    limit = friction * rows.impulse[r, 0]
    s, t = rows.impulse[r, 1], rows.impulse[r, 2]
    if limit == 0.0 and s == 0.0 and t == 0.0:
        return 0.0
    us, ut = 0.0, 0.0
    for side in range(1 if rows.body[r, 1] < 0 else 2):
        v = velocity[rows.body[r, side]]
        J = rows.J[r, side]
        for i in range(6):
            us += J[1, i] * v[i]
            ut += J[2, i] * v[i]
    a, b, c = rows.K[r, 1, 1], rows.K[r, 1, 2], rows.K[r, 2, 2]
    det = a * c - b * b
    new_s, new_t = s - (c * us - b * ut) / det, t - (a * ut - b * us) / det
    if new_s * new_s + new_t * new_t > limit * limit:
        largest = 0.5 * (a + c) + math.sqrt(0.25 * (a - c) * (a - c) + b * b)
        new_s, new_t = s - us / largest, t - ut / largest
        size = math.sqrt(new_s * new_s + new_t * new_t)
        if size > limit:
            new_s, new_t = new_s * limit / size, new_t * limit / size
    rows.impulse[r, 1], rows.impulse[r, 2] = new_s, new_t
    push(rows, r, 1, new_s - s, velocity)
    push(rows, r, 2, new_t - t, velocity)
    return float(max(abs(new_s - s) * a, abs(new_t - t) * c))


@inner
def sweep_pair(rows: Rows, first: int, last: int, velocity: Floats, friction: float) -> float:
    """Friction, then the normals forwards and backwards; returns the largest change over its tolerance."""
    worst = 0.0
    for r in range(first, last):
        worst = max(worst, friction_step(rows, r, velocity, friction) - rows.tolerance[r])
    for r in range(first, last):
        worst = max(worst, normal_step(rows, r, velocity) - rows.tolerance[r])
    for r in range(last - 1, first - 1, -1):
        worst = max(worst, normal_step(rows, r, velocity) - rows.tolerance[r])
    return worst


@inner
def sweep_all(rows: Rows, velocity: Floats, friction: float, sweeps: int) -> int:
    """Sweeps in alternating order; from then on only over pairs of which a body changed. Returns their number."""
    changed = np.zeros(len(velocity), np.int64)  # the last sweep in which a body changed; the world never does
    pairs = len(rows.start) - 1
    for sweep in range(1, sweeps + 1):
        busy = False
        for i in range(pairs):
            pair = i if sweep % 2 else pairs - 1 - i
            first, last = rows.start[pair], rows.start[pair + 1]
            a, b = rows.body[first, 0], rows.body[first, 1]
            if sweep > FULL and changed[a] < sweep - 1 and changed[b] < sweep - 1:
                continue
            if sweep_pair(rows, first, last, velocity, friction) > 0.0:
                busy = True
                changed[a] = sweep
                if b >= 0:
                    changed[b] = sweep
        if not busy and sweep >= FULL:
            return sweep
    return sweeps


@inner
def solve(rows: Rows, moving: Moving) -> None:
    """Find impulses that meet the targets, starting from those in `rows`, and apply them to the velocities."""
    for r in range(len(rows.gap)):
        for k in range(3):
            if rows.impulse[r, k] != 0.0:
                push(rows, r, k, rows.impulse[r, k], moving.velocity)
    sweep_all(rows, moving.velocity, moving.friction, SWEEPS)
    for r in range(len(rows.gap)):
        for side in range(1 if rows.body[r, 1] < 0 else 2):
            L = moving.angular_momentum[rows.body[r, side]]
            for k in range(3):
                for i in range(3):
                    L[i] += rows.impulse[r, k] * rows.J[r, side, k, 3 + i]
