"""Solids of revolution about the z axis, between an inner and an outer profile (Norton et al. 1991)."""

import math

import numpy as np

from ...arithmetic.elementary import cos, sin
from ...errors import InputError
from ...types import Floats
from ..spring_lattice.blocks import grid_complex
from ..spring_lattice.hexahedra import HexahedralComplex, check_hexahedra
from .discs import disc_grid
from .gluing import glue_shapes

#: Nodes of a ring around each ring of a disc, by the topology: a side of the square has two more cells.
AROUND_A_RING = 8


def revolve_profiles(inner: Floats, outer: Floats, around: int, through: int) -> HexahedralComplex:
    """The solid between two profiles (m+1,2) of radius and height [m], with `around` cells about the axis.

    It has `through` cells from each point of one profile to that of the other, and its ring of nodes comes first:
    (around, rows, through + 1) of them, from the inner one outward. Where both profiles begin on the axis, a disc of
    square cells closes it, of `around`/8 of the rows. Raises InputError where `around` does not go by 8 then, where
    there are too few rows, or cells are folded.
    """
    share = np.arange(through + 1) / through
    wall = inner[:, None] + share[:, None] * (outer - inner)[:, None]
    closed = inner[0, 0] == 0.0 and outer[0, 0] == 0.0
    rings = around // AROUND_A_RING if closed else 0
    if closed and around % AROUND_A_RING:
        raise InputError(f"A closed solid of revolution has {AROUND_A_RING}, 16, 24 ... cells around.")
    if len(wall) < rings + closed + 1:
        raise InputError("A closed solid of revolution needs more cells along its profile: or fewer around.")
    turn = np.arange(around) * (2.0 * math.pi / around)
    solid = grid_complex(_turned(wall[rings:], np.stack([cos(turn), sin(turn)], axis=-1)), closed=True)
    if closed:
        solid = _with_disc(solid, wall[: rings + 1], rings)
    check_hexahedra(solid)
    return solid


def _turned(wall: Floats, direction: Floats) -> Floats:
    """Places (k,m,t,3) of the points (m,t,2) of a wall in each direction (k,2)."""
    plan = direction[:, None, None] * wall[None, ..., :1]
    return np.concatenate([plan, np.broadcast_to(wall[..., 1:], (len(direction), *wall.shape[:2], 1))], axis=-1)


def _with_disc(ring: HexahedralComplex, wall: Floats, rings: int) -> HexahedralComplex:
    grid = disc_grid(rings)
    row = wall[grid.ring]
    disc = np.concatenate([grid.direction[:, :, None] * row[..., :1], row[..., 1:]], axis=-1)
    node = np.arange(disc[..., 0].size).reshape(disc.shape[:3])
    border = node[grid.ring == rings].ravel()
    return glue_shapes(ring, grid_complex(disc), border, math.inf).solid
