"""One substep: kick, solve, drift, correct, kick, solve."""

from collections.abc import Generator

import numpy as np

from ..jit import lean, lean_inner
from ..types import Bools, Ints
from .contact import keep, load, place
from .correction import correct
from .frame import Frame
from .moving import drift, kick
from .records import POINTS, Record, Records, bare
from .rotation import SECOND_ORDER
from .solver import aim, bounce, enter, gives_for, is_cold, precision_for, solve, sweeps_for

DEEP = 4e-3  # overlap in radii with which no frame is to end
PASSES = 4  # of position correction that are made for it at most
VISITS = 4_000_000  # to rows, between two looks at whether the job goes on: some tenths of a second


def substep(frame: Frame, awake: Ints, active: Ints) -> Generator[None, None, None]:
    """Move the bodies `awake` and all that is led by a substep with the `active` contacts.

    The first solve takes care of what may close within the substep, so that the drift leads into no overlap; the
    second one, at the new positions, of what did close.
    """
    moving, contacts, h, gravity = frame.moving, bare(frame.contacts), frame.h, frame.gravity
    bodies = bare(moving.bodies)
    kick(bodies, awake, gravity, 0.5 * h)
    if len(active) == 0:
        drift(bodies, awake, h, SECOND_ORDER, True)
        drift(bodies, frame.led, h, SECOND_ORDER, True)
        kick(bodies, awake, gravity, 0.5 * h)
        return
    count = np.empty(len(active), np.int64)
    points, calm = tally(contacts, active, bodies, frame.scene.label, moving.weight, count)
    cold = is_cold(len(active), frame.known, calm)
    sweeps, precision = sweeps_for(len(active), cold), precision_for(count, cold)
    blocks, rows = frame.room(len(active), points + 3 * len(active))
    point = np.empty((POINTS, 3))
    place(contacts, active, blocks, rows, bodies, point)
    load(contacts, active, blocks, rows, 0.5)  # of what acted in the whole of the last substep
    jams = jammed(frame, active)
    aim(contacts, active, blocks, rows, bodies, h, moving.weight, precision, gives_for(jams))
    yield from solved(blocks, rows, bodies, sweeps)
    enter(contacts, active, blocks, rows, bodies)
    keep(contacts, active, blocks, rows, False)
    drift(bodies, awake, h, SECOND_ORDER, True)
    drift(bodies, frame.led, h, SECOND_ORDER, True)
    place(contacts, active, blocks, rows, bodies, point)
    # What a blow spins may sink deep within one substep. The energy that lifts it is there in this frame only. What is
    # jammed has nowhere to go, and would press all the harder.
    for _ in range(PASSES if frame.done + 1 == frame.count and not jams.any() else 1):
        deepest = correct(contacts, active, blocks, rows, bodies, awake)
        if deepest > 0.0:
            place(contacts, active, blocks, rows, bodies, point)
        if deepest <= DEEP:
            break
    kick(bodies, awake, gravity, 0.5 * h)
    bounce(contacts, active, blocks, rows, h, moving.weight)
    yield from solved(blocks, rows, bodies, sweeps)
    enter(contacts, active, blocks, rows, bodies)
    keep(contacts, active, blocks, rows, True)


def solved(blocks: Records, rows: Records, bodies: Records, sweeps: int) -> Generator[None, None, None]:
    """`solve`, yielding after each few million visits to rows."""
    step, end = 2 * max(1, VISITS // (2 * len(rows))), 0
    while end < sweeps:
        first, end = end, min(end + step, sweeps)
        if solve(blocks, rows, bodies, first, end) < end:
            return
        yield


@lean
def tally(contacts: Records, active: Ints, bodies: Records, label: Ints, weight: float, count: Ints) -> tuple[int, int]:
    """Write for each of the active contacts how many of them are in the same set of bodies.

    Returns their points, and how many contacts are calm: both bodies are slower than sqrt(g r).
    """
    points, calm = 0, 0
    for k in range(len(label)):
        bodies[label[k]].changed = 0
    for turn in range(2):
        for i in range(len(active)):
            contact = contacts[active[i]]
            first = 0 if bodies[contact.body[0]].held == 0 else 1
            one = bodies[label[contact.body[first]]]
            if turn == 0:
                one.changed += 1
                points += contact.count
                limit = weight * contact.extent
                slow = square(bodies[contact.body[0]]) < limit and square(bodies[contact.body[1]]) < limit
                calm += int(slow)
            else:
                count[i] = one.changed
    return points, calm


@lean_inner
def square(b: Record) -> float:
    """Square of the speed [m^2/s^2]."""
    v = b.velocity
    return float(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


def jammed(frame: Frame, active: Ints) -> Bools:
    """(A,) active contacts of sets of bodies that are between a moving collider and another thing that is led."""
    bodies, free = frame.moving.bodies, frame.moving.free
    if not frame.driven:
        return np.zeros(len(active), np.bool_)
    body, other = frame.moving.outwards(frame.contacts.body[active]).T
    label = frame.scene.label[body]
    led = frame.moving.held[other]
    moves = led & (bodies.velocity[other] != 0.0).any(axis=1)
    driven, first, last = np.zeros(free, np.bool_), np.full(free, len(bodies)), np.full(free, -1)
    driven[label[moves]] = True
    # Parts of one collider that deforms do not jam anything between each other.
    one = np.append(np.arange(free), free + frame.moving.led.number)[other]
    np.minimum.at(first, label[led], one[led])
    np.maximum.at(last, label[led], one[led])
    return np.asarray((driven & (first < last))[label])
