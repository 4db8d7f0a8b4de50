"""Matter whose waves are over goes on as rigid bodies do: what is left of a frame takes no substeps then.

The form that it has stays, and so do momentum and angular momentum; what swings in it is lost.
"""

import numpy as np

from ...arithmetic.elementary import cos, sin
from ...arithmetic.products import apply, dot, sum_rows
from ...arithmetic.small_matrices import rotation_matrices
from ...geometry.mesh import cross_rows
from ...types import Floats
from ..contract import RigidBegin
from ..rigid_motion import spin_of_nodes, velocities_of_begin


def glide_nodes(
    mass: Floats, position: Floats, velocity: Floats, gravity: Floats, time: float
) -> tuple[Floats, Floats]:
    """Positions (n,3) and velocities (n,3) of the nodes of one piece after a time [s], in which only gravity acts."""
    total = float(mass.sum())
    centre, mean = sum_rows(mass, position) / total, sum_rows(mass, velocity) / total
    arm = position - centre
    turning = sum_rows(mass, cross_rows(arm, velocity - mean))
    spin = spin_of_nodes(mass, arm, turning)
    to = centre + time * mean + 0.5 * time * time * gravity
    moved = to + apply(_turn(time * spin), arm)
    begin = RigidBegin(to, total * (mean + time * gravity), turning, np.eye(3))
    return moved, velocities_of_begin(mass, moved, begin)


def _turn(angle: Floats) -> Floats:
    """The rotation (3,3) about a vector (3,) by its length [rad]."""
    size = float(np.sqrt(dot(angle, angle)))
    axis = angle / size if size > 0.0 else angle
    quaternion = np.array([float(cos(0.5 * size)), *(float(sin(0.5 * size)) * axis)])
    return np.asarray(rotation_matrices(quaternion[None])[0])
