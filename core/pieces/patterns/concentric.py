"""Concentric: rings around the axis that close all the way, cut into long arcs by a few rays."""

from typing import NamedTuple

import numpy as np

from ...arithmetic.draws import dirichlet_even, normal
from ...arithmetic.elementary import cos, exp, power, sin
from ...types import Floats, Ints
from .fit import fit_fineness
from .flat import flat_pattern, groups_shown
from .pattern import Pattern

#: Names this module's stream of random numbers beside the seed.
STREAM = 215
#: Width of a ring: it grows with the radius plus CORE, by this power, and differs by this spread of its logarithm. All
#: by eye: narrow rings at the hit, no two of one width.
_CORE, _GROWTH, SPREAD = 0.12, 0.6, 0.22
#: Rings are drawn to this radius: the corners of the box. A little more than sqrt(2).
_FARTHEST = 1.45
#: Rings wave by this share of their width, in so many waves at most. By eye: more than half of the width would let
#: rings cross.
WAVE, WAVES = 0.16, 5
#: Rays that cut the first ring; arcs longer than this many widths of their ring, times a random factor, split. By eye:
#: few rays, or it is a spider's web.
_RAYS, _LONG, LONG_LEAST, LONG_MOST = 3, 8.0, 0.6, 1.6
#: Rays stray by this share of their pitch. By eye; from half of it on they could cross.
_STRAY = 0.4
#: Corners of a ring: at least so many, and a corner at least every so many ring widths of the farthest one. By eye: a
#: ring looks round.
_SIDES, _SIDE = 48, 1.2


class _Plan(NamedTuple):
    points: Floats  #: (P,2)
    polygons: list[list[int]]
    group: Ints  #: (A,)
    runs: list[list[int]]
    rim: Ints


def concentric(count: int, seed: int) -> Pattern:
    """Closed rings through the whole of space along the axis; about `count` pieces of a typical body."""

    def draw(fineness: float) -> tuple[_Plan, int]:
        plan = _drawn(fineness, np.random.default_rng([seed, STREAM]))
        return plan, groups_shown(plan.points, plan.polygons, plan.group)

    plan = fit_fineness(draw, count, 0.8 * np.sqrt(count), 2.0)
    return flat_pattern(plan.points, plan.polygons, plan.runs, plan.rim, plan.group)


def _drawn(fineness: float, rng: np.random.Generator) -> _Plan:
    """A polar grid of small quadrangles, gathered into arcs."""
    radii, widths = _rings(fineness, rng)
    sides = max(_SIDES, 2 * round(np.pi * radii[-1] / (_SIDE * widths[-1])))
    angle = 2.0 * np.pi * (np.arange(sides) + rng.random()) / sides
    wave = _waves(angle, len(radii), rng)
    radius = radii[:, None] + WAVE * widths[:, None] * wave
    points = radius[..., None] * np.stack((cos(angle), sin(angle)), axis=1)
    row = 1 + np.arange(len(radii))[:, None] * sides + np.arange(sides)
    after = np.roll(row, -1, axis=1)
    polygons = [[0, int(a), int(b)] for a, b in zip(row[0], after[0], strict=True)]
    inner, inner_after, outer, outer_after = row[:-1].ravel(), after[:-1].ravel(), row[1:].ravel(), after[1:].ravel()
    polygons += np.stack((inner, outer, outer_after, inner_after), axis=1).tolist()
    runs = [[0, *row[:, k].tolist()] for k in range(sides)]
    return _Plan(
        np.concatenate((np.zeros((1, 2)), points.reshape(-1, 2))),
        polygons,
        _arcs(radii, widths, sides, rng),
        runs,
        row[-1],
    )


def _rings(fineness: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Radii (K,) of the circles and the widths (K,) of the rings that they end."""
    radius, radii, widths = 0.0, [], []
    while radius < _FARTHEST:
        width = float(power(_CORE + radius, _GROWTH) / fineness * exp(SPREAD * normal(rng)))
        radius += width
        radii.append(radius)
        widths.append(width)
    radii.append(radius + widths[-1])  # beyond it lies only the ring that is moved far away
    widths.append(widths[-1])
    return np.array(radii), np.array(widths)


def _waves(angle: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Smooth curves (count,n) over the angles (n,), between -1 and 1."""
    share = np.stack([dirichlet_even(rng, WAVES) for _ in range(count)])
    phase = rng.uniform(0.0, 2.0 * np.pi, (count, 1, WAVES))
    return np.asarray((share[:, None] * cos(angle[:, None] * np.arange(1, WAVES + 1) + phase)).sum(axis=2))


def _arcs(radii: Floats, widths: Floats, sides: int, rng: np.random.Generator) -> Ints:
    """The arc of each polygon, ring by ring: the disc in the middle is one, rays that have begun go on outwards."""
    first = rng.integers(sides)
    rays = {int(first + sides * (k + _STRAY * rng.uniform(-1.0, 1.0)) / _RAYS) % sides for k in range(_RAYS)}
    arc = [np.zeros(sides, np.int64)]
    count = 1
    for k in range(1, len(radii)):
        longest = _LONG * widths[k] * sides / (np.pi * (radii[k] + radii[k - 1]))  # in sides
        begun = sorted(rays)
        for start, end in zip(begun, [*begun[1:], begun[0] + sides], strict=True):
            length = end - start
            if length > max(2.0, longest * rng.uniform(LONG_LEAST, LONG_MOST)):
                rays.add((start + round(length * rng.uniform(0.25, 0.75))) % sides)
        starts = np.zeros(sides, np.int64)
        starts[sorted(rays)] = 1
        arc.append(count + (np.cumsum(starts) - 1) % len(rays))
        count += len(rays)
    return np.concatenate(arc)
