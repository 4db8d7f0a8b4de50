"""How large tetrahedra shall be where, in a body of diagonal 1."""

from typing import NamedTuple

import numpy as np

from ...arithmetic.elementary import cbrt
from ...types import Floats, Ints
from ..layouts.graded import density
from ..layouts.spread import spread_points

#: Candidates tried per point: one gives random points, more give even ones. By eye, as for sites of Voronoi cells.
_TRIES = {"uniform": 1, "blue_noise": 12, "graded": 6}
#: Each candidate is held against all points before: of very many points fewer are tried, and these are less even.
#: Chosen by time: some seconds.
COMPARISONS, _FEWEST = 2.5e9, 2


class Sizes(NamedTuple):
    """Where the small ones go."""

    hits: Floats  #: (I,3)
    reach: Floats  #: (I,) length around each hit within which pieces are smallest
    grading: float  #: 0: alike everywhere
    layout: str

    def relative(self, points: Floats) -> Floats:
        """Spacing (n,) wanted at points (n,3), up to a factor: the inverse cube root of `density`."""
        if self.layout != "graded" or self.grading == 0.0:
            return np.ones(len(points))
        return np.asarray(1.0 / cbrt(density(points, self.hits, self.reach, self.grading)))

    def spread(self, places: Floats, dimension: int, count: int, rng: np.random.Generator) -> Ints:
        """Which `count` of the places (n,3), evenly scattered in so many dimensions, are as far apart as wanted."""
        if count == 0:
            return np.zeros(0, np.int64)
        relative = self.relative(places)
        tries = min(_TRIES[self.layout], max(_FEWEST, int(2.0 * COMPARISONS / (count * count))))
        return spread_points(places, relative, 1.0 / _power(relative, dimension), count, tries, rng)


def scaled_to(relative: Floats, size: float, dimension: int, count: int) -> float:
    """Factor of `relative (n,)` spacings so that `count` points fill a `size` in so many dimensions.

    `relative` are those at evenly scattered places. One point fills h^d: count = f^-d size <relative^-d>.
    """
    filled = size * np.mean(1.0 / _power(relative, dimension)) / count
    return float(np.sqrt(filled) if dimension == 2 else cbrt(filled))


def _power(spacing: Floats, dimension: int) -> Floats:
    """The square or cube of spacings (n,)."""
    square = spacing * spacing
    return square if dimension == 2 else square * spacing
