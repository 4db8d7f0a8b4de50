"""Regular complexes of cells: any grid of nodes, slabs and rings."""

import math

import numpy as np

from ...arithmetic.elementary import cos, sin
from ...types import Floats, Ints
from .hexahedra import HexahedralComplex, corner_volumes

#: (8,) corners of a cell whose last direction is run through the other way.
_OTHER_WAY = np.array([k ^ 4 for k in range(8)])


def slab_complex(counts: tuple[int, int, int], size: tuple[float, float, float]) -> HexahedralComplex:
    """A box of (a,b,c) cells from the origin to `size` [m]. The last coordinate of nodes and cells runs fastest."""
    along = [np.arange(count + 1) * (length / count) for count, length in zip(counts, size, strict=True)]
    return grid_complex(np.stack(np.meshgrid(*along, indexing="ij"), axis=-1))


def ring_complex(
    counts: tuple[int, int, int], inner_radius: float, outer_radius: float, height: float
) -> HexahedralComplex:
    """A tube about the z axis of (around, through the wall, high) cells [m]. `around` should be even."""
    around, through, high = counts
    turn = np.arange(around) * (2.0 * math.pi / around)
    radius = inner_radius + np.arange(through + 1) * ((outer_radius - inner_radius) / through)
    level = np.arange(high + 1) * (height / high)
    shape = (around, through + 1, high + 1)
    x, y = cos(turn)[:, None] * radius, sin(turn)[:, None] * radius
    plan = [np.broadcast_to(part[:, :, None], shape) for part in (x, y)]
    return grid_complex(np.stack([*plan, np.broadcast_to(level, shape)], axis=-1), closed=True)


def grid_complex(position: Floats, closed: bool = False) -> HexahedralComplex:
    """The cells between nodes (p,q,r,3) of a grid [m], closed to a ring along its first direction or not.

    Nodes and cells are numbered with the last direction fastest. A left-handed grid is run through the other way.
    """
    shape = position.shape[:3]
    node = np.arange(shape[0] * shape[1] * shape[2]).reshape(shape)
    ring = np.concatenate([node, node[:1]]) if closed else node
    counts = (ring.shape[0] - 1, ring.shape[1] - 1, ring.shape[2] - 1)
    solid = HexahedralComplex(position.reshape(-1, 3), _cells_between(ring), _parities(counts))
    if corner_volumes(solid).sum() >= 0.0:
        return solid
    return reversed_cells(solid)


def reversed_cells(solid: HexahedralComplex) -> HexahedralComplex:
    """The same cells, run through the other way in their last direction: what is mirrored is right-handed again.

    Even cells become odd, so that diagonals of faces stay where they are.
    """
    return HexahedralComplex(solid.node_position, solid.cell_node[:, _OTHER_WAY], 1 - solid.cell_parity)


def _cells_between(node: Ints) -> Ints:
    """Corners (c,8) of the cells of a grid of nodes."""
    ends = (slice(None, -1), slice(1, None))
    corner = [node[ends[k & 1], ends[k >> 1 & 1], ends[k >> 2 & 1]].ravel() for k in range(8)]
    return np.stack(corner, axis=1)


def _parities(counts: tuple[int, int, int]) -> Ints:
    return np.asarray(np.indices(counts).sum(axis=0).ravel() % 2, dtype=np.int64)
