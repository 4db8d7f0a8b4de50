"""Radial: glass. Straight rays from the hit, ring cracks broken from ray to ray, small shards at the centre."""

import numpy as np

from ..radial_plan import PlanWeb, RadialPlan, draw, rings_for
from .fit import fit_fineness
from .flat import flat_pattern, groups_shown
from .pattern import Pattern

#: Names this module's stream of random numbers beside the seed.
STREAM = 214
#: Radius of the crushed centre, and that to which rings are drawn. By eye.
_CORE, _FARTHEST = 0.025, 1.0
#: Irregularity of rays and rings, and how readily wide shards split. By eye, as radial pieces have it by default.
_JITTER, BRANCHING = 0.8, 0.8
#: The number of rays is this many times the root of the number of pieces, within these bounds. By eye: rays and rings
#: then grow alike.
_RAYS, _RAY_BOUNDS = 1.5, (5, 90)


def radial(count: int, seed: int) -> Pattern:
    """Rays and rings through the whole of space along the axis; about `count` pieces of a typical body."""
    rays = int(np.clip(round(_RAYS * np.sqrt(count)), *_RAY_BOUNDS))

    def web(fineness: float) -> tuple[RadialPlan, int]:
        spacing = 1.0 / fineness
        rings = rings_for(spacing, _CORE, _FARTHEST)
        plan = draw(
            PlanWeb(rays, rings, _CORE, _FARTHEST, spacing, _JITTER, BRANCHING), np.random.default_rng([seed, STREAM])
        )
        return plan, groups_shown(plan.points, plan.polygons, plan.shard)

    plan = fit_fineness(web, count, 1.0, 1.2)
    return flat_pattern(plan.points, plan.polygons, plan.runs, np.array([run[-1] for run in plan.runs]), plan.shard)
