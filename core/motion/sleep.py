"""Sleep: supported bodies that have been slow for a while stop, and stay bit-still until something moves them."""

import math

import numpy as np

from ..jit import sealed_ints
from ..types import Bools, Floats, Ints
from .energy import Start
from .islands import Islands, joined
from .moving import Moving, refresh
from .records import Records
from .touching import HIT, SLOP

SLOW = 0.05  # speed below which a body may fall asleep, in sqrt(g r)
# A body that balances on an edge leaves at a rate of about sqrt(g/r): within 6/sqrt(g/r) it is either down or fast.
PATIENCE = 6.0  # how long it has to be slow, in sqrt(r / g)
LEAST_PATIENCE = 0.2  # [s]


def fall_asleep(
    moving: Moving, start: Start, asleep: Bools, quiet: Floats, islands: Islands, contacts: Records, dt: float
) -> tuple[Bools, Floats]:
    """Who sleeps (K,) and how long each body has been slow and supported (K,) [s], after a frame of dt [s].

    A body sleeps once it and all that acted on it in the frame have been slow for long enough: so what still moves
    in a heap keeps its neighbours awake, but not the whole heap. A body that touches nothing, or that rests on what
    moves, stays awake.
    """
    label = islands.label
    some = label >= 0
    calm = np.zeros(len(label), np.bool_)
    calm[some] = islands.grounded[label[some]] & ~islands.driven[label[some]]
    calm &= is_slow(moving, start, dt)
    quiet = np.where(asleep, quiet, np.where(calm, quiet + dt, 0.0))
    still = asleep | (quiet >= patience(moving) - 1e-9)
    still = np.append(still, np.ones(len(moving.bodies) - moving.free, np.bool_))
    acted = contacts.body[np.flatnonzero(contacts.carried)]
    stirred = np.zeros(len(still), np.bool_)
    for one, other in ((0, 1), (1, 0)):
        stirred[acted[~still[acted[:, other]], one]] = True
    now = some & ~asleep & (still & ~stirred)[: moving.free]
    bodies = moving.bodies
    stopped = np.flatnonzero(now)
    bodies.velocity[stopped] = 0.0
    bodies.angular_momentum[stopped] = 0.0
    return asleep | now, quiet


def is_slow(moving: Moving, start: Start, dt: float) -> Bools:
    """(K,) bodies of which no point moved fast for its size over the frame.

    What counts is how far they came, not their velocity at its end: that of a small piece between large ones may
    jitter for ever with the precision of the solver, and one such piece would keep the whole heap awake.
    """
    b = moving.bodies[: moving.free]
    way = np.sqrt(np.square(b.position - start.position).sum(axis=1))
    sine = np.sqrt(np.maximum(1.0 - np.square(np.sum(b.rotation * start.rotation, axis=1)), 0.0))
    way = np.maximum(way, 2.0 * np.arcsin(np.minimum(sine, 1.0)) * b.radius)
    return np.asarray(way <= dt * SLOW * np.sqrt(moving.weight * b.radius))


def patience(moving: Moving) -> Floats:
    """How long each body (K,) has to be slow [s]; without gravity nothing tells rest from slow flight."""
    if moving.weight == 0.0:
        return np.full(moving.free, math.inf)
    waits = PATIENCE * np.sqrt(moving.bodies.radius[: moving.free] / moving.weight)
    return np.asarray(np.maximum(LEAST_PATIENCE, waits))


def wake(moving: Moving, pairs: Records, contacts: Records, asleep: Bools) -> Bools:
    """Wake sleepers that something moves against and all sleepers that they touch, directly or through others.

    Of those whose support moves, only they wake: those that rest on them follow if they do move. Returns who sleeps on.
    """
    free, bodies = moving.free, moving.bodies
    sleepers = np.flatnonzero(asleep)
    mark = bodies.woken[sleepers]
    result = asleep.copy()
    result[sleepers[mark > 0]] = False
    if (mark == HIT).any():
        label, count = joined(free, _touching(pairs, contacts, asleep, free), sleepers)
        hit = np.zeros(count, np.bool_)
        hit[label[sleepers[mark == HIT]]] = True
        result[sleepers[hit[label[sleepers]]]] = False
    up = np.flatnonzero(asleep & ~result)
    bodies.inverse_mass[up] = 1.0 / bodies.mass[up]
    bodies.woken[:free] = 0
    refresh(bodies, sealed_ints(up))
    return result


def _touching(pairs: Records, contacts: Records, asleep: Bools, free: int) -> Ints:
    """Pairs (n,2) of sleepers that touch."""
    both = pairs[(pairs.contact >= 0) & (pairs.body < free).all(axis=1)]
    both = both[asleep[both.body].all(axis=1)]
    some = contacts[both.contact]
    points = np.arange(some.gap.shape[1]) < some.count[:, None]
    touch = np.where(points, some.gap, np.inf).min(axis=1) <= SLOP * some.extent
    return np.asarray(both.body[touch])
