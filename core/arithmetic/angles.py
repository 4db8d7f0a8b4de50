"""Sine, cosine and arctangent: for numbers and arrays, and for numbers in kernels.

Each is reduced to a short interval in which its Taylor series, with coefficients that are quotients of whole numbers,
ends below half a unit in the last place (ulp). Errors stay below 1 ulp (sin, cos) and 2 ulp (all others).

Limitation: sines and cosines are as exact as this up to angles of 1e6; far above they only stay within -1 and 1.
"""

import math
from typing import Any

import numpy as np

from ..jit import device_no_refs
from .elementwise import choose, elementwise

#: Adding and taking off 1.5 2^52 rounds to the nearest whole number, even where halfway.
ROUNDER = 6755399441055744.0

#: pi/2 in three parts, of 33 and 33 bits and the rest: their products with numbers up to 2^20 are exact.
QUARTER = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
QUARTERS = 0.6366197723675814  #: 2/pi
_OUTSIDE = 0.8  #: no remainder of a quarter turn is as large; pi/4 and a little

#: Taylor series of sine, cosine and arctangent: the first term left out is below 1e-19 up to 0.8,
SINE = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(1, 10))
COSINE = tuple((-1) ** k / math.factorial(2 * k) for k in range(2, 10))  #: up to 0.8
ARCTANGENT = tuple((-1) ** k / (2 * k + 1) for k in range(1, 10))  #: and up to 1/8

#: The arctangents of 0, 1/4, 1/2, 3/4 and 1.
ATAN = (0.0, 0.24497866312686414, 0.4636476090008061, 0.6435011087932844, 0.7853981633974483)
#: What these numbers lack, of 50 digits.
ATAN_REST = (0.0, 1.0698755618734451e-17, 2.2698777452961687e-17, 1.5834785051444286e-17, 3.061616997868383e-17)
#: Pi, and what this number lacks.
PI, PI_REST = 3.141592653589793, 1.2246467991473532e-16


@device_no_refs
def polynomial(coefficients: tuple[float, ...], z: Any) -> Any:
    """The polynomial with these coefficients, the lowest first."""
    total = z * coefficients[-1] + coefficients[-2]
    for k in range(len(coefficients) - 3, -1, -1):
        total = total * z + coefficients[k]
    return total


@device_no_refs
def _reduced(x: Any) -> tuple[Any, Any, Any]:
    """What an angle is beyond a number of quarter turns, the rest of it that it lacks, and that number modulo 4."""
    n = (x * QUARTERS + ROUNDER) - ROUNDER
    above = x - n * QUARTER[0]
    middle = n * QUARTER[1]
    r = above - middle
    rest = ((above - r) - middle) - n * QUARTER[2]
    high = r + rest
    near = abs(high) <= _OUTSIDE
    low = choose(near, (r - high) + rest, 0.0)
    return choose(near, high, high - high), low, n - 4.0 * ((0.25 * n + ROUNDER) - ROUNDER)


@device_no_refs
def _sine(r: Any, low: Any) -> Any:
    z = r * r
    return r + (r * (z * polynomial(SINE, z)) + low * (1.0 - 0.5 * z))


@device_no_refs
def _cosine(r: Any, low: Any) -> Any:
    z = r * r
    half = 0.5 * z
    most = 1.0 - half
    return most + (((1.0 - most) - half) + (z * (z * polynomial(COSINE, z)) - r * low))


@elementwise
def sin(x: Any) -> Any:
    """Sine of an angle [rad]."""
    r, low, turn = _reduced(x)
    size = choose(abs(turn) == 1.0, _cosine(r, low), _sine(r, low))
    return choose(x == 0.0, x, choose((turn == -1.0) | (abs(turn) == 2.0), -size, size))


@elementwise
def cos(x: Any) -> Any:
    """Cosine of an angle [rad]."""
    r, low, turn = _reduced(x)
    size = choose(abs(turn) == 1.0, _sine(r, low), _cosine(r, low))
    return choose((turn == 1.0) | (abs(turn) == 2.0), -size, size)


@elementwise
def tan(x: Any) -> Any:
    """Tangent of an angle [rad]."""
    r, low, turn = _reduced(x)
    sine, cosine = _sine(r, low), _cosine(r, low)
    odd = abs(turn) == 1.0
    return choose(x == 0.0, x, choose(odd, -cosine, sine) / choose(odd, sine, cosine))


@elementwise
def arctan2(y: Any, x: Any) -> Any:
    """Angle of the vector (x, y) from the first axis, from -pi to pi [rad]; signs of zeros count as they do in C."""
    tall, wide = abs(y), abs(x)
    steep = tall > wide
    a, b = choose(steep, wide, tall), choose(steep, tall, wide)
    same = a == b
    t = choose(same & (b > 0.0), 1.0, a) / choose(same | (b == 0.0), 1.0, b)
    step = (4.0 * t + ROUNDER) - ROUNDER
    r = (t - 0.25 * step) / (1.0 + 0.25 * step * t)
    z = r * r
    high, rest = 0.0 * t, r * (z * polynomial(ARCTANGENT, z))
    for k in range(1, 5):
        high = choose(step == k, ATAN[k], high)
        rest = choose(step == k, rest + ATAN_REST[k], rest)
    back = np.copysign(1.0, x) < 0.0
    turn = choose(steep, 0.5, choose(back, 1.0, 0.0))
    angle = high + (r + rest)
    return np.copysign(turn * PI + (choose(steep == back, angle, -angle) + turn * PI_REST), y)


@elementwise
def arcsin(x: Any) -> Any:
    """Angle from -pi/2 to pi/2 [rad] whose sine is x; nan where |x| > 1."""
    return arctan2(x, _other_leg(x))


@elementwise
def arccos(x: Any) -> Any:
    """Angle from 0 to pi [rad] whose cosine is x; nan where |x| > 1."""
    return arctan2(_other_leg(x), x)


@device_no_refs
def _other_leg(x: Any) -> Any:
    return np.sqrt(choose(abs(x) <= 1.0, (1.0 - x) * (1.0 + x), math.nan))
