"""Rays and ring cracks around a hit in a sheet, and the sites whose Voronoi cells part exactly along them.

The sheet is cut into sectors by straight rays; each sector is cut by ring cracks that run obliquely from ray to ray,
staggered from sector to sector; where a shard that ends has become wide, a new ray starts from its ring crack.
Sites come as twins on both sides of every crack, mirror images of each other, at radii common to all rays: every point
of the crack is then equally far from the nearest site on either side, so the cells of a shard together are the shard.
Source: patterns of annealed glass, where rays come first and rings run from ray to ray later.
"""

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ...arithmetic.elementary import arctan2, cos, exp, log, sin
from ...types import Floats, Ints
from .rings import ring_length, splits

#: Where between its rays a sector splits. Chosen by eye: not in the middle, and no sliver.
SPLIT_PLACE = (0.36, 0.64)
#: Sectors narrower than this many angles of the twins never split. Chosen by eye: each half is then three of them wide,
#: two of which its own twins take.
_NARROWEST = 6.0
#: Largest slope of a ring crack against the circle. Chosen by eye: level ring cracks look drawn with compasses.
_SLANT = 0.6
#: Rays stray by this share of their pitch. The look study had 0.28, by eye; from 0.5 on rays could cross.
_STRAY = 0.33
#: Twins are this far from their ray [rad], and at most this share of the pitch of the rays. Tried before: 0.035 and
#: 1/12, then 0.05 and 1/11. Nearer twins are more sites to cut by; farther ones leave no room for short ring cracks.
TWIN, TWIN_SHARE = 0.04, 1.0 / 14.0
#: Distance of twins along a crack, and of a ring crack's twins from the rays that pass, in distances of twins from
#: their crack. Half-way between two of its twins a ray is hypot(1, 2.3 / 2) = 1.52 away from them, hence 1.6 (2 was
#: tried before). A larger pitch is fewer sites, and asks for more clearance.
PITCH, _CLEARANCE = 2.3, 1.6
#: Factor of the clearance at the ends of a ring crack, since rays meet it at an angle. By eye.
_ROOM = 1.15

#: A direction in the plane, of length 1.
Way: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Rays:
    """Rays around a hit and the radii at which their twins sit."""

    angle: Floats  #: (N,) ascending [rad]
    way: list[Way]
    twin: float  #: angle of the twins from their ray [rad]
    log_r: Floats  #: (K,) logarithms of the radii, in equal steps
    radius: Floats  #: (2K+1,) radii at half steps, from half a step before the first to half a step beyond the last

    def radius_at(self, step: float) -> float:
        """The radius at a whole number of half steps."""
        return float(self.radius[int(2.0 * step) + 1])


@dataclass(slots=True)
class Sites:
    """Sites as they are laid: along rays by the logarithm of the radius, beside them by their place."""

    log_r: list[Floats] = field(default_factory=list)  #: NaN for those that have a place
    angle: list[float] = field(default_factory=list)  #: of their ray
    shard: list[int] = field(default_factory=list)
    along: list[Floats] = field(default_factory=list)  #: the ray, of those that have a place
    across: list[Floats] = field(default_factory=list)

    def add(self, log_r: Floats, angle: float, shard: int) -> None:
        """Lay sites (n,) of one shard along a ray."""
        self.log_r.append(log_r)
        self.angle.append(angle)
        self.shard.append(shard)

    def add_beside(self, along: Floats, across: Floats, angle: float, shard: int) -> None:
        """Lay sites (n,) of one shard at places along and across a ray."""
        self.along.append(along)
        self.across.append(across)
        self.add(np.full(len(along), np.nan), angle, shard)

    def all(self) -> tuple[Floats, Floats, Ints]:
        """Logarithm of the radius (M,), angle (M,) [rad] and shard (M,) of all sites."""
        size = [len(some) for some in self.log_r]
        log_r, angle, shard = np.concatenate(self.log_r), np.repeat(self.angle, size), np.repeat(self.shard, size)
        along, across = (np.concatenate([np.zeros(0), *some]) for some in (self.along, self.across))
        beside = np.isnan(log_r)
        log_r[beside] = 0.5 * log(along * along + across * across)
        angle[beside] += arctan2(across, along)
        return log_r, angle, shard


@dataclass(frozen=True, slots=True)
class Sector:
    """The open end of a sector: its rays, and the ring crack (in steps of the radii) from which it goes on."""

    left: float  #: [rad]
    right: float  #: [rad]
    left_way: Way
    right_way: Way
    low_left: float
    low_right: float
    shard: int
    first: bool


def rays_around(rays: int, core: float, farthest: float, rng: np.random.Generator) -> Rays:
    """`rays` rays in uneven gaps, with twins from radius `core` to beyond `farthest`."""
    pitch = 2.0 * np.pi / rays
    twin = min(TWIN, TWIN_SHARE * pitch)
    angle = pitch * (np.arange(rays) + rng.random() + _STRAY * rng.uniform(-1.0, 1.0, rays))
    steps = int(np.ceil(max(log(farthest / core), 0.0) / (PITCH * twin))) + 2
    first, half = float(log(core)), 0.5 * PITCH * twin
    radius = exp(first + half * np.arange(-1, 2 * steps))
    return Rays(angle, _ways(angle), twin, first + 2.0 * half * np.arange(steps), radius)


def _ways(angle: Floats) -> list[Way]:
    return [(x, y) for x, y in directions(angle).tolist()]


def directions(angle: Floats) -> Floats:
    """Unit vectors (n,2) at angles (n,) [rad]."""
    return np.stack((cos(angle), sin(angle)), axis=1)


def sectors(rays: Rays, spacing: float, branching: float, rng: np.random.Generator) -> tuple[Floats, Floats, Ints]:
    """Sites of the pattern: logarithm of the radius (M,), angle (M,) [rad] and shard (M,) from 0.

    `spacing` scales the lengths of all shards and, less, the width at which they split; `branching` is the chance
    that a shard that is too wide splits where it ends. Lengths are in diagonals of the body.
    """
    sites = Sites()
    count = 0
    for k, (left, right) in enumerate(pairwise([*rays.angle.tolist(), float(rays.angle[0]) + 2.0 * np.pi])):
        # A stream of its own for each ray: one more shard in one sector does not reshuffle the others.
        ray_rng = np.random.default_rng(rng.integers(2**63))
        todo = [Sector(left, right, rays.way[k], rays.way[(k + 1) % len(rays.way)], -0.5, -0.5, count, True)]
        count += 1
        while todo:
            parts = _grown(rays, todo.pop(), spacing, branching, count, sites, ray_rng)
            todo += parts
            count += len(parts)
    return sites.all()


def _grown(
    rays: Rays, sector: Sector, spacing: float, branching: float, count: int, sites: Sites, rng: np.random.Generator
) -> list[Sector]:
    """Lay the twins of a shard and of the ring crack that ends it; return what goes on beyond the crack."""
    step, last = rays.log_r[1] - rays.log_r[0], len(rays.log_r) - 0.5
    width = sector.right - sector.left
    middle = 0.5 * (sector.low_left + sector.low_right)
    share = (middle + 0.5) / (last + 0.5)
    length = ring_length(share, spacing, sector.first, rng)
    slope = _SLANT * rng.uniform(-1.0, 1.0)
    lean = 0.5 * slope * min(width, length) / step
    top_left = _between(middle + length / step - lean, sector.low_left, last)
    top_right = _between(middle + length / step + lean, sector.low_right, last)
    if max(top_left, top_right) >= last:
        top_left = top_right = last
    for ray, low, top in (
        (sector.left + rays.twin, sector.low_left, top_left),
        (sector.right - rays.twin, sector.low_right, top_right),
    ):
        sites.add(rays.log_r[int(low + 0.5) : int(top + 0.5)], ray, sector.shard)
    wide = rays.radius_at(0.5 * (top_left + top_right)) * width
    split = splits(wide, spacing, branching, rng) and width > _NARROWEST * rays.twin
    place = rng.uniform(*SPLIT_PLACE)
    if top_left >= last:
        return []
    if split:
        new = sector.left + place * width
        way = float(cos(new)), float(sin(new))
        top_new = _between(top_left + place * (top_right - top_left), -np.inf, last)
        parts = [
            Sector(sector.left, new, sector.left_way, way, top_left, top_new, count, False),
            Sector(new, sector.right, way, sector.right_way, top_new, top_right, count + 1, False),
        ]
    else:
        parts = [replace(sector, low_left=top_left, low_right=top_right, shard=count, first=False)]
    for part in parts:
        _ring_crack(rays, part, sector, sites)
    return parts


def _between(position: float, low: float, last: float) -> float:
    """The half step next to `position`: above `low`, at most `last`."""
    return float(min(max(np.floor(position) + 0.5, low + 1.0), last))


def _ring_crack(rays: Rays, part: Sector, below: Sector, sites: Sites) -> None:
    """Lay twins along the ring crack below `part`, clear of the rays that pass by; a new ray starts on the crack."""
    near, far = rays.radius_at(part.low_left), rays.radius_at(part.low_right)
    left, right = part.left_way, part.right_way
    begin_x, begin_y = near * left[0], near * left[1]
    u, v = far * right[0] - begin_x, far * right[1] - begin_y
    length, twin = math.sqrt(u * u + v * v), rays.twin * 0.5 * (near + far)
    if length == 0.0:  # a single ray has the crack's begin and end in one place
        return
    u, v = u / length, v / length
    passes = part.left == below.left, part.right == below.right
    low, high = (
        twin * (_clearance(*_seen_from(ray, u, v)) if by else 0.5 * PITCH)
        for ray, by in zip((left, right), passes, strict=True)
    )
    if low + high > length:  # too short for twins of its own; those of the rays part its ends
        return
    place = np.linspace(low, length - high, int((length - low - high) / (PITCH * twin)) + 2)
    crack_x, crack_y = begin_x + place * u, begin_y + place * v
    out_x, out_y = twin * v, -twin * u  # along, out is right
    sides = {
        part.shard: (crack_x + out_x, crack_y + out_y),
        below.shard: (crack_x - out_x, crack_y - out_y),
    }
    # Between two of its twins a ray is up to hypot(1, PITCH / 2) away from them; nothing else may come as near.
    clear = np.ones(len(place), dtype=np.bool_)
    for x, y in sides.values():
        for ray, by in zip((left, right), passes, strict=True):
            if by:
                clear &= np.abs(_seen_from(ray, x, y)[1]) > _CLEARANCE * rays.twin * np.sqrt(x * x + y * y)
    for shard, (x, y) in sides.items():
        along, across = _seen_from(left, x[clear], y[clear])
        sites.add_beside(along, across, part.left, shard)


def _clearance(cosine: float, sine: float) -> float:
    """Distance along a crack, in distances of twins, from which its twins keep clear of a ray at this angle to it."""
    return (_ROOM * _CLEARANCE + abs(cosine)) / max(abs(sine), 1e-3)


def _seen_from(ray: Way, x: Any, y: Any) -> Any:
    """How far points lie along a ray, and to its left."""
    return ray[0] * x + ray[1] * y, ray[0] * y - ray[1] * x
