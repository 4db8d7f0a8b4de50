"""One panel of the gallery: an object is broken with every piece of its pattern, pulled apart, and rendered."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import checkout

# isort: split
# Blender's module comes after it, see there.
import bpy
import numpy as np
from mathutils import Quaternion, Vector

import contact_sheet
import demo_meshes
import demo_scene

RESULTS = checkout.ROOT / "build" / "gallery"
Triple = tuple[float, float, float]
Matter = Callable[[], bpy.types.Material]


@dataclass(frozen=True, slots=True)
class Burst:
    """Pieces fly away from a place near the hit, the near ones further, and turn."""

    origin: Triple  #: as shares of the object's box
    far: float  #: [m] move of the farthest pieces
    near: float  #: [m] more than that at the origin
    reach: float  #: [m] at which this is 1/e
    turn: float = 0.3  #: [rad] at the origin
    lift: float = 1.0  #: factor on moves upwards


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What is broken, what it is made of outside and inside, where it is hit, and how far its pieces are pulled."""

    caption: str
    preset: str
    mesh: Callable[[], bpy.types.Object]
    outside: Triple | Matter
    inside: Triple | Matter
    hit: Triple = (0.4, 0.0, 0.6)  #: as shares of the object's box
    direction: Triple = (0.1, 1.0, -0.1)
    count: int | None = None  #: None leaves the preset's own
    pieces: Mapping[str, object] = field(default_factory=dict)  #: choices of the kind of pieces beside the preset's
    breaking: Mapping[str, object] = field(default_factory=dict)  #: choices of the rule beside the preset's
    apart: Triple = (0.12, 0.12, 0.12)
    repair: Mapping[str, object] = field(default_factory=dict)  #: choices of the object, see core/config/repair.py
    camera: tuple[Triple, Triple] = ((0.9, -3.1, 1.35), (0.0, 0.0, 0.52))  #: where it stands, what it looks at
    strength: float = 1e9  #: harder than anything holds
    burst: Burst | None = None  #: pulls the pieces away from the hit instead
    frame: int = 0  #: after this many frames of motion; 0 shows the pieces pulled apart
    speed: float = 5.0  #: of the blow [m/s]
    seed: int | None = None  #: None leaves that of the sheet
    side: Triple | None = None  #: shows only pieces on this side of the middle, unmoved: their broken faces


def panel(exhibit: Exhibit, samples: int, seed: int) -> Path:
    """Break, open, render: the path of the picture."""
    obj = stage(exhibit)
    seed = seed if exhibit.seed is None else exhibit.seed
    fragments = broken(obj, exhibit, seed)
    print(f"{exhibit.caption}: {exhibit.preset}, {len(fragments)} pieces", flush=True)
    if exhibit.side is not None:
        keep(obj, fragments, Vector(exhibit.side))
    elif exhibit.frame:
        bpy.context.scene.frame_set(bpy.context.scene.frame_current + exhibit.frame)
    elif exhibit.burst is not None:
        fling(obj, fragments, exhibit.burst, seed)
    else:
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
    obj.data.materials.append(material("Outside", exhibit.outside, 0.5))
    obj.brittle.inner_material = material("Inside", exhibit.inside, 0.9)
    demo_scene.lights()
    demo_scene.camera(*exhibit.camera)
    for name, value in exhibit.repair.items():
        setattr(obj.brittle.repair, name, value)
    bpy.context.view_layer.update()
    return obj


def material(name: str, look: Triple | Matter, roughness: float) -> bpy.types.Material:
    """A material of one colour, or the one that is made."""
    return look() if callable(look) else demo_scene.matt(name, look, roughness)


def place_in(obj: bpy.types.Object, share: Triple) -> Vector:
    """A place by its shares of the object's box."""
    corners = [obj.matrix_world @ Vector(corner) for corner in obj.bound_box]
    low = [min(corner[k] for corner in corners) for k in range(3)]
    high = [max(corner[k] for corner in corners) for k in range(3)]
    return Vector(a + part * (b - a) for a, b, part in zip(low, high, share, strict=True))


def broken(obj: bpy.types.Object, exhibit: Exhibit, seed: int) -> list[bpy.types.Object]:
    """The pieces after one blow: all of the pattern, unless its strength says otherwise."""
    bpy.ops.object.select_all(action="DESELECT")
    place = place_in(obj, exhibit.hit)
    bpy.ops.brittle.impact_add(location=place, direction=exhibit.direction, size=0.3, owner=obj.name)
    empty = bpy.context.selected_objects[-1]
    empty.brittle_impact.strength, empty.brittle_impact.speed = exhibit.strength, exhibit.speed
    empty.select_set(False)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.scene.brittle.frames = 2 + exhibit.frame
    bpy.ops.brittle.preset_apply(name=exhibit.preset)
    for name, value in exhibit.pieces.items():
        setattr(getattr(obj.brittle, obj.brittle.pieces), name, value)
    for name, value in exhibit.breaking.items():
        setattr(getattr(obj.brittle, obj.brittle.breaking), name, value)
    bpy.ops.brittle.shatter(seed=seed, **({} if exhibit.count is None else {"count": exhibit.count}))
    return [item for item in bpy.context.scene.objects if "brittle_fragment" in item]


def pull(obj: bpy.types.Object, fragments: list[bpy.types.Object], apart: Triple) -> None:
    """Move the pieces away from the middle of the object, as in an exploded drawing."""
    middle = place_in(obj, (0.5, 0.5, 0.5))
    for item in fragments:
        release(item)
        item.location += Vector(apart) * (item.location - middle)
    rest(fragments)


def keep(obj: bpy.types.Object, fragments: list[bpy.types.Object], side: Vector) -> None:
    """Leave the pieces on one side of the middle of the object where they are, without the others."""
    middle = place_in(obj, (0.5, 0.5, 0.5))
    for item in fragments:
        release(item)
        item.hide_render = item.hide_viewport = (item.location - middle).dot(side) < 0.0


def fling(obj: bpy.types.Object, fragments: list[bpy.types.Object], burst: Burst, seed: int) -> None:
    """Move and turn the pieces away from a place near the hit, less and less with the distance from it."""
    origin, random = place_in(obj, burst.origin), np.random.default_rng(seed)
    for item in fragments:
        release(item)
        way = item.location - origin
        near = math.exp(-way.length / burst.reach)
        move = (burst.far + burst.near * near) * way.normalized()
        item.location += move * Vector((1.0, 1.0, burst.lift if move.z > 0.0 else 1.0))
        axis = Vector(random.normal(size=3)).normalized()
        turned = Quaternion(axis, burst.turn * near * random.uniform(0.3, 1.0))
        item.rotation_mode = "QUATERNION"
        item.rotation_quaternion = turned @ item.rotation_quaternion
    bpy.context.view_layer.update()
    for item in fragments:
        lowest = min((item.matrix_world @ Vector(corner)).z for corner in item.bound_box)
        item.location.z -= min(lowest, 0.0)


def release(item: bpy.types.Object) -> None:
    """Take a piece out of its motion, where it was before the hit."""
    item.animation_data_clear()
    item.hide_render = item.hide_viewport = False


def rest(fragments: list[bpy.types.Object]) -> None:
    """Lift all pieces together until none is below the ground."""
    lowest = min((item.matrix_world @ Vector(corner)).z for item in fragments for corner in item.bound_box)
    for item in fragments:
        item.location.z -= min(lowest, 0.0)
