"""`njit` that caches its machine code, or a plain-Python stand-in where numba is missing.

Kernels are compiled without fast-math, so that results are bit-equal from run to run.
Without numba everything stays correct and becomes slow; one warning says so.

numba keys the machine code of a function on its own file only, while it holds code of the functions that it calls, and
names the module it was made in. So each state of this package, under each name, has a folder of its own.
"""

import hashlib
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba
except ImportError:
    numba = None
    warnings.warn("numba is missing: Brittle works, but slowly.", RuntimeWarning, stacklevel=2)

HAS_NUMBA = numba is not None


def _cache_folder() -> Path:
    """The folder of this state of the package, in NUMBA_CACHE_DIR, or beside the byte code where that is not set."""
    package = Path(__file__).parent
    digest = hashlib.sha256(__name__.encode())
    for source in sorted(package.rglob("*.py")):
        digest.update(source.read_bytes())
    base = os.environ.get("NUMBA_CACHE_DIR") or package / "__pycache__"
    return Path(base) / digest.hexdigest()[:16]


CACHE_FOLDER = _cache_folder()


def njit(function: Function) -> Function:
    """Compile `function` with numba (nopython, cached on disk), or return it unchanged without numba."""
    if numba is None:
        return function
    others = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        return cast(Function, numba.njit(cache=True)(function))
    finally:
        numba.config.CACHE_DIR = others
