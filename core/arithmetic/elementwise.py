"""One text of a function for numbers, for arrays, and for numbers in kernels, with the same bits in all three.

Such a text is made of +, -, *, /, comparisons, `abs`, `numpy.sqrt` and `numpy.copysign`, and of the functions below
where Python would read differently for an array.
"""

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..jit import device_no_refs, in_kernels

BLOCK = 4096  #: numbers of an array that are worked on together: what is made on the way stays in the cache; 32 kB

NUMBERS = (float, int, np.number)


def elementwise(function: Callable[..., Any]) -> Any:
    """Decorator of such a text, of one or more numbers or arrays: in kernels it is a part, and arrays are broadcast."""

    @wraps(function)
    def called(*values: Any) -> Any:
        if all(isinstance(value, NUMBERS) for value in values):
            return np.float64(function(*map(float, values)))
        given = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values))
        if not given[0].ndim:
            return np.float64(function(*map(float, given)))
        result, flat = np.empty(given[0].shape), [array.ravel() for array in given]
        with np.errstate(all="ignore"):
            for at in range(0, result.size, BLOCK):
                result.reshape(-1)[at : at + BLOCK] = function(*(array[at : at + BLOCK] for array in flat))
        return result

    return device_no_refs(function, called)


def choose(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds and `b` elsewhere."""
    if isinstance(condition, bool | np.bool_):
        return a if condition else b
    return np.where(condition, a, b)


@in_kernels(choose)
def _choose_number(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


def split_exponents(x: Any) -> tuple[Any, Any]:
    """m, from 1/2 to 1, and whole e of finite x = m 2^e."""
    return math.frexp(x) if isinstance(x, float) else np.frexp(x)


@in_kernels(split_exponents)
def _split_number(x: Any) -> Any:
    return math.frexp(x)


def scale(x: Any, n: Any) -> Any:
    """The product x 2^n for whole n; infinite where that is too large."""
    if isinstance(x, float):
        try:
            return math.ldexp(x, int(n))
        except OverflowError:
            return math.copysign(math.inf, x)
    return np.ldexp(x, np.asarray(n).astype(np.int32))


@in_kernels(scale)
def _scale_number(x: Any, n: Any) -> Any:
    return math.ldexp(x, np.int32(n))  # type: ignore[arg-type]
