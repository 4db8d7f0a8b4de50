"""A scene made ready for exporters that leave out what is hidden: all is shown, and told apart by size alone."""

import bpy

from . import actions, names, sizes


def is_ready(collection: bpy.types.Collection) -> bool:
    """Whether what a collection of fragments holds is shown by size alone."""
    return names.READY in collection


def make_ready(scene: bpy.types.Scene, collection: bpy.types.Collection) -> bool:
    """Show fragments and source at all frames; False where the source keeps its size, as something else follows it."""
    source = collection[names.SOURCE]
    collection[names.READY] = True
    for obj in _shown(collection):
        for curve in _curves(obj):
            curve.mute = True
        obj.hide_viewport = obj.hide_render = False
    shrink(scene, source)
    return sizes.is_shrunk(source)


def take_back(scene: bpy.types.Scene, collection: bpy.types.Collection) -> None:
    """Undo `make_ready`: hide what is not there at the current frame."""
    del collection[names.READY]
    source = collection[names.SOURCE]
    now = float(actions.on_curves(scene, scene.frame_current))
    for obj in _shown(collection):
        for curve in _curves(obj):
            curve.mute = False
            setattr(obj, curve.data_path, curve.evaluate(now) > 0.5)
    if not sizes.may_shrink(source):
        sizes.grow(source)


def _shown(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """All of them at once: Blender makes such lists anew, under a loop's feet, as soon as one is hidden."""
    return [collection[names.SOURCE], *(obj for obj in collection.all_objects if names.FRAGMENT in obj)]


def _curves(obj: bpy.types.Object) -> list[bpy.types.FCurve]:
    followed = actions.curves_of(obj.animation_data) if obj.animation_data is not None else []
    return [curve for curve in followed if curve.data_path in actions.HIDE]


def shrink(scene: bpy.types.Scene, source: bpy.types.Object) -> bool:
    """Let a source give way by size in spite of its impacts and spheres; False where it does already, or cannot.

    The last keys of its visibility say when.
    """
    curve = next((curve for curve in _curves(source) if curve.data_path == "hide_render"), None)
    if sizes.is_shrunk(source) or curve is None or len(curve.keyframe_points) < 2:
        return False
    before, there = (key.co[0] for key in curve.keyframe_points[-2:])
    hidden = float(actions.on_curves(scene, scene.frame_current)) >= there
    bag = actions.followed_bag(source)
    return bag is not None and sizes.shrink(source, bag, before, there, hidden, but_helpers=True) is not None
