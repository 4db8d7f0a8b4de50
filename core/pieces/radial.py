"""Radial pieces: straight rays from the hit through the whole sheet, and ring cracks as chords between them.

In a flat sheet the cracks are square to it and go right through. Any other body is cut along the blow: also right
through where that is one thin wall, as in a bent pane or a wall that was laid flat (see core/wrap.py). Else rays split
it all the way, but small shards are chips of a crater at the hit, as deep as the hit is wide, and stay together in a
few wedges below its floor.

Limitations: one centre. Of several hits the strongest (the first of equals) makes the pattern, the others only break
it. A vessel that is not laid flat gets straight planes through both of its walls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from ..arithmetic.elementary import cos, exp, log, sin
from ..arithmetic.products import apply, dot, multiply, norm
from ..config.params import param
from ..config.registry import Method
from ..types import Body, Floats, Impact, Ints, Partition
from .convention import AUTOMATIC_RADIUS, JITTER
from .layouts.shape import axes_around, measure, measure_skin
from .layouts.spider import RAY_BOUNDS, rays_at
from .layouts.web import core_radius
from .prism_complex import Frame, prism_complex
from .radial_plan import PlanWeb, RadialPlan, draw, rings_for, spacing_of

if TYPE_CHECKING:
    from . import Build

#: Names this module's streams of random numbers beside the seed.
STREAM = 205
#: The crushed centre, see `core_radius`, is at most this share of the way to the farthest point. By eye: a fifth, so
#: that there are rings at all.
CORE_OF_SHEET = 0.2
#: Floors of a crater, one below the other, down to the radius of the hit. By eye.
_STEPS = 2
#: A thin body with fewer walls than this, one behind the other along the axis, has no crater. Half-way between a pane
#: and a vessel, which has two.
ONE_WALL = 1.5
#: The prisms reach beyond the body by this many diagonals. Chosen: any length will do with which the ends are clear of
#: the body.
PAD = 0.25
#: Bounds of the scale of the shards' lengths: within FAIR the pattern keeps its look. By
#: eye; WIDE bounds a search that finds nothing.
_FAIR, _WIDE = (0.85, 1.5), (0.05, 8.0)
#: The number of shards grows with about this power of the number of rays times rings. By eye: if it is off it takes
#: more trials, and the result is the same.
_POWER = 1.2
#: A count is met when it is missed by less than this share. Chosen between exact numbers and time: each trial draws a
#: plan anew.
_CLOSE, _ATTEMPTS = 0.08, 12


@dataclass(frozen=True, slots=True)
class RadialParams:
    """How many rays and rings, and how regular they are."""

    # Defaults are by eye.
    count: int = param(
        100,
        "Pieces",
        "About how many pieces there are when everything breaks, as long as Rays or Rings is 0",
        limits=(2, 10000),
        soft=(10, 1000),
    )
    rays: int = param(
        0,
        "Rays",
        "Number of straight cracks from the hit, three at least; Auto takes it from the speed of the hit and the "
        "number of pieces",
        zero="Auto",
        instead=12,
        limits=(0, 90),
        soft=(0, 40),
    )
    rings: int = param(
        0,
        "Rings",
        "About how many cracks around the hit there are on the way to the farthest corner; Auto takes it from the "
        "number of pieces",
        zero="Auto",
        instead=5,
        limits=(0, 200),
        soft=(0, 20),
    )
    jitter: float = param(
        0.8,
        "Jitter",
        "Irregularity: 0 gives an even spider's web with closed rings, 1 uneven rays and rings broken from ray to ray",
        unit="1",
        limits=(0.0, 1.0),
    )
    branching: float = param(
        0.7,
        "Branching",
        "How readily wide pieces between two rays are split by a new ray",
        unit="1",
        limits=(0.0, 1.0),
    )

    @property
    def placed_by_impact(self) -> bool:
        """The pattern depends on the hits."""
        return True


class _Sheet(NamedTuple):
    """The body seen along the axis of the cracks; lengths in diagonals."""

    diagonal: float  #: [m]
    origin: Floats  #: (3,) [m] where the axis through the hit meets the middle of the body
    axes: Floats  #: (3,3) rows: two directions across the axis, and the axis
    normal: Floats  #: (H,2) unit, outwards, of the sides of the convex hull of the outline
    reach: Floats  #: (H,) distance of these sides from the hit
    farthest: float  #: distance of the hull's farthest corner
    core: float  #: radius of the crushed centre
    layers: float  #: mean number of walls one behind the other, at least 1
    crater: float  #: radius of the crater; 0 in a sheet
    heights: Floats  #: (S+1,) bounds of the slabs from the bottom, from the middle of the body along the axis
    site_height: Floats  #: (S,)


def build(body: Body, impacts: Sequence[Impact], params: RadialParams, seed: int, attempt: int) -> Partition:
    """Radial partition of a closed body around its strongest hit; see `RadialParams`.

    A hit beside the body's outline acts at the nearest point of the outline's convex hull; without a hit the pattern is
    laid around the middle of the body. The pattern follows `seed` alone; `attempt` only turns and shifts it by 1e-6.
    The same body at any size gives the same pattern.
    """
    sheet, speed = _seen(body, impacts)
    plan = _fitting(sheet, params, rays_at(speed), seed)
    turn, *shift = JITTER * np.random.default_rng([seed, STREAM, 1, attempt]).uniform(-1.0, 1.0, 4)
    turned = multiply(np.array(((cos(turn), sin(turn)), (-sin(turn), cos(turn)))), sheet.axes[:2])
    flat, slabs = _sites(sheet, plan), len(sheet.site_height)
    site = np.column_stack((np.tile(flat, (slabs, 1)), np.repeat(sheet.site_height, len(flat))))
    return prism_complex(
        plan.points * sheet.diagonal,
        plan.polygons,
        sheet.heights * sheet.diagonal,
        Frame(sheet.origin + sheet.diagonal * np.array(shift), np.vstack((turned, sheet.axes[2]))),
        runs=plan.runs,
        group=_groups(sheet, plan).ravel(),
        site=site * sheet.diagonal,
    )


def _seen(body: Body, impacts: Sequence[Impact]) -> tuple[_Sheet, float]:
    """The body along the axis of the pattern, and the speed of the hit that makes it [m/s], 0 if unknown."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    middle, diagonal = 0.5 * (low + high), float(norm(high - low))
    shape = measure(Body((body.vertices - middle) / diagonal, body.triangles, body.source))
    hit = max(impacts, key=lambda impact: impact.strength, default=None)
    point = shape.centre if hit is None else (hit.point - middle) / diagonal
    axes = shape.axes
    if shape.kind != "plate":
        blow = np.array((0.0, 0.0, -1.0)) if hit is None else hit.direction / norm(hit.direction)
        axes = axes_around(blow)
        axes = axes if dot(axes[2], blow) < 0.0 else axes * np.array((1.0, -1.0, -1.0))[:, None]
    seen = apply(axes, shape.body.vertices)
    outline = ConvexHull(seen[:, :2])
    corners = seen[outline.vertices, :2]  # counter-clockwise
    *across, depth = apply(axes, point)
    centre = _onto(corners, outline.equations, np.array(across))
    farthest = float(norm(corners - centre).max())
    radius = hit.radius / diagonal if hit is not None and hit.radius > 0.0 else AUTOMATIC_RADIUS
    bottom, top = seen[:, 2].min(), seen[:, 2].max()
    area, normal = measure_skin(shape.body)
    layers = max(1.0, float((area * np.abs(dot(normal, axes[2]))).sum() / (2.0 * outline.volume)))
    crater = 0.0 if shape.kind == "plate" or (shape.thin and layers < ONE_WALL) else radius
    surface = top if hit is None else float(np.clip(depth, bottom, top))
    heights, site_height = _slabs(bottom, top, surface, crater)
    sheet = _Sheet(
        diagonal=diagonal,
        origin=middle + diagonal * apply(axes.T, np.array((*centre, 0.5 * (bottom + top)))),
        axes=axes,
        normal=outline.equations[:, :2],
        reach=np.maximum(-outline.equations[:, 2] - dot(outline.equations[:, :2], centre), 0.0),
        farthest=farthest,
        core=min(core_radius(shape, radius), CORE_OF_SHEET * farthest),
        layers=layers,
        crater=crater,
        heights=heights,
        site_height=site_height,
    )
    return sheet, 0.0 if hit is None else hit.speed


def _slabs(bottom: float, top: float, surface: float, crater: float) -> tuple[Floats, Floats]:
    """Bounds (S+1,) of the slabs and heights (S,) of the sites, from the middle between bottom and top.

    The crater's floors lie below the surface that was hit, those that lie in the body.
    """
    middle = 0.5 * (bottom + top)
    floors = surface - crater * np.arange(_STEPS, 0, -1) / _STEPS
    floors = floors[floors > bottom + 0.5 * crater / _STEPS] if crater > 0.0 else np.zeros(0)
    ends = np.concatenate(([bottom], floors, [top if len(floors) == 0 else surface]))
    heights = np.concatenate(([bottom - PAD], floors, [top + PAD]))
    return heights - middle, 0.5 * (ends[1:] + ends[:-1]) - middle


def _groups(sheet: _Sheet, plan: RadialPlan) -> Ints:
    """Group (S,A) of each prism: its shard, or below the crater's floor its wedge.

    The crater is deepest in its middle, where shards are chips down to the lowest floor.
    """
    slabs = len(sheet.heights) - 1
    corner, owner = _corners(plan)
    radius = np.bincount(plan.shard[owner], plan.radius[corner]) / np.bincount(plan.shard[owner])
    chips = (radius[plan.shard][:, None] < sheet.crater * np.arange(slabs - 1, 0, -1) / max(slabs - 1, 1)).sum(axis=1)
    below_top = np.arange(slabs - 1, -1, -1)[:, None]
    return np.where((chips == 0) | (below_top < chips), plan.shard, plan.shard.max() + 1 + plan.wedge)


def _onto(corners: Floats, sides: Floats, point: Floats) -> Floats:
    """The point (2,), or the nearest one of a convex polygon where it lies outside; sides (H,3) as of ConvexHull."""
    if np.all(dot(sides[:, :2], point) + sides[:, 2] <= 0.0):
        return point
    along = np.roll(corners, -1, axis=0) - corners
    share = ((point - corners) * along).sum(axis=1) / np.square(along).sum(axis=1)
    foot = corners + np.clip(share, 0.0, 1.0)[:, None] * along
    return np.asarray(foot[np.square(foot - point).sum(axis=1).argmin()])


def _fitting(sheet: _Sheet, params: RadialParams, rays_at_speed: int, seed: int) -> RadialPlan:
    """The plan with as many rays and rings as asked for; those left open are fitted to the count."""
    fineness, low, high, missed, best = 0.0, -np.inf, np.inf, np.inf, None
    for _ in range(_ATTEMPTS):
        plan = draw(_web(sheet, params, rays_at_speed, fineness), np.random.default_rng([seed, STREAM]))
        wanted = float(log(params.count / _shown(sheet, plan)))
        if abs(wanted) < missed:
            missed, best = abs(wanted), plan
        if missed < _CLOSE or (params.rays and params.rings):
            break
        low, high = (fineness, high) if wanted > 0.0 else (low, fineness)
        fineness += wanted / _POWER
        if not low < fineness < high:
            fineness = 0.5 * (low + high)
    assert best is not None
    return best


def _web(sheet: _Sheet, params: RadialParams, rays_at_speed: int, fineness: float) -> PlanWeb:
    """The web whose number of rays times rings is exp(fineness) times that of the hit's speed and usual lengths.

    Where both are open, shards become shorter or longer first, then the rays more or fewer, then the shards again.
    """
    finer = float(exp(fineness))
    scale = float(np.clip(1.0 / finer, *_FAIR))
    free = round(rays_at_speed * finer * (1.0 if params.rings else scale))
    rays = int(np.clip(params.rays or free, *RAY_BOUNDS))
    scale = float(np.clip(rays / ((rays if params.rays else rays_at_speed) * finer), *_WIDE))
    rings = rings_for(scale, sheet.core, sheet.farthest)
    if params.rings:
        rings = params.rings + 0.5  # no ring just at the farthest corner
        scale = spacing_of(rings, sheet.core, sheet.farthest)
    return PlanWeb(rays, rings, sheet.core, sheet.farthest, scale, params.jitter, params.branching)


def _reaches(sheet: _Sheet, angle: Floats) -> Floats:
    """How far rays (R,) run inside the outline's hull."""
    facing = apply(sheet.normal, np.stack((cos(angle), sin(angle)), axis=1)).T
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.where(facing > 0.0, sheet.reach[:, None] / facing, np.inf)
    return np.asarray(distance.min(axis=0))


def _shown(sheet: _Sheet, plan: RadialPlan) -> int:
    """About how many pieces there will be: shards that start inside of the hull on one of their rays, in all walls."""
    corner, owner = _corners(plan)
    reach = np.append(_reaches(sheet, plan.angle), 0.0)  # the centre counts for no wedge
    on = np.unique(owner[plan.radius[corner] < reach[plan.ray[corner]]])
    group = _groups(sheet, plan)
    through = group[-1, on] == group[0, on]
    number = sheet.layers * len(np.unique(group[-1, on[through]])) + len(np.unique(group[:, on[~through]]))
    return max(1, round(number))


def _corners(plan: RadialPlan) -> tuple[Ints, Ints]:
    """Points and polygons (N,) of all corners."""
    owner = np.repeat(np.arange(len(plan.polygons)), [len(polygon) for polygon in plan.polygons])
    return np.concatenate([np.array(polygon) for polygon in plan.polygons]), owner


def _sites(sheet: _Sheet, plan: RadialPlan) -> Floats:
    """A point (A,2) of each polygon, on the sheet where the polygon reaches it: the mean of corners drawn in to it.

    Corners beyond the sheet move along their ray to the outline, but not out of the polygon.
    """
    corner, owner = _corners(plan)
    ray, radius = plan.ray[corner], plan.radius[corner]
    side, inverse = np.unique(owner * (len(plan.angle) + 1) + ray, return_inverse=True)
    nearest = np.full(len(side), np.inf)
    np.minimum.at(nearest, inverse, radius)
    drawn = np.maximum(np.minimum(radius, np.append(_reaches(sheet, plan.angle), np.inf)[ray]), nearest[inverse])
    turn = np.append(plan.angle, 0.0)[ray]
    place = drawn[:, None] * np.stack((cos(turn), sin(turn)), axis=1)
    total = np.stack([np.bincount(owner, place[:, k]) for k in range(2)], axis=1)
    return np.asarray(total / np.bincount(owner)[:, None])


METHOD: "Method[Build]" = Method(
    id="radial",
    label="Radial",
    doc="Straight cracks from the hit to the edge, with rings between them: the picture book of broken window glass",
    reference="Patterns of annealed glass; numbers from our own look study",
    params=RadialParams,
    run=build,
)
