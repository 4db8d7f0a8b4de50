"""Selecting, joining, shapes, and the kernels as plain Python."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.motion.advance import advance
from core.motion.shapes import MOST, hull_corners, rigid_bodies
from core.motion.state import asleep, at_rest, awake, join, select
from core.types import Fragments

from .shapes_of import FLOOR, box, placed, random_scene

ROOT = Path(__file__).parents[3]


def test_select_keeps_each_body_with_its_impulses():
    bodies, state = random_scene(np.random.default_rng(1), count=5)
    for _ in range(40):
        state, _ = advance(bodies, state, FLOOR, 1 / 24)
    assert len(state.impulses.feature)
    keep = np.array([True, False, True, True, False])
    some, part = select(bodies, state, keep)
    rows = np.flatnonzero(keep)
    np.testing.assert_array_equal(some.mass, bodies.mass[rows])
    for new, old in enumerate(rows):
        a, b = some.point_start[new : new + 2]
        c, d = bodies.point_start[old : old + 2]
        np.testing.assert_array_equal(some.points[a:b], bodies.points[c:d])
        mine, before = part.impulses.body[:, 0] == new, state.impulses.body[:, 0] == old
        np.testing.assert_array_equal(part.impulses.impulse[mine], state.impulses.impulse[before])
    assert (part.impulses.body[:, 1] == -1).all()


def test_join_undoes_select():
    bodies, state = random_scene(np.random.default_rng(2), count=4)
    for _ in range(20):
        state, _ = advance(bodies, state, FLOOR, 1 / 24)
    split = np.array([True, True, False, False])
    whole, again = join(select(bodies, state, split), select(bodies, state, ~split))
    for field in ("mass", "inertia", "point_start", "points", "radius", "moments", "axes"):
        np.testing.assert_array_equal(getattr(whole, field), getattr(bodies, field))
    for field in ("position", "rotation", "velocity", "angular_momentum", "asleep", "quiet"):
        np.testing.assert_array_equal(getattr(again, field), getattr(state, field))
    one, two = advance(bodies, state, FLOOR, 1 / 24)[0], advance(whole, again, FLOOR, 1 / 24)[0]
    np.testing.assert_array_equal(one.position, two.position)


def test_sleep_and_wake_by_hand():
    bodies = box(1, 1, 1)
    state = asleep(placed(bodies, [0, 0, 5], velocity=[1, 0, 0]), np.array([True]))
    hung, _ = advance(bodies, state, FLOOR, 1 / 24)
    np.testing.assert_array_equal(hung.position, state.position)
    fallen, _ = advance(bodies, awake(state, np.array([True])), FLOOR, 1 / 24)
    assert fallen.position[0, 2] < 5


def test_nothing_to_move():
    bodies, state = random_scene(np.random.default_rng(2), count=2)
    none, empty = select(bodies, state, np.array([False, False]))
    after, energies = advance(none, empty, FLOOR, 1 / 24)
    assert len(after.position) == 0
    assert energies.sum() == 0


def fragments_of(parts):
    start = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    count, nothing = len(parts), np.empty(0, np.int64)
    return Fragments(
        start, np.vstack(parts), np.zeros(count + 1, np.int64), np.zeros(1, np.int64), nothing, np.empty((0, 3)),
        nothing, nothing, np.ones(count), np.ones(count), np.zeros((count, 3)), np.tile(np.eye(3), (count, 1, 1)),
    )  # fmt: skip


def test_hull_corners():
    rng = np.random.default_rng(0)
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    inside = rng.uniform(-0.9, 0.9, (200, 3))
    np.testing.assert_array_equal(hull_corners(np.vstack([inside, cube])), cube)
    flat = np.pad(rng.normal(size=(100, 2)), ((0, 0), (0, 1)))
    np.testing.assert_array_equal(hull_corners(flat), flat)
    ball = rng.normal(size=(3000, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    kept = hull_corners(ball)
    assert len(kept) <= MOST
    # what was left out sinks by at most 1 % of the radius... in any of these directions
    probe = rng.normal(size=(500, 3))
    probe /= np.linalg.norm(probe, axis=1)[:, None]
    assert ((ball @ probe.T).max(axis=0) - (kept @ probe.T).max(axis=0)).max() < 0.02


def test_bodies_of_fragments():
    rng = np.random.default_rng(5)
    parts = [rng.normal(size=(n, 3)) for n in (4, 50, 300)]
    bodies = rigid_bodies(fragments_of(parts), 0.4, 0.1)
    assert (bodies.friction, bodies.restitution) == (0.4, 0.1)
    for k, part in enumerate(parts):
        assert bodies.radius[k] == pytest.approx(np.linalg.norm(part, axis=1).max())
        mine = bodies.points[bodies.point_start[k] : bodies.point_start[k + 1]]
        for axis in np.eye(3):
            assert (mine @ axis).max() == (part @ axis).max()


def test_flat_inertia_is_made_positive():
    bodies = replace(box(1, 1, 1), inertia=np.diag([1.0, 1.0, 0.0])[None])
    assert (bodies.moments > 0).all()
    state, _ = advance(bodies, at_rest(np.array([[0, 0, 0.5]])), FLOOR, 1 / 24)
    assert np.isfinite(state.position).all()


STEP = """
import sys, warnings
import numpy as np
from tests.core.motion.shapes_of import FLOOR, random_scene
from core.motion.advance import advance
bodies, state = random_scene(np.random.default_rng(6), count=2)
for _ in range(8):
    state, _ = advance(bodies, state, FLOOR, 1 / 24)
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
