"""Laws of the random numbers, at sizes where a wrong law shows: bounds are of six standard deviations."""

import math

import numpy as np

from core.arithmetic import draws

COUNT = 100_000


def _near(share: float, wanted: float) -> None:
    assert abs(share - wanted) < 6.0 * math.sqrt(wanted * (1.0 - wanted) / COUNT)


def test_normal_numbers_lie_where_the_error_function_says():
    x = draws.normal(np.random.default_rng(1), COUNT)
    for limit in (-2.5, -1.0, 0.0, 0.5, 2.0, 3.0):
        _near(float(np.mean(x < limit)), 0.5 * math.erfc(-limit / math.sqrt(2.0)))


def test_exponential_numbers_decay_at_their_rate():
    x = draws.exponential(np.random.default_rng(2), 3.0, (2, COUNT // 2))
    for limit in (0.1, 1.0, 3.0, 12.0):
        _near(float(np.mean(x > limit)), math.exp(-limit / 3.0))


def test_even_shares_are_a_whole_and_each_is_as_long_as_a_gap_between_uniform_numbers():
    rng = np.random.default_rng(3)
    shares = np.array([draws.dirichlet_even(rng, 4) for _ in range(2000)])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-14)
    for limit in (0.1, 0.4):  # a share is longer than x with probability (1-x)^3
        wanted = (1.0 - limit) ** 3
        assert abs(np.mean(shares > limit) - wanted) < 6.0 * math.sqrt(wanted * (1.0 - wanted) / shares.size)


def test_a_single_number_is_the_first_of_many_of_its_kind():
    assert draws.exponential(np.random.default_rng(4)) == draws.exponential(np.random.default_rng(4), 1.0, 3)[0]
    assert np.ndim(draws.normal(np.random.default_rng(4))) == 0
