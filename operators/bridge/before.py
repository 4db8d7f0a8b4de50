"""The shattered object: hidden from the break frame on, and how to make it as it was before."""

import json

import bpy

from . import actions, names


def hide_source(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    action: bpy.types.Action,
    slot: bpy.types.ActionSlot,
    start_frame: int,
) -> None:
    """Key the object to be seen before `start_frame` and hidden from it on; remember all that this changes.

    An object that has an Action keeps it and gets the two curves there; another one follows `slot` of `action`. One
    with a linked Action, which cannot be edited, is just hidden.
    """
    stored: dict = {path: getattr(obj, path) for path in actions.HIDE}
    animated = obj.animation_data is not None and obj.animation_data.action is not None
    stored["animation_data"] = obj.animation_data is not None
    stored["own_action"] = animated
    bag = actions.own_channelbag(obj) if animated else actions.assign_slot(obj, action, slot)
    hidden = scene.frame_current >= start_frame
    before, there = (float(at) for at in actions.on_curves(scene, [start_frame - 1, start_frame]))
    for path in actions.HIDE if bag is not None else ():
        stored[f"curve {path}"] = actions.stored_curve(bag, path)
        steps = _steps(bag, path, before, there, bool(stored[path]))
        actions.remove_curve(bag, path)
        actions.write_hidden(bag, path, steps)
    obj[names.BEFORE] = json.dumps(stored)
    obj.hide_viewport = stored["hide_viewport"] or hidden or bag is None
    obj.hide_render = stored["hide_render"] or hidden or bag is None


def show_source(obj: bpy.types.Object) -> bpy.types.Action | None:
    """Undo `hide_source`; returns the Action that the object no longer follows, None if it keeps its own."""
    if names.BEFORE not in obj:
        return None
    stored = json.loads(obj[names.BEFORE])
    del obj[names.BEFORE]
    animation = obj.animation_data
    left = None
    if animation is not None and animation.action is not None and stored["own_action"]:
        bag = actions.own_channelbag(obj)
        for path in actions.HIDE if bag is not None else ():
            curve = stored.get(f"curve {path}")
            if curve is None:
                actions.remove_curve(bag, path)
            else:
                actions.restore_curve(bag, path, curve)
    elif animation is not None and not stored["own_action"]:
        left, animation.action = animation.action, None
        if not stored["animation_data"] and not animation.drivers and not animation.nla_tracks:
            obj.animation_data_clear()
    for path in actions.HIDE:
        setattr(obj, path, stored[path])
    return left


def _steps(
    bag: bpy.types.ActionChannelbag, path: str, before: float, there: float, hidden: bool
) -> list[tuple[float, bool]]:
    """The object's own visibility until the break, hidden afterwards: `there` on the curve, a frame after `before`."""
    curve = bag.fcurves.find(path)
    if curve is None:
        return [(before, hidden), (there, True)]
    earlier = [(key.co[0], key.co[1] > 0.5) for key in curve.keyframe_points if key.co[0] < before]
    return [*earlier, (before, curve.evaluate(before) > 0.5), (there, True)]
