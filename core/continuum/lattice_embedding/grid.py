"""A box of hexahedra around a body, in the body's own axes: what a lattice is cut out of."""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import apply
from ...arithmetic.small_matrices import determinant
from ...geometry.mesh import bounds, map_vectors, mass_properties
from ...geometry.principal import principal_axes
from ...pieces.frames import flat_axes
from ...types import Body, Floats, Frozen, Ints

#: Cells between the body and the border of the box, on each side. Two: nodes of the first row outside may follow those
#: on the surface, and those of the border stay.
MARGIN = 2
#: Principal axes within this of the world's are these [1]. As `pieces.frames` does, between round-off and what is seen.
_SNAP = 1e-7


@dataclass(frozen=True, eq=False, slots=True)
class BodyGrid(Frozen):
    """Cells between planes; the last of the three places runs fastest, in nodes as in cells."""

    axes: Floats  #: (3,3) rows, right-handed
    low: Floats  #: (3,) corner of the box along the axes [m]
    counts: Ints  #: (3,) cells along each axis, those of the margin with them
    size: Floats  #: (3,) of a cell [m]

    @property
    def nodes(self) -> Floats:
        """(N,3) at rest [m]."""
        along = [self.low[k] + self.size[k] * np.arange(self.counts[k] + 1) for k in range(3)]
        local = np.stack([place.ravel() for place in np.meshgrid(*along, indexing="ij")], axis=1)
        return apply(self.axes.T, local)

    @property
    def hexahedra(self) -> Ints:
        """(H,8) nodes of the corners, in the order of `spring_lattice.hexahedra`."""
        nx, ny, nz = (int(count) for count in self.counts)
        node = np.arange((nx + 1) * (ny + 1) * (nz + 1)).reshape(nx + 1, ny + 1, nz + 1)
        ends = (slice(None, -1), slice(1, None))
        corner = [node[ends[k & 1], ends[k >> 1 & 1], ends[k >> 2 & 1]].ravel() for k in range(8)]
        return np.stack(corner, axis=1)

    @property
    def parity(self) -> Ints:
        """(H,) 0 or 1: cells that share a face differ."""
        return np.asarray(np.indices(tuple(self.counts)).sum(axis=0).ravel() % 2, dtype=np.int64)

    @property
    def neighbours(self) -> Ints:
        """(H,6) cells across faces 2 a (before) and 2 a + 1 (behind) of each direction a, -1 beyond the box."""
        shape = tuple(int(count) for count in self.counts)
        padded = np.full(tuple(count + 2 for count in shape), -1)
        inner = (slice(1, -1),) * 3
        padded[inner] = np.arange(self.counts.prod()).reshape(shape)
        moved = [np.roll(padded, step, axis)[inner].ravel() for axis in range(3) for step in (1, -1)]
        return np.stack(moved, axis=1)

    @property
    def node_steps(self) -> Ints:
        """(3,) how node numbers grow along each axis."""
        return np.array([(self.counts[1] + 1) * (self.counts[2] + 1), self.counts[2] + 1, 1], dtype=np.int64)

    @property
    def cells_around(self) -> Ints:
        """(n,8) cells around each node that is not on the border; it is corner 7 - k of cell k."""
        shape = tuple(int(count) for count in self.counts)
        cell = np.arange(int(self.counts.prod())).reshape(shape)
        ends = (slice(None, -1), slice(1, None))
        return np.stack([cell[ends[k & 1], ends[k >> 1 & 1], ends[k >> 2 & 1]].ravel() for k in range(8)], axis=1)

    @property
    def is_border(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        """(N,) nodes on the border of the box."""
        place = np.indices(tuple(self.counts + 1)).reshape(3, -1)
        return np.asarray(((place == 0) | (place == self.counts[:, None])).any(axis=0))


def grid_of_body(body: Body, spacing: float) -> BodyGrid:
    """The grid with cells of about `spacing` [m], a whole number of which fills the box of the body along each axis.

    Axes are those of the body's flat sides where it has any, else the principal ones of its volume: a box is divided
    into equal boxes, however it is turned.
    """
    axes = body_axes(body)
    low, high = bounds(map_vectors(body.vertices, axes))
    inner = np.maximum(np.round((high - low) / spacing), 1.0)
    size = (high - low) / inner
    return BodyGrid(axes, low - MARGIN * size, inner.astype(np.int64) + 2 * MARGIN, size)


def body_axes(body: Body) -> Floats:
    """Rows (3,3) of a right-handed frame of the body's own."""
    flat = flat_axes(body)
    if flat is not None:
        return flat
    _, _, moment = mass_properties(body.vertices, body.triangles)
    _, columns = principal_axes(moment[None])
    rows = np.ascontiguousarray(columns[0].T)
    if determinant(rows) < 0.0:
        rows = -rows
    return np.eye(3) if np.abs(rows - np.eye(3)).max() < _SNAP else rows
