"""The scheme of Su, Schroeder, Fedkiw 2009 as printed: collisions, then contacts, each impulse clamped by itself."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..jit import sealed_ints
from ..params import param
from ..registry import Method
from ..types import Ints
from .advance import steps
from .contract import Advance, Steps
from .frame import Frame
from .moving import drift, kick, refresh
from .records import Records
from .rotation import SECOND_ORDER
from .sequential import exchange
from .state import RigidBodies, RigidState, World

COLLISIONS, CONTACTS = 5, 10  # rounds of impulses (Guendelman, Bridson, Fedkiw 2003, sections 5 and 6)


@dataclass(frozen=True, slots=True)
class SuParams:
    """How often Su's step is made."""

    substeps: int = param(
        4,
        "Substeps",
        "Steps in one frame; the paper makes one, with which tall stacks sink",
        limits=(1, 64),
        soft=(1, 16),
    )


def su_step(frame: Frame, awake: Ints, active: Ints) -> Generator[None, None, None]:
    """One step of section 4: x^n, v^n to x^{n+1}, v^{n+1}.

    Contacts are found where the bodies would overlap at the predicted positions; no overlap is pushed apart.
    """
    moving, h = frame.moving, frame.h
    bodies = moving.bodies
    all_moving = sealed_ints(np.concatenate([awake, frame.led]))

    def push(bouncy: bool, clamped: bool, rounds: int) -> None:
        ahead = predicted(bodies, all_moving, h)
        found = frame.detect(ahead, 0.0)
        exchange(frame.contacts, found, bodies, ahead, bouncy, moving.weight, clamped, rounds)

    push(True, True, COLLISIONS)  # impulses from (x^{n+1}, v^n), energies from (x^n, v^n): A8
    yield
    kick(bodies, awake, frame.gravity, 0.5 * h)
    velocity, angular_momentum = bodies.velocity[awake], bodies.angular_momentum[awake]
    push(
        False, False, CONTACTS
    )  # first contact, for the positions only; clamped, it would make resting bodies jitter: A9
    yield
    drift(bodies, all_moving, h, SECOND_ORDER, True)
    bodies.velocity[awake], bodies.angular_momentum[awake] = velocity, angular_momentum
    refresh(bodies, awake)
    kick(bodies, awake, frame.gravity, 0.5 * h)
    push(False, True, CONTACTS)  # second contact: impulses from (x^{n+2}, v^{n+1}), energies from (x^{n+1}, v^{n+1})


def predicted(bodies: Records, which: Ints, h: float) -> Records:
    """A copy of the bodies, `which` of them moved by h [s] with their present velocities."""
    ahead = bodies.copy()
    drift(ahead, which, h, SECOND_ORDER, True)
    return ahead


def run(bodies: RigidBodies, state: RigidState, world: World, dt: float, params: SuParams) -> Steps:
    """Advance by one stored frame; the energy budget and sleep at its end are those of the default motion."""
    return steps(bodies, state, world, dt, su_step, params.substeps)


METHOD: Method[Advance] = Method(
    id="su",
    label="Impulse by Impulse",
    doc="The scheme of Su 2009, to compare: one impulse after another, none may add energy. Piles sink a little",
    reference="Su, Schroeder, Fedkiw 2009",
    params=SuParams,
    run=run,
)
