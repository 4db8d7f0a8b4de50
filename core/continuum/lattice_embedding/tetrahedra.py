"""Hexahedra that fill a box as a complex of tetrahedra, whose faces meet face to face: convex regions for the cutter.

Each is divided into five. The tetrahedron in the middle has the corners whose numbers have an even number of ones, in
odd hexahedra an odd one: its edges are the diagonals of alternating microgeometry (Norton et al. 1991, figure 2). The
other four are the corners between them. Hexahedra that share a face have the same diagonal there.
"""

import numpy as np

from ...errors import CutError
from ...pieces.delaunay import TetrahedraTable
from ...pieces.delaunay_complex import Tetrahedra, as_partition
from ...types import Floats, Ints, Partition

#: Tetrahedra of a hexahedron.
TETRAHEDRA_PER_CELL = 5


def _five() -> Ints:
    """Corners (2,5,4) of the tetrahedra of even and of odd hexahedra, positively oriented."""
    rows = np.zeros((2, 5, 4), np.int64)
    for parity in range(2):
        middle, outer = ([k for k in range(8) if k.bit_count() % 2 == which] for which in (parity, 1 - parity))
        rows[parity, 0] = middle
        rows[parity, 1:] = [[k, k ^ 1, k ^ 2, k ^ 4] for k in outer]
    unit = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)], dtype=np.float64)
    turned = _sizes(unit[rows].reshape(-1, 4, 3)).reshape(2, 5) < 0.0
    rows[turned] = rows[turned][:, [0, 1, 3, 2]]
    return rows


def _sizes(corner: Floats) -> Floats:
    """Six times the volume (n,) of tetrahedra with corners (n,4,3)."""
    a, b, c = (corner[:, k] - corner[:, 0] for k in range(1, 4))
    size = a[:, 0] * (b[:, 1] * c[:, 2] - b[:, 2] * c[:, 1])
    size += a[:, 1] * (b[:, 2] * c[:, 0] - b[:, 0] * c[:, 2])
    return np.asarray(size + a[:, 2] * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]))


#: Corners of the tetrahedra of even and of odd hexahedra.
CELL_TETRAHEDRA = _five()


def divide_hexahedra(hexahedra: Ints, parity: Ints) -> Ints:
    """Corners (5 H,4) of the tetrahedra of hexahedra (H,8) with parity (H,), positively oriented, five of each."""
    row = np.arange(len(hexahedra))[:, None, None]
    return np.asarray(hexahedra[row, CELL_TETRAHEDRA[parity]].reshape(-1, 4))


def tetrahedra_complex(nodes: Floats, corners: Ints) -> Partition:
    """A region for each of the tetrahedra (M,4) of nodes (N,3) [m], which fill a convex box.

    Raises CutError where round-off decides the shape of a tetrahedron, or where they do not fit each other.
    """
    return as_partition(Tetrahedra(nodes, corners.astype(np.int32), _neighbours(corners), np.arange(len(nodes))))


def tetrahedron_volumes(nodes: Floats, corners: Ints) -> Floats:
    """Signed volumes (M,) of tetrahedra (M,4) [m^3]."""
    return np.asarray(_sizes(nodes[corners]) / 6.0)


def _neighbours(corners: Ints) -> TetrahedraTable:
    """(M,4) the tetrahedron opposite to each corner, -1 for none."""
    opposite = np.array([[j for j in range(4) if j != k] for k in range(4)])
    low = np.sort(corners[:, opposite].reshape(-1, 3), axis=1)
    order = np.lexsort(low.T)
    same = (low[order[1:]] == low[order[:-1]]).all(axis=1)
    if (same[1:] & same[:-1]).any():
        raise CutError("Cells of the lattice do not fit together face to face.")
    result = np.full(len(low), -1, np.int32)
    a, b = order[:-1][same], order[1:][same]
    result[a], result[b] = b // 4, a // 4
    return result.reshape(-1, 4)
