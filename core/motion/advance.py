"""One stored frame of rigid-body motion."""

import numpy as np

from ..jit import sealed_ints
from ..types import Bools, Floats, Ints
from .boxes import Boxes
from .broad import look_around
from .contract import Account
from .energy import energy, settle, start_of
from .frame import Frame, Scene, Scheme
from .islands import islands_of, joined
from .moving import Moving, begin
from .records import Records, joined_records, taken
from .sleep import fall_asleep
from .state import RigidBodies, RigidState, World
from .substep import substep

LEAST_SUBSTEPS, MOST_SUBSTEPS = 4, 64
CROWD = 256  # bodies times substeps above which a fast spin is no reason for more substeps
FULL = 0.9  # share of contacts in use above which none are moved
TURN = 0.3  # rotation in one substep that asks for more of them [rad]


def advance(
    bodies: RigidBodies, state: RigidState, world: World, dt: float, scheme: Scheme = substep, substeps: int = 0
) -> tuple[RigidState, Account]:
    """Advance all bodies by one stored frame of dt [s] in `substeps`, or as many as they need, of a `scheme`.

    Kinetic plus potential energy never rises beyond round-off and the work of the colliders; bodies that touch nothing
    follow their parabola and keep their angular momentum exactly; sleeping bodies do not change by a bit.

    Limitations: bodies slower than 0.05 sqrt(g r) that rest on something still for a while are stopped. A body faster
    than its own size per substep may cross another that is thinner.
    """
    asleep = state.asleep & ~(state.velocity != 0.0).any(axis=1) & ~(state.angular_momentum != 0.0).any(axis=1)
    if asleep.all() and not stirs(world):
        return state, Account(energy(bodies, state, world), 0.0, *no_touches())
    moving = begin(bodies, state, world, asleep, dt)
    start = start_of(moving)
    everything = sealed_ints(np.arange(len(moving.bodies)))
    boxes, pairs = look_around(moving, state.boxes, state.pairs, everything, moving.met, dt, dt)
    frames = frames_of(moving, pairs, state.contacts, asleep, dt, scheme, substeps)
    for frame in frames:
        boxes = frame.run(boxes)
    acted = joined_records([frame.contacts for frame in frames])
    islands = islands_of(moving, acted)
    work = settle(moving, start, islands, acted, dt)
    for frame in frames:
        asleep = np.where(frame.members, frame.asleep, asleep)
    asleep, quiet = fall_asleep(moving, start, asleep, state.quiet, islands, acted, dt)
    after = finish(moving, state, frames, boxes, asleep, quiet)
    return after, Account(energy(bodies, after, world), work, *touches(acted))


def stirs(world: World) -> bool:
    """Whether a collider moves in this frame."""
    lead = world.lead
    return lead is not None and bool(
        (lead.position[0] != lead.position[1]).any() or (lead.rotation[0] != lead.rotation[1]).any()
    )


def frames_of(
    moving: Moving, pairs: Records, contacts: Records, asleep: Bools, dt: float, scheme: Scheme, substeps: int
) -> list[Frame]:
    """A frame of its own for each set of bodies that needs another number of substeps, none for what sleeps on.

    Bodies that may meet are in one set: bodies far from each other do not disturb each other.
    """
    free = moving.free
    between = pairs.body[(pairs.body < free).all(axis=1)]
    label, count = joined(free, between, np.arange(free))
    near, busy = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    near[label[pairs.body[:, 0]]] = True
    # Busy: someone is awake, or something moves nearby, or was never looked at.
    busy[label[~asleep]] = True
    moves = (moving.bodies.velocity != 0.0).any(axis=1)
    busy[label[pairs.body[moves[pairs.body[:, 1]] | (pairs.known == 0), 0]]] = True
    wanted = substep_counts(moving, asleep, label, count, near, dt) if substeps == 0 else substeps
    needed = np.where(busy, wanted, 0)
    of_pair, of_body = needed[label[pairs.body[:, 0]]], np.append(needed[label], np.full(len(moving.bodies) - free, -1))
    counts = np.unique(needed).tolist()
    of_set = [taken(pairs, of_pair == n) for n in counts]
    scene = Scene(moving, label, asleep, dt, scheme)
    return [
        Frame(scene, (of_body == n) | (of_body < 0), some, contacts, n)
        for n, some in zip(counts, of_set, strict=True)
    ]


def substep_counts(moving: Moving, asleep: Bools, label: Ints, count: int, near: Bools, dt: float) -> Ints:
    """Substeps for each of `count` sets of bodies, by the `label` of each body: powers of two.

    In a small set no body turns by more than `TURN` in one. Sets that are `near` nothing take four at most, since only
    the accuracy of the rotation depends on them.
    """
    b = moving.bodies[: moving.free]
    spin = np.sqrt(np.square(b.velocity[:, 3:]).sum(axis=1))
    speed = np.sqrt(np.square(b.velocity[:, :3]).sum(axis=1))
    # An impact turns a fall into a spin of about half the speed over the radius.
    tumbling = np.maximum(0.5 * (speed + moving.weight * dt) / b.radius, np.sqrt(moving.weight / b.radius))
    turn = dt * np.where(near[label], np.maximum(spin, tumbling), spin)
    most = np.zeros(count)
    np.maximum.at(most, label, np.where(asleep, 0.0, turn))
    awake = np.bincount(label, ~asleep, minlength=count)
    wanted = np.exp2(np.ceil(np.log2(np.maximum(most / TURN, 1.0)))).astype(np.int64)
    afford = np.exp2(np.floor(np.log2(np.maximum(CROWD / np.maximum(awake, 1.0), 1.0)))).astype(np.int64)
    limit = np.where(near, np.clip(afford, LEAST_SUBSTEPS, MOST_SUBSTEPS), LEAST_SUBSTEPS)
    return np.asarray(np.clip(wanted, np.where(near, LEAST_SUBSTEPS, 1), limit))


def finish(
    moving: Moving, state: RigidState, frames: list[Frame], boxes: Boxes, asleep: Bools, quiet: Floats
) -> RigidState:
    """The state after the frame; quaternions keep the sign of the frame before."""
    b = moving.bodies[: moving.free]
    flip = np.sum(b.rotation * state.rotation, axis=1) < 0.0
    pairs, contacts, used = [], [], 0
    for frame in frames:
        had = np.flatnonzero(frame.pairs.contact >= 0)
        some = frame.contacts
        if len(had) < FULL * len(some):  # else the rows that were left behind are carried along
            some = taken(some, frame.pairs.contact[had])  # in the order in which they will be swept
            frame.pairs.contact[had] = np.arange(len(had))
        frame.pairs.contact[had] += used
        used += len(some)
        pairs.append(frame.pairs)
        contacts.append(some)
    return RigidState(
        position=b.position,
        rotation=np.where(flip[:, None], -b.rotation, b.rotation),
        velocity=b.velocity[:, :3],
        angular_momentum=b.angular_momentum,
        asleep=asleep,
        quiet=quiet,
        pairs=joined_records(pairs),
        contacts=joined_records(contacts),
        boxes=boxes,
    )


def no_touches() -> tuple[Ints, Floats, Floats]:
    """Of nothing."""
    return np.empty((0, 2), np.int64), np.empty((0, 3)), np.empty((0, 3))


def touches(contacts: Records) -> tuple[Ints, Floats, Floats]:
    """Bodies, impulse and point of each pair of parts between which an impulse acted in the frame."""
    acted = contacts[np.flatnonzero((contacts.total != 0.0).any(axis=1))]
    return acted.body, acted.total, acted.pressure
