"""The rigid motion of sets of bodies that has all of their momentum.

Source: Smith, Witkin, Baraff 2001, section 3.5, where three points tell it. Resolution 4.7: all bodies do, by their
masses, which conserves momentum and angular momentum exactly; a direction about which points on a line or a single
point say nothing gets no spin.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import apply
from ...arithmetic.small_matrices import pseudo_inverse_symmetric
from ...jit import njit_no_refs
from ...types import Floats, Ints

#: Moments of inertia below this share of the largest count as none. Ten thousand roundings.
SLENDER = 1e-12


class RigidMotion(NamedTuple):
    """Of K sets of bodies."""

    centre: Floats  #: (K,3) of mass [m]
    velocity: Floats  #: (K,3) of the centre [m/s]
    spin: Floats  #: (K,3) [rad/s]


def rigid_motion(label: Ints, position: Floats, mass: Floats, inertia: Floats, momentum: Floats) -> RigidMotion:
    """The rigid motion of each set: `label (N,)` 0..K-1 names the set of each body, -1 those without.

    mass (N,) above zero; inertia (N,3,3) about the bodies' own centres, 0 for points; momentum (N,6): p, then angular
    momentum about the own centre.

    v = sum p / M,  omega = I^+ (sum r x p + l): for points with velocities v_i the least squares fit of v + omega x r.
    """
    sums = np.zeros((int(label.max(initial=-1)) + 1, 16))
    _sum(label, position, mass, inertia, momentum, sums)
    whole = sums[:, [10, 11, 12, 11, 13, 14, 12, 14, 15]].reshape(-1, 3, 3)
    omega = apply(pseudo_inverse_symmetric(whole, SLENDER), sums[:, 7:10])
    return RigidMotion(*(np.ascontiguousarray(part) for part in (sums[:, 1:4], sums[:, 4:7], omega)))


def rigid_velocities(motion: RigidMotion, label: Ints, position: Floats) -> Floats:
    """(N,6) velocities and spins of bodies that move rigidly with their sets; 0 of those without."""
    result = np.zeros((len(label), 6))
    _move(label, position, motion.centre, motion.velocity, motion.spin, result)
    return result


@njit_no_refs
def _sum(label: Ints, position: Floats, mass: Floats, inertia: Floats, momentum: Floats, sums: Floats) -> None:
    """Of each set: mass, centre, v, L about the centre, and the moments of inertia xx, xy, xz, yy, yz, zz."""
    for a in range(len(label)):
        if label[a] >= 0:
            s = sums[label[a]]
            s[0] += mass[a]
            for k in range(3):
                s[1 + k] += mass[a] * position[a, k]
                s[4 + k] += momentum[a, k]
    for k in range(len(sums)):
        for e in range(1, 7):
            sums[k, e] /= sums[k, 0]
    for a in range(len(label)):
        if label[a] >= 0:
            s, m = sums[label[a]], mass[a]
            x, y, z = position[a, 0] - s[1], position[a, 1] - s[2], position[a, 2] - s[3]
            px, py, pz = momentum[a, 0] - m * s[4], momentum[a, 1] - m * s[5], momentum[a, 2] - m * s[6]
            s[7] += y * pz - z * py + momentum[a, 3]
            s[8] += z * px - x * pz + momentum[a, 4]
            s[9] += x * py - y * px + momentum[a, 5]
            s[10] += inertia[a, 0, 0] + m * (y * y + z * z)
            s[11] += inertia[a, 0, 1] - m * x * y
            s[12] += inertia[a, 0, 2] - m * x * z
            s[13] += inertia[a, 1, 1] + m * (x * x + z * z)
            s[14] += inertia[a, 1, 2] - m * y * z
            s[15] += inertia[a, 2, 2] + m * (x * x + y * y)


@njit_no_refs
def _move(label: Ints, position: Floats, centre: Floats, v: Floats, omega: Floats, result: Floats) -> None:
    for a in range(len(label)):
        k = label[a]
        if k >= 0:
            x, y, z = position[a, 0] - centre[k, 0], position[a, 1] - centre[k, 1], position[a, 2] - centre[k, 2]
            result[a, 0] = v[k, 0] + omega[k, 1] * z - omega[k, 2] * y
            result[a, 1] = v[k, 1] + omega[k, 2] * x - omega[k, 0] * z
            result[a, 2] = v[k, 2] + omega[k, 0] * y - omega[k, 1] * x
            for e in range(3):
                result[a, 3 + e] = omega[k, e]
