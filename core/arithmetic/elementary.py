"""Exponentials, logarithms, powers and roots: for numbers and arrays, and for numbers in kernels.

Each is reduced by a power of two to a short interval in which its series, with coefficients that are quotients of
whole numbers, ends below half a unit in the last place (ulp). Errors stay below 1 ulp (exp, log, power, cbrt) and
2 ulp (all others). What lies outside of a function's domain becomes nan or infinite, as it does elsewhere, silently.
"""

import math
from typing import Any

import numpy as np

from ..jit import device_no_refs
from .angles import ROUNDER, arccos, arcsin, arctan2, cos, polynomial, sin, tan
from .double_double import two_product
from .elementwise import choose, elementwise, scale, split_exponents

__all__ = [
    "arccos",
    "arcsin",
    "arctan2",
    "cbrt",
    "cos",
    "exp",
    "expm1",
    "hypot",
    "log",
    "log1p",
    "log2",
    "power",
    "sin",
    "tan",
]

#: The natural logarithm of 2 in two parts; the first, of 42 bits, has exact products with all exponents.
LN2, LN2_REST = 0.6931471805598903, 5.497923018708371e-14
#: The logarithm of e to the base 2, and what this number lacks.
LOG2_E, LOG2_E_REST = 1.4426950408889634, 2.0355273740931033e-17
#: Its exponential overflows, that of its negative vanishes; largest and smallest are e^709.8 and e^-745.1.
_FARTHEST = 800.0

#: Taylor series of the exponential: up to half of log 2 the first term left out is below 1e-19.
EXP = tuple(1.0 / math.factorial(k) for k in range(2, 15))
#: log((1+s)/(1-s)) = 2 s + s z (2/3 + 2/5 z ..), z = s^2. Up to s = 0.172, of a number between sqrt(1/2) and sqrt(2),
#: the first term left out is below 1e-19.
ARTANH = tuple(2.0 / (2 * k + 1) for k in range(1, 12))

INF, NAN = math.inf, math.nan


@elementwise
def exp(x: Any) -> Any:
    """e^x."""
    return _exponential(x, 0.0)


@elementwise
def expm1(x: Any) -> Any:
    """e^x - 1, also where x is small."""
    n, small = _whole_powers(x, 0.0)
    near = abs(n) <= 60.0
    whole = choose(near, n, 0.0)
    exact = scale(small, whole) + (scale(1.0 + 0.0 * n, whole) - 1.0)
    return choose(x == 0.0, x, choose(near, exact, _exponential(x, 0.0) - 1.0))


@elementwise
def log(x: Any) -> Any:
    """Natural logarithm; -inf of 0, nan of what is below."""
    f, e = _mantissa(x)
    return _of_positive(x, e * LN2 - (_less(f) - e * LN2_REST - f))


@elementwise
def log2(x: Any) -> Any:
    """Logarithm of base 2, exact where x is a power of two; -inf of 0, nan of what is below."""
    f, e = _mantissa(x)
    natural = f - _less(f)
    return _of_positive(x, e + (natural * LOG2_E + natural * LOG2_E_REST))


@elementwise
def log1p(x: Any) -> Any:
    """log(1 + x), also where x is small; -inf of -1, nan of what is below."""
    whole = 1.0 + x
    late = choose(abs(x) < 1.0, x - (whole - 1.0), 1.0 - (whole - x))
    f, e = _mantissa(whole)
    there = (whole > 0.0) & (whole < INF)
    late = choose(there, late, 0.0) / choose(there, whole, 1.0)
    return _of_positive(whole, e * LN2 - (_less(f) - e * LN2_REST - f) + late)


@elementwise
def power(x: Any, y: Any) -> Any:
    """x^y of numbers x that are not negative, nan of others. A whole power is better written as a product."""
    f, e = _mantissa(x)
    high, low = _long_logarithm(f, e)
    there = (x > 0.0) & (x < INF)
    high = choose(there, high, choose(x == 0.0, -INF, INF))
    product, lost = two_product(y, high)
    rest = lost + y * low
    rest = choose(there & (abs(rest) < INF), rest, 0.0)
    result = choose(x >= 0.0, _exponential(product, rest), NAN)
    return choose((y == 0.0) | (x == 1.0), 1.0, result)


@elementwise
def cbrt(x: Any) -> Any:
    """Cube root, of the sign of x."""
    there = (x != 0.0) & (abs(x) < INF)
    m, e = split_exponents(abs(choose(there, x, 1.0)))
    third = e // 3
    m = scale(m, e - 3 * third)  # from 1/2 to 4
    root = 0.6 + 0.28 * m
    for _ in range(4):
        root = (2.0 * root + m / (root * root)) / 3.0
    root = root - (root * root * root - m) / (3.0 * root * root)
    return choose(there, np.copysign(scale(root, third), x), x)


@elementwise
def hypot(x: Any, y: Any) -> Any:
    """Length of (x, y), of any size; infinite where one of them is."""
    a, b = abs(x), abs(y)
    longest = choose(a > b, a, b)
    _, e = split_exponents(choose(longest < INF, longest, 1.0))
    p, q = scale(a, -e), scale(b, -e)
    return choose((a == INF) | (b == INF), INF, scale(np.sqrt(p * p + q * q), e))


@device_no_refs
def _whole_powers(x: Any, rest: Any) -> tuple[Any, Any]:
    """The whole n and e^r - 1 of x + rest = n log 2 + r, |r| < 0.35; the rest is far smaller than x."""
    near = choose(x > _FARTHEST, _FARTHEST, choose(x < -_FARTHEST, -_FARTHEST, x))
    n = (near * LOG2_E + ROUNDER) - ROUNDER
    above, below = near - n * LN2, n * LN2_REST
    r = above - below
    curve, late = r * r * polynomial(EXP, r), ((above - r) - below) + rest
    return choose(n == n, n, 0.0), r + (curve + (late + late * (r + curve)))


@device_no_refs
def _exponential(x: Any, rest: Any) -> Any:
    n, small = _whole_powers(x, rest)
    return scale(1.0 + small, n)


@device_no_refs
def _mantissa(x: Any) -> tuple[Any, Any]:
    """Both f and e of x = (1 + f) 2^e, with 1 + f between the square roots of 1/2 and 2."""
    m, e = split_exponents(choose((x > 0.0) & (x < INF), x, 1.0))
    low = m * m < 0.5
    return choose(low, 2.0 * m, m) - 1.0, e - choose(low, 1.0, 0.0)


@device_no_refs
def _less(f: Any) -> Any:
    """How much log(1 + f) is less than f."""
    s, half = f / (2.0 + f), 0.5 * f * f
    z = s * s
    return half - s * (half + z * polynomial(ARTANH, z))


@device_no_refs
def _of_positive(x: Any, logarithm: Any) -> Any:
    there = (x > 0.0) & (x < INF)
    return choose(there, logarithm, choose(x == 0.0, -INF, choose(x > 0.0, INF, NAN)))


@device_no_refs
def _long_logarithm(f: Any, e: Any) -> tuple[Any, Any]:
    """The logarithm of (1 + f) 2^e in two parts, with 60 bits and more."""
    whole = 2.0 + f
    s = f / whole
    product, rest = two_product(s, whole)
    late = (((f - product) - rest) - s * (f - (whole - 2.0))) / whole
    z = s * s
    small = 2.0 * late + (s * (z * polynomial(ARTANH, z)) + e * LN2_REST)
    first = e * LN2 + 2.0 * s
    lost = choose(e == 0.0, 0.0, 2.0 * s - (first - e * LN2))
    high = first + (small + lost)
    return high, (first - high) + (small + lost)
