"""Eigenvalues of symmetric matrices in closed form, also where two or three are nearly equal."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from core.continuum.finite_element.eigen_frames import eigen_frame, tensile_part

#: No smaller ones than have squares.
numbers = st.floats(-1.0, 1.0).map(lambda x: x if abs(x) > 1e-100 else 0.0)
#: Round-off of some forty operations.
EXACT = 1e-14


def six_numbers(m):
    return m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2]


def matrix(values, spins):
    """With these eigenvalues, turned about the three axes."""
    m = np.diag(values)
    for axis, spin in enumerate(spins):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = np.cos(spin)
        turn[i, j], turn[j, i] = -np.sin(spin), np.sin(spin)
        m = turn @ m @ turn.T
    return 0.5 * (m + m.T)


@settings(max_examples=300, deadline=None)
@given(st.tuples(numbers, numbers, numbers), st.tuples(*3 * [st.floats(0.0, 6.0)]), st.integers(0, 16))
@example((1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 0)
@example((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0)
@example((1.0, 1.0, -1.0), (0.0, 0.0, 0.0), 0)
@example((-1.0, -1.0, 1.0), (1.0, 2.0, 3.0), 16)
def test_a_frame_gives_the_matrix_back(values, spins, digits):
    near = (values[0], values[0] + values[1] * 10.0**-digits, values[2])  # two of them as near as wanted
    m = matrix(near, spins)
    size = max(np.abs(m).max(), 1e-300)
    value, *vectors = eigen_frame(six_numbers(m))
    vectors = np.array(vectors)
    assert value[0] >= value[1] - EXACT * size and value[1] >= value[2] - EXACT * size
    assert_allclose(value, np.linalg.eigvalsh(m)[::-1], rtol=0.0, atol=EXACT * size)
    assert_allclose(vectors @ vectors.T, np.eye(3), atol=EXACT)
    assert_allclose(vectors.T @ np.diag(value) @ vectors, m, rtol=0.0, atol=EXACT * size)


@settings(max_examples=200, deadline=None)
@given(st.tuples(numbers, numbers, numbers), st.tuples(*3 * [st.floats(0.0, 6.0)]))
@example((1.0, 0.5, 0.25), (1.0, 2.0, 3.0))
@example((-1.0, -0.5, -0.25), (1.0, 2.0, 3.0))
@example((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
def test_the_tensile_part_keeps_positive_eigenvalues(values, spins):
    m = matrix(values, spins)
    value, vector = np.linalg.eigh(m)
    expected = (vector * np.maximum(value, 0.0)) @ vector.T
    assert_allclose(tensile_part(six_numbers(m)), six_numbers(expected), rtol=0.0, atol=EXACT)
