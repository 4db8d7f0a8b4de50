"""The speed that a blow hands to the matter around it, gathered into the momentum of each fragment."""

from dataclasses import dataclass

import numpy as np

from ..types import Cells, Floats, Frozen, Impact, Ints

#: Step of the central differences that give the gradient of the speed field, relative to the radius of the blow.
GRADIENT_STEP = 1e-4


@dataclass(frozen=True, eq=False, slots=True)
class Launch(Frozen):
    """Impulse and angular impulse that each fragment receives, in material axes."""

    momentum: Floats  #: (K,3) [N s]
    angular_momentum: Floats  #: (K,3) about the fragment's centre of mass [N m s]


def speed_field(x: Floats, impact: Impact, spread: float) -> Floats:
    """Speed that the blow gives to matter at points `x` (n,3), in [m/s]: along the blow, and outwards from its line.

    Both fall off as exp(-r/R) with the distance r to the hit and the radius R of the blow. The outward part grows
    from zero on the line of the blow, so that the field is smooth there. Ours; the papers leave the throw open.
    """
    d = impact.direction
    r = x - impact.point
    across = r - np.einsum("ni,i->n", r, d)[:, None] * d
    outward = across / (np.linalg.norm(across, axis=1) + 0.1 * impact.radius)[:, None]
    falloff = np.exp(-np.linalg.norm(r, axis=1) / impact.radius)
    return np.asarray(impact.speed * falloff[:, None] * (d + spread * outward))


def launch(cells: Cells, owner: Ints, centre: Floats, density: float | Floats, impact: Impact, spread: float) -> Launch:
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
    SG = rho[:, None, None] * np.einsum("njl,nkl->njk", cells.second_moment[reached], G)
    spin = np.stack([SG[:, 1, 2] - SG[:, 2, 1], SG[:, 2, 0] - SG[:, 0, 2], SG[:, 0, 1] - SG[:, 1, 0]], axis=1)
    return Launch(summed(p, k, len(centre)), summed(np.cross(c - centre[k], p) + spin, k, len(centre)))


def _gradient(x: Floats, impact: Impact, spread: float) -> Floats:
    step = GRADIENT_STEP * impact.radius
    columns = [
        (speed_field(x + step * axis, impact, spread) - speed_field(x - step * axis, impact, spread)) / (2 * step)
        for axis in np.eye(3)
    ]
    return np.stack(columns, axis=2)


def summed(values: Floats, k: Ints, count: int) -> Floats:
    """(count,n) sums of `values (.,n)` over the groups `k (.,)`."""
    return np.stack([np.bincount(k, values[:, axis], minlength=count) for axis in range(3)], axis=1)
