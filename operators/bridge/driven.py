"""Drivers that rule whether an object is seen: they rule on until a frame, and hide it from there on."""

from collections.abc import Callable
from typing import Any

import bpy

from . import actions

#: What a driver's own sum is as an expression of its variables.
EXPRESSIONS: dict[str, Callable[[list[str]], str]] = {
    "AVERAGE": lambda variables: f"({' + '.join(variables)}) / {len(variables)}",
    "SUM": " + ".join,
    "MIN": lambda variables: f"min({', '.join(variables)})",
    "MAX": lambda variables: f"max({', '.join(variables)})",
}
#: Bytes that Blender has for an expression.
ROOM = 255

DrivenValues = dict[str, dict[str, Any]]


def drivers_of(obj: bpy.types.Object) -> dict[str, bpy.types.FCurve]:
    """The drivers of an object's visibility, by path."""
    animation = obj.animation_data
    found = {path: animation.drivers.find(path) for path in actions.HIDE} if animation is not None else {}
    return {path: curve for path, curve in found.items() if curve is not None}


def read(obj: bpy.types.Object) -> DrivenValues:
    """What `hide_from` may change of the drivers."""
    return {
        path: {"type": curve.driver.type, "expression": curve.driver.expression, "mute": curve.mute}
        for path, curve in drivers_of(obj).items()
    }


def hide_from(obj: bpy.types.Object, frame: float) -> None:
    """Let drivers hide the object from a frame of its curves on; keys take the place of one that cannot be told so."""
    for curve in drivers_of(obj).values():
        if curve.mute:
            continue
        expression = _until(curve, frame)
        if expression is None:
            curve.mute = True
        else:
            curve.driver.type, curve.driver.expression = "SCRIPTED", expression


def put_back(obj: bpy.types.Object, stored: DrivenValues) -> None:
    """Undo `hide_from`, by what `read` gave before."""
    for path, curve in drivers_of(obj).items():
        if path in stored:
            curve.mute = stored[path]["mute"]
            if curve.driver.expression != stored[path]["expression"]:
                curve.driver.expression = stored[path]["expression"]
            curve.driver.type = stored[path]["type"]


def _until(curve: bpy.types.FCurve, frame: float) -> str | None:
    """The expression of a driver, and 1 from a frame on; None where its value goes through a curve, or is too long."""
    driver = curve.driver
    variables = [variable.name for variable in driver.variables]
    if driver.type == "SCRIPTED":
        own = driver.expression
    elif variables:
        own = EXPRESSIONS[driver.type](variables)
    else:
        own = "0"
    # The greater of two numbers, so that Blender works it out without Python where it did so before.
    expression = f"max({own}, frame >= {frame!r})"
    straight = curve.evaluate(0.0) == 0.0 and curve.evaluate(1.0) == 1.0 and not curve.modifiers
    return expression if own and straight and len(expression.encode()) <= ROOM else None
