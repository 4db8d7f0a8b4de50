"""A body that is not cut: one cell for each of its parts."""

from dataclasses import replace

import numpy as np
import pytest

from core.cutting.units import units
from core.cutting.whole import whole_cells
from core.fragments.build import are_closed, build_fragments
from core.geometry.mesh import mass_properties, volume
from tests import shapes


@pytest.mark.parametrize("body", [shapes.box(), shapes.torus(), shapes.wine_glass(16)], ids=["box", "torus", "glass"])
def test_one_cell_is_the_whole_body(body):
    cells = whole_cells(body)
    inside, centroid, second = mass_properties(body.vertices, body.triangles)
    assert len(cells.volume) == 1 and len(cells.bond_area) == 0
    np.testing.assert_allclose(cells.volume, inside, rtol=1e-14)
    np.testing.assert_allclose(cells.centroid[0], centroid, atol=1e-14)
    np.testing.assert_allclose(cells.second_moment[0], second, atol=1e-14)
    graph = units(cells)
    assert len(graph.links) == 0 and graph.volume == pytest.approx(cells.volume)


def test_its_fragment_is_the_mesh_itself():
    body = shapes.torus()
    (fragment,) = [build_fragments(whole_cells(body), [np.array([0])], 1.0, body)]
    assert are_closed(fragment).all()
    assert len(fragment.vertices) == len(body.vertices)
    assert set(fragment.face_triangle.tolist()) == set(range(len(body.triangles)))
    at = fragment.vertices[fragment.corner_vertex] + fragment.centre[0]
    corner = body.vertices[body.triangles[fragment.face_triangle]].reshape(-1, 3, 3)
    weight = fragment.corner_weight.reshape(-1, 3, 3)
    np.testing.assert_allclose(at.reshape(-1, 3, 3), weight @ corner, atol=1e-15)


def test_parts_are_cells_of_their_own():
    far = shapes.moved(shapes.box(), np.array([3.0, 0.0, 0.0]), 0.5)
    both = shapes.joined(shapes.box(), far)
    both = replace(both, part=np.repeat([0, 1], [12, 12]))
    cells = whole_cells(both)
    np.testing.assert_allclose(cells.volume, [1.0, volume(far.vertices, far.triangles)], rtol=1e-14)
    assert cells.unit.tolist() == [0, 1] and cells.outer_cell.tolist() == [0] * 12 + [1] * 12
