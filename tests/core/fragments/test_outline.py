"""Crack lines on the skin: their length is what planes cut out of known solids."""

import numpy as np
import pytest

from core.cutting.cut import cut
from core.fragments.outline import find_outline
from core.pieces.voronoi_complex import voronoi_complex
from tests import shapes


def halves(body, group=None):
    """Two sites on the x axis: the cut is the plane x = 0.1."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    return cut(body, voronoi_complex(np.array([[-0.4, 0.01, 0.02], [0.6, 0.01, 0.02]]), low, high, group=group))


def crack_lines(cells, body, lift=0.0):
    """The segments alone."""
    return find_outline(cells, body, lift)[0]


def length(lines) -> float:
    return float(np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).sum())


def test_a_plane_through_a_box_leaves_its_rectangle():
    body = shapes.box((-1.0, -0.5, -0.25), (1.0, 0.5, 0.25))
    lines = crack_lines(halves(body), body)
    assert length(lines) == pytest.approx(2 * (1.0 + 0.5), rel=1e-12)  # the perimeter of the section
    np.testing.assert_allclose(lines[:, :, 0], 0.1, atol=1e-12)


def test_lines_of_a_sphere_lie_off_its_skin_by_the_lift():
    body = shapes.icosphere(3)
    lines = crack_lines(halves(body), body, lift=0.05)
    flat = crack_lines(halves(body), body)
    np.testing.assert_allclose(np.linalg.norm(lines - flat, axis=2), 0.05, rtol=1e-12)
    # Faces of a sphere look away from its middle, so the lift leads outwards.
    assert (np.linalg.norm(lines, axis=2) > np.linalg.norm(flat, axis=2)).all()


def test_cells_of_one_unit_have_no_crack_between_them():
    body = shapes.box((-1.0, -0.5, -0.25), (1.0, 0.5, 0.25))
    assert len(crack_lines(halves(body, group=np.zeros(2, np.int64)), body)) == 0


def test_every_line_is_drawn_once():
    body = shapes.torus()
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = np.random.default_rng(2).uniform(low, high, (30, 3))
    lines = crack_lines(cut(body, voronoi_complex(sites, low, high)), body)
    ends = np.sort(lines.reshape(-1, 2, 3).round(12).view([("", float)] * 3)[..., 0], axis=1)
    assert len(np.unique(ends, axis=0)) == len(lines) > 100
