"""Sleep: supported bodies that have been slow for a while stop, and stay bit-still until something moves them."""

import math
from typing import NamedTuple

import numpy as np

from ...arithmetic.elementary import arctan2
from ...jit import device_inlined, njit_no_refs, sealed_ints
from ...record_arrays import Record, Records, plain_view
from ...types import Bools, Floats, Ints
from ..narrow.manifold_update import SLOP, WAKE_WITH_ISLAND
from ..solver.energy_budget import FrameStart
from ..solver_state import SolverState, update_transforms
from ..state import RigidState
from .islands import Islands

SLEEP_SPEED = 0.05  # speed below which a body may fall asleep, in sqrt(g r); the prototype's
# A body that balances on an edge leaves at a rate of about sqrt(g/r): within 6/sqrt(g/r) it is either down or fast.
SLEEP_DELAY = 6.0  # how long it has to be slow, in sqrt(r / g)
LEAST_SLEEP_DELAY = 0.2  # [s]; by eye; the prototype had 0.5
TIME_ROUND_OFF = 1e-9  # of a sum of frames [s]; chosen
GRACE_TIME = 0.1  # time over which a way counts as slow or fast at least [s]; by eye
#: Masses of what hits a heap that wake: what lies behind them has no more than a thirtieth of its speed.
WAKE_MASS_RATIO = 30.0
ROCKING_FACTOR = 3.0  # by which a body that does not get far may be faster; by eye
#: How long it has to be slow after it was woken or touched: by then, what falls or swings is fast [s]. By eye.
SETTLING_DELAY = 0.2


def update_sleep(
    solver: SolverState,
    start: FrameStart,
    state: RigidState,
    asleep: Bools,
    islands: Islands,
    contacts: Records,
    dt: float,
) -> tuple[Bools, Floats, Floats]:
    """Who sleeps (K,), how long each body has been slow and supported (K,) [s] and since which pose (K,7).

    These three are as after a frame of dt [s], at the beginning of which they were as in the state; `asleep` are
    those who slept all the time. A body sleeps once it has been slow for long enough and nothing stirs it: all that
    acted on it in the frame is about to sleep too. So what moves in a heap keeps its neighbours awake, but not the
    whole heap. A body that touches nothing, or that rests on what moves, stays awake.
    """
    still = asleep.copy()
    quiet, since = state.quiet.copy(), state.since.copy()
    bodies, wait = plain_view(solver.bodies), sleep_delay(solver)
    support = _Support(islands.label, islands.grounded, islands.driven)
    timers = _SleepTimers(quiet, since, wait, start.position, start.rotation)
    update_sleep_timers(bodies, support, timers, still, solver.weight, dt)
    touched = np.zeros(solver.free, np.bool_)
    wake_touching(plain_view(contacts), still, touched)
    stop_sleepers(bodies, still, asleep, state.asleep, touched, wait, quiet)
    return still, quiet, since


class _Support(NamedTuple):
    """What islands rest on; see `Islands`."""

    label: Ints  #: (K,)
    grounded: Bools  #: (I,)
    driven: Bools  #: (I,)


class _SleepTimers(NamedTuple):
    """How long bodies have been slow, and where they were."""

    quiet: Floats  #: (K,) for how long they have been slow and supported [s]
    since: Floats  #: (K,7) pose since when
    wait: Floats  #: (K,) for how long they have to be [s]
    position: Floats  #: (K,3) at the start of the frame [m]
    rotation: Floats  #: (K,4) at the start of the frame


@njit_no_refs
def update_sleep_timers(
    bodies: Records, support: _Support, timers: _SleepTimers, still: Bools, weight: float, dt: float
) -> None:
    """Count how long bodies that are not `still` (K,) have been calm; those that are about to sleep become it.

    What counts is how far they came, not their velocity: a small piece between large ones may rock to and fro for
    ever with the precision of the solver, and would keep its neighbours awake.
    """
    label, grounded, driven = support
    quiet, since, wait, position, rotation = timers
    for k in range(len(label)):
        if still[k]:
            continue
        b, calm = bodies[k], False
        time = quiet[k] + dt
        if label[k] >= 0 and grounded[label[k]] and not driven[label[k]]:
            speed = SLEEP_SPEED * math.sqrt(weight * b.radius)
            near = distance_moved(b, since[k, :3], since[k, 3:]) <= speed * max(time, GRACE_TIME)
            calm = near and distance_moved(b, position[k], rotation[k]) <= ROCKING_FACTOR * speed * dt
        if calm:
            quiet[k] = time
        else:
            quiet[k] = 0.0
            for x in range(3):
                since[k, x] = b.position[x]
            for x in range(4):
                since[k, 3 + x] = b.rotation[x]
        still[k] = quiet[k] >= wait[k] - SETTLING_DELAY - TIME_ROUND_OFF


@device_inlined
def distance_moved(b: Record, position: Floats, rotation: Floats) -> float:
    """How far the points of a body are from where they were in another pose, at least its farthest [m]."""
    square, along = 0.0, 0.0
    for x in range(3):
        step = b.position[x] - position[x]
        square += step * step
    for x in range(4):
        along += b.rotation[x] * rotation[x]
    sine = math.sqrt(max(1.0 - along * along, 0.0))
    return float(max(math.sqrt(square), 2.0 * arctan2(sine, abs(along)) * b.radius))


@njit_no_refs
def wake_touching(contacts: Records, still: Bools, touched: Bools) -> None:
    """Mark bodies (K,) on which one of the others acted that are not `still` (K,)."""
    free = len(still)
    for contact in contacts:
        a, b = contact.body[0], contact.body[1]
        if contact.carried == 1:
            if a < free and b < free and not still[b]:
                touched[a] = True
            if a < free and b < free and not still[a]:
                touched[b] = True


@njit_no_refs
def stop_sleepers(
    bodies: Records, still: Bools, asleep: Bools, slept: Bools, touched: Bools, wait: Floats, quiet: Floats
) -> None:
    """Stop what is to sleep, so that `still` (K,) is who sleeps; who is stirred, or `slept` before, has to wait."""
    for k in range(len(still)):
        calm = quiet[k] > 0.0
        if not asleep[k] and (touched[k] or slept[k]):
            quiet[k] = min(quiet[k], wait[k] - SETTLING_DELAY)
        still[k] = asleep[k] or (calm and quiet[k] >= wait[k] - TIME_ROUND_OFF)
        if still[k] and not asleep[k]:
            for x in range(6):
                bodies[k].velocity[x] = 0.0
            for x in range(3):
                bodies[k].angular_momentum[x] = 0.0


def find_rested(solver: SolverState, quiet: Floats) -> Bools:
    """(K,) bodies that are about to sleep, or would if nothing stirred them, after they were `quiet` (K,) [s]."""
    return np.asarray(quiet >= sleep_delay(solver) - SETTLING_DELAY - TIME_ROUND_OFF)


def sleep_delay(solver: SolverState) -> Floats:
    """How long each body (K,) has to be slow [s]; without gravity nothing tells rest from slow flight."""
    if solver.weight == 0.0:
        return np.full(solver.free, math.inf)
    waits = SLEEP_DELAY * np.sqrt(solver.bodies.radius[: solver.free] / solver.weight)
    return np.asarray(np.maximum(LEAST_SLEEP_DELAY, waits))


def wake_islands(solver: SolverState, pairs: Records, contacts: Records, asleep: Bools) -> Bools:
    """Wake sleepers that something moves against, and those around them that feel it within the substep.

    What gets loose wakes alone: what rests on it follows if it does move. Returns who sleeps on.
    """
    free, bodies = solver.free, solver.bodies
    mark = np.where(asleep & ~solver.immovable[:free], bodies.wake[:free], 0)
    result = asleep & (mark == 0)
    if (mark == WAKE_WITH_ISLAND).any():
        share = WAKE_MASS_RATIO * float(bodies.waking_mass[:free][mark == WAKE_WITH_ISLAND].sum())
        result &= ~_find_ring(
            mark == WAKE_WITH_ISLAND,
            _find_touching_sleepers(pairs, contacts, asleep & ~solver.immovable[:free], free),
            bodies.mass[:free],
            share,
        )
    up = np.flatnonzero(asleep & ~result)
    bodies.inverse_mass[up] = 1.0 / bodies.mass[up]
    bodies.wake[:free], bodies.waking_mass[:free] = 0, 0.0
    update_transforms(bodies, sealed_ints(up))
    return np.asarray(result)


def _find_ring(hit: Bools, links: Ints, mass: Floats, enough: float) -> Bools:
    """The bodies `hit` (K,) and, ring by ring, those linked (n,2) to them, until there is `enough` mass [kg]."""
    reached = hit
    while mass[reached].sum() < enough:
        wider = reached.copy()
        wider[links[reached[links[:, 0]], 1]] = True
        wider[links[reached[links[:, 1]], 0]] = True
        if (wider == reached).all():
            break
        reached = wider
    return reached


def _find_touching_sleepers(pairs: Records, contacts: Records, asleep: Bools, free: int) -> Ints:
    """Pairs (n,2) of sleepers that touch."""
    both = pairs[(pairs.contact >= 0) & (pairs.body < free).all(axis=1)]
    both = both[asleep[both.body].all(axis=1)]
    some = contacts[both.contact]
    points = np.arange(some.gap.shape[1]) < some.count[:, None]
    touch = np.where(points, some.gap, np.inf).min(axis=1) <= SLOP * some.extent
    return np.asarray(both.body[touch])
