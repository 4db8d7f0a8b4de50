"""Su, Schroeder, Fedkiw 2009: what is led moves bodies, is moved by none, and its work is counted.

Scene UE and item A7 of docs/papers/su2009.md.
"""

from dataclasses import replace

import numpy as np
import pytest

from core.rigid.shapes.convex_hulls import make_convex_parts
from core.rigid.state import Colliders, put_to_sleep
from core.types import Ground
from tests import shapes
from tests.core.rigid.shapes_of import G, box, placed
from tests.verification.motion_scenes import (
    DT,
    FLOOR,
    ball,
    energies,
    led,
    pieces_of_box,
    played,
    run,
    stack,
    table,
    together,
)

ROUND_OFF = 1e-12  # of the energies that are added up


def ride(place, top, frames, ground=None, turn=None):
    """Worlds in which a table (of thickness 0.2) goes along `place (t)`, its pivot in its middle."""
    still = (1.0, 0, 0, 0)
    return [
        led(
            top,
            place(i * DT),
            place((i + 1) * DT),
            ground=ground,
            turn=(turn(i * DT), turn((i + 1) * DT)) if turn else (still, still),
        )
        for i in range(frames)
    ]


@pytest.mark.parametrize("rested", [True, False])
def test_lift(rested):  # UE
    """A box on a platform that rises at 1 m/s rises with it; a clamp in the world frame would stop it."""
    one = box(0.4, 0.4, 0.4)
    state = placed(one, [0, 0, 0.3])
    if rested:
        state = put_to_sleep(state, np.array([True]))
    frames = 48
    worlds = ride(lambda t: [0, 0, 1.0 * t], table(2.0, 2.0, 0.2), frames)
    states, accounts, rise = played(one, state, worlds)
    assert rise <= ROUND_OFF
    radius = one.radius[0]
    for i, now in enumerate(states[1:], 1):
        # On the platform within the slop of 0.005 r; it is 0.01 r below while it is still being brought to speed.
        assert now.position[0, 2] == pytest.approx(0.3 + i * DT, abs=0.01 * radius)
    for now in states[5:]:
        np.testing.assert_allclose(now.velocity[0], [0, 0, 1], atol=0.01)
    assert np.abs(states[-1].position[0, :2]).max() < 0.01 * radius
    weight = one.mass[0] * G
    steady = [account.work for account in accounts[12:]]
    np.testing.assert_allclose(steady, weight * DT, rtol=0.02)
    # The jerk at the start: bringing m to v at once takes m v^2, half of which is lost in the impact.
    assert sum(account.work for account in accounts) == pytest.approx(one.mass[0] + weight * frames * DT, rel=0.02)


def test_lift_that_starts_gently_and_stops():
    """With accelerations below g the box stays on it, asleep at no time, and sleeps when it stands again."""
    bodies, state = stack(3, side=0.3)
    state = put_to_sleep(replace(state, position=state.position + np.array([0, 0, 0.1])), np.ones(3, np.bool_))
    height = 1.0

    def place(t):
        return [0, 0, 0.5 * height * (1 - np.cos(np.pi * min(t, 2.0) / 2.0))]

    states, accounts, rise = played(bodies, state, ride(place, table(2.0, 2.0, 0.2), 96))
    assert rise <= ROUND_OFF
    end = states[-1]
    assert end.asleep.all()
    lifted = end.position - state.position
    np.testing.assert_allclose(lifted, [[0, 0, height]] * 3, atol=0.02 * bodies.radius[0])
    gained = (energies(bodies, end, FLOOR.gravity) - energies(bodies, state, FLOOR.gravity)).sum()
    total = sum(account.work for account in accounts)
    assert gained <= total * (1 + 1e-9)
    assert total == pytest.approx(bodies.mass.sum() * G * height, rel=0.02)


def test_floor_that_moves_sideways_drags_by_friction():
    """A conveyor at v brings a box to its speed after v / (mu g); its work is mu m g v t, twice the box's energy."""
    mu, v = 0.4, 2.0
    one = box(0.4, 0.4, 0.1, friction=mu)
    state = placed(one, [0, 0, 0.15])
    frames = 24
    states, accounts, rise = played(one, state, ride(lambda t: [v * t, 0, 0], table(20.0, 2.0, 0.2), frames))
    assert rise <= ROUND_OFF
    begin = v / (mu * G)
    i = int(0.5 * begin / DT)
    assert states[i].velocity[0, 0] == pytest.approx(mu * G * i * DT, rel=0.05)
    assert states[-1].velocity[0, 0] == pytest.approx(v, rel=0.01)
    assert states[-1].position[0, 0] == pytest.approx(v * frames * DT - 0.5 * v * begin, rel=0.05)
    assert sum(account.work for account in accounts) == pytest.approx(one.mass[0] * v * v, rel=0.05)


def test_turntable_carries_a_box_round():
    """Slow enough for friction (w^2 d < mu g) a box stays where it is on a turning disc; fast, it flies off."""
    mu, d = 0.6, 1.0
    for spin, stays in ((1.2, True), (6.0, False)):
        one = box(0.2, 0.2, 0.1, friction=mu)
        state = placed(one, [d, 0, 0.15], velocity=[0, spin * d, 0], spin=[0, 0, spin])
        frames = 48
        turn = lambda t, w=spin: (np.cos(0.5 * w * t), 0.0, 0.0, np.sin(0.5 * w * t))  # noqa: E731
        worlds = ride(lambda t: [0, 0, 0], table(6.0, 6.0, 0.2), frames, Ground(-2.0), turn)
        states, _, rise = played(one, state, worlds)
        assert rise <= ROUND_OFF
        x = states[-1].position[0]
        if stays:
            angle = spin * frames * DT
            np.testing.assert_allclose(x, [d * np.cos(angle), d * np.sin(angle), 0.15], atol=0.05 * d)
        else:
            assert np.hypot(x[0], x[1]) > 3.0


def test_elastic_ball_and_moving_wall():
    """A wall that comes at v throws a resting ball off at (1 + e) v and does the work m (1 + e) v^2."""
    e, v = 0.5, 3.0
    one = box(0.2, 0.2, 0.2, friction=0.0, restitution=e)
    state = placed(one, [0.3, 0, 0])
    worlds = [led(table(0.2, 1.0, 1.0), [v * i * DT, 0, 0], [v * (i + 1) * DT, 0, 0], gravity=0.0) for i in range(4)]
    states, accounts, rise = played(one, state, worlds)
    assert rise <= ROUND_OFF
    np.testing.assert_allclose(states[-1].velocity[0], [(1 + e) * v, 0, 0], atol=1e-3 * v)
    assert sum(account.work for account in accounts) == pytest.approx(one.mass[0] * (1 + e) * v * v, rel=2e-3)


def test_wrecking_ball_goes_through_a_wall():
    """It keeps to its path, the wall gives way, and all energy of the pieces is its work."""
    bodies, state = pieces_of_box(30, seed=2, size=(0.3, 2.0, 1.6), friction=0.6)
    state = put_to_sleep(state, np.ones(30, np.bool_))
    sphere = Colliders(make_convex_parts([shapes.icosphere(2, 0.4).vertices]), np.array([0, 1]), np.zeros((1, 3)))
    frames, speed = 60, 4.0
    worlds = [
        led(sphere, [-2 + speed * i * DT, 0, 0.9], [-2 + speed * (i + 1) * DT, 0, 0.9], ground=Ground(0.0))
        for i in range(frames)
    ]
    states, accounts, rise = played(bodies, state, worlds)
    assert rise <= ROUND_OFF
    before = int((2 - 0.4 - 0.15) / speed / DT)
    np.testing.assert_array_equal(states[before].position, state.position)  # nothing stirs before it is there
    end = states[-1]
    assert (end.position[:, 0] > 0.5).sum() >= 3
    assert sum(account.work for account in accounts) > 0
    # Nothing flies faster than the ball can throw it without restitution: a piece squeezed out may slip off sideways.
    assert max(np.linalg.norm(now.velocity, axis=1).max() for now in states) < 3 * speed


def test_bodies_rest_on_a_collider_and_fall_when_it_sinks_away():
    one, other = box(0.4, 0.4, 0.4), ball(0.1, 1)
    bodies, state = together([(one, placed(one, [-0.5, 0, 0.3])), (other, placed(other, [0.5, 0, 0.21]))])
    top = table(2.0, 2.0, 0.2)
    state = run(bodies, state, 60, led(top, [0, 0, 0], [0, 0, 0], ground=Ground(-3.0)))
    assert state.asleep.all()
    sink = ride(lambda t: [0, 0, -12.0 * t], top, 4, Ground(-10.0))
    states, _, rise = played(bodies, state, sink)
    assert rise <= ROUND_OFF
    fallen = states[-1].position - state.position
    np.testing.assert_allclose(fallen[:, 2], -0.5 * G * (4 * DT) ** 2, rtol=1e-6)
