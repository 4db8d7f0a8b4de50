"""The web of a hit: rays and ring cracks laid on a plate, wrapped on a shell, or cones in a solid."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from ...arithmetic.elementary import cos, exp, log, sin
from ...arithmetic.products import apply, dot, multiply, norm
from ...arithmetic.small_matrices import solve
from ...geometry.inside import inside
from ...geometry.nearest import nearest
from ...types import Bools, Floats, Ints
from .bend import bend
from .cones import Cones, cones_around, shards
from .geodesic import polar
from .grouping import rejoined
from .neighbours import neighbours
from .scatter import on_skin, walls
from .sectors import directions, rays_around, sectors
from .shape import Shape

#: First radius as a share of the hit's radius, and as a multiple of the wall's thickness: nearer, all is crushed. 0.057
#: of a radius of a tenth of the diagonal is the 8 mm of the look study on a pane of 1 m, by eye. Chosen by eye as well:
#: 1.3 walls, so that the first shards are wider than thick; half of the hit's radius at the most; and in solids twice
#: as far as in sheets, where cones this near would be crumbs of crumbs.
_CORE_RADIUS, _CORE_THICKNESS, CORE_MOST, _CORE_SOLID = 0.057, 1.3, 0.5, 0.12
#: Points of a shell that know their distance and direction, and how many of them place a site. Chosen between time and
#: exactness: so many lie about a hundredth of the root of the area apart.
SHELL_POINTS, SHELL_NEIGHBOURS = 8000, 12
#: A site of a shell is left out where the nearest known point's coordinates are off by more mean spacings than this.
#: Chosen by eye; 3 before, when stray parts of shards were not rejoined either.
SHELL_GAP = 2.0

#: Known points farther from the nearest one than so many medians lie on another wall. By eye.
_ELSEWHERE = 4.0
#: Share of the farthest squared distance that is added to all in their weights, so that one point does not decide, and
#: damping relative to the trace. By eye.
_SMOOTH, _DAMPING = 0.1, 1e-6

#: Walls thicker than this many mean walls are rims seen from their edge: they know no middle surface. Chosen by eye:
#: less leaves out walls of uneven thickness, more takes rims for walls.
RIM = 1.5

#: Sites in solids stray from their common radii by this share of the radius. Chosen by eye: sites at one distance from
#: the hit would all but share a corner there.
_LOOSE = 0.01

#: (rays, spacing, branching) -> sites (R,3) and their shards (R,) from 0.
Draw: TypeAlias = Callable[[int, float, float], tuple[Floats, Ints]]


@dataclass(frozen=True, slots=True)
class HitWeb:
    """What a hit makes of the body, for any number of rays all around, spacing of the rings and branching."""

    hit: Floats  #: (3,) where the hit acts: on the middle surface of thin bodies
    draw: Draw


def core_radius(shape: Shape, reach: float) -> float:
    """Radius of the crushed centre of a hit of radius `reach`."""
    if not shape.thin:
        return _CORE_SOLID * reach
    return min(max(_CORE_RADIUS * reach, _CORE_THICKNESS * shape.thickness), CORE_MOST * reach)


def weave(shape: Shape, hit: Floats, reach: float, seed: tuple[int, ...]) -> HitWeb:
    """Prepare the web of a hit at `hit (3,)` with radius `reach`.

    What is drawn from it is always the same for the same arguments.
    """
    core = core_radius(shape, reach)
    weaver = {"plate": _on_plate, "shell": _on_shell, "solid": _in_solid}[shape.kind]
    return weaver(shape, hit, core, seed)


def _on_plate(shape: Shape, hit: Floats, core: float, seed: tuple[int, ...]) -> HitWeb:
    normal = shape.axes[2]
    hit = hit - normal * dot(hit - shape.centre, normal)
    farthest = _farthest(shape, hit)

    def draw(rays: int, spacing: float, branching: float) -> tuple[Floats, Ints]:
        around = rays_around(rays, core, farthest, np.random.default_rng([*seed, 0]))
        log_r, angle, shard = sectors(around, spacing, branching, np.random.default_rng([*seed, 1]))
        flat = exp(log_r)[:, None] * directions(angle)
        flat = bend(flat, float(exp(around.log_r[-1])), np.random.default_rng([*seed, 2]))
        return hit + apply(shape.axes[:2].T, flat), shard

    return HitWeb(hit, draw)


def _in_solid(shape: Shape, hit: Floats, core: float, seed: tuple[int, ...]) -> HitWeb:
    if not inside(shape.body, hit[None])[0]:
        hit = nearest(shape.body.vertices, shape.body.triangles, hit[None])[0][0]
    farthest = _farthest(shape, hit)

    @lru_cache(maxsize=1)
    def around(rays: int) -> Cones:
        return cones_around(rays, core, farthest, np.random.default_rng([*seed, 0]))

    def draw(rays: int, spacing: float, branching: float) -> tuple[Floats, Ints]:
        cones = around(rays)
        # Sites at exactly equal radii would put six of them on one sphere around every corner of the cells.
        loose = np.random.default_rng([*seed, 2]).uniform(-_LOOSE, _LOOSE, (len(cones.log_r), len(cones.vector), 1))
        points = hit + exp(cones.log_r[:, None, None] + loose) * cones.vector
        return points.reshape(-1, 3), shards(cones, spacing, branching, np.random.default_rng([*seed, 1])).ravel()

    return HitWeb(hit, draw)


def _farthest(shape: Shape, hit: Floats) -> float:
    return float(norm(shape.body.vertices - hit).max())


def _on_shell(shape: Shape, hit: Floats, core: float, seed: tuple[int, ...]) -> HitWeb:
    wall = _shell_points(shape, hit, core, np.random.default_rng([*seed, 2]))
    distance, angle = polar(wall, 2.0 * core)
    known = np.isfinite(distance) & (distance > 0.0)
    farthest = float(distance[known].max())
    chart, places = _chart(log(distance[known]), angle[known]), wall[known]

    def draw(rays: int, spacing: float, branching: float) -> tuple[Floats, Ints]:
        around = rays_around(rays, core, farthest, np.random.default_rng([*seed, 0]))
        log_r, bearing, shard = sectors(around, spacing, branching, np.random.default_rng([*seed, 1]))
        points, found = _wrapped(chart, places, _chart(log_r, bearing))
        return points[found], rejoined(points[found], shard[found])

    return HitWeb(wall[0], draw)


def _chart(log_r: Floats, angle: Floats) -> Floats:
    """Coordinates (n,3) in which steps along and around are as long as they are on the wall, relative to r."""
    return np.stack((log_r, cos(angle), sin(angle)), axis=1)


def _wrapped(known: Floats, places: Floats, chart: Floats) -> tuple[Floats, Bools]:
    """Places (n,3) on the middle surface by a linear fit to the known points nearest in the chart, and which are found.

    Known points that are near in the chart but not in space (a handle beside the wall behind it) are left out.
    """
    gap, row = neighbours(known, chart, SHELL_NEIGHBOURS)
    arm = known[row] - chart[:, None, :]
    place = places[row]
    apart = norm(place - place[:, :1])
    near = apart <= _ELSEWHERE * np.median(apart, axis=1)[:, None] + 1e-12
    # Weighted normal equations of place = a + B arm, with a little damping: arms lie on a cylinder's surface.
    one = np.concatenate((np.ones_like(gap)[..., None], arm), axis=2)
    weight = near / (np.square(gap) + np.square(gap[:, -1:]) * _SMOOTH)
    weighted = (weight[:, :, None] * one).transpose(0, 2, 1)
    left = multiply(weighted, one)
    left += _DAMPING * np.trace(left, axis1=1, axis2=2)[:, None, None] * np.diag((0.0, 1.0, 1.0, 1.0))
    points = solve(left, multiply(weighted, place))[:, 0]
    # Beyond the line where paths from both sides meet, a place belongs to other coordinates than those asked for.
    actual = known[neighbours(places, points, 1)[1][:, 0]]
    spacing = np.sqrt(2.0 * np.pi * np.ptp(known[:, 0]) / len(places))
    return points, np.asarray(norm(actual - chart) < SHELL_GAP * spacing)


def _shell_points(shape: Shape, hit: Floats, core: float, rng: np.random.Generator) -> Floats:
    """Points of the middle surface, the one nearest to the hit first, as dense around the hit as the web is."""
    pool, inward = on_skin(shape.body, 8 * SHELL_POINTS, rng)
    weight = 1.0 / (np.square(pool - hit).sum(axis=1) + core * core)
    keys = log(1.0 - rng.random(len(pool))) / weight  # Efraimidis and Spirakis 2006
    kept = np.sort(np.argsort(keys, kind="stable")[-SHELL_POINTS:])
    points, inward = pool[kept], inward[kept]
    wall = walls(shape, points, inward)
    # Rims seen from their edge know no middle surface.
    known = wall < max(RIM * shape.thickness, float(np.median(wall)) * 1.01)
    points = (points + 0.5 * wall[:, None] * inward)[known]
    first = np.square(points - hit).sum(axis=1).argmin()
    points[[0, first]] = points[[first, 0]]
    return np.asarray(points)
