"""Sites in shells about the centre of a pattern: evenly spaced around it, near and far by a law of the distance."""

import numpy as np

from ...types import Floats

#: Sites stray from their places by this share of the spacing.
STRAY = 0.42
#: Directions of a shell: points of a spiral that turns by the golden angle.
GOLDEN = float(np.pi * (3.0 - np.sqrt(5.0)))


def shells(fineness: float, core: float, growth: float, outer: float, rng: np.random.Generator) -> Floats:
    """Sites (R,3) out to the radius `outer` whose spacing at the distance r is (core + r)^growth / fineness."""
    parts = [np.zeros((1, 3))]
    radius = 0.0
    while True:
        step = (core + radius) ** growth / fineness
        radius += step
        if radius > outer + 0.5 * step and len(parts) > 1:
            break
        parts.append(_shell(radius, step, rng))
    return np.concatenate(parts)


def _shell(radius: float, spacing: float, rng: np.random.Generator) -> Floats:
    number = max(4, round(4.0 * np.pi * (radius / spacing) ** 2))
    k = np.arange(number)
    height = 1.0 - (2.0 * k + 1.0) / number
    around = np.sqrt(1.0 - height**2)
    points = np.stack((around * np.cos(GOLDEN * k), around * np.sin(GOLDEN * k), height), axis=1)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    stray = STRAY * spacing * rng.uniform(-1.0, 1.0, (number, 3))
    return np.asarray(radius * np.einsum("ni,ij->nj", points, turn) + stray)
