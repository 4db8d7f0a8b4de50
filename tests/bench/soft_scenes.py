"""Soft matter in Blender, from the click to the written file: `python -m tests.bench.soft_scenes teapot | jelly`.

In a process of its own, under a limit; prints a line of JSON: CPU seconds, the memory beyond what Blender holds before
[MiB], and what came of it. Kernels are loaded before by a click on something small.
"""

import json
import math
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tools import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy
from mathutils import Vector

HEIGHT, FALL = 0.5, 1.0  #: from which the teapot and the jelly fall [m]
TEAPOT_FRAMES, JELLY_FRAMES = 48, 100
JELLY_NODES = 10_000


def teapot() -> Any:
    """The teapot, its spout down, of soft porcelain."""
    bpy.ops.brittle.lattice_teapot()
    obj = bpy.context.object
    obj.rotation_euler = (0.0, math.radians(60.0), 0.0)
    _lift(obj, HEIGHT)
    bpy.ops.brittle.preset_apply(name="Soft Porcelain")
    _last(TEAPOT_FRAMES)
    return obj


def jelly() -> Any:
    """Suzanne of jelly, of ten thousand nodes."""
    bpy.ops.mesh.primitive_monkey_add(size=2.0)
    obj = bpy.context.object
    _lift(obj, FALL)
    bpy.ops.brittle.preset_apply(name="Gelatine")
    obj.brittle.spring_lattice.nodes = JELLY_NODES
    _last(JELLY_FRAMES)
    return obj


def _lift(obj: Any, height: float) -> None:
    """Put an object so far above the ground."""
    bpy.context.view_layer.update()
    obj.location.z += height - min((obj.matrix_world @ Vector(corner)).z for corner in obj.bound_box)


def _last(frame: int) -> None:
    """Simulate to this frame, and not until all is at rest."""
    bpy.context.scene.frame_end = bpy.context.scene.brittle.frames = frame


def main(name: str) -> None:
    """Load kernels, make the scene in a new file that is saved, click, and tell."""
    checkout.enable()
    with tempfile.TemporaryDirectory() as folder:
        for work in (_small, {"teapot": teapot, "jelly": jelly}[name]):
            bpy.ops.wm.read_homefile(use_factory_startup=True)
            bpy.data.objects.remove(bpy.data.objects["Cube"])
            bpy.ops.wm.save_as_mainfile(filepath=str(Path(folder) / "scene.blend"))
            obj = work()
            obj.brittle.breakable.breaks = True
            before, begin = _peak(), time.process_time()
            bpy.ops.brittle.simulate()
            spent = time.process_time() - begin
        written = bpy.data.collections[f"{obj.name} Fragments"]
        pieces = json.loads(written["brittle_report"])["pieces"]
        print(json.dumps({"cpu_s": spent, "peak_mib": _peak() - before, "pieces": pieces}))
        sys.stdout.flush()
    os._exit(0)  # Blender's module may hang at exit


def _small() -> Any:
    """A slab that breaks on the ground: all kernels of springs and of its pieces."""
    bpy.ops.brittle.lattice_slab()
    obj = bpy.context.object
    obj.location.z = HEIGHT
    bpy.ops.brittle.preset_apply(name="Soft Porcelain")
    _last(12)
    return obj


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(sys.argv[1])
