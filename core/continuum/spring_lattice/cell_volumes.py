r"""Cells that are pressed flat push back, so that none turns inside out; by choice all keep their volume.

Springs alone resist that with a finite force only: soft matter that falls hard would fold into itself and stay so. With
the three mean edges e1, e2, e3 of a cell, and j = e1 x e2 . e3 relative to that at rest, a cell of matter V stores

    W = V/2 [B (1 - j)^2 + F max(0, 1/2 - j)^2],    f_k = -dW/dx_k

at its corners. W does not change where a cell is moved or turned, so both momenta are kept. Ours; the first term is
that of Teschner, Heidelberger, Mueller, Gross 2004 ("A versatile and robust model for geometrically complex deformable
solids"), the second keeps quiet until a cell has lost half of its volume.
"""

import numpy as np

from ...arithmetic.products import dot
from ...geometry.mesh import cross_rows
from ...types import Floats
from .cell_frames import edge_products, mean_edges
from .lattice import SpringLattice
from .state import LatticeLaws, LatticeState
from .substeps import BULK_ENERGY, FLAT_ENERGY, FLAT_SHARE, INVERSE_PRODUCT

#: F, relative to Young's modulus. Derived: the stiffest mode it adds to cubes has w^2 = 12 F/(rho h^2), springs have up
#: to 19 E/(rho h^2), and the safe part of the step leaves room for four times that. Tried: at 0.5 cells still invert.
FLAT_MODULUS = 2.0


def volume_rows(lattice: SpringLattice, laws: LatticeLaws) -> Floats:
    """Rows (c,3) of the cells of a lattice, see above."""
    edges, scale = mean_edges(lattice.rest_position, lattice.cell_node), laws.stiffness_scale
    bulk, flat = scale * laws.bulk_modulus * lattice.matter, scale * laws.flat_modulus * lattice.matter
    return np.stack([1.0 / edge_products(edges), bulk, flat], axis=1)


def volume_energy(lattice: SpringLattice, state: LatticeState, laws: LatticeLaws) -> float:
    """What unbroken cells store [J]."""
    rows = volume_rows(lattice, laws)
    share = edge_products(mean_edges(state.position, lattice.cell_node)) * rows[:, INVERSE_PRODUCT]
    flat = np.maximum(FLAT_SHARE - share, 0.0)
    each = rows[:, BULK_ENERGY] * np.square(1.0 - share) + rows[:, FLAT_ENERGY] * np.square(flat)
    return 0.5 * float(each[~state.cell_broken].sum())


def volume_rate(lattice: SpringLattice, bulk: float) -> float:
    """Half the square of the highest frequency with which cells of a bulk modulus [Pa] swing [1/s^2].

    Where each corner has an eighth of the mass of its cell that is B V |dj/dx|^2/(m/8) for the worst cell.
    """
    matter = float(lattice.matter.sum())
    if bulk == 0.0 or matter == 0.0:
        return 0.0
    edges = mean_edges(lattice.rest_position, lattice.cell_node)
    across = [cross_rows(edges[k - 2], edges[k - 1]) for k in range(3)]
    steepness = 0.5 * sum(dot(one, one) for one in across) / np.square(edge_products(edges))
    return 4.0 * bulk * matter / float(lattice.mass.sum()) * float(steepness.max())
