"""Patterns of an artist's own meshes: which collection an object is cut with, its mark, and the pattern as an asset."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ..core.errors import BrittleError, InputError
from ..core.settings import Settings
from . import idnames
from .bridge.pattern import box_of, mark_of, read_pattern
from .registering import registration_of
from .targets import poll_object_mode, target

#: Size of the mark's arrow relative to the box of the meshes. By eye.
ARROW = 0.6
DESCRIPTION = "Fracture pattern for Brittle: closed meshes that cut what is hit"


def collection_named(name: str) -> bpy.types.Collection:
    """The collection of this name in the file. Raises InputError where there is none."""
    found = next((item for item in bpy.data.collections if item.name == name and item.library is None), None)
    found = found or bpy.data.collections.get(name)
    if found is None:
        raise InputError(f'There is no collection "{name}" in this file.')
    return found


def pieces_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table of pieces (see settings.py) that asks for own meshes, and else what it asked for."""
    kept = table if table["method"] == "pattern" else {"method": "pattern"}
    return {**kept, "kind": "own"}


def with_meshes(context: bpy.types.Context, obj: bpy.types.Object, chosen: Settings, name: str = "") -> Settings:
    """The settings with the meshes that they ask for: of the collection of this name, or of the object's own choice.

    Raises InputError as `read_pattern` does, and for a name that does not exist.
    """
    if not getattr(chosen.pieces_params, "own", False):
        return chosen
    collection = collection_named(name) if name else getattr(obj, idnames.OBJECT).own_meshes
    return replace(chosen, own=read_pattern(context, obj, collection))


def cuts_with_meshes(own: bpy.types.PropertyGroup) -> bool:
    """Whether `object.brittle` asks for own meshes."""
    return own.pieces == "pattern" and own.pattern.kind == "own"


def chosen_collection(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The collection that the object to break is cut with, None without one."""
    found = target(context)
    return getattr(found, idnames.OBJECT).own_meshes if found is not None else None


def is_marked(collection: bpy.types.Collection) -> bool:
    """Whether an empty marks the centre and axis of the pattern."""
    return mark_of(collection) is not None


def _poll(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    if not poll_object_mode(cls, context):
        return False
    collection = chosen_collection(context)
    if collection is None:
        cls.poll_message_set("Choose a collection of closed meshes under Pieces first")
    elif collection.library is not None:
        cls.poll_message_set("The collection is linked from a library: make it local, or append it, first")
    else:
        return True
    return False


class BRITTLE_OT_pattern_mark(bpy.types.Operator):
    """Put an arrow into the pattern: it starts where the hit will be, and points the way the blow goes"""

    bl_idname = idnames.Operator.PATTERN_MARK
    bl_label = "Mark Centre"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _poll(cls, context)

    def execute(self, context):
        collection = chosen_collection(context)
        if is_marked(collection):
            self.report({"INFO"}, f"'{mark_of(collection).name}' marks it already: move and turn that.")
            return {"CANCELLED"}
        try:
            low, high = box_of(context, collection)
        except BrittleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        add_mark(collection, low, high)
        return {"FINISHED"}


def add_mark(collection: bpy.types.Collection, low: np.ndarray, high: np.ndarray) -> bpy.types.Object:
    """Make the empty, in the middle of the box low, high (3,) and upwards, where the pattern is without it."""
    empty = bpy.data.objects.new("Pattern Centre", None)
    empty.empty_display_type = "SINGLE_ARROW"
    empty.empty_display_size = ARROW * float((high - low).max()) or 1.0
    empty.show_in_front = True
    empty.location = 0.5 * (low + high)
    getattr(empty, idnames.OBJECT).pattern_mark = True
    collection.objects.link(empty)
    return empty


class BRITTLE_OT_pattern_asset(bpy.types.Operator):
    """Mark the collection of the pattern as an asset, for use in other files once this one is saved"""

    bl_idname = idnames.Operator.PATTERN_ASSET
    bl_label = "Mark as Asset"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _poll(cls, context)

    def execute(self, context):
        obj = target(context)
        collection = chosen_collection(context)
        try:
            read_pattern(context, obj, collection)  # what is no pattern does not go into a library
        except BrittleError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        collection.asset_mark()
        collection.asset_data.description = collection.asset_data.description or DESCRIPTION
        if not bpy.app.background:  # a picture is drawn in a window
            collection.asset_generate_preview()
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_pattern_mark, BRITTLE_OT_pattern_asset)
