"""The second stage of `make demo`, whole until hit: a ball flies through a brick wall, and a vase falls on the floor.

Nothing has an impact: wall and vase are marked as what breaks on contact, the ball is a collider that keys lead.
"""

import importlib
import json
import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy

import contact_sheet
import demo_meshes
import demo_scene
import shaders

FPS = 24
LAST_FRAME = 72
WALL = (2.0, 0.125, 1.5)  #: [m], eighteen courses of eight bricks
BRICK = (WALL[0] / 8, WALL[2] / 18)  #: length and height with joints [m]
BRICK_COLOURS = (0.36, 0.11, 0.06), (0.48, 0.17, 0.10)
MORTAR = (0.42, 0.40, 0.37)
BRICKS = 153  #: half ones at the ends included
REACH = 0.58  #: of a blow at the threshold, in tenths of the wall's size
RADIUS = 0.18  #: of the ball [m]
#: The ball's way: where it is at which frame [m]; from one to the next it goes straight on.
WAY = {1: (0.72, 2.6, 1.0), 41: (-1.72, -5.8, 0.88)}
DROP = 1.1  #: height from which the vase falls [m]
STAND = (3.2, 0.0)  #: above which place of the floor [m]
#: Half a section through the vase in metres, see `demo_meshes.revolved`.
VASE = (
    *((0.0, 0.0), (0.082, 0.0), (0.092, 0.009), (0.098, 0.030), (0.137, 0.112), (0.167, 0.202), (0.176, 0.277)),
    *((0.164, 0.360), (0.128, 0.435), (0.092, 0.487), (0.080, 0.532), (0.089, 0.577), (0.116, 0.618), (0.113, 0.627)),
    *((0.101, 0.621), (0.075, 0.582), (0.066, 0.532), (0.077, 0.480), (0.113, 0.427), (0.147, 0.354), (0.160, 0.277)),
    *((0.151, 0.206), (0.121, 0.118), (0.083, 0.044), (0.047, 0.026), (0.0, 0.022)),
)


@dataclass(frozen=True, slots=True)
class View:
    """Where the camera stands, what it looks at, and the frames that are shown."""

    camera: tuple[demo_scene.Triple, demo_scene.Triple]
    frames: tuple[int, ...]


VIEWS = {
    "wall": View(((2.3, -3.8, 1.75), (-0.08, 0.1, 0.60)), (1, 12, 17, LAST_FRAME)),
    "vase": View(((3.5, -2.8, 1.25), (3.2, -0.1, 0.32)), (11, 13, 17, LAST_FRAME)),
}


def build() -> list[bpy.types.Object]:
    """An empty file filled with the whole stage; gives what may break."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, LAST_FRAME
    demo_meshes.backdrop().data.materials.append(demo_scene.matt("Backdrop", (0.20, 0.21, 0.23), 0.7))
    objects = [_wall(), _vase()]
    _ball()
    demo_scene.lights()
    scene.frame_set(1)
    return objects


def _wall() -> bpy.types.Object:
    wall = demo_meshes.masonry("Wall", WALL)
    wall.location.y = 0.5
    wall.data.materials.append(shaders.masonry("Bricks", BRICK_COLOURS, MORTAR, *BRICK))
    wall.brittle.inner_material = shaders.mottled("Mortar", (0.30, 0.13, 0.09), MORTAR, 0.06, 0.9, 0.01, 0.001)
    breaks(wall, "Brick Wall", speed=3.0)
    wall.brittle.bricks.count = BRICKS
    wall.brittle.breaking = "placed_pattern"
    wall.brittle.placed_pattern.reach = REACH
    wall.brittle.breakable.stands = True
    return wall


def _vase() -> bpy.types.Object:
    vase = demo_meshes.revolved("Vase", VASE, 40)
    vase.location = (*STAND, DROP)
    vase.rotation_euler = (math.radians(20.0), math.radians(-14.0), 0.0)
    vase.data.materials.append(demo_scene.matt("Glaze", (0.05, 0.16, 0.30), 0.12))
    vase.brittle.inner_material = demo_scene.matt("Earthenware", (0.52, 0.40, 0.30), 0.9)
    breaks(vase, "Clay", speed=2.0)
    return vase


def breaks(obj: bpy.types.Object, preset: str, speed: float) -> None:
    """What an artist does: choose a material, switch on Breaks on Contact, say from which speed on, and how much."""
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.ops.brittle.preset_apply(name=preset)
    obj.brittle.breakable.breaks = True
    obj.brittle.breakable.strength = 1.0
    obj.brittle.breakable.speed = speed


def _ball() -> bpy.types.Object:
    bpy.ops.mesh.primitive_uv_sphere_add(segments=40, ring_count=20, radius=RADIUS)
    ball = demo_meshes.smooth(bpy.context.object)
    ball.name = "Ball"
    ball.data.materials.append(demo_scene.matt("Iron", (0.05, 0.05, 0.055), 0.35))
    for frame, place in WAY.items():
        ball.location = place
        ball.keyframe_insert("location", frame=frame)
    animation = ball.animation_data
    for curve in animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    demo_scene.collider(ball)
    return ball


def simulate(objects: Sequence[bpy.types.Object]) -> dict[str, dict[str, object]]:
    """What an artist does: click Simulate. Gives the reports."""
    started = time.perf_counter()
    bpy.ops.brittle.simulate()
    print(f"{', '.join(obj.name for obj in objects)}: {time.perf_counter() - started:.1f} s", flush=True)
    report_of = importlib.import_module(f"{checkout.PACKAGE}.operators.targets").report_of
    return {obj.name: {"preset": obj.brittle.preset, **json.loads(report_of(obj))} for obj in objects}


def sheet(path: Path, samples: int) -> None:
    """Render what happens to each of the two, and lay it out in a row for each."""
    contact_sheet.prepare(432, 324, samples)
    pictures, captions = [], []
    for name, view in VIEWS.items():
        frames = path.parent / f"frames_{name}"
        shutil.rmtree(frames, ignore_errors=True)
        frames.mkdir()
        demo_scene.camera(*view.camera)
        pictures += contact_sheet.render(view.frames, frames)
        captions += [f"{(frame - 1) / FPS:.2f} s" for frame in view.frames]
    contact_sheet.sheet(pictures, captions, path, columns=len(VIEWS["wall"].frames))
