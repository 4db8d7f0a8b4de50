"""Brick: running bond. Courses lie across the second axis, bricks along the first, their depth along the blow."""

import numpy as np

from ..crossing import positive_root
from ..lattice_complex import lattice_complex
from .pattern import REACH, Pattern

#: Names this module's stream of random numbers beside the seed.
STREAM = 216
#: Length and depth of a brick in heights of a course, with its joint: bricks of 240 x 115 x 71 mm (DIN 4172).
_LENGTH, DEPTH = 3.0, 1.5
#: Strength of the joints relative to the material's; bricks stay whole. Chosen by eye: less parts all joints before any
#: brick, at 1 there is no mortar.
MORTAR = 0.5
#: The surface that is hit cuts the first layer of bricks at this share of their depth: no joint lies in the surface.
#: Chosen by eye.
_FIRST = 0.25
#: Bricks that a side of a body cuts, beyond those that fit in. On each side of a body half a brick more is touched, on
#: the average.
_CUT = 1.0
#: A typical wall is half of the box across, and square. The pattern's box has a half extent of 1 across.
_WALL = 2.0


def brick(count: int, seed: int) -> Pattern:
    """Bricks with joints of mortar; about `count` whole ones in a typical body, and in a wall of one layer.

    The box is as deep as it takes for both.
    """
    course = float(np.sqrt(_WALL / (count * _LENGTH)))
    # (x/l + c)(x + c)(x/d + c) = count for a cube with a side of x courses, of which c bricks a side are cut
    side = max(positive_root(lambda x: (x / _LENGTH + _CUT) * (x + _CUT) * (x / DEPTH + _CUT) - count), DEPTH)
    half = np.array((1.0, 1.0, course * side))
    cell = course * np.array((0.5 * _LENGTH, 1.0, DEPTH))
    along, up = np.random.default_rng([seed, STREAM]).random(2)
    begin = np.array((along, 0.25 + 0.5 * up, _FIRST))  # the hit is on a course, not on a joint between two
    n = 2 * np.ceil(half / cell).astype(np.int64) + 1
    planes = [cell[k] * (np.arange(n[k] + 1) - n[k] // 2 - begin[k]) for k in range(3)]
    i, j, k = np.indices(tuple(n.tolist()))
    pair = (i + (j + k) % 2) // 2  # shifted by half a brick from course to course, and from layer to layer
    number = ((j * n[2] + k) * (n[0] // 2 + 2) + pair).ravel()
    group = np.unique(number, return_inverse=True)[1].ravel()
    return Pattern(lattice_complex(planes, margin=REACH, group=group, joint=MORTAR), half)
