"""Su, Schroeder, Fedkiw 2009: a pile of fragments comes to rest; pieces that fit snugly stay in place.

Scene UT of docs/papers/su2009.md.
"""

from dataclasses import replace

import numpy as np
import pytest

from core.rigid.advance import advance_frame
from core.rigid.state import put_to_sleep
from tests.verification.motion_scenes import DT, FLOOR, overlaps, pieces_of_box, pile, played, run

ROUND_OFF = 1e-12  # of the energies that are added up


def test_pile_of_200_settles_and_sleeps():
    bodies, state = pile(200, seed=0, spacing=1.8)
    rises, deepest, frames = [], 0.0, 0
    while not state.asleep.all() and frames < 240:
        states, _, rise = played(bodies, state, [FLOOR] * 10)
        rises.append(rise)
        state = states[-1]
        deepest = max(deepest, overlaps(bodies, state).max())
        frames += 10
    assert max(rises) <= ROUND_OFF
    assert state.asleep.all()
    depth = overlaps(bodies, state)
    assert depth.max() < 0.01
    # While it falls: a prototype had 0.3 to 0.4 r for single contacts at 5 to 9 m/s.
    assert deepest < 0.4
    still = run(bodies, state, 5)
    for field in ("position", "rotation", "velocity", "angular_momentum"):
        np.testing.assert_array_equal(getattr(still, field), getattr(state, field))


def test_sleeping_cut_does_not_move_by_a_bit():
    bodies, state = pieces_of_box(500, friction=0.3)
    state = put_to_sleep(state, np.ones(500, np.bool_))
    end = run(bodies, state, 200)
    for field in ("position", "rotation", "velocity", "angular_momentum"):
        np.testing.assert_array_equal(getattr(end, field), getattr(state, field))


def awake(bodies, state, frames, parts=1):
    """How far each piece (K,) has moved after some frames awake, in its radii, and its highest speed (K,) [m/s].

    Each frame is done in `parts` frames of less.
    """
    start, fastest = state.position, np.zeros(len(bodies.mass))
    for _ in range(frames * parts):
        state, _ = advance_frame(bodies, replace(state, quiet=np.zeros(len(bodies.mass))), FLOOR, DT / parts)
        fastest = np.maximum(fastest, np.linalg.norm(state.velocity, axis=1))
    return np.linalg.norm(state.position - start, axis=1) / bodies.radius, fastest


def check_snug(seed, frames):
    """Limits were set with a prototype (median 0.003 r). What also slides with 16 substeps in a frame may slide."""
    bodies, state = pieces_of_box(500, seed, friction=1.0)
    _, _, rise = played(bodies, state, [FLOOR] * 5, rested=False)
    assert rise <= ROUND_OFF
    _, fastest = awake(bodies, state, 5)
    if fastest.max() > 0.05:
        _, truth = awake(bodies, state, 5, parts=4)
        fastest = fastest[truth <= 0.05]
    moved, _ = awake(bodies, state, frames)
    assert np.median(moved) <= 0.005
    assert np.percentile(moved, 99) <= 0.05
    assert fastest.max() <= 0.05


@pytest.mark.parametrize("seed", range(5))
def test_awake_cut_stays_together(seed):
    """Facets steeper than the angle of friction slide: that is physics, and shows in steps of a quarter too."""
    check_snug(seed, 25)  # what moves does so in the first second


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(5))
def test_awake_cut_stays_together_for_200_frames(seed):
    check_snug(seed, 200)
