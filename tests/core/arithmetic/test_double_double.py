"""Sums and products lose nothing, and what has twice the digits is right to twice the digits."""

from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic.double_double import add_double_doubles, multiply_double_doubles, two_product, two_sum

#: Neither products nor what these lack over- or underflow.
NUMBERS = st.floats(2.0**-400, 2.0**400) | st.floats(-(2.0**400), -(2.0**-400)) | st.just(0.0)
#: A pair: the second is below half of the last digit of the first.
PAIRS = st.tuples(NUMBERS, st.floats(-(2.0**-54), 2.0**-54)).map(lambda pair: (pair[0], pair[0] * pair[1]))


@numba.njit
def _compiled_product(a, b):
    return two_product(a, b)


def exact(pair):
    return Fraction(pair[0]) + Fraction(pair[1])


@given(NUMBERS, NUMBERS)
def test_sums_and_products_are_exact(a, b):
    assert exact(two_sum(a, b)) == Fraction(a) + Fraction(b) and two_sum(a, b)[0] == a + b
    assert exact(two_product(a, b)) == Fraction(a) * Fraction(b) and two_product(a, b)[0] == a * b


@given(st.lists(NUMBERS, min_size=1, max_size=5))
def test_arrays_and_kernels_have_the_same_bits(numbers):
    a = np.array(numbers)
    high, low = two_product(a, a[::-1])
    for k in range(len(a)):
        assert (high[k], low[k]) == two_product(numbers[k], numbers[-1 - k])
        assert (high[k], low[k]) == _compiled_product(numbers[k], numbers[-1 - k])


@pytest.mark.parametrize(
    ("run", "wanted", "size"),
    [
        (add_double_doubles, lambda a, b: a + b, lambda a, b: abs(a) + abs(b)),
        (multiply_double_doubles, lambda a, b: a * b, lambda a, b: abs(a * b)),
    ],
    ids=["sum", "product"],
)
@given(PAIRS, PAIRS)
def test_pairs_are_right_to_twice_the_digits(run, wanted, size, a, b):
    # A few roundings of the low parts, which are 2^-53 of the high ones: Hida, Li and Bailey 2001.
    a_exact, b_exact = exact(a), exact(b)
    assert abs(exact(run(a, b)) - wanted(a_exact, b_exact)) <= Fraction(2) ** -101 * size(a_exact, b_exact)
