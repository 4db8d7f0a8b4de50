"""The shattered object: hidden from the break frame on, and how to make it as it was before."""

import json

import bpy

from . import actions, names


def hide_source(obj: bpy.types.Object, action: bpy.types.Action, start_frame: int, now: int) -> None:
    """Key the object to be seen before `start_frame` and hidden from it on; remember all that this changes.

    An object that has an Action keeps it and gets the two curves there. One with a linked Action, which cannot be
    edited, is just hidden.
    """
    stored: dict = {path: getattr(obj, path) for path in actions.HIDE}
    animated = obj.animation_data is not None and obj.animation_data.action is not None
    stored["animation_data"] = obj.animation_data is not None
    stored["own_action"] = animated
    bag = actions.own_channelbag(obj) if animated else actions.assign_slot(action, obj)
    hidden = now >= start_frame
    for path in actions.HIDE if bag is not None else ():
        stored[f"curve {path}"] = actions.stored_curve(bag, path)
        steps = _steps(bag, path, start_frame, bool(stored[path]))
        actions.remove_curve(bag, path)
        actions.write_hidden(bag, path, steps)
    obj[names.BEFORE] = json.dumps(stored)
    obj.hide_viewport = stored["hide_viewport"] or hidden or bag is None
    obj.hide_render = stored["hide_render"] or hidden or bag is None


def show_source(obj: bpy.types.Object) -> None:
    """Undo `hide_source`."""
    if names.BEFORE not in obj:
        return
    stored = json.loads(obj[names.BEFORE])
    del obj[names.BEFORE]
    animation = obj.animation_data
    if animation is not None and animation.action is not None and stored["own_action"]:
        bag = actions.own_channelbag(obj)
        for path in actions.HIDE if bag is not None else ():
            curve = stored.get(f"curve {path}")
            if curve is None:
                actions.remove_curve(bag, path)
            else:
                actions.restore_curve(bag, path, curve)
    elif animation is not None and not stored["own_action"]:
        animation.action = None
        if not stored["animation_data"] and not animation.drivers and not animation.nla_tracks:
            obj.animation_data_clear()
    for path in actions.HIDE:
        setattr(obj, path, stored[path])


def _steps(bag: bpy.types.ActionChannelbag, path: str, start_frame: int, hidden: bool) -> list[tuple[float, bool]]:
    """The object's own visibility until the break frame, hidden afterwards."""
    curve = bag.fcurves.find(path)
    if curve is None:
        return [(start_frame - 1, hidden), (start_frame, True)]
    earlier = [(key.co[0], key.co[1] > 0.5) for key in curve.keyframe_points if key.co[0] < start_frame - 1]
    return [*earlier, (start_frame - 1, curve.evaluate(start_frame - 1) > 0.5), (start_frame, True)]
