"""Selecting, joining, shapes, and the kernels as plain Python."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.rigid.advance import advance_frame
from core.rigid.state import at_rest, put_to_sleep, select_bodies, wake_bodies
from tests.rigid_bodies import join_bodies

from .shapes_of import FLOOR, box, corners, placed, random_scene

ROOT = Path(__file__).parents[3]


def test_select_keeps_each_body_with_its_parts_and_contacts():
    bodies, state = random_scene(np.random.default_rng(1), count=5, apart=30)
    for _ in range(40):
        state, _ = advance_frame(bodies, state, FLOOR, 1 / 24)
    assert len(state.contacts)
    keep = np.array([True, False, True, True, False])
    some, part = select_bodies(bodies, state, keep)
    rows = np.flatnonzero(keep)
    np.testing.assert_array_equal(some.mass, bodies.mass[rows])
    np.testing.assert_array_equal(some.radius, bodies.radius[rows])
    for new, old in enumerate(rows):
        np.testing.assert_array_equal(corners(some, part, new), corners(bodies, state, old))
    # Bodies that do not meet the others move on as they would have done with them, from the same impulses.
    all_on, some_on = advance_frame(bodies, state, FLOOR, 1 / 24)[0], advance_frame(some, part, FLOOR, 1 / 24)[0]
    np.testing.assert_array_equal(some_on.position, all_on.position[rows])
    np.testing.assert_array_equal(some_on.velocity, all_on.velocity[rows])


def test_join_undoes_select():
    bodies, state = random_scene(np.random.default_rng(2), count=4)
    for _ in range(20):
        state, _ = advance_frame(bodies, state, FLOOR, 1 / 24)
    split = np.array([True, True, False, False])
    whole, again = join_bodies(select_bodies(bodies, state, split), select_bodies(bodies, state, ~split))
    for field in ("mass", "inertia", "centre", "part_start", "part", "radius", "moments", "axes"):
        np.testing.assert_array_equal(getattr(whole, field), getattr(bodies, field))
    for field in ("position", "rotation", "velocity", "angular_momentum", "asleep", "quiet"):
        np.testing.assert_array_equal(getattr(again, field), getattr(state, field))
    one, two = advance_frame(bodies, state, FLOOR, 1 / 24)[0], advance_frame(whole, again, FLOOR, 1 / 24)[0]
    np.testing.assert_array_equal(one.position, two.position)


def test_sleep_and_wake_by_hand():
    bodies = box(1, 1, 1)
    state = put_to_sleep(placed(bodies, [0, 0, 5], velocity=[1, 0, 0]), np.array([True]))
    hung, _ = advance_frame(bodies, state, FLOOR, 1 / 24)
    np.testing.assert_array_equal(hung.position, state.position)
    fallen, _ = advance_frame(bodies, wake_bodies(state, np.array([True])), FLOOR, 1 / 24)
    assert fallen.position[0, 2] < 5


def test_nothing_to_move():
    bodies, state = random_scene(np.random.default_rng(2), count=2)
    none, empty = select_bodies(bodies, state, np.array([False, False]))
    after, account = advance_frame(none, empty, FLOOR, 1 / 24)
    assert len(after.position) == 0
    assert account.energy.sum() == 0


def test_flat_inertia_is_made_positive():
    bodies = replace(box(1, 1, 1), inertia=np.diag([1.0, 1.0, 0.0])[None])
    assert (bodies.moments > 0).all()
    state, _ = advance_frame(bodies, at_rest(np.array([[0, 0, 0.5]])), FLOOR, 1 / 24)
    assert np.isfinite(state.position).all()


STEP = """
import sys, warnings
import numpy as np
from tests.core.rigid.shapes_of import FLOOR, random_scene
from core.rigid.advance import advance_frame
bodies, state = random_scene(np.random.default_rng(6), count=2)
for _ in range(8):
    state, _ = advance_frame(bodies, state, FLOOR, 1 / 24)
print(repr(np.hstack([state.position, state.rotation, state.velocity, state.angular_momentum]).tolist()))
"""


def test_plain_python_gives_the_same_motion():
    """Without numba: the same formulas; fused multiply-add may differ in the last digits."""
    hidden = "import sys; sys.modules['numba'] = None\nimport warnings; warnings.simplefilter('ignore')\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    texts = [
        subprocess.run(
            [sys.executable, "-c", prefix + STEP], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        ).stdout
        for prefix in ("", hidden)
    ]
    compiled, plain = (np.array(eval(text)) for text in texts)
    np.testing.assert_allclose(compiled, plain, rtol=1e-9, atol=1e-11)


def test_joined_shapes_meet_what_is_led_anew():
    """Parts of what is led are numbered after all others: contacts with them are not those of the new shapes."""
    bodies, state = random_scene(np.random.default_rng(4), 3)
    for _ in range(20):
        state, _ = advance_frame(bodies, state, FLOOR, 1 / 24)
    ground = len(bodies.shapes.parts)
    assert (state.pairs.part == ground).any()
    other = box(0.1, 0.1, 0.1)
    both, joined = join_bodies((bodies, state), (other, placed(other, [-1, 0, 0.05])))
    assert len(both.shapes.parts) == ground + 1
    np.testing.assert_array_equal(joined.pairs.part.max(initial=0) < ground, True)
    after, _ = advance_frame(both, joined, FLOOR, 1 / 24)
    assert (after.pairs.part[after.pairs.body[:, 1] == len(both.mass)] == ground + 1).any()
