"""Touches of parts, summed over pairs of bodies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rigid.advance import advance_frame
from core.rigid.contact_impulses import sum_contact_impulses
from core.rigid.contract import StepReport
from tests.core.rigid.shapes_of import FLOOR, box, placed, random_scene

ROUND_OFF = 1e-12


def account(body, impulse, anchor):
    none = np.zeros((len(body), 3))
    return StepReport(np.zeros(3), 0.0, np.array(body, np.int64).reshape(-1, 2), impulse, none, anchor, none)


@given(st.integers(0, 2**32 - 1), st.integers(0, 40))
def test_equals_sums_over_parts(seed, count):
    """One pair after the other, from either side; what both sides of a touch say does not depend on their order."""
    rng = np.random.default_rng(seed)
    body = np.array([rng.choice(6, 2, replace=False) for _ in range(count)], np.int64).reshape(-1, 2)
    impulse, anchor = rng.normal(size=(count, 3)), rng.normal(size=(count, 2, 3))
    found = sum_contact_impulses(account(body, impulse, anchor))
    pairs = sorted({tuple(sorted(pair)) for pair in body.tolist()})
    assert [tuple(pair) for pair in found.body.tolist()] == pairs
    for (a, b), push, (on_a, on_b) in zip(pairs, found.impulse, found.anchor, strict=True):
        total, weight, first, second = np.zeros(3), 0.0, np.zeros(3), np.zeros(3)
        for (c, d), one, (p, q) in zip(body.tolist(), impulse, anchor, strict=True):
            if {c, d} == {a, b}:
                size = np.linalg.norm(one)
                total += one if c == a else -one
                first += size * (p if c == a else q)
                second += size * (q if c == a else p)
                weight += size
        np.testing.assert_allclose(push, total, rtol=0, atol=ROUND_OFF * max(weight, 1.0))
        np.testing.assert_allclose(on_a, first / weight, rtol=0, atol=1e-10)
        np.testing.assert_allclose(on_b, second / weight, rtol=0, atol=1e-10)


def test_tiny_impulses_still_have_a_spot():
    """Remainders of friction, whose squares are 0."""
    anchor = np.array([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]])
    found = sum_contact_impulses(account([[0, 1]], np.full((1, 3), 1e-200), anchor))
    np.testing.assert_allclose(found.anchor, anchor, rtol=ROUND_OFF)


def test_a_box_presses_on_the_ground_with_its_weight():
    one = box(0.4, 0.4, 0.2)
    state = placed(one, [0, 0, 0.1])
    for _ in range(4):
        state, done = advance_frame(one, state, FLOOR, 1 / 24)
    found = sum_contact_impulses(done)
    assert found.body.tolist() == [[0, 1]]
    assert found.impulse[0, 2] == pytest.approx(one.mass[0] * 9.81 / 24, rel=1e-3)


def test_nothing_of_bodies_that_touch_nothing():
    bodies, state = random_scene(np.random.default_rng(0), count=2)
    found = sum_contact_impulses(advance_frame(bodies, state, FLOOR, 1e-4)[1])
    assert found.body.shape == (0, 2) and found.impulse.shape == (0, 3) and found.anchor.shape == (0, 2, 3)
