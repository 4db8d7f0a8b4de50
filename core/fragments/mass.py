"""Mass, centre and inertia of sets of cells."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arithmetic.products import sum_outer
from ..geometry import packed
from ..geometry.sums import summed
from ..types import Bools, Cells, Floats, Frozen, Ints


@dataclass(frozen=True, eq=False, slots=True)
class Masses(Frozen):
    """Mass properties of K sets of cells, in rest axes."""

    volume: Floats  #: (K,) [m^3]
    mass: Floats  #: (K,) [kg]
    centre: Floats  #: (K,3) centre of mass [m]
    inertia: Floats  #: (K,3,3) about the centre of mass [kg m^2]


def masses(cells: Cells, start: Ints, member: Ints, density: float | Floats) -> Masses:
    """Sum the cells of each set: set k holds `member[start[k]:start[k + 1]]`; sets may share cells.

    `density` [kg/m^3] is that of all matter, or (C,) of each cell. Inertia by the parallel axis theorem from the cells'
    second moments: I = sum rho (tr(S) 1 - S).
    """
    # One density for all is left out of the sums, so that it costs the result no digit.
    rho: Floats
    even, rho = (1.0, density[member]) if isinstance(density, np.ndarray) else (density, np.ones(len(member)))
    count = len(start) - 1
    k = packed.owners(start)
    v = cells.volume[member]
    volume = summed(v[:, None], k, count)[:, 0]
    m: Floats = rho * v
    total = summed(m[:, None], k, count)[:, 0]
    safe = np.where(total > 0.0, total, 1.0)
    # Centroids are averaged about one cell of the set, so that bodies far from the origin lose no digits.
    origin = np.zeros((count, 3))
    filled = np.diff(start) > 0
    origin[filled] = cells.centroid[member[start[:-1][filled]]]
    offset = cells.centroid[member] - origin[k]
    shift = summed(m[:, None] * offset, k, count) / safe[:, None]
    d = offset - shift[k]
    S: Floats = rho[:, None, None] * cells.second_moment[member] + m[:, None, None] * d[:, :, None] * d[:, None, :]
    S = summed(S.reshape(-1, 9), k, count).reshape(-1, 3, 3)
    inertia = even * (np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S)
    return Masses(volume, even * total, origin + shift, inertia)


def cells_of(unit: Ints, members: Sequence[Ints]) -> tuple[Ints, Ints]:
    """The cells of sets of units, packed: start (K+1,) and cell numbers; `unit` (C,) is the unit of each cell."""
    unit_start, order = packed.group_by_owner(unit, int(unit.max()) + 1 if len(unit) else 0)
    sizes = np.array([len(units) for units in members], np.int64)
    units = np.concatenate([np.zeros(0, np.int64), *(np.asarray(part, np.int64) for part in members)])
    lengths = unit_start[units + 1] - unit_start[units]
    fragment_cell = order[packed.ranges(unit_start[units], lengths)]
    fragment = np.repeat(np.repeat(np.arange(len(members)), sizes), lengths)
    start = packed.packed_starts(np.bincount(fragment, minlength=len(members)))
    return start, fragment_cell[np.lexsort((fragment_cell, fragment))]


def join_masses(several: Sequence[Masses]) -> Masses:
    """Several lists as one."""
    if not several:
        return Masses(np.zeros(0), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3, 3)))
    return Masses(
        *(np.concatenate([getattr(one, name) for one in several]) for name in ("volume", "mass", "centre", "inertia"))
    )


def take_masses(some: Masses, rows: Ints | Bools) -> Masses:
    """Some rows of a list."""
    return Masses(some.volume[rows], some.mass[rows], some.centre[rows], some.inertia[rows])


def inertia_about(some: Masses, centre: Floats) -> Floats:
    """Inertia (3,3) of all of them as one body about a point (3,)."""
    d = some.centre - centre
    steiner = sum_outer(some.mass, d, d)
    return np.asarray(some.inertia.sum(axis=0) + np.trace(steiner) * np.eye(3) - steiner)
