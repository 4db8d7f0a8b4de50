"""Uniform: pieces of about one size everywhere."""

import numpy as np

from ...arithmetic.elementary import cbrt
from ...types import Floats, Ints
from .fit import fit_fineness
from .pattern import Pattern
from .scattered import make_scattered_pattern, pieces_shown
from .shells import shell_sites

#: Names this module's stream of random numbers beside the seed.
STREAM = 211
#: Sites reach this far, so that the corners of the box have pieces of the usual size. They are at sqrt(3) = 1.73.
_OUTER = 1.75


def make_uniform_pattern(count: int, seed: int) -> Pattern:
    """An even Voronoi pattern; about `count` pieces of a typical body."""
    half = np.ones(3)

    def draw(fineness: float) -> tuple[tuple[Floats, Ints], int]:
        sites = shell_sites(fineness, 0.0, 0.0, _OUTER, np.random.default_rng([seed, STREAM]))
        group = np.arange(len(sites))
        return (sites, group), pieces_shown(sites, group, half, count)

    sites, group = fit_fineness(draw, count, float(cbrt(count)), 3.0)
    return make_scattered_pattern(sites, group, half, np.random.default_rng([seed, STREAM, 1]))
