"""The same strength everywhere."""

import numpy as np

from ..types import Floats, Units


def uniform(units: Units) -> Floats:
    """Strength (L,) of each link relative to the material's own: 1 everywhere."""
    return np.ones(len(units.links))
