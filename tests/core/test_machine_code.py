"""Machine code is kept under a name for all the sources that went into it, and for no others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core import jit, machine_code


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
    monkeypatch.setattr(machine_code, "PACKAGE", tmp_path)
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    machine_code._imports.cache_clear()
    machine_code.kernel_folder.cache_clear()


@pytest.mark.parametrize(
    ("changed", "is_used"), [("rooms/a.py", True), ("b.py", True), ("c.py", True), ("d.py", False)]
)
def test_the_folder_changes_with_the_sources_that_a_module_uses(package, changed, is_used):
    before = machine_code.kernel_folder(package / "rooms" / "a.py")
    (package / changed).write_text((package / changed).read_text("utf-8") + "y = 2\n", "utf-8")
    forget()
    assert (machine_code.kernel_folder(package / "rooms" / "a.py") != before) == is_used


def test_two_modules_have_two_folders(package):
    assert machine_code.kernel_folder(package / "c.py") != machine_code.kernel_folder(package / "d.py")


KERNEL = """
from typing import NamedTuple
import numpy as np
from .jit import device_inlined, njit

class Pair(NamedTuple):
    x: float
    y: float

@device_inlined
def doubled(x: float) -> float:
    return x + x

@njit
def twice(pair):
    return doubled(pair.x), doubled(pair.y)

@njit
def named(x):
    return Pair(x, x)
"""
COPIED = ("jit.py", "machine_code.py")
CALL = "assert twice(Pair(2.0, 3.0)) == (4.0, 6.0)"


def run_copy(folder: Path, kept: Path, name: str = "core", call: str = CALL) -> dict[str, int]:
    """Run a kernel in a copy of the package, named as told, that lies in a folder; the files of machine code that
    there are then, with their times."""
    package = folder.joinpath(*name.split("."))
    package.mkdir(parents=True)
    for file in COPIED:
        (package / file).write_bytes((machine_code.PACKAGE / file).read_bytes())
    (package / "kernel.py").write_text(KERNEL, "utf-8")
    code = f"from {name}.kernel import Pair, named, twice; {call}"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | {"NUMBA_CACHE_DIR": str(kept), "PYTHONPATH": str(folder)},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return {str(file): file.stat().st_mtime_ns for file in kept.rglob("*.nb?")}


@pytest.mark.skipif(not jit.HAS_NUMBA or jit.numba.config.DISABLE_JIT, reason="looks at compiled kernels")
@pytest.mark.parametrize(
    ("first", "second"), [("core", "core"), ("core", "bl_ext.some.brittle.core"), ("a.core", "b.core")]
)
def test_another_copy_of_the_package_uses_the_same_machine_code(tmp_path, first, second):
    compiled = run_copy(tmp_path / "one", tmp_path / "kept", first)
    assert len(compiled) == 2  # an index and the code of one signature
    assert run_copy(tmp_path / "two", tmp_path / "kept", second) == compiled, "it was compiled again"


@pytest.mark.skipif(not jit.HAS_NUMBA or jit.numba.config.DISABLE_JIT, reason="looks at compiled kernels")
def test_a_kernel_that_returns_a_class_of_the_package_is_refused(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        run_copy(tmp_path / "one", tmp_path / "kept", call="named(2.0)")
    assert "returns plain tuples" in refused.value.stderr
