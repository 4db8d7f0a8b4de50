"""A lattice of nodes and springs: what stays the same of it, as arrays.

Letters in shapes: n nodes, b bonds, c cells, h half bonds.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...jit import sealed_floats
from ...types import Bools, Floats, Frozen, Ints
from .elasticity import spring_stiffness
from .hexahedra import HexahedralComplex, check_hexahedra, exposed_faces, hexahedron_volumes
from .material import SpringMaterial, bond_damping, bond_threshold
from .microgeometry import Microgeometry, spring_corners
from .substeps import ShortInts


class Springs(NamedTuple):
    """Bonds with their springs, see SpringLattice."""

    node: Ints  #: (b,2)
    length: Floats  #: (b,) [m]
    stiffness: Floats  #: (b,) [N/m]
    damping: Floats  #: (b,) [N s/m]
    threshold: Floats  #: (b,) [1]


class LatticeCells(NamedTuple):
    """Cells and the bonds of each, see SpringLattice."""

    node: Ints  #: (c,8)
    bond_start: Ints  #: (c+1,)
    bond: Ints  #: (.,)


@dataclass(frozen=True, eq=False, slots=True)
class SpringLattice(Frozen):
    """Nodes, bonds with springs, and cells of bonds. No two bonds join the same nodes.

    A half bond is a bond as one of its nodes sees it; those of a node lie side by side.
    """

    rest_position: Floats  #: (n,3) [m]
    mass: Floats  #: (n,) [kg]
    bond_node: Ints  #: (b,2) the lower node first; bonds ascend
    rest_length: Floats  #: (b,) [m]
    stiffness: Floats  #: (b,) [N/m]
    damping: Floats  #: (b,) [N s/m]
    threshold: Floats  #: (b,) strain at which each breaks, infinite where it never does [1]
    cell_node: Ints  #: (c,8)
    cell_bond_start: Ints  #: (c+1,)
    cell_bond: Ints  #: (.,) bonds of each cell
    half_start: Ints  #: (n+1,) half bonds of each node
    half_bond: ShortInts  #: (h,2) the other node, ascending, and the bond
    outer: Bools  #: (n,) nodes on the surface: those of faces that only one cell has, and of no cell
    radius: Floats  #: (n,) half the length of the shortest bond; 0 without bonds [m]
    contact_stiffness: Floats  #: (n,) of the softest bond; 0 without bonds [N/m]
    matter: Floats  #: (c,) in each cell [m^3]


def build_lattice(
    solid: HexahedralComplex,
    material: SpringMaterial,
    microgeometry: Microgeometry = Microgeometry.ALTERNATING_FACE_DIAGONALS,
    density_factor: Floats | None = None,
    strength_factor: Floats | None = None,
    filled: Floats | None = None,
) -> SpringLattice:
    """The lattice of a complex of cells.

    density_factor: (c,) of each cell, relative to the material's own. strength_factor: (b,) of each bond, infinite
    where it never breaks; bonds are those of `joined_nodes`. filled: (c,) part of each cell in which there is matter:
    of its mass and of its springs. Raises InputError for folded cells.
    """
    check_hexahedra(solid)
    corner = spring_corners(solid, microgeometry)
    bond_node, cell_bond = joined_nodes(solid, microgeometry)
    share = spring_stiffness(solid, corner, microgeometry, material.youngs_modulus)
    weight = hexahedron_volumes(solid) * material.density
    if filled is not None:
        weight, share = weight * filled, share * filled[:, None]
    if density_factor is not None:
        weight = weight * density_factor
    mass = sums_at(solid.cell_node.ravel(), np.repeat(weight / 8.0, 8), len(solid.node_position))
    stiffness = sums_at(cell_bond.ravel(), share.ravel(), len(bond_node))
    length = bond_lengths(solid.node_position, bond_node)
    threshold = bond_threshold(material, length)
    if strength_factor is not None:
        threshold = threshold * strength_factor
    damping = bond_damping(material, solid.node_position, mass, bond_node, stiffness)
    start = np.arange(len(cell_bond) + 1) * cell_bond.shape[1]
    return assemble_lattice(
        solid.node_position,
        mass,
        Springs(bond_node, length, stiffness, damping, threshold),
        LatticeCells(solid.cell_node, start, cell_bond.ravel()),
        hexahedron_volumes(solid) if filled is None else hexahedron_volumes(solid) * filled,
    )


def assemble_lattice(
    position: Floats, mass: Floats, springs: Springs, cells: LatticeCells, matter: Floats | None = None
) -> SpringLattice:
    """The lattice of nodes at positions (n,3) [m] with masses (n,) [kg], and matter (c,) in cells [m^3].

    All else follows. Without `matter` cells have none, and so do not resist being pressed flat.
    """
    half_start, half_bond = _half_bonds(len(position), springs.node)
    radius, softest = np.full(len(position), np.inf), np.full(len(position), np.inf)
    for end in springs.node.T:
        np.minimum.at(radius, end, 0.5 * springs.length)
        np.minimum.at(softest, end, springs.stiffness)
    lonely = half_start[1:] == half_start[:-1]
    return SpringLattice(
        sealed_floats(position), sealed_floats(mass), springs.node, sealed_floats(springs.length),
        sealed_floats(springs.stiffness), sealed_floats(springs.damping), sealed_floats(springs.threshold), *cells,
        half_start, half_bond, _outer_nodes(len(position), cells.node),
        np.where(lonely, 0.0, radius), np.where(lonely, 0.0, softest),
        np.zeros(len(cells.node)) if matter is None else matter,
    )  # fmt: skip


def joined_nodes(solid: HexahedralComplex, microgeometry: Microgeometry) -> tuple[Ints, Ints]:
    """The pairs of nodes (b,2) that bonds join, and the bonds (c,m) of each cell, in the order of `spring_corners`."""
    corner, row = spring_corners(solid, microgeometry), np.arange(len(solid.cell_node))[:, None, None]
    node = np.sort(solid.cell_node[row, corner], axis=2)
    count = len(solid.node_position)
    key, bond = np.unique(node[:, :, 0] * count + node[:, :, 1], return_inverse=True)
    return np.stack([key // count, key % count], axis=1), np.ascontiguousarray(bond.reshape(node.shape[:2]))


def sums_at(place: Ints, value: Floats, count: int) -> Floats:
    """Sums (count,) of the values (k,) at each place, added in their order."""
    return np.asarray(np.bincount(place, value, count), np.float64)


def bond_lengths(position: Floats, bond_node: Ints) -> Floats:
    """Lengths (b,) of bonds between nodes at positions (n,3) [m]."""
    x, y, z = (position[bond_node[:, 1]] - position[bond_node[:, 0]]).T
    return np.asarray(np.sqrt(x * x + y * y + z * z))


def _half_bonds(count: int, bond_node: Ints) -> tuple[Ints, ShortInts]:
    own = np.concatenate([bond_node[:, 1], bond_node[:, 0]])
    other = np.concatenate([bond_node[:, 0], bond_node[:, 1]])
    # Bonds ascend, so the lower neighbours of a node ascend, and so do the higher ones.
    order = np.argsort(own, kind="stable")
    bond = np.tile(np.arange(len(bond_node)), 2)
    start = np.concatenate([[0], np.cumsum(np.bincount(own, minlength=count))])
    return start, np.stack([other[order], bond[order]], axis=1).astype(np.uint32)


def _outer_nodes(count: int, cell_node: Ints) -> Bools:
    outer = np.ones(count, np.bool_)
    outer[cell_node] = False
    outer[exposed_faces(cell_node)] = True
    return outer
