"""Shape functions, volumes and masses of tetrahedra: V1 of docs/papers/obrien1999.md, and what holds for any mesh."""

import numpy as np
import pytest

from core.continuum.finite_element.elements import (
    TetrahedralMesh,
    gather_elements,
    lumped_masses,
    measure_elements,
    smallest_altitudes,
)
from core.continuum.finite_element.material import lame_constants, uniform_material

CORNER = TetrahedralMesh(0.1 * np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 1, 2, 3]]))


def scattered(count=20, seed=3):
    """Loose tetrahedra of positive volume on common nodes."""
    rng = np.random.default_rng(seed)
    nodes, element = rng.normal(size=(count, 3)), np.array([rng.permutation(count)[:4] for _ in range(2 * count)])
    volume = measure_elements(TetrahedralMesh(nodes, element.copy())).volume
    element[volume < 0.0] = element[volume < 0.0][:, [0, 1, 3, 2]]
    return TetrahedralMesh(nodes, element)


def test_shape_functions_of_a_corner():
    shapes = measure_elements(CORNER)
    np.testing.assert_allclose(shapes.volume, 1.6666667e-4, rtol=1e-7)
    expected = [[-10, -10, -10], [10, 0, 0], [0, 10, 0], [0, 0, 10]]
    np.testing.assert_allclose(shapes.gradient[0], expected, rtol=1e-14, atol=1e-13)
    # The altitude over the slanted face is the side by the square root of three.
    assert smallest_altitudes(shapes)[0] == pytest.approx(0.1 / np.sqrt(3.0), rel=1e-14)


def test_shape_functions_are_one_at_their_node_and_sum_to_one():
    # b_i(m_j) - b_i(m_1) = B_i.(m_j - m_1); by the conditions of these slivers, beyond round-off of 1e-16.
    mesh = scattered()
    shapes = measure_elements(mesh)
    corner = mesh.node_material[mesh.element_node]
    value = np.einsum("eik,ejk->eij", shapes.gradient, corner - corner[:, :1])
    np.testing.assert_allclose(value[:, 1:], np.tile(np.eye(4)[1:], (len(value), 1, 1)), atol=1e-9)
    np.testing.assert_allclose(value[:, 0], [[0, -1, -1, -1]] * len(value), atol=1e-9)
    assert (shapes.volume > 0.0).all()
    np.testing.assert_allclose(6 * shapes.volume, np.linalg.det(corner[:, 1:] - corner[:, :1]), rtol=1e-9)


def test_masses_are_a_quarter_of_each_element():
    shapes = measure_elements(CORNER)
    np.testing.assert_allclose(lumped_masses(CORNER, shapes.volume, np.array([2588.0])), 0.1078333333, rtol=1e-9)
    mesh = scattered()
    volume, density = measure_elements(mesh).volume, np.linspace(1.0, 2.0, len(mesh.element_node))
    mass = lumped_masses(mesh, volume, density)
    assert mass.sum() == pytest.approx((volume * density).sum(), rel=1e-14)
    # Linear fields are summed exactly: the mean of four nodes is the value at the centre.
    centre = mesh.node_material[mesh.element_node].mean(axis=1)
    np.testing.assert_allclose(mass @ mesh.node_material, (volume * density) @ centre, rtol=1e-12)


def test_elements_at_a_node_are_those_that_have_it_in_their_order():
    mesh = scattered()
    at = gather_elements(mesh)
    for node in range(len(mesh.node_material)):
        places = at.corner[at.start[node] : at.start[node + 1]]
        assert (mesh.element_node.ravel()[places] == node).all() and (np.diff(places) > 0).all()
    assert sorted(at.corner) == list(range(mesh.element_node.size))


def test_lame_constants_give_back_youngs_modulus_and_poissons_ratio():
    first, second = lame_constants(7e10, 0.22)
    assert second * (3 * first + 2 * second) / (first + second) == pytest.approx(7e10, rel=1e-14)
    assert first / (2 * (first + second)) == pytest.approx(0.22, rel=1e-14)
    for ratio in (-1.0, 0.5):
        with pytest.raises(ValueError, match="Poisson's ratio"):
            lame_constants(1.0, ratio)
    assert uniform_material(3, (1.0, 2.0), (0.0, 1.0), 1000.0, 5.0).lame_mu.tolist() == [2.0] * 3
