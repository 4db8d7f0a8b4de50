"""Shards: what the nodes of a broken cell hand to its matter, which is smaller than they are apart.

Nodes that fly apart have more angular momentum than matter so small can take without spinning wildly. A shard turns
as its nodes do on the whole; what angular momentum is left is for the piece that it broke from.
"""

import numpy as np

from ...arithmetic.products import apply, multiply, outer
from ...arithmetic.small_matrices import pseudo_inverse_symmetric
from ...fragments.mass import masses
from ...geometry.packed import group_by_owner
from ...types import Cells, Floats, Ints
from ..contract import ReleasedPiece

#: Inertia of nodes about their centre below which they are one point, of that of the shard. Chosen: arms of a millionth
#: of its size, ten orders above their round-off.
_POINT = 1e-12


def unit_inertias(cells: Cells) -> Floats:
    """(U,3,3) of units of density 1 about their centres [m^5]."""
    start, member = group_by_owner(cells.unit, int(cells.unit.max()) + 1)
    return masses(cells, start, member, 1.0).inertia


def share_turning(shard: ReleasedPiece, mass: Floats, position: Floats, inertia: Floats) -> Floats:
    """The angular momentum (3,) of a shard with its own inertia (3,3) that turns as its nodes do [kg m^2/s].

    Nodes in one point do not turn.
    """
    arm = position - shard.centre
    spread = (mass[:, None, None] * outer(arm, arm)).sum(axis=0)
    if np.trace(spread) <= _POINT * np.trace(inertia):
        return np.zeros(3)
    spin = apply(pseudo_inverse_symmetric(np.trace(spread) * np.eye(3) - spread), shard.angular_momentum)
    return np.asarray(apply(inertia, spin))


def rotate_inertia(turn: Floats, inertia: Floats, mass: float, volume: float) -> Floats:
    """The inertia (3,3) of a turned unit that has a mass [kg] in its volume [m^3]; `inertia` is of density 1."""
    return np.asarray(multiply(multiply(turn, inertia), turn.T) * (mass / volume))


def largest_part(part: Ints, joined: int, volume: Floats) -> int:
    """The part with the largest volume of those that hang together, which are numbered below `joined`."""
    return int(np.bincount(part, volume)[:joined].argmax())
