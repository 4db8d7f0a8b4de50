"""Sleep: supported bodies that have been slow for a while stop, and stay bit-still until something moves them."""

import math

import numpy as np

from ..jit import sealed_ints
from ..types import Bools, Floats, Ints
from .energy import Start
from .islands import Islands
from .moving import Moving, refresh
from .records import Records
from .state import RigidState
from .touching import HIT, SLOP

SLOW = 0.05  # speed below which a body may fall asleep, in sqrt(g r)
# A body that balances on an edge leaves at a rate of about sqrt(g/r): within 6/sqrt(g/r) it is either down or fast.
PATIENCE = 6.0  # how long it has to be slow, in sqrt(r / g)
LEAST_PATIENCE = 0.2  # [s]
ROUND_OFF = 1e-9  # of a sum of frames [s]
GRACE = 0.1  # time over which a way counts as slow or fast at least [s]
SHARE = 30.0  # masses of what hits a heap that wake: what lies behind them has no more than a thirtieth of its speed
ROCKING = 3.0  # by which a body that does not get far may be faster
SETTLED = 0.2  # how long it has to be slow after it was woken or stirred: by then, what falls or swings is fast [s]


def fall_asleep(
    moving: Moving, start: Start, state: RigidState, asleep: Bools, islands: Islands, contacts: Records, dt: float
) -> tuple[Bools, Floats, Floats]:
    """Who sleeps (K,), how long each body has been slow and supported (K,) [s] and since which pose (K,7).

    These three are as after a frame of dt [s], at the beginning of which they were as in the state; `asleep` are
    those who slept all the time. A body sleeps once it has been slow for long enough and nothing stirs it: all that
    acted on it in the frame is about to sleep too. So what moves in a heap keeps its neighbours awake, but not the
    whole heap. A body that touches nothing, or that rests on what moves, stays awake.
    """
    label, wait = islands.label, patience(moving)
    calm = label >= 0
    calm[calm] = islands.grounded[label[calm]] & ~islands.driven[label[calm]]
    quiet = state.quiet + dt
    calm &= is_slow(moving, state.since, ways(moving, start.position, start.rotation), quiet, dt)
    quiet = np.where(asleep, state.quiet, np.where(calm, quiet, 0.0))
    since = np.where((asleep | calm)[:, None], state.since, poses(moving))
    stirred = _stirred(contacts.body[np.flatnonzero(contacts.carried)], asleep | rested(moving, quiet))
    quiet = np.where((stirred | state.asleep) & ~asleep, np.minimum(quiet, wait - SETTLED), quiet)
    now = calm & ~asleep & (quiet >= wait - ROUND_OFF)
    stopped = np.flatnonzero(now)
    moving.bodies.velocity[stopped] = 0.0
    moving.bodies.angular_momentum[stopped] = 0.0
    return asleep | now, quiet, since


def rested(moving: Moving, quiet: Floats) -> Bools:
    """(K,) bodies that are about to sleep, or would if nothing stirred them, after they were `quiet` (K,) [s]."""
    return np.asarray(quiet >= patience(moving) - SETTLED - ROUND_OFF)


def _stirred(acted: Ints, still: Bools) -> Bools:
    """(K,) bodies on which one of the others acted that are not `still` (K,); pairs `acted` (n,2)."""
    free = len(still)
    moves = np.append(~still, False)[np.minimum(acted, free)]
    stirred = np.zeros(free + 1, np.bool_)
    stirred[np.minimum(acted[moves[:, 1], 0], free)] = True
    stirred[np.minimum(acted[moves[:, 0], 1], free)] = True
    return stirred[:free]


def poses(moving: Moving) -> Floats:
    """Positions and rotations (K,7) of the free bodies."""
    b = moving.bodies[: moving.free]
    return np.concatenate([b.position, b.rotation], axis=1)


def ways(moving: Moving, position: Floats, rotation: Floats) -> Floats:
    """How far (K,) the points of each body are from where they were in another pose, at least its farthest [m]."""
    b = moving.bodies[: moving.free]
    way = np.sqrt(np.square(b.position - position).sum(axis=1))
    sine = np.sqrt(np.maximum(1.0 - np.square(np.sum(b.rotation * rotation, axis=1)), 0.0))
    return np.asarray(np.maximum(way, 2.0 * np.arcsin(np.minimum(sine, 1.0)) * b.radius))


def is_slow(moving: Moving, since: Floats, step: Floats, time: Floats, dt: float) -> Bools:
    """(K,) bodies that did not get far: from the pose `since` (K,7) within `time` (K,) [s], and in a `step` (K,) of dt.

    What counts is how far they came, not their velocity: a small piece between large ones may rock to and fro for
    ever with the precision of the solver, and would keep its neighbours awake.
    """
    speed = SLOW * np.sqrt(moving.weight * moving.bodies.radius[: moving.free])
    near = ways(moving, since[:, :3], since[:, 3:]) <= speed * np.maximum(time, GRACE)
    return np.asarray(near & (step <= ROCKING * speed * dt))


def patience(moving: Moving) -> Floats:
    """How long each body (K,) has to be slow [s]; without gravity nothing tells rest from slow flight."""
    if moving.weight == 0.0:
        return np.full(moving.free, math.inf)
    waits = PATIENCE * np.sqrt(moving.bodies.radius[: moving.free] / moving.weight)
    return np.asarray(np.maximum(LEAST_PATIENCE, waits))


def wake(moving: Moving, pairs: Records, contacts: Records, asleep: Bools) -> Bools:
    """Wake sleepers that something moves against and those around them that take part of the blow within the substep.

    What gets loose wakes alone: what rests on it follows if it does move. Returns who sleeps on.
    """
    free, bodies = moving.free, moving.bodies
    mark = np.where(asleep & ~moving.held[:free], bodies.woken[:free], 0)
    result = asleep & (mark == 0)
    if (mark == HIT).any():
        share = SHARE * float(bodies.blow[:free][mark == HIT].sum())
        result &= ~_around(
            mark == HIT, _touching(pairs, contacts, asleep & ~moving.held[:free], free), bodies.mass[:free], share
        )
    up = np.flatnonzero(asleep & ~result)
    bodies.inverse_mass[up] = 1.0 / bodies.mass[up]
    bodies.woken[:free], bodies.blow[:free] = 0, 0.0
    refresh(bodies, sealed_ints(up))
    return np.asarray(result)


def _around(hit: Bools, links: Ints, mass: Floats, enough: float) -> Bools:
    """The bodies `hit` (K,) and, ring by ring, those linked (n,2) to them, until there is `enough` mass [kg]."""
    woken = hit
    while mass[woken].sum() < enough:
        wider = woken.copy()
        wider[links[woken[links[:, 0]], 1]] = True
        wider[links[woken[links[:, 1]], 0]] = True
        if (wider == woken).all():
            break
        woken = wider
    return woken


def _touching(pairs: Records, contacts: Records, asleep: Bools, free: int) -> Ints:
    """Pairs (n,2) of sleepers that touch."""
    both = pairs[(pairs.contact >= 0) & (pairs.body < free).all(axis=1)]
    both = both[asleep[both.body].all(axis=1)]
    some = contacts[both.contact]
    points = np.arange(some.gap.shape[1]) < some.count[:, None]
    touch = np.where(points, some.gap, np.inf).min(axis=1) <= SLOP * some.extent
    return np.asarray(both.body[touch])
