"""Spreading the source's values over corners and points, and the edges of fragments."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.fragments.edges import edges_of
from core.fragments.spread import (
    against_source,
    mixed_turns,
    nearest_source,
    outer_spots,
    source_weights,
    spread_values,
)
from core.geometry.corner_values import blend, triangle_edge
from core.types import Body, Fragments


def one_face(weight):
    """A fragment with one outer face on triangle 0 and one inner face on the same vertices, backwards."""
    n = len(weight)
    return Fragments(
        vertex_start=np.array([0, n]),
        vertices=np.zeros((n, 3)),
        face_start=np.array([0, 2]),
        corner_start=np.array([0, n, 2 * n]),
        corner_vertex=np.concatenate([np.arange(n), np.arange(n)[::-1]]),
        corner_weight=np.concatenate([weight, np.zeros((n, 3))]),
        face_triangle=np.array([0, -1]),
        face_bond=np.array([-1, 0]),
        mass=np.ones(1),
        volume=np.ones(1),
        centre=np.zeros((1, 3)),
        inertia=np.zeros((1, 3, 3)),
    )


WEIGHT = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.1, 0.2, 0.7]])
TABLE = np.array([[4, 1, 2]])


def spots_of(fragments):
    return outer_spots(fragments, np.repeat([0, -1], np.diff(fragments.corner_start)))


def body_of(weight):
    """A body of one triangle of a given place (3,3) in its source; nothing else of it is looked at."""
    return Body(np.zeros((3, 3)), np.array([[0, 1, 2]]), np.zeros(1, np.int64), np.asarray(weight, float)[None])


def test_corners_get_the_weighted_mean_and_inner_ones_nothing():
    fragments = one_face(WEIGHT)
    values = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    result = np.full((6, 3), 9.0, np.float32)
    spread_values(values, TABLE, spots_of(fragments)[0], fragments.corner_weight, result)
    assert np.array_equal(result[0], values[4])
    assert np.allclose(result[:3], blend(values.astype(np.float64), TABLE[[0, 0, 0]], WEIGHT), atol=1e-7)
    assert np.all(result[3:] == 9.0)


def test_a_body_as_it_was_drawn_needs_no_weights_of_its_own():
    fragments = one_face(WEIGHT)
    body = Body(np.zeros((3, 3)), np.array([[0, 1, 2]]), np.zeros(1, np.int64))
    assert source_weights(fragments, body) is fragments.corner_weight
    assert not against_source(body).any()


PIECE = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5], [0.0, 1.0, 0.0]])


def test_weights_in_a_piece_of_a_triangle_are_weights_in_the_triangle():
    """A point at P = sum w_k C_k in the piece with corners C_k = sum v_kj S_j lies at sum_j (sum_k w_k v_kj) S_j."""
    found = source_weights(one_face(WEIGHT), body_of(PIECE))
    assert np.allclose(found[:3], WEIGHT @ PIECE, atol=1e-15)
    assert not found[3:].any()
    assert np.array_equal(found[0], PIECE[0])


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_turned_triangle_carries_the_values_of_its_corners_bit_for_bit(order):
    """Signed zeros come back as from an unturned one, and what is no number stays where it was."""
    values = np.array([[9, 9], [0.1, -0.0], [-0.3, 1e-40], [9, 9], [1 / 3, np.nan]], np.float32)
    fragments, straight, turned = one_face(np.eye(3)), np.zeros((6, 2), np.float32), np.zeros((6, 2), np.float32)
    spots = spots_of(fragments)[0]
    spread_values(values, TABLE[:, order], spots, fragments.corner_weight, straight)
    weight = source_weights(fragments, body_of(np.eye(3)[list(order)]))
    spread_values(values, TABLE, spots, weight, turned)
    assert turned.tobytes() == straight.tobytes()
    assert np.array_equal(turned[:3, 0], values[TABLE[0, order], 0])
    assert nearest_source(TABLE, spots, weight).tolist() == TABLE[0, order].tolist()


def test_a_triangle_whose_corners_run_the_other_way_looks_against_its_source():
    assert not against_source(body_of(np.eye(3)[[1, 2, 0]]))[0]
    assert against_source(body_of(np.eye(3)[[0, 2, 1]]))[0]
    assert against_source(body_of(PIECE))[0]
    assert not against_source(body_of(PIECE[[0, 2, 1]]))[0]
    rim = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.4, 0.6, 0.0]]  # along a side of its source: it looks nowhere there
    assert not against_source(body_of(rim))[0]


def test_a_side_of_a_piece_lies_on_the_edge_on_which_its_triangle_lies():
    """Of the piece's sides 0-1, 1-2 and 2-0 the last runs along edge 0 of the source, from its corner 0 to 1."""
    weight = source_weights(one_face(np.eye(3)), body_of(PIECE))[:3]
    assert triangle_edge(weight, weight[[1, 2, 0]]).tolist() == [-1, -1, 0]
    # A cut of the piece leaves round-off in the weights.
    cut = np.array([[0.3, 1e-17, 0.7], [1.0, -1e-17, 1e-16], [0.2, 0.5, 0.3]])
    weight = source_weights(one_face(cut), body_of(PIECE))[:3]
    assert triangle_edge(weight, weight[[1, 2, 0]]).tolist() == [0, -1, -1]


def test_rounding_of_weights_does_not_show():
    """Clipping leaves weights of 1 - 1e-16: the source's float32 comes back all the same."""
    fragments = one_face(np.array([[1 - 2e-16, 1e-16, 1e-16], [3e-17, 1.0, -3e-17], [0, 2e-16, 1 - 2e-16]]))
    values = np.array([[0, 0], [0.1, 7], [0.3, -5], [0, 0], [0.7, 3]], np.float32)
    result = np.zeros((6, 2), np.float32)
    spread_values(values, TABLE, spots_of(fragments)[0], fragments.corner_weight, result)
    assert np.array_equal(result[:3], values[[4, 1, 2]])


def test_the_first_corner_of_a_point_says_what_it_gets():
    """Two outer faces share vertices 0 and 1; only those of the first face count there."""
    fragments = replace(
        one_face(WEIGHT),
        corner_vertex=np.array([0, 1, 2, 1, 0, 2]),
        corner_weight=np.concatenate([WEIGHT, np.eye(3)]),
        face_triangle=np.array([0, 0]),
        face_bond=np.array([-1, -1]),
    )
    _, spots = outer_spots(fragments, np.zeros(len(fragments.corner_vertex), np.int64))
    assert spots.target.tolist() == [0, 1, 2]
    assert spots.corner.tolist() == [0, 1, 2]


def test_values_that_cannot_be_mixed_come_from_the_nearest_corner():
    fragments = one_face(WEIGHT)
    for spots in spots_of(fragments):
        assert nearest_source(TABLE, spots, fragments.corner_weight).tolist() == [4, 1, 2]


def test_turns_are_mixed_on_the_shorter_way():
    """Halfway between turns by 0 and by 2a about one axis lies the turn by a, also where one is written as -q."""
    fragments = one_face(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    a = 0.4
    values = np.zeros((5, 4))
    values[:, 0] = 1.0
    values[1] = (-np.cos(a), 0, 0, -np.sin(a))
    mixed = mixed_turns(values, TABLE, spots_of(fragments)[0], fragments.corner_weight)
    assert np.allclose(mixed[0], (np.cos(a / 2), 0, 0, np.sin(a / 2)), atol=1e-12)
    assert np.array_equal(mixed[1], values[4])
    assert np.allclose(mixed[2], values[1], atol=1e-15)


@given(st.lists(st.lists(st.integers(0, 7), min_size=3, max_size=6, unique=True), min_size=2, max_size=12), st.data())
@settings(max_examples=60)
def test_each_pair_of_neighbouring_corners_has_one_edge(faces, data):
    split = data.draw(st.integers(1, len(faces)))
    sizes = [len(face) for face in faces]
    flat = np.concatenate(faces)
    fragments = Fragments(
        vertex_start=np.array([0, 8, 16]),
        vertices=np.zeros((16, 3)),
        face_start=np.array([0, split, len(faces)]),
        corner_start=np.concatenate([[0], np.cumsum(sizes)]),
        corner_vertex=flat,
        corner_weight=np.zeros((len(flat), 3)),
        face_triangle=np.full(len(faces), -1),
        face_bond=np.zeros(len(faces), np.int64),
        mass=np.ones(2),
        volume=np.ones(2),
        centre=np.zeros((2, 3)),
        inertia=np.zeros((2, 3, 3)),
    )
    edges = edges_of(fragments)
    at = 0
    for k, part in enumerate((faces[:split], faces[split:])):
        mine = edges.vertices[edges.start[k] : edges.start[k + 1]]
        pairs = [frozenset((face[i], face[(i + 1) % len(face)])) for face in part for i in range(len(face))]
        assert [frozenset(mine[e].tolist()) for e in edges.corner[at : at + len(pairs)]] == pairs
        assert len(mine) == len(set(pairs))
        at += len(pairs)
