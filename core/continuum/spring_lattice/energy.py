"""Energy and momentum of a lattice."""

import math
from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot
from ...geometry.mesh import cross_rows
from ...types import Floats
from ..contract import Surroundings
from .breaking import exposed_nodes
from .cell_volumes import volume_energy
from .contacts import pair_stiffness, possible_pairs, surface_springs
from .lattice import SpringLattice, bond_lengths
from .state import LatticeLaws, LatticeState


@dataclass(frozen=True, slots=True)
class LatticeEnergy:
    """Where the energy of a lattice is [J]."""

    kinetic: float
    springs: float  #: and of cells that are pressed flat
    gravity: float  #: 0 where all nodes are at the origin
    contact: float  #: of surfaces and of nodes that press on each other

    @property
    def total(self) -> float:
        """All of it."""
        return self.kinetic + self.springs + self.gravity + self.contact


def lattice_energy(
    lattice: SpringLattice, state: LatticeState, laws: LatticeLaws, around: Surroundings, share: float = 0.0
) -> LatticeEnergy:
    """The energy of a lattice at a share 0..1 of a frame."""
    speed = dot(state.velocity, state.velocity)
    strain = bond_lengths(state.position, lattice.bond_node) - state.rest_length
    stiffness = np.where(state.broken, 0.0, laws.stiffness_scale * lattice.stiffness)
    return LatticeEnergy(
        0.5 * float((lattice.mass * speed).sum()),
        0.5 * float((stiffness * strain * strain).sum()) + volume_energy(lattice, state, laws),
        -float((lattice.mass * dot(state.position, around.gravity)).sum()),
        _surface_energy(lattice, state, laws, around, share) + node_contact_energy(lattice, state, laws),
    )


def node_contact_energy(lattice: SpringLattice, state: LatticeState, laws: LatticeLaws) -> float:
    """What nodes that press on each other have stored [J]."""
    pair, reach = possible_pairs(lattice, state, laws, exposed_nodes(lattice, state.cell_broken), 0.0)
    depth = np.maximum(reach - bond_lengths(state.position, pair), 0.0)
    return 0.5 * float((pair_stiffness(lattice, laws, pair) * depth * depth).sum())


def lattice_momentum(lattice: SpringLattice, state: LatticeState, about: Floats) -> tuple[Floats, Floats]:
    """Momentum (3,) [kg m/s], and angular momentum (3,) about a point (3,) [kg m^2/s]."""
    momentum = lattice.mass[:, None] * state.velocity
    return momentum.sum(axis=0), cross_rows(state.position - about, momentum).sum(axis=0)


def _surface_energy(
    lattice: SpringLattice, state: LatticeState, laws: LatticeLaws, around: Surroundings, share: float
) -> float:
    if math.isinf(laws.surface.stiffness):
        return 0.0
    node = np.flatnonzero(exposed_nodes(lattice, state.cell_broken))
    distance = around.find_nearest(np.ascontiguousarray(state.position[node]), share).distance
    depth = np.maximum(-distance, 0.0)
    return 0.5 * float((surface_springs(lattice, laws.surface)[0][node] * depth * depth).sum())
