"""Compile the core's kernels before they are needed, so that the first click on Shatter does not wait.

numba keeps machine code in a folder; a child process of Blender's own Python breaks a cube once, which fills it. Nobody
waits for the child, at no time.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy

ROOT = Path(__file__).parents[1]

#: What the child runs: argv[1:] are the places where it finds the core and numba.
CHILD = """
import sys
sys.path[:0] = sys.argv[1:]
import numpy as np
from core.breaking import RULES
from core.material import Material
from core.pieces import PARTITIONS
from core.pipeline import shatter
from core.settings import Settings
from core.types import Clock, Ground, Impact, Mesh, Scene
corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)])
triangles = np.array([
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
])
impact = Impact(np.array([1.0, 0.1, 1.2]), np.array([-1.0, 0.0, 0.0]), 10.0, 5.0, 0.0, 0.0)
scene = Scene(Mesh("Cube", corners, triangles), (impact,), np.array([0.0, 0.0, -9.81]), Ground(0.0), Clock(24.0, 8))
for pieces in PARTITIONS:
    for rule in RULES:
        shatter(scene, Settings(0, pieces.id, pieces.params(), rule.id, rule.params(), Material()))
"""


def use_cache() -> None:
    """Tell numba where to keep machine code; must run before numba is imported."""
    os.environ.setdefault("NUMBA_CACHE_DIR", str(_cache_folder()))


def start() -> subprocess.Popen[bytes]:
    """Start the child process that compiles the kernels."""
    found = importlib.util.find_spec("numba")
    places = [str(ROOT), *(str(Path(place).parent) for place in (found and found.submodule_search_locations) or ())]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *places],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _cache_folder() -> Path:
    package = __package__.rpartition(".")[0]
    try:
        return Path(bpy.utils.extension_path_user(package, path="cache", create=True))
    except ValueError:  # Brittle was not installed as an extension
        return Path(tempfile.gettempdir()) / "brittle-cache"


def register() -> None:
    """Start the compilation in a session with a window; other sessions compile when they come to it."""
    if not bpy.app.background:
        start()


def unregister() -> None:
    """Nothing to take back: the child ends by itself."""
