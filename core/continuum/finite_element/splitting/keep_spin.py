"""Angular momentum that a cut has lost is given back as a small rigid spin of the nodes around it (ours)."""

import numpy as np

from ....arithmetic.products import dot, sum_outer, sum_rows
from ....arithmetic.small_matrices import determinant, solve
from ....types import Floats, Ints
from ..cut_rows import NodeRows

#: Determinant of inertia, relative to the cube of a third of its trace, below which nodes lie in a line: by eye.
_THIN = 1e-9


def return_spin(nodes: NodeRows, listed: Ints, spin: Floats) -> float:
    """Turn the free ones of some nodes (k,) about their centre of mass, until they have `spin` (3,) more [kg m^2/s].

    Momentum stays what it is. Nodes in a line are left alone. Returns the kinetic energy that they have gained [J].
    """
    free = listed[~nodes.anchored[listed]]
    if len(free) == 0:
        return 0.0
    mass, place = nodes.mass[free], nodes.position[free]
    arm = place - sum_rows(mass, place) / mass.sum()
    inertia = np.eye(3) * (mass * dot(arm, arm)).sum() - sum_outer(mass, arm, arm)
    third = (inertia[0, 0] + inertia[1, 1] + inertia[2, 2]) / 3.0
    if not determinant(inertia) > _THIN * third * third * third:
        return 0.0
    change = np.cross(solve(inertia, spin[:, None])[:, 0], arm)
    gained = float((mass * dot(change, nodes.velocity[free] + 0.5 * change)).sum())
    nodes.velocity[free] += change
    return gained
