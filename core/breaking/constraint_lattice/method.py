"""Rigid-constraint lattice: cracks from the forces in the uncut solid.

Reference: Smith, J., Witkin, A., Baraff, D. 2001, "Fast and Controllable Simulation of the Shattering of Brittle
Objects". The solid is a lattice of point masses joined by bars that keep their lengths; the forces in the bars are
solved as the impact grows, what cannot bear its force breaks and weakens what adjoins it.

Limitations: quasi-static, so no waves and no speed of cracks. Cracks follow the faces between the pieces.
"""

import numpy as np

from ...config.params import can_be
from ...config.registry import Method
from ...errors import InputError
from ...geometry.graph import components
from ...geometry.sums import summed
from ...types import Bools, Floats
from ...wording import count
from ..contract import ImpactContext, Rule, UnitImpulses, Verdict, VerdictSteps
from .crack import Outcome, Solver, crack_steps
from .dual import Dual
from .equilibrium import Equilibrium
from .forces import impulses_of
from .grains import Grains, Joints, grains_of, joints_of
from .params import BRACED, CELL, WELDED, ConstraintLatticeParams, crack_options
from .structure import Structure, momenta, truss_of, welded_of


def break_steps(struck: ImpactContext, params: ConstraintLatticeParams) -> VerdictSteps:
    """Which links break, what each unit is given, and what the report should say.

    Loads and limits of links are forces [N]: the limit is what a link bears at first, the load that limit times the
    worst ratio of force to strength that any part of it met. A link cracks when all of its area does, or that share of
    it which the vote asks for.

    Raises InputError for a schedule or curve that cannot be read, where all of an object is anchored, and for a
    strength, density or prestress that is no number.
    """
    _check(struck)
    grains = grains_of(struck, params.bodies == CELL)
    joints = joints_of(struck, grains)
    yield
    structure = structure_of(grains, joints, params)
    impulse, share = impulses_of(struck.impacts, structure, struck.material.spread, params.width)
    felt = any(impact.impulse > 0.0 for impact in struck.impacts)
    options = crack_options(params, joints, 0.0 if felt else max(impact.strength for impact in struck.impacts))
    if len(joints.pair) == 0 or not impulse.any() or structure.anchored.all():
        return _calm(struck, joints)
    peak = impulse / (options.dt * options.steps.sum())  # resolution 4.16
    solver = solver_of(structure)
    yield
    outcome = yield from crack_steps(structure, joints, solver, peak, options)
    load, limit, cracked = _of_links(struck, joints, outcome)
    unit_impulses = _unit_impulses(struck, grains, structure, outcome.motion * (share / outcome.factor))
    dust = struck.units.volume < params.dust * struck.units.volume.sum()
    return Verdict(load, limit, cracked, unit_impulses, dust, _notes(struck, cracked, outcome))


def structure_of(grains: Grains, joints: Joints, params: ConstraintLatticeParams) -> Structure:
    """What the params say that holds a fragment together."""
    by_area = params.stiffness == "area"
    if params.lattice == WELDED:
        return welded_of(grains, joints, by_area)
    return truss_of(grains, joints, params.lattice == BRACED, by_area)


def solver_of(structure: Structure) -> Solver:
    """The fastest solver that gives the minimum-norm forces of a structure."""
    return Dual(structure) if structure.loose else Equilibrium(structure)


def _check(struck: ImpactContext) -> None:
    strengths = struck.strengths
    finite = np.isfinite(strengths.density).all() and np.isfinite(strengths.prestress).all()
    if not finite or not (strengths.bond >= 0.0).all() or (strengths.density <= 0.0).any():
        raise InputError(
            "A strength, density or prestress of the fields is no number that matter can have; look at them."
        )
    if len(struck.members) == len(struck.units.volume) > 1 and struck.anchored.all():
        raise InputError("All of the object is anchored: leave some of it free, or nothing can break.")


def _limits(struck: ImpactContext, joints: Joints) -> Floats:
    """(L,) what each link bears at first [N]; infinite outside of the fragment."""
    between = joints.link >= 0
    limit = np.full(len(struck.units.links), np.inf)
    bears = np.bincount(joints.link[between], joints.strength[between], len(limit))
    own = np.unique(joints.link[between])
    limit[own] = bears[own]
    return limit


def _calm(struck: ImpactContext, joints: Joints) -> Verdict:
    """Nothing acts."""
    count = len(struck.units.links)
    return Verdict(np.zeros(count), _limits(struck, joints), np.zeros(count, np.bool_))


def _of_links(struck: ImpactContext, joints: Joints, outcome: Outcome) -> tuple[Floats, Floats, Bools]:
    """Load (L,), limit (L,) and whether it cracked (L,) of each link, from its joints."""
    limit = _limits(struck, joints)
    between = np.flatnonzero(joints.link >= 0)
    link = joints.link[between]
    ratio, whole = np.zeros(len(limit)), np.zeros(len(limit), np.bool_)
    np.maximum.at(ratio, link, outcome.ratio[between])
    whole[link] = True
    whole[link[~outcome.broken[between]]] = False
    # What healed by the vote met more than it bears, and holds all the same.
    ratio = np.where(whole, np.maximum(ratio, np.nextafter(1.0, 2.0)), np.minimum(ratio, 1.0))
    load = np.zeros(len(limit))
    np.multiply(ratio, limit, out=load, where=np.isfinite(limit))
    return load, limit, whole


def _unit_impulses(struck: ImpactContext, grains: Grains, structure: Structure, motion: Floats) -> UnitImpulses:
    """Momentum and spin of each unit from the motions (N,6) of its bodies."""
    p = momenta(structure, motion)
    turning = np.cross(structure.position - struck.units.centroid[grains.unit], p[:, :3]) + structure.scale * p[:, 3:]
    both = summed(np.concatenate([p[:, :3], turning], axis=1), grains.unit, len(struck.units.volume))
    return UnitImpulses(both[:, :3], both[:, 3:])


def _notes(struck: ImpactContext, cracked: Bools, outcome: Outcome) -> tuple[str, ...]:
    notes, units = [], struck.units
    whole = not components(len(units.volume), units.links, ~cracked, struck.members).any()
    if whole and cracked.any() and not outcome.capped:
        number = int(cracked.sum())
        parts = "that parts" if number == 1 else "that part"
        notes.append(f"The hit made {count(number, 'crack')} {parts} nothing: it is a little too weak.")
    if outcome.capped:
        more = can_be(ConstraintLatticeParams, "most_solutions", 2 * outcome.solutions)
        notes.append(
            f"Cracks were stopped after finding the forces {outcome.solutions} times: "
            f"{'raise Most Solutions' if more else 'lower Steps'}, or weaken the hit."
        )
    if outcome.inexact:
        notes.append("The forces could not be found to the tolerance: very thin pieces make that hard.")
    return tuple(notes)


METHOD: Method[Rule] = Method(
    id="constraint_lattice",
    label="By Forces",
    doc="Cracks from the forces inside the object: they run where it is strained or weak, and grow as in glass "
    "(constraint lattice, Smith 2001)",
    reference="Smith, Witkin, Baraff 2001",
    params=ConstraintLatticeParams,
    run=break_steps,
)
