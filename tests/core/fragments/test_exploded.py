"""A cut to look at: what is drawn at rest is the cut itself, and apart it is the cut moved by fragments."""

import numpy as np
import pytest

from core.cutting.cut import cut
from core.fragments.exploded import cracks_apart, faces_apart, faces_of_cells, fragment_colours, shifts
from core.fragments.outline import find_outline
from core.pieces.voronoi_complex import voronoi_complex
from tests import shapes


@pytest.fixture(scope="module")
def body():
    return shapes.torus()


@pytest.fixture(scope="module")
def cells(body):
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    sites = np.random.default_rng(2).uniform(low, high, (40, 3))
    return cut(body, voronoi_complex(sites, low, high))


@pytest.fixture(scope="module")
def fragment(cells):
    """Three lots of cells."""
    return np.arange(len(cells.volume)) % 3


def volumes(corners, fragment):
    """Signed volume of each closed surface of triangles, by the divergence theorem."""
    a, b, c = corners.transpose(1, 0, 2)
    return np.bincount(fragment, (a * np.cross(b, c)).sum(axis=1) / 6.0)


def test_at_rest_all_is_drawn_as_it_was_cut(body, cells, fragment):
    shift = shifts(cells, fragment, 0.0)
    assert not shift.any()
    lines, sides = find_outline(cells, body)
    opened, closed = cracks_apart(lines, sides, fragment, shift)
    opens = fragment[sides[:, 0]] != fragment[sides[:, 1]]
    assert opened.tobytes() == lines[opens].tobytes() and closed.tobytes() == lines[~opens].tobytes()
    assert 0 < len(closed) < len(lines)
    faces = faces_of_cells(cells)
    corners, owner, shade = faces_apart(faces, fragment, shift)
    skin = np.flatnonzero(faces.beyond < 0)
    assert corners.tobytes() == faces.corners[skin].tobytes()
    assert np.isin(corners.reshape(-1, 3), cells.vertices).all()
    lifted = faces.lifted(0.25)
    away = np.linalg.norm(lifted.skin - faces.skin, axis=2)
    np.testing.assert_allclose(away, 0.25, rtol=1e-9)
    assert lifted.corners[len(skin) :].tobytes() == faces.corners[len(skin) :].tobytes()
    assert np.array_equal(owner, fragment[faces.cell[skin]]) and (shade > 0.0).all() and (shade <= 1.0 + 1e-9).all()


def test_apart_each_fragment_is_a_closed_surface_of_its_own_volume(cells, fragment):
    """Moved by its centroid's way from the middle, closed, with the volume of its cells."""
    shift = shifts(cells, fragment, 0.5)
    corners, owner, _ = faces_apart(faces_of_cells(cells), fragment, shift)
    expected = np.bincount(fragment, cells.volume)
    np.testing.assert_allclose(volumes(corners, owner), expected, rtol=1e-9)
    np.testing.assert_allclose(volumes(corners + 3.0, owner), expected, rtol=1e-6)  # an open surface would gain
    middle = (cells.volume[:, None] * cells.centroid).sum(axis=0) / cells.volume.sum()
    for k in range(3):
        own = fragment == k
        centre = (cells.volume[own, None] * cells.centroid[own]).sum(axis=0) / cells.volume[own].sum()
        np.testing.assert_allclose(shift[own], np.broadcast_to(0.5 * (centre - middle), (own.sum(), 3)), atol=1e-12)


def test_open_cracks_are_there_on_both_sides_when_moved_apart(body, cells, fragment):
    lines, sides = find_outline(cells, body)
    shift = shifts(cells, fragment, 1.0)
    rest, _ = cracks_apart(lines, sides, fragment, np.zeros_like(shift))
    opened, closed = cracks_apart(lines, sides, fragment, shift)
    assert len(opened) == 2 * len(rest) and len(opened) // 2 + len(closed) == len(lines)
    length = [np.linalg.norm(some[:, 1] - some[:, 0], axis=1).sum() for some in (opened, rest)]
    assert length[0] == pytest.approx(2.0 * length[1], rel=1e-9)


def test_what_is_left_out_as_dust_is_not_drawn_and_its_cracks_are_open(body, cells, fragment):
    gone = np.where(np.arange(len(fragment)) < 2, -1, fragment)
    lines, sides = find_outline(cells, body)
    opened, _ = cracks_apart(lines, sides, gone, np.zeros((len(gone), 3)))
    assert len(opened) == ((gone[sides[:, 0]] != gone[sides[:, 1]]) | (gone[sides] < 0).all(axis=1)).sum()
    shift = shifts(cells, gone, 1.0)
    assert not shift[:2].any()
    corners, owner, _ = faces_apart(faces_of_cells(cells), gone, shift)
    np.testing.assert_allclose(volumes(corners, owner), np.bincount(gone[2:], cells.volume[2:]), rtol=1e-9)


def test_a_fragment_keeps_its_colour_and_neighbours_have_others():
    some, more = fragment_colours(np.array([0, 4, 9]), 7), fragment_colours(np.array([0, 4, 6, 9]), 7)
    assert some.tobytes() == more[[0, 1, 3]].tobytes()
    assert some.tobytes() != fragment_colours(np.array([0, 4, 9]), 8).tobytes()
    every = fragment_colours(np.arange(200), 1)
    assert (every >= 0.0).all() and (every <= 1.0).all()
    assert np.abs(np.diff(every, axis=0)).max(axis=1).min() > 0.3
    assert len(np.unique(every.round(6), axis=0)) == 200


def test_without_fragments_nothing_moves(cells):
    assert not shifts(cells, np.full(len(cells.volume), -1), 1.0).any()
