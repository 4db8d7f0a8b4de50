"""Where, when and how hard an object may be broken."""

from dataclasses import replace

import numpy as np
import pytest

from core.cells.whole import whole_cells
from core.strength.influence import held_cells, reaches, toughness_at
from core.types import Influence, Made
from tests import shapes

BOX = shapes.box()


def painted(value):
    """Values of the corners of the box's triangles, by their places."""
    return value(BOX.vertices[BOX.triangles])


def test_without_fields_all_may_break():
    free = Influence()
    assert reaches(free, np.array([9.0, 9.0, 9.0]), 1e3)
    assert toughness_at(free, BOX, np.zeros(3)) == 1.0
    assert not held_cells(free, BOX, whole_cells(BOX)).any()


@pytest.mark.parametrize("time, may", [(0.9, False), (1.0, True), (2.0, True), (2.1, False)])
def test_only_within_the_span_of_time(time, may):
    assert reaches(Influence(start=1.0, end=2.0), np.zeros(3), time) is may


def test_only_within_one_of_the_spheres():
    two = Influence(spheres=np.array([[0.0, 0.0, 0.0, 1.0], [5.0, 0.0, 0.0, 0.5]]))
    inside = [reaches(two, np.array([x, 0.0, 0.0]), 0.0) for x in (0.99, 1.01, 4.49, 4.51, 5.4)]
    assert inside == [True, False, False, True, True]


def test_toughness_is_linear_on_the_surface():
    # 1 + x on every corner is 1 + x everywhere, also for the nearest point of a place beside the box.
    field = Influence(toughness=painted(lambda at: 1.0 + at[..., 0]))
    for point, value in (((0.25, 0.0, 0.6), 1.25), ((0.75, 1.0, 0.1), 1.75), ((3.0, 0.5, 0.5), 2.0)):
        assert toughness_at(field, BOX, np.array(point)) == pytest.approx(value, rel=1e-12)


def test_a_face_with_an_infinite_corner_never_breaks():
    field = Influence(toughness=painted(lambda at: np.where(at[..., 0] > 0.5, np.inf, 1.0)))
    assert toughness_at(field, BOX, np.array([1.0, 0.4, 0.5])) == np.inf
    assert toughness_at(field, BOX, np.array([0.0, 0.4, 0.5])) == 1.0


def test_broken_faces_have_no_paint():
    made = np.where((BOX.vertices[BOX.triangles][..., 0] == 1.0).all(axis=1), int(Made.BROKEN), int(Made.OWN))
    body = replace(BOX, made=made)
    field = Influence(toughness=np.full((len(BOX.triangles), 3), 7.0))
    assert toughness_at(field, body, np.array([1.0, 0.4, 0.5])) == 1.0
    assert toughness_at(field, body, np.array([0.0, 0.4, 0.5])) == 7.0


def test_toughness_of_a_repaired_mesh_follows_its_weights():
    # A body whose triangle says that it is the other way round in the mesh.
    turned = np.roll(np.eye(3), 1, axis=1)
    body = replace(
        BOX, triangles=np.roll(BOX.triangles, -1, axis=1), weight=np.tile(turned, (len(BOX.triangles), 1, 1))
    )
    field = Influence(toughness=painted(lambda at: 1.0 + at[..., 0]))
    assert toughness_at(field, body, np.array([0.25, 0.0, 0.6])) == pytest.approx(1.25, rel=1e-12)


def test_a_cell_is_held_by_a_face_that_is():
    two = replace(shapes.two_boxes(), part=np.repeat([0, 1], 12))
    cells = whole_cells(two)
    at = two.vertices[two.triangles]
    left = at[..., 0] < 1.2  # only the first of the two
    assert held_cells(Influence(held=left.astype(float)), two, cells).tolist() == [True, False]
    assert not held_cells(Influence(held=np.full(left.shape, 0.49)), two, cells).any()
    assert held_cells(Influence(held=np.full(left.shape, 0.5)), two, cells).all()
