"""One stored frame of rigid-body motion."""

import math

import numpy as np

from ..jit import njit
from ..types import Bools, Floats, Ints
from .contact import Contacts, gather, place, recall, remember, rows_of
from .correction import correct
from .energy import Energy, energy, open_account, settle
from .ground import ground_contacts
from .islands import mark
from .moving import Moving, begin, drift, kick
from .sleep import fall_asleep
from .solver import aim, bounce, solve
from .state import Impulses, RigidBodies, RigidState, World, no_impulses

LEAST_SUBSTEPS, MOST_SUBSTEPS = 4, 64
TURN = 0.4  # largest rotation of a body near a contact in one substep [rad]


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
    account = open_account(moving)
    substeps = substep_counts(moving, world, dt)
    impulses = []
    for count in np.unique(substeps[awake]):  # bodies that may meet must share a count; on the ground alone none do
        which = awake[substeps[awake] == count]
        held = state.impulses
        for _ in range(count):
            held = substep(moving, which, world, dt / count, held)
        impulses.append(held)
    settle(moving, account)
    fall_asleep(moving, dt)
    after = finish(moving, state, impulses)
    return after, energy(bodies, after, world)


def substep(moving: Moving, which: Ints, world: World, h: float, held: Impulses) -> Impulses:
    """Kick, solve, drift, correct, kick, solve: the bodies `which` after h [s]; returns the contact impulses."""
    contacts = find_contacts(moving, which, world, h)
    rows = rows_of(contacts) if contacts is not None and len(contacts.feature) else None
    kick(moving, which, 0.5 * h)
    if rows is None:
        drift(moving, which, h)
        kick(moving, which, 0.5 * h)
        return no_impulses()
    place(rows, moving)
    recall(rows, held, 0.5)
    aim(rows, moving, h)
    solve(rows, moving)
    before = rows.impulse.copy()
    drift(moving, which, h)
    place(rows, moving)
    correct(rows, moving)
    kick(moving, which, 0.5 * h)
    bounce(rows, moving, h)
    solve(rows, moving)
    total = before + rows.impulse
    mark(rows, total[:, 0] > 0.0, moving)
    return remember(rows, total)


def find_contacts(moving: Moving, which: Ints, world: World, h: float) -> Contacts | None:
    """All contacts that may close within h [s]: those with the ground (and here, later, those between bodies)."""
    if world.ground is None:
        return None
    return gather([ground_contacts(moving, which, world.ground, h)])


def substep_counts(moving: Moving, world: World, dt: float) -> Ints:
    """Substeps (K,) of each body: so many that one near a contact turns by less than `TURN` in each."""
    gravity = math.sqrt(float(np.sum(moving.gravity**2)))
    ground = world.ground
    height = -np.inf if ground is None else ground.height
    return count_substeps(moving.asleep, moving.position, moving.velocity, moving.bodies.radius, height, gravity, dt)


@njit
def count_substeps(
    asleep: Bools, position: Floats, velocity: Floats, radius: Floats, height: float, gravity: float, dt: float
) -> Ints:
    """The least power of two of at least `LEAST_SUBSTEPS` that is enough, at most `MOST_SUBSTEPS`."""
    counts = np.full(len(radius), LEAST_SUBSTEPS)
    for k in range(len(radius)):
        fall = max(0.0, -velocity[k, 2]) + gravity * dt
        if asleep[k] or position[k, 2] - radius[k] - height > fall * dt:
            continue
        spin = math.sqrt(velocity[k, 3] ** 2 + velocity[k, 4] ** 2 + velocity[k, 5] ** 2)
        # an impact turns a fall into a spin of about half the speed over the radius
        turn = dt * max(spin + 0.5 * max(0.0, -velocity[k, 2]) / radius[k], math.sqrt(gravity / radius[k]))
        while counts[k] < MOST_SUBSTEPS and turn > TURN * counts[k]:
            counts[k] *= 2
    return counts


def finish(moving: Moving, state: RigidState, impulses: list[Impulses]) -> RigidState:
    """The state after the frame; quaternions keep the sign of the frame before."""
    rotation = moving.rotation[:-1]
    flip = np.sum(rotation * state.rotation, axis=1) < 0.0
    parts = [part for part in impulses if len(part.feature)]
    return RigidState(
        position=moving.position[:-1],
        rotation=np.where(flip[:, None], -rotation, rotation),
        velocity=moving.velocity[:-1, :3],
        angular_momentum=moving.angular_momentum[:-1],
        asleep=moving.asleep,
        quiet=moving.quiet,
        impulses=no_impulses()
        if not parts
        else Impulses(
            np.concatenate([part.body for part in parts]),
            np.concatenate([part.feature for part in parts]),
            np.concatenate([part.impulse for part in parts]),
        ),
    )
