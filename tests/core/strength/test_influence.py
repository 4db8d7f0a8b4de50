"""Where and when things may break, and where they are anchored."""

from dataclasses import replace

import numpy as np
import pytest

from core.cutting.cut import cut
from core.cutting.whole import whole_cells
from core.pieces.voronoi_complex import voronoi_complex
from core.strength.influence import anchored_cells, is_within_influence, toughness_at
from core.types import Influence, Made
from tests import shapes

BOX = shapes.box()


def by_place(values):
    """A field on the corners of the box's triangles, a function of the place."""
    return values(BOX.vertices[BOX.triangles])


def test_without_any_field_all_may_break():
    assert is_within_influence(Influence(), np.zeros(3), 0.0)
    assert toughness_at(Influence(), BOX, np.zeros(3)) == 1.0
    assert not anchored_cells(Influence(), BOX, whole_cells(BOX)).any()


@pytest.mark.parametrize(("time", "yes"), [(0.99, False), (1.0, True), (2.0, True), (2.01, False)])
def test_time_has_a_start_and_an_end(time, yes):
    assert is_within_influence(Influence(start=1.0, end=2.0), np.zeros(3), time) == yes


@pytest.mark.parametrize(("x", "yes"), [(0.49, True), (0.51, False), (2.6, True), (3.1, False)])
def test_any_of_the_spheres_will_do(x, yes):
    influence = Influence(spheres=np.array([[0.0, 0, 0, 0.5], [2.0, 0, 0, 1.0]]))
    assert is_within_influence(influence, np.array([x, 0.0, 0.0]), 0.0) == yes


def test_toughness_runs_evenly_over_a_triangle():
    # 2 + x over the surface, which is linear: interpolation gives it back exactly, also from inside the body.
    influence = Influence(toughness=by_place(lambda corner: 2.0 + corner[..., 0]))
    for x in (0.0, 0.25, 0.6, 1.0):
        assert toughness_at(influence, BOX, np.array([x, 0.5, 1.0])) == pytest.approx(2.0 + x, rel=1e-13)
    assert toughness_at(influence, BOX, np.array([0.3, 0.5, 0.99])) == pytest.approx(2.3, rel=1e-13)


def test_one_infinite_corner_makes_a_triangle_unbreakable():
    values = np.ones((12, 3))
    row = next(k for k, t in enumerate(BOX.triangles) if (BOX.vertices[t][:, 2] == 1.0).all())
    values[row, 1] = np.inf
    inside = BOX.vertices[BOX.triangles[row]].mean(axis=0)
    assert toughness_at(Influence(toughness=values), BOX, inside) == np.inf
    assert toughness_at(Influence(toughness=values), BOX, np.array([0.5, 0.5, 0.0])) == 1.0


def test_broken_faces_have_no_paint():
    broken = replace(BOX, made=np.full(12, int(Made.BROKEN)))
    influence = Influence(toughness=np.full((12, 3), 7.0))
    assert toughness_at(influence, BOX, np.zeros(3)) == 7.0
    assert toughness_at(influence, broken, np.zeros(3)) == 1.0


def test_paint_is_found_through_the_source_of_a_triangle():
    # A body whose triangles are halves of the mesh's: weights say where their corners are.
    half = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0, 0, 1.0]])
    vertices = (half @ BOX.vertices[BOX.triangles]).reshape(-1, 3)
    body = shapes.body(vertices, np.arange(36).reshape(12, 3))
    body = replace(body, weight=np.tile(half, (12, 1, 1)))
    influence = Influence(toughness=by_place(lambda corner: 2.0 + corner[..., 0]))
    for row in range(12):
        point = vertices[3 * row : 3 * row + 3].mean(axis=0)
        assert toughness_at(influence, body, point) == pytest.approx(2.0 + point[0], rel=1e-12)


def test_cells_with_a_painted_face_are_held():
    sites = np.array([[0.5, 0.5, z] for z in (0.1, 0.5, 0.9)])
    cells = cut(BOX, voronoi_complex(sites, np.zeros(3), np.ones(3)))
    top = Influence(
        anchored=by_place(lambda corner: (corner[..., 2].min(axis=1, keepdims=True) == 1.0) + 0.0 * corner[..., 0])
    )
    anchored = anchored_cells(top, BOX, cells)
    assert cells.centroid[anchored, 2].tolist() == [cells.centroid[:, 2].max()]
    weak = replace(top, anchored=0.49 * top.anchored)
    assert not anchored_cells(weak, BOX, cells).any()
