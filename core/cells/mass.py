"""Mass, centre and inertia of sets of cells."""

from dataclasses import dataclass

import numpy as np

from ..types import Cells, Floats, Frozen, Ints


@dataclass(frozen=True, eq=False, slots=True)
class Masses(Frozen):
    """Mass properties of K sets of cells, in rest axes."""

    volume: Floats  #: (K,) [m^3]
    mass: Floats  #: (K,) [kg]
    centre: Floats  #: (K,3) centre of mass [m]
    inertia: Floats  #: (K,3,3) about the centre of mass [kg m^2]


def masses(cells: Cells, owner: Ints, count: int, density: float) -> Masses:
    """Sum the cells of each of `count` sets; `owner` (C,) is the set of each cell, -1 for none.

    Inertia by the parallel axis theorem from the cells' second moments: I = rho (tr(S) 1 - S).
    """
    chosen = np.flatnonzero(owner >= 0)
    k, v, c = owner[chosen], cells.volume[chosen], cells.centroid[chosen]
    volume: Floats = np.bincount(k, v, minlength=count).astype(np.float64)
    centre = _sums(v[:, None] * c, k, count) / volume[:, None]
    r = c - centre[k]
    S = cells.second_moment[chosen] + v[:, None, None] * r[:, :, None] * r[:, None, :]
    S = _sums(S.reshape(-1, 9), k, count).reshape(-1, 3, 3)
    inertia = density * (np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S)
    return Masses(volume, density * volume, centre, inertia)


def cell_owner(cells: Cells, members: tuple[Ints, ...] | list[Ints], unit_count: int) -> Ints:
    """The set of each cell (C,), -1 for none, from the units of each set."""
    owner = np.full(unit_count, -1, np.int64)
    for k, units in enumerate(members):
        owner[units] = k
    return np.asarray(owner[cells.unit], np.int64)


def _sums(values: Floats, k: Ints, count: int) -> Floats:
    return np.stack([np.bincount(k, column, minlength=count) for column in values.T], axis=1)
