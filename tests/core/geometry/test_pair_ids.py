"""Numbers of pairs and the edges of a mesh against numpy's sort."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.mesh import count_open_edges, edge_table, edge_uses, group_half_edges, is_manifold, paired_half_edges
from core.geometry.pair_ids import pair_ids
from tests import shapes


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), size=st.integers(0, 60), count=st.integers(1, 12))
def test_pairs_are_numbered_once_each(seed: int, size: int, count: int) -> None:
    first, second = np.random.default_rng(seed).integers(0, count, (2, size))
    pairs, pair_of = pair_ids(first, second, count)
    asked = np.stack([np.minimum(first, second), np.maximum(first, second)], axis=1)
    assert np.array_equal(pairs[pair_of], asked)
    assert len(pairs) == len(np.unique(asked, axis=0))
    assert np.all(np.diff(pairs[:, 0]) >= 0)


@pytest.mark.parametrize("body", [shapes.box(), shapes.torus(), shapes.icosphere(3), shapes.two_boxes()])
def test_closed_meshes_have_three_edges_for_two_triangles(body: shapes.Body) -> None:
    edges = edge_table(body.triangles, len(body.vertices))
    assert len(edges.ends) == 3 * len(body.triangles) // 2
    for k in range(3):
        corners = np.sort(body.triangles[:, [k, (k + 1) % 3]], axis=1)
        assert np.array_equal(edges.ends[edges.of_half[k::3]], corners)
    assert count_open_edges(edges) == 0 and is_manifold(edges)
    pairs = paired_half_edges(edges)
    assert np.array_equal(np.sort(pairs.reshape(-1)), np.arange(3 * len(body.triangles)))
    assert np.array_equal(edges.of_half[pairs[:, 0]], np.arange(len(edges.ends)))
    assert np.array_equal(edges.of_half[pairs[:, 1]], np.arange(len(edges.ends)))


def test_of_edges_with_one_two_and_three_triangles_only_the_second_kind_has_pairs() -> None:
    edges = edge_table(np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4], [2, 1, 5]]))
    start, half = group_half_edges(edges)
    uses = edge_uses(edges)
    assert np.array_equal(np.diff(start), uses) and sorted(half.tolist()) == list(range(12))
    assert np.array_equal(edges.of_half[half], np.repeat(np.arange(len(uses)), uses))
    assert [edges.ends[k].tolist() for k in np.flatnonzero(uses == 3)] == [[0, 1]]
    assert edges.ends[edges.of_half[paired_half_edges(edges)]].tolist() == [[[1, 2], [1, 2]]]


def test_a_corner_pair_of_one_vertex_is_an_open_edge() -> None:
    assert count_open_edges(edge_table(np.array([[0, 0, 1]]))) == 1


def test_a_missing_and_a_turned_triangle_unbalance_three_edges_each() -> None:
    for body in (shapes.open_box(), shapes.body(shapes.box().vertices, [[0, 3, 1], *shapes.box().triangles[1:]])):
        assert count_open_edges(edge_table(body.triangles, len(body.vertices))) == 3


def test_a_vertex_of_very_many_edges_takes_no_longer_than_others() -> None:
    rim = np.arange(1, 200_001)  # a search along the edges of the hub would take 10^10 steps
    fan = np.stack([np.zeros_like(rim), rim, np.roll(rim, -1)], axis=1)
    edges = edge_table(fan, len(rim) + 1)
    assert len(edges.ends) == 2 * len(rim)
    assert count_open_edges(edges) == len(rim)
    assert np.array_equal(edges.ends[edges.of_half[::3]], fan[:, :2])


@pytest.mark.parametrize("wrong", [-1, 3])
def test_a_vertex_that_does_not_exist_is_refused(wrong: int) -> None:
    with pytest.raises(IndexError):
        edge_table(np.array([[0, 1, wrong]]), 3)
    with pytest.raises(IndexError):
        pair_ids(np.array([0]), np.array([wrong]), 3)
