"""Sites crowded around the hits: small pieces there, large ones far away."""

from collections.abc import Sequence

import numpy as np

from ...arithmetic.elementary import cbrt, power
from ...arithmetic.products import norm
from ...types import Floats
from .scatter import scatter
from .shape import Shape
from .spread import spread_points

#: Points of the pool per site, and candidates tried per site. By eye. Measured with 100 sites around a hit on a cube:
#: distances of neighbours, relative to what is wanted, vary by .38 with one candidate, .20 with 4 and .14 with 12, at
#: the cost of as much more time; near the hit are nine tenths of the sites that should be there, with any number.
_POOL, _TRIES = 12, 4
#: Points of the smallest pool: the crowd around a hit fills little space. By eye. Measured likewise: 20 sites near the
#: hit of a pool of 1,500, 24 of 3,000 and of 6,000, 26 of 12,000.
POOL_LEAST = 6000
#: Where the density stops growing: at this share of the reach's power law. The look study: 1/((d/d0)^2 + 0.1) on a bowl
#: and a pot, by eye. Without it the density is infinite at the hit.
_CORE = 0.1


def density(points: Floats, hits: Floats, reach: Floats, grading: float) -> Floats:
    """Sum over the hits of 1/((d/d0)^g + 0.1) at points (n,3): flat around a hit, a power of the distance beyond.

    `hits (I,3)`, `reach (I,)` lengths d0, `grading` exponent g; g = 0 is even everywhere.
    """
    d = norm(points[:, None, :] - hits[None, :, :])
    return np.asarray((1.0 / (power(d / reach, grading) + _CORE)).sum(axis=1))


def graded(shape: Shape, count: int, hits: Floats, reach: Floats, grading: float, rng: np.random.Generator) -> Floats:
    """`count` sites (count,3) inside the body with `density`."""
    layered = shape.layered(count)
    pool = scatter(shape, max(_POOL * count, POOL_LEAST), layered, rng)
    wanted = density(pool, hits, reach, grading)
    spacing = 1.0 / (np.sqrt(wanted) if layered else cbrt(wanted))
    return pool[spread_points(pool, spacing, wanted, count, _TRIES, rng)]


def hit_lengths(shape: Shape, radius: Sequence[float]) -> Floats:
    """Lengths d0 (I,) of the hits: their radius, but at least the thickness of a wall."""
    least = shape.thickness if shape.thin else 0.0
    return np.maximum(np.asarray(radius, dtype=np.float64), least)
