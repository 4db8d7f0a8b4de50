"""Actions: every difference between Blender 4.5, 5.0 and later ones, and keys written in bulk.

An Action has slots; each slot's curves lie in a channelbag of the one layer and strip that Brittle makes. Nothing
here needs `action.fcurves`, which Blender 5.0 removed.
"""

import hashlib
from collections.abc import Collection
from functools import lru_cache

import bpy
import numpy as np

#: Numbers by which `foreach_set` knows interpolation.
CONSTANT, LINEAR = 0, 1

#: Parts of a key: their width and type.
KEY: dict[str, tuple[int, type]] = {
    "co": (2, np.float32),
    "handle_left": (2, np.float32),
    "handle_right": (2, np.float32),
    "handle_left_type": (1, np.int32),
    "handle_right_type": (1, np.int32),
    "interpolation": (1, np.int32),
}

HIDE = ("hide_viewport", "hide_render")
#: Path and index of the curves that move a piece.
MOTION = (*(("location", i) for i in range(3)), *(("rotation_quaternion", i) for i in range(4)))


def on_curves(scene: bpy.types.Scene, frame: np.ndarray | float) -> np.ndarray:
    """Where on curves frames of the playhead lie, float32: Time Stretching leads one slower than the other.

    The product is that of Blender's own 32 bits, so that a key counts from the very frame for which it is made.
    """
    render = scene.render
    stretch = np.float32(render.frame_map_old) / np.float32(render.frame_map_new)
    return np.asarray(np.asarray(frame, np.float32) * stretch, np.float32)


def new_action(name: str) -> bpy.types.Action:
    """An empty Action with one layer and one strip of keys."""
    action = bpy.data.actions.new(name)
    action.layers.new("Layer").strips.new(type="KEYFRAME")
    return action


def new_slots(action: bpy.types.Action, titles: list[str], id_type: str = "OBJECT") -> list[bpy.types.ActionSlot]:
    """Slots for objects, or other blocks, of these names.

    Blender compares the name of each new slot with all others. Slots made in one go lie side by side in memory, which
    makes that several times faster for a thousand of them than between keys and meshes.
    """
    return [action.slots.new(id_type=id_type, name=title) for title in titles]


def assign_slot(
    obj: bpy.types.Object | bpy.types.Key, action: bpy.types.Action, slot: bpy.types.ActionSlot
) -> bpy.types.ActionChannelbag:
    """Let the object, or the shape keys of its mesh, follow a slot of the Action; returns where its curves go."""
    animation = obj.animation_data_create()
    animation.action = action
    animation.action_slot = slot
    return action.layers[0].strips[0].channelbag(slot, ensure=True)


def followed_bag(obj: bpy.types.Object) -> bpy.types.ActionChannelbag | None:
    """Where the curves lie that an object follows by its Action and slot; None where there are none."""
    animation = obj.animation_data
    if animation is None or animation.action is None or animation.action_slot is None:
        return None
    return bag_of(animation.action, animation.action_slot)


def bag_of(action: bpy.types.Action, slot: bpy.types.ActionSlot) -> bpy.types.ActionChannelbag | None:
    """Where the curves of a slot lie; None where it has none."""
    strips = [strip for layer in action.layers for strip in layer.strips]
    return strips[0].channelbag(slot) if strips else None


def slot_by(action: bpy.types.Action, handle: int) -> bpy.types.ActionSlot | None:
    """The slot of an Action with a number that Blender gave it; None where it is gone."""
    return next((slot for slot in action.slots if slot.handle == handle), None)


def is_shared(obj: bpy.types.Object) -> bool:
    """Whether anybody else uses the Action that an object follows."""
    action = obj.animation_data.action
    if action.users - action.use_fake_user <= 1:
        return False
    return bool(bpy.data.user_map(subset=[action])[action] - {obj})


def follow_copy(obj: bpy.types.Object) -> bpy.types.ActionChannelbag:
    """Let an object follow a copy of its Action, with its own slot alone; returns where the curves are."""
    animation = obj.animation_data
    handle, action = animation.action_slot.handle, animation.action.copy()
    action.use_fake_user = False
    slot = slot_by(action, handle)
    for other in [item for item in action.slots if item != slot]:
        action.slots.remove(other)
    if not action.layers:
        action.layers.new("Layer").strips.new(type="KEYFRAME")
    return assign_slot(obj, action, slot)


def digest(bag: bpy.types.ActionChannelbag | None, but: Collection[str]) -> str:
    """What tells whether keys of curves with other paths than `but` have changed."""
    result = hashlib.blake2b(digest_size=16)
    for curve in bag.fcurves if bag is not None else ():
        if curve.data_path not in but:
            result.update(f"{curve.data_path} {curve.array_index} {curve.mute} {curve.extrapolation}".encode())
            for values in _keys_of(curve).values():
                result.update(values.tobytes())
    return result.hexdigest()


def curves_of(animation: bpy.types.AnimData) -> list[bpy.types.FCurve]:
    """The curves that an object or other block follows by the Action and slot of its animation data."""
    if animation.action is None or animation.action_slot is None:
        return []
    strips = (strip for layer in animation.action.layers for strip in layer.strips)
    bags = (strip.channelbag(animation.action_slot) for strip in strips)
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


def write_curve(
    bag: bpy.types.ActionChannelbag, path: str, index: int, keys: np.ndarray, interpolation: int
) -> bpy.types.FCurve:
    """A new curve with `keys (n,2)` of frame and value, float32."""
    curve = bag.fcurves.new(path, index=index)
    points = curve.keyframe_points
    points.add(len(keys))
    points.foreach_set("co", keys.reshape(-1))
    points.foreach_set("interpolation", _alike(interpolation, len(keys)))
    curve.update()
    return curve


@lru_cache(maxsize=1024)
def _alike(value: int, count: int) -> np.ndarray:
    """The same number so many times; thousands of curves ask for the same."""
    return np.full(count, value, np.int32)


def write_motion(bag: bpy.types.ActionChannelbag, frames: np.ndarray, values: np.ndarray, keyed: np.ndarray) -> None:
    """LINEAR keys of the seven curves of a piece.

    `frames (S,)` on the curves, see `on_curves`; `values (7,S)` of the location and of the unit quaternion, w first;
    `keyed (7,S)` which have keys.
    """
    for row, (path, index) in enumerate(MOTION):
        at = np.flatnonzero(keyed[row])
        keys = np.empty((len(at), 2), np.float32)
        keys[:, 0], keys[:, 1] = frames[at], values[row, at]
        write_curve(bag, path, index, keys, LINEAR)


def write_visibility(bag: bpy.types.ActionChannelbag, steps: list[tuple[float, bool]]) -> None:
    """CONSTANT keys that hide (True) or show from each place on the curve on, in the viewport and in renders."""
    keys = np.array(steps, np.float32)
    for path in HIDE:
        write_curve(bag, path, 0, keys, CONSTANT)


def write_hidden(bag: bpy.types.ActionChannelbag, path: str, steps: list[tuple[float, bool]]) -> None:
    """As `write_visibility`, for one of the two."""
    write_curve(bag, path, 0, np.array(steps, np.float32), CONSTANT)


def stored_curve(bag: bpy.types.ActionChannelbag, path: str) -> dict[str, list[float]] | None:
    """All that makes up the keys of a curve, as plain data; None if there is no such curve."""
    curve = bag.fcurves.find(path)
    if curve is None:
        return None
    return {name: values.tolist() for name, values in _keys_of(curve).items()}


def _keys_of(curve: bpy.types.FCurve) -> dict[str, np.ndarray]:
    """All that makes up the keys of a curve."""
    points = curve.keyframe_points
    result = {}
    for name, (width, kind) in KEY.items():
        result[name] = np.empty(width * len(points), kind)
        points.foreach_get(name, result[name])
    return result


def restore_curve(bag: bpy.types.ActionChannelbag, path: str, stored: dict[str, list[float]]) -> None:
    """Make a curve again from what `stored_curve` gave, in place of the one that is there."""
    remove_curve(bag, path)
    curve = bag.fcurves.new(path)
    points = curve.keyframe_points
    points.add(len(stored["co"]) // 2)
    for name, (_, kind) in KEY.items():
        points.foreach_set(name, np.array(stored[name], kind))
    curve.update()


def remove_curve(bag: bpy.types.ActionChannelbag, path: str) -> None:
    """Remove the curve of a path, if there is one."""
    curve = bag.fcurves.find(path)
    if curve is not None:
        bag.fcurves.remove(curve)
