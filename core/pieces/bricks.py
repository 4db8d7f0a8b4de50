"""Bricks in running bond: courses of bricks, each course shifted by half a brick against the one below.

The lattice is one of half-bricks, and pairs of them never part: whole bricks side by side would have facets that end in
the middle of other facets, which no face-to-face complex can have. Mortar takes no volume; it is the strength of the
facets between bricks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..config.params import param
from ..config.registry import Method
from ..types import Body, Impact, Ints, Partition
from .frames import upright_axes
from .lattice_complex import draw_shift, lattice_complex
from .lattice_fit import fit_lattice, room_of

if TYPE_CHECKING:
    from . import Build

#: Names this module's streams of random numbers beside the seed.
STREAM = 204


@dataclass(frozen=True, slots=True)
class BricksParams:
    """How many bricks, of what shape, and how well the mortar holds."""

    # Defaults: length and depth are those of `patterns.brick` (DIN 4172), number and mortar are by eye.
    count: int = param(
        300,
        "Bricks",
        "About how many bricks there are, half ones at the ends included",
        limits=(2, 200000),
        soft=(2, 2000),
    )
    length: float = param(
        3.0,
        "Length",
        "Length of a brick with its joint, in heights of a course: 3 for 240 x 115 x 71 mm with joints of 12 mm",
        unit="1",
        limits=(0.1, 50.0),
        soft=(1.0, 6.0),
    )
    depth: float = param(
        1.5,
        "Depth",
        "Depth of a brick into the wall, in heights of a course; walls less deep are one brick thick",
        unit="1",
        limits=(0.1, 50.0),
        soft=(0.5, 6.0),
    )
    mortar: float = param(
        0.5,
        "Mortar",
        "Strength of the joints relative to the material's; bricks themselves stay whole",
        unit="1",
        limits=(0.0, 10.0),
        soft=(0.0, 2.0),
    )

    @property
    def placed_by_impact(self) -> bool:
        """Whether the pattern depends on the hits."""
        return False


def build(body: Body, impacts: Sequence[Impact], params: BricksParams, seed: int, attempt: int) -> Partition:
    """About `params.count` bricks in running bond over a closed body; see `BricksParams`.

    Courses lie level, along the body's largest upright side, and fit its box: bricks stretch a little for that, and
    courses end in half-bricks. `seed` and `attempt` only change a shift of 1e-6 of the diagonal.
    Limitation: courses are straight; a round tower is cut from a straight wall.
    """
    room = room_of(body, upright_axes(body))
    half_brick = np.array((0.5 * params.length, params.depth, 1.0))
    n = fit_lattice(body, room, half_brick, params.count, running_bond)
    origin = room.centre + draw_shift(room.diagonal, (seed, STREAM, attempt))
    group = running_bond(n).ravel()
    return lattice_complex(room.planes(n), room.axes, origin, room.margin, group, params.mortar)


def running_bond(n: Ints) -> Ints:
    """The brick (nx,ny,nz) of each half-brick: pairs along x that are shifted by one from course to course.

    Neighbours through the wall (y) are shifted as well, so that no joint runs through it.
    """
    i, j, k = np.indices((int(n[0]), int(n[1]), int(n[2])))
    along = (i + (j + k) % 2) // 2
    brick = (j * n[2] + k) * (n[0] // 2 + 1) + along
    return np.asarray(np.unique(brick, return_inverse=True)[1].reshape(brick.shape), np.int64)


METHOD: "Method[Build]" = Method(
    id="bricks",
    label="Bricks",
    doc="Courses of bricks, shifted by half a brick from one to the next, with joints of mortar",
    reference="Running bond (stretcher bond) of masonry",
    params=BricksParams,
    run=build,
)
