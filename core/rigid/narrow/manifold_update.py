"""Detection: how the parts of each pair touch at present, or may touch within a substep."""

import math
from typing import NamedTuple

from ...jit import device_inlined, device_no_refs, njit_no_refs
from ...record_arrays import Record, Records
from ...types import Floats, Ints
from ..records import FACE_B, IMPULSES, POINTS
from .manifold import find_manifold
from .owned_parts import OwnedParts
from .scratch import Scratch

# Gap at which things come to rest, in radii: what the solver lets sink is no overlap yet; by eye: a tenth of SLOP.
REST_OFFSET = 5e-4
SLOP = 0.005  # distance at which a contact is kept although nothing moves, in radii; the prototype's
# Change of the relative pose up to which a manifold is kept, in radii and radians; by eye; 0.005 was tried before.
POSE_TOLERANCE = 0.002
STEP_TOLERANCE = 0.02  # way in a substep up to which a manifold is kept, in radii; the prototype's
MATCH_DISTANCE = 0.15  # distance of a new point from the old one whose impulse it takes over, in radii; the prototype's
MATCH_COSINE = 0.9  # cosine between the old normal and the new one that lets impulses live on; the prototype's
SPECULATIVE_FACTOR = 1.5  # by which other contacts may speed up a body within a substep; by eye
WAKE_SPEED = 0.1  # closing speed that wakes a sleeper, in sqrt(g r); the prototype's
SUPPORT_COSINE = 0.1  # upward part of a normal from which on a contact is a support; by eye
WAKE_OVERLAP = 0.005  # overlap from which on a sleeper has to give way, in radii; by eye: as SLOP
WAKE_ALONE, WAKE_WITH_ISLAND = 1, 2  # how a sleeper wakes: alone, or with others around it
# Difference of the poses of two pieces that have not moved apart since they were cut; ten thousand roundings.
POSE_ROUND_OFF = 1e-12


class Substep(NamedTuple):
    """What a substep is for all pairs."""

    free: int  #: so many bodies, the first ones, are not kinematic
    h: float  #: its length [s]
    gravity: Floats  #: (3,) [m/s^2]


@njit_no_refs
def update_contacts(
    pairs: Records, contacts: Records, used: int, bodies: Records, parts: OwnedParts, active: Ints, step: Substep,
    scratch: Scratch,
) -> tuple[int, int, bool]:  # fmt: skip
    """Look at all pairs for a substep. `contacts` holds `used` rows, with room for as many more.

    Fills `active` with the contacts that can act. Returns how many these are, the rows of `contacts` now in use, and
    whether a sleeper has to wake.
    Marks sleepers that something moves against or sinks into, or whose support moves, and what may be struck. An impact
    is handed on in the order of the pairs: the next contact is looked for as far as it may carry the struck body.
    """
    free, h, gravity = step
    count = 0
    weight = math.sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2])
    for k in range(free):
        bodies[k].struck = 0
    for pair in pairs:
        a, b = bodies[pair.body[0]], bodies[pair.body[1]]
        still = a.inverse_mass == 0.0 and b.inverse_mass == 0.0 and b.mass > 0.0
        if still and pair.known == 1:
            continue
        had = pair.contact >= 0
        contact = contacts[pair.contact if had else used]
        if had and (a.inverse_mass == 0.0 or b.inverse_mass == 0.0):
            wake_on_support_slide(contact, a, b, gravity, weight)
        if not update_manifold(pair, contact, a, b, bodies, parts, h, weight, scratch):
            pair.contact = -1  # its row is left behind
            if had:
                wake_on_support_loss(contact, a, b, gravity, weight)
            continue
        if not had:
            pair.contact = used
            used += 1
        if still:
            continue
        mark_imminent_contacts(contact, a, b, h, weight)
        if a.inverse_mass > 0.0 or b.inverse_mass > 0.0:
            active[count] = pair.contact
            count += 1
    wakes = False
    for k in range(free):
        wakes = wakes or (bodies[k].wake != 0 and bodies[k].immovable == 0)
    return count, used, wakes


@device_no_refs
def update_manifold(
    pair: Record, contact: Record, a: Record, b: Record, bodies: Records, parts: OwnedParts, h: float, weight: float,
    scratch: Scratch,
) -> bool:  # fmt: skip
    """Keep the contact of a pair that hardly moves, or make it anew; returns whether there is one."""
    shapes, manifold = parts.geometry.parts, scratch.manifold[0]
    v, w = a.velocity, b.velocity
    dx, dy, dz = v[0] - w[0], v[1] - w[1], v[2] - w[2]
    speed = math.sqrt(dx * dx + dy * dy + dz * dz)
    far_a, far_b = part_reach(a, shapes[pair.part[0]]), part_reach(b, shapes[pair.part[1]])
    turning = angular_speed(a) * far_a + angular_speed(b) * far_b
    if pair.contact >= 0 and h * (speed + turning) < STEP_TOLERANCE * pair.extent and manifold_is_valid(contact, a, b):
        return True
    if a.struck == 1 or b.struck == 1:  # an impact stops what moves along with the other, or sends it off
        speed = max(speed, math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]))
        speed = max(speed, math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]))
    slop = SLOP * pair.extent
    margin = slop + h * (SPECULATIVE_FACTOR * (speed + turning) + weight * h)
    if pair.contact < 0 and pair.clear > margin:
        way = 0.0
        for k in range(3):
            step = b.position[k] - a.position[k] - pair.between[k]
            way += step * step
        if (
            pair.clear - math.sqrt(way) - (a.rotation_angle * far_a + b.rotation_angle * far_b - pair.rotation_way)
            > margin
        ):
            return False
    for k in range(2):
        manifold.body[k], manifold.part[k] = pair.body[k], pair.part[k]
    for k in range(3):
        manifold.axis[k] = pair.axis[k]
    find_manifold(manifold, bodies, parts, margin, slop, pair.fresh == 1, scratch)
    pair.fresh = 1 if manifold.count > 0 else 0
    for k in range(3):
        pair.axis[k] = manifold.axis[k]
    if pair.known == 0:
        pair.known = 1
        if have_one_pose(a, b, pair.extent):  # of one cut: hulls of concave pieces may overlap a little
            for i in range(manifold.count):
                pair.offset = min(pair.offset, manifold.gap[i])
    if manifold.apart > 0.0:
        pair.offset = 0.0  # they have been apart: what overlaps from now on does overlap
    if manifold.count == 0:
        pair.clear, pair.rotation_way = manifold.apart, a.rotation_angle * far_a + b.rotation_angle * far_b
        for x in range(3):
            pair.between[x] = b.position[x] - a.position[x]
        return False
    if pair.contact < 0:
        clear_contact(pair, contact)
    match_contact_points(contact, manifold, a, b)
    contact.holder = 1 if manifold.axis[0] == FACE_B else 0
    return True


@device_inlined
def wake_on_support_slide(contact: Record, a: Record, b: Record, gravity: Floats, weight: float) -> None:
    """Mark the sleeper of two bodies if the other one, awake, holds it up and has moved, or sinks into it."""
    up, gap = 0.0, 0.0
    for x in range(3):
        up -= contact.normal[x] * gravity[x]
    for i in range(contact.count):
        gap = min(gap, contact.gap[i])
    sinks = gap < -WAKE_OVERLAP * contact.extent
    if a.inverse_mass == 0.0:
        if b.inverse_mass > 0.0 and (
            (sinks and b.rested == 0) or (up > SUPPORT_COSINE * weight and not manifold_is_valid(contact, a, b))
        ):
            a.wake = max(a.wake, WAKE_ALONE)
    elif b.mass > 0.0 and (
        (sinks and a.rested == 0) or (-up > SUPPORT_COSINE * weight and not manifold_is_valid(contact, a, b))
    ):
        b.wake = max(b.wake, WAKE_ALONE)


@device_inlined
def wake_on_support_loss(contact: Record, a: Record, b: Record, gravity: Floats, weight: float) -> None:
    """Mark the sleeper of two bodies that have just lost touch if the other one, awake, was below it.

    What falls off straight never slides out of its contact, so `wake_on_support_slide` would miss it.
    """
    up = 0.0
    for x in range(3):
        up -= contact.normal[x] * gravity[x]
    if a.inverse_mass == 0.0 and b.inverse_mass > 0.0 and up > SUPPORT_COSINE * weight:
        a.wake = max(a.wake, WAKE_ALONE)
    if b.inverse_mass == 0.0 and b.mass > 0.0 and a.inverse_mass > 0.0 and -up > SUPPORT_COSINE * weight:
        b.wake = max(b.wake, WAKE_ALONE)


@device_inlined
def part_reach(b: Record, p: Record) -> float:
    """Distance of the farthest point of one of its parts from the centre of a body at most [m]."""
    x, y, z = p.centre[0] - b.centre[0], p.centre[1] - b.centre[1], p.centre[2] - b.centre[2]
    return float(math.sqrt(x * x + y * y + z * z) + p.radius)


@device_inlined
def angular_speed(b: Record) -> float:
    """Size of the angular velocity [rad/s]."""
    u = b.velocity
    return math.sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5])


@device_inlined
def have_one_pose(a: Record, b: Record, extent: float) -> bool:
    """Whether two bodies have the same pose: they have not moved apart since they were cut."""
    worst = 0.0
    for x in range(3):
        worst = max(worst, abs(a.origin[x] - b.origin[x]))
        for y in range(3):
            worst = max(worst, abs(a.turn[x, y] - b.turn[x, y]) * extent)
    return worst <= POSE_ROUND_OFF * extent


@device_inlined
def clear_contact(pair: Record, contact: Record) -> None:
    """A contact that has carried nothing yet."""
    contact.body[0], contact.body[1] = pair.body[0], pair.body[1]
    contact.extent, contact.offset = pair.extent, pair.offset + REST_OFFSET * pair.extent
    contact.count, contact.carried, contact.work = 0, 0, 0.0
    contact.normal_impulse = 0.0
    for x in range(3):
        contact.total[x], contact.impulse_moment[0, x], contact.impulse_moment[1, x] = 0.0, 0.0, 0.0
    for k in range(IMPULSES):
        contact.impulse[k] = 0.0


@device_inlined
def manifold_is_valid(contact: Record, a: Record, b: Record) -> bool:
    """Whether the relative pose is still that of the contact; its normal then turns with the bodies."""
    tilt = 0.0
    n = contact.normal
    for x in range(3):
        p, q = rotated_component(a, contact.local[0], x), rotated_component(b, contact.local[1], x)
        n[x] = p if contact.holder == 0 else q
        tilt += (p - q) * (p - q)
    if tilt > POSE_TOLERANCE * POSE_TOLERANCE:
        return False
    limit = POSE_TOLERANCE * contact.extent
    for i in range(contact.count):
        along, apart = 0.0, 0.0
        for x in range(3):
            d = (
                a.origin[x]
                - b.origin[x]
                + rotated_component(a, contact.anchor[i, 0], x)
                - rotated_component(b, contact.anchor[i, 1], x)
            )
            along += d * n[x]
            apart += d * d
        if apart - along * along > limit * limit or along - contact.offset - contact.gap[i] > limit:
            return False
    return True


@device_inlined
def rotated_component(b: Record, v: Floats, x: int) -> float:
    """Component x of a vector (3,) in rest axes after the rotation of a body."""
    return float(b.turn[x, 0] * v[0] + b.turn[x, 1] * v[1] + b.turn[x, 2] * v[2])


@device_inlined
def unrotated_component(b: Record, v: Floats, x: int) -> float:
    """Component x in rest axes of a vector (3,) in world axes."""
    return float(b.turn[0, x] * v[0] + b.turn[1, x] * v[1] + b.turn[2, x] * v[2])


@device_no_refs
def match_contact_points(contact: Record, manifold: Record, a: Record, b: Record) -> None:
    """Fix the new points to the bodies, and hand the impulses of the old points on to those near them."""
    alike = 0.0
    for x in range(3):
        alike += rotated_component(a, contact.local[0], x) * manifold.normal[x]
    if contact.count == 0 or alike < MATCH_COSINE:
        contact.count = 0
        for k in range(POINTS, IMPULSES):
            contact.impulse[k] = 0.0
    for k in range(POINTS):
        contact.before[k] = contact.impulse[k]
    limit = MATCH_DISTANCE * MATCH_DISTANCE * contact.extent * contact.extent
    for i in range(manifold.count):
        best, nearest = -1, limit
        for j in range(contact.count):
            away = 0.0
            for x in range(3):
                d = a.origin[x] + rotated_component(a, contact.anchor[j, 0], x) - manifold.point[i, 0, x]
                away += d * d
            if away < nearest:
                best, nearest = j, away
        contact.impulse[i] = 0.0
        if best >= 0:
            contact.impulse[i] = contact.before[best]
            contact.before[best] = 0.0  # each is handed on once
    for i in range(manifold.count):
        p = manifold.point[i]
        for x in range(3):
            p[0, x] -= a.origin[x]
            p[1, x] -= b.origin[x]
        for x in range(3):
            contact.anchor[i, 0, x] = unrotated_component(a, p[0], x)
            contact.anchor[i, 1, x] = unrotated_component(b, p[1], x)
        contact.gap[i] = manifold.gap[i] - contact.offset
    for i in range(manifold.count, POINTS):
        contact.impulse[i] = 0.0
    contact.count = manifold.count
    for x in range(3):
        contact.normal[x] = manifold.normal[x]
        contact.local[0, x] = unrotated_component(a, manifold.normal, x)
        contact.local[1, x] = unrotated_component(b, manifold.normal, x)


@device_no_refs
def mark_imminent_contacts(contact: Record, a: Record, b: Record, h: float, weight: float) -> None:
    """Mark what may be struck within h [s], and sleepers that are moved against, or whose support moves."""
    kinematic = b.mass == 0.0
    moves = False
    for x in range(6):
        moves = moves or (kinematic and b.velocity[x] != 0.0)
    for i in range(contact.count):
        u = 0.0
        for side in range(2):
            body = a if side == 0 else b
            v, q = body.velocity, contact.anchor[i, side]
            for x in range(3):
                y, z = (x + 1) % 3, (x + 2) % 3
                r = rotated_component(body, q, z) + body.origin[z] - body.position[z]
                s = rotated_component(body, q, y) + body.origin[y] - body.position[y]
                along = v[x] + v[3 + y] * r - v[3 + z] * s
                u += contact.normal[x] * (along if side == 0 else -along)
        closes = -u * h > contact.gap[i]
        if closes and -u > weight * h:
            a.struck, b.struck = 1, 1
        # What gravity and other contacts add within the substep may close it too, and then a sleeper would be a wall.
        soon = h * (-SPECULATIVE_FACTOR * u + weight * h) > contact.gap[i]
        waking = soon and -u > WAKE_SPEED * math.sqrt(weight * contact.extent)
        if waking or (moves and contact.gap[i] < SLOP * contact.extent):
            if a.inverse_mass == 0.0:
                a.wake, a.waking_mass = WAKE_WITH_ISLAND, math.inf if kinematic else max(a.waking_mass, b.mass)
            if b.inverse_mass == 0.0 and not kinematic:
                b.wake, b.waking_mass = WAKE_WITH_ISLAND, max(b.waking_mass, a.mass)
