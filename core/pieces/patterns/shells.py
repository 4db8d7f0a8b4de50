"""Sites in shells about the centre of a pattern: evenly spaced around it, near and far by a law of the distance."""

import numpy as np

from ...arithmetic.draws import normal
from ...arithmetic.elementary import cos, power, sin
from ...arithmetic.products import apply, norm
from ...geometry.mesh import cross_rows
from ...types import Floats

#: Sites stray from their places by this share of the spacing. By eye: nearly as far as half the way to the next one; at
#: 0 the spiral is seen.
_STRAY = 0.42
#: Directions of a shell: points of a spiral that turns by the golden angle.
_GOLDEN = float(np.pi * (3.0 - np.sqrt(5.0)))


def shell_sites(fineness: float, core: float, growth: float, outer: float, rng: np.random.Generator) -> Floats:
    """Sites (R,3) out to the radius `outer` whose spacing at the distance r is (core + r)^growth / fineness."""
    radii, steps = _radii(fineness, core, growth, outer)
    number = np.maximum(4, np.round(4.0 * np.pi * np.square(radii / steps))).astype(np.int64)
    turn = _GOLDEN * np.arange(number.max())
    way, frames = np.stack((cos(turn), sin(turn)), axis=1), _frames(len(radii), rng)
    parts = [np.zeros((1, 3))]
    for radius, step, count, frame in zip(radii, steps, number.tolist(), frames, strict=True):
        stray = _STRAY * step * rng.uniform(-1.0, 1.0, (count, 3))
        parts.append(radius * apply(frame, _spiral(way[:count])) + stray)
    return np.concatenate(parts)


def _radii(fineness: float, core: float, growth: float, outer: float) -> tuple[Floats, Floats]:
    """Radii of the shells, and how far each is from the one before it."""
    radius = 0.0
    radii: list[float] = []
    steps: list[float] = []
    while True:
        step = float(power(core + radius, growth)) / fineness
        radius += step
        if radius > outer + 0.5 * step and len(radii) > 0:
            break
        radii.append(radius)
        steps.append(step)
    return np.array(radii), np.array(steps)


def _spiral(way: Floats) -> Floats:
    """Points (n,3) of a sphere, evenly, in directions `way (n,2)` about its axis."""
    height = 1.0 - (2.0 * np.arange(len(way)) + 1.0) / len(way)
    return np.concatenate((np.sqrt(1.0 - np.square(height))[:, None] * way, height[:, None]), axis=1)


def _frames(count: int, rng: np.random.Generator) -> Floats:
    """Random rotations (count,3,3)."""
    first, second = normal(rng, (2, count, 3))
    first, third = (v / norm(v)[:, None] for v in (first, cross_rows(first, second)))
    return np.stack((first, cross_rows(third, first), third), axis=1)
