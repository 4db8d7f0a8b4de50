"""Ready for Export: a switch for exporters that leave out what is hidden."""

import bpy

from . import idnames
from .bridge import export_view
from .bridge.names import SOURCE
from .registering import registration_of
from .targets import poll_found


def shattered(context: bpy.types.Context) -> list[bpy.types.Collection]:
    """The collections of fragments in the scene whose source is still there."""
    return [item for item in context.scene.collection.children_recursive if item.get(SOURCE) is not None]


def is_ready(context: bpy.types.Context) -> bool:
    """Whether the scene is ready for export."""
    return any(export_view.is_ready(item) for item in shattered(context))


class BRITTLE_OT_export_ready(bpy.types.Operator):
    """Show all pieces and what they broke from at all frames, by size alone: for exporters that leave out what is hidden, such as FBX, and to select them. Click again to take it back"""  # noqa: E501

    bl_idname = idnames.Operator.EXPORT_READY
    bl_label = "Ready for Export"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        otherwise = "Shatter an object first: this is for what has been broken"
        return poll_found(cls, context, bool(shattered(context)), otherwise)

    def execute(self, context):
        scene, ready = context.scene, is_ready(context)
        kept = []
        for collection in shattered(context):
            if ready and export_view.is_ready(collection):
                export_view.take_back(scene, collection)
            elif not ready and not export_view.make_ready(scene, collection):
                kept.append(collection[SOURCE].name)
        if kept:
            text = "children, constraints, physics or other tracks follow it; leave it out of the export"
            self.report({"WARNING"}, " ".join(f"'{name}' keeps its size: {text}." for name in kept))
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_export_ready)
