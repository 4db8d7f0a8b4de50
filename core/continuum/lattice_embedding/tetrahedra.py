"""A grid of hexahedra as a complex of tetrahedra: five in each, whose faces meet face to face.

The tetrahedron in the middle has the corners of a hexahedron whose numbers have an even number of ones, in odd cells an
odd one: its edges are the diagonals of alternating microgeometry (Norton et al. 1991, figure 2). The other four are the
corners between them. They are as many regions as a cutter wants convex; those of a hexahedron are one group.
"""

import numpy as np

from ...pieces.delaunay_complex import Tetrahedra, as_partition
from ...types import Floats, Ints, Partition

#: Tetrahedra of a hexahedron.
TETRAHEDRA_PER_CELL = 5


def _tables() -> tuple[Ints, Ints]:
    """Corners (2,5,4), and where the neighbour opposite to each corner is (2,5,4,2): face or -1, place in its cell."""
    corners = np.zeros((2, 5, 4), np.int64)
    across = np.zeros((2, 5, 4, 2), np.int64)
    for parity in range(2):
        middle, outer = ([k for k in range(8) if k.bit_count() % 2 == which] for which in (parity, 1 - parity))
        place = {corner: 1 + row for row, corner in enumerate(outer)}
        corners[parity, 0] = middle
        across[parity, 0] = [(-1, place[7 - corner]) for corner in middle]
        there = {corner: 1 + row for row, corner in enumerate(middle)}  # in a neighbour, whose parity is the other one
        for corner, row in place.items():
            corners[parity, row] = [corner, corner ^ 1, corner ^ 2, corner ^ 4]
            across[parity, row, 0] = (-1, 0)
            for axis in range(3):
                face = 2 * axis + (corner >> axis & 1)
                across[parity, row, 1 + axis] = (face, there[corner ^ 1 << axis])
    return corners, across


#: Of the four of a tetrahedron's faces, opposite to each corner: see `_tables`.
CELL_TETRAHEDRA, _ACROSS = _tables()


def split_hexahedra(nodes: Floats, hexahedra: Ints, parity: Ints, neighbours: Ints) -> Partition:
    """Five regions for each of H hexahedra; region 5 h + k is in hexahedron h.

    nodes (N,3) [m]; hexahedra (H,8), parity (H,) and neighbours (H,6) as those of a `BodyGrid`. Raises CutError where
    round-off decides the shape of a tetrahedron.
    """
    count = len(hexahedra)
    corners = hexahedra[np.arange(count)[:, None, None], CELL_TETRAHEDRA[parity]].reshape(-1, 4)
    face, place = np.moveaxis(_ACROSS[parity], -1, 0)
    own = np.arange(count)[:, None, None]
    cell = np.where(face < 0, own, neighbours[own, np.maximum(face, 0)])
    beside = np.where(cell < 0, -1, TETRAHEDRA_PER_CELL * cell + place).reshape(-1, 4)
    table = Tetrahedra(nodes, corners.astype(np.int32), beside.astype(np.int32), np.arange(len(nodes)))
    return as_partition(table)


def tetrahedron_volumes(nodes: Floats, hexahedra: Ints, parity: Ints) -> Floats:
    """Signed volumes (H,5) of the tetrahedra of each hexahedron [m^3]."""
    corner = nodes[hexahedra[np.arange(len(hexahedra))[:, None, None], CELL_TETRAHEDRA[parity]]]
    a, b, c = (corner[:, :, k] - corner[:, :, 0] for k in range(1, 4))
    size = a[..., 0] * (b[..., 1] * c[..., 2] - b[..., 2] * c[..., 1])
    size += a[..., 1] * (b[..., 2] * c[..., 0] - b[..., 0] * c[..., 2])
    size += a[..., 2] * (b[..., 0] * c[..., 1] - b[..., 1] * c[..., 0])
    return np.asarray(_SENSE[parity] * size / 6.0)


def _senses() -> Floats:
    """(2,5) the sign of the volumes in a cube, in the order of their corners."""
    unit = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)], dtype=np.float64)
    corner = unit[CELL_TETRAHEDRA]
    a, b, c = (corner[:, :, k] - corner[:, :, 0] for k in range(1, 4))
    return np.asarray(np.sign((a * np.cross(b, c)).sum(axis=-1)))


_SENSE = _senses()
