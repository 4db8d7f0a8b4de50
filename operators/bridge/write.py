"""From the core to Blender: a collection of fragments, one Action that moves them, and the source out of sight."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...core.arithmetic.small_matrices import rotation_matrices
from ...core.fragments.triangulate import triangulated
from ...core.geometry.mesh import diagonal
from ...core.stepwise import result_of, scale_steps
from ...core.types import Floats, Fracture, Ints, Motion, Progress
from ..aside import Aside
from . import actions, awake, before, diagram, keys, names, sizes
from .changes import Changes, part_of
from .homes import settle
from .inner import inner_material_of
from .looks import copy_properties, read_looks, wear
from .measures import generations
from .meshes import (
    FragmentMaterials,
    PackedMeshes,
    fragment_materials,
    pack,
    slots_of,
    vertex_weights,
    write_groups,
    write_mesh,
    write_slots,
)
from .restore import changed_root, clear_steps
from .root import hang, make_root
from .source import SourceAttributes
from .vertex_tracks import Forms, forms_of, write_forms
from .whole import Whole, close_poses, first_fragment, read_whole, whole_object

#: What a job says that writes.
WRITING = "Writing"
#: Shares of the writing of an object after which its arrays, its meshes, and the curves that move it are there. By eye:
#: so the bar moves about evenly.
PACKED, MADE, KEYED = 0.2, 0.6, 0.8


@dataclass(frozen=True, eq=False, slots=True)
class _Arrays:
    """All that is written, in Blender's units."""

    meshes: PackedMeshes
    weights: tuple  #: as of `vertex_weights`
    size: float  #: of the object
    location: Floats  #: as of `world_locations`
    values: np.ndarray  #: as of `_keys`
    keyed: np.ndarray


def write(*what: Any, **how: Any) -> bpy.types.Collection:
    """`write_steps`, run to its end at once."""
    return result_of(write_steps(*what, **how))


def write_steps(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    source: SourceAttributes,
    shattered: Any,
    start_frame: int,
    *,
    changes: Changes | None = None,
    inner_material: bpy.types.Material | None = None,
    triangles: bool = False,
    reduce_keys: bool = True,
    metadata: Mapping[str, str | int | float | bool] | None = None,
    whole: bool = False,
    until: int = 0,
    beside: bool = False,
    forms: Forms | None = None,
) -> Generator[Progress, None, bpy.types.Collection]:
    """Write fragments and motion into the scene, piece by piece; what an earlier call made for `obj` is replaced.

    Closed before its end it takes back what it has written. Nothing of it is in the scene before the end, but that the
    object is shown. The fragments hang on an empty, see `root`: one that an artist has moved since an earlier call
    stays as it is.

    Args:
        context: the view layer whose collections are considered.
        obj: the object that was read.
        source: from `read_scene`.
        shattered: of the pipeline; `body`, `fragments`, `fracture`, `motion` and `tracks` are used.
        start_frame: frame of stored frame 0: from here on the fragments are seen and the object is not.
        changes: what this is a part of: taken back with it, should anything fail; earlier fragments go when it ends.
        inner_material: for the inner faces; None takes the source's where that is clear, else "Brittle Inner".
        triangles: cut all faces into triangles.
        reduce_keys: leave out keys without which nothing changes visibly, see `keys`.
        metadata: seed, version, settings: kept as custom properties `brittle_<key>` of the collection.
        whole: show the untouched mesh in place of the fragment that is all of the object, until that breaks; see
            `whole`. Where the object begins in several parts, these are shown as they were cut.
        until: stored frame until which the object itself is seen, as its animation deforms it; the number of frames
            where it never broke: then nothing of it changes.
        forms: of the fragments that deform, see `vertex_tracks`; None keeps them as shape keys.
        beside: whether arrays are made in a thread while this waits, see `aside`.

    """
    with part_of(changes) as held:
        held.finish_by(diagram.move_old)
        kept = changed_root(obj)
        yield from scale_steps(clear_steps(obj, held, kept), 0.0, 0.0)
        collection = _new_collection(obj, metadata or {}, kept)
        if until == len(shattered.motion.time):
            settle(context, obj, collection)
            return collection
        if forms is None:
            forms = forms_of(shattered, source, left_over(shattered.fracture.birth, shattered.motion, source))
        shows = whole and until == 0 and first_fragment(shattered.fracture) not in forms.of
        unbroken = read_whole(context, obj, source, shattered.fracture, start_frame) if shows else None
        inner = inner_material or inner_material_of(source)
        action = actions.new_action(f"{_cut(obj.name, 10)} Fragments")
        worn = fragment_materials(shattered.body, source, inner, held)
        arrays = _arrays(shattered, source, worn, triangles, reduce_keys)
        made_of = yield from scale_steps(Aside(beside).waiting_for(arrays, free=False), 0.0, PACKED)
        data, count = made_of.meshes, len(made_of.meshes.fragments.mass)
        titles = _titles(obj, count, -1 if unbroken is None else unbroken.row)
        slot, *slots = actions.new_slots(action, [obj.name, *titles])
        made = {} if unbroken is None else {unbroken.row: whole_object(unbroken, data, titles[unbroken.row])}
        making = _objects(obj, made_of, shattered.fracture, collection, titles, made)
        objects = yield from scale_steps(making, PACKED, MADE)
        if (root := kept) is None:
            root = make_root(f"{_cut(obj.name, 14)} Fragments", obj, source.pivot, made_of.size)
            collection.objects.link(root)
        hang(objects, root)
        keying = _animate(context.scene, objects, action, slots, shattered, made_of, start_frame, reduce_keys, unbroken)
        yield from scale_steps(keying, MADE, KEYED if forms.of else 1.0)
        yield from scale_steps(write_forms(context.scene, objects, action, forms, start_frame), KEYED, 1.0)
        keeper = collection if obj.override_library is not None else obj
        before.hide_source(context.scene, obj, keeper, action, slot, start_frame + until)
        held.undo_by(lambda: awake.let_sleep(objects))
        awake.keep_awake(context.scene, obj, objects)
        collection[names.ACTION] = action
        settle(context, obj, collection)
        return collection


def _new_collection(
    obj: bpy.types.Object, metadata: Mapping[str, str | int | float | bool], root: bpy.types.Object | None
) -> bpy.types.Collection:
    """A collection for the fragments of an object, with the empty that stays; it is in no scene yet."""
    collection = bpy.data.collections.new(f"{_cut(obj.name, 10)} Fragments")
    collection[names.SOURCE] = obj
    for key, value in metadata.items():
        collection[names.PREFIX + key] = value
    if root is not None:
        collection.objects.link(root)
    return collection


def _arrays(
    shattered: Any, source: SourceAttributes, worn: FragmentMaterials, triangles: bool, reduce_keys: bool
) -> Generator[Progress, None, _Arrays]:
    """The arrays of an object; nothing of Blender is touched."""
    motion: Motion = shattered.motion
    size = diagonal(shattered.body.vertices) / source.unit_scale
    births, deaths = shattered.fracture.birth, np.minimum(shattered.fracture.death, len(motion.time))
    location = world_locations(motion, source)
    yield Progress(0.0, WRITING)
    values, keyed = _keys(location, motion.rotation, births, deaths, size, reduce_keys)
    yield Progress(0.1, WRITING)
    fragments = triangulated(shattered.fragments) if triangles else shattered.fragments
    yield Progress(0.2, WRITING)
    data = pack(fragments, shattered.body, source, worn, left_over(births, motion, source))
    yield Progress(0.9, WRITING)
    return _Arrays(data, vertex_weights(data), size, location, values, keyed)


def _objects(
    source: bpy.types.Object,
    made_of: _Arrays,
    fracture: Fracture,
    collection: bpy.types.Collection,
    titles: list[str],
    made: dict[int, bpy.types.Object],
) -> Generator[Progress, None, list[bpy.types.Object]]:
    """The object of each fragment, which looks as the source does: of some they are `made` already, by number."""
    looks, data, weights = read_looks(source), made_of.meshes, made_of.weights
    fragments = data.fragments
    own_slots = any(slot.link == "OBJECT" for slot in slots_of(data.source))
    mass, parents, generation = fragments.mass.tolist(), fracture.parent.tolist(), generations(fracture, source)
    objects = []
    for k, title in enumerate(titles):
        obj = made.get(k)
        if obj is None:
            obj = bpy.data.objects.new(title, write_mesh(data, k, title))
            if own_slots:
                write_slots(obj, data)
            if weights:
                write_groups(obj, weights, int(fragments.vertex_start[k]), int(fragments.vertex_start[k + 1]))
        wear(obj, looks)
        copy_properties(obj, source)
        copy_properties(obj.data, source.data)
        obj.rotation_mode = "QUATERNION"
        obj[names.MASS], obj[names.FRAGMENT], obj[names.PARENT] = mass[k], k, parents[k]
        obj[names.GENERATION] = generation[k]
        collection.objects.link(obj)
        objects.append(obj)
        yield Progress((k + 1) / len(titles), WRITING)
    return objects


def _animate(
    scene: bpy.types.Scene,
    objects: list,
    action: bpy.types.Action,
    slots: list,
    shattered: Any,
    made_of: _Arrays,
    start_frame: int,
    reduce_keys: bool,
    unbroken: Whole | None,
) -> Generator[Progress, None, None]:
    motion: Motion = shattered.motion
    location, size, stored = made_of.location, made_of.size, len(motion.time)
    frames = actions.on_curves(scene, start_frame + np.arange(stored))
    births, deaths = shattered.fracture.birth, np.minimum(shattered.fracture.death, stored)
    for k, obj in enumerate(objects):
        birth, death = int(births[k]), int(deaths[k])
        bag = actions.assign_slot(obj, action, slots[k])
        # What the curves say at the current frame, so that nothing is wrong until Blender evaluates them.
        row = min(max(scene.frame_current - start_frame, birth), death - 1)
        if unbroken is not None and k == unbroken.row:
            steps, places, turns = close_poses(unbroken, location[k], motion, death)
            life = np.array([0]), np.array([len(places)])
            close, marked = _keys(places[None], turns[:, None], *life, size, reduce_keys)
            at = actions.on_curves(scene, start_frame + np.arange(len(places)) / steps)
            actions.write_motion(bag, at, close[0], marked[0])
            obj.location, obj.rotation_quaternion = places[row * steps], turns[row * steps]
        else:
            actions.write_motion(bag, frames, made_of.values[k], made_of.keyed[k])
            obj.location, obj.rotation_quaternion = location[k, row], motion.rotation[row, k]
        _show(scene, obj, bag, start_frame + birth, start_frame + death if death < stored else None)
        yield Progress((k + 1) / len(objects), WRITING)


def _keys(
    location: Floats, rotation: Floats, births: Ints, deaths: Ints, size: float, reduce_keys: bool
) -> tuple[np.ndarray, np.ndarray]:
    """(K,7,S) values of the curves, and which of them have keys; see `keys`."""
    values = keys.channels(location, rotation)
    if reduce_keys:
        return values, keys.needed(values, births, deaths, size)
    alive = keys.lifetimes(births, deaths, values.shape[2])
    return values, np.repeat(alive[:, None], len(actions.MOTION), axis=1)


def _show(
    scene: bpy.types.Scene, obj: bpy.types.Object, bag: bpy.types.ActionChannelbag, first: int, end: int | None
) -> None:
    """Let an object be seen from frame `first` to before `end`, or for good."""
    steps = [(first - 1, True), (first, False)]
    if end is not None:
        steps.append((end, True))
    at = actions.on_curves(scene, [frame for frame, _ in steps]).tolist()
    actions.write_visibility(bag, [(place, hidden) for place, (_, hidden) in zip(at, steps, strict=True)])
    at[1] -= sizes.EARLY * (at[1] - at[0])
    tiny = [(place, hidden) for place, (_, hidden) in zip(at, steps, strict=True)]
    sizes.write_sizes(bag, sizes.SCALE, obj.scale, tiny)
    if not first <= scene.frame_current < (np.inf if end is None else end):
        obj.hide_viewport = obj.hide_render = True
        obj.scale = sizes.TINY * obj.scale


def world_locations(motion: Motion, source: SourceAttributes) -> Floats:
    """(K,S,3) world positions of the centres of mass in Blender's units."""
    location: Floats = motion.position.transpose(1, 0, 2) / source.unit_scale + source.origin
    return np.ascontiguousarray(location)


def left_over(births: Ints, motion: Motion, source: SourceAttributes) -> Floats:
    """(K,3) by what 32 bits miss the place of each piece at its birth, in the piece's own axes and Blender's units.

    Its points take it up: far from the world's origin, where locations are coarse, pieces lie where the object lay.
    """
    row = np.arange(len(births))
    exact = motion.position[births, row] / source.unit_scale + source.origin
    missed = exact - exact.astype(np.float32)
    back = rotation_matrices(motion.rotation[births, row]).transpose(0, 2, 1)
    return (back * missed[:, None, :]).sum(axis=2)


def _titles(obj: bpy.types.Object, count: int, whole: int) -> list[str]:
    """Names for objects and meshes that are free for both, so that they stay equal; `whole` is what is not broken.

    Those of a piece that is broken further tell its generations: "Vase Fragment 012-03".
    """
    word, least = ("-", 2) if names.FRAGMENT in obj else (" Fragment ", 3)
    width = max(least, len(str(count)))
    taken = {item.name for items in (bpy.data.objects, bpy.data.meshes) for item in items}
    stem = _cut(obj.name, 14 + width)
    for infix in ("", *(f" {i}" for i in range(2, 1000))):
        titles = [f"{stem}{infix}{word}{k + 1:0{width}d}" for k in range(count)]
        if whole >= 0:
            titles[whole] = f"{stem}{infix} Whole"
        if taken.isdisjoint(titles):
            break
    return titles


def _cut(name: str, room: int) -> str:
    """The name, shortened so that `room` more bytes fit into the 63 that Blender 4.5 allows."""
    return name.encode()[: 63 - room].decode(errors="ignore")
