"""Machine code is kept under a name for all the sources that went into it, and for no others."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core import jit


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """A package of four modules: a uses b, b uses c, d stands alone."""
    sources = {
        "rooms/a.py": "from ..b import f\n",
        "b.py": "if True:\n    import os\nfrom . import c\n",
        "c.py": "x = 1\n",
        "d.py": "x = 1\n",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(jit, "PACKAGE", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    jit._imports.cache_clear()
    jit.kernel_folder.cache_clear()


@pytest.mark.parametrize(
    ("changed", "is_used"), [("rooms/a.py", True), ("b.py", True), ("c.py", True), ("d.py", False)]
)
def test_the_folder_changes_with_the_sources_that_a_module_uses(package, changed, is_used):
    before = jit.kernel_folder(package / "rooms" / "a.py")
    (package / changed).write_text((package / changed).read_text("utf-8") + "y = 2\n", "utf-8")
    forget()
    assert (jit.kernel_folder(package / "rooms" / "a.py") != before) == is_used


def test_two_modules_have_two_folders(package):
    assert jit.kernel_folder(package / "c.py") != jit.kernel_folder(package / "d.py")


KERNEL = """
from .jit import device_inlined, njit

@device_inlined
def doubled(x: float) -> float:
    return x + x

@njit
def twice(x: float) -> float:
    return doubled(x)
"""


def run_copy(folder: Path, kept: Path) -> set[str]:
    """Run a kernel in a copy of the package that lies in a folder; the files of machine code that there are then."""
    (folder / "core").mkdir(parents=True)
    (folder / "core" / "__init__.py").write_text("", "utf-8")
    (folder / "core" / "jit.py").write_bytes(Path(jit.__file__).read_bytes())
    (folder / "core" / "kernel.py").write_text(KERNEL, "utf-8")
    code = "from core.kernel import twice; assert twice(2.0) == 4.0"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"NUMBA_CACHE_DIR": str(kept), "PYTHONPATH": str(folder)},
        check=True,
        timeout=120,
    )
    return {str(file) for file in kept.rglob("*.nb?")}


@pytest.mark.skipif(not jit.HAS_NUMBA or jit.numba.config.DISABLE_JIT, reason="looks at compiled kernels")
def test_another_copy_of_the_package_uses_the_same_machine_code(tmp_path):
    first = run_copy(tmp_path / "one", tmp_path / "kept")
    assert len(first) == 2  # an index and the code of one signature
    stamps = {name: Path(name).stat().st_mtime_ns for name in first}
    assert run_copy(tmp_path / "two", tmp_path / "kept") == first
    assert {name: Path(name).stat().st_mtime_ns for name in first} == stamps, "it was compiled again"


def _sum_of_rows(table, sums):
    for i in range(len(table)):
        sums[i] = table[i, 0] + table[i, 1]
    return len(table)


def _made(count):
    return np.empty(count)


@pytest.mark.skipif(not jit.HAS_NUMBA, reason="looks at compiled kernels")
def test_a_kernel_without_references_leaves_the_references_to_its_arrays_as_they_are():
    kernel = jit.numba.njit(**jit.NO_REFS)(_sum_of_rows)
    table, sums = np.arange(6.0).reshape(3, 2), np.empty(3)
    before = sys.getrefcount(table), sys.getrefcount(sums)
    for _ in range(10):
        assert kernel(table, sums) == 3
    assert (sys.getrefcount(table), sys.getrefcount(sums)) == before
    assert sums.tolist() == [1.0, 5.0, 9.0]


@pytest.mark.skipif(not jit.HAS_NUMBA or jit.numba.config.DISABLE_JIT, reason="looks at compiled kernels")
def test_a_kernel_without_references_that_makes_an_array_is_not_compiled():
    with pytest.raises(jit.numba.core.errors.NumbaError):
        jit.numba.njit(**jit.NO_REFS)(_made)(3)
