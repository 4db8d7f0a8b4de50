"""Radial: glass. Straight rays from the hit, ring cracks broken from ray to ray, small shards at the centre."""

import numpy as np

from ..radial_plan import Plan, Web, draw, rings_for
from .fit import fitted
from .flat import flat_pattern, groups_shown
from .pattern import Pattern

#: Names this module's stream of random numbers beside the seed.
STREAM = 214
#: Radius of the crushed centre, and that to which rings are drawn.
CORE, FARTHEST = 0.025, 1.0
#: Irregularity of rays and rings, and how readily wide shards split.
JITTER, BRANCHING = 0.8, 0.8
#: The number of rays is this many times the root of the number of pieces, within these bounds.
RAYS, RAY_BOUNDS = 1.5, (5, 90)


def radial(count: int, seed: int) -> Pattern:
    """Rays and rings through the whole of space along the axis; about `count` pieces of a typical body."""
    rays = int(np.clip(round(RAYS * np.sqrt(count)), *RAY_BOUNDS))

    def web(fineness: float) -> tuple[Plan, int]:
        spacing = 1.0 / fineness
        rings = rings_for(spacing, CORE, FARTHEST)
        plan = draw(Web(rays, rings, CORE, FARTHEST, spacing, JITTER, BRANCHING), np.random.default_rng([seed, STREAM]))
        return plan, groups_shown(plan.points, plan.polygons, plan.shard)

    plan = fitted(web, count, 1.0, 1.2)
    return flat_pattern(plan.points, plan.polygons, plan.runs, np.array([run[-1] for run in plan.runs]), plan.shard)
