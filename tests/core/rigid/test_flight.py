"""Free flight is exact: parabola, momentum, angular momentum and energy."""

import numpy as np
import pytest

from core.rigid.advance import advance_frame
from core.rigid.solver.energy_budget import energy_of

from .shapes_of import AIR, FLOOR, SPACE, G, box, placed, random_scene

DT = 1 / 24


def test_parabola_is_exact():
    bodies = box(0.1, 0.2, 0.3)
    state = placed(bodies, [1, 2, 30], velocity=[1, -2, 3], spin=[3, 20, -1])
    for _ in range(48):
        state, _ = advance_frame(bodies, state, AIR, DT)
    # x + v t + g t^2/2 with t = 2 s; kick-drift-kick has no error here
    np.testing.assert_allclose(state.position[0], [3, -2, 30 + 6 - G * 2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(state.velocity[0], [1, -2, 3 - 2 * G], rtol=0, atol=1e-12)


def test_angular_momentum_keeps_its_bits_and_energy_its_digits():
    rng = np.random.default_rng(7)
    bodies, state = random_scene(rng, count=20, apart=1000)
    first = state.angular_momentum
    before = energy_of(bodies, state, AIR)
    for _ in range(100):
        state, account = advance_frame(bodies, state, AIR, DT)
        after = account.energy
        np.testing.assert_array_equal(state.angular_momentum, first)
        assert after[1] == pytest.approx(before[1], rel=1e-12)
    assert after.sum() == pytest.approx(before.sum(), rel=1e-12)


def test_momentum_stays_in_empty_space():
    rng = np.random.default_rng(8)
    bodies, state = random_scene(rng, count=20, apart=1000)
    momentum = bodies.mass @ state.velocity
    for _ in range(100):
        state, _ = advance_frame(bodies, state, SPACE, DT)
    np.testing.assert_allclose(bodies.mass @ state.velocity, momentum, rtol=1e-12)


def test_flight_above_the_floor_is_free():
    """A body touches the floor's code only when it can reach it."""
    bodies = box(0.1, 0.2, 0.3)
    state = placed(bodies, [0, 0, 100], spin=[3, 20, -1])
    above, free = state, state
    for _ in range(24):
        above, _ = advance_frame(bodies, above, FLOOR, DT)
        free, _ = advance_frame(bodies, free, AIR, DT)
    np.testing.assert_array_equal(above.position, free.position)
    np.testing.assert_array_equal(above.rotation, free.rotation)


def test_quaternions_are_unit_and_continuous():
    bodies = box(0.1, 0.2, 0.3)
    state = placed(bodies, [0, 0, 0], spin=[3, 20, -1])
    for _ in range(200):
        last = state.rotation
        state, _ = advance_frame(bodies, state, SPACE, DT)
        assert np.linalg.norm(state.rotation[0]) == pytest.approx(1, abs=1e-14)
        assert np.sum(last * state.rotation) > 0


def test_free_spin_about_a_principal_axis_has_the_right_rate():
    bodies = box(0.1, 0.2, 0.3)
    state = placed(bodies, [0, 0, 0], spin=[0, 0, 5.0])
    for _ in range(24):
        state, _ = advance_frame(bodies, state, SPACE, DT)
    # q = (cos(w t/2), 0, 0, sin(w t/2)), t = 1 s
    np.testing.assert_allclose(state.rotation[0], [np.cos(2.5), 0, 0, np.sin(2.5)], atol=1e-12)
