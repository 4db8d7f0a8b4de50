"""Patterns of Voronoi regions: sites that know nothing of a body, as a complex that fills far more than its box."""

import numpy as np

from ...errors import CutError
from ...geometry.mesh import map_vectors
from ...types import Floats, Ints
from ..layouts.neighbours import neighbours
from ..voronoi_complex import voronoi_complex
from .pattern import REACH, Pattern, block_side, in_block

#: Sites are moved by this much where round-off decides whose neighbour is whose, so often at most. 1e-7 of the size is
#: the smallest jitter that never failed on a prototype; a bound of eight was chosen.
NUDGE, NUDGES = 1e-7, 8
#: Points of the typical body for each wanted piece by which pieces are counted, and at most. Chosen between time and
#: exact numbers: what is smaller than a sixtieth of a piece may not be counted.
_POINTS, _POINTS_MOST = 60, 20_000


def pieces_shown(sites: Floats, group: Ints, half: Floats, count: int, metric: Floats | None = None) -> int:
    """About how many groups (R,) of the sites (R,3) have a part in the typical body.

    Large ones are met by random points of the body; of small ones the sites lie in it.
    """
    side = block_side(half)
    points = np.random.default_rng(0).uniform(-0.5, 0.5, (min(_POINTS * count, _POINTS_MOST), 3)) * side
    points[:, 2] += 0.5 * side
    near, asked = (sites, points) if metric is None else (map_vectors(sites, metric), map_vectors(points, metric))
    met = neighbours(near, asked, 1)[1][:, 0]
    return len(np.unique(np.concatenate((group[met], group[in_block(sites, half)]))))


def make_scattered_pattern(
    sites: Floats, group: Ints, half: Floats, rng: np.random.Generator, metric: Floats | None = None
) -> Pattern:
    """The Voronoi regions of sites (R,3) as a pattern; group (R,) and metric (3,3) as in voronoi_complex."""
    box = REACH * half
    for again in range(NUDGES):
        try:
            return Pattern(voronoi_complex(sites, -box, box, group=group, metric=metric), half)
        except CutError:
            if again == NUDGES - 1:
                raise
            sites = sites + NUDGE * rng.uniform(-1.0, 1.0, sites.shape)
    raise AssertionError("unreachable")
