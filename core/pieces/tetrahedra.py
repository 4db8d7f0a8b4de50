"""Tetrahedra: faceted splinters between scattered points, as crystals, ice and brittle plastic leave them.

The points lie in and around the body, never on its skin, where they would leave crumbs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.inside import inside
from ..params import Choice, param
from ..registry import Method
from ..types import Body, Bools, Floats, Impact, Partition
from .convention import AUTOMATIC_RADIUS, JITTER, grading
from .delaunay_complex import delaunay_complex
from .layouts.graded import density, reaches
from .layouts.scatter import on_skin
from .layouts.shape import Shape, measure
from .layouts.spread import spread

if TYPE_CHECKING:
    from . import Build

#: Names this module's streams of random numbers beside the seed.
STREAM = 208
#: Points surround the body by this much, in spacings: further away they touch none of its tetrahedra.
MARGIN = 1.5
#: Samples of the skin per squared spacing, to tell what is near to it.
SAMPLES = 6.0
#: Points of the pool per point, and candidates tried per point.
EVEN, GRADED = (8, 12), (12, 4)
#: Tetrahedra per random point (24 pi^2 / 35), and their mean width and area in spacings; see `spacing_for`.
PER_POINT, WIDTH, AREA = 6.768, 1.13, 2.3
#: Even tetrahedra are less wide: measured on a cube, a pane, a torus and a glass.
EVEN_SHARE = 0.86

LAYOUTS = (
    Choice(1, "uniform", "Random", "Splinters of uneven size and shape everywhere, many of them thin"),
    Choice(2, "blue_noise", "Even", "Stout splinters of about the same size everywhere"),
    Choice(3, "graded", "Graded", "Small splinters around the hit and large ones far away"),
)


@dataclass(frozen=True, slots=True)
class TetrahedraParams:
    """How many tetrahedra, and where the small ones go."""

    count: int = param(
        100, "Pieces", "About how many pieces there are when everything breaks", limits=(2, 200000), soft=(2, 2000)
    )
    layout: str = param("graded", "Layout", "How the corners of the pieces are laid out", choices=LAYOUTS)
    grading: float = grading(
        1.0, "How much smaller pieces are near the hit than far away; 0 makes them alike everywhere. For Graded"
    )

    @property
    def placed_by_impact(self) -> bool:
        """Whether the pattern depends on the hits."""
        return self.layout == "graded" and self.grading > 0.0


def build(body: Body, impacts: Sequence[Impact], params: TetrahedraParams, seed: int, attempt: int) -> Partition:
    """Delaunay tetrahedra of points in and around a closed body; see `TetrahedraParams`.

    The layout follows `seed` alone; `attempt` only changes a jitter of 1e-6 of the diagonal. Without a hit the
    pattern is laid around the middle of the body. The same body at any size gives the same pattern.
    Raises CutError when the partition is invalid for this jitter: try another attempt.
    """
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    origin, scale = 0.5 * (low + high), float(np.linalg.norm(high - low))
    shape = measure(Body((body.vertices - origin) / scale, body.triangles, body.source))
    hits = np.array([(impact.point - origin) / scale for impact in impacts] or [shape.centre])
    radius = [impact.radius / scale or AUTOMATIC_RADIUS for impact in impacts] or [AUTOMATIC_RADIUS]
    points = place(shape, hits, reaches(shape, radius), params, np.random.default_rng([seed, STREAM]))
    jitter = np.random.default_rng([seed, STREAM, 1, attempt]).uniform(-1.0, 1.0, points.shape)
    return delaunay_complex((points + JITTER * jitter) * scale + origin, low, high)


def place(shape: Shape, hits: Floats, reach: Floats, params: TetrahedraParams, rng: np.random.Generator) -> Floats:
    """Points (N,3) in and around a body of diagonal 1, for hits (I,3) with the lengths `reach (I,)`."""
    spacing = spacing_for(shape, params.count / (EVEN_SHARE if params.layout == "blue_noise" else 1.0))
    near = _neighbourhood(shape, spacing, rng)
    count = max(8, round(near.volume / spacing**3))
    if params.layout == "uniform":
        return _pool(near, count, rng)
    share, tries = GRADED if params.layout == "graded" else EVEN
    pool = _pool(near, share * count, rng)
    wanted = density(pool, hits, reach, params.grading) if params.layout == "graded" else np.ones(len(pool))
    return pool[spread(pool, wanted ** (-1.0 / 3.0), wanted, count, tries, rng)]


def spacing_for(shape: Shape, count: float) -> float:
    """Spacing h of random points, 1/h^3 a volume, whose tetrahedra meet the body in about `count` pieces.

    The mean number of tetrahedra that meet a convex body K is that of their Minkowski sums with it (Steiner):
    6.77/h^3 (V_K + b_T S_K / 2 + b_K S_T / 2 + V_T), where V, S, b are volume, area and mean width.
    """
    width = 0.5 * float(shape.extent.sum())
    volume, first, second = shape.volume, WIDTH * shape.area, 0.5 * AREA * width
    roots = np.roots([count - 1.0, -PER_POINT * second, -PER_POINT * first, -PER_POINT * volume])
    return float(roots.real.max())  # one change of sign: the only positive root


class _Neighbourhood(NamedTuple):
    """What lies in the body or within the margin around it."""

    shape: Shape
    skin: cKDTree
    margin: float
    low: Floats
    high: Floats
    volume: float


def _neighbourhood(shape: Shape, spacing: float, rng: np.random.Generator) -> _Neighbourhood:
    margin = MARGIN * spacing
    samples = on_skin(shape.body, int(SAMPLES * 2.0 * shape.area / spacing**2) + 64, rng)[0]
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


METHOD: "Method[Build]" = Method(
    id="tetrahedra",
    label="Tetrahedra",
    doc="Faceted splinters with flat faces and sharp tips: crystals, ice, hard plastic",
    reference="Smith, Witkin, Baraff 2001, section 3 (tetrahedra of random points); layouts ours",
    params=TetrahedraParams,
    run=build,
)
