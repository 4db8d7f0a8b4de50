r"""Cells that are pressed flat push back, so that none turns inside out; by choice all keep their volume.

Springs alone resist that with a finite force only: soft matter that falls hard would fold into itself and stay so. With
the three mean edges e1, e2, e3 of a cell, and j = e1 x e2 . e3 relative to that at rest, a cell of matter V stores

    W = V/2 [B (1 - j)^2 + F max(0, 1/2 - j)^2],    f_k = -dW/dx_k

at its corners. W does not change where a cell is moved or turned, so both momenta are kept. Ours; the first term is
that of Teschner, Heidelberger, Mueller, Gross 2004 ("A versatile and robust model for geometrically complex deformable
solids"), the second keeps quiet until a cell has lost half of its volume.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot
from ...geometry.mesh import cross_rows
from ...record_arrays import Records, plain_view, zero_records
from ...types import Bools, Floats
from .cell_frames import edge_products, mean_edges
from .lattice import SpringLattice, sums_at
from .state import LatticeLaws, LatticeState
from .substeps import CELL_PRESSURE, FLAT_SHARE

#: F, relative to Young's modulus. Derived: the stiffest mode it adds to cubes has w^2 = 12 F/(rho h^2), springs have up
#: to 19 E/(rho h^2), and the safe part of the step leaves room for four times that. Tried: at 0.5 cells still invert.
FLAT_MODULUS = 2.0
#: What cells that are pressed flat may add to the squares of frequencies, in those of springs, at the most: as above.
_MOST_FLAT = 1.5


class RestCells(NamedTuple):
    """Cells as they are at rest, and what springs make of the lattice."""

    product: Floats  #: (c,) e1 x e2 . e3 [m^3]
    rate: Floats  #: (c,) see `_cell_rates` [1/(Pa s^2)]
    spring_rate: float  #: see `_spring_rate` [1/s^2]


def measure_rest_cells(lattice: SpringLattice) -> RestCells:
    """The cells of a lattice at rest."""
    edges = mean_edges(lattice.rest_position, lattice.cell_node)
    product = edge_products(edges)
    return RestCells(product, _cell_rates(lattice, product, edges), _spring_rate(lattice))


def volume_rows(lattice: SpringLattice, laws: LatticeLaws, rest: RestCells) -> Records:
    """How the cells (c,) of a lattice push, see above."""
    scale = laws.stiffness_scale * lattice.matter
    bulk = np.minimum(laws.bulk_modulus, rest.spring_rate / rest.rate)
    flat = np.minimum(laws.flat_modulus, _MOST_FLAT * rest.spring_rate / rest.rate)
    rows = plain_view(zero_records(CELL_PRESSURE, len(lattice.matter)))
    rows["inverse_product"] = 1.0 / rest.product
    rows["bulk_energy"], rows["flat_energy"] = scale * bulk, scale * flat
    return rows


def let_cells_go(rows: Records, broken: Bools) -> None:
    """Cells (c,) that are broken push no more."""
    rows["bulk_energy"][broken] = rows["flat_energy"][broken] = 0.0


def soften_grown_cells(
    rows: Records, lattice: SpringLattice, laws: LatticeLaws, rest: RestCells, position: Floats
) -> None:
    """Let cells of matter that flows, with rows (c,), push no faster than the step allows for the form they have now.

    j goes with the areas of a cell's sides, which grow where it is pressed flat for good: so does the square of its
    frequency. What a cell has lost it does not get back, so that no energy comes of it.
    """
    rate = _cell_rates(lattice, rest.product, mean_edges(position, lattice.cell_node))
    springs = laws.stiffness_scale * rest.spring_rate * lattice.matter
    for field, most in (("bulk_energy", 1.0), ("flat_energy", _MOST_FLAT)):
        np.minimum(rows[field], most * springs / rate, out=rows[field])


def volume_energy(lattice: SpringLattice, state: LatticeState, laws: LatticeLaws) -> float:
    """What unbroken cells store [J]."""
    rows = volume_rows(lattice, laws, measure_rest_cells(lattice))
    share = edge_products(mean_edges(state.position, lattice.cell_node)) * rows["inverse_product"]
    flat = np.maximum(FLAT_SHARE - share, 0.0)
    each = rows["bulk_energy"] * np.square(1.0 - share) + rows["flat_energy"] * np.square(flat)
    return 0.5 * float(each[~state.cell_broken].sum())


def volume_rate(lattice: SpringLattice, laws: LatticeLaws) -> float:
    """Half the square of the highest frequency with which cells swing by their bulk modulus [1/s^2]."""
    if laws.bulk_modulus == 0.0 or not lattice.matter.any():
        return 0.0
    rest = measure_rest_cells(lattice)
    most = min(laws.bulk_modulus * float(rest.rate.max()), rest.spring_rate)
    return laws.stiffness_scale * most


def _cell_rates(lattice: SpringLattice, product: Floats, now: list[Floats]) -> Floats:
    """(c,) of cells with these edges and a bulk modulus of 1 Pa, as `volume_rate` has them [1/(Pa s^2)].

    product: (c,) e1 x e2 . e3 at rest [m^3].
    Where each corner has an eighth of the mass of its cell, w^2 = B V |dj/dx|^2/(m/8).
    """
    across = [cross_rows(now[k - 2], now[k - 1]) for k in range(3)]
    steepness = 0.5 * (dot(across[0], across[0]) + dot(across[1], across[1]) + dot(across[2], across[2]))
    mean = float(lattice.matter.sum()) / float(lattice.mass.sum())
    return np.asarray(4.0 * mean * steepness / np.square(product))


def _spring_rate(lattice: SpringLattice) -> float:
    """The same of the node that springs alone make the fastest [1/s^2]: no cell is stiffer by its volume than they are.

    Cells that are squeezed at the surface would rule the step else, for all.
    """
    total = np.zeros(len(lattice.mass))
    for end in lattice.bond_node.T:
        total += sums_at(end, lattice.stiffness, len(total))
    return float((total / lattice.mass).max(initial=0.0))
