"""Su, Schroeder, Fedkiw 2009: stacks at rest, scattered, and how sleeping ones wake.

Scene US of docs/papers/su2009.md.
"""

import numpy as np
import pytest

from core.rigid.advance import advance_frame
from core.rigid.state import put_to_sleep, select_bodies, wake_bodies
from tests.core.rigid.shapes_of import G, box, placed
from tests.rigid_bodies import join_bodies
from tests.verification.motion_scenes import DT, FLOOR, ball, led, overlaps, played, run, speeds, stack, table, together

ROUND_OFF = 1e-12  # of the energies that are added up
TILT = 5e-3  # by which the normal of a contact that is kept may turn with its body [rad]


def everyone(bodies):
    return np.ones(len(bodies.mass), np.bool_)


@pytest.mark.parametrize("rested", [True, False])
@pytest.mark.parametrize("gap", [0.0, 0.02])
def test_stack_of_ten_boxes_rests(gap, rested):  # US
    """Dropped on each other too, and also where sleep does not help: the limit of 0.05 m/s is the paper's."""
    bodies, state = stack(10, gap=gap)
    frames = 60
    states, _, rise = played(bodies, state, [FLOOR] * frames, rested=rested)
    assert rise <= ROUND_OFF
    for quiet in states[-13:]:  # 0.5 s
        assert speeds(bodies, quiet).max() < 0.05
        assert quiet.asleep.all() == rested
    end = states[-1].position
    radius = bodies.radius[0]
    # A limit that was set with a prototype: a stack of ten drifts by 0.05 r at most.
    assert np.abs(end[:, :2]).max() < 0.05 * radius
    assert np.abs(end[:, 2] - (0.2 + 0.4 * np.arange(10))).max() < 0.05 * radius
    assert overlaps(bodies, states[-1]).max() < 0.01


def test_stack_is_scattered_by_a_larger_box():  # US
    bodies, state = stack(10)
    state = run(bodies, state, 40)
    assert state.asleep.all()
    large = box(1.2, 1.2, 1.2)
    bodies, state = join_bodies((bodies, state), (large, placed(large, [-3.0, 0.1, 0.8], velocity=[12.0, 0, 1.0])))
    states, _, rise = played(bodies, state, [FLOOR] * 150)
    assert rise <= ROUND_OFF
    end = states[-1]
    assert end.asleep.all()
    assert (end.position[:10, 2] < 0.9).sum() >= 8  # on the floor, or on one box that is
    assert np.median(np.linalg.norm(end.position[:10, :2], axis=1)) > 0.4  # scattered by a side of theirs and more
    assert overlaps(bodies, end).max() < 0.01


@pytest.mark.parametrize("late", [0.1, 0.35, 0.6, 0.85])
def test_sleeping_stack_is_hit_as_what_it_is(late):
    """It wakes in the substep of the blow: a box hit in the middle by its equal goes on with half of the velocity.

    A blow against a stack that sleeps on for the rest of the substep, or of the frame, would be one against a wall, and
    take the momentum away. Without friction that is kept by all.
    """
    bodies, state = stack(3, friction=0.0)
    state = put_to_sleep(run(bodies, state, 2), everyone(bodies))
    other = box(0.3, 0.3, 0.3, friction=0.0, density=2500 * (4 / 3) ** 3)
    v, substep = 6.0, DT / 4
    way = v * DT * late
    start = placed(other, [-0.35 - way, 0, 0.6], velocity=[v, 0, 0])
    both, state = join_bodies((bodies, state), (other, start))
    after, _ = advance_frame(both, state, FLOOR, DT)
    np.testing.assert_allclose(both.mass @ after.velocity[:, 0], other.mass[0] * v, rtol=TILT)
    assert not after.asleep.any()
    # The boxes above and below push only along z.
    assert after.velocity[1, 0] == pytest.approx(0.5 * v, rel=1e-3)
    expected = 0.5 * v * (DT - way / v)
    assert after.position[1, 0] - state.position[1, 0] == pytest.approx(expected, abs=0.5 * v * substep)


def test_slow_touch_leaves_a_stack_asleep():
    bodies, state = stack(3)
    state = put_to_sleep(run(bodies, state, 2), everyone(bodies))
    small = ball(0.05, 1)
    speed = 0.05 * np.sqrt(G * small.radius[0])
    both, state = join_bodies((bodies, state), (small, placed(small, [-0.251, 0, 0.05], velocity=[speed, 0, 0])))
    after = run(both, state, 6)
    np.testing.assert_array_equal(after.position[:3], state.position[:3])
    assert after.asleep[:3].all()


def test_stack_wakes_when_its_lowest_box_is_knocked_out():
    bodies, state = stack(3, friction=0.2)
    state = put_to_sleep(run(bodies, state, 2), everyone(bodies))
    fast = box(0.3, 0.3, 0.3, friction=0.2)
    bodies, state = join_bodies((bodies, state), (fast, placed(fast, [-0.6, 0, 0.16], velocity=[15.0, 0, 0])))
    end = run(bodies, state, 24)
    assert end.position[0, 0] > 0.4
    assert (end.position[1:3, 2] < state.position[1:3, 2] - 0.1).all()


def test_body_falls_when_its_support_is_taken_away():
    bodies, state = stack(3)
    state = run(bodies, state, 40)
    assert state.asleep.all()
    bodies, state = select_bodies(bodies, state, np.array([False, True, True]))
    state = wake_bodies(state, everyone(bodies))  # as `select_bodies` asks
    end = run(bodies, state, 48)
    np.testing.assert_allclose(end.position[:, 2], [0.2, 0.6], atol=0.005 * bodies.radius[0])


@pytest.mark.parametrize("way", [[0, 0, -0.004], [0, 0, 0.02], [0.02, 0, 0], [0, 0.0005, 0]])
def test_sleeper_wakes_when_its_support_moves(way):
    lift = table(2.0, 2.0, 0.2)
    parts = [
        (one, placed(one, [0, 0, 0.1 + 0.2 + 0.4 * i]))
        for i, one in enumerate([box(0.4, 0.4, 0.4), box(0.4, 0.4, 0.4)])
    ]
    bodies, state = together(parts)
    rest = led(lift, [0, 0, 0], [0, 0, 0])
    state = run(bodies, state, 40, rest)
    assert state.asleep.all()
    still = run(bodies, state, 1, rest)
    np.testing.assert_array_equal(still.position, state.position)
    way = np.array(way)
    after = run(bodies, state, 1, led(lift, [0, 0, 0], way))
    assert not after.asleep.any()
    # Friction carries them along as long as the table pulls by less than mu g; it is brought to speed by a jerk.
    if abs(way[2]) > 0:
        np.testing.assert_allclose(after.position - state.position, [way] * 2, atol=0.005 * bodies.radius[0])
    else:
        assert ((after.position - state.position) @ way > 0).all()
