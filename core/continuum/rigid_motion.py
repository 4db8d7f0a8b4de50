"""Nodes that move as a rigid body: the velocities that give them a momentum and an angular momentum, exactly."""

import numpy as np

from ..arithmetic.products import apply, outer, sum_rows
from ..arithmetic.small_matrices import pseudo_inverse_symmetric
from ..geometry.mesh import cross_rows
from ..types import Floats
from .contract import ReleasedPiece, RigidBegin


def velocities_of_begin(mass: Floats, position: Floats, begin: RigidBegin) -> Floats:
    """Velocities (n,3) [m/s] of nodes with masses (n,) [kg] at positions (n,3) [m] that together have what is said.

    The angular momentum about a line on which all nodes lie cannot be taken up, and is lost.
    """
    total = float(mass.sum())
    centre = sum_rows(mass, position) / total
    # About the centre of the nodes, which may lie beside that of the body that they were.
    turning = begin.angular_momentum + np.cross(begin.centre - centre, begin.momentum)
    arm = position - centre
    spin = spin_of_nodes(mass, arm, turning)
    return np.asarray(begin.momentum / total + cross_rows(np.broadcast_to(spin, arm.shape), arm))


def spin_of_nodes(mass: Floats, arm: Floats, angular_momentum: Floats) -> Floats:
    """The spin (3,) [rad/s] with which nodes at arms (n,3) from their centre of mass have an angular momentum (3,)."""
    spread = (mass[:, None, None] * outer(arm, arm)).sum(axis=0)
    inertia = np.trace(spread) * np.eye(3) - spread
    return apply(pseudo_inverse_symmetric(inertia), angular_momentum)


def sum_motion(piece: int, mass: Floats, position: Floats, velocity: Floats) -> ReleasedPiece:
    """What nodes with masses (k,) [kg] at positions (k,3) [m] have that move with velocities (k,3) [m/s]."""
    total = float(mass.sum())
    centre = (mass[:, None] * position).sum(axis=0) / total
    p = mass[:, None] * velocity
    return ReleasedPiece(piece, total, centre, p.sum(axis=0), cross_rows(position - centre, p).sum(axis=0))
