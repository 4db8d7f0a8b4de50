"""Spreading the source's values over corners and points, and the edges of fragments."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.cells.corners import blend
from core.cells.edges import edges_of
from core.cells.spread import mixed_turns, nearest_source, outer_spots, spread
from core.types import Fragments


def one_face(weight, turned=False):
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


def spots_of(fragments, turned=False):
    return outer_spots(fragments, np.array([0, -1]), np.array([turned, False]))


def carried(turned):
    fragments = one_face(WEIGHT)
    values = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)
    result = np.full((6, 3), 9.0, np.float32)
    spread(values, TABLE, spots_of(fragments, turned)[0], fragments.corner_weight, result)
    return values, result


def test_corners_get_the_weighted_mean_and_inner_ones_nothing():
    values, result = carried(turned=False)
    assert np.array_equal(result[0], values[4])
    assert np.allclose(result[:3], blend(values.astype(np.float64), TABLE[[0, 0, 0]], WEIGHT), atol=1e-7)
    assert np.all(result[3:] == 9.0)


def test_triangles_that_were_inside_out_have_their_corners_in_the_source_s_order():
    values, result = carried(turned=True)
    expected = blend(values.astype(np.float64), TABLE[[0, 0, 0]][:, [0, 2, 1]], WEIGHT)
    assert np.allclose(result[:3], expected, atol=1e-7)


def test_rounding_of_weights_does_not_show():
    """Clipping leaves weights of 1 - 1e-16: the source's float32 comes back all the same."""
    fragments = one_face(np.array([[1 - 2e-16, 1e-16, 1e-16], [3e-17, 1.0, -3e-17], [0, 2e-16, 1 - 2e-16]]))
    values = np.array([[0, 0], [0.1, 7], [0.3, -5], [0, 0], [0.7, 3]], np.float32)
    result = np.zeros((6, 2), np.float32)
    spread(values, TABLE, spots_of(fragments)[0], fragments.corner_weight, result)
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
    _, spots = outer_spots(fragments, np.array([0, 0]), np.zeros(2, bool))
    assert spots.target.tolist() == [0, 1, 2]
    assert spots.corner.tolist() == [0, 1, 2]


def test_values_that_cannot_be_mixed_come_from_the_nearest_corner():
    fragments = one_face(WEIGHT)
    for turned, expected in ((False, [4, 1, 2]), (True, [4, 2, 1])):
        for spots in spots_of(fragments, turned):
            assert nearest_source(TABLE, spots, fragments.corner_weight).tolist() == expected


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
@settings(max_examples=60, deadline=None)
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
