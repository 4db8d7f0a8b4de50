"""Free rotation with fixed angular momentum and exactly kept kinetic energy (Su, Schroeder, Fedkiw 2009, section 3)."""

import math

import numpy as np

from ...jit import device
from ...types import Floats
from .. import quaternion
from ..quaternion import rotate_quaternion, write_rotation_matrix

#: Of the step that turns a body.
FIRST_ORDER, SECOND_ORDER = 1, 2
#: How its energy was kept.
SKIPPED, PRIMARY, FALLBACK, EXTREME = 0, 1, 2, 3
#: The spacing of numbers at 1: 2^-52.
MACHINE_EPSILON = 2.220446049250313e-16
NEGLIGIBLE = 1e-12  # kinetic energy over m r^2 [1/s^2] below which a rotation is not corrected (A4)


@device
def principal_frame(q: Floats, axes: Floats, B: Floats) -> None:
    """Write the principal axes (3,3 columns, rest axes) turned by q (4,) into B (3,3)."""
    R = np.empty((3, 3))
    write_rotation_matrix(q, R)
    for i in range(3):
        for j in range(3):
            B[i, j] = R[i, 0] * axes[0, j] + R[i, 1] * axes[1, j] + R[i, 2] * axes[2, j]


@device
def solve_inertia(B: Floats, moments: Floats, L: Floats, omega: Floats) -> float:
    """Write omega = I^-1 L (3,) and return L . I^-1 L, twice the kinetic energy of rotation."""
    twice = 0.0
    omega[0], omega[1], omega[2] = 0.0, 0.0, 0.0
    for k in range(3):
        along = B[0, k] * L[0] + B[1, k] * L[1] + B[2, k] * L[2]
        rate = along / moments[k]
        twice += along * rate
        for i in range(3):
            omega[i] += B[i, k] * rate
    return twice


@device
def write_cross(a: Floats, b: Floats, out: Floats) -> float:
    """Write a x b (3,) into `out` and return its length."""
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])


@device
def turn_with_energy(
    q: Floats, s: Floats, L: Floats, omega: Floats, KE: float, KE0: float, B: Floats, moments: Floats
) -> bool:
    """Turn q about the unit axis s (s.L = 0) so that the energy KE becomes KE0; False if s allows no such angle.

    The cancellation-free form of eq. 6. Its y lacks sgn(a) in the paper, which matters on the fallback axes, where a
    may be negative.
    """
    sL = np.empty(3)
    turned = np.empty(3)
    write_cross(s, L, sL)
    a = sL[0] * omega[0] + sL[1] * omega[1] + sL[2] * omega[2]
    b = 0.5 * solve_inertia(B, moments, sL, turned)
    c, k = KE - b, KE - KE0
    n = c - 2.0 * k
    g = a * a + 4.0 * k * (c - k)
    r = math.sqrt(a * a + c * c)
    if abs(a) < 1e-10 * KE or g < 0.0 or r == 0.0:
        return False
    p = a * a + g + 2.0 * abs(a) * math.sqrt(g)
    x = math.sqrt(p + (c + n) * (c + n)) / (2.0 * r)  # cos eps > 0
    y = 2.0 * abs(k) / math.sqrt(p + (c - n) * (c - n))
    y *= math.copysign(1.0, a) * math.copysign(1.0, k - c * y * y)  # sin eps
    half = math.sqrt(0.5 * (1.0 + x))  # cos(eps/2)
    sine = 0.5 * y / half
    quaternion.multiply_quaternion(half, sine * s[0], sine * s[1], sine * s[2], q)
    return True


@device
def restore_energy(q: Floats, L: Floats, KE0: float, smallest: float, moments: Floats, axes: Floats) -> int:
    """Turn q (4,) by the least rotation that gives the body the kinetic energy KE0 at angular momentum L (3,).

    `moments` (3,) are the principal moments, ascending, `axes` (3,3) the principal axes as columns in rest axes.
    Below the energy `smallest` [J] nothing is done.

    Returns SKIPPED (A4), PRIMARY (axis L x omega), FALLBACK (L x the principal axis of the largest or smallest moment,
    A5) or EXTREME: the body already has the largest or smallest energy that its L allows, only round-off remains.
    """
    B = np.empty((3, 3))
    omega = np.empty(3)
    s = np.empty(3)
    principal_frame(q, axes, B)
    KE = 0.5 * solve_inertia(B, moments, L, omega)
    if abs(KE - KE0) <= 8.0 * MACHINE_EPSILON * max(KE, KE0) or max(KE, KE0) < smallest:
        return SKIPPED
    size = math.sqrt(L[0] * L[0] + L[1] * L[1] + L[2] * L[2])
    spin = math.sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2])
    length = write_cross(L, omega, s)
    if length > 1e-12 * size * spin:
        for i in range(3):
            s[i] /= length
        if turn_with_energy(q, s, L, omega, KE, KE0, B, moments):
            return PRIMARY
    length = write_cross(L, B[:, 2] if KE > KE0 else B[:, 0], s)
    if length > 1e-12 * size:
        for i in range(3):
            s[i] /= length
        if turn_with_energy(q, s, L, omega, KE, KE0, B, moments):
            return FALLBACK
    return EXTREME


@device
def rotate(
    q: Floats, L: Floats, moments: Floats, axes: Floats, dt: float, order: int, smallest: float, fix: bool
) -> int:
    """Advance the orientation q (4,) of one free body by dt [s]; L (3,) stays as it is. Returns what the fix did."""
    B = np.empty((3, 3))
    omega = np.empty(3)
    turn = np.empty(3)
    principal_frame(q, axes, B)
    KE0 = 0.5 * solve_inertia(B, moments, L, omega)
    if order == SECOND_ORDER:
        write_cross(omega, L, turn)
        rate = np.empty(3)
        solve_inertia(B, moments, turn, rate)
        for i in range(3):  # omega + dt/2 d(omega)/dt,  d(omega)/dt = -I^-1 (omega x L)
            omega[i] -= 0.5 * dt * rate[i]
    rotate_quaternion(q, dt * omega[0], dt * omega[1], dt * omega[2])
    return restore_energy(q, L, KE0, smallest, moments, axes) if fix else SKIPPED
