"""The speed that a blow hands to the matter around it, gathered into the momentum of each fragment."""

from dataclasses import dataclass

import numpy as np

from ..arithmetic.products import multiply
from ..breaking.throw import speed_field
from ..geometry.sums import summed
from ..types import Cells, Floats, Frozen, Impact, Ints

#: Step of the central differences that give the gradient of the speed field, relative to the radius of the blow.
#: Chosen: errors of the differences are its square, 1e-8, and round-off over it, 1e-12.
GRADIENT_STEP = 1e-4


@dataclass(frozen=True, eq=False, slots=True)
class FragmentMomentum(Frozen):
    """Impulse and angular impulse that each fragment receives, in material axes."""

    momentum: Floats  #: (K,3) [N s]
    angular_momentum: Floats  #: (K,3) about the fragment's centre of mass [N m s]


def gather_impact_momentum(
    cells: Cells, owner: Ints, centre: Floats, density: float | Floats, impact: Impact, spread: float
) -> FragmentMomentum:
    """Momentum of the speed field over the cells of each fragment.

    `owner` (C,) is the fragment of each cell, -1 for cells that the blow does not reach; `centre` (K,3) [m] the
    fragments' centres of mass at rest; `density` [kg/m^3] is that of all matter, or (C,) of each cell. Inside a cell
    the field is taken as linear, which gives single cells their spin: L = rho eps_ijk S_jl G_kl with the second moment
    S and the gradient G.
    """
    reached = np.flatnonzero(owner >= 0)
    k, c = owner[reached], cells.centroid[reached]
    u = speed_field(c, impact, spread)
    rho = np.broadcast_to(density, len(cells.volume))[reached]
    p = (rho * cells.volume[reached])[:, None] * u
    G = _gradient(c, impact, spread)
    SG = rho[:, None, None] * multiply(cells.second_moment[reached], np.swapaxes(G, 1, 2))
    spin = np.stack([SG[:, 1, 2] - SG[:, 2, 1], SG[:, 2, 0] - SG[:, 0, 2], SG[:, 0, 1] - SG[:, 1, 0]], axis=1)
    return FragmentMomentum(summed(p, k, len(centre)), summed(np.cross(c - centre[k], p) + spin, k, len(centre)))


def _gradient(x: Floats, impact: Impact, spread: float) -> Floats:
    step = GRADIENT_STEP * impact.radius
    columns = [
        (speed_field(x + step * axis, impact, spread) - speed_field(x - step * axis, impact, spread)) / (2 * step)
        for axis in np.eye(3)
    ]
    return np.stack(columns, axis=2)
