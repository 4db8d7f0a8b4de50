"""Evenly spaced sites without a pattern: dice of toughened glass."""

import numpy as np

from ...types import Floats
from .scatter import scatter
from .shape import Shape
from .spread import spread_points

#: Points of the pool per site, and candidates tried per site.
_POOL, _TRIES = 8, 12


def blue_noise(shape: Shape, count: int, rng: np.random.Generator) -> Floats:
    """`count` sites (count,3) inside the body that keep about the same distance from each other."""
    pool = scatter(shape, _POOL * count, shape.layered(count), rng)
    even = np.ones(len(pool))
    return pool[spread_points(pool, even, even, count, _TRIES, rng)]
