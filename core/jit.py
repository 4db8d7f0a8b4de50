"""`njit` that caches its machine code, or a plain-Python stand-in where numba is missing.

Kernels are compiled without fast-math, so that results are bit-equal from run to run.
Without numba everything stays correct and becomes slow; one warning says so.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba
except ImportError:
    numba = None
    warnings.warn("numba is missing: Brittle works, but slowly.", RuntimeWarning, stacklevel=2)

HAS_NUMBA = numba is not None


def njit(function: Function) -> Function:
    """Compile `function` with numba (nopython, cached on disk), or return it unchanged without numba."""
    if numba is None:
        return function
    return cast(Function, numba.njit(cache=True)(function))
