"""Contact with the floor: closed forms of impact, friction and tipping, rest, sleep, and the energy bound."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from core.rigid.advance import advance_frame
from core.rigid.solver.energy_budget import energy_of
from core.rigid.state import World, select_bodies
from core.types import Ground

from .shapes_of import FLOOR, G, bowl, box, lowest, matrix_of, placed, random_scene, solid

DT = 1 / 24


def run(bodies, state, frames, world=FLOOR, dt=DT):
    for _ in range(frames):
        state, _ = advance_frame(bodies, state, world, dt)
    return state


@pytest.mark.parametrize("scale", [0.02, 1.0, 100.0])
@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_slid_box_stops_after_the_coulomb_distance(scale, mu):
    bodies = box(0.4 * scale, 0.4 * scale, 0.1 * scale, friction=mu)
    speed = 3.0 * np.sqrt(scale)
    state = placed(bodies, [0, 0, 0.05 * scale], velocity=[speed, 0, 0])
    frames = int(3 * speed / (mu * G) / DT) + 10
    state = run(bodies, state, frames)
    assert state.position[0, 0] == pytest.approx(speed**2 / (2 * mu * G), rel=0.05)
    assert np.abs(state.velocity).max() < 1e-3 * speed


def test_incline_holds_below_the_friction_angle_and_slides_above():  # UI of docs/papers/su2009.md
    """a = g (sin t - mu cos t); the incline is a floor under tilted gravity."""
    mu = 0.5
    bodies = box(0.4, 0.4, 0.1, friction=mu)
    state = placed(bodies, [0, 0, 0.05])
    for angle in (0.4, 0.6):
        world = World(G * np.array([np.sin(angle), 0, -np.cos(angle)]), Ground(0.0))
        moved = run(bodies, state, 24, world).position[0, 0]
        expected = max(0.0, 0.5 * G * (np.sin(angle) - mu * np.cos(angle)))
        assert moved == pytest.approx(expected, rel=0.05, abs=1e-3)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.7])
def test_bounce_height(restitution):
    """A box dropped flat from the height H above rest returns to e^2 H."""
    bodies = box(0.1, 0.1, 0.1, restitution=restitution)
    state = placed(bodies, [0, 0, 1.05])
    dt, peak, falling = 1 / 240, 0.0, True  # small frames only to sample the peak
    for _ in range(240):
        state, _ = advance_frame(bodies, state, FLOOR, dt)
        falling = falling and state.velocity[0, 2] < -1e-9
        if not falling:
            peak = max(peak, state.position[0, 2] - 0.05)
    assert peak == pytest.approx(restitution**2 * 1.0, rel=0.05, abs=1e-3)


def test_slow_impacts_do_not_bounce():
    """Below an approach speed of sqrt(g r) restitution is zero."""
    bodies = box(0.1, 0.1, 0.1, restitution=0.9)
    radius = bodies.radius[0]
    state = run(bodies, placed(bodies, [0, 0, 0.05 + 0.4 * radius]), 12)  # sqrt(2 g h) = 0.89 sqrt(g r)
    assert state.position[0, 2] == pytest.approx(0.05, abs=1e-3 * radius)


def test_tall_box_tips_like_its_pendulum():
    """I theta'' = m g d sin(theta) about the lower edge, which friction holds."""
    a, height, tilt = 0.05, 0.4, 0.05
    bodies = box(a, 0.3, height, friction=2.0)
    lean = np.arctan2(a, height) + tilt  # centre of mass past the edge by `tilt`
    arm = 0.5 * np.hypot(a, height)
    q = [np.cos(lean / 2), 0, np.sin(lean / 2), 0]  # about y: +x edge down
    corner = matrix_of(np.array(q)) @ [a / 2, 0, -height / 2]
    state = placed(bodies, -corner, q)
    mass, inertia = bodies.mass[0], bodies.inertia[0, 1, 1] + bodies.mass[0] * arm**2
    exact = solve_ivp(lambda t, y: [y[1], mass * G * arm * np.sin(y[0]) / inertia], [0, 0.5], [tilt, 0], rtol=1e-10)
    frames = 12
    state = run(bodies, state, frames)
    turned = 2 * np.arctan2(state.rotation[0, 2], state.rotation[0, 0]) - np.arctan2(a, height)
    assert turned == pytest.approx(exact.y[0, -1], rel=0.05)
    state = run(bodies, state, 60)
    assert state.asleep[0]
    assert state.position[0, 2] == pytest.approx(a / 2, abs=1e-3 * bodies.radius[0])


def test_balanced_box_stands():
    bodies = box(0.05, 0.05, 0.4)
    state = run(bodies, placed(bodies, [0, 0, 0.2]), 40)
    assert state.asleep[0]
    np.testing.assert_allclose(state.position[0], [0, 0, 0.2], atol=1e-3 * bodies.radius[0])


SHAPES = {
    "plate": lambda size, **m: box(1.0 * size, 0.6 * size, 0.03 * size, **m),
    "needle": lambda size, **m: box(1.5 * size, 0.1 * size, 0.03 * size, **m),
    "tetrahedron": lambda size, **m: solid(np.vstack([np.zeros(3), np.eye(3)]) * size, **m),
    "bowl": lambda size, **m: bowl(0.5 * size, thickness=0.03 * size, **m),
    "disc": lambda size, **m: solid(
        [[np.cos(t) * size, np.sin(t) * size, z] for t in np.arange(64) * np.pi / 32 for z in (0, 0.05 * size)], **m
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [0.002, 0.1, 20.0])
@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_dropped_pieces_come_to_rest_on_the_floor(shape, size, restitution):
    bodies = SHAPES[shape](size, restitution=restitution)
    radius = bodies.radius[0]
    state = placed(bodies, [0, 0, 10 * radius], [0.9, 0.3, -0.2, 0.1], velocity=[0.5 * np.sqrt(G * size), 0, 0])
    frames = int((80 * np.sqrt(radius / G) + 1.0) / DT) * (4 if shape in ("bowl", "disc") else 1)
    for _ in range(frames):
        state, _ = advance_frame(bodies, state, FLOOR, DT)
        assert lowest(bodies, state)[0] > -0.05 * radius  # transient
        if state.asleep[0]:
            break
    assert state.asleep[0]
    # at rest neither sunk nor floating: within the slop of 0.005 r
    assert abs(lowest(bodies, state)[0]) < 0.005 * radius
    still = run(bodies, state, 3)
    for field in ("position", "rotation", "velocity", "angular_momentum"):
        np.testing.assert_array_equal(getattr(still, field), getattr(state, field))


def test_energy_never_rises():
    """1,000 random scenes: any friction, any restitution, spheres to needles, two sizes of time step."""
    rng = np.random.default_rng(11)
    bodies, state = random_scene(rng, count=250, apart=1000)
    for trial in range(4):
        some = replace(bodies, friction=[0.0, 0.3, 0.6, 1.5][trial], restitution=[0.0, 1.0, 0.5, 0.2][trial])
        now = state
        each = per_body(some, now)
        scale = each.sum(axis=1) + some.mass * G
        for _ in range(60):
            now, account = advance_frame(some, now, FLOOR, [1 / 24, 1 / 60][trial % 2])
            after = per_body(some, now)
            assert ((after - each).sum(axis=1) <= 1e-13 * scale).all()
            assert account.energy.sum() == pytest.approx(after.sum(), rel=1e-12)
            each = after


def per_body(bodies, state):
    """(K,3) energies of each body, computed here from the definition."""
    out = np.empty((len(bodies.mass), 3))
    for k, q in enumerate(state.rotation):
        L = matrix_of(q).T @ state.angular_momentum[k]
        out[k, 0] = 0.5 * bodies.mass[k] * np.sum(state.velocity[k] ** 2)
        out[k, 1] = 0.5 * L @ np.linalg.solve(bodies.inertia[k], L)
        out[k, 2] = bodies.mass[k] * G * state.position[k, 2]
    return out


def test_energies_add_up():
    bodies, state = random_scene(np.random.default_rng(3), count=4)
    np.testing.assert_allclose(energy_of(bodies, state, FLOOR), per_body(bodies, state).sum(axis=0), rtol=1e-12)


def test_two_runs_are_bit_equal_and_bodies_do_not_disturb_each_other():

    bodies, state = random_scene(np.random.default_rng(4), count=6, restitution=0.4, apart=1000)
    first, second = run(bodies, state, 50), run(bodies, state, 50)
    np.testing.assert_array_equal(first.position, second.position)
    np.testing.assert_array_equal(first.rotation, second.rotation)
    alone = run(*select_bodies(bodies, state, np.array([3])), 50)
    np.testing.assert_array_equal(alone.position[0], first.position[3])


def test_same_fall_at_any_size():
    """Lengths times s and times sqrt(s): the motion is similar when the frame is scaled too."""
    results = []
    for size in (0.01, 1.0, 64.0):
        bodies, state = random_scene(np.random.default_rng(9), count=3, size=size, restitution=0.3)
        state = run(bodies, state, 10, dt=DT * np.sqrt(size))
        results.append(state.position / size)
    np.testing.assert_allclose(results[0], results[1], atol=1e-6)
    np.testing.assert_allclose(results[2], results[1], atol=1e-6)


def test_a_push_wakes_a_sleeper():
    bodies = box(0.1, 0.1, 0.1, friction=0.3)
    state = run(bodies, placed(bodies, [0, 0, 0.05]), 40)
    assert state.asleep[0]
    pushed = replace(state, velocity=np.array([[1.0, 0, 0]]))
    pushed, _ = advance_frame(bodies, pushed, FLOOR, DT)
    assert not pushed.asleep[0]
    assert pushed.position[0, 0] > 0.03


def test_ground_at_another_height():
    bodies = box(0.1, 0.1, 0.1)
    world = World(FLOOR.gravity, Ground(-2.5))
    state = run(bodies, placed(bodies, [0, 0, -2.0]), 60, world)
    assert state.position[0, 2] == pytest.approx(-2.45, abs=1e-4)
