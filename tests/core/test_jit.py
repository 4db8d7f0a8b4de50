"""Machine code is kept under a name for all the sources that went into it, and for no others."""

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


def _sum_of_rows(table, sums):
    for i in range(len(table)):
        sums[i] = table[i, 0] + table[i, 1]
    return len(table)


def _made(count):
    return np.empty(count)


@pytest.mark.skipif(not jit.HAS_NUMBA, reason="looks at compiled kernels")
def test_a_lean_kernel_leaves_the_references_to_its_arrays_as_they_are():
    kernel = jit.numba.njit(**jit.LEAN)(_sum_of_rows)
    table, sums = np.arange(6.0).reshape(3, 2), np.empty(3)
    before = sys.getrefcount(table), sys.getrefcount(sums)
    for _ in range(10):
        assert kernel(table, sums) == 3
    assert (sys.getrefcount(table), sys.getrefcount(sums)) == before
    assert sums.tolist() == [1.0, 5.0, 9.0]


@pytest.mark.skipif(not jit.HAS_NUMBA or jit.numba.config.DISABLE_JIT, reason="looks at compiled kernels")
def test_a_lean_kernel_that_makes_an_array_is_not_compiled():
    with pytest.raises(jit.numba.core.errors.NumbaError):
        jit.numba.njit(**jit.LEAN)(_made)(3)
