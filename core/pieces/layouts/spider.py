"""Spider: rays from the hit and ring cracks between them, as in window glass and glazed ceramics.

Reference: our look study; the number of rays grows as the root of the speed, as measured by Vandenberghe, Vermorel
and Villermaux 2013, Phys. Rev. Lett. 110, 174302 (the factor is by eye).
"""

from collections.abc import Sequence

import numpy as np

from ...arithmetic.elementary import exp, log
from ...arithmetic.products import norm
from ...geometry.inside import inside
from ...geometry.nearest import nearest
from ...types import Bools, Floats, Impact, Ints
from .neighbours import neighbours
from .shape import Shape
from .web import HitWeb, weave

#: Rays at REFERENCE_SPEED [m/s], and the bounds of their number where the speed decides. The root is measured
#: (Vandenberghe et al., above); 11 rays at 10 m/s, 5 and 30 are by eye, of the look study, which tried 6, 11 and 20.
RAYS_AT_REFERENCE, REFERENCE_SPEED = 11.0, 10.0
#: Bounds of the number of rays where the speed decides.
RAYS_LEAST, RAYS_MOST = 5, 30
#: Scale of the shards' lengths: within FAIR the pattern keeps its look, so the number of rays changes instead, if it
#: may; within WIDE if it may not. Chosen by eye; WIDE bounds a search that finds nothing.
_FAIR, _WIDE = (0.6, 1.7), (0.1, 8.0)
#: An outer site matters up to so many distances to its nth neighbour from the body. Chosen by eye: with less a piece
#: could lack a neighbour, with more there are sites that cut nothing.
CELL_REACH, CELL_NEIGHBOURS = 2.0, 5
#: A count is met when it is missed by less than this share. Chosen between exact numbers and time: each trial lays all
#: sites anew.
_CLOSE = 0.12
#: Two rays divide no sheet into convex parts; with 90 they are 4 degrees apart, chosen by eye.
RAY_BOUNDS = (3, 90)
#: Trials to meet the count; 5 before rays and rings were fitted at once.
_ATTEMPTS = 8
#: The number of shards grows with about these powers of the number of rays and of the inverse length of shards. Chosen
#: by eye: if they are off it takes more trials, and the result is the same.
RAY_POWER, RING_POWER = 1.5, 1.2


def rays_at(speed: float) -> int:
    """Number of rays of a hit at `speed` [m/s]: 11 sqrt(V / 10 m/s), between 5 and 30; 0 is an unknown speed."""
    speed = speed if speed > 0.0 else REFERENCE_SPEED
    return int(np.clip(round(RAYS_AT_REFERENCE * np.sqrt(speed / REFERENCE_SPEED)), RAYS_LEAST, RAYS_MOST))


def spider(
    shape: Shape,
    hits: Sequence[Impact],
    count: int,
    rays: int,
    branching: float,
    ring_spacing: float,
    rng: np.random.Generator,
) -> tuple[Floats, Ints]:
    """Sites (R,3) and the shard (R,) of each, for about `count` shards over all `hits`.

    `rays` is their number per hit, 0 takes it from the speed and then adapts it where `count` asks for it;
    `branching` 0..1 is how readily wide sectors split; `ring_spacing` scales the length of shards where the number
    of rays can make up for it. Each place belongs to the web of the nearest hit.
    """
    root = int(rng.integers(2**63))
    webs = [weave(shape, hit.point, hit.radius, (root, i)) for i, hit in enumerate(hits)]
    low, high = _WIDE if rays else (_FAIR[0] * ring_spacing, _FAIR[1] * ring_spacing)
    scale, factor, missed = ring_spacing, 1.0, np.inf
    sites, group = np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
    for _ in range(_ATTEMPTS):
        numbers = [rays or int(np.clip(round(factor * rays_at(hit.speed)), *RAY_BOUNDS)) for hit in hits]
        drawn = _drawn(webs, numbers, scale, branching)
        wanted = float(log(count / _shown(shape, *drawn)))
        if abs(wanted) < missed:
            missed, (sites, group) = abs(wanted), drawn
        if missed < _CLOSE:
            break
        bound_low = low if max(numbers) < RAY_BOUNDS[1] else _WIDE[0]
        bound_high = high if min(numbers) > RAY_BOUNDS[0] else _WIDE[1]
        longer = float(np.clip(scale * exp(-wanted / RING_POWER), bound_low, bound_high))
        factor *= float(exp((wanted + RING_POWER * log(longer / scale)) / RAY_POWER))
        scale = longer
    used = _reached(shape, sites)
    return sites[used], np.unique(group[used], return_inverse=True)[1].astype(np.int64)


def _shown(shape: Shape, sites: Floats, group: Ints) -> int:
    """Number of shards that have a site in the body."""
    return max(1, len(np.unique(group if shape.kind == "shell" else group[inside(shape.body, sites)])))


def _drawn(webs: Sequence[HitWeb], rays: Sequence[int], scale: float, branching: float) -> tuple[Floats, Ints]:
    """Sites (R,3) of all webs, each where its hit is the nearest, and their shards (R,)."""
    hits = np.stack([web.hit for web in webs])
    sites: list[Floats] = []
    groups: list[Ints] = []
    first = 0
    for i, (web, number) in enumerate(zip(webs, rays, strict=True)):
        points, shard = web.draw(number, scale, branching)
        own = norm(points[:, None, :] - hits).argmin(axis=1) == i
        sites += [web.hit[None], points[own]]  # the hit itself is the site of the crushed core
        groups += [np.array([first]), first + 1 + shard[own]]
        first += 2 + int(shard.max(initial=0))
    return np.concatenate(sites), np.concatenate(groups)


def _reached(shape: Shape, sites: Floats) -> Bools:
    """Which sites (R,) have cells that may reach the body: those inside, and those outside at less than a cell."""
    if shape.kind == "shell":
        return np.ones(len(sites), dtype=np.bool_)
    used = inside(shape.body, sites)
    outside = np.flatnonzero(~used)
    gap = nearest(shape.body.vertices, shape.body.triangles, sites[outside])[2]
    cell = neighbours(sites, sites[outside], CELL_NEIGHBOURS)[0][:, -1]
    used[outside] = gap < CELL_REACH * cell
    return np.asarray(used)
