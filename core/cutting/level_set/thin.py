"""Whether a grid is fine enough for a body: what is thinner than a cell falls between the nodes."""

import numpy as np

from ...arithmetic.products import multiply
from ...config.params import advised
from ...config.surface import Surface
from ...errors import InputError
from ...geometry.mesh import area, areas, volume
from ...types import Body, Bools, Floats, Ints
from .grid import OFFSETS, Grid

#: Share of the surface that may be without a node of the body next to it. By eye.
_LOST = 0.05
#: Share of the body's volume by which what the grid makes of it may differ. By eye.
DIFFERENT = 0.1
#: Cells across a wall that are enough for it to come out whole, whatever its direction. The diagonal of a cell is 1.73
#: of its side; chosen with some room.
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


def sample_middles(vertices: Floats, triangles: Ints, spacing: float) -> tuple[Floats, Floats]:
    """Points (n,3) in the middle of equal parts of triangles, no larger than `spacing`, and the area of each [m^2]."""
    corner = vertices[triangles]
    side = np.square(corner - corner[:, [1, 2, 0]]).sum(axis=2).max(axis=1, initial=0.0)
    parts = np.maximum(np.ceil(np.sqrt(side) / spacing), 1.0).astype(np.int64)
    points, owner = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    for n in np.unique(parts):
        rows = np.flatnonzero(parts == n)
        weight = _middles(int(n))
        points.append(multiply(weight, corner[rows]).reshape(-1, 3))
        owner.append(np.repeat(rows, len(weight)))
    triangle = np.concatenate(owner)
    share = areas(vertices, triangles) / np.bincount(triangle, minlength=len(triangles))
    return np.concatenate(points), share[triangle]


def _middles(n: int) -> Floats:
    """Barycentric coordinates (n n,3) of the middles of the equal parts of a triangle whose sides have n each."""
    i, j = (x.ravel() for x in np.mgrid[: n + 1, : n + 1])
    u = np.stack([i, j], axis=1) + 1.0 / 3.0
    u = np.concatenate([u, u + 1.0 / 3.0])
    u = u[u.sum(axis=1) <= n + 1e-9] / n
    return np.column_stack([1.0 - u.sum(axis=1), u])
