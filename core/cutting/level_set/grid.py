"""A regular grid in the material coordinates of a body, and which of its nodes lie in matter.

Su 2009, section 3: nodes are the centres of cubic cells of side h, and what is true of the node is taken to be true of
its cell.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...geometry.inside import inside
from ...geometry.mesh import bounds
from ...types import Body, Bools, Floats, Ints

#: Nodes of a grid at most. Sixty pieces of a ball on 57 million nodes were measured to take 1.4 GB; more pieces have
#: more surface between them. Twice as many were tried before.
NODES_MAX = 1 << 26
#: Nodes that are looked at together: what is told of each of them takes a hundred bytes. By memory: 50 MB.
SLAB = 1 << 19
#: The eight nodes of a voxel (8,3), seen from its lowest.
OFFSETS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])

#: What is kept of each node: no grid has more of anything than nodes.
Shorts = NDArray[np.int32]


class Grid(NamedTuple):
    """Nodes at `origin + spacing * (i, j, k)`, in rows along k."""

    origin: Floats  #: (3,) of the first node [m]
    spacing: float  #: side h of a cell [m]
    shape: tuple[int, int, int]  #: nodes along each axis

    def places(self, node: Ints) -> Floats:
        """Coordinates (n,3) [m] of nodes (n,), numbered row by row."""
        return np.asarray(self.origin + self.spacing * np.stack(np.unravel_index(node, self.shape), axis=1))

    def slabs(self) -> Iterator[slice]:
        """All nodes in order, some whole layers across the first axis at a time."""
        layer, total = self.shape[1] * self.shape[2], self.shape[0] * self.shape[1] * self.shape[2]
        step = max(SLAB // layer, 1) * layer
        for first in range(0, total, step):
            yield slice(first, min(first + step, total))


def grid_around(body: Body, resolution: int) -> Grid:
    """The grid with `resolution` cells along the longest side of the body's box, and a layer of nodes around it.

    The body is in its middle. No side of the box goes through nodes.
    Raises InputError for less than two cells or too many; says how many there may be.
    """
    low, high = bounds(body.vertices[body.triangles.reshape(-1)])
    longest = float((high - low).max())
    if resolution < 2 or not 0.0 < longest < np.inf:
        raise InputError("Breaking by level sets needs a Resolution of at least 2 cells.")
    h = longest / resolution
    count = _node_counts(high - low, h)
    if count.prod() > NODES_MAX:
        fits = resolution
        while _node_counts(high - low, longest / fits).prod() > NODES_MAX:
            fits -= max(fits // 64, 1)
        raise InputError(f"A grid of that Resolution would not fit into memory: lower it to {fits}.")
    x, y, z = count.astype(np.int64).tolist()
    return Grid(0.5 * (low + high) - 0.5 * h * (count - 1.0), h, (x, y, z))


def _node_counts(size: Floats, h: float) -> Floats:
    """Nodes (3,) along the sides of a box with cells of h, and the layer around it."""
    return np.asarray(np.maximum(np.ceil(size / h - 1e-9), 1.0) + 2.0)


def inside_nodes(body: Body, grid: Grid) -> Bools:
    """Whether each node of the grid lies in the matter of a closed body."""
    within = np.empty(grid.shape, np.bool_)
    flat = within.reshape(-1)
    for nodes in grid.slabs():
        flat[nodes] = inside(body, grid.places(np.arange(nodes.start, nodes.stop)))
    return within


def stepped(values: Shorts, axis: int) -> tuple[Shorts, Shorts]:
    """The values at each node that has a next one along an axis, and at that next node."""
    rest = (slice(None),) * axis
    return values[(*rest, slice(None, -1))], values[(*rest, slice(1, None))]
