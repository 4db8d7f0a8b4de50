"""Quaternion arrays: matrices turn vectors as q v q* does; continuity changes signs only."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from core.arithmetic.small_matrices import rotation_matrices
from core.rigid.pose import make_sign_continuous
from tests.rigid_bodies import rotate_quaternions


def random_rotations(count: int, seed: int) -> np.ndarray:
    q = np.random.default_rng(seed).normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    w = p[0] * q[0] - p[1:] @ q[1:]
    return np.array([w, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def test_matrices_turn_vectors_as_the_quaternion_product_does():
    v = np.array([0.3, -1.2, 0.7])
    for q, R in zip(random_rotations(20, 1), rotation_matrices(random_rotations(20, 1)), strict=True):
        conjugate = q * [1, -1, -1, -1]
        turned = multiply(multiply(q, np.array([0.0, *v])), conjugate)[1:]  # v' = q v q*
        np.testing.assert_allclose(R @ v, turned, atol=1e-15 * 8)


def test_continuous_keeps_rotations_and_never_jumps():
    rotation = random_rotations(60, 2).reshape(20, 3, 4)
    smooth = make_sign_continuous(rotation)
    np.testing.assert_array_equal(np.abs(smooth), np.abs(rotation))
    assert (np.einsum("skj,skj->sk", smooth[1:], smooth[:-1]) >= 0.0).all()
    np.testing.assert_array_equal(smooth[0], rotation[0])


@given(arrays(np.float64, (4, 3), elements=st.floats(-3.0, 3.0)), st.integers(0, 10**6))
def test_turning_is_the_product_of_rotations(angle, seed):
    """R(exp(a) q) = R(exp(a)) R(q), with the exponential map of another library."""
    rotation = random_rotations(4, seed)
    turn = Rotation.from_rotvec(angle).as_matrix()
    np.testing.assert_allclose(
        rotation_matrices(rotate_quaternions(rotation, angle)), turn @ rotation_matrices(rotation), atol=1e-14
    )
