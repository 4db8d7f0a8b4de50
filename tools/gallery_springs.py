"""Film strips of matter of springs, in build/gallery/springs.png: a teapot falls on its spout and breaks, one hiccups.

After the pictures of Norton, Turk, Bacon, Gerth, Sweeney 1991.
"""

import argparse
import math
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass

import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy
from mathutils import Vector

import contact_sheet
import demo_meshes
import demo_scene
from exhibit import RESULTS, Triple

FPS = 24
SIZE = 0.8  #: [m] of the teapots from handle to spout
FIRM = 0.4  #: modulus of the jelly [MPa], so that walls as thin as these stand
GLAZE, CLAY = (0.30, 0.42, 0.52), (0.62, 0.55, 0.46)


@dataclass(frozen=True, slots=True)
class Strip:
    """A scene in which matter of springs moves, and the frames that are shown."""

    name: str
    make: Callable[[], bpy.types.Object]
    camera: tuple[Triple, Triple]
    shown: tuple[int, ...]


def falling_teapot(preset: str = "Soft Porcelain", height: float = SIZE) -> bpy.types.Object:
    """A teapot that falls on its spout, as one of 20 cm from 20 cm."""
    bpy.ops.brittle.lattice_teapot(size=SIZE)
    teapot = dressed(bpy.context.object)
    teapot.rotation_euler = (0.0, math.radians(60.0), 0.0)
    bpy.context.view_layer.update()
    teapot.location.z += height - min((teapot.matrix_world @ Vector(corner)).z for corner in teapot.bound_box)
    bpy.ops.brittle.preset_apply(name=preset)
    return teapot


def hiccuping_teapot() -> bpy.types.Object:
    """A teapot of jelly that stands, and hiccups."""
    bpy.ops.brittle.lattice_teapot(size=SIZE)
    teapot = dressed(bpy.context.object)
    bpy.ops.brittle.preset_apply(name="Gelatine")
    teapot.brittle.spring_lattice.youngs_modulus = FIRM
    bpy.ops.brittle.control_add(kind="HICCUP")
    return teapot


def dressed(teapot: bpy.types.Object) -> bpy.types.Object:
    """With a glaze, and clay inside."""
    teapot.data.materials.append(demo_scene.matt("Glaze", GLAZE, 0.2))
    teapot.brittle.inner_material = demo_scene.matt("Clay", CLAY, 0.9)
    return teapot


STRIPS = (
    Strip("broken", falling_teapot, ((0.5, -2.5, 0.9), (0.0, 0.0, 0.26)), (11, 13, 14, 16, 19, 24)),
    Strip("hiccup", hiccuping_teapot, ((0.4, -2.2, 0.8), (0.0, 0.0, 0.24)), (12, 14, 16, 17, 19, 22)),
)


def main() -> int:
    """Simulate, render and lay out; 0 when all of it was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="names of strips; all of them without any")
    parser.add_argument("--samples", type=int, default=8, help="samples for each pixel (default %(default)s)")
    arguments = parser.parse_args()
    pictures, captions = [], []
    checkout.enable()
    try:
        for strip in STRIPS:
            if not arguments.only or strip.name in arguments.only:
                moved(strip)
                pictures += rendered(strip, arguments.samples)
                captions += [f"{(frame - 1) / FPS:.2f} s" for frame in strip.shown]
    finally:
        checkout.disable()
    contact_sheet.sheet(pictures, captions, RESULTS / "springs.png", columns=len(STRIPS[0].shown))
    print(RESULTS / "springs.png")
    return 0


def moved(strip: Strip) -> None:
    """What an artist does: set the stage, choose a material, Simulate, in a file that is saved."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    folder = RESULTS / strip.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{strip.name}.blend"))
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, strip.shown[-1]
    scene.frame_set(1)
    demo_meshes.backdrop().data.materials.append(demo_scene.matt("Backdrop", (0.20, 0.21, 0.23), 0.7))
    obj = strip.make()
    demo_scene.lights()
    demo_scene.camera(*strip.camera)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    obj.brittle.breakable.breaks = True
    scene.frame_set(1)
    scene.brittle.frames = strip.shown[-1]
    bpy.ops.brittle.simulate()
    pieces = [item for item in scene.objects if "brittle_fragment" in item]
    print(f"{strip.name}: {obj.brittle.preset}, {len(pieces)} pieces", flush=True)


def rendered(strip: Strip, samples: int) -> list:
    """The pictures of a strip."""
    contact_sheet.prepare(400, 300, samples)
    return contact_sheet.render(strip.shown, RESULTS / strip.name)


if __name__ == "__main__":
    sys.exit(main())
