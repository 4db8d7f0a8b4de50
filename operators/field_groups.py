"""The stack of fields as a file stores it: `object.brittle.fields`, items with a group of settings for each kind.

An item keeps the values of the kinds that it is not, so that an artist may try one and come back.
"""

from collections.abc import Sequence
from typing import Any

import bpy

from ..core.strength.choice import FieldChoice
from ..core.strength.fields import FIELDS
from ..core.strength.fields.painted import GROUP
from .generated import assign, property_group, telling, tooltip_of, values

GROUPS = {method.id: property_group(f"BRITTLE_PG_field_{method.id}", method.params) for method in FIELDS}


#: The kind that reads what an artist has painted.
PAINTED = "painted"
#: The kinds as an enumeration of Blender's.
KINDS = [(method.id, method.label, tooltip_of(method), number) for number, method in FIELDS.items()]


def name_of_paint(item: bpy.types.PropertyGroup) -> str:
    """What a painted field reads: what was chosen, or else the object's only vertex group; "" where that is open."""
    group = item.painted
    groups = item.id_data.vertex_groups
    return group.name if group.name or group.source != GROUP or len(groups) != 1 else groups[0].name


def _choose_paint(item: bpy.types.PropertyGroup) -> None:
    """Where there is but one vertex group a painted field takes that."""
    if item.kind == PAINTED and item.painted.name != name_of_paint(item):
        item.painted.name = name_of_paint(item)


def _field_group() -> type[bpy.types.PropertyGroup]:
    annotations = {
        "kind": bpy.props.EnumProperty(
            items=KINDS, name="Kind", description="What the field is like", update=telling("kind", _choose_paint)
        ),
        "on": bpy.props.BoolProperty(
            name="On", description="What is off counts as not there", default=True, update=telling("on")
        ),
        **{name: bpy.props.PointerProperty(type=group) for name, group in GROUPS.items()},
    }
    return type("BRITTLE_PG_field", (bpy.types.PropertyGroup,), {"__annotations__": annotations})


FieldGroup = _field_group()
CLASSES = (*GROUPS.values(), FieldGroup)


def properties() -> dict[str, Any]:
    """What the settings of an object have for it."""
    return {
        "fields": bpy.props.CollectionProperty(type=FieldGroup, name="Fields"),
        "active_field": bpy.props.IntProperty(
            name="Active Field", description="The field whose settings are shown", min=0, update=telling("active_field")
        ),
    }


def active(settings: bpy.types.PropertyGroup) -> bpy.types.PropertyGroup | None:
    """The item of `object.brittle` whose settings are shown; None where the stack is empty."""
    return settings.fields[active_index(settings)] if len(settings.fields) else None


def active_index(settings: bpy.types.PropertyGroup) -> int:
    """The number of that item, from 0."""
    return max(min(settings.active_field, len(settings.fields) - 1), 0)


def own_group(item: bpy.types.PropertyGroup) -> bpy.types.PropertyGroup:
    """The settings of an item's kind."""
    return getattr(item, item.kind)


def tables(settings: bpy.types.PropertyGroup, scale_length: float = 1.0) -> list[dict[str, Any]]:
    """The stack of `object.brittle` as a table for each field, see core/strength/choice.py."""
    return [
        {"kind": item.kind, "on": item.on, **values(own_group(item), FIELDS[item.kind].params, scale_length)}
        | ({"name": name_of_paint(item)} if item.kind == PAINTED else {})
        for item in settings.fields
    ]


def assign_stack(settings: bpy.types.PropertyGroup, stack: Sequence[FieldChoice], scale_length: float = 1.0) -> None:
    """Make the stack of `object.brittle` this one."""
    fields = settings.fields
    while len(fields) > len(stack):
        fields.remove(len(fields) - 1)
    while len(fields) < len(stack):
        fields.add()
    for item, choice in zip(fields, stack, strict=True):
        item.kind, item.on = choice.kind, choice.on
        assign(own_group(item), choice.params, scale_length)
    settings.active_field = active_index(settings)  # its update tells the listeners
