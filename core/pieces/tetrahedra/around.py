"""Corners in and around the body, never on its skin: all of the body lies in tetrahedra of about the same kind."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ...arithmetic.elementary import cbrt
from ...geometry.inside import inside
from ...types import Bools, Floats
from ..crossing import positive_root
from ..layouts.graded import density
from ..layouts.scatter import on_skin
from ..layouts.shape import Shape
from ..layouts.spread import spread_points
from .parameters import TetrahedraParams

#: Points surround the body by this much, in spacings: further away they touch none of its tetrahedra. Measured on
#: 54,000 random tetrahedra: the radius of the sphere around one is .86 in the median, 1.08 at 90 %, 1.39 at 99.9 %.
_MARGIN = 1.5
#: Samples of the skin per squared spacing, to tell what is near to it. Samples are then 0.4 spacings apart.
_SAMPLES = 6.0
#: Points of the pool per point, and candidates tried per point. As for Voronoi sites, see `layouts.blue_noise` and
#: `layouts.graded`.
_EVEN, GRADED = (8, 12), (12, 4)
#: Tetrahedra per random point (24 pi^2 / 35), and their mean width and area in spacings; see `spacing_for`. Measured
#: again on 54,000 random ones: 1.11 and 2.36.
PER_POINT, WIDTH, _AREA = 6.768, 1.13, 2.3
#: Even tetrahedra are less wide: measured on a cube, a pane, a torus and a glass.
EVEN_SHARE = 0.86


def place_points(
    shape: Shape, hits: Floats, reach: Floats, params: TetrahedraParams, rng: np.random.Generator
) -> Floats:
    """Points (N,3) in and around a body of diagonal 1, for hits (I,3) with the lengths `reach (I,)`."""
    spacing = spacing_for(shape, params.count / (EVEN_SHARE if params.layout == "blue_noise" else 1.0))
    near = _neighbourhood(shape, spacing, rng)
    count = max(8, round(near.volume / (spacing * spacing * spacing)))
    if params.layout == "uniform":
        return _pool(near, count, rng)
    share, tries = GRADED if params.layout == "graded" else _EVEN
    pool = _pool(near, share * count, rng)
    wanted = density(pool, hits, reach, params.grading) if params.layout == "graded" else np.ones(len(pool))
    return pool[spread_points(pool, 1.0 / cbrt(wanted), wanted, count, tries, rng)]


def spacing_for(shape: Shape, count: float) -> float:
    """Spacing h of random points, 1/h^3 a volume, whose tetrahedra meet the body in about `count` pieces.

    The mean number of tetrahedra that meet a convex body K is that of their Minkowski sums with it (Steiner):
    6.77/h^3 (V_K + b_T S_K / 2 + b_K S_T / 2 + V_T), where V, S, b are volume, area and mean width.
    """
    width = 0.5 * float(shape.extent.sum())
    volume, first, second = shape.volume, WIDTH * shape.area, 0.5 * _AREA * width
    a, b, c, d = count - 1.0, PER_POINT * second, PER_POINT * first, PER_POINT * volume
    return positive_root(lambda h: ((a * h - b) * h - c) * h - d)  # one change of sign: one root above 0 (Descartes)


class _Neighbourhood(NamedTuple):
    """What lies in the body or within the margin around it."""

    shape: Shape
    skin: cKDTree
    margin: float
    low: Floats
    high: Floats
    volume: float


def _neighbourhood(shape: Shape, spacing: float, rng: np.random.Generator) -> _Neighbourhood:
    margin = _MARGIN * spacing
    samples = on_skin(shape.body, int(_SAMPLES * 2.0 * shape.area / (spacing * spacing)) + 64, rng)[0]
    low, high = shape.body.vertices.min(axis=0) - margin, shape.body.vertices.max(axis=0) + margin
    near = _Neighbourhood(shape, cKDTree(samples), margin, low, high, 0.0)
    tries = rng.uniform(low, high, (4096, 3))
    share = np.count_nonzero(_within(near, tries)) / len(tries)
    return near._replace(volume=share * float(np.prod(high - low)))


def _within(near: _Neighbourhood, points: Floats) -> Bools:
    close = np.isfinite(near.skin.query(points, distance_upper_bound=near.margin)[0])
    far = np.flatnonzero(~close)
    close[far] = inside(near.shape.body, points[far])
    return np.asarray(close)


def _pool(near: _Neighbourhood, count: int, rng: np.random.Generator) -> Floats:
    """Random points (count,3) of the neighbourhood."""
    found: list[Floats] = []
    missing = count
    while missing > 0:
        points = rng.uniform(near.low, near.high, (2 * missing + 64, 3))
        points = points[_within(near, points)][:missing]
        found.append(points)
        missing -= len(points)
    return np.concatenate(found)
