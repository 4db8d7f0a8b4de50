"""What is not there is tiny: keys of visibility reach no reader of glTF or FBX, but keys of scale reach all of them.

Sizes are not quite zero: of something flat Blender, and readers of its files, would not know the rotation. And Blender
has to evaluate what it hides; see `awake`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import bpy
import numpy as np

from . import actions, names

#: What may hold the size of an object. The second one leaves keys and drivers of the first to the artist, but glTF's
#: exporter fails over its keys where it does not go through the frames.
SCALE, DELTA = PATHS = ("scale", "delta_scale")
#: Size of what is not there. A millionth: docs/decisions.md, Blender.
TINY = 1e-6
#: So many frames before it is seen a thing gets its size: motion blur looks back by up to half a frame or a whole one,
#: exporters look at whole frames.
EARLY = 0.875

#: What holds an object, or remembers it, and does not look at where it stands or how large it is.
HOLDERS = tuple(getattr(bpy.types, name) for name in ("Collection", "Scene", "Action", "Screen", "WindowManager"))


def write_sizes(
    bag: bpy.types.ActionChannelbag, path: str, size: Sequence[float], steps: Sequence[tuple[float, bool]]
) -> None:
    """CONSTANT keys that make a thing tiny (True) or of its `size` from each frame on."""
    for index, value in enumerate(size):
        keys = np.array([(frame, TINY * value if tiny else value) for frame, tiny in steps], np.float32)
        actions.write_curve(bag, path, index, keys, actions.CONSTANT)


def shrink(
    obj: bpy.types.Object,
    bag: bpy.types.ActionChannelbag,
    before: float,
    there: float,
    hidden: bool,
    *,
    but_helpers: bool = False,
) -> tuple[str, list[float]] | None:
    """Key an object to be tiny from frame `there` on; returns what that changes, and what it was.

    None where the object has to keep its size. `before` is the last frame at which it is seen; `hidden` says whether it
    is hidden now. `but_helpers`: see `may_shrink`.
    """
    path = _free_path(obj) if may_shrink(obj, but_helpers) else None
    if path is None:
        return None
    size = list(getattr(obj, path))
    write_sizes(bag, path, size, [(before, False), (there, True)])
    if hidden:
        setattr(obj, path, [TINY * value for value in size])
    return path, size


def remove_sizes(bag: bpy.types.ActionChannelbag) -> None:
    """Remove the curves that `shrink` made."""
    for curve in [curve for curve in bag.fcurves if shrinks(curve)]:
        bag.fcurves.remove(curve)


def grow(obj: bpy.types.Object) -> None:
    """Let an object that was shrunk keep its size from now on."""
    curves = _curves(obj)
    _set(obj, curves)
    if curves:
        remove_sizes(actions.followed_bag(obj))


def remember(obj: bpy.types.Object) -> Callable[[], None]:
    """A call that brings back the size of an object and the curves of `shrink`, as they are now."""
    values = {path: tuple(getattr(obj, path)) for path in PATHS}
    curves = [
        (curve.data_path, curve.array_index, np.array([key.co for key in curve.keyframe_points], np.float32))
        for curve in _curves(obj)
    ]

    def put_back() -> None:
        bag = actions.followed_bag(obj)
        if bag is not None:
            remove_sizes(bag)
            for path, index, keys in curves:
                actions.write_curve(bag, path, index, keys, actions.CONSTANT)
        for path, value in values.items():
            setattr(obj, path, value)

    return put_back


def dimensions(obj: bpy.types.Object) -> tuple[float, float, float]:
    """The sides of the box about an object, along its own axes, in its full size where it is shrunk now."""
    x, y, z = obj.dimensions
    curves = _curves(obj)
    if not curves:
        return x, y, z
    now = getattr(obj, curves[0].data_path)
    wide, deep, high = (
        curve.keyframe_points[0].co[1] / (value or 1.0) for curve, value in zip(curves, now, strict=True)
    )
    return x * abs(wide), y * abs(deep), z * abs(high)


@contextmanager
def full_size(obj: bpy.types.Object) -> Iterator[None]:
    """An object that was shrunk in its full size, for as long as this lasts."""
    curves, now = _curves(obj), {path: tuple(getattr(obj, path)) for path in PATHS}
    try:
        for curve in curves:
            curve.mute = True
        _set(obj, curves)
        yield
    finally:
        for curve in curves:
            curve.mute = False
            setattr(obj, curve.data_path, now[curve.data_path])


def _curves(obj: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The three curves that shrink an object, by index; [] where it keeps its size."""
    followed = actions.curves_of(obj.animation_data) if obj.animation_data is not None else []
    found = sorted((curve for curve in followed if shrinks(curve)), key=lambda curve: curve.array_index)
    return found if len(found) == 3 else []


def shrinks(curve: bpy.types.FCurve) -> bool:
    """Whether a curve is one of `shrink`: of two CONSTANT keys, the second a millionth of the first."""
    keys = curve.keyframe_points
    if curve.data_path not in PATHS or len(keys) != 2:
        return False
    jumps = all(key.interpolation == "CONSTANT" for key in keys)
    return jumps and abs(keys[1].co[1]) <= 2.0 * TINY * abs(keys[0].co[1])


def _set(obj: bpy.types.Object, curves: Sequence[bpy.types.FCurve]) -> None:
    if curves:
        setattr(obj, curves[0].data_path, [curve.keyframe_points[0].co[1] for curve in curves])


def is_shrunk(obj: bpy.types.Object) -> bool:
    """Whether an object has keys that make it tiny."""
    return bool(_curves(obj))


def may_shrink(obj: bpy.types.Object, but_helpers: bool = False) -> bool:
    """Whether nothing but its own look changes where the object shrinks, `but_helpers`: its impacts and spheres."""
    if obj.rigid_body is not None or (obj.field is not None and obj.field.type != "NONE"):
        return False
    if any(modifier.type == "COLLISION" for modifier in obj.modifiers):
        return False
    users = bpy.data.user_map(subset=[obj])[obj]
    return all(
        isinstance(item, HOLDERS) or item == obj or _is_ours(item) or (but_helpers and _is_helper(item))
        for item in users
    )


def _free_path(obj: bpy.types.Object) -> str | None:
    """What may hold the size: neither keys nor drivers nor tracks of the NLA rule it."""
    animation = obj.animation_data
    if animation is None:
        return SCALE
    if animation.nla_tracks:
        return None
    ruled = {curve.data_path for curve in (*animation.drivers, *actions.curves_of(animation))}
    return next((path for path in PATHS if path not in ruled), None)


def _is_ours(item: bpy.types.ID) -> bool:
    """What Brittle has made and what knows the object by a custom property only."""
    return names.AWAKE in item or names.FRAGMENT in item


def _is_helper(item: bpy.types.ID) -> bool:
    """An empty for a hit or a sphere of influence."""
    if not isinstance(item, bpy.types.Object):
        return False
    return getattr(item, names.IMPACT).is_impact or getattr(item, names.OBJECT).influence
