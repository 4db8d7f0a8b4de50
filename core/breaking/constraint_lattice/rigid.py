"""The rigid motion that is nearest to the velocities of points, with all of their momentum.

Source: Smith, Witkin, Baraff 2001, section 3.5, where three points tell it. Resolution 4.7: all points do, by their
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
    """Of K sets of points."""

    centre: Floats  #: (K,3) of mass [m]
    velocity: Floats  #: (K,3) of the centre [m/s]
    spin: Floats  #: (K,3) [rad/s]


def rigid_motion(label: Ints, position: Floats, mass: Floats, velocity: Floats) -> RigidMotion:
    """The rigid motion of each set of points; `label (N,)` 0..K-1 names the set, `mass (N,)` is above zero.

    v = sum m v_i / M,  omega = I^+ sum m r x (v_i - v), the weighted least squares fit of v_i = v + omega x r.
    """
    count = int(label.max(initial=-1)) + 1
    total = np.bincount(label, mass, count)[:, None]
    centre = summed(mass[:, None] * position, label, count) / total
    mean = summed(mass[:, None] * velocity, label, count) / total
    r, v = position - centre[label], velocity - mean[label]
    L = summed(mass[:, None] * np.cross(r, v), label, count)
    rr = mass[:, None, None] * (np.square(r).sum(axis=1)[:, None, None] * np.eye(3) - r[:, :, None] * r[:, None, :])
    inertia = summed(rr.reshape(-1, 9), label, count).reshape(-1, 3, 3)
    omega = np.einsum("kij,kj->ki", np.linalg.pinv(inertia, rcond=SLENDER, hermitian=True), L)
    return RigidMotion(centre, mean, omega)


def moved(motion: RigidMotion, label: Ints, position: Floats) -> Floats:
    """(N,3) velocities of points that move rigidly with their sets [m/s]."""
    r = position - motion.centre[label]
    return np.asarray(motion.velocity[label] + np.cross(motion.spin[label], r))
