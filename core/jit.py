"""`njit` that caches its machine code, or a plain-Python stand-in where numba is missing.

Kernels are compiled without fast-math, so that results are bit-equal from run to run.
Arrays go into kernels sealed (`sealed_floats`, `sealed_ints`) where they are not written: numba compiles a kernel again
for each kind of array. Whatever runs once over an array is plain numpy: it costs no compilation.
Without numba everything stays correct and becomes slow; one warning says so.
"""

import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba
    import numba.extending
except ImportError:
    numba = None
    warnings.warn("numba is missing: Brittle works, but slowly.", RuntimeWarning, stacklevel=2)

HAS_NUMBA = numba is not None

if HAS_NUMBA:
    from .machine_code import KernelCache

#: Kernels divide as numpy does: without a check, to inf or nan. Nothing calls them from C. Other threads may run
#: meanwhile, so that a window stays alive while something is computed behind it.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True, "nogil": True}


def _known(**wanted: Any) -> dict[str, Any]:
    """Those of the options that this numba has."""
    return {name: wanted[name] for name in wanted if numba and hasattr(numba.core.options.DefaultOptions, name)}


#: numba counts references to arrays wherever one is touched, also where none can be freed.
NO_REFS: dict[str, Any] = OPTIONS | _known(_nrt=False)
#: Handing a tuple of arrays to a part copies some fifty words.
NO_REFS_INLINED: dict[str, Any] = OPTIONS | _known(_nrt=False, forceinline=True)


def njit(function: Function) -> Function:
    """Compile `function` with numba (nopython, cached on disk), or return it unchanged without numba."""
    return _compiled(function, OPTIONS)


def njit_no_refs(function: Function) -> Function:
    """As `njit`, for a kernel that makes no arrays and returns none: all that it fills is handed in.

    It counts no references: short loops over many arrays take half the time, and compiling is faster.
    Where such a kernel makes an array after all, numba refuses to compile it.
    """
    return _compiled(function, NO_REFS)


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    if numba is None or numba.config.DISABLE_JIT:
        return function
    kernel = cast(Any, numba.njit)(**options)(function)
    kernel._cache = KernelCache(function)
    return cast(Function, kernel)


def device(function: Function) -> Function:
    """As `njit`, for a function that only kernels call: it is compiled, and cached, as a part of them.

    The code with which Python calls a kernel takes as long to compile as a small kernel does, so this one has none:
    called from Python it runs as plain Python.
    """
    return _part(function, OPTIONS)


def device_no_refs(function: Function, called: Callable[..., Any] | None = None) -> Function:
    """As `device`, for what `njit_no_refs` kernels call: it makes no arrays, and is too long to become a piece of each.

    Called from Python it runs as `called`, if given.
    """
    return _part(function, NO_REFS, called)


def device_inlined(function: Function) -> Function:
    """As `device`, for what `njit_no_refs` kernels call: it makes no arrays, and becomes a piece of each caller.

    Parts should be called from one place, or be short.
    """
    return _part(function, NO_REFS_INLINED)


def _part(function: Function, options: dict[str, Any], called: Callable[..., Any] | None = None) -> Function:
    plain = called or function
    if numba is None or numba.config.DISABLE_JIT:
        return cast(Function, plain)
    part = cast(Any, numba.njit)(no_cpython_wrapper=True, **options)(function)
    # Called as it is, without a wrapper, it would crash.
    part.__class__ = type("Inner", (type(part),), {"__call__": lambda self, *values: plain(*values)})
    return cast(Function, part)


def in_kernels(function: Callable[..., Any]) -> Callable[[Function], Function]:
    """Decorator of what kernels run where they call `function`, which is for Python; arguments have equal names."""

    def registered(own: Function) -> Function:
        def typing(*_: Any) -> Function:
            return own

        cast(Any, typing).__signature__ = inspect.signature(own)
        cast(Any, numba).extending.overload(function)(typing)
        return own

    return registered if numba is not None else lambda own: own


def sealed_floats(array: ArrayLike) -> NDArray[np.float64]:
    """A contiguous float64 view (or copy) that is read-only: every kernel then compiles for one array type only."""
    view = np.ascontiguousarray(array, dtype=np.float64).view()
    view.setflags(write=False)
    return view


def sealed_ints(array: ArrayLike) -> NDArray[np.int64]:
    """A contiguous int64 view (or copy) that is read-only."""
    view = np.ascontiguousarray(array, dtype=np.int64).view()
    view.setflags(write=False)
    return view
