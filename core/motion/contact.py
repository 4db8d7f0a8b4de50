"""Contacts between two bodies, or a body and the world, and the rows that the solver works on.

A detection function returns `Contacts`: where and in which direction two things may touch. That is all it needs to
know. Everything else (arms, effective masses, warm start, targets) is the same for each kind of contact.
"""

import math
from typing import NamedTuple

import numpy as np

from ..jit import inner
from ..types import Floats, Ints
from .moving import Moving


class Contacts(NamedTuple):
    """Possible contact points, those of one pair of bodies in consecutive rows, each pair in one place only."""

    body: Ints  #: (R,2) bodies a, b; b = -1 is the world
    feature: Ints  #: (R,) number of the contact within its pair, the same from step to step, below 2**20
    anchor: Floats  #: (R,2,3) the point of each body that touches, in its rest axes about its centre (world: a point)
    normal: Floats  #: (R,3) unit vector from b to a


class Rows(NamedTuple):
    """Contacts with everything that the solver needs. Directions: 0 normal, 1 and 2 tangents. Sides: 0 a, 1 b."""

    body: Ints  #: (R,2)
    feature: Ints  #: (R,)
    anchor: Floats  #: (R,2,3)
    direction: Floats  #: (R,3,3) orthonormal: normal, two tangents
    start: Ints  #: (M+1,) rows of each pair
    gap: Floats  #: (R,) distance along the normal, negative where they overlap [m]
    J: Floats  #: (R,2,3,6) direction and arm x direction: u = sum over sides of J . velocity
    Y: Floats  #: (R,2,3,6) change of velocity by a unit impulse: M^-1 J
    K: Floats  #: (R,3,3) change of u by a unit impulse [1/kg]
    impulse: Floats  #: (R,3) along the directions [N s]
    target: Floats  #: (R,) least normal velocity [m/s]
    approach: Floats  #: (R,) normal velocity before the first solve of the substep [m/s]
    tolerance: Floats  #: (R,) change of velocity that counts as none [m/s]


class Held(NamedTuple):
    """Impulses of an earlier solve (see `Impulses`)."""

    body: Ints  #: (R,2)
    feature: Ints  #: (R,)
    impulse: Floats  #: (R,3) world axes [N s]


@inner
def rows_of(contacts: Contacts) -> Rows:
    """Rows for the contacts, still without arms, impulses and targets (see `place`, `recall`, `aim`)."""
    count = len(contacts.feature)
    return Rows(
        contacts.body,
        contacts.feature,
        contacts.anchor,
        directions(contacts.normal),
        pair_starts(contacts.body),
        np.empty(count),
        np.empty((count, 2, 3, 6)),
        np.empty((count, 2, 3, 6)),
        np.empty((count, 3, 3)),
        np.zeros((count, 3)),
        np.zeros(count),
        np.zeros(count),
        np.zeros(count),
    )


@inner
def key(body: Ints, feature: Ints, r: int) -> int:
    """A number for the contact of row r, unique within a frame."""
    return int((((body[r, 0] << 21) + body[r, 1] + 1) << 20) + feature[r])


@inner
def recall(rows: Rows, held: Held, share: float) -> None:
    """Start from `share` of the held impulses, where the same contact of the same pair had one."""
    if len(held.feature) == 0:
        return
    old = np.empty(len(held.feature), np.int64)
    for r in range(len(old)):
        old[r] = key(held.body, held.feature, r)
    order = np.argsort(old)
    old = old[order]
    for r in range(len(rows.feature)):
        wanted = key(rows.body, rows.feature, r)
        i = np.searchsorted(old, wanted)
        if i < len(old) and old[i] == wanted:
            for k in range(3):
                along = 0.0
                for x in range(3):
                    along += rows.direction[r, k, x] * held.impulse[order[i], x]
                rows.impulse[r, k] = share * along


@inner
def remember(rows: Rows, impulse: Floats) -> Held:
    """The impulses (R,3) in world axes, without the rows that carried none."""
    carried = np.flatnonzero(impulse[:, 0] > 0.0)
    body = np.empty((len(carried), 2), np.int64)
    feature = np.empty(len(carried), np.int64)
    world = np.zeros((len(carried), 3))
    for i in range(len(carried)):
        r = carried[i]
        body[i, 0], body[i, 1], feature[i] = rows.body[r, 0], rows.body[r, 1], rows.feature[r]
        for k in range(3):
            for x in range(3):
                world[i, x] += impulse[r, k] * rows.direction[r, k, x]
    return Held(body, feature, world)


@inner
def directions(normal: Floats) -> Floats:
    """Right-handed orthonormal frames (R,3,3) whose first row is the normal (Duff et al. 2017)."""
    frame = np.empty((len(normal), 3, 3))
    for r in range(len(normal)):
        x, y, z = normal[r, 0], normal[r, 1], normal[r, 2]
        sign = math.copysign(1.0, z)
        a = -1.0 / (sign + z)
        b = x * y * a
        frame[r, 0, 0], frame[r, 0, 1], frame[r, 0, 2] = x, y, z
        frame[r, 1, 0], frame[r, 1, 1], frame[r, 1, 2] = 1.0 + sign * x * x * a, sign * b, -sign * x
        frame[r, 2, 0], frame[r, 2, 1], frame[r, 2, 2] = b, sign + y * y * a, -y
    return frame


@inner
def pair_starts(body: Ints) -> Ints:
    """First rows (M+1,) of the runs of equal pairs."""
    start = np.empty(len(body) + 1, np.int64)
    count = 0
    for r in range(len(body)):
        if r == 0 or body[r, 0] != body[r - 1, 0] or body[r, 1] != body[r - 1, 1]:
            start[count] = r
            count += 1
    start[count] = len(body)
    return start[: count + 1].copy()


@inner
def world_point(position: Floats, q: Floats, local: Floats, out: Floats) -> None:
    """Write position + q local q* (3,) into `out`."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    a, b, c = local[0], local[1], local[2]
    e, f, g = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    out[0] = position[0] + a + w * e + y * g - z * f
    out[1] = position[1] + b + w * f + z * e - x * g
    out[2] = position[2] + c + w * g + x * f - y * e


@inner
def place(rows: Rows, moving: Moving) -> None:
    """Gap, J, Y and K of each row at the present positions of the bodies."""
    point = np.empty((2, 3))
    for r in range(len(rows.feature)):
        for side in range(2):
            k = rows.body[r, side]
            world_point(moving.position[k], moving.rotation[k], rows.anchor[r, side], point[side])
        d = rows.direction[r]
        rows.gap[r] = 0.0
        for i in range(3):
            rows.gap[r] += d[0, i] * (point[0, i] - point[1, i])
        if rows.body[r, 1] >= 0:  # both bodies feel the impulse at one point, so angular momentum is kept
            for i in range(3):
                point[0, i] = 0.5 * (point[0, i] + point[1, i])
        for side in range(2):
            k = rows.body[r, side]
            place_side(
                d, point[0], moving.position[k], moving.inverse_mass[k], moving.inverse_inertia[k], 1.0 - 2.0 * side,
                rows.J[r, side], rows.Y[r, side],
            )  # fmt: skip
        for i in range(3):
            for j in range(3):
                total = 0.0
                for side in range(2):
                    for x in range(6):
                        total += rows.J[r, side, i, x] * rows.Y[r, side, j, x]
                rows.K[r, i, j] = total


@inner
def place_side(
    d: Floats, point: Floats, centre: Floats, inverse_mass: float, inverse_inertia: Floats, sign: float,
    J: Floats, Y: Floats,
) -> None:  # fmt: skip
    """J and Y (3,6) of one side of a row."""
    x, y, z = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    for k in range(3):
        J[k, 0], J[k, 1], J[k, 2] = sign * d[k, 0], sign * d[k, 1], sign * d[k, 2]
        J[k, 3] = y * J[k, 2] - z * J[k, 1]
        J[k, 4] = z * J[k, 0] - x * J[k, 2]
        J[k, 5] = x * J[k, 1] - y * J[k, 0]
        for i in range(3):
            Y[k, i] = inverse_mass * J[k, i]
            Y[k, 3 + i] = (
                inverse_inertia[i, 0] * J[k, 3] + inverse_inertia[i, 1] * J[k, 4] + inverse_inertia[i, 2] * J[k, 5]
            )
