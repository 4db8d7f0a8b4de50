"""A bent plane: straight rays become slightly curved, as cracks in real plates are.

The map is conformal, so that it bends the borders of Voronoi cells as it bends their sites: a small complex polynomial
z + a2 z^2 + ... + an z^n leaves angles, hence the symmetry of neighbouring sites about their border, as they were.
"""

import numpy as np

from ...types import Floats

DEGREE = 5
#: Size of the sum of |n an z^(n-1)| at the rim; below 1 the plane does not fold.
STRENGTH = 0.35


def bend(points: Floats, rim: float, rng: np.random.Generator) -> Floats:
    """Points (n,2) of a plane, bent within distance `rim` of the origin, which stays; beyond it nothing is promised."""
    z = (points[:, 0] + 1j * points[:, 1]) / rim
    share = rng.dirichlet(np.ones(DEGREE - 1))
    bent = z.copy()
    for n in range(2, DEGREE + 1):
        bent += STRENGTH * share[n - 2] / n * np.exp(2j * np.pi * rng.random()) * z**n
    return np.asarray(rim * np.stack((bent.real, bent.imag), axis=1))
