"""How rough and fine broken faces are, from what an artist has chosen."""

import math

import numpy as np

from ..config.surface import Surface
from ..types import Floats
from .bend import Bend, rough
from .rough import Grain

#: Of final quality: tolerance in amplitudes of the finest octave, and spacing in its wavelengths. Measured:
#: docs/decisions.md, Looks; the tolerance was 1 before, 0.5 on the prototype.
_TOLERANCE, _SPACING = 1.25, 0.5
#: Of previews: spacing of points in wavelengths of the first octave, the only one that they have. By eye; 2 was tried
#: before.
_COARSE = 3.0


def grain_of(
    surface: Surface,
    amplitude: float,
    wavelength: float,
    seed: int,
    origin: Floats | tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> tuple[Bend, Grain]:
    """The field of this rms amplitude [m] and wavelength [m] about `origin (3,)`, and how finely it is followed."""
    about = np.asarray(origin, np.float64)
    if surface.quality == "preview":
        bend, spacing = rough(amplitude, wavelength, min(surface.octaves, 1), seed, origin=about), _COARSE * wavelength
        return bend, Grain(bend.reach, spacing, rim=spacing, at_partition_edges=1.0)
    finest = math.ldexp(1.0, 1 - surface.octaves)
    bend = rough(amplitude, wavelength, surface.octaves, seed, origin=about)
    return bend, Grain(_TOLERANCE * amplitude * finest, _SPACING * wavelength * finest)
