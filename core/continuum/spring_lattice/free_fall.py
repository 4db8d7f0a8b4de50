"""What falls without turning, and meets nothing within a frame: its springs have nothing to do, and cost nothing."""

from dataclasses import replace

import numpy as np

from ...arithmetic.products import norm
from ..contract import Surroundings
from .lattice import SpringLattice
from .state import LatticeState

#: How much farther than everything can go what is in the way has to be. By eye: surfaces bend their ways in a frame.
_ROOM = 1.5


def falls_freely(lattice: SpringLattice, state: LatticeState, around: Surroundings) -> bool:
    """Whether nothing comes near a lattice within a frame whose nodes all have one velocity."""
    node = np.flatnonzero(lattice.outer)
    if len(node) == 0:
        return True
    speed = float(norm(state.velocity[0])) + around.dt * float(norm(around.gravity))
    for share in (0.0, 1.0):
        found = around.find_nearest(state.position[node], share)
        there = np.isfinite(found.distance)
        way = around.dt * (speed + float(norm(found.velocity[there]).max(initial=0.0)))
        if (found.distance[there] <= _ROOM * way).any():
            return False
    return True


def advance_free_fall(state: LatticeState, around: Surroundings) -> LatticeState:
    """The lattice a frame later: on a parabola."""
    gained = around.dt * around.gravity
    position = state.position + around.dt * (state.velocity + 0.5 * gained)
    return replace(state, position=position, velocity=state.velocity + gained)
