"""Whether a grid is fine enough for a body: what is thinner than a cell falls between the nodes."""

import numpy as np

from ...config.params import advised
from ...config.surface import Surface
from ...errors import InputError
from ...geometry.mesh import area, volume
from ...types import Body, Bools
from .grid import OFFSETS, Grid
from .particles import sample_middles

#: Share of the surface that may be without a node of the body next to it.
_LOST = 0.05
#: Share of the body's volume by which what the grid makes of it may differ.
DIFFERENT = 0.1
#: Cells across a wall that are enough for it to come out whole, whatever its direction.
_ENOUGH = 2.5


def check_nodes(body: Body, grid: Grid, within: Bools) -> None:
    """Raise InputError where no node is `within` the body, or walls lie between the nodes."""
    if not within.any():
        raise InputError(f"Nothing is left of the mesh on the grid: {_advice(body, grid)}")
    if lost_share(body, grid, within) > _LOST:
        raise InputError(f"Walls thinner than a cell of the grid would vanish: {_advice(body, grid)}")


def check_volume(body: Body, grid: Grid, made: float) -> None:
    """Raise InputError where the volume [m^3] of all pieces is not near the body's: walls have holes or vanished."""
    whole = volume(body.vertices, body.triangles)
    if abs(made - whole) > DIFFERENT * whole:
        raise InputError(f"Walls or pieces are too thin for the cells of the grid: {_advice(body, grid)}")


def _advice(body: Body, grid: Grid) -> str:
    """The resolution that gives walls, which are 2 V / A thick where all are equal, ENOUGH cells."""
    wall = 2.0 * volume(body.vertices, body.triangles) / area(body.vertices, body.triangles)
    longest = float(np.ptp(body.vertices[body.triangles.reshape(-1)], axis=0).max())
    better = advised(Surface, "resolution", np.ceil(max(_ENOUGH * longest / wall, 1.5 * longest / grid.spacing)))
    return f"{better or 'no Resolution is high enough, so choose Cut: Exact, or give the walls thickness'}."


def lost_share(body: Body, grid: Grid, within: Bools) -> float:
    """Share of the body's surface around which none of the eight nodes is within the body.

    A plane that goes through a voxel has nodes on both of its sides, so flat walls lose nothing.
    """
    points, weight = sample_middles(body.vertices, body.triangles, grid.spacing)
    low = ((points - grid.origin) / grid.spacing).astype(np.int64)
    found = np.zeros(len(points), np.bool_)
    for offset in OFFSETS:
        at = low + offset
        found |= within[at[:, 0], at[:, 1], at[:, 2]]
    return float(weight[~found].sum() / weight.sum())
