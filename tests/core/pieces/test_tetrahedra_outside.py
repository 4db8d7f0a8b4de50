"""The paper's two tests for tetrahedra that are no part of the body (Smith, Witkin, Baraff 2001, section 2.1)."""

import numpy as np
import pytest

from core.cutting import crumbs
from core.pieces.tetrahedra.outside import THIN_PIECE, outside
from tests import shapes

#: Three corners above the lid of the unit cube and one below, with the height of the upper three left open.
UPPER, APEX = np.array([[0.2, 0.2], [0.8, 0.2], [0.5, 0.8]]), (0.5, 0.4, 0.3)


def sunk(height: float) -> np.ndarray:
    return np.array([*((x, y, 1.0 + height) for x, y in UPPER), APEX])


def altitudes(place: np.ndarray) -> np.ndarray:
    """Distance of each corner from the plane of the others, by barycentric gradients: |grad b_k| = 1 / h_k."""
    matrix = np.concatenate([place, np.ones((4, 1))], axis=1)
    return 1.0 / np.linalg.norm(np.linalg.inv(matrix)[:3], axis=0)


def dropped(body, place: np.ndarray) -> bool:
    return bool(outside(body, place, np.array([[0, 1, 2, 3]]))[0])


def test_a_tetrahedron_with_its_centroid_outside_is_dropped() -> None:
    # A torus about z: the disc in its hole is outside, and a tetrahedron across the hole has its centroid there.
    torus = shapes.torus(1.0, 0.3)
    angle = 2.0 * np.pi * np.arange(3) / 3.0
    across = np.array([*((0.7 * np.cos(a), 0.7 * np.sin(a), 0.0) for a in angle), (0.0, 0.0, 0.2)])
    within = np.array([1.0, 0.0, 0.0]) + 0.1 * np.array([[-1, -1, -1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]])
    assert dropped(torus, across)
    assert not dropped(torus, within)


def test_a_face_may_be_outside_by_a_quarter_of_the_smallest_altitude() -> None:
    # The centre of the upper face is `height` above the lid; the altitude grows with it, but by less.
    body = shapes.box()
    low, high = 0.0, 0.2  # with the centroid at 1 + (3 * 0.2 - 0.7) / 4 < 1 the first test passes all
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if middle < 0.25 * altitudes(sunk(middle)).min() else (low, middle)
    assert 0.05 < low < 0.2
    assert not dropped(body, sunk(0.99 * low))
    assert dropped(body, sunk(1.01 * low))


def test_flat_tetrahedra_and_those_with_a_far_corner_are_dropped() -> None:
    body = shapes.box()
    flat = np.array([[0.2, 0.2, 0.5], [0.8, 0.2, 0.5], [0.8, 0.8, 0.5], [0.2, 0.8, 0.5]])
    assert dropped(body, flat)
    assert not dropped(body, flat + np.array([[0, 0, 0.1], [0, 0, 0], [0, 0, 0.1], [0, 0, 0]]))
    assert outside(body, flat[:3], np.array([[0, 1, 2, 3]]))[0]  # corner 3 is none of the points: far away


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_size_does_not_matter(scale: float) -> None:
    rng = np.random.default_rng(1)
    place, corners = rng.uniform(-0.2, 1.2, (40, 3)), rng.permuted(np.tile(np.arange(40), (300, 1)), axis=1)[:, :4]
    small, large = shapes.box(), shapes.moved(shapes.box(), (0.0, 0.0, 0.0), scale)
    one, other = outside(small, place, corners), outside(large, place * scale, corners)
    assert 0 < np.count_nonzero(one) < len(one)
    assert np.array_equal(one, other)


def test_what_counts_as_a_piece_is_what_the_cutter_leaves_as_one():
    assert THIN_PIECE == crumbs.CRUMB_THICKNESS
