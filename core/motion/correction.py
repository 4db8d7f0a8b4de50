"""Position correction: overlaps are pushed apart as displacements, without giving velocity."""

import numpy as np

from ..jit import njit
from ..types import Floats, Ints
from .contact import Rows, place
from .islands import mark
from .moving import Moving, refresh
from .quaternion import turn_by
from .solver import normal_velocity, push

SWEEPS = 2
RATE = 0.2  # of an overlap in a substep
DEPTH = 1e-4  # overlap that is left, in radii


def correct(rows: Rows, moving: Moving) -> None:
    """Move overlapping bodies apart by a part of their overlap and count the displacement for the energy budget."""
    moved = np.zeros_like(moving.velocity)
    if not correct_rows(rows, moving.bodies.radius, SWEEPS, RATE, DEPTH, moved):
        return
    which = pushed_bodies(rows, moved)
    displace(which, moved, moving.position, moving.rotation, moving.pushed)
    mark(rows, rows.gap < 0.0, moving)
    refresh(moving, which)
    place(rows, moving)


@njit
def displace(which: Ints, moved: Floats, position: Floats, rotation: Floats, pushed: Floats) -> None:
    """Apply displacements and rotation vectors (K+1,6)."""
    for k in which:
        for i in range(3):
            position[k, i] += moved[k, i]
            pushed[k, i] += moved[k, i]
        turn_by(rotation[k], moved[k, 3], moved[k, 4], moved[k, 5])


@njit
def correct_rows(rows: Rows, radius: Floats, sweeps: int, rate: float, depth: float, moved: Floats) -> bool:
    """Pseudo-displacements `moved` (K+1,6) that take back a part of each overlap deeper than `depth` radii."""
    impulse = np.zeros(len(rows.gap))
    any_moved = False
    for _ in range(sweeps):
        for r in range(len(rows.gap)):
            a, b = rows.body[r, 0], rows.body[r, 1]
            size = radius[a] if b < 0 else min(radius[a], radius[b])
            wanted = min(rate * (-rows.gap[r] - depth * size), 0.2 * size)
            if wanted <= 0.0 and impulse[r] == 0.0:
                continue
            p = max(0.0, impulse[r] + (wanted - normal_velocity(rows, r, moved)) / rows.K[r, 0, 0])
            if p != impulse[r]:
                push(rows, r, 0, p - impulse[r], moved)
                impulse[r] = p
                any_moved = True
    return any_moved


@njit
def pushed_bodies(rows: Rows, moved: Floats) -> Ints:
    """Bodies that a correction moves, each once, in increasing order."""
    hit = np.zeros(len(moved), np.bool_)
    for r in range(len(rows.gap)):
        for side in range(2):
            if rows.body[r, side] >= 0:
                hit[rows.body[r, side]] = True
    for k in range(len(moved)):
        if hit[k]:
            size = 0.0
            for i in range(6):
                size += abs(moved[k, i])
            hit[k] = size > 0.0
    return np.flatnonzero(hit)
