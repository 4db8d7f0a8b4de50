"""Impulses one after the other, each clamped by itself: the collisions and contacts of Su's scheme.

References: Guendelman, Bridson, Fedkiw: Nonconvex rigid bodies with stacking, 2003, section 5 (impulse at a point with
Coulomb friction); Su, Schroeder, Fedkiw 2009, section 4 (which velocities and which positions it is made of).
"""

import math
from typing import NamedTuple

import numpy as np

from ...jit import device, njit
from ...record_arrays import Record, Records
from ...types import Floats, Ints
from ..solver_state import update_angular_velocity
from .contact_constraints import locate_contact_point, mix_coefficients
from .free_rotation import write_cross
from .gauss_seidel import accumulate_normal_impulse
from .impulse_clamp import clamp_impulse


class ImpulseRule(NamedTuple):
    """What impulses are to do; see `exchange_impulses`."""

    bouncy: bool
    weight: float  #: size of gravity [m/s^2]
    clamped: bool


@njit
def exchange_impulses(
    contacts: Records, active: Ints, bodies: Records, ahead: Records, bouncy: bool, weight: float, clamped: bool,
    passes: int,
) -> None:  # fmt: skip
    """Let the points of the `active` contacts that overlap `ahead` push the bodies apart, in `passes` rounds.

    Impulses are made from the positions `ahead` and the present momenta, in a split state; where `clamped`, they are
    held against the energies of the present state. Where `bouncy`, restitution acts above approach speeds of sqrt(g r).
    """
    rule = ImpulseRule(bouncy, weight, clamped)
    scratch = np.empty((8, 3))
    K = np.empty((3, 3))
    for _ in range(passes):
        for i in active:
            contact = contacts[i]
            a, b = bodies[contact.body[0]], bodies[contact.body[1]]
            c, d = ahead[contact.body[0]], ahead[contact.body[1]]
            for k in range(contact.count):
                locate_contact_point(contact, c, d, k, scratch[0])
                if contact.gap[k] <= 0.0:
                    apply_point_impulse(contact, k, a, b, c, d, rule, scratch, K)


@device
def apply_point_impulse(
    contact: Record, k: int, a: Record, b: Record, c: Record, d: Record, rule: ImpulseRule, scratch: Floats, K: Floats
) -> None:
    """One impulse at point k of a contact, which is at `scratch[0]`, where it closes there."""
    bouncy, weight, clamped = rule
    point, r, s, arm, j, tau, sigma, u = scratch
    for x in range(3):
        r[x] = point[x] - c.position[x]
        s[x] = point[x] - d.position[x]
        arm[x] = point[x] - b.position[x]
    approach = relative_velocity(a, b, c, d, r, s, contact.normal, u)
    if approach >= 0.0:
        return
    fast = bouncy and -approach > math.sqrt(weight * contact.extent)
    e = mix_coefficients(b, a.restitution, b.restitution) if fast else 0.0
    write_mobility(c, r, K, True)
    write_mobility(d, s, K, False)
    if not write_contact_impulse(K, u, contact.normal, approach, mix_coefficients(b, a.friction, b.friction), e, j):
        return
    write_cross(r, j, tau)
    write_cross(s, j, sigma)
    part = clamp_impulse(j, tau, sigma, a, b, arm) if clamped else 1.0
    if part == 0.0:
        return
    contact.carried = 1
    apply_impulse(a, j, tau, part)
    apply_impulse(b, j, sigma, -part)
    accumulate_normal_impulse(
        contact, k, part * (contact.normal[0] * j[0] + contact.normal[1] * j[1] + contact.normal[2] * j[2])
    )
    for x in range(3):
        contact.total[x] += part * j[x]
        contact.pressure[x] = point[x]
        if b.mass == 0.0:
            y, z = (x + 1) % 3, (x + 2) % 3
            kinematic = b.velocity[x] + b.velocity[3 + y] * arm[z] - b.velocity[3 + z] * arm[y]
            contact.work += part * j[x] * kinematic


@device
def relative_velocity(a: Record, b: Record, c: Record, d: Record, r: Floats, s: Floats, n: Floats, u: Floats) -> float:
    """Write the relative velocity at a point (3,) and return its part along n: momenta of a, b, positions of c, d."""
    for x in range(3):
        u[x] = a.velocity[x] - b.velocity[x]
    for side in range(2):
        body, at, arm = (a, c, r) if side == 0 else (b, d, s)
        w = body.velocity[3:] if body.mass == 0.0 else at.velocity[3:]
        sign = 1.0 if side == 0 else -1.0
        if body.inverse_mass > 0.0:
            for x in range(3):
                w[x] = 0.0
                for y in range(3):
                    w[x] += at.inverse_inertia[x, y] * body.angular_momentum[y]
        for x in range(3):
            y, z = (x + 1) % 3, (x + 2) % 3
            u[x] += sign * (w[y] * arm[z] - w[z] * arm[y])
    return float(n[0] * u[0] + n[1] * u[1] + n[2] * u[2])


@device
def write_mobility(body: Record, arm: Floats, K: Floats, first: bool) -> None:
    """Write, or add, the change (3,3) of a point's velocity by a unit impulse there: 1/m - [r] I^-1 [r]."""
    x, y, z = arm[0], arm[1], arm[2]
    R = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    for i in range(3):
        for j in range(3):
            total = body.inverse_mass if i == j else 0.0
            for p in range(3):
                for q in range(3):
                    total -= R[i][p] * body.inverse_inertia[p, q] * R[q][j]
            K[i, j] = total if first else K[i, j] + total


@device
def write_contact_impulse(K: Floats, u: Floats, n: Floats, approach: float, mu: float, e: float, j: Floats) -> bool:
    """Write the impulse (3,) that stops the slip and turns the approach round, or the largest that friction allows."""
    b0, b1, b2 = -u[0] - e * approach * n[0], -u[1] - e * approach * n[1], -u[2] - e * approach * n[2]
    c00 = K[1, 1] * K[2, 2] - K[1, 2] * K[2, 1]
    c01 = K[1, 2] * K[2, 0] - K[1, 0] * K[2, 2]
    c02 = K[1, 0] * K[2, 1] - K[1, 1] * K[2, 0]
    det = K[0, 0] * c00 + K[0, 1] * c01 + K[0, 2] * c02
    if det <= 0.0:
        return False
    j[0] = (
        c00 * b0 + (K[0, 2] * K[2, 1] - K[0, 1] * K[2, 2]) * b1 + (K[0, 1] * K[1, 2] - K[0, 2] * K[1, 1]) * b2
    ) / det
    j[1] = (
        c01 * b0 + (K[0, 0] * K[2, 2] - K[0, 2] * K[2, 0]) * b1 + (K[0, 2] * K[1, 0] - K[0, 0] * K[1, 2]) * b2
    ) / det
    j[2] = (
        c02 * b0 + (K[0, 1] * K[2, 0] - K[0, 0] * K[2, 1]) * b1 + (K[0, 0] * K[1, 1] - K[0, 1] * K[1, 0]) * b2
    ) / det
    normal = n[0] * j[0] + n[1] * j[1] + n[2] * j[2]
    along = j[0] * j[0] + j[1] * j[1] + j[2] * j[2] - normal * normal
    if normal > 0.0 and along <= mu * mu * normal * normal:
        return True
    size = 0.0
    for x in range(3):
        j[x] = u[x] - approach * n[x]  # the slip
        size += j[x] * j[x]
    size = math.sqrt(size)
    for x in range(3):
        j[x] = n[x] - (mu * j[x] / size if size > 0.0 else 0.0)
    bearing = 0.0
    for x in range(3):
        for y in range(3):
            bearing += n[x] * K[x, y] * j[y]
    if bearing <= 0.0:  # such a steep Jacobian that pushing along the friction cone would press it on
        return False
    for x in range(3):
        j[x] *= -(1.0 + e) * approach / bearing
    return True


@device
def apply_impulse(b: Record, j: Floats, tau: Floats, part: float) -> None:
    """Apply a part of an impulse and its angular impulse to a free body."""
    if b.inverse_mass == 0.0:
        return
    for x in range(3):
        b.velocity[x] += part * b.inverse_mass * j[x]
        b.angular_momentum[x] += part * tau[x]
    update_angular_velocity(b)
