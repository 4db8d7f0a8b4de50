"""One panel of the gallery: an object is broken with every piece of its pattern, pulled apart, and rendered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy
from mathutils import Vector

import contact_sheet
import demo_meshes
import demo_scene

RESULTS = checkout.ROOT / "build" / "gallery"
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What is broken, what it is made of outside and inside, where it is hit, and how far its pieces are pulled."""

    caption: str
    preset: str
    mesh: Callable[[], bpy.types.Object]
    outside: Triple
    inside: Triple
    hit: Triple = (0.4, 0.0, 0.6)  #: as shares of the object's box
    direction: Triple = (0.1, 1.0, -0.1)
    count: int | None = None  #: None leaves the preset's own
    apart: Triple = (0.12, 0.12, 0.12)
    repair: Mapping[str, object] = field(default_factory=dict)  #: choices of the object, see core/repair.py


def panel(exhibit: Exhibit, samples: int, seed: int) -> Path:
    """Break, pull apart, render: the path of the picture."""
    obj = stage(exhibit)
    fragments = broken(obj, exhibit, seed)
    print(f"{exhibit.caption}: {exhibit.preset}, {len(fragments)} pieces", flush=True)
    pull(obj, fragments, exhibit.apart)
    contact_sheet.prepare(samples=samples)
    path = RESULTS / f"{exhibit.caption.split(':')[0].lower().replace(', ', '_').replace(' ', '_')}.png"
    bpy.context.scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return path


def stage(exhibit: Exhibit) -> bpy.types.Object:
    """An empty file with light, camera and the object."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    demo_meshes.backdrop().data.materials.append(demo_scene.matt("Backdrop", (0.20, 0.21, 0.23), 0.7))
    obj = exhibit.mesh()
    obj.data.materials.append(demo_scene.matt("Outside", exhibit.outside, 0.5))
    obj.brittle.inner_material = demo_scene.matt("Inside", exhibit.inside, 0.9)
    demo_scene.lights()
    demo_scene.camera((0.9, -3.1, 1.35), (0.0, 0.0, 0.52))
    for name, value in exhibit.repair.items():
        setattr(obj.brittle.repair, name, value)
    bpy.context.view_layer.update()
    return obj


def broken(obj: bpy.types.Object, exhibit: Exhibit, seed: int) -> list[bpy.types.Object]:
    """All pieces of the pattern: the blow is harder than anything holds."""
    corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
    low = [min(corner[k] for corner in corners) for k in range(3)]
    high = [max(corner[k] for corner in corners) for k in range(3)]
    place = [a + share * (b - a) for a, b, share in zip(low, high, exhibit.hit, strict=True)]
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.brittle.impact_add(location=place, direction=exhibit.direction, size=0.3)
    empty = bpy.context.selected_objects[-1]
    empty.brittle_impact.strength = 1e9
    empty.select_set(False)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.scene.brittle.frames = 2
    bpy.ops.brittle.shatter(
        preset=exhibit.preset, seed=seed, **({} if exhibit.count is None else {"count": exhibit.count})
    )
    return [item for item in bpy.context.scene.objects if "brittle_fragment" in item]


def pull(obj: bpy.types.Object, fragments: list[bpy.types.Object], apart: Triple) -> None:
    """Move the pieces away from the middle of the object, as in an exploded drawing."""
    middle = sum((obj.matrix_world @ Vector(corner) for corner in obj.bound_box), Vector()) / 8.0
    for item in fragments:
        item.animation_data_clear()
        item.hide_render = item.hide_viewport = False
        item.location += Vector(apart) * (item.location - middle)
    lowest = min((item.matrix_world @ Vector(corner)).z for item in fragments for corner in item.bound_box)
    for item in fragments:
        item.location.z -= min(lowest, 0.0)
