"""Curves of settings that may be drawn: the text of one, from what is drawn where it is, and back.

A text of points "x y, x y" is what presets, scripts and the command line use. Where a curve is drawn, that counts;
where its text is set, what is drawn follows.
"""

from functools import cache
from typing import Any

import bpy

from ..core.config.params import Axes, declared
from ..core.errors import InputError
from ..core.polyline import parsed
from ..core.wording import number
from .bridge import curves


def axes_of(group: bpy.types.PropertyGroup, name: str) -> Axes | None:
    """What the value `name` of a group of settings is a curve of; None where it is none."""
    params = getattr(type(group), "params", None)
    return _curves_of(params).get(name) if params else None


@cache
def _curves_of(params: type[Any]) -> dict[str, Axes | None]:
    """Of each declared value what it is a curve of: previews ask for all of them all the time."""
    return {field.name: field.param.curve for field in declared(params)}


def key_of(group: bpy.types.PropertyGroup, name: str) -> str:
    """The name under which an object keeps the drawing of a value."""
    return f"{group.path_from_id()}.{name}"


def node_of(group: bpy.types.PropertyGroup, name: str) -> bpy.types.Node | None:
    """The node in which a value is drawn; None where it is typed, or no curve."""
    obj = group.id_data
    if axes_of(group, name) is None or not isinstance(obj, bpy.types.Object):
        return None
    return curves.node_of(obj, key_of(group, name))


def value_of(group: bpy.types.PropertyGroup, name: str) -> object:
    """A value of a group of settings: what is stored, or the text of what is drawn."""
    node = node_of(group, name)
    return getattr(group, name) if node is None else _text_of(curves.points_of(node), axes_of(group, name))


def draw(group: bpy.types.PropertyGroup, name: str) -> None:
    """Draw the curve that the text of a value says. Raises InputError where the text cannot be read."""
    field = next(field for field in declared(type(group).params) if field.name == name)
    text = getattr(group, name)
    curves.draw(group.id_data, key_of(group, name), _points_of(text, field.param.label, field.param.curve))
    setattr(group, name, text)  # as one who has chosen it: pieces take no other settings from now on


def share(group: bpy.types.PropertyGroup, twin: bpy.types.PropertyGroup, name: str) -> None:
    """Draw the same curve for another object, whose group of this kind is the `twin`."""
    if node_of(group, name) is not None:
        curves.copy(group.id_data, twin.id_data, key_of(twin, name))
        setattr(twin, name, value_of(twin, name))


def follow(group: bpy.types.PropertyGroup, name: str) -> None:
    """Draw a value anew whose text was set to something else; one that cannot be read is drawn no more."""
    node = node_of(group, name)
    if node is None or value_of(group, name) == getattr(group, name):
        return
    try:
        draw(group, name)
    except InputError:
        curves.remove(group.id_data, key_of(group, name))


def as_text(group: bpy.types.PropertyGroup, name: str) -> None:
    """Make a value its text again."""
    text = value_of(group, name)
    curves.remove(group.id_data, key_of(group, name))
    setattr(group, name, text)


def _points_of(text: str, label: str, axes: Axes) -> list[tuple[float, float]]:
    """Points of a text with x from 0 to 1, and with y up to 1 where only the course counts."""
    line = parsed(text, label)
    low, high = axes.span or (float(line.x[0]), float(line.x[-1]))
    top = 1.0 if axes.span else float(line.y.max())
    if not (high > low and top > 0.0 and line.y.min() >= 0.0):
        raise InputError(f'{label} cannot be drawn: "{text}"; give points that rise from left to right, none below 0.')
    points = [((x - low) / (high - low), y / top) for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True)]
    inside = [(x, y) for x, y in points if 0.0 <= x <= 1.0]
    ends = [float(line(end)) / top for end in (low, high)]
    # A line is level beyond its ends; what lies outside of the span is cut off.
    first = [] if inside and inside[0][0] == 0.0 else [(0.0, ends[0])]
    last = [] if inside and inside[-1][0] == 1.0 else [(1.0, ends[1])]
    return [*first, *inside, *last]


def _text_of(points: list[tuple[float, float]], axes: Axes) -> str:
    low, high = axes.span or (0.0, 1.0)
    both = [(number(low + x * (high - low), 6), number(y, 6)) for x, y in points]
    return ", ".join(f"{x.replace(',', '')} {y.replace(',', '')}" for x, y in both)  # a comma parts points
