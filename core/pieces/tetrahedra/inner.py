"""Points inside of a body, where they are deep enough for tetrahedra that are not flat."""

from typing import NamedTuple

import numpy as np

from ...arithmetic.elementary import cbrt
from ...geometry.bvh import build_tree
from ...geometry.inside import inside
from ...geometry.mesh import bounds
from ...geometry.nearest import nearest_in
from ...types import Floats
from ..delaunay import along_curve
from ..layouts.scatter import on_skin
from ..layouts.shape import Shape
from .sizes import Sizes

#: Inner points keep this distance from the skin, in spacings of its corners: nearer ones make flat tetrahedra. By eye:
#: with more there are none in thin parts.
CLEAR_OF_SKIN = 0.35
#: Where only a part of the body is so deep, inner points crowd there to this density at the most. By eye.
CROWD = 3.0
#: Cells of the grid in which places are tried, and samples of the skin for the squared side of a cell. Chosen by time:
#: 32 along the side of a cube.
CELLS, PER_CELL = 32768, 6.0
#: Places inside per point, and the least number of them. Chosen by time.
_POOL, _LEAST = 4, 2048


class Within(NamedTuple):
    """Random places inside, evenly by volume."""

    place: Floats  #: (n,3)
    depth: Floats  #: (n,) distance from the skin


def within(shape: Shape, count: int, rng: np.random.Generator) -> Within:
    """Enough places for `count` points, however small the part of the body is that is deep enough for them."""
    place = _places(shape, max(_LEAST, round(_POOL * CROWD * count)), rng)
    place = place[along_curve(place)]  # the nearest of one is a good guess for the next
    return Within(place, nearest_in(build_tree(shape.body.vertices, shape.body.triangles), place)[2])


def _places(shape: Shape, count: int, rng: np.random.Generator) -> Floats:
    """Random places (count,3) evenly by volume: tried only in those cells of a grid that hold some of the body."""
    low, high = bounds(shape.body.vertices)
    edge = float(cbrt(np.prod(high - low) / CELLS))
    grid = np.ceil((high - low) / edge).astype(np.int64)
    samples = on_skin(shape.body, int(PER_CELL * 2.0 * shape.area / (edge * edge)) + 64, rng)[0]
    cells = np.stack(np.unravel_index(np.arange(int(np.prod(grid))), tuple(grid)), axis=1)
    full = inside(shape.body, low + (cells + 0.5) * edge)
    full[np.ravel_multi_index(tuple(((samples - low) / edge).astype(np.int64).clip(0, grid - 1).T), tuple(grid))] = True
    cells = cells[full]
    found: list[Floats] = []
    missing = count
    while missing > 0:
        tries = 2 * missing + 64
        points = low + (cells[rng.integers(0, len(cells), tries)] + rng.random((tries, 3))) * edge
        found.append(points[inside(shape.body, points)][:missing])
        missing -= len(found[-1])
    return np.concatenate(found)


def inner_points(pool: Within, count: int, clear: float, sizes: Sizes, rng: np.random.Generator) -> Floats:
    """Up to `count` places, at least `clear` times the relative spacing from the skin; fewer where walls are thin."""
    relative = sizes.relative(pool.place)
    free = np.flatnonzero(pool.depth >= clear * relative)
    wanted = min(round(count * min(1.0, CROWD * len(free) / len(pool.depth))), len(free))
    return np.asarray(pool.place[free[sizes.spread(pool.place[free], 3, wanted, rng)]])
