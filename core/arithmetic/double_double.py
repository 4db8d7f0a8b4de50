"""Sums and products without an error, and numbers of twice the digits: a rounded one, and what it lacks.

Nothing may over- or underflow. References: Dekker 1971; Shewchuk, "Adaptive Precision Floating-Point Arithmetic and
Fast Robust Geometric Predicates", DCG 18 (1997), section 2; Hida, Li and Bailey 2001.
"""

from typing import Any, TypeAlias

from ..jit import device_inlined, device_no_refs

#: A number as the sum of two, the second of which round-off would take away.
DoubleDouble: TypeAlias = tuple[float, float]

SPLITTER = 134217729.0  #: 2^27 + 1, which parts a number into two of 26 bits


@device_inlined
def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """The sum a + b = x + y exactly, x rounded."""
    x = a + b
    part = x - a
    return x, (a - (x - part)) + (b - part)


@device_inlined
def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """The product a * b = x + y exactly, x rounded (Dekker's product with Veltkamp's split)."""
    x = a * b
    big = SPLITTER * a
    a_high = big - (big - a)
    a_low = a - a_high
    big = SPLITTER * b
    b_high = big - (big - b)
    b_low = b - b_high
    return x, a_low * b_low - (((x - a_high * b_high) - a_low * b_high) - a_high * b_low)


@device_no_refs
def add_double_doubles(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """The sum, rounded to twice the digits."""
    x, y = two_sum(a[0], b[0])
    z, w = two_sum(a[1], b[1])
    x, y = two_sum(x, y + z)
    return two_sum(x, y + w)


@device_no_refs
def multiply_double_doubles(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """The product, rounded to twice the digits."""
    x, y = two_product(a[0], b[0])
    return two_sum(x, y + (a[0] * b[1] + a[1] * b[0]))
