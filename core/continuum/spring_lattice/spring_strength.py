"""Fields of strength and density, paint and places of influence, as springs and cells feel them."""

import numpy as np

from ...strength.influence import toughness_along
from ...strength.stack import density_factors, link_strengths
from ...types import Cells, Floats
from ..contract import ContinuumObject


def spring_strengths(obj: ContinuumObject, ends: Floats) -> Floats:
    """Factors (b,) of the strain at which springs with ends (b,2,3) tear, infinite where none ever does.

    Fields are asked at the middle of each spring, with its direction for that of a bond. What is outside of all spheres
    of influence never tears.
    """
    middle = 0.5 * (ends[:, 0] + ends[:, 1])
    factor = link_strengths(obj.origin, ends, obj.fields) * toughness_along(obj.influence, obj.origin, middle)
    spheres = obj.influence.spheres
    if len(spheres) == 0:
        return np.asarray(factor)
    within = np.zeros(len(middle), np.bool_)
    for x, y, z, radius in spheres.tolist():
        away = np.square(middle[:, 0] - x) + np.square(middle[:, 1] - y) + np.square(middle[:, 2] - z)
        within |= away <= radius * radius
    return np.where(within, factor, np.inf)


def cell_densities(obj: ContinuumObject, cells: Cells) -> Floats:
    """Factors (C,) of the density of cells."""
    return density_factors(obj.origin, cells, obj.fields)
