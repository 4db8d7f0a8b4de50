"""Plan of straight rays and ring chords around the origin: convex polygons edge to edge, and the shard of each.

Each sector between two rays is cut by chords at places of its own; a sector that has become wide is split by a new
ray that starts on its chord. Where a chord of the next sector ends on a ray, the shard on this side gets a corner, and
is divided across into quadrangles and triangles that carry its number: so the plan stays edge to edge although rings
are staggered. A chord from which a ray starts is bent outwards there, so the shard below it stays convex.
Source: patterns of annealed glass, where rays come first and rings run from ray to ray later; numbers by our look
study and by eye.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..arithmetic.elementary import cos, exp, expm1, log, log1p, sin
from ..jit import njit
from ..types import Floats, Ints
from .layouts.rings import FIRST_LEAST, RING_MOST, splits

#: Mean length ln(r1/r0) of a shard close to the hit and far away. They grow less than those of layouts.rings: straight
#: sectors do not wander into each other, and look empty far away. By eye.
SHARD_NEAR, SHARD_FAR = 0.6, 0.85
#: Places for chords on a ray, per mean distance of two rings. Chosen by eye: more let rings end more freely, fewer make
#: more of them meet.
CHORD_PLACES = 16
#: Places that differ by less are one, so that round-off decides nothing. Of a place; round-off of logarithms is 1e-15.
SURE = 1e-6
#: Chords end where one from the other side ends if it is at most this many places away. By eye: an eighth of a ring;
#: chords that nearly meet would leave slivers.
_SNAP = 2
#: At full jitter rays stray by this share of their pitch, and no sector of three or four is wider than this [rad]. By
#: eye; the second because a sector of pi or more is not convex.
_STRAY, WIDEST = 0.35, 2.6
#: Largest slope of a chord at full jitter, against the chord square to its sector. By eye.
_SLANT = 0.7
#: At full jitter a sector splits this far from its middle, as a share of its width; narrower ones [rad] never do. By
#: eye.
OFF_MIDDLE, _NARROWEST = 0.15, 0.02
#: The outermost corners are so far that chords between them clear the sheet by this factor. Chosen: any factor above 1
#: will do.
CLEAR = 1.1
#: Rays per piece of the crushed centre. By eye.
WEDGE = 3
_GROWTH = float(log(SHARD_FAR / SHARD_NEAR))


class PlanWeb(NamedTuple):
    """What is asked of the plan, in any unit of length."""

    rays: int
    rings: float  #: mean number of chords from the core to `farthest`
    core: float  #: radius of the crushed centre
    farthest: float  #: radius of the farthest point of the sheet
    spacing: float  #: as in layouts.rings: the length of shards, for the width at which they split [relative]
    jitter: float
    branching: float


class RadialPlan(NamedTuple):
    """Planar subdivision: P points, A polygons, R rays, K shards."""

    points: Floats  #: (P,2)
    radius: Floats  #: (P,)
    ray: Ints  #: (P,) ray of each point, -1 of the centre
    polygons: list[list[int]]  #: counter-clockwise
    shard: Ints  #: (A,)
    wedge: Ints  #: (A,) which part of the circle, some rays wide: 0..W-1; in the centre this is the shard
    runs: list[list[int]]  #: points along each ray, outwards
    angle: Floats  #: (R,) [rad]


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard, or while the plan grows the open end of a sector: two rays, and places on them."""

    left: int
    right: int
    low: tuple[int, int]
    sector: int  #: first of the rays from the hit between which it lies
    top: tuple[int, int] = (0, 0)
    new: tuple[int, int] | None = None  #: ray and place where one starts from the top


@dataclass(slots=True)
class _Growing:
    """Rays and the places on them that are corners; shards that are closed."""

    web: PlanWeb
    angle: list[float] = field(default_factory=list)
    places: list[set[int]] = field(default_factory=list)
    shards: list[Shard] = field(default_factory=list)

    def add_ray(self, angle: float, place: int) -> int:
        """A ray that starts at a place and ends at the last one."""
        self.angle.append(angle)
        self.places.append({place, self.last})
        return len(self.angle) - 1

    @property
    def last(self) -> int:
        """The place beyond the sheet where all rays end."""
        return math.ceil(self.web.rings * CHORD_PLACES) + 1


def log_radius(web: PlanWeb, place: float) -> float:
    """Logarithm of the radius at a place: d ln r grows from ring to ring by the ratio of far to near shards."""
    return float(_log_radius(float(place), web.rings, web.core, web.farthest))


def radius_at(web: PlanWeb, place: float) -> float:
    """Radius at a place."""
    return float(_radius(float(place), web.rings, web.core, web.farthest))


def place_at(web: PlanWeb, log_r: float) -> float:
    """Inverse of `log_radius`, from the core outwards."""
    return float(_place(float(log_r), web.rings, web.core, web.farthest))


@njit
def _log_radius(place: float, rings: float, core: float, farthest: float) -> float:
    share = expm1(_GROWTH * place / (CHORD_PLACES * rings)) * SHARD_NEAR / (SHARD_FAR - SHARD_NEAR)
    return float(log(core) + log(farthest / core) * share)


@njit
def _radius(place: float, rings: float, core: float, farthest: float) -> float:
    return float(exp(_log_radius(place, rings, core, farthest)))


@njit
def _place(log_r: float, rings: float, core: float, farthest: float) -> float:
    share = max(0.0, (log_r - log(core)) / log(farthest / core))
    return float(CHORD_PLACES * rings / _GROWTH * log1p(share * (SHARD_FAR - SHARD_NEAR) / SHARD_NEAR))


def rings_for(spacing: float, core: float, farthest: float) -> float:
    """Mean number of rings from core to farthest whose shards are `spacing` times as long as in layouts.rings."""
    return float(log(farthest / core) * _GROWTH / ((SHARD_FAR - SHARD_NEAR) * spacing))


def spacing_of(rings: float, core: float, farthest: float) -> float:
    """Inverse of `rings_for`."""
    return rings_for(rings, core, farthest)


def draw(web: PlanWeb, rng: np.random.Generator) -> RadialPlan:
    """The plan of a web; the same for the same arguments and state of `rng`."""
    growing = _Growing(web)
    pitch = 2.0 * np.pi / web.rays
    stray = min(_STRAY * web.jitter, 0.5 * (WIDEST / pitch - 1.0))
    for angle in pitch * (np.arange(web.rays) + rng.random() + stray * rng.uniform(-1.0, 1.0, web.rays)):
        growing.add_ray(float(angle), 0)
    for left in range(web.rays):
        # A stream of its own for each sector: one more shard in one of them does not reshuffle the others.
        ray_rng = np.random.default_rng(rng.integers(2**63))
        todo = [Shard(left, (left + 1) % web.rays, (0, 0), left)]
        while todo:
            todo += _grown(growing, todo.pop(), ray_rng)
    return _planned(growing)


def _width(growing: _Growing, sector: Shard) -> float:
    return (growing.angle[sector.right] - growing.angle[sector.left]) % (2.0 * math.pi)


def _grown(growing: _Growing, sector: Shard, rng: np.random.Generator) -> list[Shard]:
    """Close a shard by a chord at its top; return the sectors that go on beyond it."""
    web, width = growing.web, _width(growing, sector)
    bottom = 0.5 * sum(sector.low)
    length = CHORD_PLACES * (1.0 + web.jitter * rng.uniform(-1.0, 1.0) * (RING_MOST - 1.0))
    length *= 1.0 - web.jitter * rng.uniform(0.0, 1.0 - FIRST_LEAST) if bottom == 0.0 else 1.0
    middle = log_radius(web, bottom + length)
    reach = min(width, middle - log_radius(web, bottom))
    lean = 0.5 * _SLANT * web.jitter * rng.uniform(-1.0, 1.0) * reach
    top = (
        _ended(growing, sector.left, sector.low[0], place_at(web, middle - lean)),
        _ended(growing, sector.right, sector.low[1], place_at(web, middle + lean)),
    )
    part, wide = 0.5 + web.jitter * OFF_MIDDLE * rng.uniform(-1.0, 1.0), radius_at(web, bottom + length) * width
    split = splits(wide, web.spacing, web.branching, rng) and width > _NARROWEST
    if max(top) >= growing.last:
        growing.shards.append(replace(sector, top=(growing.last, growing.last)))
        return []
    growing.places[sector.left].add(top[0])
    growing.places[sector.right].add(top[1])
    start = growing.last
    if split:
        # 1/r between the ends is that of a curve that bulges beyond the chord.
        near, far = (radius_at(web, place) for place in top)
        log_r = -float(log((1.0 - part) / near + part / far))
        start = math.ceil(place_at(web, log_r) - SURE)  # level chords hit a place
    if start >= growing.last:
        growing.shards.append(replace(sector, top=top))
        return [replace(sector, low=top)]
    new = growing.add_ray(growing.angle[sector.left] + part * width, start)
    growing.shards.append(replace(sector, top=top, new=(new, start)))
    return [replace(sector, right=new, low=(top[0], start)), replace(sector, left=new, low=(start, top[1]))]


def _ended(growing: _Growing, ray: int, low: int, place: float) -> int:
    """Where a chord ends on a ray: at a corner that is there if it is near enough, above `low`, at most at the end."""
    wanted = min(max(round(place), low + 1), growing.last)
    near = [p for p in range(max(wanted - _SNAP, low + 1), wanted + _SNAP + 1) if p in growing.places[ray]]
    return min(near, key=lambda p: (abs(p - wanted), p), default=wanted)


def _planned(growing: _Growing) -> RadialPlan:
    """Number the corners and divide the shards across into polygons."""
    web = growing.web
    runs, radius, ray = [], [0.0], [-1]
    row: dict[tuple[int, int], int] = {}
    widest = max(_width(growing, shard) for shard in growing.shards if shard.top[0] == shard.top[1] == growing.last)
    end = CLEAR * max(radius_at(web, growing.last), web.farthest) / float(cos(0.5 * widest))
    order = [sorted(places) for places in growing.places]
    for i, places in enumerate(order):
        run = [0] if i < web.rays else []
        for place in places:
            row[i, place] = len(radius)
            run.append(len(radius))
            radius.append(float(end if place == growing.last else radius_at(web, place)))
            ray.append(i)
        runs.append(run)
    polygons = [[0, row[i, 0], row[(i + 1) % web.rays, 0]] for i in range(web.rays)]
    wedges = max(1, round(web.rays / WEDGE))
    wedge_of = np.arange(web.rays) * wedges // web.rays
    number, wedge = list(wedge_of), list(wedge_of)
    for k, shard in enumerate(growing.shards):
        parts = list(_parts(order, shard, row))
        polygons += parts
        number += [wedges + k] * len(parts)
        wedge += [wedge_of[shard.sector]] * len(parts)
    angle = np.array(growing.angle)
    turn, length = angle[np.array(ray)], np.array(radius)
    points = length[:, None] * np.stack((cos(turn), sin(turn)), axis=1)
    return RadialPlan(points, length, np.array(ray), polygons, np.array(number), np.array(wedge), runs, angle)


def _parts(order: list[list[int]], shard: Shard, row: dict[tuple[int, int], int]) -> Iterator[list[int]]:
    """Convex polygons of a shard: both sides are climbed corner by corner, together as long as both go on."""
    right, left = (
        [row[ray, place] for place in order[ray][bisect_left(order[ray], low) : bisect_right(order[ray], top)]]
        for ray, low, top in zip((shard.right, shard.left), shard.low[::-1], shard.top[::-1], strict=True)
    )
    steps = max(len(left), len(right)) - 1
    for k in range(steps):
        corners = [*(right[k : k + 2][::-1] if k < len(right) - 1 else right[-1:])]
        corners += left[k : k + 2] if k < len(left) - 1 else left[-1:]
        if k == steps - 1 and shard.new is not None:
            corners.append(row[shard.new])
        yield corners
