"""A part of a lattice by itself: what is left when pieces have gone."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...types import Bools, Ints
from .breaking import component_labels
from .lattice import LatticeCells, SpringLattice, Springs, assemble_lattice
from .state import LatticeState


class TakenNodes(NamedTuple):
    """A part of a lattice, and which rows of the whole it has."""

    lattice: SpringLattice
    state: LatticeState
    node: Ints
    cell: Ints


def take_nodes(lattice: SpringLattice, state: LatticeState, keep: Bools) -> TakenNodes:
    """The nodes to keep (n,), the bonds between them, and the cells of which all corners are among them.

    Bonds that are broken and belong to no such cell are left out. Contacts stay what they were.
    """
    number = np.cumsum(keep) - 1
    cell = np.flatnonzero(keep[lattice.cell_node].all(axis=1))
    size = np.diff(lattice.cell_bond_start)
    of_cell = np.repeat(np.arange(len(size)), size)
    kept_cell = np.zeros(len(size), np.bool_)
    kept_cell[cell] = True
    entry = kept_cell[of_cell]
    needed = ~state.broken
    needed[lattice.cell_bond[entry]] = True
    bond = np.flatnonzero(keep[lattice.bond_node].all(axis=1) & needed)
    bond_number = np.full(len(state.broken), -1, np.int64)
    bond_number[bond] = np.arange(len(bond))
    start = np.concatenate([[0], np.cumsum(size[cell])])
    springs = Springs(
        number[lattice.bond_node[bond]], lattice.rest_length[bond], lattice.stiffness[bond], lattice.damping[bond],
        lattice.threshold[bond],
    )  # fmt: skip
    cells = LatticeCells(number[lattice.cell_node[cell]], start, bond_number[lattice.cell_bond[entry]])
    node = np.flatnonzero(keep)
    made = assemble_lattice(lattice.rest_position[node], lattice.mass[node], springs, cells, lattice.matter[cell])
    made = _with_contacts(made, lattice, state, node)
    broken, cell_broken = state.broken[bond], state.cell_broken[cell]
    taken = LatticeState(
        state.position[node], state.velocity[node], state.rest_length[bond], broken, cell_broken,
        component_labels(made, broken),
    )  # fmt: skip
    return TakenNodes(made, taken, node, cell)


def _with_contacts(made: SpringLattice, lattice: SpringLattice, state: LatticeState, node: Ints) -> SpringLattice:
    """The same with the radii and contact springs of the whole, and all that broken cells have laid bare."""
    bare = lattice.outer.copy()
    bare[lattice.cell_node[state.cell_broken]] = True
    return replace(
        made, outer=bare[node], radius=lattice.radius[node], contact_stiffness=lattice.contact_stiffness[node]
    )
