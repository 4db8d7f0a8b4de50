"""A smooth bend with a closed form: sines along the next axis, twice as long a wave for each rank below the finest."""

from dataclasses import dataclass

import numpy as np

from core.types import Floats


@dataclass(frozen=True)
class Waves:
    """y = u, x = y + n(y) with n_i(y) = a sin(2 pi y_j / wavelength + i), j the axis after i."""

    amplitude: float  #: peak [m]
    wavelength: float  #: [m]
    chart_curvature: float = 0.0

    @property
    def noise_curvature(self) -> float:
        # each component bends in one direction only: |n''| <= a (2 pi / wavelength)^2, all three at most sqrt 3 of it
        return 3**0.5 * self.amplitude * (2 * np.pi / self.wavelength) ** 2

    @property
    def reach(self) -> float:
        return 2 * 3**0.5 * self.amplitude

    def moved(self, y: Floats) -> Floats:
        return self.amplitude * np.sin(2 * np.pi / self.wavelength * y[:, [1, 2, 0]] + np.arange(3))


def bent(bend: Waves, flat: Floats) -> Floats:
    return flat + bend.moved(flat)


def flattened(bend: Waves, real: Floats, guess: Floats | None = None) -> Floats:
    """By fixed point; it converges where 2 pi amplitude / wavelength < 1."""
    flat = np.array(real if guess is None else guess)
    for _ in range(60):
        before, flat = flat, real - bend.moved(flat)
        if np.abs(flat - before).max(initial=0.0) < 1e-7 * bend.wavelength:
            break
    return flat
