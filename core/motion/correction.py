"""Position correction: overlaps are pushed apart as displacements, without giving velocity."""

import numpy as np

from ..jit import inner
from ..types import Floats, Ints
from .contact import Rows, place
from .islands import mark
from .moving import Moving, refresh
from .quaternion import turn_by
from .solver import normal_velocity, push, size_of

SWEEPS = 2
RATE = 0.2  # of an overlap that is taken back in a substep
DEPTH = 2e-3  # overlap that is left, in radii: taking back the last of it at each step would feed a rocking body
LARGEST = 0.2  # displacement in a substep, in radii


@inner
def correct(rows: Rows, moving: Moving) -> None:
    """Move overlapping bodies apart by a part of their overlap and count the displacement for the energy budget."""
    moved = displacements(rows, moving)
    which = moved_bodies(rows, moved)
    if len(which) == 0:
        return
    for k in which:
        for i in range(3):
            moving.position[k, i] += moved[k, i]
            moving.pushed[k, i] += moved[k, i]
        turn_by(moving.rotation[k], moved[k, 3], moved[k, 4], moved[k, 5])
    mark(rows, rows.gap < 0.0, moving)
    refresh(moving, which)
    place(rows, moving)


@inner
def displacements(rows: Rows, moving: Moving) -> Floats:
    """Displacements and rotation vectors (K+1,6), as from impulses that act on resting bodies for a unit time."""
    moved = np.zeros_like(moving.velocity)
    impulse = np.zeros(len(rows.gap))
    for _ in range(SWEEPS):
        for r in range(len(rows.gap)):
            size = size_of(rows, r, moving)
            wanted = min(RATE * (-rows.gap[r] - DEPTH * size), LARGEST * size)
            if wanted <= 0.0 and impulse[r] == 0.0:
                continue
            p = max(0.0, impulse[r] + (wanted - normal_velocity(rows, r, moved)) / rows.K[r, 0, 0])
            if p != impulse[r]:
                push(rows, r, 0, p - impulse[r], moved)
                impulse[r] = p
    return moved


@inner
def moved_bodies(rows: Rows, moved: Floats) -> Ints:
    """Bodies that a correction moves, each once, in increasing order."""
    hit = np.zeros(len(moved), np.bool_)
    for r in range(len(rows.gap)):
        for side in range(1 if rows.body[r, 1] < 0 else 2):
            k = rows.body[r, side]
            for i in range(6):
                hit[k] = hit[k] or moved[k, i] != 0.0
    return np.flatnonzero(hit)
