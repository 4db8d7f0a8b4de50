"""Su, Schroeder, Fedkiw 2009, part A: energy-preserving free rotation.

Items A2 to A5, vectors V1 and V5 and scene UQ of docs/papers/su2009.md.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.rigid.solver.free_rotation import (
    EXTREME,
    FALLBACK,
    FIRST_ORDER,
    PRIMARY,
    SECOND_ORDER,
    SKIPPED,
    restore_energy,
    rotate,
)

# V1: box of 1 x 0.2 x 0.05 m and 1 kg with omega = (1, 20, 2), dt = 1/30.
INERTIA = np.array([1 * (0.2**2 + 0.05**2), 1 + 0.05**2, 1 + 0.2**2]) / 12
OMEGA = np.array([1.0, 20.0, 2.0])
L = INERTIA * OMEGA
KE0 = 16.8834375
DT = 1 / 30


def matrix_of(q):
    return Rotation.from_quat(np.roll(q, -1)).as_matrix()


def kinetic(q, L, moments):
    return 0.5 * np.sum((matrix_of(q).T @ L) ** 2 / moments)


def unrotated():
    return np.array([1.0, 0.0, 0.0, 0.0])


def test_one_step_has_the_digits_of_v1():
    q = unrotated()
    rotate(q, L, INERTIA, np.eye(3), DT, FIRST_ORDER, 0.0, False)
    assert kinetic(q, L, INERTIA) == pytest.approx(16.9239639334, rel=1e-11)
    assert restore_energy(q, L, KE0, 0.0, INERTIA, np.eye(3)) == FALLBACK
    assert kinetic(q, L, INERTIA) == pytest.approx(KE0, rel=1e-14)
    expected = [
        [0.7826671098, -0.1674870613, 0.5994833438],
        [0.0723137896, 0.9810628374, 0.1796842364],
        [-0.618225615, -0.0972820296, 0.7799572397],
    ]
    np.testing.assert_allclose(matrix_of(q), expected, atol=2e-10)


def many_steps(order, fix, steps=3000):
    q, worst, done = unrotated(), [1.0, 1.0], [0, 0, 0, 0]
    for _ in range(steps):
        done[rotate(q, L, INERTIA, np.eye(3), DT, order, 0.0, fix)] += 1
        ratio = kinetic(q, L, INERTIA) / KE0
        worst = [min(worst[0], ratio), max(worst[1], ratio)]
    return worst, done


def test_without_the_fix_the_energy_grows_as_printed():
    (_, highest), _ = many_steps(FIRST_ORDER, False)
    # The path is chaotic: round-off moves the maximum a little, the first digits stay.
    assert highest == pytest.approx(4.513859, rel=1e-4)
    (_, highest), _ = many_steps(SECOND_ORDER, False)
    assert 10 < highest < 25  # "an order of magnitude"; 16.767654


@pytest.mark.parametrize("order", [FIRST_ORDER, SECOND_ORDER])
def test_with_the_fix_the_energy_stays(order):  # UQ
    (lowest, highest), done = many_steps(order, True)
    assert lowest > 1 - 1e-12
    assert highest < 1 + 1e-12
    assert done[EXTREME] == 0
    if order == FIRST_ORDER:
        assert done[FALLBACK] > 500  # 1824 primary, 1176 fallback
        assert done[PRIMARY] > 1500
    else:
        assert done[FALLBACK] <= 10  # 2999 primary, 1 fallback


def test_fix_is_exact_for_random_bodies_and_errors():
    """A5: the fix finds KE0 whenever L can have that energy; the printed sign fails on half of the fallbacks."""
    rng = np.random.default_rng(5)
    done = [0, 0, 0, 0]
    for _ in range(3000):
        moments = np.sort(rng.uniform(0.1, 1.0, 3))
        moments[2] = min(moments[2], moments[0] + moments[1])  # a body of positive density
        moments = np.sort(moments)
        axes = Rotation.random(random_state=rng.integers(2**31)).as_matrix()
        L = rng.normal(size=3)
        feasible = 0.5 * (L @ L) / moments[[2, 0]]
        target = rng.uniform(*feasible)
        q = np.roll(Rotation.random(random_state=rng.integers(2**31)).as_quat(), 1)
        done[restore_energy(q, L, target, 0.0, moments, axes)] += 1
        energy = 0.5 * np.sum((axes.T @ matrix_of(q).T @ L) ** 2 / moments)
        assert energy == pytest.approx(target, rel=1e-11)
    assert done[PRIMARY] > 100
    assert done[FALLBACK] > 100
    assert done[EXTREME] == 0


def test_fix_skips_round_off_and_negligible_energy():  # A4
    q = unrotated()
    assert restore_energy(q, L, KE0 * (1 + 1e-15), 0.0, INERTIA, np.eye(3)) == SKIPPED
    assert restore_energy(q, L, 0.5 * KE0, 2 * KE0, INERTIA, np.eye(3)) == SKIPPED
    np.testing.assert_array_equal(q, unrotated())


# V5: RK4 with dt = 1e-4 for I = (1, 2, 3), body rates (0.1, 2, 0.1).
V5_TIME = 5.0
V5_RATE = np.array([-1.2067742212, -1.5980287792, 0.7014993516])
V5_Q = np.array([0.074123507, 0.2090794771, -0.272723726, -0.9361694543])


def v5_error(order, steps, fix=True):
    moments = np.array([1.0, 2.0, 3.0])
    L = moments * np.array([0.1, 2.0, 0.1])
    q = unrotated()
    for _ in range(steps):
        rotate(q, L, moments, np.eye(3), V5_TIME / steps, order, 0.0, fix)
    rate = matrix_of(q).T @ L / moments
    return np.linalg.norm(rate - V5_RATE), min(np.linalg.norm(q - V5_Q), np.linalg.norm(q + V5_Q))


@pytest.mark.parametrize("order", [FIRST_ORDER, SECOND_ORDER])
def test_free_rotation_converges_to_v5(order):
    """Halving the step divides the error by 2**order."""
    coarse, fine = v5_error(order, 4000), v5_error(order, 8000)
    for a, b in zip(coarse, fine, strict=True):
        assert a / b == pytest.approx(2**order, rel=0.15)
    assert fine[0] < (0.02 if order == FIRST_ORDER else 1e-4)
