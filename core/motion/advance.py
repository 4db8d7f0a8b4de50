"""One stored frame of rigid-body motion."""

from dataclasses import replace
from functools import partial

import numpy as np

from ..geometry.mesh import cross
from ..jit import sealed_ints
from ..stepwise import mapped, result_of
from ..types import Bools, Floats, Ints
from .boxes import Boxes, no_boxes
from .broad import look_around
from .contract import Account, Steps
from .energy import energy, settle, start_of
from .frame import Frame, Scene, Scheme
from .islands import islands_of
from .moving import Moving, begin
from .records import Records, joined_records, taken
from .sets import LEAST_SUBSTEPS, sets_of, substep_counts
from .sleep import fall_asleep, rested
from .state import RigidBodies, RigidState, World
from .state import asleep as put_to_sleep
from .substep import substep

FULL = 0.9  # share of contacts in use above which none are moved


def advance(
    bodies: RigidBodies, state: RigidState, world: World, dt: float, scheme: Scheme = substep, substeps: int = 0
) -> tuple[RigidState, Account]:
    """`steps`, run to their end at once."""
    return result_of(steps(bodies, state, world, dt, scheme, substeps))


def steps(
    bodies: RigidBodies, state: RigidState, world: World, dt: float, scheme: Scheme = substep, substeps: int = 0
) -> Steps:
    """Advance all bodies by one stored frame of dt [s] in `substeps`, or as many as they need, of a `scheme`.

    Kinetic plus potential energy never rises beyond round-off and the work of the colliders; bodies that touch nothing
    follow their parabola and keep their angular momentum exactly; sleeping bodies do not change by a bit.

    Limitations: bodies slower than 0.05 sqrt(g r) that rest on something still for a while are stopped. A body faster
    than its own size per substep may cross another that is thinner.
    """
    state = held_still(state, bodies.pinned)
    asleep = state.asleep & still(state)
    if asleep.all() and not stirs(world):
        return state, Account(energy(bodies, state, world), 0.0, *no_touches())
    moving = begin(bodies, state, world, asleep, dt)
    moving.bodies.rested[: moving.free] = rested(moving, state.quiet)
    start = start_of(moving)
    if moving.led.skin.any():
        state = with_new_skins(state, moving)
    frames, boxes = frames_of(moving, state, asleep, dt, scheme, substeps)
    for k, frame in enumerate(frames):
        boxes = yield from mapped(frame.run(boxes), partial(_share, k, len(frames)))
    acted = joined_records([frame.contacts for frame in frames])
    islands = islands_of(moving, acted)
    work = settle(moving, start, islands, acted, dt)
    for frame in frames:
        asleep = np.where(frame.members, frame.asleep, asleep)
    asleep, quiet, since = fall_asleep(moving, start, state, asleep, islands, acted, dt)
    after = finish(moving, state, frames, boxes)
    after = replace(after, asleep=asleep, quiet=quiet, since=since)
    return after, Account(energy(bodies, after, world), work, *touches(acted, moving))


def with_new_skins(state: RigidState, moving: Moving) -> RigidState:
    """The state at the start of a frame in which parts of what is led have another form than before.

    Nothing is kept of where they were and how they touch, but the impulses, which go to the points near by.
    """
    skin = np.concatenate([np.zeros(moving.arena.first, np.bool_), moving.led.skin[moving.arena.led_body]])
    known = (state.pairs.part < len(skin)).all(axis=1)
    pairs, contacts = state.pairs[known], state.contacts.copy()
    changed = pairs.contact[(pairs.contact >= 0) & skin[pairs.part].any(axis=1)]
    contacts.local[changed, 1] = 0.0  # so that no pose is the one that it was, see `touching.kept`
    return replace(state, pairs=pairs, contacts=contacts, boxes=no_boxes())


def _share(done: int, number: int, share: float) -> float:
    """How far a job is that consists of a `number` of equal ones, of which so many are done and one to a share."""
    return (done + share) / number


def held_still(state: RigidState, pinned: Bools) -> RigidState:
    """The state with bodies that are `pinned` (K,) asleep."""
    if not (pinned & ~(state.asleep & still(state))).any():
        return state
    return put_to_sleep(state, pinned)


def still(state: RigidState) -> Bools:
    """(K,) bodies without velocity."""
    return np.asarray(~(state.velocity.any(axis=1) | state.angular_momentum.any(axis=1)))


def stirs(world: World) -> bool:
    """Whether a collider moves in this frame."""
    lead = world.lead
    return lead is not None and bool(
        (lead.position[0] != lead.position[1]).any() or (lead.rotation[0] != lead.rotation[1]).any()
    )


def frames_of(
    moving: Moving, state: RigidState, asleep: Bools, dt: float, scheme: Scheme, substeps: int
) -> tuple[list[Frame], Boxes]:
    """A frame of its own for each number of substeps that sets of bodies need, none for what sleeps on; the boxes."""
    everything = sealed_ints(np.arange(len(moving.bodies)))
    h = dt / (substeps or LEAST_SUBSTEPS)
    boxes, pairs = look_around(moving, state.boxes, state.pairs, everything, moving.met, h, dt)
    sets = sets_of(moving, pairs, asleep, dt)
    wanted = substep_counts(moving, sets, asleep, dt) if substeps == 0 else np.full(sets.count, substeps)
    label = sets.label[moving.outwards(pairs.body)[:, 0]]
    needed = np.where(sets.busy, wanted, 0)
    of_pair = needed[label]
    of_body = np.append(needed[sets.label], np.zeros(len(moving.bodies) - moving.free, np.int64))
    of_body[moving.held] = -1
    scene = Scene(moving, sets.label, asleep, dt, scheme)
    frames = [
        Frame(scene, (of_body == n) | (of_body < 0), taken(pairs, of_pair == n), state.contacts, n)
        for n in np.unique(needed).tolist()
    ]
    return frames, boxes


def finish(moving: Moving, state: RigidState, frames: list[Frame], boxes: Boxes) -> RigidState:
    """The state after the frame, but for who sleeps; quaternions keep the sign of the frame before."""
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
    return replace(
        state,
        position=b.position,
        rotation=np.where(flip[:, None], -b.rotation, b.rotation),
        velocity=b.velocity[:, :3],
        angular_momentum=b.angular_momentum,
        pairs=joined_records(pairs),
        contacts=joined_records(contacts),
        boxes=boxes,
    )


def no_touches() -> tuple[Ints, Floats, Floats, Floats, Floats]:
    """Of nothing."""
    return np.empty((0, 2), np.int64), np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 2, 3)), np.empty((0, 3))


def touches(contacts: Records, moving: Moving) -> tuple[Ints, Floats, Floats, Floats, Floats]:
    """What `Account` says of each pair of parts between which an impulse acted in the frame.

    Points count for the spots by their normal impulses.
    """
    acted = contacts[np.flatnonzero((contacts.total != 0.0).any(axis=1))]
    borne = acted.borne > 0.0  # else a remainder of friction is all there is
    spot = np.where(borne[:, None, None], acted.spot, acted.anchor[:, 0])
    spot = spot / np.where(borne, acted.borne, 1.0)[:, None, None]
    pace = np.zeros((len(acted), 3))
    led = acted.body[:, 1] - moving.free
    of_part = np.flatnonzero((led >= 0) & ~moving.led.whole[np.maximum(led, 0)]) if len(moving.led.whole) else led[:0]
    if len(of_part):
        body = moving.bodies[acted.body[of_part, 1]]
        arm = (body.turn * spot[of_part, 1, None, :]).sum(axis=2)
        at = body.origin + arm
        pace[of_part] = body.velocity[:, :3] + cross(body.velocity[:, 3:], at - body.position)
        spot[of_part, 1] = at
    number = np.concatenate([np.arange(moving.free), moving.free + moving.led.number])
    return number[acted.body], acted.total, acted.pressure, spot, pace
