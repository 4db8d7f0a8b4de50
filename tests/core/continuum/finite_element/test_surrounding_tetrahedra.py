"""What is around elements is divided as their outer faces are: all of it meets face to face, and fills what it did."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.continuum.finite_element.splitting.split_node import split_node
from core.continuum.finite_element.splitting.workspace import SplittingRules
from core.continuum.finite_element.surrounding_tetrahedra import halve_tetrahedra, places_of_cut
from core.continuum.lattice_embedding.tetrahedra import tetrahedra_complex, tetrahedron_volumes
from tests.tetrahedral_meshes import delaunay_box, started


@pytest.mark.parametrize("seed", range(4))
def test_all_of_space_stays_a_complex(seed):
    """Half of the elements of a box are matter that cracks, the others are around it."""
    whole, rng = delaunay_box(seed), np.random.default_rng(seed)
    inside = whole.node_material[whole.element_node].mean(axis=1)[:, 0] < 0.5 * whole.node_material[:, 0].max()
    used, corner = np.unique(whole.element_node[inside], return_inverse=True)
    # Those of the matter come first.
    order = np.concatenate([used, np.setdiff1d(np.arange(len(whole.node_material)), used)])
    number = np.argsort(order)
    point = whole.node_material[order]
    mesh = type(whole)(point[: len(used)], corner.reshape(-1, 4))
    cut = started(mesh)
    for _ in range(40):
        split_node(cut, int(rng.integers(cut.node_count)), rng.normal(size=3), SplittingRules())
    place = places_of_cut(cut, mesh.node_material)
    assert_allclose(place, cut.rows.nodes.material[: cut.node_count], atol=1e-12)
    outside = number[whole.element_node[~inside]]
    beyond = outside >= len(used)
    far = cut.node_count + outside - len(used)
    ends = cut.rows.nodes.between[len(used) : cut.node_count]
    divided, source = halve_tetrahedra(np.where(beyond, far, outside), ends, len(used))
    assert len(divided) > len(outside), "nothing of the outer faces was cut"
    places = np.concatenate([place, point[len(used) :]])
    elements = cut.rows.nodes.place[cut.element_node]
    complex_of_all = np.concatenate([elements, divided])
    size = tetrahedron_volumes(places, complex_of_all)
    assert (size > 0.0).all()
    assert_allclose(size.sum(), tetrahedron_volumes(whole.node_material, whole.element_node).sum(), rtol=1e-12)
    before = tetrahedron_volumes(places, np.where(beyond, far, outside))
    assert_allclose(np.bincount(source, size[len(elements) :]), before, rtol=1e-9)
    # It raises where anything does not fit.
    kept = np.unique(complex_of_all)
    tetrahedra_complex(places[kept], np.searchsorted(kept, complex_of_all))
