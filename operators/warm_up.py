"""Compile the core's kernels before they are needed, so that the first click on Shatter does not wait.

numba keeps machine code in a folder; a child process of Blender's own Python breaks and repairs a cube once, to
fill it. A Shatter that comes too early waits for the child: compiling in Blender would freeze the window.
"""

import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import bpy

#: [s] between two looks at the child. By eye.
PAUSE = 0.02
#: [s] between two looks of the sidebar at how far it is. By eye.
SHOWN = 0.5

ROOT = Path(__file__).parents[1]
PACKAGE = __package__.rpartition(".")[0]

#: What the child runs. Machine code names the module that it was made in, so the core gets the name it has in Blender.
CHILD = """
import os, sys, threading, types
from dataclasses import replace
from importlib import import_module
from pathlib import Path
package, root, stamp, far, *places = sys.argv[1:]
sys.path[:0] = places
# Each kernel that Python can call, as it is made. It has a signature once it is compiled, or its machine code is found.
numba, kernels = import_module("numba"), []
njit = numba.njit
def noted(*functions, **options):
    made = njit(*functions, **options)
    def kept(function):
        kernels.append(made(function))
        return kernels[-1]
    return made if functions or options.get("no_cpython_wrapper") else kept
numba.njit = noted
def tell():
    Path(far + ".new").write_text(f"{sum(1 for one in kernels if one.signatures)} {len(kernels)}")
    os.replace(far + ".new", far)
def tell_on():
    while not ended.wait(0.3):
        tell()
ended = threading.Event()
threading.Thread(target=tell_on, daemon=True).start()
for end in [i for i, letter in enumerate(package) if letter == "."] + [len(package)]:
    sys.modules[package[:end]] = types.ModuleType(package[:end])
    sys.modules[package[:end]].__path__ = []
sys.modules[package].__path__ = [root]
core = lambda name: import_module(f"{package}.core.{name}")
np, kinds = import_module("numpy"), core("types")
corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)])
triangles = np.array([
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
])
impact = kinds.Impact(np.array([1.0, 0.1, 1.2]), np.array([-1.0, 0.0, 0.0]), 10.0, 5.0, 0.0, 0.0)
ground, still, clock = kinds.Ground(0.0), kinds.Clock(24.0, 1), kinds.Clock(24.0, 3)
cube = kinds.Mesh("Cube", corners, triangles)
spike = corners.copy()
spike[7] = -2.0, -2.5, 0.7
place = np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]])
collider = kinds.Collider(kinds.Mesh("Spike", spike - np.array([2.0, 0.0, 0.5]), triangles), *place)
scene = kinds.Scene(cube, (impact,), np.array([0.0, 0.0, -9.81]), ground, still)
material = core("config.material").Material()
partitions, rules = core("pieces").PARTITIONS, list(core("breaking").RULES)
# Each kind of pieces, and each rule; they do not know each other.
for pieces, rule in [(one, rules[0]) for one in partitions] + [(partitions["voronoi"], one) for one in rules[1:]]:
    settings = core("settings").Settings(0, pieces.id, pieces.params(), rule.id, rule.params(), material)
    core("pipeline").shatter(scene, settings)
# The default motion, of a few pieces; another one is compiled when it is first chosen.
few = replace(settings, pieces="voronoi", pieces_params=core("pieces").PARTITIONS["voronoi"].params(count=6))
broken = core("pipeline").shatter(replace(scene, clock=clock, colliders=(collider,)), few)
core("pipeline").shatter(scene, replace(few, surface=core("config.surface").Surface(octaves=1, wavelength=1.0)))
# Few pieces: the lattice solves for them by a factor, which many need in thin walls alone.
lattice = core("breaking").RULES["constraint_lattice"]
core("pipeline").shatter(scene, replace(few, breaking=lattice.id, breaking_params=lattice.params()))
# A few springs that tear, of a kind that touches itself and flows.
springs, elements = (core("continuum").CONTINUA[name] for name in ("spring_lattice", "finite_element"))
soft = springs.params(nodes=60, failure_strain=0.1, self_contact=True, yield_strain=0.05, youngs_modulus=1.0)
core("pipeline").shatter(replace(scene, clock=clock), replace(few, breaking=springs.id, breaking_params=soft))
# A few elements that crack where they are hit.
weak, few_elements = replace(material, tensile=1e-3), elements.params(elements=60, youngs_modulus=10.0)
solid = replace(few, breaking=elements.id, breaking_params=few_elements, material=weak)
core("pipeline").shatter(replace(scene, clock=clock), solid)
# Meshes of an artist's own as a pattern: two boxes.
boxes = [("Box", corners * np.array([0.5, 1.0, 1.0]) + np.array([x, 0.0, 0.0]), triangles) for x in (-0.5, 0.5)]
own, pattern = core("pieces.patterns.own").make_own_pattern(boxes), core("pieces").PARTITIONS["pattern"]
cut = replace(settings, pieces="pattern", pieces_params=pattern.params(kind="own"), own=own)
core("pipeline").shatter(scene, cut)
# What contacts need: a piece as a body of its own, and the paint at a point; the noise of fields of strength.
core("fragments.piece_body").piece_body(broken.fracture.cells[0], np.array([0]), broken.body)
core("strength.fields.perlin").perlin_noise(corners, core("strength.fields.perlin").Texture(), 0)
core("strength.influence").toughness_at(kinds.Influence(toughness=np.ones((12, 3))), broken.body, corners[0])
# Meshes that need every step of the ladder: one point pulled through the cube, the cube without two faces, a remesh.
repair, ladder = core("config.repair").Repair, core("intake.ladder")
for points, faces, choices in (
    (spike, triangles, repair()),
    (corners, triangles[:-1], repair()),
    (corners, triangles[:-2], repair(open="thicken")),
    (np.concatenate([corners, corners + 0.5]), np.concatenate([triangles, triangles + 8]), repair()),
    (corners, triangles, repair(remesh=True, resolution=8)),
):
    ladder.intake(kinds.Mesh("Cube", points, faces), choices)
ended.set()
tell()
Path(stamp).touch()
"""
#: Kernels that only rarely used choices need, as cuts on a grid: they are compiled when these are chosen. Counted; a
#: test holds it.
LATER = 24
#: About how many others there are, and how long one takes to compile [s], before the child tells. The first counted,
#: the second by eye.
KERNELS, SECONDS = 135, 1.0
#: Kernels from which on it is known how long one takes here. By eye.
ENOUGH = 8


def use_cache(folder: str = "") -> None:
    """Tell numba where to keep machine code, in the extension's own folder by default; before numba is imported."""
    if "NUMBA_CACHE_DIR" not in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = folder if _can_be_made(folder) else str(_cache_folder())


_running: list[subprocess.Popen[bytes]] = []
_began = 0.0  # when the child was started [s]


def start() -> subprocess.Popen[bytes]:
    """Start the child process that compiles the kernels."""
    found = importlib.util.find_spec("numba")
    places = [str(Path(place).parent) for place in (found and found.submodule_search_locations) or ()]
    _stamp().parent.mkdir(parents=True, exist_ok=True)
    _far().unlink(missing_ok=True)
    global _began
    _began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, PACKAGE, str(ROOT), str(_stamp()), str(_far()), *places],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    _running.append(child)
    return child


def is_busy() -> bool:
    """Whether a child is at work."""
    return any(child.poll() is None for child in _running)


def how_far() -> tuple[float, float]:
    """The share of the kernels that the child has compiled, 0..1, and about how long it will still take [s]."""
    try:
        done, known = map(int, _far().read_text().split())
    except OSError:  # it has not begun to tell
        done, known = 0, 0
    total = max(known - LATER, KERNELS if done == 0 else done)
    each = (time.monotonic() - _began) / done if done >= ENOUGH else SECONDS
    return min(done / total, 0.99), each * (total - done)


def waiting() -> Iterator[tuple[float, float]]:
    """Yield `how_far` the child is while it works, looked at every now and then; nothing where there is none."""
    far, then = (0.0, 0.0), float("-inf")
    while is_busy():
        time.sleep(PAUSE)
        if time.perf_counter() - then > SHOWN:
            far, then = how_far(), time.perf_counter()
        yield far
    _running.clear()


def _cache_folder() -> Path:
    try:
        return Path(bpy.utils.extension_path_user(PACKAGE, path="cache", create=True))
    except ValueError:  # Brittle was not installed as an extension
        return Path(tempfile.gettempdir()) / "brittle-cache"


def _can_be_made(folder: str) -> bool:
    """Whether there is such a folder by now, in which files can be made; one that was unplugged cannot."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return bool(folder) and os.access(folder, os.W_OK)


def _stamp() -> Path:
    """A file that says that this state of the core was compiled for this Python."""
    from ..core.machine_code import CACHE_FOLDER  # not at the top: numba reads its settings when it is imported

    return CACHE_FOLDER / f"compiled-{platform.python_version()}"


def _far() -> Path:
    """A file in which the child tells how many kernels it has compiled, and how many there are."""
    return _stamp().with_suffix(".progress")


def _show() -> float | None:
    """Let the sidebars show how far it is, as a timer."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            for region in area.regions if area.type == "VIEW_3D" else ():
                if region.type == "UI":
                    region.tag_redraw()
    return SHOWN if is_busy() else None


def register() -> None:
    """Start the compilation in a session with a window, once; other sessions compile when they come to it."""
    if not bpy.app.background and not _stamp().exists():
        start()
        bpy.app.timers.register(_show, first_interval=SHOWN, persistent=True)


def unregister() -> None:
    """Show nothing more; the child ends by itself."""
    if bpy.app.timers.is_registered(_show):
        bpy.app.timers.unregister(_show)
