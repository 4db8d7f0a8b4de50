"""Values of which 0 is no number but a choice with a word, as Auto: a switch beside each, in place of the number.

Files, scripts and presets store and take 0. The switch stores nothing: it is on while the value is 0.
"""

from collections.abc import Callable
from math import hypot
from typing import Any

import bpy

from . import idnames
from .bridge import sizes

#: What the name of a switch has behind that of its value.
BEHIND = "_auto"


def switch_of(name: str) -> str:
    """The name of the switch of a value."""
    return name + BEHIND


def is_chosen(group: bpy.types.PropertyGroup, name: str) -> bool:
    """Whether a value is 0, or all of its numbers are."""
    value = getattr(group, name)
    return not any(value) if hasattr(value, "__len__") else value == 0


def switch(name: str, word: str, doc: str, instead: Any, update: Callable[..., None]) -> Any:
    """The property of a switch that is called by its `word`; switched off, the value becomes what `instead` says.

    That is a value, or a function of the size of the object, in Blender's units, that gives one.
    """

    def put(group: bpy.types.PropertyGroup, chosen: bool) -> None:
        if chosen:
            value = getattr(group, name)
            setattr(group, name, [0] * len(value) if hasattr(value, "__len__") else type(value)())
        elif is_chosen(group, name):
            setattr(group, name, instead(_size_of(group.id_data)) if callable(instead) else instead)

    # Never saved: so those who keep or copy settings leave it out.
    return bpy.props.BoolProperty(
        name=word,
        description=doc,
        get=lambda group: is_chosen(group, name),
        set=put,
        update=update,
        options={"SKIP_SAVE"},
    )


def _size_of(owner: bpy.types.ID) -> float:
    """The size of the object that settings are about: their own, or that which an impact hits."""
    if isinstance(owner, bpy.types.Object) and getattr(owner, idnames.IMPACT).is_impact:
        owner = owner.parent or owner
    size = hypot(*sizes.dimensions(owner)) if isinstance(owner, bpy.types.Object) else 0.0
    return size or 1.0
