"""One stored frame of rigid-body motion."""

from dataclasses import replace
from functools import partial

import numpy as np

from ..geometry.mesh import cross_rows
from ..jit import sealed_ints
from ..record_arrays import Records, join_records, take_records
from ..stepwise import map_steps, overall_share, result_of
from ..types import Bools, Floats, Ints
from .broad.boxes import EnlargedBoxes, no_boxes
from .broad.potential_islands import LEAST_SUBSTEPS, find_potential_islands, substep_counts
from .broad.sweep_and_prune import update_broad_phase
from .contract import FrameSteps, StepReport
from .frame import FrameScene, Scheme, SubstepRun
from .sleep.islands import find_islands
from .sleep.sleeping import find_rested, update_sleep
from .solver.energy_budget import energy_of, enforce_energy_budget, record_frame_start
from .solver_state import SolverState, begin_frame
from .state import RigidBodies, RigidState, World, put_to_sleep
from .substep import run_substep

# Share of contacts in use above which none are moved; by eye: moving them costs time, gaps cost memory.
FULL_SHARE = 0.9


def advance_frame(
    bodies: RigidBodies, state: RigidState, world: World, dt: float, scheme: Scheme = run_substep, substeps: int = 0
) -> tuple[RigidState, StepReport]:
    """`advance_in_steps`, run to their end at once."""
    return result_of(advance_in_steps(bodies, state, world, dt, scheme, substeps))


def advance_in_steps(
    bodies: RigidBodies, state: RigidState, world: World, dt: float, scheme: Scheme = run_substep, substeps: int = 0
) -> FrameSteps:
    """Advance all bodies by one stored frame of dt [s] in `substeps`, or as many as they need, of a `scheme`.

    Kinetic plus potential energy never rises beyond round-off and the work of the colliders; bodies that touch nothing
    follow their parabola and keep their angular momentum exactly; sleeping bodies do not change by a bit.

    Limitations: bodies slower than 0.05 sqrt(g r) that rest on something still for a while are stopped. A body faster
    than its own size per substep may cross another that is thinner.
    """
    state = put_pinned_to_sleep(state, bodies.pinned)
    asleep = state.asleep & find_motionless(state)
    if asleep.all() and not has_moving_collider(world):
        return state, StepReport(energy_of(bodies, state, world), 0.0, *no_contacts())
    solver = begin_frame(bodies, state, world, asleep, dt)
    solver.bodies.rested[: solver.free] = find_rested(solver, state.quiet)
    start = record_frame_start(solver)
    if solver.kinematic.skin.any():
        state = forget_changed_shapes(state, solver)
    frames, boxes = plan_substep_runs(solver, state, asleep, dt, scheme, substeps)
    for k, frame in enumerate(frames):
        boxes = yield from map_steps(frame.run(boxes), partial(overall_share, k, len(frames)))
    acted = join_records([frame.contacts for frame in frames])
    islands = find_islands(solver, acted)
    work = enforce_energy_budget(solver, start, islands, acted, dt)
    for frame in frames:
        asleep = np.where(frame.members, frame.asleep, asleep)
    asleep, quiet, since = update_sleep(solver, start, state, asleep, islands, acted, dt)
    after = collect_state(solver, state, frames, boxes)
    after = replace(after, asleep=asleep, quiet=quiet, since=since)
    return after, StepReport(energy_of(bodies, after, world), work, *report_contacts(acted, solver))


def forget_changed_shapes(state: RigidState, solver: SolverState) -> RigidState:
    """The state at the start of a frame in which parts of what is kinematic have another form than before.

    Nothing is kept of where they were and how they touch, but the impulses, which go to the points near by.
    """
    skin = np.concatenate(
        [np.zeros(solver.static_geometry.first, np.bool_), solver.kinematic.skin[solver.static_geometry.kinematic_body]]
    )
    known = (state.pairs.part < len(skin)).all(axis=1)
    pairs, contacts = state.pairs[known], state.contacts.copy()
    changed = pairs.contact[(pairs.contact >= 0) & skin[pairs.part].any(axis=1)]
    contacts.local[changed, 1] = 0.0  # so that no pose is the one that it was, see `manifold_update.manifold_is_valid`
    return replace(state, pairs=pairs, contacts=contacts, boxes=no_boxes())


def put_pinned_to_sleep(state: RigidState, pinned: Bools) -> RigidState:
    """The state with bodies that are `pinned` (K,) asleep."""
    if not (pinned & ~(state.asleep & find_motionless(state))).any():
        return state
    return put_to_sleep(state, pinned)


def find_motionless(state: RigidState) -> Bools:
    """(K,) bodies without velocity."""
    return np.asarray(~(state.velocity.any(axis=1) | state.angular_momentum.any(axis=1)))


def has_moving_collider(world: World) -> bool:
    """Whether a collider moves in this frame."""
    lead = world.lead
    return lead is not None and bool(
        (lead.position[0] != lead.position[1]).any() or (lead.rotation[0] != lead.rotation[1]).any()
    )


def plan_substep_runs(
    solver: SolverState, state: RigidState, asleep: Bools, dt: float, scheme: Scheme, substeps: int
) -> tuple[list[SubstepRun], EnlargedBoxes]:
    """A frame of its own for each number of substeps that sets of bodies need, none for what sleeps on; the boxes."""
    everything = sealed_ints(np.arange(len(solver.bodies)))
    h = dt / (substeps or LEAST_SUBSTEPS)
    boxes, pairs = update_broad_phase(solver, state.boxes, state.pairs, everything, solver.touchable_owner, h, dt)
    sets = find_potential_islands(solver, pairs, asleep, dt)
    wanted = substep_counts(solver, sets, asleep, dt) if substeps == 0 else np.full(sets.count, substeps)
    label = sets.label[solver.outwards(pairs.body)[:, 0]]
    needed = np.where(sets.busy, wanted, 0)
    of_pair = needed[label]
    of_body = np.append(needed[sets.label], np.zeros(len(solver.bodies) - solver.free, np.int64))
    of_body[solver.immovable] = -1
    scene = FrameScene(solver, sets.label, asleep, dt, scheme)
    frames = [
        SubstepRun(scene, (of_body == n) | (of_body < 0), take_records(pairs, of_pair == n), state.contacts, n)
        for n in np.unique(needed).tolist()
    ]
    return frames, boxes


def collect_state(solver: SolverState, state: RigidState, frames: list[SubstepRun], boxes: EnlargedBoxes) -> RigidState:
    """The state after the frame, but for who sleeps; quaternions keep the sign of the frame before."""
    b = solver.bodies[: solver.free]
    flip = np.sum(b.rotation * state.rotation, axis=1) < 0.0
    pairs, contacts, used = [], [], 0
    for frame in frames:
        had = np.flatnonzero(frame.pairs.contact >= 0)
        some = frame.contacts
        if len(had) < FULL_SHARE * len(some):  # else the rows that were left behind are carried along
            some = take_records(some, frame.pairs.contact[had])  # in the order in which they will be swept
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
        pairs=join_records(pairs),
        contacts=join_records(contacts),
        boxes=boxes,
    )


def no_contacts() -> tuple[Ints, Floats, Floats, Floats, Floats]:
    """Of nothing."""
    return np.empty((0, 2), np.int64), np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 2, 3)), np.empty((0, 3))


def report_contacts(contacts: Records, solver: SolverState) -> tuple[Ints, Floats, Floats, Floats, Floats]:
    """What `StepReport` says of each pair of parts between which an impulse acted in the frame.

    Points count for the anchors by their normal impulses.
    """
    acted = contacts[np.flatnonzero((contacts.total != 0.0).any(axis=1))]
    bears = acted.normal_impulse > 0.0  # else a remainder of friction is all there is
    anchor = np.where(bears[:, None, None], acted.impulse_moment, acted.anchor[:, 0])
    anchor = anchor / np.where(bears, acted.normal_impulse, 1.0)[:, None, None]
    pace = np.zeros((len(acted), 3))
    kinematic = acted.body[:, 1] - solver.free
    of_part = (
        np.flatnonzero((kinematic >= 0) & ~solver.kinematic.whole[np.maximum(kinematic, 0)])
        if len(solver.kinematic.whole)
        else kinematic[:0]
    )
    if len(of_part):
        body = solver.bodies[acted.body[of_part, 1]]
        arm = (body.turn * anchor[of_part, 1, None, :]).sum(axis=2)
        at = body.origin + arm
        pace[of_part] = body.velocity[:, :3] + cross_rows(body.velocity[:, 3:], at - body.position)
        anchor[of_part, 1] = at
    number = np.concatenate([np.arange(solver.free), solver.free + solver.kinematic.number])
    return number[acted.body], acted.total, acted.pressure, anchor, pace
