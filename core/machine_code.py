"""Where the machine code of kernels is kept, and how a copy of this package reads what another copy has compiled.

numba keys the machine code of a function on the place and time of its own file, while it holds code of the functions
that it calls. So the kernels of a module have a folder for each state of that module and of all that it imports from
this package, wherever a copy of it lies. What numba stores names classes and modules of the package: the file says by
which name the package was loaded then, and they are looked up by the name that it has now.
"""

import ast
import hashlib
import io
import os
import pickle
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

try:
    from numba.core import caching, environment, types
except ImportError:
    caching = None

PACKAGE = Path(__file__).parent
_BASE = Path(os.environ.get("NUMBA_CACHE_DIR") or PACKAGE / "__pycache__")


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
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


def _named_here(module: str, package: str) -> str:
    """The name that a module has now, where the package had the name `package`."""
    own = __package__ or ""
    return own + module[len(package) :] if module == package or module.startswith(package + ".") else module


class _Unpickler(pickle.Unpickler):
    """Reads what was stored when this package had the name `package`."""

    def __init__(self, file: io.BytesIO, package: str) -> None:
        super().__init__(file)
        self._package = package

    def find_class(self, module: str, name: str) -> Any:
        if name == "_rebuild_env":  # its first argument is the name of a module
            return self._rebuild_environment
        return super().find_class(_named_here(module, self._package), name)

    def _rebuild_environment(self, module: str, *rest: Any) -> Any:
        return environment._rebuild_env(_named_here(module, self._package), *rest)


def _read(file: io.BytesIO) -> Any:
    return _Unpickler(file, pickle.load(file)).load()


if caching is not None:

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

    class _KernelResults(caching.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (_KernelFolder, *caching.CompileResultCacheImpl._locator_classes)

        def __init__(self, function: Callable[..., Any]) -> None:
            super().__init__(function)
            self._module = function.__module__

        def check_cachable(self, result: Any) -> bool:
            """Numba's answer, for what the code does not name a class of the package that it would make for Python."""
            made = result.signature.return_type
            if any(isinstance(part, types.BaseNamedTuple) for part in (made, *(getattr(made, "types", None) or ()))):
                raise TypeError(f"{result.fndesc.qualname} is a kernel: it returns plain tuples, not {made}")
            return bool(super().check_cachable(result))

        def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
            payload[1].modname = self._module
            return super().rebuild(target_context, payload)

    class _KernelFile(caching.IndexDataCacheFile):  # type: ignore[misc]
        """As numba's, but each pickle begins with the name that the package had."""

        def _dump(self, obj: Any) -> bytes:
            return pickle.dumps(__package__) + bytes(super()._dump(obj))

        def _load_index(self) -> dict[Any, str]:
            try:
                file = io.BytesIO(Path(self._index_path).read_bytes())
            except FileNotFoundError:
                return {}
            if pickle.load(file) != self._version:
                return {}
            stamp, overloads = _read(file)
            return overloads if stamp == self._source_stamp else {}

        def _load_data(self, name: str) -> Any:
            return _read(io.BytesIO(Path(self._data_path(name)).read_bytes()))

    class KernelCache(caching.FunctionCache):  # type: ignore[misc]
        """numba's cache of a function, in the folder of its module."""

        _impl_class = _KernelResults

        def __init__(self, function: Callable[..., Any]) -> None:
            super().__init__(function)
            stamp = self._impl.locator.get_source_stamp()
            self._cache_file = _KernelFile(self._cache_path, self._impl.filename_base, stamp)
