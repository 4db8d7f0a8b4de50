"""Slices: parallel cuts at uneven distances, slightly tilted ones, or planes that hack through from all sides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arithmetic.draws import normal as drawn_normal
from ..arithmetic.elementary import cos, exp, log, sin, tan
from ..arithmetic.products import apply, dot, norm
from ..config.params import Choice, param
from ..config.registry import Method
from ..types import Body, Floats, Impact, Partition
from .convention import JITTER
from .frames import longest_axis
from .lattice_complex import draw_shift, lattice_complex
from .lattice_fit import Room, expected_pieces, room_of, sample
from .plane_complex import plane_complex

if TYPE_CHECKING:
    from . import Build

#: Names this module's streams of random numbers beside the seed.
STREAM = 208
#: Most planes that hack through a body: in general position they make more than 30,000 pieces. Chosen by time and
#: memory.
PLANES_MOST = 60
#: Most tilted planes. Chosen by time.
WEDGES_MOST = 300
#: Random planes tried for each; the one that leaves the most even pieces is taken. Chosen by eye between even pieces
#: and time.
_TRIES = 6
#: Random points of the body by which pieces are counted, for each wanted piece, at least and at most. Chosen between
#: time and exact numbers: what is smaller than a fortieth of a piece may not be counted.
_POINTS, POINTS_LEAST, _POINTS_MOST = 40, 2_000, 40_000

CUTS = (
    Choice(1, "parallel", "Parallel", "Slices of uneven thickness, like slate, bread or plywood"),
    Choice(2, "hacked", "Hacked", "Straight cuts through the whole object in all directions"),
)


@dataclass(frozen=True, slots=True)
class SlicesParams:
    """How many slices, which way, and how regular."""

    # Defaults are by eye.
    count: int = param(
        20, "Pieces", "About how many pieces there are when everything breaks", limits=(2, 200000), soft=(2, 500)
    )
    # Blows part neighbours by their distance from the hit, and the middles of whole slices are all far from a corner:
    # parallel slices need a rule with low locality, as in the preset Slate, so they are not the default.
    cuts: str = param("hacked", "Cuts", "How the cutting planes lie", choices=CUTS)
    direction: tuple[float, float, float] = param(
        (0.0, 0.0, 0.0),
        "Direction",
        "Direction square to the slices; Auto takes the longest side of the object. For Parallel",
        zero="Auto",
        instead=(0.0, 0.0, 1.0),
        needs=("cuts", ("parallel",)),
    )
    irregularity: float = param(
        0.4,
        "Irregularity",
        "How much slices differ in thickness; 0 makes them all alike. For Parallel",
        unit="1",
        limits=(0.0, 2.0),
        soft=(0.0, 1.0),
        needs=("cuts", ("parallel",)),
    )
    tilt: float = param(
        0.0,
        "Tilt",
        "Largest angle by which a cut leans out of line; tilted cuts cross and make wedges. For Parallel",
        unit="rad",
        limits=(0.0, 0.8),
        soft=(0.0, 0.35),
        needs=("cuts", ("parallel",)),
    )

    @property
    def placed_by_impact(self) -> bool:
        """Whether the pattern depends on the hits."""
        return False


def build(body: Body, impacts: Sequence[Impact], params: SlicesParams, seed: int, attempt: int) -> Partition:
    """Slices of a closed body; see `SlicesParams`. `attempt` only changes a jitter of 1e-6 of the diagonal.

    Parallel slices that do not tilt are exactly `count`; of tilted ones, which cross, there are fewer, so that about
    `count` pieces come out. Raises CutError where planes meet too closely for this jitter: try another attempt.
    """
    if params.cuts == "hacked":
        room = room_of(body, np.eye(3))
        normals, points = _hacks(_crowd(body, room, params.count), params.count, np.random.default_rng([seed, STREAM]))
    else:
        direction = np.asarray(params.direction, np.float64)
        direction = direction if np.any(direction) else longest_axis(body)
        room = room_of(body, _across(direction / norm(direction)))
        if params.tilt == 0.0:
            origin = room.centre + draw_shift(room.diagonal, (seed, STREAM, attempt))
            half = 0.5 * room.extent[:2, None] * np.array((-1.0, 1.0))
            heights = room.extent[2] * (_heights(params.count, params.irregularity, seed) - 0.5)
            return lattice_complex((half[0], half[1], heights), room.axes, origin, room.margin)
        normals, points = _wedges(body, room, params, seed)
    shifts = np.random.default_rng([seed, STREAM, 1, attempt]).uniform(-1.0, 1.0, points.shape)
    low, high = body.vertices.min(axis=0) - room.margin, body.vertices.max(axis=0) + room.margin
    return plane_complex(normals, points + JITTER * room.diagonal * shifts, low, high)


def _across(direction: Floats) -> Floats:
    """Rows (3,3) of a right-handed frame whose last row is a unit vector."""
    first = np.eye(3)[int(np.round(np.abs(direction), 6).argmin())]
    first = first - dot(first, direction) * direction
    first = first / norm(first)
    return np.stack((first, np.cross(direction, first), direction))


def _heights(count: int, irregularity: float, seed: int) -> Floats:
    """Ascending heights (count+1,) from 0 to 1: thicknesses are log-normal with this spread."""
    thickness = exp(irregularity * drawn_normal(np.random.default_rng([seed, STREAM]), count))
    return np.concatenate([[0.0], np.cumsum(thickness)[:-1] / thickness.sum(), [1.0]])


def _wedges(body: Body, room: Room, params: SlicesParams, seed: int) -> tuple[Floats, Floats]:
    """Normals and points (n,3) of tilted planes, as many as give about the wanted number of pieces."""
    crowd = _crowd(body, room, params.count)
    rng = np.random.default_rng([seed, STREAM, 2])
    turn, lean = rng.uniform(0.0, 2.0 * np.pi, WEDGES_MOST), tan(params.tilt) * np.sqrt(rng.random(WEDGES_MOST))
    local = np.stack((lean * cos(turn), lean * sin(turn), np.ones(WEDGES_MOST)), axis=1)
    every = apply(room.axes.T, local)
    weight = rng.integers(1, 2**62, WEDGES_MOST)

    def planes(number: int) -> tuple[Floats, Floats]:
        heights = room.extent[2] * (_heights(number + 1, params.irregularity, seed)[1:-1] - 0.5)
        return every[:number], room.centre + heights[:, None] * room.axes[2]

    def pieces(number: int) -> int:
        normals, points = planes(number)
        side = apply(normals, crowd) > dot(normals, points)
        # a sum of random integers names the sides of a point as well as the list of them
        return len(np.unique(np.where(side, weight[:number], 0).sum(axis=1)))

    wanted = expected_pieces(params.count, len(crowd))
    few, many = 1, min(params.count - 1, WEDGES_MOST)
    while few < many:
        middle = (few + many + 1) // 2
        few, many = (middle, many) if pieces(middle) <= wanted else (few, middle - 1)
    return planes(few)


def _crowd(body: Body, room: Room, count: int) -> Floats:
    """Random points (n,3) [m] that stand for the volume of a body when pieces of it are counted."""
    number = min(max(_POINTS * count, POINTS_LEAST), _POINTS_MOST)
    share = sample(body, room, number) - 0.5
    return np.asarray(room.centre + apply(room.axes.T, share * room.extent))


def _hacks(crowd: Floats, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Normals and points (n,3) of planes through the body that together make about `count` pieces of it.

    Of some random planes the one that spreads the crowd most evenly over the pieces (largest entropy) is added, until
    there are as many pieces as wanted.
    """
    wanted = expected_pieces(count, len(crowd))
    piece, pieces = np.zeros(len(crowd), np.int64), 1
    size = np.arange(len(crowd) + 1)
    disorder = size * log(np.maximum(size, 1))
    normals: list[Floats] = []
    through: list[Floats] = []
    while pieces < wanted and len(normals) < PLANES_MOST:
        best, least = piece, np.inf
        for _ in range(_TRIES):
            normal, point = drawn_normal(rng, 3), crowd[rng.integers(len(crowd))]
            split = 2 * piece + (dot(crowd - point, normal) > 0.0)
            order = float(disorder[np.bincount(split)].sum())
            if order < least:
                best, least, chosen = split, order, (normal, point)
        after = np.unique(best, return_inverse=True)[1].ravel()
        if normals and wanted / pieces < (after.max() + 1) / wanted:
            break  # one plane less comes closer
        piece, pieces = after, int(after.max()) + 1
        normals.append(chosen[0])
        through.append(chosen[1])
    return np.array(normals), np.array(through)


METHOD: "Method[Build]" = Method(
    id="slices",
    label="Slices",
    doc="Straight cuts through the whole object: parallel slices, tilted ones, or hacked from all sides",
    reference="An arrangement of planes",
    params=SlicesParams,
    run=build,
)
