"""Splinter: long slivers along the axis, thin at the hit and thicker away from it."""

import numpy as np

from ...types import Floats, Ints
from .fit import fit_fineness
from .pattern import Pattern
from .scattered import make_scattered_pattern, pieces_shown
from .shells import shell_sites

#: Names this module's stream of random numbers beside the seed.
STREAM = 213
#: Slivers are this many times as long as wide: 8 to 10 read as splinters (our look study).
STRETCH = 8.0
#: Spacing grows with the distance from the centre plus this, by this power. By eye.
_CORE, _GROWTH = 0.05, 0.6
#: Sites reach this far across the axis. A little more than sqrt(2), the corners of the box.
_OUTER = 1.45


def splinter(count: int, seed: int) -> Pattern:
    """Slivers along the axis; about `count` pieces of a typical body."""
    half = np.array((1.0, 1.0, STRETCH))
    metric = np.diag((1.0, 1.0, 1.0 / STRETCH))

    def draw(fineness: float) -> tuple[tuple[Floats, Ints], int]:
        sites = shell_sites(fineness, _CORE, _GROWTH, _OUTER, np.random.default_rng([seed, STREAM]))
        sites[:, 2] *= STRETCH
        group = np.arange(len(sites))
        return (sites, group), pieces_shown(sites, group, half, count, metric)

    sites, group = fit_fineness(draw, count, 0.8 * float(np.sqrt(count)), 2.2)
    return make_scattered_pattern(sites, group, half, np.random.default_rng([seed, STREAM, 1]), metric)
