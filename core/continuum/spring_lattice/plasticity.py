"""Plastic flow: the length at rest of a bond follows it where it is strained beyond the yield strain."""

import math

import numpy as np

from ...jit import njit_no_refs
from ...types import Floats
from .substeps import LENGTH, STIFFNESS, ShortInts


@njit_no_refs
def flow_rest_lengths(now: Floats, bond_node: ShortInts, spring: Floats, yield_strain: float, share: float) -> None:
    """Take a share of the strain beyond the yield strain out of the bonds (b,2), stretched or pressed.

    `now` (n,6) is the motion, `spring` (b,4) gets new lengths at rest; lengths at which bonds break stay.
    """
    for b in range(len(bond_node)):
        if spring[b, STIFFNESS] == 0.0:
            continue
        i, j = bond_node[b, 0], bond_node[b, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        r, rest = np.sqrt(dx * dx + dy * dy + dz * dz), spring[b, LENGTH]
        if r > rest * (1.0 + yield_strain):
            spring[b, LENGTH] += share * (r / (1.0 + yield_strain) - rest)
        elif r < rest * (1.0 - yield_strain):
            spring[b, LENGTH] += share * (r / (1.0 - yield_strain) - rest)


def flowing_share(flow_rate: float, dt: float) -> float:
    """The share of the excess strain that flows away within a step: all of it at an infinite rate [1/s]."""
    return 1.0 if math.isinf(flow_rate) else flow_rate * dt / (1.0 + flow_rate * dt)
