"""The scheme of Su, Schroeder, Fedkiw 2009 as printed: collisions, then contacts, each impulse clamped by itself.

Its checklist, A1 to A11: docs/papers/su2009.md.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..config.params import param
from ..config.registry import Method
from ..jit import sealed_ints
from ..record_arrays import Records
from ..types import Ints
from .advance import advance_in_steps
from .contract import Advance, FrameSteps
from .frame import SubstepRun
from .solver.free_rotation import SECOND_ORDER
from .solver.sequential_impulses import exchange_impulses
from .solver_state import integrate_positions, integrate_velocities, update_transforms
from .state import RigidBodies, RigidState, World

COLLISIONS, CONTACTS = 5, 10  # rounds of impulses (Guendelman, Bridson, Fedkiw 2003, sections 5 and 6)


@dataclass(frozen=True, slots=True)
class SuParams:
    """How often Su's step is made."""

    # The default is measured: docs/decisions.md, Motion.
    substeps: int = param(
        4,
        "Substeps",
        "Steps in one frame; the paper makes one, with which tall stacks sink",
        limits=(1, 64),
        soft=(1, 16),
    )


def run_su_substep(frame: SubstepRun, awake: Ints, active: Ints) -> Generator[None, None, None]:
    """One step of section 4: x^n, v^n to x^{n+1}, v^{n+1}.

    Contacts are found where the bodies would overlap at the predicted positions; no overlap is pushed apart.
    """
    solver, h = frame.solver, frame.h
    bodies = solver.bodies
    all_moving = sealed_ints(np.concatenate([awake, frame.kinematic]))

    def push(bouncy: bool, clamped: bool, rounds: int) -> None:
        ahead = predict_positions(bodies, all_moving, h)
        found = frame.detect(ahead, 0.0)
        exchange_impulses(frame.contacts, found, bodies, ahead, bouncy, solver.weight, clamped, rounds)

    push(True, True, COLLISIONS)  # impulses from (x^{n+1}, v^n), energies from (x^n, v^n): A8
    yield
    integrate_velocities(bodies, awake, frame.gravity, 0.5 * h)
    velocity, angular_momentum = bodies.velocity[awake], bodies.angular_momentum[awake]
    push(
        False, False, CONTACTS
    )  # first contact, for the positions only; clamped, it would make resting bodies jitter: A9
    yield
    integrate_positions(bodies, all_moving, h, SECOND_ORDER, True)
    bodies.velocity[awake], bodies.angular_momentum[awake] = velocity, angular_momentum
    update_transforms(bodies, awake)
    integrate_velocities(bodies, awake, frame.gravity, 0.5 * h)
    push(False, True, CONTACTS)  # second contact: impulses from (x^{n+2}, v^{n+1}), energies from (x^{n+1}, v^{n+1})


def predict_positions(bodies: Records, which: Ints, h: float) -> Records:
    """A copy of the bodies, `which` of them moved by h [s] with their present velocities."""
    ahead = bodies.copy()
    integrate_positions(ahead, which, h, SECOND_ORDER, True)
    return ahead


def run(bodies: RigidBodies, state: RigidState, world: World, dt: float, params: SuParams) -> FrameSteps:
    """Advance by one stored frame; the energy budget and sleep at its end are those of the default motion."""
    return advance_in_steps(bodies, state, world, dt, run_su_substep, params.substeps)


METHOD: Method[Advance] = Method(
    id="su",
    label="Impulse by Impulse",
    doc="The scheme of Su 2009, to compare: one impulse after another, none may add energy. Piles sink a little",
    reference="Su, Schroeder, Fedkiw 2009",
    params=SuParams,
    run=run,
)
