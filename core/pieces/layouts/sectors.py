"""Rays and ring cracks around a hit in a sheet, and the sites whose Voronoi cells part exactly along them.

The sheet is cut into sectors by straight rays; each sector is cut by ring cracks that run obliquely from ray to ray,
staggered from sector to sector; where a shard that ends has become wide, a new ray starts from its ring crack.
Sites come as twins on both sides of every crack, mirror images of each other, at radii common to all rays: every point
of the crack is then equally far from the nearest site on either side, so the cells of a shard together are the shard.
Source: patterns of annealed glass, where rays come first and rings run from ray to ray later.
"""

from dataclasses import dataclass, field

import numpy as np

from ...types import Floats, Ints
from .rings import ring_length, splits

#: Where between its rays a sector splits.
SPLIT_PLACE = (0.36, 0.64)
#: Sectors narrower than this many angles of the twins never split.
NARROWEST = 6.0
#: Largest slope of a ring crack against the circle.
SLANT = 0.6
#: Rays stray by this share of their pitch.
STRAY = 0.33
#: Twins are this far from their ray [rad], and at most this share of the pitch of the rays.
TWIN, TWIN_SHARE = 0.04, 1.0 / 14.0
#: Distance of twins along a crack, and of a ring crack's twins from the rays that pass, in distances of twins from
#: their crack.
PITCH, CLEARANCE = 2.3, 1.6


@dataclass(frozen=True, slots=True)
class Rays:
    """Rays around a hit and the radii at which their twins sit."""

    angle: Floats  #: (N,) ascending [rad]
    twin: float  #: angle of the twins from their ray [rad]
    log_r: Floats  #: (K,) logarithms of the radii, in equal steps


@dataclass(slots=True)
class Sites:
    """Sites as they are laid: logarithm of the radius, angle and shard."""

    log_r: list[Floats] = field(default_factory=list)
    angle: list[Floats] = field(default_factory=list)
    shard: list[Ints] = field(default_factory=list)

    def add(self, log_r: Floats, angle: Floats | float, shard: int) -> None:
        """Lay sites (n,) of one shard."""
        self.log_r.append(log_r)
        self.angle.append(np.broadcast_to(angle, log_r.shape))
        self.shard.append(np.full(log_r.shape, shard, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Sector:
    """The open end of a sector: its rays, and the ring crack (in steps of the radii) from which it goes on."""

    left: float  #: [rad]
    right: float  #: [rad]
    low_left: float
    low_right: float
    shard: int
    first: bool


def rays_around(rays: int, core: float, farthest: float, rng: np.random.Generator) -> Rays:
    """`rays` rays in uneven gaps, with twins from radius `core` to beyond `farthest`."""
    pitch = 2.0 * np.pi / rays
    twin = min(TWIN, TWIN_SHARE * pitch)
    angle = pitch * (np.arange(rays) + rng.random() + STRAY * rng.uniform(-1.0, 1.0, rays))
    steps = int(np.ceil(max(np.log(farthest / core), 0.0) / (PITCH * twin))) + 2
    return Rays(angle, twin, np.log(core) + PITCH * twin * np.arange(steps))


def sectors(rays: Rays, spacing: float, branching: float, rng: np.random.Generator) -> tuple[Floats, Floats, Ints]:
    """Sites of the pattern: logarithm of the radius (M,), angle (M,) [rad] and shard (M,) from 0.

    `spacing` scales the lengths of all shards and, less, the width at which they split; `branching` is the chance
    that a shard that is too wide splits where it ends. Lengths are in diagonals of the body.
    """
    sites = Sites()
    count = 0
    for left, right in zip(rays.angle, np.append(rays.angle[1:], rays.angle[0] + 2.0 * np.pi), strict=True):
        # A stream of its own for each ray: one more shard in one sector does not reshuffle the others.
        ray_rng = np.random.default_rng(rng.integers(2**63))
        todo = [Sector(left, right, -0.5, -0.5, count, True)]
        count += 1
        while todo:
            parts = _grown(rays, todo.pop(), spacing, branching, count, sites, ray_rng)
            todo += parts
            count += len(parts)
    return np.concatenate(sites.log_r), np.concatenate(sites.angle), np.concatenate(sites.shard)


def _grown(
    rays: Rays, sector: Sector, spacing: float, branching: float, count: int, sites: Sites, rng: np.random.Generator
) -> list[Sector]:
    """Lay the twins of a shard and of the ring crack that ends it; return what goes on beyond the crack."""
    step, last = rays.log_r[1] - rays.log_r[0], len(rays.log_r) - 0.5
    width = sector.right - sector.left
    middle = 0.5 * (sector.low_left + sector.low_right)
    share = (middle + 0.5) / (last + 0.5)
    length = ring_length(share, spacing, sector.first, rng)
    slope = SLANT * rng.uniform(-1.0, 1.0)
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
    radius = float(np.exp(rays.log_r[0] + step * 0.5 * (top_left + top_right)))
    split = splits(radius * width, spacing, branching, rng) and width > NARROWEST * rays.twin
    place = rng.uniform(*SPLIT_PLACE)
    if top_left >= last:
        return []
    if split:
        new = sector.left + place * width
        top_new = _between(top_left + place * (top_right - top_left), -np.inf, last)
        parts = [
            Sector(sector.left, new, top_left, top_new, count, False),
            Sector(new, sector.right, top_new, top_right, count + 1, False),
        ]
    else:
        parts = [Sector(sector.left, sector.right, top_left, top_right, count, False)]
    for part in parts:
        _ring_crack(rays, part, sector, sites)
    return parts


def _between(position: float, low: float, last: float) -> float:
    """The half step next to `position`: above `low`, at most `last`."""
    return float(min(max(np.floor(position) + 0.5, low + 1.0), last))


def _ring_crack(rays: Rays, part: Sector, below: Sector, sites: Sites) -> None:
    """Lay twins along the ring crack below `part`, clear of the rays that pass by; a new ray starts on the crack."""
    step = rays.log_r[1] - rays.log_r[0]
    start = np.exp(rays.log_r[0] + step * part.low_left + 1j * part.left)
    end = np.exp(rays.log_r[0] + step * part.low_right + 1j * part.right)
    length, radius = abs(end - start), 0.5 * (abs(start) + abs(end))
    along = (end - start) / length
    twin = rays.twin * radius
    passes = part.left == below.left, part.right == below.right
    low, high = (
        twin * (_clearance(along * np.exp(-1j * ray)) if by else 0.5 * PITCH)
        for ray, by in zip((part.left, part.right), passes, strict=True)
    )
    if low + high > length:  # too short for twins of its own; those of the rays part its ends
        return
    place = np.linspace(low, length - high, int((length - low - high) / (PITCH * twin)) + 2)
    crack = start + along * place
    sides = {part.shard: crack - 1j * along * twin, below.shard: crack + 1j * along * twin}  # along, out is right
    # Between two of its twins a ray is up to hypot(1, PITCH / 2) away from them; nothing else may come as near.
    clear = np.ones(len(place), dtype=np.bool_)
    for z in sides.values():
        for ray, by in zip((part.left, part.right), passes, strict=True):
            if by:
                clear &= np.abs((z * np.exp(-1j * ray)).imag) > CLEARANCE * rays.twin * np.abs(z)
    for shard, z in sides.items():
        turn = np.angle(z[clear] * np.exp(-1j * part.left))
        sites.add(np.log(np.abs(z[clear])), part.left + turn, shard)


def _clearance(along: complex) -> float:
    """Distance along a crack, in distances of twins, from which its twins keep clear of a ray in direction 1."""
    return (1.15 * CLEARANCE + abs(along.real)) / max(abs(along.imag), 1e-3)
