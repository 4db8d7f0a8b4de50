"""One substep: kick, solve, drift, correct, kick, solve."""

from collections.abc import Generator

import numpy as np

from ..jit import device_inlined, njit_no_refs
from ..record_arrays import Record, Records, plain_view
from ..types import Bools, Ints
from .frame import SubstepRun
from .records import POINTS
from .solver.contact_constraints import prepare_constraints, store_impulses, warm_start
from .solver.free_rotation import SECOND_ORDER
from .solver.gauss_seidel import (
    accumulate_impulses,
    precision_for,
    regularisation_for,
    set_restitution,
    set_velocity_bias,
    solve_constraints,
    starts_cold,
    sweeps_for,
)
from .solver.position_correction import correct_positions
from .solver_state import integrate_positions, integrate_velocities

DEEPEST_OVERLAP = 4e-3  # overlap in radii with which no frame is to end; by eye: not seen
CORRECTION_PASSES = 4  # of position correction that are made for it at most; by time
ROW_VISITS = 4_000_000  # to rows, between two looks at whether the job goes on: some tenths of a second; by eye


def run_substep(frame: SubstepRun, awake: Ints, active: Ints) -> Generator[None, None, None]:
    """Move the bodies `awake` and all that is kinematic by a substep with the `active` contacts.

    The first solve takes care of what may close within the substep, so that the drift leads into no overlap; the
    second one, at the new positions, of what did close.
    """
    solver, contacts, h, gravity = frame.solver, plain_view(frame.contacts), frame.h, frame.gravity
    bodies = plain_view(solver.bodies)
    integrate_velocities(bodies, awake, gravity, 0.5 * h)
    if len(active) == 0:
        integrate_positions(bodies, awake, h, SECOND_ORDER, True)
        integrate_positions(bodies, frame.kinematic, h, SECOND_ORDER, True)
        integrate_velocities(bodies, awake, gravity, 0.5 * h)
        return
    count = np.empty(len(active), np.int64)
    points, calm = count_contacts(contacts, active, bodies, frame.scene.label, solver.weight, count)
    cold = starts_cold(len(active), frame.known, calm)
    sweeps, precision = sweeps_for(len(active), cold), precision_for(count, cold)
    blocks, rows = frame.room(len(active), points + 3 * len(active))
    point = np.empty((POINTS, 3))
    prepare_constraints(contacts, active, blocks, rows, bodies, point)
    warm_start(contacts, active, blocks, rows, 0.5)  # of what acted in the whole of the last substep
    jams = find_jammed_contacts(frame, active)
    set_velocity_bias(contacts, active, blocks, rows, bodies, h, solver.weight, precision, regularisation_for(jams))
    yield from solve_in_slices(blocks, rows, bodies, sweeps)
    accumulate_impulses(contacts, active, blocks, rows, bodies)
    store_impulses(contacts, active, blocks, rows, False)
    integrate_positions(bodies, awake, h, SECOND_ORDER, True)
    integrate_positions(bodies, frame.kinematic, h, SECOND_ORDER, True)
    prepare_constraints(contacts, active, blocks, rows, bodies, point)
    # What an impact spins may sink deep within one substep. The energy that lifts it is there in this frame only.
    # What is jammed has nowhere to go, and would press all the harder.
    for _ in range(CORRECTION_PASSES if frame.done + 1 == frame.count and not jams.any() else 1):
        deepest = correct_positions(contacts, active, blocks, rows, bodies, awake)
        if deepest > 0.0:
            prepare_constraints(contacts, active, blocks, rows, bodies, point)
        if deepest <= DEEPEST_OVERLAP:
            break
    integrate_velocities(bodies, awake, gravity, 0.5 * h)
    set_restitution(contacts, active, blocks, rows, h, solver.weight)
    yield from solve_in_slices(blocks, rows, bodies, sweeps)
    accumulate_impulses(contacts, active, blocks, rows, bodies)
    store_impulses(contacts, active, blocks, rows, True)


def solve_in_slices(blocks: Records, rows: Records, bodies: Records, sweeps: int) -> Generator[None, None, None]:
    """`solve_constraints`, yielding after each few million visits to rows."""
    step, end = 2 * max(1, ROW_VISITS // (2 * len(rows))), 0
    while end < sweeps:
        first, end = end, min(end + step, sweeps)
        if solve_constraints(blocks, rows, bodies, first, end) < end:
            return
        yield


@njit_no_refs
def count_contacts(
    contacts: Records, active: Ints, bodies: Records, label: Ints, weight: float, count: Ints
) -> tuple[int, int]:
    """Write for each of the active contacts how many of them are in the same set of bodies.

    Returns their points, and how many contacts are calm: both bodies are slower than sqrt(g r).
    """
    points, calm = 0, 0
    for k in range(len(label)):
        bodies[label[k]].changed = 0
    for turn in range(2):
        for i in range(len(active)):
            contact = contacts[active[i]]
            first = 0 if bodies[contact.body[0]].immovable == 0 else 1
            one = bodies[label[contact.body[first]]]
            if turn == 0:
                one.changed += 1
                points += contact.count
                limit = weight * contact.extent
                slow = squared_speed(bodies[contact.body[0]]) < limit and squared_speed(bodies[contact.body[1]]) < limit
                calm += int(slow)
            else:
                count[i] = one.changed
    return points, calm


@device_inlined
def squared_speed(b: Record) -> float:
    """Square of the speed [m^2/s^2]."""
    v = b.velocity
    return float(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def find_jammed_contacts(frame: SubstepRun, active: Ints) -> Bools:
    """(A,) active contacts of sets of bodies that are between a moving collider and another thing that is kinematic."""
    bodies, free = frame.solver.bodies, frame.solver.free
    if not frame.driven:
        return np.zeros(len(active), np.bool_)
    body, other = frame.solver.outwards(frame.contacts.body[active]).T
    label = frame.scene.label[body]
    kinematic = frame.solver.immovable[other]
    moves = kinematic & (bodies.velocity[other] != 0.0).any(axis=1)
    driven, first, last = np.zeros(free, np.bool_), np.full(free, len(bodies)), np.full(free, -1)
    driven[label[moves]] = True
    # Parts of one collider that deforms do not jam anything between each other.
    one = np.append(np.arange(free), free + frame.solver.kinematic.number)[other]
    np.minimum.at(first, label[kinematic], one[kinematic])
    np.maximum.at(last, label[kinematic], one[kinematic])
    return np.asarray((driven & (first < last))[label])
