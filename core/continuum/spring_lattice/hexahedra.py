"""Hexahedral cells: how corners are numbered, and their edges, faces and volumes.

Corner k of a cell is at (k & 1, k >> 1 & 1, k >> 2 & 1) of its three directions.
"""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot
from ...errors import InputError
from ...geometry.mesh import cross_rows
from ...types import Floats, Frozen, Ints
from ...wording import count

#: (12,2) corners that each edge joins; four along each direction, one direction after the other.
HEXAHEDRON_EDGES = np.array([(k, k | 1 << axis) for axis in range(3) for k in range(8) if not k >> axis & 1])
#: (6,4) corners of each face, counter-clockwise seen from outside; faces 2 a and 2 a + 1 are across direction a.
HEXAHEDRON_FACES = np.array(
    [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)], dtype=np.int64
)
#: (8,3) neighbours of each corner along the three directions.
_ALONG = np.array([[k ^ 1, k ^ 2, k ^ 4] for k in range(8)])
#: (8,) whether the edges from a corner to its neighbours are right-handed.
_HAND = np.array([1.0 - 2.0 * (k.bit_count() & 1) for k in range(8)])


@dataclass(frozen=True, eq=False, slots=True)
class HexahedralComplex(Frozen):
    """Cells that meet in whole faces. Of two cells that share a face, one is even and one odd, if that can be."""

    node_position: Floats  #: (n,3) [m]
    cell_node: Ints  #: (c,8) node of each corner
    cell_parity: Ints  #: (c,) 0 or 1: the sum of the three places in the grid, modulo 2


def check_hexahedra(solid: HexahedralComplex) -> None:
    """Raise InputError where a node is not finite, or a cell is folded, flat or turned inside out."""
    if not np.isfinite(solid.node_position).all():
        raise InputError(
            "The lattice has nodes that are nowhere: repair the mesh, some of its vertices are not finite."
        )
    bad = int((~(corner_volumes(solid) > 0.0).all(axis=1)).sum())
    if bad:
        raise InputError(
            f"The lattice has {count(bad, 'folded cell')}: make cells smaller, or the shape less sharply bent."
        )


def corner_volumes(solid: HexahedralComplex) -> Floats:
    """Volumes (c,8) that the three edges at each corner span [m^3]; their mean is that of a parallelepiped."""
    corner = solid.node_position[solid.cell_node]
    along = corner[:, _ALONG] - corner[:, :, None]
    return np.asarray(_HAND * _triple_products(along[:, :, 0], along[:, :, 1], along[:, :, 2]))


def hexahedron_volumes(solid: HexahedralComplex) -> Floats:
    """Volumes (c,) of the cells with bilinear faces [m^3]: those of neighbours sum to that of the whole.

    What a bilinear face encloses is the mean of its two triangulations.
    """
    corner = solid.node_position[solid.cell_node] - solid.node_position[solid.cell_node[:, :1]]
    total = np.zeros(len(corner))
    for face in HEXAHEDRON_FACES:
        for k in range(4):
            a, b, c = (corner[:, face[(k + step) % 4]] for step in range(3))
            total += _triple_products(a, b, c)
    return total / 12.0


def exposed_faces(cell_node: Ints) -> Ints:
    """The faces (q,4) that only one of the cells (c,8) has, counter-clockwise seen from outside, cell after cell."""
    face = cell_node[:, HEXAHEDRON_FACES].reshape(-1, 4)
    low = np.sort(face, axis=1)
    order = np.lexsort(low.T)
    low = low[order]
    same = np.zeros(len(low) + 1, np.bool_)
    same[1:-1] = (low[1:] == low[:-1]).all(axis=1)
    return np.asarray(face[np.sort(order[~same[:-1] & ~same[1:]])])


def edge_lengths(solid: HexahedralComplex) -> Floats:
    """Mean lengths (c,3) of the edges of each cell along its three directions [m]."""
    ends = solid.node_position[solid.cell_node[:, HEXAHEDRON_EDGES]]
    side = ends[:, :, 1] - ends[:, :, 0]
    return np.asarray(np.sqrt(dot(side, side)).reshape(-1, 3, 4).sum(axis=2) / 4.0)


def _triple_products(a: Floats, b: Floats, c: Floats) -> Floats:
    """Of vectors (...,3), a x b . c."""
    rows = [part.reshape(-1, 3) for part in (a, b, c)]
    return np.asarray(dot(cross_rows(rows[0], rows[1]), rows[2]).reshape(a.shape[:-1]))
