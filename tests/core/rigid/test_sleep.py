"""Which bodies of a heap sleep, and what wakes them."""

from dataclasses import replace

import numpy as np

from core.rigid.advance import advance_frame
from core.rigid.state import put_to_sleep
from tests.core.rigid.shapes_of import FLOOR, box, placed
from tests.verification.motion_scenes import run, stack, together

DT = 1 / 24


def bridge():
    """Two blocks that carry a long slab, on which a small cube slides without friction."""
    blocks = [(box(0.4, 1, 0.4, friction=0.0), placed(box(0.4, 1, 0.4), [x, 0, 0.2])) for x in (-0.8, 0.8)]
    slab, cube = box(2, 1, 0.2, friction=0.0), box(0.2, 0.2, 0.2, friction=0.0)
    moving = placed(cube, [-0.8, 0, 0.7], velocity=[0.3, 0, 0])
    return together([*blocks, (slab, placed(slab, [0, 0, 0.5])), (cube, moving)])


def test_what_rests_under_a_moving_body_sleeps_but_for_its_neighbours():
    """The cube keeps the slab awake on which it slides, and that is all: the blocks fall asleep."""
    bodies, state = bridge()
    state = run(bodies, state, 60)
    assert state.asleep.tolist() == [True, True, False, False]
    # Gaps of up to 5e-4 r are left: by these the slab may lean, and then the cube gains g t times the lean.
    np.testing.assert_allclose(state.velocity[3], [0.3, 0, 0], atol=9.81 * 2.5 * 5e-4 * 0.57 / 1.6)
    still = run(bodies, state, 12)
    np.testing.assert_array_equal(still.position[:2], state.position[:2])


def test_all_of_it_sleeps_when_nothing_moves_any_more():
    bodies, state = bridge()
    state = run(bodies, replace(state, velocity=np.zeros((4, 3))), 60)
    assert state.asleep.all()


def test_sleeper_follows_when_its_support_slides_away_slowly():
    """Slower than what wakes by a push: 0.1 sqrt(g r) is 0.18 m/s here. It ends on the floor, not in the air."""
    bodies, state = stack(2)
    bodies = replace(bodies, friction=0.0)
    state = put_to_sleep(run(bodies, state, 1), np.array([False, True]))
    velocity = np.zeros((2, 3))
    velocity[0, 0] = 0.15
    state = replace(state, velocity=velocity)
    low = []
    for _ in range(150):
        state, _ = advance_frame(bodies, state, FLOOR, DT)
        low.append(state.position[1, 2] - state.position[0, 2])
        overlap = 0.4 - abs(state.position[1, 0] - state.position[0, 0])
        assert overlap < 0.2 or abs(low[-1] - 0.4) < 0.002  # carried while its centre is over the other one
    assert low[-1] < 0.1
