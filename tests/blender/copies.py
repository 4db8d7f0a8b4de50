"""Copies of what ships with one method more, in a Blender of their own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
SHIPPED = ("__init__.py", "blender_manifest.toml", "core", "operators", "panels", "presets")

#: What every script begins with: the copy is enabled, the file empty, and there is a panel that notes what is drawn.
BEGIN = """import sys
import bpy, addon_utils
repository = bpy.context.preferences.extensions.repos.new(
    name="dev", module="dev", custom_directory=sys.argv[1], source="USER"
)
addon_utils.enable("bl_ext.dev.brittle", default_set=True)
assert addon_utils.check("bl_ext.dev.brittle") == (True, True)
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)

class Layout:
    drawn = []
    def column(self, **_): return self
    def prop(self, data, name, **_): self.drawn.append(name)

class Panel:
    layout = Layout()
"""


def copy_with_method(folder: Path, room: str, module: str, first: str) -> Path:
    """A repository folder with a copy of the extension, whose `room` has a module `toy` with a method under number 99.

    first: a line that its registry has.
    """
    copy = folder / "repository" / "brittle"
    for name in SHIPPED:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            copy.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy / name)
    (copy / room / "toy.py").write_text(module, encoding="utf-8")
    registry = copy / room / "__init__.py"
    text = registry.read_text("utf-8")
    assert text.count(first) == 1
    text = text.replace(first, f"{first}, 99: toy.METHOD")
    assert text.count("from .contract") == 1
    registry.write_text(text.replace("from .contract", "from . import toy\nfrom .contract"), encoding="utf-8")
    return copy.parent


def run_copy(script: str, repository: Path, folder: Path) -> str:
    """What a script prints after `BEGIN`, in a process that has bpy, with the repository's folder as first argument.

    In plain Python: compiling the kernels of a copy would take longer than breaking something small.
    """
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(folder / "user"), "NUMBA_DISABLE_JIT": "1"}
    (folder / "user").mkdir()
    result = subprocess.run(
        [sys.executable, "-c", BEGIN + script, str(repository)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=480,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
