"""The stack of fields of an object: add, remove, and move up or down."""

import bpy

from . import field_groups, idnames
from .registering import registration_of
from .targets import poll_targets, target


def stack_of(context: bpy.types.Context) -> bpy.types.PropertyGroup:
    """The settings `object.brittle` whose stack is shown."""
    return getattr(target(context), idnames.OBJECT)


def poll_field(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Poll for operators that need a field."""
    if not poll_targets(cls, context):
        return False
    if not len(stack_of(context).fields):
        cls.poll_message_set("Add a field first")
        return False
    return True


class BRITTLE_OT_field_add(bpy.types.Operator):
    """Add a field: where the object is strong and weak, heavy and light, or strained"""

    bl_idname = idnames.Operator.FIELD_ADD
    bl_label = "Add Field"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(items=field_groups.KINDS, name="Kind", description="What the field is like")

    @classmethod
    def poll(cls, context):
        return poll_targets(cls, context)

    def execute(self, context):
        own = stack_of(context)
        own.fields.add().kind = self.kind
        own.active_field = len(own.fields) - 1
        return {"FINISHED"}


class BRITTLE_OT_field_remove(bpy.types.Operator):
    """Remove the active field"""

    bl_idname = idnames.Operator.FIELD_REMOVE
    bl_label = "Remove Field"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_field(cls, context)

    def execute(self, context):
        own = stack_of(context)
        own.fields.remove(field_groups.active_index(own))
        own.active_field = field_groups.active_index(own)
        return {"FINISHED"}


class BRITTLE_OT_field_move(bpy.types.Operator):
    """Move the active field up or down in the list"""

    bl_idname = idnames.Operator.FIELD_MOVE
    bl_label = "Move Field"
    bl_options = {"REGISTER", "UNDO"}

    up: bpy.props.BoolProperty(name="Up", description="Up in the list; else down", default=True)

    @classmethod
    def poll(cls, context):
        if not poll_field(cls, context):
            return False
        if len(stack_of(context).fields) < 2:
            cls.poll_message_set("There is no other field")
            return False
        return True

    def execute(self, context):
        own = stack_of(context)
        here = field_groups.active_index(own)
        there = here - 1 if self.up else here + 1
        if not 0 <= there < len(own.fields):
            return {"CANCELLED"}
        own.fields.move(here, there)
        own.active_field = there
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_field_add, BRITTLE_OT_field_remove, BRITTLE_OT_field_move)
