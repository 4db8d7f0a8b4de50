"""Convex parts of point sets: hulls with polygonal faces, and what becomes of flat, thin and round sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from core.rigid.shapes.convex_hulls import make_convex_parts
from core.rigid.shapes.hull_points import MOST_HULL_CORNERS, PLATE, ROUND
from tests import shapes as bodies
from tests.core.rigid.convexity import assert_sound, corners_of, height_over, volume_of

CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
LATTICE = np.array(list(np.ndindex(5, 5, 5)), float) / 4.0


def counts(shapes, part=0):
    record = shapes.geometry.parts[part]
    return tuple(int(np.diff(record[name])[0]) for name in ("vertex", "face", "edge"))


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(4, 60), st.floats(0.02, 1.0), st.floats(0.02, 1.0))
def test_hulls_of_random_points_are_sound_and_have_qhulls_volume(seed, count, flat, thin):
    points = np.random.default_rng(seed).normal(size=(count, 3)) * [1.0, flat, thin]
    shapes = make_convex_parts([points])
    assert_sound(shapes)
    # faces within 1e-9 of the size are one: so much of the area times the size may be lost
    assert volume_of(shapes, 0) == pytest.approx(ConvexHull(points).volume, rel=1e-6)
    assert {tuple(p) for p in corners_of(shapes, 0).round(9)} <= {tuple(p) for p in points.round(9)}


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_points_of_a_coarse_lattice_give_sound_hulls(seed):
    # lattices are full of coplanar faces, straight edges and points inside faces
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (rng.integers(8, 80), 3)).astype(float)
    shapes = make_convex_parts([points])
    assert_sound(shapes)
    if np.linalg.matrix_rank(points - points[0]) == 3:
        assert volume_of(shapes, 0) == pytest.approx(ConvexHull(points).volume, rel=1e-12)
        hull = ConvexHull(points)
        planes = len(np.unique(hull.equations.round(9), axis=0))
        assert counts(shapes)[1] == planes


def turned(points):
    q = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    return points @ q.T


@pytest.mark.parametrize("points", [CUBE, LATTICE, turned(CUBE), turned(LATTICE) + 1000.0])
def test_triangles_in_one_plane_are_one_face(points):
    shapes = make_convex_parts([points])
    assert counts(shapes) == (8, 6, 12)
    assert_sound(shapes)


def test_a_prism_has_its_true_corners_only():
    angle = 2 * np.pi * np.arange(24) / 24
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    up = np.array([0.0, 0.0, 1.0])
    straight = 0.5 * (ring + np.roll(ring, -1, axis=0))  # on its straight edges
    points = np.concatenate([ring, straight, ring + up, straight + up, ring + 0.5 * up, 0.3 * ring])
    shapes = make_convex_parts([points])
    assert counts(shapes) == (48, 26, 72)
    assert_sound(shapes)


def test_parts_come_in_the_order_of_their_sets():
    shapes = make_convex_parts([CUBE, turned(LATTICE) + 5.0, CUBE[[0, 1, 2, 4]]])
    assert [counts(shapes, k) for k in range(3)] == [(8, 6, 12), (8, 6, 12), (4, 4, 6)]
    assert np.all(shapes.geometry.faces.adjacent == -1)
    assert_sound(shapes)


def test_no_sets_give_no_parts_and_an_empty_set_is_refused():
    assert len(make_convex_parts([]).parts) == 0
    with pytest.raises(ValueError, match="needs a point"):
        make_convex_parts([CUBE, np.zeros((0, 3))])


@pytest.mark.parametrize("turn", [lambda p: p, turned])
@pytest.mark.parametrize(
    ("points", "thin"),
    [(CUBE * [1, 1, 0], 1), (CUBE * [1, 0, 0], 2), (CUBE[:3], 1), (CUBE[:2], 2), (CUBE[:1] + 3.0, 3), (0 * CUBE, 3)],
)
def test_sets_without_a_volume_become_thin_plates(points, thin, turn):
    points = turn(points)
    shapes = make_convex_parts([points])
    assert_sound(shapes)
    corners = corners_of(shapes, 0)
    extents = np.sqrt(np.linalg.eigvalsh(np.cov(corners.T)))
    assert np.count_nonzero(extents < PLATE * 2 * shapes.geometry.parts.radius[0]) == (thin if thin < 3 else 0)
    assert height_over(shapes, 0, points).max() <= 1e-15 * (1.0 + np.abs(points).max())  # round-off


def test_thin_solids_stay_as_they_are():
    plate = CUBE * [1.0, 1.0, 1e-5]
    shapes = make_convex_parts([plate])
    assert_sound(shapes)
    assert volume_of(shapes, 0) == pytest.approx(1e-5, rel=1e-9)


def test_round_parts_keep_enough_of_their_corners():
    ball = bodies.icosphere(4).vertices
    shapes = make_convex_parts([ball])
    assert_sound(shapes)
    corners = corners_of(shapes, 0)
    assert MOST_HULL_CORNERS < len(corners) < 0.5 * len(ball)
    assert height_over(shapes, 0, ball).max() <= ROUND
    assert {tuple(p) for p in corners} <= {tuple(p) for p in ball}


def test_corners_to_keep_are_kept_in_round_parts():
    ball = bodies.icosphere(4).vertices
    ring = np.flatnonzero(np.abs(ball[:, 2]) < 0.1)
    shapes = make_convex_parts([ball], [ring])
    assert {tuple(p) for p in ball[ring]} <= {tuple(p) for p in corners_of(shapes, 0)}


def test_many_points_of_a_box_give_the_box():
    side = np.linspace(0.0, 1.0, 40)
    sheet = np.stack(np.meshgrid(side, side, [0.0, 0.2], indexing="ij"), axis=-1).reshape(-1, 3)
    shapes = make_convex_parts([turned(sheet)])
    assert counts(shapes) == (8, 6, 12)
    assert volume_of(shapes, 0) == pytest.approx(0.2, rel=1e-9)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_size_and_place_change_nothing_but_size_and_place(scale):
    rng = np.random.default_rng(3)
    sets = [rng.normal(size=(n, 3)) for n in (4, 9, 30, 300)] + [LATTICE, bodies.bumpy_sphere(3).vertices]
    one, other = make_convex_parts(sets), make_convex_parts([scale * (points + 3.0) for points in sets])
    assert np.array_equal(one.loop, other.loop)
    assert np.array_equal(one.edges, other.edges)
    assert np.abs(other.vertices - scale * (one.vertices + 3.0)).max() < 1e-13 * scale
