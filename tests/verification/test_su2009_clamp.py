"""Su, Schroeder, Fedkiw 2009, section 4: the impulse clamp (A6, A7 and V2 of docs/papers/su2009.md)."""

import numpy as np
import pytest

from core.record_arrays import zero_records
from core.rigid.records import BODY
from core.rigid.solver.impulse_clamp import clamp_impulse

# V2: two bodies that meet at a point with the normal y.
MASS = (2.0, 3.0)
INERTIA = (np.diag([0.4, 0.5, 0.6]), np.diag([0.9, 0.8, 0.7]))
VELOCITY = (np.array([1.0, -2.0, 0.5]), np.array([-0.3, 0.4, 0.0]))
SPIN = (np.array([3.0, -1.0, 2.0]), np.array([0.5, 1.0, -4.0]))
ARM = (np.array([0.1, -0.5, 0.2]), np.array([-0.2, 0.5, 0.1]))


def two_bodies():
    bodies = zero_records(BODY, 2)
    for k in range(2):
        bodies[k].mass, bodies[k].inverse_mass = MASS[k], 1 / MASS[k]
        bodies[k].inverse_inertia = np.linalg.inv(INERTIA[k])
        bodies[k].velocity = np.concatenate([VELOCITY[k], SPIN[k]])
    return bodies


def clamped(j, bodies):
    return clamp_impulse(j, np.cross(ARM[0], j), np.cross(ARM[1], j), bodies[0], bodies[1], ARM[1])


def kinetic(bodies, e, j):
    """Energy after e times the impulse j on the first body and -j on the second."""
    total = 0.0
    for k, sign in ((0, 1.0), (1, -1.0)):
        v = bodies[k].velocity[:3] + sign * e * j * bodies[k].inverse_mass
        w = bodies[k].velocity[3:] + sign * e * bodies[k].inverse_inertia @ np.cross(ARM[k], j)
        total += 0.5 * MASS[k] * v @ v + 0.5 * w @ INERTIA[k] @ w
    return total


@pytest.mark.parametrize(("restitution", "size"), [(0.0, 3.4863600935), (0.5, 5.2295401403), (1.0, 6.9727201871)])
def test_restitution_is_never_clamped(restitution, size):
    """j = -(1 + e) u_n / (n.K n) gives eps = 2 / (1 + e), so all of it passes."""
    bodies = two_bodies()
    j = np.array([0.0, size, 0.0])
    assert clamped(j, bodies) == pytest.approx(1.0, abs=1e-9)
    change = kinetic(bodies, 1.0, j) - kinetic(bodies, 0.0, j)
    assert change == pytest.approx(-6.188289166 * (1 - restitution**2), abs=1e-8)


def test_an_impulse_that_adds_energy_is_scaled_to_none_added():
    bodies, j = two_bodies(), np.array([0.0, 9.0, 3.0])
    eps = clamped(j, bodies)
    assert eps == pytest.approx(0.659138020101, rel=1e-11)
    assert kinetic(bodies, 1.0, j) - kinetic(bodies, 0.0, j) == pytest.approx(18.616785714, rel=1e-9)
    assert kinetic(bodies, eps, j) == pytest.approx(kinetic(bodies, 0.0, j), rel=1e-14)


def test_an_impulse_that_could_only_add_energy_is_dropped():
    assert clamped(-np.array([0.0, 9.0, 3.0]), two_bodies()) == 0.0


def test_no_impulse_between_things_that_nothing_moves():
    bodies = two_bodies()
    bodies.inverse_mass, bodies.inverse_inertia = 0.0, 0.0
    assert clamped(np.array([0.0, 1.0, 0.0]), bodies) == 0.0


def test_of_a_led_body_only_the_velocity_at_the_contact_counts():  # A7
    """A lift at 1 m/s may give a resting body its own velocity; seen from the ground, the clamp would stop it."""
    bodies = two_bodies()
    bodies[1].mass, bodies[1].inverse_mass, bodies[1].inverse_inertia = 0.0, 0.0, 0.0
    bodies[0].velocity, bodies[1].velocity = 0.0, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    K = bodies[0].inverse_mass * np.eye(3)  # at the centre of mass
    j = np.linalg.solve(K, [0.0, 1.0, 0.0])
    none = np.zeros(3)
    assert clamp_impulse(j, none, none, bodies[0], bodies[1], ARM[1]) == 1.0
    assert clamp_impulse(2.5 * j, none, none, bodies[0], bodies[1], ARM[1]) == pytest.approx(2 / 2.5)
