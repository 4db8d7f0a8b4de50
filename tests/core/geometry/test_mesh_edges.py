"""Unique edges of a mesh against numpy's sort."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.mesh_edges import mesh_edges, pair_ids
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
    edges, triangle_edge, open_edges = mesh_edges(body.triangles, len(body.vertices))
    assert len(edges) == 3 * len(body.triangles) // 2
    for k in range(3):
        corners = np.sort(body.triangles[:, [k, (k + 1) % 3]], axis=1)
        assert np.array_equal(edges[triangle_edge[:, k]], corners)
    assert open_edges == 0


def test_a_missing_and_a_turned_triangle_unbalance_three_edges_each() -> None:
    for body in (shapes.open_box(), shapes.body(shapes.box().vertices, [[0, 3, 1], *shapes.box().triangles[1:]])):
        assert mesh_edges(body.triangles, len(body.vertices))[2] == 3


def test_a_vertex_of_very_many_edges_takes_no_longer_than_others() -> None:
    rim = np.arange(1, 200_001)  # a search along the edges of the hub would take 10^10 steps
    fan = np.stack([np.zeros_like(rim), rim, np.roll(rim, -1)], axis=1)
    edges, triangle_edge, open_edges = mesh_edges(fan, len(rim) + 1)
    assert len(edges) == 2 * len(rim)
    assert open_edges == len(rim)
    assert np.array_equal(edges[triangle_edge[:, 0]], fan[:, :2])


@pytest.mark.parametrize("wrong", [-1, 3])
def test_a_vertex_that_does_not_exist_is_refused(wrong: int) -> None:
    with pytest.raises(IndexError):
        mesh_edges(np.array([[0, 1, wrong]]), 3)
    with pytest.raises(IndexError):
        pair_ids(np.array([0]), np.array([wrong]), 3)
