"""Pieces from a fracture pattern that is placed at the hit; the same pattern wherever the blow lands.

Limitations: one pattern, at the strongest hit (the first of equals); others only break what it has made. The pattern
does not follow walls: it cuts straight through.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...arithmetic.draws import normal
from ...arithmetic.products import multiply, norm
from ...config.params import Choice, param
from ...config.registry import Method
from ...errors import InputError
from ...geometry.inside import inside
from ...geometry.mesh import bounds, diagonal
from ...geometry.nearest import nearest
from ...types import Body, Floats, Impact, Partition
from ..convention import AUTOMATIC_RADIUS, JITTER
from ..layouts.shape import measure
from .kinds import GENERATORS, KINDS, OWN, generated
from .pattern import Pattern
from .placement import Placement, extent_of, grid_turn, level_turn, place_pattern, turn_about, turn_to
from .similarity import similar

if TYPE_CHECKING:
    from .. import Build

#: Names this module's streams of random numbers beside the seed.
STREAM = 210
#: Two hits of one seed have twists of their own when they lie this far apart, in sides of the body's box. Chosen by
#: eye: hits that an artist takes for one place have one twist.
_APART = 1e-3

TWISTS = (
    Choice(1, "auto", "Auto", "Bricks lie level, all else is turned at random"),
    Choice(2, "random", "Random", "Turned about the blow by a random angle, another one for each hit"),
    Choice(3, "level", "Level", "The pattern stands upright, as courses of bricks do, and is turned by Angle"),
    Choice(4, "locked", "Locked", "The pattern is turned about the blow by Angle, the same for each hit"),
)


@dataclass(frozen=True, slots=True)
class PatternParams:
    """Which pattern, how fine, and how it lies at the hit."""

    # Defaults are by eye.
    kind: str = param("radial", "Kind", "What the pattern looks like", choices=KINDS)
    count: int = param(
        100,
        "Pieces",
        "About how many pieces there are when everything breaks, for a hit in the middle of a side",
        limits=(2, 5000),
        soft=(10, 1000),
        needs=("kind", tuple(GENERATORS)),
    )
    size: float = param(
        0.0,
        "Size",
        "How far the pattern reaches from the hit, in radii of the hit: the same size at every hit, with large pieces "
        "beyond it. Object makes it as large as that",
        zero="Object",
        instead=6.0,
        unit="1",
        limits=(0.0, 1000.0),
        soft=(0.0, 20.0),
    )
    twist: str = param("auto", "Twist", "How the pattern is turned about the blow", choices=TWISTS)
    angle: float = param(
        0.0,
        "Angle",
        "Angle by which the pattern is turned about the blow",
        unit="rad",
        limits=(None, None),
        soft=(-3.141592653589793, 3.141592653589793),
        needs=("twist", ("level", "locked")),
    )
    aligned: bool = param(
        False,
        "Aligned",
        "Keep the pattern along the axes of the world, next to the blow; Random then turns it by quarters",
    )

    @property
    def placed_by_impact(self) -> bool:
        """The pattern depends on the hits."""
        return True

    @property
    def own(self) -> bool:
        """The pattern is one of an artist's own meshes, which are no partition: see own.py."""
        return self.kind == OWN


def build(body: Body, impacts: Sequence[Impact], params: PatternParams, seed: int, attempt: int) -> Partition:
    """The pattern of `params` placed at the strongest hit on a closed body; see `PatternParams`.

    A hit outside of the body acts at its nearest point; without one the pattern lies around the middle of the body.
    The pattern follows `seed` alone; `attempt` only turns and shifts it by 1e-6. The same body at any size gives the
    same pattern.
    """
    if params.own:
        raise InputError("A pattern of your own meshes is no partition that could be built.")
    pattern = generated(params.kind, params.count, seed)
    place = placement_of(pattern, body, impacts, params, seed)
    turn, shift = draw_jitter(body, seed, attempt)
    return similar(pattern.partition, place.scale, multiply(turn, place.turn), place.centre + shift)


def placement_of(
    pattern: Pattern, body: Body, impacts: Sequence[Impact], params: PatternParams, seed: int
) -> Placement:
    """Where the pattern lies for these hits on a closed body, without the jitter."""
    return place_pattern(extent_of(pattern), *lie(body, impacts, params, seed))


def lie(
    body: Body, impacts: Sequence[Impact], params: PatternParams, seed: int
) -> tuple[Floats, Floats, Floats, Floats, float]:
    """Centre (3,) [m] and turn (3,3) of any pattern, box low, high (3,) [m] of the body, and the wanted size [m]."""
    low, high = bounds(body.vertices)
    hit = max(impacts, key=lambda impact: impact.strength, default=None)
    if hit is None:
        shape = measure(body)
        normal = shape.axes[2] if shape.kind == "plate" else np.array((0.0, 0.0, 1.0))
        hit = Impact(shape.centre, -normal, 1.0, 0.0, 0.0, 0.0)
    centre = np.asarray(hit.point, np.float64)
    if not inside(body, centre[None])[0]:
        centre = nearest(body.vertices, body.triangles, centre[None])[0][0]
    radius = hit.radius if hit.radius > 0.0 else AUTOMATIC_RADIUS * diagonal(body.vertices)
    turn = _turn(hit.direction / norm(hit.direction), params, _dice((centre - low) / (high - low), seed))
    return centre, turn, low, high, params.size * radius


def draw_jitter(body: Body, seed: int, attempt: int) -> tuple[Floats, Floats]:
    """A turn (3,3) and a shift (3,) [m] of a millionth, of its own for each attempt."""
    rng = np.random.default_rng([seed, STREAM, 1, attempt])
    axis, shift = normal(rng, 3), JITTER * diagonal(body.vertices) * rng.uniform(-1.0, 1.0, 3)
    return turn_about(axis / norm(axis), JITTER * rng.uniform(0.5, 1.0)), shift


def _dice(share: Floats, seed: int) -> np.random.Generator:
    """Random numbers of a hit at these shares (3,) of the body's box: its own, at any size of the body."""
    place = np.floor(share / _APART + 1.37).astype(np.int64)  # off the round numbers that artists type
    return np.random.default_rng([seed, STREAM, *np.maximum(place, 0).tolist()])


def _turn(direction: Floats, params: PatternParams, dice: np.random.Generator) -> Floats:
    """How the pattern is turned for a blow in a unit direction (3,)."""
    twist = params.twist
    if twist == "auto":
        twist = "level" if params.kind == "brick" else "random"
    angle = float(dice.uniform(0.0, 2.0 * np.pi)) if twist == "random" else params.angle
    if params.aligned:
        return grid_turn(direction, round(angle / (0.5 * np.pi)))
    start = level_turn(direction) if twist == "level" else turn_to(direction)
    return multiply(start, turn_about(np.array((0.0, 0.0, 1.0)), angle))


METHOD: "Method[Build]" = Method(
    id="pattern",
    label="Pattern",
    doc="A fracture pattern that is laid at the hit, turned to the blow and used again at the next one",
    reference="Su, Schroeder, Fedkiw 2009, section 4; kinds by eye",
    params=PatternParams,
    run=build,
)
