"""Pieces that are cut anew weigh what they weighed before, also where the density is uneven."""

from dataclasses import replace

import numpy as np

from ..arithmetic.products import apply, dot, sum_outer
from ..arithmetic.small_matrices import pseudo_inverse_symmetric
from ..fragments.mass import cells_of, masses
from ..types import Floats, Ints
from .spec import FractureModel

#: No cell becomes lighter than this share of what its field says, relative to the mean change. By eye: a cell without
#: mass could not be moved.
_LEAST = 0.1


def match_mass_moments(cut: FractureModel, model: FractureModel, units: Ints) -> FractureModel:
    """The matter of a piece that was cut anew, from some `units` of the matter that it was cut from.

    A cell has one density, that of its middle, so finer cells sum to another mass and another centre of mass. Factors
    a + b.(c - C) of the densities of the cells, at c, bring both back, and with them the momentum. It is `cut` itself
    where the density is even.
    """
    if not isinstance(cut.density, np.ndarray) and not isinstance(model.density, np.ndarray):
        return cut
    before = masses(model.cells, *cells_of(model.cells.unit, [units]), model.density)
    count = len(cut.cells.volume)
    after = masses(cut.cells, np.array([0, count]), np.arange(count), cut.density)
    m, d = cut.density * cut.cells.volume, cut.cells.centroid - after.centre[0]
    a = float(before.mass[0] / after.mass[0])
    T = sum_outer(m, d, d)
    b = apply(pseudo_inverse_symmetric(T), before.mass[0] * (before.centre[0] - after.centre[0]))
    factor = a + _bounded(dot(d, b), a)
    return replace(cut, strengths=replace(cut.strengths, density=cut.strengths.density * factor))


def _bounded(tilt: Floats, mean: float) -> Floats:
    """A tilt (n,), smaller where it would leave a cell too little of the mean factor."""
    deepest = -float(tilt.min(initial=0.0))
    most = (1.0 - _LEAST) * mean
    return tilt if deepest <= most else tilt * (most / deepest)
