"""Hulls without Qhull: checked against Qhull, and by what a hull is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from core.rigid.shapes import quick_hull
from core.rigid.shapes.quick_hull import build_hull

KINDS = ("ball", "sphere", "grid", "disc")


def points_of(kind: str, count: int, seed: int) -> np.ndarray:
    """Points about somewhere: in general position, all corners, many in one plane, or thin."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 3))
    if kind == "sphere":
        points /= np.linalg.norm(points, axis=1)[:, None]
    elif kind == "grid":
        points = np.round(2.0 * points) / 2.0
    elif kind == "disc":
        points[:, 2] *= 1e-3
    return points + rng.normal(size=3)


@given(st.sampled_from(KINDS), st.integers(5, 150), st.integers(0, 10_000))
def test_the_hull_is_that_of_qhull(kind, count, seed):
    points = points_of(kind, count, seed)
    found = build_hull(points)
    try:
        expected = ConvexHull(points)
    except Exception:
        assert found is None or found.volume < 1e-9  # Qhull finds no first simplex: flat
        return
    # Sums of some hundred terms of some ten cubic metres.
    assert found.volume == pytest.approx(expected.volume, abs=1e-11)
    if kind != "grid":  # there, points on edges and in faces may count as corners or not
        assert np.array_equal(found.corners(), np.sort(expected.vertices))
    # SLACK times coordinates of up to ten, and a hundred times that over small faces, see `_convex`.
    assert (points @ found.plane[:, :3].T + found.plane[:, 3]).max() < 1e-9


@given(st.sampled_from(KINDS), st.integers(6, 100), st.integers(0, 10_000))
def test_faces_are_neighbours_across_the_edge_without_the_corner(kind, count, seed):
    found = build_hull(points_of(kind, count, seed))
    if found is None:
        return
    for row, corner in enumerate(found.corner):
        for k in range(3):
            across = found.across[row, k]
            shared = set(corner) & set(found.corner[across])
            assert shared == set(corner) - {corner[k]}
            assert row in found.across[across]


def test_flat_points_have_no_hull():
    flat = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.2, 0]], float)
    assert build_hull(flat) is None
    assert build_hull(flat[:3]) is None
    assert build_hull(np.zeros((6, 3))) is None


def test_awkward_points_are_left_to_qhull(monkeypatch):
    """A hair outside of an edge, and in the plane of one of its faces: a triangle without a plane of its own."""
    pyramid = np.array([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, 1], [1, -1e-9, 0]], float)
    asked = []
    monkeypatch.setattr(quick_hull, "ConvexHull", lambda some, **how: asked.append(some) or ConvexHull(some, **how))
    assert build_hull(pyramid).volume == pytest.approx(4.0 / 3.0, rel=1e-8)  # the hair makes it larger by 3e-10
    assert len(asked) == 1
    assert build_hull(pyramid[:5]).volume == pytest.approx(4.0 / 3.0, rel=1e-14)
    assert len(asked) == 1
