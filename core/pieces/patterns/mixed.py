"""Mixed: crushed at the hit, and shards of mixed sizes that grow outwards, some of them large and all of them ragged.

Fine cells are gathered by centres that claim more or less room, so that a large shard may lie beside a few small ones
and no face is flat right across. Source: the "realistic" pattern of Su, Schroeder, Fedkiw 2009, figure 9, by eye.
"""

import numpy as np

from ...arithmetic.draws import normal
from ...arithmetic.elementary import cbrt, exp
from ...arithmetic.products import norm
from ...types import Floats, Ints
from ..layouts.neighbours import neighbours
from .fit import fit_fineness
from .pattern import Pattern
from .scattered import make_scattered_pattern, pieces_shown
from .shells import shell_sites

#: Names this module's stream of random numbers beside the seed.
STREAM = 212
#: Sites reach this far. The corners of a box of half extent 1 are at sqrt(3) = 1.73.
_OUTER = 1.75
#: Spacing grows with the distance from the centre plus this, by this power. By eye.
_CORE, _GROWTH = 0.06, 0.85
#: Within this radius the matter is crushed: every cell is a piece. By eye.
CRUSHED = 0.1
#: Spacing of the shards' centres over that of the cells. By eye: some six cells a shard (1.8^3).
_COARSER = 1.8
#: Spread of the logarithm of the room that a centre claims, and how many centres are asked for a cell. By eye, for
#: shards of mixed sizes as in Su 2009, figure 9. Measured with random centres: 8 of 100 cells would belong to one that
#: is not among the nearest 12, 18 not to the nearest 6, 6 not to the nearest 16.
UNLIKE, ASKED = 0.45, 12


def mixed(count: int, seed: int) -> Pattern:
    """A pattern of mixed sizes; about `count` pieces of a typical body."""
    half = np.ones(3)

    def draw(fineness: float) -> tuple[tuple[Floats, Ints], int]:
        rng = np.random.default_rng([seed, STREAM])
        sites = shell_sites(fineness, _CORE, _GROWTH, _OUTER, rng)
        centres = shell_sites(fineness / _COARSER, _CORE, _GROWTH, _OUTER, rng)
        group = _gathered(sites, centres, rng)
        return (sites, group), pieces_shown(sites, group, half, count)

    sites, group = fit_fineness(draw, count, 1.2 * float(cbrt(count)), 2.5)
    return make_scattered_pattern(sites, group, half, np.random.default_rng([seed, STREAM, 1]))


def _gathered(sites: Floats, centres: Floats, rng: np.random.Generator) -> Ints:
    """The shard (R,) of each site: its nearest centre, distances divided by the room that centres claim."""
    room = exp(UNLIKE * normal(rng, len(centres)))
    distance, row = neighbours(centres, sites, ASKED)
    best = (distance / room[row]).argmin(axis=1)
    shard = np.take_along_axis(row, best[:, None], axis=1)[:, 0]
    crushed = np.flatnonzero(norm(sites) < CRUSHED)
    shard[crushed] = len(centres) + np.arange(len(crushed))
    return np.asarray(np.unique(shard, return_inverse=True)[1].ravel(), np.int64)
