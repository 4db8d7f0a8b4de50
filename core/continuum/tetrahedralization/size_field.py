"""How long the edges of elements are to be at each place: the size that was asked for, less where walls are thin.

Sizes between places grow by no more than a share of the distance (a Lipschitz function), so that neighbours are alike.
They are kept at the corners of a grid of cubes, in the world's axes, and interpolated: the grid is not seen in them.
"""

from dataclasses import dataclass

import numpy as np

from ...geometry.mesh import bounds, diagonal
from ...jit import njit_no_refs
from ...types import Body, Floats, Frozen, Ints

#: Sizes in thin walls, in thicknesses of the wall [1]. Chosen: one layer of elements there is then about as thick as
#: these are wide, which is 0.8 of a height of an even tetrahedron.
PER_WALL = 1.5
#: How small elements may become, relative to what was asked for [1]. Chosen: a wall of as much takes 100 times the
#: elements of its share of the matter.
_LEAST = 0.125
#: How fast sizes grow with the distance [1]. By eye, within the usual 0.2 to 0.5 of meshers.
_GROWTH = 0.3
#: Steps of the grid along the body's diagonal, at most, and in smallest sizes. Chosen.
_STEPS, _STEP = 160, 1.0


@dataclass(frozen=True, eq=False, slots=True)
class SizeField(Frozen):
    """Lengths of edges, on a grid."""

    low: Floats  #: (3,) first corner [m]
    step: float  #: [m]
    size: Floats  #: (nx,ny,nz) at the corners [m]
    even: bool  #: whether it is the same everywhere

    def at(self, points: Floats) -> Floats:
        """(n,) at points (n,3), trilinear [m]; beyond the grid that of its border."""
        if self.even:
            return np.full(len(points), self.size[0, 0, 0])
        most = np.array(self.size.shape) - 1
        place = np.clip((points - self.low) / self.step, 0.0, most)
        corner = np.minimum(place.astype(np.int64), most - 1)
        share = place - corner
        total = np.zeros(len(points))
        for k in range(8):
            bit = np.array([k & 1, k >> 1 & 1, k >> 2 & 1])
            weight = np.where(bit == 1, share, 1.0 - share)
            i, j, m = (corner + bit).T
            total += weight[:, 0] * weight[:, 1] * weight[:, 2] * self.size[i, j, m]
        return total


def find_sizes(body: Body, place: Floats, thickness: Floats, spacing: float) -> SizeField:
    """The sizes of elements of a body whose walls are so thick (n,) at places (n,3) of the surface [m].

    They are `spacing` [m] where nothing asks for less.
    """
    size = np.clip(PER_WALL * thickness, _LEAST * spacing, spacing)
    step = max(diagonal(body.vertices) / _STEPS, _STEP * float(size.min()))
    low, high = bounds(body.vertices)
    low = low - step
    count = np.maximum(np.ceil((high - low) / step).astype(np.int64) + 2, 2)
    grid = np.full(tuple(count), spacing)
    if float(size.min()) < spacing:
        i, j, k = np.clip(np.rint((place - low) / step).astype(np.int64), 0, count - 1).T
        np.minimum.at(grid, (i, j, k), size)
        _grow(grid, _GROWTH * step, _neighbours())
    return SizeField(low, step, grid, bool(grid.min() == grid.max()))


def _neighbours() -> Ints:
    """(13,3) the steps to those of the 26 neighbours of a corner that come before it."""
    steps = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])
    return np.asarray(steps[:13])


@njit_no_refs
def _grow(size: Floats, growth: float, steps: Ints) -> None:
    """Lower sizes to the least of the neighbours' with what they grow on the way, forward and back again."""
    nx, ny, nz = size.shape
    for sweep in range(2):
        sign = 1 - 2 * sweep
        for a in range(nx):
            i = a if sweep == 0 else nx - 1 - a
            for b in range(ny):
                j = b if sweep == 0 else ny - 1 - b
                for c in range(nz):
                    k = c if sweep == 0 else nz - 1 - c
                    for s in range(len(steps)):
                        di, dj, dk = steps[s, 0], steps[s, 1], steps[s, 2]
                        x, y, z = i + sign * di, j + sign * dj, k + sign * dk
                        if 0 <= x < nx and 0 <= y < ny and 0 <= z < nz:
                            way = growth * np.sqrt(float(di * di + dj * dj + dk * dk))
                            size[i, j, k] = min(size[i, j, k], size[x, y, z] + way)
