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
from .fit import fitted
from .pattern import Pattern
from .scattered import pieces_shown, scattered
from .shells import shells

#: Names this module's stream of random numbers beside the seed.
STREAM = 212
#: Sites reach this far.
OUTER = 1.75
#: Spacing grows with the distance from the centre plus this, by this power.
CORE, GROWTH = 0.06, 0.85
#: Within this radius the matter is crushed: every cell is a piece.
CRUSHED = 0.1
#: Spacing of the shards' centres over that of the cells.
COARSER = 1.8
#: Spread of the logarithm of the room that a centre claims, and how many centres are asked for a cell.
UNLIKE, ASKED = 0.45, 12


def mixed(count: int, seed: int) -> Pattern:
    """A pattern of mixed sizes; about `count` pieces of a typical body."""
    half = np.ones(3)

    def draw(fineness: float) -> tuple[tuple[Floats, Ints], int]:
        rng = np.random.default_rng([seed, STREAM])
        sites = shells(fineness, CORE, GROWTH, OUTER, rng)
        centres = shells(fineness / COARSER, CORE, GROWTH, OUTER, rng)
        group = _gathered(sites, centres, rng)
        return (sites, group), pieces_shown(sites, group, half, count)

    sites, group = fitted(draw, count, 1.2 * float(cbrt(count)), 2.5)
    return scattered(sites, group, half, np.random.default_rng([seed, STREAM, 1]))


def _gathered(sites: Floats, centres: Floats, rng: np.random.Generator) -> Ints:
    """The shard (R,) of each site: its nearest centre, distances divided by the room that centres claim."""
    room = exp(UNLIKE * normal(rng, len(centres)))
    distance, row = neighbours(centres, sites, ASKED)
    best = (distance / room[row]).argmin(axis=1)
    shard = np.take_along_axis(row, best[:, None], axis=1)[:, 0]
    crushed = np.flatnonzero(norm(sites) < CRUSHED)
    shard[crushed] = len(centres) + np.arange(len(crushed))
    return np.asarray(np.unique(shard, return_inverse=True)[1].ravel(), np.int64)
