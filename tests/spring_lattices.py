"""Lattices and surroundings for tests of springs."""

from dataclasses import dataclass, field

import numpy as np

from core.continuum.contract import NearestSurface, no_surface
from core.continuum.spring_lattice.advance_lattice import advance_lattice
from core.continuum.spring_lattice.blocks import slab_complex
from core.continuum.spring_lattice.lattice import LatticeCells, Springs, assemble_lattice, build_lattice
from core.continuum.spring_lattice.material import SpringMaterial
from core.continuum.spring_lattice.microgeometry import Microgeometry
from core.continuum.spring_lattice.state import rest_state
from core.stepwise import result_of

A, B, C = Microgeometry
NO_GRAVITY = np.zeros(3)
DOWN = np.array([0.0, 0.0, -9.81])
RUBBER = SpringMaterial(youngs_modulus=1e5, density=1000.0, failure_strain=1e3)


@dataclass(frozen=True)
class Around:
    """Nothing in the way, or a floor at some height that moves."""

    dt: float
    gravity: np.ndarray = field(default_factory=lambda: NO_GRAVITY)
    floor: float | None = None
    rise: float = 0.0  # of the floor [m/s]

    def find_nearest(self, points, share):
        if self.floor is None:
            return no_surface(len(points))
        up = np.tile([0.0, 0.0, 1.0], (len(points), 1))
        height = self.floor + self.rise * share * self.dt
        return NearestSurface(points[:, 2] - height, up, self.rise * up)


def slab(counts, size=None, material=RUBBER, microgeometry=B, **factors):
    size = tuple(map(float, counts)) if size is None else size
    return build_lattice(slab_complex(counts, size), material, microgeometry, **factors)


def springs(position, pairs, mass=1.0, stiffness=1.0, damping=0.0, threshold=1e3, length=None):
    """Nodes and bonds without cells."""
    position, pairs = np.asarray(position, float), np.asarray(pairs)
    side = position[pairs[:, 1]] - position[pairs[:, 0]]
    length = np.linalg.norm(side, axis=1) if length is None else np.full(len(pairs), float(length))
    of_bonds = (np.full(len(pairs), float(value)) for value in (stiffness, damping, threshold))
    none = np.zeros(0, dtype=np.int64)
    cells = none.reshape(0, 8), np.zeros(1, dtype=np.int64), none
    springs = Springs(pairs, length, *of_bonds)
    return assemble_lattice(position, np.full(len(position), float(mass)), springs, LatticeCells(*cells))


def run(lattice, state, laws, around, frames=1, anchored=None, seen=None):
    """The state after some frames and the report of each; `seen` is called with each state."""
    reports = []
    for _ in range(frames):
        state, report = result_of(advance_lattice(lattice, state, laws, around, anchored))
        reports.append(report)
        if seen:
            seen(state)
    return state, reports


def resting(lattice, velocity=None):
    return rest_state(lattice, velocity)


def bond_of(lattice, a, b):
    """The bond between two nodes."""
    pair = sorted((a, b))
    return int(np.flatnonzero((lattice.bond_node == pair).all(axis=1))[0])
