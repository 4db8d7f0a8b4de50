"""Flat polygons of the artist's on their way to the body: kept as far as they are whole, flat and where they were."""

import numpy as np
import pytest

from core.config.repair import Repair
from core.intake.ladder import intake
from core.types import Made, Mesh

from ..geometry.solids import box

SIDES = np.arange(12) // 2


def sides_of(vertices, triangles):
    """(T,) the side of the box of each triangle."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    axis = np.argmax(np.abs(normal), axis=1)
    return 2 * axis + (normal[np.arange(len(axis)), axis] > 0.0)


def taken(vertices, triangles, repair=None, polygon=None, spacing=0.0):
    polygon = sides_of(vertices, triangles) if polygon is None else polygon
    return intake(Mesh("Box", vertices, triangles, spacing=spacing, polygon=polygon), repair or Repair()).body


def assert_one_for_each_side(body, vertices_of=lambda body: body.vertices):
    side = sides_of(vertices_of(body), body.triangles)
    for k in range(6):
        rows = np.flatnonzero(side == k)
        assert (body.polygon[rows] == rows[0]).all()


def test_a_clean_body_has_the_polygons_of_the_mesh():
    body = taken(*box())
    assert body.weight.shape == (0, 3, 3)
    assert_one_for_each_side(body)


def test_without_polygons_or_with_single_triangles_there_is_nothing():
    assert len(intake(Mesh("Box", *box())).body.polygon) == 0
    assert len(taken(*box(), polygon=np.arange(12)).polygon) == 0
    assert len(taken(*box(), polygon=np.full(12, -1)).polygon) == 0


def test_triangles_that_say_minus_one_are_their_own():
    polygon = sides_of(*box())
    polygon[polygon == 3] = -1
    body = taken(*box(), polygon=polygon)
    alone = np.flatnonzero(sides_of(body.vertices, body.triangles) == 3)
    assert (body.polygon[alone] == alone).all()
    assert np.count_nonzero(body.polygon != np.arange(12)) == 5


def test_a_box_that_is_inside_out_has_them_turned():
    vertices, triangles = box()
    body = taken(vertices, np.ascontiguousarray(triangles[:, ::-1]))
    assert len(body.weight)
    assert_one_for_each_side(body)


def test_points_that_are_welded_leave_them_whole():
    vertices, triangles = box()
    body = taken(vertices[triangles.ravel()], np.arange(36).reshape(-1, 3))
    assert len(body.vertices) == 8
    assert_one_for_each_side(body)


def test_a_cap_belongs_to_no_polygon():
    vertices, triangles = box()
    top = sides_of(vertices, triangles) == 5
    body = taken(vertices, triangles[~top], Repair(open="close"))
    cap = np.flatnonzero(body.made == Made.CAP)
    assert len(cap) and (body.polygon[cap] == cap).all()
    rest = np.setdiff1d(np.arange(len(body.triangles)), cap)
    assert len(np.unique(body.polygon[rest])) == 5


def test_two_boxes_that_cross_keep_one_polygon_for_what_is_left_of_each_side():
    one, other = box(), box()
    vertices = np.concatenate([one[0], other[0] * 0.5 + [0.7, 0.1, 0.2]])
    triangles = np.concatenate([one[1], other[1] + len(one[0])])
    polygon = np.concatenate([sides_of(*one), 6 + sides_of(*other)])
    body = taken(vertices, triangles, polygon=polygon)
    labels = polygon[body.source]
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        assert (body.polygon[rows] == rows[0]).all()
    assert len(body.triangles) > 24


def test_a_pane_with_thickness_has_two_flat_sides():
    vertices = np.array([(0.0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    triangles = np.array([(0, 1, 2), (0, 2, 3)])
    body = taken(vertices, triangles, Repair(open="thicken"), polygon=np.zeros(2, np.int64))
    for made in (Made.OWN, Made.BACK):
        rows = np.flatnonzero(body.made == made)
        assert len(rows) == 2 and (body.polygon[rows] == rows[0]).all()
    rim = np.flatnonzero(body.made == Made.RIM)
    assert (body.polygon[rim] == rim).all()


@pytest.mark.parametrize("lift", [0.5, 5.0])
def test_after_a_repair_what_is_not_flat_has_fallen_apart(lift):
    """How fine coordinates were stored says what flat means. The corner moves with the weld alone."""
    vertices, triangles = box()
    spacing = 2.0**-16
    soup = vertices[triangles.ravel()]
    soup[np.all(soup == vertices.max(axis=0), axis=1), 2] += lift * spacing
    body = taken(soup, np.arange(36).reshape(-1, 3), polygon=sides_of(vertices, triangles), spacing=spacing)
    side = sides_of(body.vertices, body.triangles)
    flat = [len(np.unique(body.polygon[side == k])) == 1 for k in range(6)]
    assert flat == [True] * 5 + [lift < 1.0]


def test_a_new_surface_has_none():
    assert len(taken(*box(), Repair(remesh=True, resolution=12)).polygon) == 0
