"""Fields of strength and density, and paint, as springs and cells feel them."""

import numpy as np

from ...strength.influence import toughness_along
from ...strength.stack import density_factors, link_strengths
from ...types import Cells, Floats
from ..contract import ContinuumObject


def spring_strengths(obj: ContinuumObject, ends: Floats) -> Floats:
    """Factors (b,) of the strain at which springs with ends (b,2,3) tear, infinite where none ever does.

    Fields are asked at the middle of each spring, with its direction for that of a bond.
    """
    middle = 0.5 * (ends[:, 0] + ends[:, 1])
    return np.asarray(link_strengths(obj.origin, ends, obj.fields) * toughness_along(obj.influence, obj.origin, middle))


def cell_densities(obj: ContinuumObject, cells: Cells) -> Floats:
    """Factors (C,) of the density of cells."""
    return density_factors(obj.origin, cells, obj.fields)
