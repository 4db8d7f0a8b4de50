"""Contacts as events: how hard each living fragment was hit in a frame, where, and from where.

What is held against a threshold is what a contact did beyond what the same two did to each other in the frame before:
the weight of what rests on something is no event. Where it is a speed, it is the change of the relative speed in the
contact, J n.K n with K of both, so that the threshold does not depend on the mass (B1; docs/papers/su2009.md, 4.9). It
is no more than how fast anything closed in there, see approach_speed.py; an impulse counts by the same share.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply, dot
from ..arithmetic.small_matrices import rotation_matrices, solve
from ..config.breakable import IMPULSE
from ..rigid.contact_impulses import BodyContactImpulses
from ..types import Bools, Floats, Ints
from .live_fragments import LiveFragments

#: What is kinematic has numbers below zero: -1 - i for the colliders, then the ground.
KINEMATIC = -1
_WIDER = 1.5  # by which a bound is wider than it has to be; chosen


@dataclass(frozen=True, slots=True)
class ContactEvent:
    """What hit a fragment hardest in one frame."""

    row: int
    measure: float  #: [m/s] or [N s]
    ratio: float  #: to the threshold without influences
    speed: float  #: change of the relative speed [m/s]
    impulse: float  #: [N s]
    point: Floats  #: (3,) in material coordinates [m]
    direction: Floats  #: (3,) unit, of the impulse on the fragment, in material coordinates
    calm: bool  #: neither of the two moved before the frame
    by: int  #: the object that hit it, or what is kinematic: -1, -2, ... for the colliders, then the ground


class PreviousImpulses:
    """What pairs of objects did to each other in the frame before: a key for each pair, ascending, and an impulse."""

    def __init__(self) -> None:
        self._key, self._size = np.zeros(0, np.int64), np.zeros(0)

    def beyond(self, key: Ints, size: Floats) -> Floats:
        """How much larger impulses (P,) are than those of the same pairs were [N s]."""
        at = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
        if len(self._key) == 0:
            return size
        return np.asarray(np.maximum(size - np.where(self._key[at] == key, self._size[at], 0.0), 0.0))

    def keep(self, key: Ints, size: Floats) -> None:
        """Remember those of the frame that has passed."""
        order = np.argsort(key, kind="stable")
        self._key, self._size = key[order], size[order]


def impulse_sizes(impulses: BodyContactImpulses) -> Floats:
    """(P,) of the impulses [N s]."""
    return np.asarray(np.sqrt(np.square(impulses.impulse).sum(axis=1)))


def pair_keys(live: LiveFragments, impulses: BodyContactImpulses) -> Ints:
    """(P,) one number for each pair, the same from frame to frame while both live."""
    count = len(live.alive)
    kinematic = count + KINEMATIC - impulses.body
    number = np.where(kinematic < 0, kinematic, live.alive[np.minimum(impulses.body, count - 1)])
    most = np.int64(2**31)
    return np.asarray((number[:, 0] + most) * 2 * most + number[:, 1] + most)


#: Bounds (P,) of the change of relative speed in each contact [m/s], asked for only where something might break.
SpeedBounds = Callable[[], Floats]


def find_contact_events(
    live: LiveFragments,
    impulses: BodyContactImpulses,
    loads: PreviousImpulses,
    limit: Floats,
    driven: bool,
    bounds: SpeedBounds,
) -> list[ContactEvent]:
    """The hardest contact on each living fragment whose threshold `limit (K,)` it exceeds; infinite where none counts.

    `driven`: whether any collider moves in the frame.
    """
    size = impulse_sizes(impulses)
    some = np.flatnonzero(size > 0.0)
    if len(some) == 0 or not np.isfinite(limit).any():
        return []
    size = loads.beyond(pair_keys(live, impulses), size)
    some = some[_may_break(live, impulses.body[some], size[some], limit)]
    if len(some) == 0:
        return []
    sides = [_side(live, impulses, some, side) for side in (0, 1)]
    still = (live.state.velocity == 0.0).all(axis=1) & (live.state.angular_momentum == 0.0).all(axis=1)
    still = np.append(still, not driven)
    found: dict[int, ContactEvent] = {}
    bound = None
    for own, other in (sides, sides[::-1]):
        speed, measure = _measures(live, own, other, size[some])
        limits = np.maximum(np.append(limit, np.inf)[own.row], 1e-300)
        if not (measure > limits).any():
            continue
        if bound is None:
            bound = bounds()[some]
        within = np.minimum(1.0, bound / np.maximum(speed, 1e-300))
        speed, measure, impulse = within * speed, within * measure, within * size[some]
        ratio = measure / limits
        for k in np.flatnonzero(ratio > 1.0):
            row = int(own.row[k])
            if row in found and found[row].measure >= measure[k]:
                continue
            found[row] = ContactEvent(
                row,
                float(measure[k]),
                float(ratio[k]),
                float(speed[k]),
                float(impulse[k]),
                own.anchor[k],
                own.direction[k],
                bool(still[row] and still[other.row[k]]),
                int(other.obj[k]),
            )
    return [found[row] for row in sorted(found)]


def _may_break(live: LiveFragments, body: Ints, size: Floats, limit: Floats) -> Bools:
    """Which of some pairs (n,2) may exceed a threshold `limit (K,)` with their impulses (n,): an upper bound.

    Nothing is farther from the centre of mass than the radius, or turns easier than about the smallest moment.
    """
    bodies, count = live.bodies, len(live.alive)
    ease = np.append(1.0 / bodies.mass + np.square(bodies.radius) / bodies.moments[:, 0], 0.0)
    row = np.minimum(body, count)
    most = size * np.maximum(1.0, _WIDER * ease[row].sum(axis=1))
    return np.asarray(most > np.append(limit, np.inf)[row].min(axis=1))


class _Side(NamedTuple):
    """One of the two in each of n pairs; what is kinematic has the row behind the last."""

    row: Ints  #: (n,)
    obj: Ints  #: (n,) below zero: what is kinematic
    anchor: Floats  #: (n,3) in material coordinates [m]
    direction: Floats  #: (n,3) unit, of the impulse on it, in material axes
    mass: Floats  #: (n,) [kg]
    ease: Floats  #: (n,) change of the speed of the point by a unit impulse, were it free; 0 of what deforms [1/kg]
    static: Bools  #: (n,) nothing moves it
    both: Floats  #: (n,) `BodyContactImpulses.ease`


def _side(live: LiveFragments, impulses: BodyContactImpulses, pairs: Ints, side: int) -> _Side:
    """One side of some pairs; what is kinematic has an infinite mass."""
    count = len(live.alive)
    row = np.minimum(impulses.body[pairs, side], count)
    free = row < count
    by_skin = np.append(live.skins(), False)[row]
    body = np.where(free, row, 0)
    push = impulses.impulse[pairs] * (1.0 if side == 0 else -1.0)
    along = apply(np.swapaxes(rotation_matrices(live.state.rotation[body]), 1, 2), push)
    direction = along / np.sqrt(np.square(along).sum(axis=1))[:, None]
    anchor = impulses.anchor[pairs, side]
    arm = np.cross(anchor - live.rest.centre[body], direction)
    turning = dot(arm, solve(live.rest.inertia[body], arm[:, :, None])[:, :, 0])
    ease = np.where(free & ~by_skin, 1.0 / live.rest.mass[body] + turning, 0.0)
    mass = np.where(free, live.rest.mass[body], np.inf)
    both = impulses.ease[pairs] if len(impulses.ease) else np.zeros(len(pairs))
    obj = np.where(free, live.object_of()[body], count + KINEMATIC - impulses.body[pairs, side])
    return _Side(row, obj, anchor, direction, mass, ease, np.append(live.pinned, True)[row], both)


def _measures(live: LiveFragments, own: _Side, other: _Side, size: Floats) -> tuple[Floats, Floats]:
    """Change of relative speed (n,) [m/s] and what is held against the thresholds (n,), from impulses (n,) [N s]."""
    both = np.where(own.static, 0.0, own.ease) + np.where(other.static, 0.0, other.ease)
    # Two that cannot be moved were looked at as if one of them could: see `static_loads` and `skin_contacts`.
    alone = own.ease + other.ease
    speed = size * np.where(both == 0.0, np.where(alone == 0.0, own.both, alone), both)
    by_impulse, lightest = (values[np.maximum(own.obj, KINEMATIC)] for values in _choices(live))
    counts = lightest * np.where(np.isfinite(own.mass), own.mass, 0.0)
    share = np.where(other.mass < counts, other.mass / np.maximum(counts, 1e-300), 1.0)
    return speed, np.where(by_impulse, size, speed * share)


def _choices(live: LiveFragments) -> tuple[Bools, Floats]:
    """Of each object: whether impulses are held against its threshold, and the least share of its mass that counts."""
    contact_fracture = [obj.policy for obj in live.objects]
    by_impulse = [one is not None and one.params.measure == IMPULSE for one in contact_fracture]
    lightest = [0.0 if one is None else one.params.lightest for one in contact_fracture]
    return np.array([*by_impulse, False]), np.array([*lightest, 0.0])
