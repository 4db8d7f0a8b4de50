"""The rows of contacts at the present positions: gaps, Jacobians, masses, where friction acts."""

import math

from ...jit import device_inlined, device_no_refs, njit_no_refs
from ...record_arrays import Record, Records
from ...types import Floats, Ints
from ..records import IMPULSES, POINTS


@njit_no_refs
def prepare_constraints(
    contacts: Records, active: Ints, blocks: Records, rows: Records, bodies: Records, point: Floats
) -> None:
    """Everything that the solver needs of the `active` contacts at the present positions of the bodies.

    Contact `active[i]` becomes block i. The rows of the blocks follow each other; they keep their impulses.
    `point (POINTS,3)` is scratch.
    """
    first = 0
    for i in range(len(active)):
        contact, block = contacts[active[i]], blocks[i]
        a, b = bodies[contact.body[0]], bodies[contact.body[1]]
        block.body[0], block.body[1] = contact.body[0], contact.body[1]
        block.first, block.count, block.extent = first, contact.count, contact.extent
        block.friction = mix_coefficients(b, a.friction, b.friction)
        block.restitution = mix_coefficients(b, a.restitution, b.restitution)
        R, n = (a if contact.holder == 0 else b).turn, contact.local[contact.holder]
        for x in range(3):
            contact.normal[x] = R[x, 0] * n[0] + R[x, 1] * n[1] + R[x, 2] * n[2]
            block.normal[x] = contact.normal[x]
        set_tangents(block)
        for k in range(contact.count):
            locate_contact_point(contact, a, b, k, point[k])
        locate_centre_of_pressure(contact, first, rows, point)
        for k in range(contact.count):
            fill_row(rows[first + k], a, b, point[k], block.normal)
        first += contact.count
        for k in range(2):
            fill_row(rows[first + k], a, b, contact.pressure, block.tangent[k])
        block.cross = 0.0
        for side in range(2):
            for x in range(3):
                block.cross += rows[first].jacobian[side, x] * rows[first + 1].inverse_mass_jacobian[side, x]
        fill_twist_row(rows[first + 2], block.normal, a, b)
        first += 3


@device_inlined
def mix_coefficients(b: Record, of_a: float, of_b: float) -> float:
    """Friction or restitution between two bodies: the geometric mean; that of a where b is kinematic."""
    return math.sqrt(of_a * of_b) if b.mass > 0.0 else of_a


@device_inlined
def set_tangents(block: Record) -> None:
    """Two unit vectors across the normal (Duff et al.: Building an orthonormal basis, revisited, 2017)."""
    x, y, z = block.normal[0], block.normal[1], block.normal[2]
    sign = math.copysign(1.0, z)
    c = -1.0 / (sign + z)
    d = x * y * c
    t = block.tangent
    t[0, 0], t[0, 1], t[0, 2] = 1.0 + sign * x * x * c, sign * d, -sign * x
    t[1, 0], t[1, 1], t[1, 2] = d, sign + y * y * c, -y


@device_inlined
def locate_contact_point(contact: Record, a: Record, b: Record, k: int, point: Floats) -> None:
    """Gap and place (3,) of point k. Free bodies feel its impulse half-way, so that angular momentum is kept."""
    gap = -contact.offset
    p, q = contact.anchor[k, 0], contact.anchor[k, 1]
    half = 0.5 if b.mass > 0.0 else 0.0
    for x in range(3):
        s = a.origin[x] + a.turn[x, 0] * p[0] + a.turn[x, 1] * p[1] + a.turn[x, 2] * p[2]
        t = b.origin[x] + b.turn[x, 0] * q[0] + b.turn[x, 1] * q[1] + b.turn[x, 2] * q[2]
        gap += contact.normal[x] * (s - t)
        point[x] = s + half * (t - s)
    contact.gap[k] = gap


@device_no_refs
def fill_row(row: Record, a: Record, b: Record, point: Floats, d: Floats) -> None:
    """Jacobian, spin and inverse effective mass of an impulse along d (3,) at a point (3,)."""
    K = a.inverse_mass + b.inverse_mass
    for side in range(2):
        body = a if side == 0 else b
        sign = 1.0 if side == 0 else -1.0
        x, y, z = point[0] - body.position[0], point[1] - body.position[1], point[2] - body.position[2]
        e, f, g = sign * (y * d[2] - z * d[1]), sign * (z * d[0] - x * d[2]), sign * (x * d[1] - y * d[0])
        K += set_jacobian(row, side, body, e, f, g)
    row.inverse_effective_mass = K


@device_inlined
def set_jacobian(row: Record, side: int, body: Record, e: float, f: float, g: float) -> float:
    """Set Jacobian (e, f, g) and spin of one side; returns its part of the inverse effective mass."""
    W, s, jacobian = body.inverse_inertia, row.inverse_mass_jacobian[side], row.jacobian[side]
    jacobian[0], jacobian[1], jacobian[2] = e, f, g
    s[0] = W[0, 0] * e + W[0, 1] * f + W[0, 2] * g
    s[1] = W[1, 0] * e + W[1, 1] * f + W[1, 2] * g
    s[2] = W[2, 0] * e + W[2, 1] * f + W[2, 2] * g
    return float(s[0] * e + s[1] * f + s[2] * g)


@device_inlined
def fill_twist_row(row: Record, n: Floats, a: Record, b: Record) -> None:
    """The row of an angular impulse about the normal (3,)."""
    row.inverse_effective_mass = set_jacobian(row, 0, a, n[0], n[1], n[2]) + set_jacobian(
        row, 1, b, -n[0], -n[1], -n[2]
    )


@device_inlined
def locate_centre_of_pressure(contact: Record, first: int, rows: Records, point: Floats) -> None:
    """The mean of the points (.,3), weighted by the impulses that they carried last, and how far each is from it."""
    total = 0.0
    for k in range(contact.count):
        total += contact.impulse[k]
    c = contact.pressure
    c[0], c[1], c[2] = 0.0, 0.0, 0.0
    for k in range(contact.count):
        share = contact.impulse[k] / total if total > 0.0 else 1.0 / contact.count
        for x in range(3):
            c[x] += share * point[k, x]
    for k in range(contact.count):
        x, y, z = point[k, 0] - c[0], point[k, 1] - c[1], point[k, 2] - c[2]
        rows[first + k].distance = math.sqrt(x * x + y * y + z * z)


@njit_no_refs
def warm_start(contacts: Records, active: Ints, blocks: Records, rows: Records, share: float) -> None:
    """Start the rows from a share of the impulses of their contacts."""
    for i in range(len(active)):
        impulse, first, count = contacts[active[i]].impulse, blocks[i].first, blocks[i].count
        for k in range(count):
            rows[first + k].impulse = share * impulse[k]
        for k in range(3):
            rows[first + count + k].impulse = share * impulse[POINTS + k]


@njit_no_refs
def store_impulses(contacts: Records, active: Ints, blocks: Records, rows: Records, more: bool) -> None:
    """Write the impulses of the rows into their contacts, in addition to what is there where `more`."""
    for i in range(len(active)):
        impulse, first, count = contacts[active[i]].impulse, blocks[i].first, blocks[i].count
        for k in range(IMPULSES):
            if not more:
                impulse[k] = 0.0
        for k in range(count):
            impulse[k] += rows[first + k].impulse
        for k in range(3):
            impulse[POINTS + k] += rows[first + count + k].impulse
