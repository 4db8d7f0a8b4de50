"""What breaks: bonds that are stretched too far, the cells that they belong to, and all that only those held.

Norton et al. 1991, "Breakage": a bond trips when it is longer than 1 + t times its starting length, never when it is
pressed. A cell with a bond that tripped is broken; a bond all of whose cells are broken is broken.
"""

import numpy as np

from ...geometry.graph import components
from ...types import Bools, Floats, Ints
from .lattice import SpringLattice, bond_lengths, sums_at


def broken_cells(lattice: SpringLattice, tripped: Bools, cell_broken: Bools) -> Bools:
    """The cells (c,) that are broken after these bonds tripped: each that has one of them."""
    return cell_broken | (_sum_over_cells(lattice, tripped.astype(np.float64)) > 0.0)


def weakest_cells(lattice: SpringLattice, position: Floats, tripped: Bools, cell_broken: Bools) -> Bools:
    """As `broken_cells`, but of the cells of each bond that tripped only the one of the largest mean stretch breaks.

    Of several the first. Ours: destroying all cells around an edge leaves many lonely nodes (docs/papers/norton1991.md,
    4.6).
    """
    cell = _cells_of_bonds(lattice)
    size = np.maximum(np.diff(lattice.cell_bond_start), 1)
    stretch = _sum_over_cells(lattice, bond_lengths(position, lattice.bond_node) / lattice.rest_length) / size
    candidate = tripped[lattice.cell_bond] & ~cell_broken[cell]
    row, bond = cell[candidate], lattice.cell_bond[candidate]
    order = np.lexsort((row, -stretch[row], bond))
    first = np.ones(len(order), np.bool_)
    first[1:] = bond[order][1:] != bond[order][:-1]
    result = cell_broken.copy()
    result[row[order][first]] = True
    return result


def broken_bonds(lattice: SpringLattice, tripped: Bools, cell_broken: Bools, broken: Bools) -> Bools:
    """The bonds (b,) that are broken: those without an unbroken cell. One of no cell breaks when it trips."""
    whole = np.bincount(lattice.cell_bond, ~cell_broken[_cells_of_bonds(lattice)], minlength=len(lattice.rest_length))
    celled = np.bincount(lattice.cell_bond, minlength=len(lattice.rest_length)) > 0
    return np.asarray(broken | np.where(celled, whole == 0.0, tripped))


def component_labels(lattice: SpringLattice, broken: Bools) -> Ints:
    """Labels (n,) of the nodes that hang together by unbroken bonds, numbered in order of their first nodes."""
    nodes = np.arange(len(lattice.mass))
    return components(len(nodes), lattice.bond_node, ~broken, nodes)


def isolated_nodes(lattice: SpringLattice, broken: Bools) -> Bools:
    """Which nodes (n,) have no unbroken bond."""
    lonely = np.ones(len(lattice.mass), np.bool_)
    lonely[lattice.bond_node[~broken]] = False
    return lonely


def exposed_nodes(lattice: SpringLattice, cell_broken: Bools) -> Bools:
    """Which nodes (n,) others can touch: those on the surface at the start, and those of broken cells."""
    exposed = lattice.outer.copy()
    exposed[lattice.cell_node[cell_broken]] = True
    return exposed


def _cells_of_bonds(lattice: SpringLattice) -> Ints:
    return np.repeat(np.arange(len(lattice.cell_node)), np.diff(lattice.cell_bond_start))


def _sum_over_cells(lattice: SpringLattice, of_bond: Floats) -> Floats:
    return sums_at(_cells_of_bonds(lattice), of_bond[lattice.cell_bond], len(lattice.cell_node))
