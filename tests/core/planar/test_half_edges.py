"""Loops of half-edges are the cycles of a permutation; a polygon runs around what its winding number says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.planar.half_edges import contains, trace_loops_of


@given(st.permutations(range(9)))
def test_each_half_edge_is_in_one_loop_and_followed_by_the_next_of_it(follows):
    follows = np.array(follows)
    loops = trace_loops_of(follows)
    assert sorted(loops.half.tolist()) == list(range(9))
    for k in range(len(loops.start) - 1):
        half = loops.half[loops.start[k] : loops.start[k + 1]]
        assert len(half) > 0 and half[0] == half.min() and (loops.of_half[half] == k).all()
        assert np.array_equal(follows[half], np.roll(half, -1))


def test_no_half_edges_make_no_loop_and_what_is_no_permutation_is_refused():
    assert trace_loops_of(np.empty(0, np.int64)).start.tolist() == [0]
    with pytest.raises(ValueError, match="same"):
        trace_loops_of(np.array([1, 1]))
    for wrong in (-1, 2):
        with pytest.raises(IndexError):
            trace_loops_of(np.array([0, wrong]))


@given(st.integers(3, 12), st.integers(0, 10**6))
def test_a_polygon_contains_the_points_that_it_winds_around_oddly(count, seed):
    rng = np.random.default_rng(seed)
    polygon, point = rng.normal(size=(count, 2)), rng.normal(size=2)
    x, y = (polygon - point).T
    angle = np.arctan2(y, x)
    turn = np.roll(angle, -1) - angle
    winding = round(((turn + np.pi) % (2.0 * np.pi) - np.pi).sum() / (2.0 * np.pi))
    assert contains(polygon, point) == (winding % 2 == 1)
