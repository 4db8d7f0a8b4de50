"""Mass, centre and inertia of pieces from the cells of the grid (Su 2009, section 3).

V = int 1, C = 1/V int x, Sigma = int (x - C)(x - C)^T, I = rho (tr(Sigma) 1 - Sigma). The paper prints Sigma about the
origin of the grid and leaves out what each cell has about its own centre, h^2/12 of its volume along each axis; both
are put right here.
"""

import numpy as np

from ...fragments.mass import Masses
from ...geometry.sums import summed
from ...types import Ints
from .flood import node_counts
from .grid import Grid


def grid_masses(grid: Grid, label: Ints, count: int, mass: float) -> Masses:
    """Mass properties of the pieces 0..count-1 of a body of that `mass` [kg], from the labels of the nodes.

    Every cell with matter belongs to one piece, so the masses sum to the body's, and linear and angular momentum are
    kept when each piece goes on with the body's velocity field. A piece without cells has no mass.
    """
    h, nodes = grid.spacing, np.flatnonzero(label >= 0)
    cube = h * h * h
    piece, x = label.reshape(-1)[nodes], grid.places(nodes)
    cells = node_counts(label, count)
    safe = np.maximum(cells, 1.0)
    middle = 0.5 * grid.spacing * (np.array(grid.shape) - 1.0) + grid.origin
    centre = middle + summed(x - middle, piece, count) / safe[:, None]
    d = x - centre[piece]
    second = summed((d[:, :, None] * d[:, None, :]).reshape(-1, 9), piece, count).reshape(-1, 3, 3) * cube
    volume = cells * cube
    second += (volume * (h * h) / 12.0)[:, None, None] * np.eye(3)
    density = mass / float(volume.sum()) if len(nodes) else 0.0
    inertia = density * (np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second)
    return Masses(volume, density * volume, centre, inertia)
