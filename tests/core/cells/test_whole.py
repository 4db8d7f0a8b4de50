"""A body as one cell: nothing is cut, nothing is lost."""

import numpy as np
import pytest

from core.cells.fragments import build_fragments, closed
from core.cells.units import units
from core.cells.whole import whole_cells
from core.geometry.mesh import mass_properties
from tests import shapes


@pytest.mark.parametrize("body", [shapes.box(), shapes.icosphere(2), shapes.torus(), shapes.hollow_box()])
def test_one_cell_with_the_mass_of_the_body(body):
    cells = whole_cells(body)
    volume, centroid, second = mass_properties(body.vertices, body.triangles)
    assert cells.volume.sum() == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(cells.volume @ cells.centroid / volume, centroid, atol=1e-12)
    assert len(cells.bond_cells) == 0
    if len(cells.volume) == 1:
        np.testing.assert_allclose(cells.second_moment[0], second, atol=1e-12 * np.abs(second).max())


def test_the_surface_is_the_bodys_own():
    body = shapes.icosphere(2)
    whole = build_fragments(whole_cells(body), [np.array([0])], 1.0, body)
    assert closed(whole).all()
    np.testing.assert_array_equal(np.unique(whole.face_triangle), np.arange(len(body.triangles)))
    np.testing.assert_array_equal(
        np.sort(whole.vertices + whole.centre[0], axis=0).round(12), np.sort(body.vertices, axis=0).round(12)
    )


def test_each_part_is_a_unit_of_its_own():
    two = shapes.two_boxes()
    graph = units(whole_cells(two))
    assert len(graph.volume) == 2 and len(graph.links) == 0
