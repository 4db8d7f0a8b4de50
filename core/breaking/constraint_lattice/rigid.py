"""The rigid motion of sets of bodies that has all of their momentum.

Source: Smith, Witkin, Baraff 2001, section 3.5, where three points tell it. Resolution 4.7: all bodies do, by their
masses, which conserves momentum and angular momentum exactly; a direction about which points on a line or a single
point say nothing gets no spin.
"""

from typing import NamedTuple

import numpy as np

from ...geometry.sums import summed
from ...types import Floats, Ints

#: Moments of inertia below this share of the largest count as none.
SLENDER = 1e-12


class RigidMotion(NamedTuple):
    """Of K sets of bodies."""

    centre: Floats  #: (K,3) of mass [m]
    velocity: Floats  #: (K,3) of the centre [m/s]
    spin: Floats  #: (K,3) [rad/s]


def rigid_motion(label: Ints, position: Floats, mass: Floats, inertia: Floats, momentum: Floats) -> RigidMotion:
    """The rigid motion of each set: `label (N,)` 0..K-1 names the set of each body.

    mass (N,) above zero; inertia (N,3,3) about the bodies' own centres, 0 for points; momentum (N,6): p, then angular
    momentum about the own centre.

    v = sum p / M,  omega = I^+ (sum r x p + l): for points with velocities v_i the least squares fit of v + omega x r.
    """
    count = int(label.max(initial=-1)) + 1
    total = np.bincount(label, mass, count)[:, None]
    centre = summed(mass[:, None] * position, label, count) / total
    p, r = momentum[:, :3], position - centre[label]
    v = summed(p, label, count) / total
    L = summed(np.cross(r, p - mass[:, None] * v[label]) + momentum[:, 3:], label, count)
    rr = np.square(r).sum(axis=1)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None, :]
    whole = summed((inertia + mass[:, None, None] * rr).reshape(-1, 9), label, count).reshape(-1, 3, 3)
    omega = np.einsum("kij,kj->ki", np.linalg.pinv(whole, rcond=SLENDER, hermitian=True), L)
    return RigidMotion(centre, v, omega)


def moved(motion: RigidMotion, label: Ints, position: Floats) -> Floats:
    """(N,6) velocities and spins of bodies that move rigidly with their sets."""
    spin = motion.spin[label]
    velocity = motion.velocity[label] + np.cross(spin, position - motion.centre[label])
    return np.concatenate([velocity, spin], axis=1)
