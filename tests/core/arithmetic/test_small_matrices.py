"""Small matrices against the equations that define each result; LAPACK's own only where two ways must agree."""

import numpy as np
import pytest

from core.arithmetic import small_matrices
from core.arithmetic.products import multiply

rng = np.random.default_rng(5)
EPS = np.finfo(np.float64).eps


def symmetric(*shape: int) -> np.ndarray:
    m = rng.normal(size=(*shape, shape[-1]))
    return m + np.swapaxes(m, -1, -2)


HARD = {
    "random": symmetric(20, 3),
    "large": symmetric(5, 16),
    "one": symmetric(3, 1),
    "none": np.zeros((0, 3, 3)),
    "single": symmetric(6),
    "nothing": np.zeros((3, 3)),
    "even": np.eye(4) * 7.0,
    "rank one": np.outer([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]),
    "scales": np.diag([1e-12, 1.0, 1e12]) + 1e-8 * symmetric(3),
    "small": 1e-200 * symmetric(3),
    "tied": np.array([[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]),
}


@pytest.mark.parametrize("m", HARD.values(), ids=HARD)
def test_eigenvectors_are_orthonormal_and_make_the_matrix_diagonal(m):
    value, vector = small_matrices.eigen_symmetric(m)
    n = m.shape[-1]
    assert value.shape == m.shape[:-1] and vector.shape == m.shape and np.all(np.diff(value, axis=-1) >= 0.0)
    size = np.abs(m).max(initial=0.0)
    turned = multiply(np.swapaxes(vector, -1, -2), vector)
    np.testing.assert_allclose(turned, np.broadcast_to(np.eye(n), turned.shape), atol=20 * n * EPS)
    np.testing.assert_allclose(multiply(m, vector), vector * value[..., None, :], atol=20 * n * EPS * size, rtol=0.0)
    first = np.take_along_axis(vector, np.abs(vector).argmax(axis=-2, keepdims=True), -2)
    assert np.all(first > 0.0)
    np.testing.assert_allclose(value, np.linalg.eigvalsh(m), atol=20 * n * EPS * size)


def test_a_matrix_alone_has_the_bits_that_it_has_in_a_stack():
    stack = symmetric(7, 3)
    value, vector = small_matrices.eigen_symmetric(stack)
    for n, m in enumerate(stack):
        alone = small_matrices.eigen_symmetric(np.asfortranarray(m))
        np.testing.assert_array_equal(alone[0], value[n])
        np.testing.assert_array_equal(alone[1], vector[n])
        np.testing.assert_array_equal(small_matrices.inverse(m), small_matrices.inverse(stack)[n])


@pytest.mark.parametrize("n", [1, 2, 3, 6, 40])
def test_solutions_solve(n):
    a, b = rng.normal(size=(4, 1, n, n)), rng.normal(size=(5, n, 2))
    x = small_matrices.solve(a, b)
    assert x.shape == (4, 5, n, 2)
    np.testing.assert_allclose(multiply(a, x), np.broadcast_to(b, x.shape), atol=1e-9)
    np.testing.assert_allclose(multiply(a, small_matrices.inverse(a)), np.broadcast_to(np.eye(n), a.shape), atol=1e-9)


def test_a_zero_on_the_diagonal_is_no_pivot_and_a_singular_matrix_gives_no_number():
    np.testing.assert_array_equal(small_matrices.inverse([[0.0, 2.0], [4.0, 0.0]]), [[0.0, 0.25], [0.5, 0.0]])
    assert not np.isfinite(small_matrices.inverse(np.ones((2, 2)))).any()
    assert not np.isfinite(small_matrices.inverse(np.zeros((3, 3)))).any()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_determinants_are_volumes(n):
    m = rng.normal(size=(6, n, n))
    np.testing.assert_allclose(small_matrices.determinant(m), np.linalg.det(m), rtol=1e-12)
    assert small_matrices.determinant(np.eye(n)[::-1]) == (-1.0 if n > 1 else 1.0)
    with pytest.raises(ValueError, match="4 rows"):
        small_matrices.determinant(np.eye(4))


def test_a_pseudo_inverse_holds_penrose_s_equations():
    away = rng.normal(size=(5, 3, 2))
    for m in (multiply(away, np.swapaxes(away, 1, 2)), symmetric(5, 3), np.zeros((3, 3))):
        back = small_matrices.pseudo_inverse_symmetric(m, 1e-12)
        np.testing.assert_allclose(multiply(multiply(m, back), m), m, atol=1e-10)
        np.testing.assert_allclose(multiply(multiply(back, m), back), back, atol=1e-10)
        np.testing.assert_allclose(back, np.swapaxes(back, -1, -2), atol=1e-10)


def test_principal_directions_are_singular_vectors():
    rows = rng.normal(size=(4, 30, 3)) * (3.0, 1.0, 0.2)
    extent, direction = small_matrices.principal_directions(rows)
    np.testing.assert_allclose(extent, np.linalg.svd(rows, compute_uv=False), rtol=1e-12)
    along = multiply(rows, np.swapaxes(direction, 1, 2))
    np.testing.assert_allclose(np.sqrt((along * along).sum(axis=1)), extent, rtol=1e-12)


def test_a_pseudo_inverse_of_a_table_holds_them_too_and_is_exact_for_small_extents():
    table = multiply(rng.normal(size=(50, 3)) * (1.0, 1e-6, 0.0), np.linalg.qr(rng.normal(size=(3, 3)))[0])
    back = small_matrices.pseudo_inverse(table)
    np.testing.assert_allclose(multiply(multiply(table, back), table), table, atol=1e-15 * np.abs(table).max() * 50)
    whole = multiply(table, back)
    np.testing.assert_allclose(whole, whole.T, atol=1e-8)
    extent = small_matrices.principal_directions(table)[0]
    np.testing.assert_allclose(extent, np.linalg.svd(table, compute_uv=False), rtol=1e-9, atol=1e-14)
