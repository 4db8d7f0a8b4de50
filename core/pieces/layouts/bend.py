"""A bent plane: straight rays become slightly curved, as cracks in real plates are.

The map is conformal, so that it bends the borders of Voronoi cells as it bends their sites: a small complex polynomial
z + a2 z^2 + ... + an z^n leaves angles, hence the symmetry of neighbouring sites about their border, as they were.
"""

import numpy as np

from ...arithmetic.draws import dirichlet_even
from ...arithmetic.elementary import cos, sin
from ...types import Floats

#: Powers of the polynomial that bends the plane. Chosen by eye: with more of them rays would wave, with two all of them
#: bend alike.
DEGREE = 5
#: Size of the sum of |n an z^(n-1)| at the rim; below 1 the plane does not fold. Chosen by eye: rays end beside where
#: they would, in the median by .04 of the rim's radius, and by .10 in one of twenty (.02 and .06 with 0.2, .06 and .14
#: with 0.5).
BEND_STRENGTH = 0.35


def bend(points: Floats, rim: float, rng: np.random.Generator) -> Floats:
    """Points (n,2) of a plane, bent within distance `rim` of the origin, which stays; beyond it nothing is promised."""
    x, y = points.T / rim
    share = dirichlet_even(rng, DEGREE - 1)
    bent_x, bent_y, u, v = x, y, x, y
    for n in range(2, DEGREE + 1):
        size, turn = BEND_STRENGTH * share[n - 2] / n, 2.0 * np.pi * rng.random()
        a, b = size * cos(turn), size * sin(turn)
        u, v = u * x - v * y, u * y + v * x  # z^n
        bent_x, bent_y = bent_x + (a * u - b * v), bent_y + (a * v + b * u)
    return np.asarray(rim * np.stack((bent_x, bent_y), axis=1))
