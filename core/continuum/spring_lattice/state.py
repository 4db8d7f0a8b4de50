"""What changes of a lattice, and what it moves by."""

import math
from dataclasses import dataclass

import numpy as np

from ...types import Bools, Floats, Frozen, Ints
from .breaking import component_labels
from .lattice import SpringLattice


@dataclass(frozen=True, eq=False, slots=True)
class LatticeState(Frozen):
    """A lattice at one time."""

    position: Floats  #: (n,3) [m]
    velocity: Floats  #: (n,3) [m/s]
    rest_length: Floats  #: (b,) of each bond, which flows where matter is plastic [m]
    broken: Bools  #: (b,)
    cell_broken: Bools  #: (c,)
    label: Ints  #: (n,) component of each node, numbered in order of their first nodes


@dataclass(frozen=True, slots=True)
class ContactLaw:
    """How nodes push and rub."""

    stiffness: float = 1.0  #: relative to the softest spring at the node; infinite: surfaces at which nodes stop [1]
    damping_ratio: float = 0.1  #: of critical, of a single node [1]
    friction: float = 0.5  #: Coulomb's coefficient [1]


@dataclass(frozen=True, slots=True)
class LatticeLaws:
    """What a lattice moves and breaks by, besides its springs.

    Node contacts are at most as stiff as springs: harder ones would push apart what broke while it was pressed.
    """

    paper_euler: bool = False  #: step positions by old velocities, as the paper does; it gains energy
    surface: ContactLaw = ContactLaw()  #: against what is in the way
    nodes: ContactLaw = ContactLaw()  #: node against node
    self_contact: bool = False  #: also between nodes of one component that no bond joined
    weakest_cell: bool = False  #: of the cells of a bond that trips only the weakest breaks
    yield_strain: float = math.inf  #: beyond which matter flows [1]
    flow_rate: float = math.inf  #: at which strain beyond it flows away [1/s]
    stiffness_scale: float = 1.0  #: of springs, cells and node contacts, from frame to frame [1]
    bulk_modulus: float = 0.0  #: with which cells keep their volume, besides what springs do [Pa]
    flat_modulus: float = 0.0  #: with which cells resist that are pressed flat, see `cell_volumes` [Pa]

    def __post_init__(self) -> None:
        """Hold the contacts against the springs."""
        if self.nodes.stiffness > 1.0:
            raise ValueError("Nodes may not push each other harder than springs do.")


def rest_state(lattice: SpringLattice, velocity: Floats | None = None) -> LatticeState:
    """The whole lattice at rest, or with velocities (n,3) or (3,) [m/s]."""
    start = np.zeros((len(lattice.mass), 3))
    if velocity is not None:
        start = start + velocity
    broken = np.zeros(len(lattice.rest_length), np.bool_)
    cell_broken = np.zeros(len(lattice.cell_node), np.bool_)
    label = component_labels(lattice, broken)
    return LatticeState(lattice.rest_position, start, lattice.rest_length, broken, cell_broken, label)
