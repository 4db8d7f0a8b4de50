"""`njit` that caches its machine code, or a plain-Python stand-in where numba is missing.

Kernels are compiled without fast-math, so that results are bit-equal from run to run.
Arrays go into kernels sealed (`sealed_floats`, `sealed_ints`) where they are not written: numba compiles a kernel again
for each kind of array. Whatever runs once over an array is plain numpy: it costs no compilation.
Without numba everything stays correct and becomes slow; one warning says so.

numba keys the machine code of a function on the place and time of its own file, while it holds code of the functions
that it calls, and names the module it was made in. So the kernels of a module have a folder for each state of that
module and of all that it imports from this package, under each name of the package: wherever a copy of it lies.
"""

import ast
import hashlib
import inspect
import os
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
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

PACKAGE = Path(__file__).parent
_BASE = Path(os.environ.get("NUMBA_CACHE_DIR") or PACKAGE / "__pycache__")


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256(__name__.encode())
    for file in sorted(files):
        digest.update(str(file.relative_to(PACKAGE)).encode() + file.read_bytes())
    return digest.hexdigest()[:16]


#: What the whole package has compiled: its name changes with every change of a source.
CACHE_FOLDER = _BASE / _digest(PACKAGE.rglob("*.py"))


@cache
def _imports(file: Path) -> tuple[Path, ...]:
    """The modules of this package that a module imports when it is loaded."""
    found = []
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            found += [base.with_suffix(".py"), *(base / f"{name.name}.py" for name in node.names)]
    return tuple(path for path in found if path.is_file() and PACKAGE in path.parents)


@cache
def kernel_folder(file: Path) -> Path:
    """Where the kernels of this module are kept: a name for the module and everything it imports, directly or not."""
    reached, ahead = {file}, [file]
    while ahead:
        ahead = [path for at in ahead for path in _imports(at) if path not in reached]
        reached.update(ahead)
    return _BASE / "kernels" / _digest(reached)


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
    kernel._cache = _KernelCache(function)
    return cast(Function, kernel)


if HAS_NUMBA:
    from numba.core import caching

    class _KernelFolder(caching._CacheLocator):  # type: ignore[misc]  # numba has no types
        """Tells numba where the kernels of a module are kept. The folder's name says on what they depend."""

        def __init__(self, file: str) -> None:
            self._path = str(kernel_folder(Path(file)))

        def get_cache_path(self) -> str:
            return self._path

        def get_source_stamp(self) -> str:
            return Path(self._path).name

        def get_disambiguator(self) -> None:
            return None

        @classmethod
        def from_function(cls, function: Callable[..., Any], file: str) -> "_KernelFolder | None":
            folder = cls(file)
            try:
                folder.ensure_cache_path()
            except OSError:  # nothing can be written there: numba looks for another place
                return None
            return folder

    class _KernelFiles(caching.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (_KernelFolder, *caching.CompileResultCacheImpl._locator_classes)

    class _KernelCache(caching.FunctionCache):  # type: ignore[misc]
        _impl_class = _KernelFiles


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
