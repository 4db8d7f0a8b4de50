"""Parts of the way to tetrahedra: sizes, nodes that keep their distance, pinches, flat elements."""

import numpy as np
import pytest

from core.continuum.tetrahedralization.joining import JoinedNodes
from core.continuum.tetrahedralization.mesh_nodes import MeshNodes
from core.continuum.tetrahedralization.meshed_body import prepare_body
from core.continuum.tetrahedralization.peeling import peel
from core.continuum.tetrahedralization.pinches import find_pinches
from core.continuum.tetrahedralization.quality import measure_quality
from core.continuum.tetrahedralization.thinning import thin_points
from core.types import Floats, Ints
from tests import shapes


def joined(place: Floats, elements: Ints) -> JoinedNodes:
    """Elements alone, with nothing around them."""
    neighbours = np.full(elements.shape, -1)
    sides = [[frozenset(np.delete(row, k)) for k in range(4)] for row in elements]
    for a, own in enumerate(sides):
        for b, other in enumerate(sides):
            for k, side in enumerate(own):
                if a != b and side in other:
                    neighbours[a, k] = b
    nodes = MeshNodes(place, np.zeros_like(place), 0, len(place))
    return JoinedNodes(nodes, place, elements, neighbours, np.ones(len(elements), np.bool_))


UNIT = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("place", "other", "pinched"),
    [
        ([[1.0, 1.0, 1.0]], [1, 2, 3, 4], []),
        ([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0]], [0, 1, 4, 5], [0, 1]),
        ([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]], [0, 4, 5, 6], [0]),
    ],
    ids=["a face", "an edge", "a node"],
)
def test_elements_that_share_less_than_a_face_are_pinched_there(place, other, pinched):
    found = find_pinches(joined(np.concatenate([UNIT, place]), np.array([[0, 1, 2, 3], other])))
    assert np.flatnonzero(found).tolist() == pinched


def test_a_flat_element_on_a_side_is_taken_off_and_one_at_an_edge_is_not():
    # four nodes of a side, one of them a little below it; and the wedge of a block's edge
    for lifted, left in ((0.01, [False, True, True]), (0.9, [True, True, True])):
        place = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, lifted], [1.0, 1.0, 0.0], [0.0, 1.0, lifted], [0.5, 0.5, -1.0]])
        corners = np.array([[0, 1, 2, 3], [0, 2, 1, 4], [0, 3, 2, 4]])
        some = joined(place, corners)
        kept = peel(place, corners, some.neighbours, some.kept)
        assert sorted(kept.tolist()) == sorted(left)


def test_points_keep_their_distance_but_for_two_sides_of_a_wall():
    rng = np.random.default_rng(0)
    place = rng.random((2000, 3))
    apart = np.where(place[:, 0] < 0.5, 0.1, 0.2)
    stays = thin_points(place, np.zeros_like(place), apart, 1.0, 5)
    assert stays[:5].all()
    rows = np.flatnonzero(stays)
    away = np.linalg.norm(place[rows, None] - place[rows], axis=2)
    early = np.arange(len(rows))[:, None] > np.arange(len(rows))
    assert (away >= apart[rows, None])[early & (rows >= 5)[:, None]].all()
    gone = np.flatnonzero(~stays)  # each has one before it that is too near
    near = np.linalg.norm(place[gone, None] - place[rows], axis=2) < apart[gone, None]
    assert (near & (rows < gone[:, None])).any(axis=1).all()
    pair, facing = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.5]]), np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    assert thin_points(pair, facing, np.ones(2), 0.4, 0).all()
    assert not thin_points(pair, np.abs(facing), np.ones(2), 0.4, 0).all()


def test_sizes_follow_walls_and_grow_slowly():
    body = shapes.joined(shapes.box(), shapes.moved(shapes.box(high=(1.0, 1.0, 0.05)), np.array([0.0, 0.0, 1.5])))
    sizes = prepare_body(body, 0.25).sizes
    assert sizes.at(np.array([[0.5, 0.5, 0.0]]))[0] == pytest.approx(0.25)
    assert sizes.at(np.array([[0.5, 0.5, 1.525]]))[0] == pytest.approx(1.5 * 0.05, rel=0.15)
    rng = np.random.default_rng(1)
    a = rng.uniform(-0.2, 1.2, (1000, 3)) * [1.0, 1.0, 1.4]
    b = a + rng.normal(0.0, 0.05, a.shape)
    # by 0.3 along each axis of the grid, so by at most sqrt(3) times as much across it
    assert (np.abs(sizes.at(a) - sizes.at(b)) <= np.sqrt(3.0) * 0.3 * np.linalg.norm(a - b, axis=1) + 1e-12).all()


def test_angles_and_altitudes_are_those_of_known_tetrahedra():
    even = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    quality = measure_quality(np.concatenate([even, UNIT]), np.array([[0, 1, 3, 2], [4, 5, 6, 7]]))
    assert quality.smallest_angle == pytest.approx([np.degrees(np.arccos(1.0 / 3.0)), np.degrees(np.arccos(3.0**-0.5))])
    assert quality.altitude == pytest.approx([np.sqrt(8.0) * np.sqrt(2.0 / 3.0), 3.0**-0.5])
    assert quality.bad == 0.0
