"""What a fracture pattern is."""

from dataclasses import dataclass

import numpy as np

from ...types import Floats, Frozen, Partition

#: How far the outermost regions of a generated pattern reach, in half extents: a pattern fills much more than its box.
#: Chosen: far enough for bodies much longer than the box, near enough for corners to keep their digits.
REACH = 16.0


@dataclass(frozen=True, eq=False, slots=True)
class Pattern(Frozen):
    """A division of space about the origin with the axis +z, without a unit.

    The axis points the way in which a blow goes. The box -half..half holds all that makes the look of the pattern;
    regions at its rim may reach far beyond it.
    """

    partition: Partition
    half: Floats  #: (3,) half extents of the box; infinite along an axis along which the pattern never changes


def block_side(half: Floats) -> float:
    """Side of the typical body, for which pieces are counted: a cube whose side is hit in the middle, as large as the
    box lets it be (see placement.enclosing).
    """
    return float(min(np.sqrt(2.0) * half[:2].min(), half[2]))


def in_block(points: Floats, half: Floats) -> Floats:
    """Those of the points (n,2) or (n,3) that lie in the typical body: from the hit inwards, along +z."""
    side = block_side(half)
    inside = np.all(np.abs(points[:, :2]) <= 0.5 * side, axis=1)
    if points.shape[1] > 2:
        inside &= (points[:, 2] >= 0.0) & (points[:, 2] <= side)
    return np.asarray(inside)
