"""Render the picture of each material for the menu: a body of it as it breaks, into presets/brittle/<file>.png."""

import argparse
import importlib
from pathlib import Path

import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy

import demo_scene

FOLDER = checkout.ROOT / "presets" / "brittle"
#: Edge of a picture [px], samples of each pixel, and the frame after the break that is shown.
EDGE, SAMPLES, FRAME = 96, 64, 9
#: Groups of materials that come as blocks; the others are balls.
BLOCKS = ("Masonry", "Wood")
#: Light of the sky.
SKY = 0.3
#: What clear matter shows: an even sky of this colour, in place of a studio.
CLEAR_SKY = (0.35, 0.5, 0.55, 1.0)


def main() -> None:
    """Render those that the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="names of materials")
    wanted = parser.parse_args().names
    checkout.enable()
    entries = importlib.import_module(f"{checkout.PACKAGE}.operators.preset").entries()
    for entry in entries:
        if not entry.variant_of and (not wanted or entry.name in wanted):
            render(entry)
            print(entry.name, flush=True)
    checkout.disable()


def render(entry) -> None:
    """The picture of one material."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    if entry.group in BLOCKS:
        bpy.ops.mesh.primitive_cube_add(size=1.1, location=(0.0, 0.0, 0.56))
        bpy.context.object.rotation_euler.z = 0.5
    else:
        bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=0.62, location=(0.0, 0.0, 0.62))
        bpy.ops.object.shade_smooth()
    bpy.context.preferences.addons[checkout.PACKAGE].preferences.shaders = True
    bpy.ops.brittle.preset_apply(name=entry.name)
    demo_scene.lights()
    _lighten(bpy.context.object)
    demo_scene.camera((0.0, -3.1, 1.1), (0.0, 0.0, 0.5))
    bpy.context.scene.brittle.frames = FRAME + 1
    bpy.ops.brittle.shatter(seed=3)
    _shoot(FOLDER / f"{entry.path.stem}.png")


def _lighten(obj: bpy.types.Object) -> None:
    """The sky around an object of clear or of opaque matter."""
    tree = bpy.context.scene.world.node_tree
    sky = tree.nodes["Background"].inputs
    sky["Strength"].default_value = SKY
    if obj.material_slots[0].material.diffuse_color[3] < 1.0:
        tree.links.remove(sky["Color"].links[0])
        sky["Color"].default_value, sky["Strength"].default_value = CLEAR_SKY, 1.0


def _shoot(path: Path) -> None:
    scene = bpy.context.scene
    scene.frame_set(scene.frame_current + FRAME)
    scene.render.engine, scene.cycles.samples = "CYCLES", SAMPLES
    scene.render.resolution_x = scene.render.resolution_y = EDGE
    scene.render.film_transparent = True
    scene.render.image_settings.file_format, scene.render.image_settings.color_mode = "PNG", "RGBA"
    scene.render.image_settings.compression = 100
    scene.view_settings.exposure = -0.7
    scene.render.use_stamp = False
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main()
