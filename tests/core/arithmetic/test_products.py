"""Products number by number against numpy's own, and the bits of each against the terms one by one."""

import numpy as np
import pytest

from core.arithmetic import products

rng = np.random.default_rng(1)
COUNTS = (1, 5, 100)


def one_by_one(terms) -> float:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


@pytest.mark.parametrize("count", COUNTS)
def test_each_way_of_working_adds_from_the_first_to_the_last(count):
    m, v = rng.normal(size=(count, 3, 4)), rng.normal(size=(count, 4))
    got, single, own = products.apply(m, v), products.apply(m[0], v), products.multiply(m, m.transpose(0, 2, 1))
    flat = products.multiply(v, m[0].T)
    for n in range(count):
        for i in range(3):
            assert got[n, i] == one_by_one([m[n, i, k] * v[n, k] for k in range(4)])
            assert single[n, i] == flat[n, i] == one_by_one([m[0, i, k] * v[n, k] for k in range(4)])
            for j in range(3):
                assert own[n, i, j] == one_by_one([m[n, i, k] * m[n, j, k] for k in range(4)])


@pytest.mark.parametrize("k", [0, 1, 3, 16, 17, 500])
def test_they_are_the_products_that_their_names_say(k):
    a, b, w = rng.normal(size=(6, k)), rng.normal(size=(6, k)), rng.normal(size=6)
    near = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(products.dot(a, b), np.einsum("ij,ij->i", a, b), **near)
    np.testing.assert_allclose(products.norm(a), np.linalg.norm(a, axis=1), **near)
    np.testing.assert_allclose(products.multiply(a, b.T), a @ b.T, **near)
    np.testing.assert_allclose(products.apply(a, b), b @ a.T, **near)
    if k:
        np.testing.assert_allclose(products.sum_rows(w, a), w @ a, **near)
        np.testing.assert_allclose(products.sum_outer(w, a, b), np.einsum("n,ni,nj->ij", w, a, b), **near)
        np.testing.assert_array_equal(products.outer(a, b), a[:, :, None] * b[:, None, :])


def test_broadcasting_and_the_bits_of_memory_layouts():
    a, b = rng.normal(size=(4, 1, 50)), rng.normal(size=(3, 50))
    assert products.dot(a, b).shape == (4, 3)
    np.testing.assert_array_equal(products.dot(a, b), products.dot(np.asfortranarray(a), np.asfortranarray(b)))
    assert products.multiply(np.zeros((5, 1, 2, 3)), np.zeros((7, 3, 4))).shape == (5, 7, 2, 4)
    assert products.apply(np.zeros((3, 3)), np.zeros((0, 3))).shape == (0, 3)
    assert isinstance(products.dot([1, 2], [3, 4]).item(), int)
