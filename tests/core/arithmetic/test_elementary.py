"""Elementary functions: against 60 digits of Python's decimal numbers, their exact values, and one text for all."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from core.arithmetic import angles, elementary

rng = np.random.default_rng(3)
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
WIDE, SMALL, UNIT = rng.uniform(-300, 300, 300), rng.uniform(-1, 1, 300), rng.uniform(-1, 1, 300)
ABOVE = np.concatenate([np.abs(SMALL), np.exp(WIDE), rng.uniform(0.5, 2.0, 300)])
NAMES = sorted(set(elementary.__all__) - {"power", "hypot", "arctan2"})
INF, NAN = math.inf, math.nan


def _sine(x: Decimal) -> Decimal:
    x = x.remainder_near(2 * PI)
    term, total, n = x, x, 1
    while abs(term) > Decimal("1e-70"):
        term *= -x * x / ((n + 1) * (n + 2))
        total, n = total + term, n + 2
    return total


def _arctangent(x: Decimal) -> Decimal:
    halved = 0
    while abs(x) > Decimal("0.01"):
        x, halved = x / (1 + (1 + x * x).sqrt()), halved + 1
    term, total, n = x, x, 1
    while abs(term) > Decimal("1e-70"):
        term *= -x * x
        total, n = total + term / (n + 2), n + 2
    return total * 2**halved


def _angle(y: Decimal, x: Decimal) -> Decimal:
    if abs(y) > abs(x):
        return (PI / 2).copy_sign(y) - _arctangent(x / y)
    return _arctangent(y / x) + (PI.copy_sign(y) if x < 0 else 0)


CASES = {
    "exp": (1.0, lambda x: x.exp(), [np.concatenate([WIDE, SMALL])]),
    "expm1": (2.0, lambda x: x.exp() - 1, [np.concatenate([WIDE, SMALL, 1e-6 * SMALL])]),
    "log": (1.0, lambda x: x.ln(), [ABOVE]),
    "log2": (2.0, lambda x: x.ln() / Decimal(2).ln(), [ABOVE]),
    "log1p": (1.5, lambda x: (1 + x).ln(), [np.concatenate([UNIT, 1e-6 * SMALL, ABOVE[ABOVE > 1e-30]])]),
    "power": (1.0, lambda x, y: (y * x.ln()).exp(), [ABOVE, np.resize(UNIT, len(ABOVE))]),
    "cbrt": (1.0, lambda x: (x.ln() / 3).exp(), [ABOVE]),
    "hypot": (2.0, lambda x, y: (x * x + y * y).sqrt(), [np.exp(WIDE), np.exp(WIDE) * SMALL]),
    "sin": (1.0, _sine, [np.concatenate([WIDE, SMALL, 3e3 * WIDE])]),
    "cos": (1.0, lambda x: _sine(x + PI / 2), [np.concatenate([WIDE, SMALL, 3e3 * WIDE])]),
    "tan": (3.0, lambda x: _sine(x) / _sine(x + PI / 2), [np.concatenate([WIDE, SMALL])]),
    "arctan2": (3.0, _angle, [WIDE, np.concatenate([SMALL[:100], WIDE[100:200] * 3, UNIT[200:] * 100])]),
    "arcsin": (3.0, lambda x: _angle(x, (1 - x * x).sqrt()), [UNIT]),
    "arccos": (3.0, lambda x: _angle((1 - x * x).sqrt(), x), [UNIT]),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_as_exact_as_it_says(name):
    ulps, exact, values = CASES[name]
    got = getattr(elementary, name)(*values)
    with localcontext() as context:
        context.prec = 60
        for given, result in zip(zip(*(v.tolist() for v in values), strict=True), got.tolist(), strict=True):
            wanted = exact(*map(Decimal, given))
            assert abs(Decimal(result) - wanted) <= Decimal(ulps * math.ulp(float(wanted))), given


def test_all_are_tested():
    assert set(CASES) == set(elementary.__all__)


SPECIAL = {
    "exp": [(0.0, 1.0), (INF, INF), (-INF, 0.0), (710.0, INF), (-746.0, 0.0), (NAN, NAN)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (NAN, NAN)],
    "log": [(1.0, 0.0), (0.0, -INF), (-1.0, NAN), (INF, INF), (NAN, NAN)],
    "log2": [(2.0**n, float(n)) for n in range(-1074, 1024)] + [(0.0, -INF), (-2.0, NAN), (INF, INF), (NAN, NAN)],
    "log1p": [(0.0, 0.0), (-1.0, -INF), (-2.0, NAN), (INF, INF), (1e-300, 1e-300), (NAN, NAN)],
    "cbrt": [(n**3, float(n)) for n in range(-20, 21)] + [(-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (NAN, NAN)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (NAN, NAN)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (NAN, NAN)],
    "arcsin": [(0.0, 0.0), (-0.0, -0.0), (1.0, math.pi / 2), (-1.0, -math.pi / 2), (1.5, NAN), (NAN, NAN)],
    "arccos": [(1.0, 0.0), (-1.0, math.pi), (0.0, math.pi / 2), (1.5, NAN), (NAN, NAN)],
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values_are_exact_for_numbers_and_arrays(name):
    given, wanted = np.array(SPECIAL[name]).T
    function = getattr(elementary, name)
    for got in (function(given), np.array([function(x) for x in given.tolist()])):
        np.testing.assert_array_equal(got, wanted)
        zeros = wanted == 0.0
        np.testing.assert_array_equal(np.signbit(got[zeros]), np.signbit(wanted[zeros]))


def test_special_values_of_two_numbers_are_those_of_c():
    values = (0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 5e-324, 1e308)
    for y in values:
        for x in values:
            assert str(float(elementary.arctan2(y, x))) == str(math.atan2(y, x)), (y, x)
            wanted = math.hypot(y, x)
            assert elementary.hypot(y, x) == pytest.approx(wanted, rel=1e-15, abs=0.0, nan_ok=True), (y, x)
    with np.errstate(all="ignore"):
        for x in (0.0, 1.0, 2.0, 0.5, INF):
            for y in (0.0, 1.0, -1.0, 2.0, INF, -INF, 1e308):
                assert elementary.power(x, y) == np.float64(x) ** np.float64(y), (x, y)
    assert np.isnan(elementary.power(-1.0, 0.5)) and np.isnan(elementary.power(NAN, 2.0))


def test_angles_far_away_stay_angles():
    far = np.array([1e7, 1e12, 1e18, 1e300, -1e300])
    assert np.all(np.abs(elementary.sin(far)) <= 1.0) and np.all(np.abs(elementary.cos(far)) <= 1.0)


def _in_a_kernel(x, y, result):
    for n in range(len(x)):
        result[0, n] = elementary.sin(x[n])
        result[1, n] = elementary.cos(x[n])
        result[2, n] = elementary.arctan2(x[n], y[n])
        result[3, n] = elementary.exp(x[n])
        result[4, n] = elementary.log(y[n])
        result[5, n] = elementary.arcsin(y[n])


def test_numbers_arrays_and_kernels_have_the_same_bits():
    x, y = np.resize(np.concatenate([WIDE, SMALL]), 5000), np.resize(np.concatenate([UNIT, np.abs(SMALL)]), 5000)
    result = np.empty((6, len(x)))
    pytest.importorskip("numba").njit(_in_a_kernel)(x, y, result)
    names = (("sin", x), ("cos", x), ("arctan2", x, y), ("exp", x), ("log", y), ("arcsin", y))
    for row, (name, *values) in zip(result, names, strict=True):
        np.testing.assert_array_equal(getattr(elementary, name)(*values), row)


@pytest.mark.parametrize("name", NAMES)
def test_an_array_has_the_bits_of_its_numbers_and_keeps_its_shape(name):
    x = rng.uniform(0.1, 1.0, (3, 1, 5))
    got = getattr(elementary, name)(x[::2])
    assert got.shape == (2, 1, 5) and isinstance(getattr(elementary, name)(0.5), np.float64)
    np.testing.assert_array_equal(got.ravel(), [getattr(elementary, name)(v) for v in x[::2].ravel()])


def test_parts_of_pi_are_those_of_its_digits():
    with localcontext() as context:
        context.prec = 60
        assert abs(sum(map(Decimal, angles.QUARTER)) - PI / 2) < Decimal("1e-36")
        assert abs(sum(map(Decimal, (elementary.LN2, elementary.LN2_REST))) - Decimal(2).ln()) < Decimal("1e-29")
        for k in range(1, 5):
            got = Decimal(angles.ATAN[k]) + Decimal(angles.ATAN_REST[k])
            assert abs(got - _arctangent(Decimal(k) / 4)) < Decimal("1e-32")
