r"""Stiffness of springs, such that a lattice of any cells stretches and bends as an elastic solid.

A spring of stiffness k and length l stands for a volume v of matter with the modulus P along it: k l^2 = P v. Springs
along an edge and along a body diagonal stand for the eighths of the cell at their two ends, those on a face for the
four eighths at it. A spring that cells share gets the sum of their parts, so springs on a surface are softer.

For a brick of sides a, b, c the moduli are found from the stiffness tensor of the springs,

    C_abab = C_aabb = Q_ab a^2 b^2/(a^2 + b^2)^2,    C_aaaa = P_a + sum_b C_abab a^2/b^2        (faces)
    C_abab = C_aabb = Q a^2 b^2/l^4,                 C_aaaa = P_a + Q a^4/l^4                   (body diagonals)

such that Young's modulus along each of the three directions is the given one. In cubes the solid is isotropic.
Central forces fix Poisson's ratio (Cauchy): it is 1/4, so G = 2/5 E, and in long cells smaller in the planes of unequal
sides, as G is: springs do not push, so diagonals must not be so stiff that edges would have to.

Limitations: a cell is taken for a brick with its mean sides; sheared cells come out less exact. Springs at a free
surface of microgeometry B are not all in balance under a uniform stress: a bar of n cubes across is softer by 0.06/n
in its middle, and where it is held or pulled each end gives as half a cell more would. C has no such errors, with half
as many bonds again; in a wall of a single flat cell B can lose a quarter. Bending of n cells across is stiffer by about
1/n^2.

References: Norton, Turk, Bacon, Gerth, Sweeney: Animation of fracture by physical modeling, 1991 (the springs). Born
and Huang: Dynamical theory of crystal lattices, 1954, section 11 (Cauchy's relations).
"""

import numpy as np

from ...types import Floats, Ints
from .hexahedra import (
    HEXAHEDRON_EDGES,
    HEXAHEDRON_FACES,
    HexahedralComplex,
    corner_volumes,
    edge_lengths,
    hexahedron_volumes,
)
from .microgeometry import Microgeometry

#: Of all lattices of central forces that are isotropic [1].
POISSON_RATIO = 0.25
_SHEAR = 0.5 / (1.0 + POISSON_RATIO)  # G/E
_ROUNDS = 40  # each brings a factor of 3 at least


def spring_stiffness(
    solid: HexahedralComplex, corner: Ints, microgeometry: Microgeometry, youngs_modulus: float
) -> Floats:
    """What each cell gives to the stiffness (c,m) of its springs, which join the corners (c,m,2) [N/m]."""
    modulus = spring_moduli(edge_lengths(solid), microgeometry)
    volume = _spring_volumes(solid, corner, microgeometry)
    ends = solid.node_position[solid.cell_node[np.arange(len(corner))[:, None, None], corner]]
    side = ends[:, :, 1] - ends[:, :, 0]
    return np.asarray(youngs_modulus * modulus * volume / (side * side).sum(axis=2))


def spring_moduli(sides: Floats, microgeometry: Microgeometry) -> Floats:
    """Moduli (c,m) along the springs of bricks with sides (c,3), relative to Young's modulus [1]."""
    square = sides * sides
    if microgeometry == Microgeometry.BODY_DIAGONALS:
        ratio = square / square.max(axis=1, keepdims=True)
        shear = _SHEAR * ratio[:, [1, 2, 0]] * ratio[:, [2, 0, 1]]
        edge = axial_stiffness(shear) - _SHEAR * ratio * ratio
        diagonal = np.repeat(_SHEAR * np.square(ratio.sum(axis=1))[:, None], 4, axis=1)
        return np.concatenate([np.repeat(edge, 4, axis=1), diagonal], axis=1)
    b, c = square[:, [1, 2, 0]], square[:, [2, 0, 1]]
    shear = _SHEAR * np.minimum(b, c) / np.maximum(b, c)  # in the plane across each direction
    edge = axial_stiffness(shear) - shear[:, [2, 0, 1]] * square / b - shear[:, [1, 2, 0]] * square / c
    diagonal = shear * np.square(b + c) / (b * c)
    each = 4 if microgeometry == Microgeometry.FACE_DIAGONALS else 2
    return np.concatenate([np.repeat(edge, 4, axis=1), np.repeat(diagonal, each, axis=1)], axis=1)


def axial_stiffness(shear: Floats) -> Floats:
    """C_aaaa (c,3) with which Young's moduli are 1, where C_bbcc (c,3) is given of the plane across each direction."""
    p = shear
    q, r = shear[:, [1, 2, 0]], shear[:, [2, 0, 1]]
    axial = np.full(shear.shape, 1.2)
    for _ in range(_ROUNDS):
        v, w = axial[:, [1, 2, 0]], axial[:, [2, 0, 1]]
        axial = 1.0 + (r * r * w - 2.0 * p * q * r + q * q * v) / (v * w - p * p)
    return axial


def _spring_volumes(solid: HexahedralComplex, corner: Ints, microgeometry: Microgeometry) -> Floats:
    """The part (c,m) of its cell for which each spring stands [m^3]."""
    eighth = corner_volumes(solid)
    eighth = eighth * (hexahedron_volumes(solid) / eighth.sum(axis=1))[:, None]
    row = np.arange(len(corner))[:, None]
    at_ends = eighth[row, corner[:, :, 0]] + eighth[row, corner[:, :, 1]]
    if microgeometry == Microgeometry.BODY_DIAGONALS:
        return np.asarray(at_ends)
    at_face = eighth[:, HEXAHEDRON_FACES].sum(axis=2)
    if microgeometry == Microgeometry.FACE_DIAGONALS:
        at_face = np.repeat(0.5 * at_face, 2, axis=1)
    return np.concatenate([at_ends[:, : len(HEXAHEDRON_EDGES)], at_face], axis=1)
