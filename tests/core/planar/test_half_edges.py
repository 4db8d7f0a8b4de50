"""Loops of half-edges are the cycles of a permutation; a polygon runs around what its winding number says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from core.planar.half_edges import contains, link_half_edges, trace_loops_of


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


@given(st.integers(4, 30), st.integers(0, 10**6))
def test_linked_half_edges_run_around_the_faces_of_a_plane_graph(count, seed):
    # Delaunay triangulations: every triangle is a loop, counter-clockwise, and one more runs around all from outside.
    place = np.random.default_rng(seed).normal(size=(count, 2))
    triangles = Delaunay(place).simplices
    sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    ends = np.unique(np.sort(sides, axis=1), axis=0)
    tail, head = ends.ravel(), ends[:, ::-1].ravel()
    follows, turn = link_half_edges(tail, place[head] - place[tail])
    assert np.array_equal(tail[follows], head), "each begins where the one before ends"
    np.testing.assert_allclose(np.bincount(tail, turn), 2.0 * np.pi, rtol=1e-12)
    loops = trace_loops_of(follows)
    assert count - len(ends) + len(loops.start) - 1 == 2, "Euler's formula"
    rings = [tail[loops.half[a:b]] for a, b in zip(loops.start[:-1], loops.start[1:], strict=True)]
    wanted = sorted(tuple(sorted(row)) for row in triangles.tolist())
    outer = [k for k, ring in enumerate(rings) if area(place[ring]) < 0.0]
    assert len(outer) == 1
    assert sorted(tuple(sorted(ring)) for k, ring in enumerate(rings) if k not in outer) == wanted


def test_the_end_of_a_spur_is_followed_by_the_way_back():
    follows, turn = link_half_edges(np.array([0, 1]), np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert follows.tolist() == [1, 0] and turn.tolist() == [0.0, 0.0]


def area(polygon):
    x, y = polygon.T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


@given(st.integers(3, 12), st.integers(0, 10**6))
def test_a_polygon_contains_the_points_that_it_winds_around_oddly(count, seed):
    rng = np.random.default_rng(seed)
    polygon, point = rng.normal(size=(count, 2)), rng.normal(size=2)
    x, y = (polygon - point).T
    angle = np.arctan2(y, x)
    turn = np.roll(angle, -1) - angle
    winding = round(((turn + np.pi) % (2.0 * np.pi) - np.pi).sum() / (2.0 * np.pi))
    assert contains(polygon, point) == (winding % 2 == 1)
