"""`njit` that caches its machine code, or a plain-Python stand-in where numba is missing.

Kernels are compiled without fast-math, so that results are bit-equal from run to run.
Arrays go into kernels sealed (`sealed_floats`, `sealed_ints`) where they are not written: numba compiles a kernel again
for each kind of array. Whatever runs once over an array is plain numpy: it costs no compilation.
Without numba everything stays correct and becomes slow; one warning says so.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from .types import Floats, Ints

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba
except ImportError:
    numba = None  # type: ignore[assignment]
    warnings.warn("numba is missing: Brittle works, but slowly.", RuntimeWarning, stacklevel=2)

HAS_NUMBA = numba is not None


def njit(function: Function) -> Function:
    """Compile `function` with numba (nopython, cached on disk, not callable from C), or return it unchanged without."""
    if numba is None:
        return function
    return cast(Function, numba.njit(cache=True, no_cfunc_wrapper=True)(function))


def sealed_floats(array: ArrayLike) -> Floats:
    """A contiguous float64 view (or copy) that is read-only: every kernel then compiles for one array type only."""
    view = np.ascontiguousarray(array, dtype=np.float64).view()
    view.setflags(write=False)
    return view


def sealed_ints(array: ArrayLike) -> Ints:
    """A contiguous int64 view (or copy) that is read-only."""
    view = np.ascontiguousarray(array, dtype=np.int64).view()
    view.setflags(write=False)
    return view
