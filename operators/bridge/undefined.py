"""Places that are no numbers: which object, which of its values, and what gives it."""

from collections.abc import Iterator

import bpy
import numpy as np

from ...core.errors import InputError
from . import actions

#: [Blender units] Coordinates beyond this are no place: Blender keeps infinity as the largest number of 32 bits, which
#: squares of larger ones exceed.
ENDLESS = 1e18

#: What places an object by its own values: path of the property, and its name in the sidebar.
CHANNELS = {
    "location": "Location",
    "rotation_euler": "Rotation",
    "rotation_quaternion": "Rotation",
    "rotation_axis_angle": "Rotation",
    "scale": "Scale",
    "delta_location": "Delta Location",
    "delta_rotation_euler": "Delta Rotation",
    "delta_rotation_quaternion": "Delta Rotation",
    "delta_scale": "Delta Scale",
}


def refuse_undefined(obj: bpy.types.Object, matrix: np.ndarray) -> None:
    """Raise InputError where the world matrix (4,4) of an object is not finite; it names what makes it so."""
    if not (np.abs(matrix) <= ENDLESS).all():
        raise InputError(f"'{obj.name}' has no place: {culprit(obj)}.")


def culprit(obj: bpy.types.Object) -> str:
    """What keeps an object from having a place, in words: of itself, or of the highest parent that has none either."""
    for item in reversed([obj, *_parents(obj)]):
        found = _own_value(item) or _constraint(item)
        if found:
            return found
    return "its world matrix is not finite: look at its parents, constraints and drivers"


def _parents(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    while obj.parent is not None:
        obj = obj.parent
        yield obj


def _own_value(obj: bpy.types.Object) -> str:
    for path, label in CHANNELS.items():
        values = np.array(getattr(obj, path), np.float64)
        wrong = ~(np.abs(values) <= ENDLESS)
        if wrong.any():
            return f"the {label} of '{obj.name}' is not a finite number, {_source(obj, path, int(np.argmax(wrong)))}"
    return ""


def _source(obj: bpy.types.Object, path: str, index: int) -> str:
    """Where a value comes from, and what to do about that."""
    animation = obj.animation_data
    if animation is not None:
        if any(_is_for(curve, path, index) for curve in animation.drivers):
            return "which its driver gives: mend that"
        if animation.nla_tracks or any(_is_for(curve, path, index) for curve in actions.curves_of(animation)):
            return "which its keys give: mend those"
    return "so type one"


def _is_for(curve: bpy.types.FCurve, path: str, index: int) -> bool:
    return curve.data_path == path and curve.array_index == index


def _constraint(obj: bpy.types.Object) -> str:
    """The constraint whose target has no place, or else any one that is on, where the object has none."""
    active = [item for item in obj.constraints if not item.mute]
    if not active or not _has_no_place(obj):
        return ""
    lost = (item for item in active if _has_no_place(getattr(item, "target", None)))
    return f"the constraint '{next(lost, active[-1]).name}' of '{obj.name}' gives none: mend or mute it"


def _has_no_place(target: bpy.types.Object | None) -> bool:
    return target is not None and not (np.abs(np.array(target.matrix_world, np.float64)) <= ENDLESS).all()
