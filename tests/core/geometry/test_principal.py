"""Principal axes: the equations they solve, and what they are where several would do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geometry.principal import principal_axes

SEEDS = st.integers(0, 2**32 - 1)


def turn_of(seed):
    """A random rotation."""
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return turn * np.linalg.det(turn)


def turned(moments, seed):
    turn = turn_of(seed)
    matrix = turn @ np.diag(moments) @ turn.T
    return 0.5 * (matrix + matrix.T), turn


@given(SEEDS, st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3))
def test_axes_are_orthonormal_and_diagonalise(seed, moments):
    matrix, _ = turned(moments, seed)
    value, axis = principal_axes(matrix[None])
    np.testing.assert_allclose(value[0], np.sort(moments), atol=1e-14)
    np.testing.assert_allclose(axis[0].T @ axis[0], np.eye(3), atol=1e-14)
    # Axes of moments that count as equal mix them, which are 1e-6 apart at most.
    np.testing.assert_allclose(axis[0].T @ matrix @ axis[0], np.diag(value[0]), atol=1e-5)


@pytest.mark.parametrize("moments", [(1.0, 1.0, 2.0), (1.0, 2.0, 2.0), (0.0, 0.0, 1.0), (0.0, 1.0, 1.0)])
@given(seed=SEEDS, size=st.floats(1e-6, 1e6))
def test_equal_moments_have_the_axes_of_the_rule_at_any_size(moments, seed, size):
    matrix, turn = turned(moments, seed)
    _, axis = principal_axes(np.stack([matrix, size * matrix]))
    single = 2 if moments[0] == moments[1] else 0
    u = turn[:, np.argmax(np.array(moments) == moments[single])]
    # The axis of the world nearest to the plane across u, laid into it.
    k = int(np.round(np.abs(u), 6).argmin())
    first = np.eye(3)[k] - u[k] * u
    first /= np.linalg.norm(first)
    np.testing.assert_allclose(axis[:, :, 1 if single == 0 else 0], np.stack([first, first]), atol=1e-7)
    np.testing.assert_allclose(np.abs(axis[:, :, single] @ u), 1.0, atol=1e-12)


@given(SEEDS, st.floats(1e-6, 1e6))
def test_what_is_alike_all_round_has_the_axes_of_the_world(seed, size):
    round_off = 1e-9 * np.random.default_rng(seed).normal(size=(3, 3))
    matrix = size * (np.eye(3) + round_off + round_off.T)
    np.testing.assert_array_equal(principal_axes(np.stack([matrix, np.zeros((3, 3))]))[1], np.eye(3)[None].repeat(2, 0))
