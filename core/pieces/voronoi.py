"""Voronoi pieces: every place belongs to the nearest of many sites; the layout of the sites makes the look."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arithmetic.products import norm
from ..config.params import Choice, param
from ..config.registry import Method
from ..types import Body, Floats, Impact, Ints, Partition
from .convention import JITTER, grading
from .layouts.blue_noise import blue_noise
from .layouts.graded import graded, hit_lengths
from .layouts.grouping import group_sites
from .layouts.shape import Shape
from .layouts.spider import spider
from .layouts.uniform import draw_uniform_sites
from .placing import grain_metric, placed, strayed
from .voronoi_complex import voronoi_complex

if TYPE_CHECKING:
    from . import Build

#: Names this module's streams of random numbers beside the seed.
STREAM = 201

_LAYOUTS = (
    Choice(1, "uniform", "Random", "Pieces of uneven size and shape everywhere, some of them slivers"),
    Choice(2, "blue_noise", "Even", "Pieces of about the same size everywhere, like the dice of toughened glass"),
    Choice(3, "graded", "Graded", "Small pieces around the hit and large ones far away: clay, stone, concrete"),
    Choice(4, "spider", "Spider", "Rays from the hit with ring cracks between them: window glass, glazed ceramics"),
)


@dataclass(frozen=True, slots=True)
class VoronoiParams:
    """How many pieces, where the small ones go, and whether they are long."""

    # Defaults are by eye.
    count: int = param(
        100, "Pieces", "About how many pieces there are when everything breaks", limits=(2, 200000), soft=(2, 2000)
    )
    layout: str = param("graded", "Layout", "How the pieces are laid out", choices=_LAYOUTS)
    grading: float = grading(
        2.0, "How much smaller pieces are near the hit than far away; 0 makes them alike everywhere. For Graded"
    )
    rays: int = param(
        0,
        "Rays",
        "Number of long cracks that run away from the hit; Auto takes it from the speed of the hit. For Spider",
        zero="Auto",
        instead=12,
        limits=(0, 90),
        soft=(0, 30),
        needs=("layout", ("spider",)),
    )
    branching: float = param(
        0.7,
        "Branching",
        "How readily wide pieces between two rays are split by a new ray. For Spider",
        unit="1",
        limits=(0.0, 1.0),
        needs=("layout", ("spider",)),
    )
    ring_spacing: float = param(
        1.0,
        "Ring Spacing",
        "Distance of the cracks that run around the hit: high values give few rings and long pieces. For Spider",
        unit="1",
        limits=(0.3, 3.0),
        needs=("layout", ("spider",)),
    )
    clumping: float = param(
        1.0,
        "Clumping",
        "Mean number of cells that stay together in a piece; 1 gives plain cells, more gives ragged, uneven clumps",
        unit="1",
        limits=(1.0, 50.0),
        soft=(1.0, 10.0),
    )
    grain: tuple[float, float, float] = param(
        (0.0, 0.0, 1.0), "Grain", "Direction along which pieces are long, such as the fibres of wood"
    )
    stretch: float = param(
        1.0,
        "Stretch",
        "How many times longer than wide pieces are along the grain: 1 for none, 8 to 10 for wood",
        unit="1",
        limits=(1.0, 100.0),
        soft=(1.0, 20.0),
    )

    @property
    def placed_by_impact(self) -> bool:
        """Whether the pattern depends on the hits."""
        return self.layout == "spider" or (self.layout == "graded" and self.grading > 0.0)


def build(body: Body, impacts: Sequence[Impact], params: VoronoiParams, seed: int, attempt: int) -> Partition:
    """Voronoi partition of a closed body for these hits; see `VoronoiParams`.

    The layout follows `seed` alone; `attempt` only changes a jitter of 1e-6 of the diagonal. Without a hit the
    pattern is laid around the middle of the body. The same body at any size gives the same pattern.
    Raises CutError when the partition is invalid for this jitter: try another attempt.
    """
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    diagonal = float(norm(high - low))
    metric = grain_metric(params.grain, params.stretch)
    sites, group = place_sites(body, impacts, params, metric, seed)
    jitter = np.random.default_rng([seed, STREAM, 1, attempt]).uniform(-1.0, 1.0, sites.shape)
    return voronoi_complex(sites + JITTER * diagonal * jitter, low, high, group=group, metric=metric)


def place_sites(
    body: Body, impacts: Sequence[Impact], params: VoronoiParams, metric: Floats | None, seed: int
) -> tuple[Floats, Ints | None]:
    """Sites (R,3) [m] and the group (R,) of cells that stay together, None where each cell is on its own."""
    rng = np.random.default_rng([seed, STREAM])
    return placed(body, impacts, metric, lambda shape, hits: _place_sites(shape, hits, params, rng))


def _place_sites(
    shape: Shape, hits: Sequence[Impact], params: VoronoiParams, rng: np.random.Generator
) -> tuple[Floats, Ints | None]:
    """Sites and groups in the space of the layouts."""
    if params.layout == "spider":
        sites, group = spider(shape, hits, params.count, params.rays, params.branching, params.ring_spacing, rng)
        return strayed(shape, sites, shape.thin, rng), group
    count = max(2, round(params.count * params.clumping))
    layered = shape.layered(count)
    if params.layout == "graded":
        points = np.stack([hit.point for hit in hits])
        sites = graded(shape, count, points, hit_lengths(shape, [hit.radius for hit in hits]), params.grading, rng)
    elif params.layout == "blue_noise":
        sites = blue_noise(shape, count, rng)
    else:
        sites = draw_uniform_sites(shape, count, rng)
    sites = strayed(shape, sites, layered, rng)
    return sites, group_sites(sites, params.count, layered, rng) if params.clumping > 1.0 else None


METHOD: "Method[Build]" = Method(
    id="voronoi",
    label="Voronoi",
    doc="Convex pieces around scattered points: from even dice to window glass broken at the hit",
    reference="Barr 2016, section 4; layouts from our own study of broken things",
    params=VoronoiParams,
    run=build,
)
