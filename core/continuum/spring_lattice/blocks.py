"""Regular complexes of cells: slabs and rings."""

import math

import numpy as np

from ...arithmetic.elementary import cos, sin
from ...types import Ints
from .hexahedra import HexahedralComplex


def slab_complex(counts: tuple[int, int, int], size: tuple[float, float, float]) -> HexahedralComplex:
    """A box of (a,b,c) cells from the origin to `size` [m]. The last coordinate of nodes and cells runs fastest."""
    along = [np.arange(count + 1) * (length / count) for count, length in zip(counts, size, strict=True)]
    position = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, 3)
    node = np.arange(len(position)).reshape([count + 1 for count in counts])
    return HexahedralComplex(position, _cells_between(node), _parities(counts))


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
    position = np.stack([*plan, np.broadcast_to(level, shape)], axis=-1).reshape(-1, 3)
    node = np.arange(len(position)).reshape(shape)
    closed = np.concatenate([node, node[:1]])
    # Around, outwards and up are left-handed: going through the wall from outside makes them right-handed.
    return HexahedralComplex(position, _cells_between(closed[:, ::-1]), _parities(counts))


def _cells_between(node: Ints) -> Ints:
    """Corners (c,8) of the cells of a grid of nodes."""
    ends = (slice(None, -1), slice(1, None))
    corner = [node[ends[k & 1], ends[k >> 1 & 1], ends[k >> 2 & 1]].ravel() for k in range(8)]
    return np.stack(corner, axis=1)


def _parities(counts: tuple[int, int, int]) -> Ints:
    return np.asarray(np.indices(counts).sum(axis=0).ravel() % 2, dtype=np.int64)
