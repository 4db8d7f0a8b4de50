"""Wood: long splinters along a grain, in which cracks along the fibres are easy and cracks across them hard.

Splinters are Voronoi pieces in a space that is squeezed along the grain. How strongly two of them hold together follows
the angle between their common facet and the fibres, by Hankinson's formula.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arithmetic.products import dot, norm
from ..config.params import Choice, param
from ..config.registry import Method
from ..types import Body, Floats, Impact, Partition
from .convention import JITTER, grading
from .frames import longest_axis
from .layouts.graded import graded, hit_lengths
from .layouts.shape import Shape
from .layouts.uniform import draw_uniform_sites
from .placing import grain_metric, placed, strayed
from .voronoi_complex import voronoi_complex

if TYPE_CHECKING:
    from . import Build

#: Names this module's streams of random numbers beside the seed.
STREAM = 207

_LAYOUTS = (
    Choice(1, "even", "Even", "Splinters of about the same thickness everywhere"),
    Choice(2, "graded", "Graded", "Thin splinters around the hit and thick ones far away"),
)


@dataclass(frozen=True, slots=True)
class WoodParams:
    """How many splinters, how long, and how the fibres run."""

    # Defaults: 8 to 10 times as long as wide reads as wood (docs/decisions.md, Looks), the others are by eye.
    count: int = param(
        200,
        "Splinters",
        "About how many splinters there are when everything breaks",
        limits=(2, 200000),
        soft=(2, 2000),
    )
    grain: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0),
        "Grain",
        "Direction of the fibres; Auto takes the longest side of the object",
        zero="Auto",
        instead=(0.0, 0.0, 1.0),
    )
    length: float = param(
        9.0,
        "Length",
        "How many times longer than thick splinters are: 8 to 10 for wood, 30 for a bundle of sticks",
        unit="1",
        limits=(1.0, 100.0),
        soft=(1.0, 30.0),
    )
    across: float = param(
        4.0,
        "Across",
        "Strength across the fibres, relative to that along them; high values let wood split and hardly snap",
        unit="1",
        limits=(1.0, 1000.0),
        soft=(1.0, 25.0),
    )
    layout: str = param("graded", "Layout", "Where the thin splinters are", choices=_LAYOUTS)
    grading: float = grading(1.0, "How much thinner splinters are near the hit than far away. For Graded")

    @property
    def placed_by_impact(self) -> bool:
        """Whether the pattern depends on the hits."""
        return self.layout == "graded" and self.grading > 0.0


def build(body: Body, impacts: Sequence[Impact], params: WoodParams, seed: int, attempt: int) -> Partition:
    """Splinters of a closed body for these hits; see `WoodParams`.

    The layout follows `seed` alone; `attempt` only changes a jitter of 1e-6 of the diagonal.
    Raises CutError when the partition is invalid for this jitter: try another attempt.
    """
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    grain = np.asarray(params.grain, np.float64)
    grain = grain if np.any(grain) else longest_axis(body)
    metric = grain_metric(grain, params.length)
    rng = np.random.default_rng([seed, STREAM])
    sites, _ = placed(body, impacts, metric, lambda shape, hits: (_place_sites(shape, hits, params, rng), None))
    jitter = np.random.default_rng([seed, STREAM, 1, attempt]).uniform(-1.0, 1.0, sites.shape)
    sites = sites + JITTER * float(norm(high - low)) * jitter
    splinters = voronoi_complex(sites, low, high, metric=metric)
    cosine = dot(splinters.facet_normal, grain / norm(grain))
    return dataclasses.replace(splinters, facet_strength=hankinson(cosine, params.across))


def hankinson(cosine: Floats, across: float) -> Floats:
    """Strength (n,) against being pulled apart in a direction at this cosine (n,) to the grain; 1 square to it.

    N(t) = P Q / (P sin^2 t + Q cos^2 t) with P = `across` along the fibres (t = 0) and Q = 1 square to them.
    Source: Hankinson 1921, Investigation of crushing strength of spruce at varying angles of grain; it serves for
    tension as well (Kim, A note on the Hankinson formula, Wood and Fiber Science).
    """
    along = np.square(cosine)
    return np.asarray(across / (across * (1.0 - along) + along))


def _place_sites(shape: Shape, hits: Sequence[Impact], params: WoodParams, rng: np.random.Generator) -> Floats:
    """Sites in the space of the layouts, in which splinters are as long as thick."""
    layered = shape.layered(params.count)
    if params.placed_by_impact:
        points = np.stack([hit.point for hit in hits])
        sites = graded(
            shape, params.count, points, hit_lengths(shape, [hit.radius for hit in hits]), params.grading, rng
        )
    else:
        sites = draw_uniform_sites(shape, params.count, rng)
    return strayed(shape, sites, layered, rng)


METHOD: "Method[Build]" = Method(
    id="wood",
    label="Wood",
    doc="Long splinters along the fibres: splits easily along them, breaks hard across",
    reference="Hankinson 1921 for the strength; proportions from our own study of broken things",
    params=WoodParams,
    run=build,
)
