"""Impact factors: a link cracks where the blow arrives with very different force at its two ends.

Reference: Barr, M. 2016, "An Efficient Algorithm for Brittle Fracture Simulation", sections 5.1-5.5.

Limitations: cracks follow circles around the hit, because X depends on the distance alone; rays come from the
layout of the pieces, raggedness from `jitter`. For L > 1 the gradient of X vanishes at the hit, so a plug of about
half of the impact radius survives there. No stress, no crack growth, no time.
"""

from dataclasses import dataclass

import numpy as np

from ..arithmetic.elementary import cbrt, power
from ..arithmetic.products import norm, sum_outer
from ..arithmetic.small_matrices import eigen_symmetric
from ..config.params import Choice, param
from ..config.registry import Method
from ..errors import InputError
from ..jit import njit
from ..types import Bools, Floats, Ints, Units
from .contract import ImpactContext, Rule, Verdict, by_limit, struck_units

#: Names this module's stream of random numbers beside the seed.
STREAM = 101

#: Number of pieces at which `scale_with_resolution` leaves the durability as it is. The largest in figure 2
#: of the paper; docs/papers/barr2016.md, 4.6.
REFERENCE_COUNT = 1000

CENTRES = (
    Choice(1, "site", "Site", "The point around which the piece was laid out, as in the paper"),
    Choice(2, "centroid", "Centroid", "The centre of volume of the piece"),
)


@dataclass(frozen=True, slots=True)
class ImpactFactorParams:
    """What Barr calls a material: durability and locality, and our options beside them."""

    # Defaults: durability and locality are those of Standard Glass (presets/brittle/standard_glass.toml).
    durability: float = param(
        0.01,
        "Durability",
        "How much the force of the hit may differ between two neighbouring pieces before they part. "
        "Only the force of the hit divided by durability matters",
        unit="1",
        limits=(0.0, None),
        soft=(0.001, 1.0),
    )
    locality: float = param(
        2.0,
        "Locality",
        "How sharply the force falls with distance: high values crumble the place that was hit, "
        "low ones carry cracks through the whole object",
        unit="1",
        limits=(0.0, 20.0),
        soft=(0.1, 6.0),
    )
    jitter: float = param(
        0.0,
        "Jitter",
        "Random variation of the force that each piece feels; breaks up cracks that would run in circles",
        unit="1",
        limits=(0.0, 1.0),
    )
    scale_with_resolution: bool = param(
        False,
        "Scale with Count",
        "Adapt the durability to the number of pieces, so that a finer layout breaks as far as a coarse one",
    )
    centre: str = param(
        "site", "Centre", "The point of a piece from which its distance to the hit is measured", choices=CENTRES
    )


def impact_factor(d: Floats, F: float, L: float, d_ref: float) -> Floats:
    """Impact factor X (same shape as d) at distances d [m] from a hit of force F, with reference length d_ref [m]."""
    with np.errstate(over="ignore"):  # far beyond d_ref the power may be infinite; X is then 0, as it should be
        return np.asarray(F / (power(d / d_ref, L) + 1.0))  # X_i = F/(d_i^L + 1), section 5.4; d_ref = 1 in the paper


def impact_factor_loads(struck: ImpactContext, params: ImpactFactorParams) -> Verdict:
    """Differences of the impact factor over the links of one fragment, and the durability that each link has.

    The radius of an impact [m] is the reference length d_ref (1 reproduces the paper), its strength is F; of several
    impacts at once the largest difference counts. The strength of a link scales its durability.
    Returns loads |X_i - X_j| (L,), 0 on links with an end outside of the fragment, and limits U * strength (L,).
    F = 0 gives no load anywhere, hence no crack. The random numbers belong to the units, not to the hit: the same
    unit feels the same jitter in every later hit.
    Raises InputError if the radius of an impact is not positive.
    """
    units, members, strength = struck.units, struck.members, struck.strengths.link
    centre = (units.site if params.centre == "site" else units.centroid)[members]
    jitter = np.random.default_rng([struck.seed, STREAM]).uniform(-1.0, 1.0, len(units.volume))
    inside = struck_units(struck)
    load = np.zeros(len(units.links))
    for impact in struck.impacts:
        if not impact.radius > 0.0:
            raise InputError(f"The hit has a radius of {impact.radius} m; give it a radius above 0.")
        X = np.zeros(len(units.volume))
        d = norm(centre - impact.point)  # section 5.3
        X[members] = impact_factor(d, impact.strength, params.locality, impact.radius)
        X *= 1.0 + params.jitter * jitter
        np.maximum(load, _differences(units.links, X, inside), out=load)
    U = params.durability * (_resolution(units) if params.scale_with_resolution else 1.0)
    limit = np.full(len(strength), np.inf)
    np.multiply(strength, U, out=limit, where=~np.isinf(strength))
    return by_limit(load, limit)


@njit
def _differences(links: Ints, X: Floats, struck: Bools) -> Floats:
    load = np.zeros(len(links))
    for k in range(len(links)):
        i, j = links[k, 0], links[k, 1]
        if struck[i] and struck[j]:
            load[k] = abs(X[i] - X[j])  # section 5.5
    return load


def _resolution(units: Units) -> float:
    """Spacing of the pieces over the spacing that REFERENCE_COUNT pieces would have in the same body.

    The difference of X between neighbours grows with their spacing h, so the durability that cracks equally far
    is U h/h_ref. Thin bodies hold one layer of pieces, rods one row.
    """
    return _spacing(units, len(units.volume)) / _spacing(units, REFERENCE_COUNT)


def _spacing(units: Units, count: int) -> float:
    total = units.volume.sum()
    arm = units.centroid - np.average(units.centroid, axis=0, weights=units.volume)
    moment = sum_outer(units.volume / total, arm, arm)
    # A box of edge e has the second moment e^2/12 per volume.
    _, middle, longest = np.sqrt(12.0 * np.maximum(eigen_symmetric(moment)[0], 0.0))
    return float(max(cbrt(total / count), np.sqrt(longest * middle / count), longest / count))


METHOD: Method[Rule] = Method(
    id="impact_factor",
    label="Around the Hit",
    doc="Pieces part where the force of the hit differs much between neighbours: fast (impact factors, Barr 2016)",
    reference="Barr 2016",
    params=ImpactFactorParams,
    run=impact_factor_loads,
)
