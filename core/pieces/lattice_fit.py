"""How many boxes along each axis: a lattice that fits a body and gives the wanted number of pieces.

A lattice always begins and ends with the body's box, so a box breaks into whole boxes only. What a rounder body makes
of a lattice is estimated by random points in it: boxes in which no point falls would be crumbs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..arithmetic.elementary import cbrt, exp, log, power
from ..arithmetic.products import apply, norm
from ..geometry.mesh import volume
from ..types import Body, Floats, Frozen, Ints
from .layouts.scatter import scatter
from .layouts.shape import measure

#: Names the stream of the points: the same for every seed, so that the number of pieces does not depend on it.
STREAM = 206
#: How far the outermost planes go beyond the body, in diagonals. Chosen: much farther than the jitter moves anything.
_BEYOND = 0.05
#: A body that fills its box to this share is a box. Volume and box are off by round-off alone.
_FULL = 1.0 - 1e-6
#: Points for each wanted piece, and at most. Chosen between time and the error of counting by points.
_POINTS, _POINTS_MOST = 12, 60_000
#: Boxes grow by this factor from step to step, beginning so many steps below the size of the mean piece, until there
#: are less than this share of the wanted number; and how many steps that may take. Chosen between time and a good fit:
#: a step of 6 % changes the number by a fifth, and the whole numbers around it are all tried; 300 steps go through any
#: proportions (1.06^300 is 4e7).
_GROWTH, EARLIER, _ENOUGH, _STEPS = 1.06, 5, 0.7, 300
#: Most boxes of a lattice: so many, and so many more for each wanted piece. A thin body askew in its room fills so
#: little of it that the lattice would outgrow every memory; it breaks into fewer pieces than wanted instead. Chosen by
#: time and memory: 60 boxes a piece do where a body fills a sixtieth of its room.
BOXES, BOXES_EACH = 20_000, 60
#: What a lattice of ill proportions costs against one with a wrong number of pieces. Chosen by eye: more keeps boxes in
#: shape, less keeps their number.
SQUARENESS = 0.2

#: (n,) boxes along each axis -> piece (nx,ny,nz) of each box, numbered 0.. without gaps.
Grouping = Callable[[Ints], Ints]


@dataclass(frozen=True, eq=False, slots=True)
class Room(Frozen):
    """The box of a body in a frame, and what of it the body fills."""

    axes: Floats  #: (3,3) rows
    centre: Floats  #: (3,) [m], in the axes of the world
    extent: Floats  #: (3,) [m] along the rows
    diagonal: float  #: of the body's box in the world [m]
    share: float  #: of the room that the body fills

    def planes(self, n: Ints) -> list[Floats]:
        """The planes of n boxes along each axis, from the centre."""
        return [self.extent[k] * (np.arange(n[k] + 1) / n[k] - 0.5) for k in range(3)]

    @property
    def margin(self) -> float:
        """How far the outermost planes must be moved out to lie well beyond the body."""
        return _BEYOND * self.diagonal


def room_of(body: Body, axes: Floats) -> Room:
    """The box of a body along the rows of a frame."""
    along = apply(axes, body.vertices)
    low, high = along.min(axis=0), along.max(axis=0)
    share = volume(body.vertices, body.triangles) / float(np.prod(high - low))
    diagonal = float(norm(np.ptp(body.vertices, axis=0)))
    return Room(axes, apply(axes.T, 0.5 * (low + high)), high - low, diagonal, share)


def fit_lattice(body: Body, room: Room, unit: Floats, count: int, grouping: Grouping | None = None) -> Ints:
    """Numbers (3,) of boxes along the axes of a room, for about `count` pieces.

    unit (3,): proportions of a box, only their ratios count; grouping: which boxes make one piece, default each one.
    A body that is a box gets the number of pieces that comes closest with boxes close to the proportions; for others
    the number is an estimate.
    """
    boxes_each = 1.0 if grouping is None else _boxes_each(grouping)
    scale = cbrt(float(np.prod(room.extent)) * min(room.share, 1.0) / (count * boxes_each * np.prod(unit)))
    ideal = _affordable(room.extent / (unit * scale) * power(_GROWTH, EARLIER), BOXES + BOXES_EACH * count)
    points = None if room.share > _FULL else sample(body, room, min(_POINTS * count, _POINTS_MOST))
    wanted = float(count) if points is None else expected_pieces(count, len(points))
    best, least, seen = np.ones(3, np.int64), np.inf, set()
    for _ in range(_STEPS):
        found = 0.0
        for n in product(*({max(1, int(np.floor(x + 1e-9))), max(1, int(np.ceil(x - 1e-9)))} for x in ideal)):
            if n in seen:
                continue
            seen.add(n)
            pieces = _pieces(np.array(n), points, grouping)
            found = max(found, pieces)
            cost = abs(log(pieces / wanted)) + SQUARENESS * _spread(np.array(n), ideal)
            if cost < least - 1e-9:
                best, least = np.array(n), cost
        if 0.0 < found < _ENOUGH * wanted or max(ideal) < 1.0:
            break
        ideal = ideal / _GROWTH
    return best


def _affordable(n: Floats, most: int) -> Floats:
    """Numbers (3,) of boxes along the axes, made smaller alike until there are no more than `most` in all."""
    while True:
        boxes = float(np.prod(np.maximum(n, 1.0)))
        if boxes <= most:
            return n
        n = n / max(cbrt(boxes / most), _GROWTH)


def sample(body: Body, room: Room, count: int) -> Floats:
    """Random points (count,3) of the body, in the room: each coordinate from 0 to 1."""
    middle = body.vertices.mean(axis=0)
    shape = measure(Body((body.vertices - middle) / room.diagonal, body.triangles, body.source))
    points = scatter(shape, count, False, np.random.default_rng([STREAM])) * room.diagonal + middle
    return np.asarray(apply(room.axes, points - room.centre) / room.extent + 0.5)


def _boxes_each(grouping: Grouping) -> float:
    n = np.array((24, 24, 24))
    return float(n.prod()) / (int(grouping(n).max()) + 1)


def expected_pieces(count: int, points: int) -> float:
    """Number of different pieces, of `count` equal ones, in which random points fall."""
    return count * (1.0 - float(exp(-points / count)))


def _pieces(n: Ints, points: Floats | None, grouping: Grouping | None) -> float:
    if points is None:
        return float(n.prod() if grouping is None else grouping(n).max() + 1)
    i, j, k = np.clip((points * n).astype(np.int64), 0, n - 1).T
    piece = (i * n[1] + j) * n[2] + k
    if grouping is not None:
        piece = grouping(n).ravel()[piece]
    return float(np.count_nonzero(np.bincount(piece)))


def _spread(n: Ints, ideal: Floats) -> float:
    """How much the boxes differ from their proportions; axes with less than one box do not count."""
    ratio = log(n / ideal)[ideal >= 1.0]
    return float(np.ptp(ratio)) if len(ratio) else 0.0
