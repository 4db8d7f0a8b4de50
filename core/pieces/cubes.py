"""Cubes and blocks: a plain lattice over the body, along its own sides or turned."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arithmetic.elementary import cos, sin
from ..arithmetic.products import multiply
from ..config.params import Choice, param
from ..config.registry import Method
from ..types import Body, Floats, Impact, Partition
from .frames import flat_axes
from .lattice_complex import draw_shift, lattice_complex
from .lattice_fit import fit_lattice, room_of

if TYPE_CHECKING:
    from . import Build

#: Names this module's streams of random numbers beside the seed.
STREAM = 203

ALIGNMENTS = (
    Choice(1, "body", "Object", "Along the object's own flat sides; the world's axes where it has none"),
    Choice(2, "world", "World", "Along the axes of the world, whatever way the object is turned"),
)


@dataclass(frozen=True, slots=True)
class CubesParams:
    """How many blocks, of what shape, and which way they lie."""

    # The default is by eye: five along each edge of a cube.
    count: int = param(
        125, "Pieces", "About how many blocks there are when everything breaks", limits=(2, 200000), soft=(2, 2000)
    )
    proportions: tuple[float, float, float] = param(
        (1.0, 1.0, 1.0),
        "Proportions",
        "Width, depth and height of a block relative to each other; three equal numbers give cubes",
        unit="1",
        limits=(0.01, 100.0),
        soft=(0.1, 10.0),
    )
    alignment: str = param("body", "Align to", "What the blocks are aligned with", choices=ALIGNMENTS)
    turn: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0),
        "Turn",
        "Angles by which the blocks are turned about x, then y, then z",
        unit="rad",
    )

    @property
    def placed_by_impact(self) -> bool:
        """Whether the pattern depends on the hits."""
        return False


def build(body: Body, impacts: Sequence[Impact], params: CubesParams, seed: int, attempt: int) -> Partition:
    """A lattice of about `params.count` blocks over a closed body; see `CubesParams`.

    A box cut along its sides falls into whole blocks of equal size. `seed` and `attempt` only change a shift of 1e-6
    of the diagonal.
    """
    frame = flat_axes(body) if params.alignment == "body" else None
    room = room_of(body, rotation_rows(params.turn) if frame is None else multiply(rotation_rows(params.turn), frame))
    n = fit_lattice(body, room, np.asarray(params.proportions), params.count)
    origin = room.centre + draw_shift(room.diagonal, (seed, STREAM, attempt))
    return lattice_complex(room.planes(n), room.axes, origin, room.margin)


def rotation_rows(angles: Sequence[float]) -> Floats:
    """Rows (3,3) of the world's axes after rotations about x, then y, then z [rad]."""
    (cx, cy, cz), (sx, sy, sz) = cos(np.asarray(angles)), sin(np.asarray(angles))
    about_x = np.array(((1.0, 0.0, 0.0), (0.0, cx, -sx), (0.0, sx, cx)))
    about_y = np.array(((cy, 0.0, sy), (0.0, 1.0, 0.0), (-sy, 0.0, cy)))
    about_z = np.array(((cz, -sz, 0.0), (sz, cz, 0.0), (0.0, 0.0, 1.0)))
    return np.asarray(multiply(multiply(about_z, about_y), about_x).T)


METHOD: "Method[Build]" = Method(
    id="cubes",
    label="Cubes",
    doc="Equal cubes or blocks in rows and columns",
    reference="A lattice of planes",
    params=CubesParams,
    run=build,
)
