"""One stored frame of rigid-body motion."""

import math

import numpy as np

from ..jit import inner, njit
from ..types import Ints
from .contact import Contacts, Held, place, recall, remember, rows_of
from .correction import correct
from .energy import Energy, energy, kinetic, settle
from .ground import ground_contacts
from .islands import mark
from .moving import Moving, begin, drift, kick
from .sleep import fall_asleep
from .solver import aim, bounce, solve
from .state import Impulses, RigidBodies, RigidState, World

LEAST_SUBSTEPS, MOST_SUBSTEPS = 4, 64  # of a body near a contact
TURN = 0.3  # rotation in one substep that asks for more of them [rad]


def advance(bodies: RigidBodies, state: RigidState, world: World, dt: float) -> tuple[RigidState, Energy]:
    """Advance all bodies by one stored frame of dt [s].

    Kinetic plus potential energy never rises beyond round-off; bodies that touch nothing follow their parabola and
    keep their angular momentum exactly; sleeping bodies without velocity do not change by a bit.

    Returns the state after dt and its energies (3,): translation, rotation, potential [J].

    Limitations: contacts with the ground only. Supported bodies slower than 0.05 sqrt(g r) for a while are stopped.
    """
    moving = begin(bodies, state, world)
    awake = np.flatnonzero(~moving.asleep)
    if not len(awake):
        return state, energy(bodies, state, world)
    kinetic_before, start = kinetic(moving), moving.position[:-1].copy()
    old = Held(state.impulses.body, state.impulses.feature, state.impulses.impulse)
    new = []
    counts = substep_counts(moving, awake, dt)
    for count in np.unique(counts):  # bodies that may meet must share a count; with the ground alone none do
        new.append(substeps(moving, awake[counts == count], dt / count, count, old))
    settle(moving, kinetic_before, start)
    fall_asleep(moving, dt)
    after = finish(moving, state, new)
    return after, energy(bodies, after, world)


@njit
def substeps(moving: Moving, which: Ints, h: float, count: int, held: Held) -> Held:
    """Advance the bodies `which` by `count` substeps of h [s]; returns the contact impulses of the last one."""
    held = Held(held.body.copy(), held.feature.copy(), held.impulse.copy())
    for _ in range(count):
        held = substep(moving, which, h, held)
    return held


@inner
def substep(moving: Moving, which: Ints, h: float, held: Held) -> Held:
    """Kick, solve, drift, correct, kick, solve: the bodies `which` after h [s]."""
    rows = rows_of(find_contacts(moving, which, h))
    place(rows, moving)
    kick(moving, which, 0.5 * h)
    recall(rows, held, 0.5)
    aim(rows, moving, h)
    solve(rows, moving)
    total = rows.impulse.copy()
    drift(moving, which, h)
    place(rows, moving)
    correct(rows, moving)
    kick(moving, which, 0.5 * h)
    bounce(rows, moving, h)
    solve(rows, moving)
    total += rows.impulse
    mark(rows, total[:, 0] > 0.0, moving)
    return remember(rows, total)


@inner
def find_contacts(moving: Moving, which: Ints, h: float) -> Contacts:
    """All contacts that may close within h [s]: those with the ground; those between bodies will be appended here."""
    return ground_contacts(moving, which, h)


@njit
def substep_counts(moving: Moving, which: Ints, dt: float) -> Ints:
    """Substeps for each of the bodies `which`: a power of two, so that each turns by less than `TURN` in one.

    Away from all contacts four are the most, since only the accuracy of the rotation depends on them.
    """
    counts = np.empty(len(which), np.int64)
    for i in range(len(which)):
        k = which[i]
        v, radius = moving.velocity[k], moving.radius[k]
        turn = dt * math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
        fall = max(0.0, -v[2])
        near = moving.position[k, 2] - radius - moving.floor <= dt * (fall + moving.weight * dt)
        if near:  # an impact turns a fall into a spin of about half the speed over the radius
            turn = max(turn + dt * 0.5 * fall / radius, dt * math.sqrt(moving.weight / radius))
        counts[i], most = (LEAST_SUBSTEPS, MOST_SUBSTEPS) if near else (1, LEAST_SUBSTEPS)
        while counts[i] < most and turn > TURN * counts[i]:
            counts[i] *= 2
    return counts


def finish(moving: Moving, state: RigidState, held: list[Held]) -> RigidState:
    """The state after the frame; quaternions keep the sign of the frame before."""
    rotation = moving.rotation[:-1]
    flip = np.sum(rotation * state.rotation, axis=1) < 0.0
    return RigidState(
        position=moving.position[:-1],
        rotation=np.where(flip[:, None], -rotation, rotation),
        velocity=moving.velocity[:-1, :3],
        angular_momentum=moving.angular_momentum[:-1],
        asleep=moving.asleep,
        quiet=moving.quiet,
        impulses=Impulses(
            np.concatenate([part.body for part in held]),
            np.concatenate([part.feature for part in held]),
            np.concatenate([part.impulse for part in held]),
        ),
    )
