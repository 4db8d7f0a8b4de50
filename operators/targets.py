"""Which objects an operator works on."""

import bpy

from .bridge.restore import source_of


def targets(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The meshes to work on: the active object first, then the selected ones; a fragment stands for its source."""
    candidates = [context.view_layer.objects.active, *context.view_layer.objects.selected]
    sources = (source_of(obj) or obj for obj in candidates if obj is not None)
    return list(dict.fromkeys(obj for obj in sources if obj.type == "MESH"))


def poll_targets(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Poll for operators that need a mesh in Object Mode; says what to do where there is none."""
    if context.mode != "OBJECT":
        cls.poll_message_set("Leave Edit Mode first: Brittle works in Object Mode")
        return False
    if not targets(context):
        cls.poll_message_set("Select a mesh object")
        return False
    return True
