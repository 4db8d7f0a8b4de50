"""The shattered object: hidden from the break frame on, and how to make it as it was before.

Nothing that others may use is edited. The object's own Action is where it hides, as long as nobody else uses it and no
key rules its visibility; otherwise the object follows a copy until it is restored. Drivers of its visibility go on
until the break.
"""

import json
from collections.abc import Callable
from typing import Any

import bpy

from . import actions, driven, names, sizes

#: How an Action is laid over what tracks of the NLA say; and what hides for sure.
LAID = {"action_blend_type": "REPLACE", "action_extrapolation": "HOLD", "action_influence": 1.0}
#: What animation data say beside the Action: the last one is how Blender finds a slot in another Action.
HOW = (*LAID, "last_slot_identifier")


def keeper_of(obj: bpy.types.Object, collections: list[bpy.types.Collection]) -> bpy.types.ID | None:
    """The block that remembers how an object was: itself or one of the collections of its pieces; None: not hidden."""
    return next((item for item in (obj, *collections) if names.BEFORE in item), None)


def hide_source(
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    keeper: bpy.types.ID,
    action: bpy.types.Action,
    slot: bpy.types.ActionSlot,
    start_frame: int,
) -> None:
    """Key the object to be seen before `start_frame` and hidden from it on; `keeper` remembers all that this changes.

    An object that follows no Action gets `slot` of `action`.
    """
    stored: dict[str, Any] = {path: getattr(obj, path) for path in actions.HIDE}
    stored |= {"animation_data": obj.animation_data is not None, "drivers": driven.read(obj)}
    bag = _bag_for(obj, keeper, action, slot, stored)
    before, there = (float(at) for at in actions.on_curves(scene, [start_frame - 1, start_frame]))
    for path in actions.HIDE:
        steps = _steps(bag, path, before, there, bool(stored[path]))
        actions.remove_curve(bag, path)
        actions.write_hidden(bag, path, steps)
    driven.hide_from(obj, there)
    stored["size"] = sizes.shrink(obj, bag, before, there, scene.frame_current >= start_frame)
    keeper[names.BEFORE] = json.dumps(stored)
    hidden = scene.frame_current >= start_frame
    obj.hide_viewport = stored["hide_viewport"] or hidden
    obj.hide_render = stored["hide_render"] or hidden


def show_source(obj: bpy.types.Object, keeper: bpy.types.ID) -> bpy.types.Action | None:
    """Undo `hide_source`; returns the Action that the object no longer follows, None if it keeps what it follows."""
    stored = json.loads(keeper[names.BEFORE])
    followed = keeper.get(names.BEFORE_ACTION)
    for name in (names.BEFORE, names.BEFORE_ACTION):
        if name in keeper:
            del keeper[name]
    driven.put_back(obj, stored.get("drivers", {}))
    bag = _bag_with_keys(obj, followed, stored)
    own = stored["own_action"] or (bag is not None and obj.animation_data.action.get(names.HIDES) == obj)
    if stored.get("size") and bag is not None and own:
        sizes.remove_sizes(bag)
    left = _put_back(obj, followed, stored)
    for path in actions.HIDE:
        setattr(obj, path, stored[path])
    if stored.get("size"):
        setattr(obj, *stored["size"])
    return left


def remember(obj: bpy.types.Object, keeper: bpy.types.ID | None) -> Callable[[], None]:
    """A call that brings back all that `hide_source` and `show_source` may change, as it is now."""
    shown = {path: getattr(obj, path) for path in actions.HIDE}
    drivers, follows, size = driven.read(obj), _followed(obj), sizes.remember(obj)
    bag = actions.followed_bag(obj)
    if keeper is not None and names.BEFORE in keeper:
        bag = _bag_with_keys(obj, keeper.get(names.BEFORE_ACTION), json.loads(keeper[names.BEFORE]))
    curves = {path: actions.stored_curve(bag, path) for path in actions.HIDE} if bag is not None else {}
    stored = (names.BEFORE, names.BEFORE_ACTION)
    kept = {name: keeper[name] for name in stored if name in keeper} if keeper is not None else {}

    def put_back() -> None:
        driven.put_back(obj, drivers)
        _follow(obj, follows)
        for path, curve in curves.items():
            _write_back(bag, path, curve)
        size()
        for path, value in shown.items():
            setattr(obj, path, value)
        for name in stored:
            if name in obj:
                del obj[name]
        for name, value in kept.items():
            keeper[name] = value

    return put_back


def _bag_for(
    obj: bpy.types.Object,
    keeper: bpy.types.ID,
    action: bpy.types.Action,
    slot: bpy.types.ActionSlot,
    stored: dict[str, Any],
) -> bpy.types.ActionChannelbag:
    """Where the curves that hide the object go."""
    bag = actions.followed_bag(obj)
    stored["own_action"] = _may_edit(obj, bag)
    if stored["own_action"]:
        # The artist may push it down into a strip, or let the object follow another one.
        keeper[names.BEFORE_ACTION], stored["slot"] = obj.animation_data.action, obj.animation_data.action_slot_handle
        return bag
    stored["follows"] = _followed(obj, by_name=True)
    animation = obj.animation_data
    if animation is None or animation.action is None or animation.action_slot is None:
        if animation is not None and animation.action is not None:
            keeper[names.BEFORE_ACTION] = animation.action
        bag = actions.assign_slot(obj, action, slot)
        for name, value in LAID.items():
            setattr(obj.animation_data, name, value)
        return bag
    keeper[names.BEFORE_ACTION] = animation.action
    stored["digest"] = actions.digest(bag, actions.HIDE)
    bag = actions.follow_copy(obj)
    obj.animation_data.action[names.HIDES] = obj
    return bag


def _may_edit(obj: bpy.types.Object, bag: bpy.types.ActionChannelbag | None) -> bool:
    """Whether a few curves more, until they are removed again, change nothing for anybody."""
    if bag is None or not obj.animation_data.action.is_editable:
        return False
    return all(bag.fcurves.find(path) is None for path in actions.HIDE) and not actions.is_shared(obj)


def _put_back(
    obj: bpy.types.Object, followed: bpy.types.Action | None, stored: dict[str, Any]
) -> bpy.types.Action | None:
    """Let the object follow what it followed; see `show_source`."""
    animation, bag = obj.animation_data, _bag_with_keys(obj, followed, stored)
    if stored["own_action"]:
        for path in actions.HIDE if bag is not None else ():
            actions.remove_curve(bag, path)
        return None
    if animation is None:
        return None
    copy = animation.action
    if copy is not None and copy.get(names.HIDES) == obj and actions.digest(bag, actions.HIDE) != stored["digest"]:
        # The artist has worked on the copy: it is what the object follows from now on.
        del copy[names.HIDES]
        slot = actions.slot_by(followed, stored["follows"]["slot"]) if followed is not None else None
        before = actions.bag_of(followed, slot) if slot is not None else None
        for path in actions.HIDE:
            _write_back(bag, path, actions.stored_curve(before, path) if before is not None else None)
        return None
    _follow(obj, {**stored["follows"], "action": followed} if stored["animation_data"] else None)
    return copy


def _bag_with_keys(
    obj: bpy.types.Object, action: bpy.types.Action | None, stored: dict[str, Any]
) -> bpy.types.ActionChannelbag | None:
    """Where the keys lie that hide the object: in its own Action as it was at the break, or in what it follows now."""
    if stored["own_action"] and "slot" in stored:
        slot = actions.slot_by(action, stored["slot"]) if action is not None else None
        return actions.bag_of(action, slot) if slot is not None else None
    return actions.followed_bag(obj)


def _followed(obj: bpy.types.Object, by_name: bool = False) -> dict[str, Any] | None:
    """What an object follows and how, None for nothing; without the Action itself where text has to hold it."""
    animation = obj.animation_data
    if animation is None:
        return None
    found = {name: getattr(animation, name) for name in HOW}
    found["slot"] = animation.action_slot_handle
    return found if by_name else {**found, "action": animation.action}


def _follow(obj: bpy.types.Object, followed: dict[str, Any] | None) -> None:
    """Make it so again."""
    if followed is None:
        animation = obj.animation_data
        if animation is not None:
            animation.action = None
            if not animation.drivers and not animation.nla_tracks:
                obj.animation_data_clear()
        return
    animation = obj.animation_data_create()
    if animation.action != followed["action"]:
        animation.action = followed["action"]
    slot = actions.slot_by(animation.action, followed["slot"]) if animation.action is not None else None
    if animation.action is not None and animation.action_slot != slot:
        animation.action_slot = slot
    for name in HOW:
        setattr(animation, name, followed[name])


def _write_back(bag: bpy.types.ActionChannelbag, path: str, curve: dict[str, list[float]] | None) -> None:
    if curve is None:
        actions.remove_curve(bag, path)
    else:
        actions.restore_curve(bag, path, curve)


def _steps(
    bag: bpy.types.ActionChannelbag, path: str, before: float, there: float, hidden: bool
) -> list[tuple[float, bool]]:
    """The object's own visibility until the break, hidden afterwards: `there` on the curve, a frame after `before`."""
    curve = bag.fcurves.find(path)
    if curve is None:
        return [(before, hidden), (there, True)]
    earlier = [(key.co[0], key.co[1] > 0.5) for key in curve.keyframe_points if key.co[0] < before]
    return [*earlier, (before, curve.evaluate(before) > 0.5), (there, True)]
