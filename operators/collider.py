"""Add and Remove Collider: which objects stand in the way of the pieces, beside those that Blender knows as such."""

import bpy

from . import idnames
from .bridge.colliders import is_marked, shown_colliders, why_collider
from .registering import registration_of
from .remembered import remembered
from .targets import poll_found


@remembered
def listed(context: bpy.types.Context) -> list[tuple[str, str]]:
    """Name of each visible collider, and why it is one; nothing is evaluated."""
    return [(obj.name, why_collider(obj)) for obj in shown_colliders(context)]


def _candidates(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected objects that can be marked."""
    return [obj for obj in context.view_layer.objects.selected if _can_be_marked(obj)]


def _can_be_marked(obj: bpy.types.Object) -> bool:
    return obj.type == "MESH" and obj.is_editable


@remembered
def _collider_is_selected(context: bpy.types.Context) -> bool:
    """Whether one is; one that is a collider for Blender may be chosen, too: the operator says where to change that."""
    return any(map(why_collider, _candidates(context)))


def _mark(objects: list[bpy.types.Object], collides: bool) -> None:
    for obj in objects:
        getattr(obj, idnames.OBJECT).collider = collides


class BRITTLE_OT_collider_add(bpy.types.Operator):
    """Let pieces of other objects bounce off the selected ones, which do not break and stay on their own way"""

    bl_idname = idnames.Operator.COLLIDER_ADD
    bl_label = "Add Collider"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        fits = any(map(_can_be_marked, context.view_layer.objects.selected))
        return poll_found(cls, context, fits, "Select a mesh for the pieces to bounce off")

    def execute(self, context):
        _mark(_candidates(context), True)
        return {"FINISHED"}


class BRITTLE_OT_collider_remove(bpy.types.Operator):
    """Let pieces pass through the selected objects again"""

    bl_idname = idnames.Operator.COLLIDER_REMOVE
    bl_label = "Remove Collider"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_found(cls, context, _collider_is_selected(context), "Select a collider")

    def execute(self, context):
        objects = _candidates(context)
        changed = any(is_marked(obj) for obj in objects)
        _mark([obj for obj in objects if is_marked(obj)], False)
        left = [(obj.name, why) for obj in objects if (why := why_collider(obj))]
        if left:
            name, why = left[0]
            self.report({"WARNING"}, f'"{name}" stays a collider: it has a {why}; change that under Physics.')
        return {"FINISHED"} if changed else {"CANCELLED"}


register, unregister = registration_of(BRITTLE_OT_collider_add, BRITTLE_OT_collider_remove)
