"""Preview Cracks: where the active object would be cut, as lines in the 3D view that follow every setting."""

import bpy

from ..core.cells.outline import crack_lines
from ..core.geometry.mesh import diagonal
from . import idnames, quick_cut
from .live import Live
from .overlay import Lines
from .targets import poll_targets

#: Lines stand off the skin by this share of the object's diagonal, so that the skin does not hide them.
LIFT = 1e-3


def cracks(context: bpy.types.Context, obj: bpy.types.Object) -> Lines:
    """The lines along which an object would be cut. Raises InputError or CutError."""
    cut = quick_cut.cut_of(context, obj)
    return Lines(cut.placed(crack_lines(cut.cells, cut.body, LIFT * diagonal(cut.body.vertices))))


live = Live(cracks)


class BRITTLE_OT_preview(bpy.types.Operator):
    """Show where the object would be cut, as lines that follow every setting; nothing in the file changes"""

    bl_idname = idnames.Operator.PREVIEW
    bl_label = "Preview Cracks"

    @classmethod
    def poll(cls, context):
        return live.is_on() or poll_targets(cls, context)

    def execute(self, context):
        if live.is_on():
            live.stop()
            quick_cut.forget()
            return {"FINISHED"}
        live.start(context)
        if live.note:
            self.report({"WARNING"}, live.note)
        return {"FINISHED"}


def register() -> None:
    """Register the operator."""
    bpy.utils.register_class(BRITTLE_OT_preview)


def unregister() -> None:
    """Stop the preview and take the operator away."""
    live.stop()
    quick_cut.forget()
    bpy.utils.unregister_class(BRITTLE_OT_preview)
