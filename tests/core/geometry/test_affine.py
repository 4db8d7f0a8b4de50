"""Which groups of triangles are one flat face with affine values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry import affine
from core.geometry.affine import TriangleValues, flat_groups
from core.geometry.barycentric import affine_weights

QUAD = np.array([[0, 1, 2], [0, 2, 3]])


def quad(*points):
    return np.array(points, float), QUAD


SQUARE = quad((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0))


def is_face(mesh, near=1e-9, carried=()):
    label = flat_groups(np.full(len(mesh[1]), 7), *mesh, near, carried)
    assert label.tolist() in ([7] * len(label), [-1] * len(label))
    return bool(label[0] == 7)


def test_affine_weights_say_points_in_and_outside_of_the_triangle():
    rng = np.random.default_rng(0)
    corner, weight = rng.normal(size=(50, 3, 3)), rng.uniform(-2, 2, (50, 3))
    weight[:, 0] = 1.0 - weight[:, 1] - weight[:, 2]
    point = np.einsum("nk,nki->ni", weight, corner)
    off = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    # Round-off grows with how thin the triangle is; none of these is thinner than 1e-3.
    assert np.allclose(affine_weights(corner, point + off), weight, atol=1e-9)
    assert affine_weights(np.zeros((1, 3, 3)), np.ones((1, 3))).tolist() == [[1.0, 0.0, 0.0]]


def test_a_square_is_flat_until_a_corner_is_lifted_by_more_than_near():
    assert is_face(SQUARE)
    for lift, flat in ((0.5e-6, True), (2e-6, False)):
        assert is_face(quad((0, 0, 0), (1, 0, 0), (1, 1, lift), (0, 1, 0)), near=1e-6) == flat


def test_what_folds_over_itself_is_no_face():
    assert not is_face(quad((0, 0, 0), (1, 0, 0), (0, 1, 0), (0.9, 0.0, 0)))


def test_a_concave_quad_is_a_face():
    assert is_face(quad((0, 0, 0), (1, -1, 0), (0.3, 0, 0), (1, 1, 0)))


def test_degenerate_and_undefined_corners_are_no_face():
    assert not is_face(quad((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)))
    assert not is_face(quad((0, 0, 0), (1, 0, 0), (1, np.nan, 0), (0, 1, 0)))
    value = np.array([[0.0], [1.0], [np.nan], [0.0]])
    assert not is_face(SQUARE, carried=[TriangleValues(value, QUAD, 1.0)])
    assert not is_face(SQUARE, carried=[TriangleValues(np.array([[0.0], [1.0], [np.inf], [0.0]]), QUAD, 1.0)])


@pytest.mark.parametrize("off", [0.0, 0.9, 1.1])
def test_limits_are_absolute_or_relative_to_the_largest_value(off):
    value = np.array([[0.0], [100.0], [110.0], [10.0]])
    value[2] += off * 1e-3
    kept = off < 1.0
    assert is_face(SQUARE, carried=[TriangleValues(value, QUAD, 1e-3)]) == kept
    assert is_face(SQUARE, carried=[TriangleValues(value, QUAD, 0.0, 1e-3 / 110.0)]) == kept


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), corners=st.integers(4, 12), chunk=st.sampled_from([1, 3, 1 << 16]))
def test_only_polygons_with_affine_values_are_named(seed, corners, chunk):
    """Fans of convex polygons in random planes, their triangles mixed; in some a value or a place is off."""
    rng = np.random.default_rng(seed)
    count = 7
    points, triangles, label, value = [], [], [], []
    wanted = rng.integers(0, 3, count)
    for k in range(count):
        angle = (np.arange(corners) + rng.uniform(-0.3, 0.3, corners)) * 2.0 * np.pi / corners
        flat = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(corners)])
        map_ = rng.normal(size=(3, 2))
        value.append(flat @ map_ + rng.normal(size=2))
        which = rng.integers(corners)
        if wanted[k] == 1:
            flat[which, 2] += 0.01
        if wanted[k] == 2:
            value[-1][which, 1] += 0.01
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        points.append(flat @ turn.T + rng.normal(size=3))
        fan = np.column_stack([np.zeros(corners - 2, int), np.arange(1, corners - 1), np.arange(2, corners)])
        triangles.append(fan + k * corners)
        label += [k] * (corners - 2)
    order = rng.permutation(len(label))
    label, triangles = np.array(label)[order], np.concatenate(triangles)[order]
    label = np.append(label, [-1, -1])  # of no polygon
    triangles = np.concatenate([triangles, triangles[:2]])
    carried = [TriangleValues(np.concatenate(value).astype(np.float32), triangles, 1e-5)]
    before, affine.TRIANGLES_AT_ONCE = affine.TRIANGLES_AT_ONCE, chunk
    try:
        found = flat_groups(label, np.concatenate(points), triangles, 1e-9, carried)
    finally:
        affine.TRIANGLES_AT_ONCE = before
    assert np.array_equal(found, np.where((label >= 0) & (wanted[label] == 0), label, -1))


def test_many_groups_are_looked_at_some_at_a_time(monkeypatch):
    """The steps are as many as the chunks; what comes out does not depend on them."""
    squares = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    points = np.concatenate([squares + np.array([2.0 * k, 0.0, 0.0]) for k in range(9)])
    triangles = np.concatenate([np.array([[0, 1, 2], [0, 2, 3]]) + 4 * k for k in range(9)])
    label = np.repeat(np.arange(9), 2)
    monkeypatch.setattr(affine, "TRIANGLES_AT_ONCE", 6)
    job = affine.flat_group_steps(label, points, triangles, 1e-9)
    steps = 0
    while True:
        try:
            next(job)
            steps += 1
        except StopIteration as end:
            assert np.array_equal(end.value, label)
            break
    assert steps == 3
