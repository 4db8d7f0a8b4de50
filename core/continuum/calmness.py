"""When matter is at rest, and when a piece of it swings so little that it may as well be rigid."""

import numpy as np

from ..arithmetic.products import dot, sum_rows
from ..geometry.mesh import cross_rows
from ..types import Floats
from .rigid_motion import spin_of_nodes

#: A piece is calm where its waves, as strain, are no larger than this [1]. By eye: a cup that rings so is not seen to.
_WAVE = 0.01
#: Nodes that go no farther than this in a frame stand still, in the size of all; and so many frames in a row. By eye.
_STILL, _FRAMES = 2e-5, 8


class CalmFrames:
    """Counts the frames in which nothing moved."""

    def __init__(self) -> None:
        self._count = 0

    def begin(self) -> None:
        """Something happened: begin anew."""
        self._count = 0

    def add(self, way: tuple[float, float], broke: bool) -> None:
        """A frame in which nodes went so far at the most, of a body of that size [m]; and whether anything broke."""
        self._count = self._count + 1 if way[0] <= _STILL * way[1] and not broke else 0

    @property
    def are_enough(self) -> bool:
        """Whether it is at rest."""
        return self._count >= _FRAMES


def is_piece_calm(mass: Floats, position: Floats, velocity: Floats, sound: float) -> bool:
    """Whether the nodes (n,) of a piece move as a rigid body but for waves that are not seen.

    Matter in a wave moves with its strain times the speed of sound [m/s].
    """
    m, x, v = mass, position, velocity
    total = float(m.sum())
    centre, mean = sum_rows(m, x) / total, sum_rows(m, v) / total
    arm, aside = x - centre, v - mean
    spin = spin_of_nodes(m, arm, sum_rows(m, cross_rows(arm, aside)))
    left = aside - cross_rows(np.broadcast_to(spin, arm.shape), arm)
    swing = float(np.sqrt((m * dot(left, left)).sum() / total))
    return swing <= _WAVE * sound
