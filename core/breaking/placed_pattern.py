"""Placed pattern: the pattern says where cracks run; a hit opens all of them that it reaches.

Reference: Su, Schroeder, Fedkiw 2009, section 4, where a body that is hit hard enough falls into the regions of its
pattern at once. The reach is ours: it leaves what lies far away in one piece, to be broken by a later hit.

Limitations: no stress and no direction. Cracks end at a sphere around the hit.
"""

from dataclasses import dataclass

import numpy as np

from ..arithmetic.products import norm
from ..config.params import param
from ..config.registry import Method
from ..errors import InputError
from .contract import ImpactContext, Rule, Verdict, by_limit, struck_links

#: Reach of a hit that goes everywhere, in radii: far beyond every body, yet a finite load. Chosen.
EVERYWHERE = 1e6
#: Closer to the hit than this share of its radius the load grows no more. Chosen.
NEAREST = 1e-3


@dataclass(frozen=True, slots=True)
class PlacedPatternParams:
    """How far a hit opens the cracks of its pattern."""

    # The default is by eye.
    reach: float = param(
        6.0,
        "Reach",
        "How far a hit of force 1 opens the cracks of the pattern, in radii of the hit; stronger hits reach "
        "farther, and weak joints open farther away. All opens all of them",
        unit="1",
        zero="All",
        instead=6.0,
        limits=(0.0, 10000.0),
        soft=(0.0, 20.0),
    )


def placed_pattern_loads(struck: ImpactContext, params: PlacedPatternParams) -> Verdict:
    """How strong joints may be that the blow still opens where they lie, and how strong they are.

    The load F R/d falls with the distance d of a joint's middle from the hit, so that joints of strength 1 open within
    R = reach x radius at F = 1, and twice as far at F = 2; of several impacts at once the largest load counts.
    Returns loads (L,), 0 on links with an end outside of the fragment. F = 0 gives no load anywhere.
    Raises InputError if the radius of an impact is not positive.
    """
    units, load = struck.units, np.zeros(len(struck.units.links))
    for impact in struck.impacts:
        if not impact.radius > 0.0:
            raise InputError(f"The hit has a radius of {impact.radius} m; give it a radius above 0.")
        if params.reach > 0.0:
            d = norm(units.centroid_link - impact.point)
            share = params.reach * impact.radius / np.maximum(d, NEAREST * impact.radius)
        else:
            share = np.full(len(units.links), EVERYWHERE)
        np.maximum(load, impact.strength * share, out=load)
    return by_limit(np.where(struck_links(struck), load, 0.0), np.array(struck.strengths.link, np.float64))


METHOD: Method[Rule] = Method(
    id="placed_pattern",
    label="Along the Pattern",
    doc="Every crack of the pattern opens that the hit reaches: the pieces decide what comes off (Su 2009)",
    reference="Su, Schroeder, Fedkiw 2009, section 4; reach ours",
    params=PlacedPatternParams,
    run=placed_pattern_loads,
)
