"""Uniform: pieces of about one size everywhere."""

import numpy as np

from ...arithmetic.elementary import cbrt
from ...types import Floats, Ints
from .fit import fitted
from .pattern import Pattern
from .scattered import pieces_shown, scattered
from .shells import shells

#: Names this module's stream of random numbers beside the seed.
STREAM = 211
#: Sites reach this far, so that the corners of the box have pieces of the usual size.
OUTER = 1.75


def uniform(count: int, seed: int) -> Pattern:
    """An even Voronoi pattern; about `count` pieces of a typical body."""
    half = np.ones(3)

    def draw(fineness: float) -> tuple[tuple[Floats, Ints], int]:
        sites = shells(fineness, 0.0, 0.0, OUTER, np.random.default_rng([seed, STREAM]))
        group = np.arange(len(sites))
        return (sites, group), pieces_shown(sites, group, half, count)

    sites, group = fitted(draw, count, float(cbrt(count)), 3.0)
    return scattered(sites, group, half, np.random.default_rng([seed, STREAM, 1]))
