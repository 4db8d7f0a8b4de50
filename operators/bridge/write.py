"""From the core to Blender: a collection of fragments, one Action that moves them, and the source out of sight."""

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ...core.cells.triangulate import triangulated
from ...core.geometry.mesh import diagonal
from ...core.types import Floats, Ints, Motion
from . import actions, before, keys, names
from .inner import inner_material_of
from .meshes import Packed, pack, slots_of, vertex_weights, write_groups, write_mesh, write_slots
from .restore import collections_of, restore
from .source import SourceAttributes


def write(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    source: SourceAttributes,
    shattered: Any,
    start_frame: int,
    *,
    inner_material: bpy.types.Material | None = None,
    triangles: bool = False,
    reduce_keys: bool = True,
    metadata: Mapping[str, str | int | float | bool] | None = None,
) -> bpy.types.Collection:
    """Write fragments and motion into the scene; what an earlier call made for `obj` is replaced.

    Args:
        context: the view layer whose collections are considered.
        obj: the object that was read.
        source: from `read_scene`.
        shattered: of the pipeline; `body`, `fragments`, `fracture` and `motion` are used.
        start_frame: frame of stored frame 0: from here on the fragments are seen and the object is not.
        inner_material: for the inner faces; None takes the source's where that is clear, else "Brittle Inner".
        triangles: cut all faces into triangles.
        reduce_keys: leave out keys without which nothing changes visibly, see `keys`.
        metadata: seed, version, settings: kept as custom properties `brittle_<key>` of the collection.

    """
    if collections_of(obj) or names.BEFORE in obj:
        restore(obj, keep_diagram=True)
    inner = inner_material or inner_material_of(source)
    action = actions.new_action(f"{_cut(obj.name, 10)} Fragments")
    fragments = triangulated(shattered.fragments) if triangles else shattered.fragments
    data = pack(fragments, shattered.body, source, inner)
    count = len(fragments.mass)
    titles = _titles(obj.name, count)
    slot, *slots = actions.new_slots(action, [obj.name, *titles])
    collection = bpy.data.collections.new(f"{_cut(obj.name, 10)} Fragments")
    objects = _objects(data, shattered.fracture.parent, collection, titles)
    _animate(objects, action, slots, shattered, source, start_frame, context.scene.frame_current, reduce_keys)
    before.hide_source(obj, action, slot, start_frame, context.scene.frame_current)
    collection[names.SOURCE] = obj
    collection[names.ACTION] = action
    for key, value in (metadata or {}).items():
        collection[names.PREFIX + key] = value
    _home(context, obj).children.link(collection)
    return collection


def _objects(data: Packed, parent: Ints, collection: bpy.types.Collection, titles: list[str]) -> list:
    fragments = data.fragments
    weights = vertex_weights(data)
    own_slots = any(slot.link == "OBJECT" for slot in slots_of(data.source))
    mass, parents = fragments.mass.tolist(), parent.tolist()
    objects = []
    for k, title in enumerate(titles):
        obj = bpy.data.objects.new(title, write_mesh(data, k, title))
        obj.rotation_mode = "QUATERNION"
        obj[names.MASS], obj[names.FRAGMENT], obj[names.PARENT] = mass[k], k, parents[k]
        if own_slots:
            write_slots(obj, data)
        if weights:
            write_groups(obj, weights, int(fragments.vertex_start[k]), int(fragments.vertex_start[k + 1]))
        collection.objects.link(obj)
        objects.append(obj)
    return objects


def _animate(
    objects: list,
    action: bpy.types.Action,
    slots: list,
    shattered: Any,
    source: SourceAttributes,
    start_frame: int,
    now: int,
    reduce_keys: bool,
) -> None:
    motion: Motion = shattered.motion
    location = world_locations(motion, source)
    stored = len(motion.time)
    frames = start_frame + np.arange(stored, dtype=np.float32)
    births, deaths = shattered.fracture.birth, np.minimum(shattered.fracture.death, stored)
    values = keys.channels(location, motion.rotation)
    if reduce_keys:
        keyed = keys.needed(values, births, deaths, diagonal(shattered.body.vertices) / source.unit_scale)
    else:
        keyed = np.repeat(keys.lifetimes(births, deaths, stored)[:, None], len(actions.MOTION), axis=1)
    for k, obj in enumerate(objects):
        birth, death = int(births[k]), int(deaths[k])
        bag = actions.assign_slot(obj, action, slots[k])
        actions.write_motion(bag, frames, values[k], keyed[k])
        steps = [(start_frame + birth - 1, True), (start_frame + birth, False)]
        if death < stored:
            steps.append((start_frame + death, True))
        actions.write_visibility(bag, steps)
        # What the curves say at the current frame, so that nothing is wrong until Blender evaluates them.
        row = min(max(now - start_frame, birth), death - 1)
        obj.location = location[k, row]
        obj.rotation_quaternion = motion.rotation[row, k]
        last = death if death < stored else np.inf
        if not birth <= now - start_frame < last:
            obj.hide_viewport = obj.hide_render = True


def world_locations(motion: Motion, source: SourceAttributes) -> Floats:
    """(K,S,3) world positions of the centres of mass in Blender's units."""
    location: Floats = motion.position.transpose(1, 0, 2) / source.unit_scale + source.origin
    return np.ascontiguousarray(location)


def _home(context: bpy.types.Context, obj: bpy.types.Object) -> bpy.types.Collection:
    """The source's first collection that is part of the scene (rigid-body worlds have collections as well)."""
    root = context.scene.collection
    shown = {root, *root.children_recursive}
    return next((item for item in obj.users_collection if item in shown and item.library is None), root)


def _titles(name: str, count: int) -> list[str]:
    """Names for objects and meshes that are free for both, so that they stay equal."""
    width = max(3, len(str(count)))
    taken = {item.name for items in (bpy.data.objects, bpy.data.meshes) for item in items}
    stem = _cut(name, 14 + width)
    for infix in ("", *(f" {i}" for i in range(2, 1000))):
        titles = [f"{stem}{infix} Fragment {k + 1:0{width}d}" for k in range(count)]
        if taken.isdisjoint(titles):
            break
    return titles


def _cut(name: str, room: int) -> str:
    """The name, shortened so that `room` more bytes fit into the 63 that Blender 4.5 allows."""
    return name.encode()[: 63 - room].decode(errors="ignore")
