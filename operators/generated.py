"""Groups of properties, generated from the params dataclasses of the core.

A number is declared once, in the core (see core/config/params.py): look there for defaults, limits and tooltips.
"""

import math
import re
import sys
from collections.abc import Callable, Collection, Mapping
from typing import Any

import bpy
import numpy as np

from ..core.config.params import Declared, declared
from ..core.config.registry import Method
from . import drawn, zeros

#: Blender's unit for an SI unit, and the power of the scene's unit scale by which Blender multiplies what it shows.
UNITS = {
    "m": ("LENGTH", 1),
    "m^2": ("AREA", 2),
    "m^3": ("VOLUME", 3),
    "m/s": ("VELOCITY", 1),
    "m/s^2": ("ACCELERATION", 1),
    "kg": ("MASS", 3),
    "rad": ("ROTATION", 0),
    "s": ("TIME_ABSOLUTE", 0),
}
#: How a unit that Blender does not know is written beside a label.
SIGNS = {"kg/m^3": "kg/m³", "N s": "N·s"}


#: What is called when an artist or a script has changed any of the settings.
listeners: list[Callable[[], None]] = []
#: What is called with a group and the name of the value in it that an artist has changed by hand.
sharers: list[Callable[[bpy.types.PropertyGroup, str, bpy.types.Context], None]] = []


def tooltip_of(method: Method[Any]) -> str:
    """What a method does, and the paper that it follows where its words do not name that."""
    year = re.search(r"\b\d{4}\b", method.reference)
    return method.doc if year is None or year.group() in method.doc else f"{method.doc}. Source: {method.reference}"


def property_group(name: str, params: type[Any]) -> type[bpy.types.PropertyGroup]:
    """A PropertyGroup class with one property for each declared field of a params dataclass, its `params`."""
    annotations = {field.name: _property(field) for field in declared(params)}
    annotations |= {zeros.switch_of(field.name): _switch(field) for field in declared(params) if field.param.zero}
    members = {"__annotations__": annotations, "__doc__": params.__doc__, "params": params}
    return type(name, (bpy.types.PropertyGroup,), members)


def operator_annotations(params: type[Any]) -> dict[str, Any]:
    """The properties of an operator, one for each declared field of a params dataclass; nobody hears of changes."""
    return {field.name: _property(field, tells=False) for field in declared(params)}


def metres_per_unit(context: bpy.types.Context) -> float:
    """The unit scale of the scene: how long what Blender calls 1 is [m]."""
    return float(context.scene.unit_settings.scale_length)


def values(group: bpy.types.PropertyGroup, params: type[Any], scale_length: float = 1.0) -> dict[str, Any]:
    """The values of a group as plain data in SI units, for `from_mapping`.

    Blender stores floats in 32 bits: 0.3 comes back as 0.30000001192. The shortest decimal that names the same
    32-bit number is what the artist typed, so that is what the core gets; a default stays itself, were it 1/3.
    """
    return {field.name: _value(drawn.value_of(group, field.name), field, scale_length) for field in declared(params)}


def shown(group: bpy.types.PropertyGroup) -> list[tuple[str, str]]:
    """Name and label of each declared value of a group that counts under the present choices, in order.

    The label has the unit that Blender does not write behind the number: "Density (kg/m³)".
    """
    rows = []
    for field in declared(type(group).params):
        name, useful = field.param.needs or ("", ())
        if not name or getattr(group, name) in useful:
            rows.append((field.name, _labelled(field)))
    return rows


def _labelled(field: Declared) -> str:
    unit = field.param.unit
    sign = "" if unit in ("", "1") or unit in UNITS else SIGNS.get(unit, unit)
    return f"{field.param.label} ({sign})" if sign else field.param.label


def assign(group: bpy.types.PropertyGroup, params: Any, scale_length: float = 1.0) -> None:
    """Set a group to the values of an instance of its params dataclass, which are in SI units."""
    for field in declared(params):
        value = getattr(params, field.name)
        factor = scale_length ** UNITS.get(field.param.unit, ("", 0))[1]
        if isinstance(value, float):
            value /= factor
        elif isinstance(value, tuple):
            value = tuple(item / factor for item in value)
        setattr(group, field.name, value)


def remember(group: bpy.types.PropertyGroup) -> Callable[[], None]:
    """A call that gives a group, with all that is in it, the values that it has now."""
    stored = _stored(group)
    return lambda: _put_back(group, stored)


def copy_group(source: bpy.types.PropertyGroup, target: bpy.types.PropertyGroup, but: Collection[str] = ()) -> None:
    """Give a group, with all that is in it, the values of another one of its kind, `but` some."""
    own = {name: value for name, value in _stored(target).items() if name in but}
    _put_back(target, {name: value for name, value in _stored(source).items() if name not in but} | own)


def forget(group: bpy.types.PropertyGroup, but: Collection[str] = ()) -> None:
    """Make a group as if no value of it, or of the groups in it, had ever been set, `but` some."""
    _put_back(group, {name: value for name, value in _stored(group).items() if name in but})


def is_untouched(group: bpy.types.PropertyGroup, but: Collection[str] = ()) -> bool:
    """Whether no value of a group, or of the groups in it, was ever set, `but` some."""
    return _is_bare({name: value for name, value in _stored(group).items() if name not in but})


def _is_bare(stored: Mapping[str, Any]) -> bool:
    return all(_is_bare(value) if isinstance(value, dict) else value == [] for value in stored.values())


def _stored(group: bpy.types.PropertyGroup) -> dict[str, Any]:
    """What of a group was set."""
    result: dict[str, Any] = {}
    for name, value in _members(group):
        if isinstance(value, bpy.types.PropertyGroup):
            result[name] = _stored(value)
        elif isinstance(value, bpy.types.bpy_prop_collection):
            result[name] = [_stored(item) for item in value]
        elif value is not None and group.is_property_set(name):  # Blender takes every pointer for set
            # Arrays and vectors are looks at the group: they follow it, and point to nothing once it is gone.
            array = getattr(group.bl_rna.properties[name], "is_array", False)
            result[name] = tuple(value) if array else drawn.value_of(group, name)
    return result


def _put_back(group: bpy.types.PropertyGroup, stored: Mapping[str, Any]) -> None:
    """Set a group to what was stored; all else in it as if nobody had ever set it."""
    for name, value in _members(group):
        if isinstance(value, bpy.types.PropertyGroup):
            _put_back(value, stored.get(name, {}))
        elif isinstance(value, bpy.types.bpy_prop_collection):
            value.clear()
            for item in stored.get(name, ()):
                _put_back(value.add(), item)
        elif name in stored:
            setattr(group, name, stored[name])
        else:
            group.property_unset(name)


def _members(group: bpy.types.PropertyGroup) -> list[tuple[str, Any]]:
    # What is never saved is another look at what is.
    names = [item.identifier for item in group.bl_rna.properties if not item.is_skip_save]
    names.remove("rna_type")
    return [(name, getattr(group, name)) for name in names]


def _value(stored: Any, field: Declared, scale_length: float) -> Any:
    factor = scale_length ** UNITS.get(field.param.unit, ("", 0))[1]
    if isinstance(field.default, tuple):
        return tuple(_typed(*pair) * factor for pair in zip(stored, field.default, strict=True))
    if isinstance(field.default, float):
        return _typed(stored, field.default) * factor
    return stored


def _typed(stored: float, default: float) -> float:
    """What the artist typed, or the default where that is what is stored."""
    return default if np.float32(stored) == np.float32(default) else float(str(np.float32(stored)))


def _property(field: Declared, tells: bool = True) -> Any:
    """`tells`: whether listeners hear of its changes."""
    declaration = field.param
    common = {
        "name": declaration.label,
        "description": declaration.doc,
        "default": field.default,
    }
    if tells:
        common["update"] = telling(field.name)
    if declaration.choices:
        items = [(choice.id, choice.label, choice.doc, choice.number) for choice in declaration.choices]
        return bpy.props.EnumProperty(items=items, **common)
    if isinstance(field.default, bool):
        return bpy.props.BoolProperty(**common)
    if isinstance(field.default, str):
        if tells and declaration.curve is not None:
            common["update"] = telling(field.name, lambda group: drawn.follow(group, field.name))
        return bpy.props.StringProperty(**common)
    if isinstance(field.default, int):
        return bpy.props.IntProperty(**common, **_bounds(field))
    common["unit"] = UNITS.get(declaration.unit, ("NONE", 0))[0]
    if isinstance(field.default, tuple):
        return bpy.props.FloatVectorProperty(size=len(field.default), subtype="XYZ", **common, **_bounds(field))
    return bpy.props.FloatProperty(**common, **_bounds(field), **_digits(field))


def _switch(field: Declared) -> Any:
    declaration = field.param
    return zeros.switch(field.name, declaration.zero, declaration.doc, declaration.instead, telling(field.name))


def telling(
    name: str, first: Callable[[bpy.types.PropertyGroup], None] | None = None
) -> Callable[[bpy.types.PropertyGroup, bpy.types.Context], None]:
    """The `update` of the property of a group: it calls all listeners, and the sharers where an artist has changed it.

    `first` is what the change brings with it. Blender calls an update for an artist with nothing of Python under it,
    and for a script in the midst of that.
    """

    def update(group: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
        if first is not None:
            first(group)
        if sys._getframe().f_back is None:
            for share in sharers:
                share(group, name, context)
        for listener in listeners:
            listener()

    return update


def _bounds(field: Declared) -> dict[str, Any]:
    named = zip(("min", "max", "soft_min", "soft_max"), (*field.param.limits, *field.param.soft), strict=True)
    return {name: bound for name, bound in named if bound is not None}


def _digits(field: Declared) -> dict[str, Any]:
    """Enough decimals, and small enough steps, for the smallest value that is of use."""
    useful = [size for size in (abs(field.default), field.param.soft[0] or 0.0) if size > 0.0]
    digits = 1 - math.floor(math.log10(min(useful, default=1.0)))
    return {"precision": digits, "step": 10.0 ** (3 - digits)} if digits > 2 else {}
