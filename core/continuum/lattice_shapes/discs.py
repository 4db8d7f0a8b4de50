"""A disc of square cells, the paper's "solid cube" topology: rings of a square grid are rings of the disc."""

import math
from typing import NamedTuple

import numpy as np

from ...arithmetic.elementary import cos, sin
from ...types import Floats, Ints

_EIGHTH = math.pi / 4.0  # of a turn: half a side of the square


class DiscGrid(NamedTuple):
    """A grid of (2 m + 1)^2 nodes around its middle. Ring j has 8 j nodes."""

    ring: Ints  #: (2m+1,2m+1) 0 in the middle
    direction: Floats  #: (2m+1,2m+1,2) unit, of the place of each node on its ring; 0 in the middle
    #: (2m+1,2m+1) how far along half of its ring a node is, 0..1, from the middle of the side y < 0 to that of y > 0.
    along: Floats
    side: Floats  #: (2m+1,2m+1) sign of x


def disc_grid(rings: int) -> DiscGrid:
    """The grid of a disc of so many rings. Its nodes on each ring are evenly spaced, the first at (1, 0)."""
    x, y = np.meshgrid(*[np.arange(-rings, rings + 1)] * 2, indexing="ij")
    ring = np.maximum(np.abs(x), np.abs(y))
    wide = np.abs(x) >= np.abs(y)
    long, short = np.where(wide, x, y), np.where(wide, y, x)
    turn = _EIGHTH * short / np.maximum(np.abs(long), 1)
    far, near = np.sign(long) * cos(turn), sin(turn)
    direction = np.stack([np.where(wide, far, near), np.where(wide, near, far)], axis=-1)
    step = np.where(y == -ring, np.abs(x), np.where(y == ring, 4 * ring - np.abs(x), 2 * ring + y))
    return DiscGrid(ring, direction, step / np.maximum(4 * ring, 1), np.sign(x).astype(np.float64))
