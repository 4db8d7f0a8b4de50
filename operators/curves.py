"""Draw Curve: a curve of the settings that is pulled by its points, in place of its text."""

import bpy

from ..core.errors import InputError
from . import drawn, idnames
from .bridge import curves
from .registering import register_classes, unregister_classes
from .targets import poll_targets, target, targets


class BRITTLE_OT_curve_draw(bpy.types.Operator):
    """Draw the curve, by points that you pull, in place of its numbers; click again for the numbers"""

    bl_idname = idnames.Operator.CURVE_DRAW
    bl_label = "Draw Curve"
    bl_options = {"REGISTER", "UNDO"}

    group: bpy.props.StringProperty(name="Group", description="The settings that the curve belongs to")
    name: bpy.props.StringProperty(name="Name", description="The setting that is a curve")

    @classmethod
    def poll(cls, context):
        if not poll_targets(cls, context):
            return False
        if not target(context).is_editable or target(context).override_library is not None:
            cls.poll_message_set("The object is linked from a library: type the curve")
            return False
        return True

    def execute(self, context):
        own = getattr(target(context), idnames.OBJECT)
        group = getattr(own, self.group, None)
        if group is None or drawn.axes_of(group, self.name) is None:
            self.report({"ERROR"}, f'There is no curve "{self.group} {self.name}".')
            return {"CANCELLED"}
        is_drawn = drawn.node_of(group, self.name) is not None
        try:
            for obj in targets(context):
                if obj.is_editable and obj.override_library is None:
                    change = drawn.as_text if is_drawn else drawn.draw
                    change(getattr(getattr(obj, idnames.OBJECT), self.group), self.name)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


_shared: set[str] = set()


def own_soon(obj: bpy.types.Object) -> None:
    """Give an object that was copied curves of its own as soon as drawing has ended: within it nothing may change."""
    if curves.is_shared(obj):
        _shared.add(obj.name_full)
        if not bpy.app.timers.is_registered(own_now):
            bpy.app.timers.register(own_now, first_interval=0.0)


def own_now() -> None:
    """Do so."""
    for obj in bpy.data.objects:
        if obj.name_full in _shared and obj.is_editable:
            curves.own(obj)
    _shared.clear()


def register() -> None:
    """Register the operator."""
    register_classes([BRITTLE_OT_curve_draw])


def unregister() -> None:
    """Take the operator away."""
    if bpy.app.timers.is_registered(own_now):
        bpy.app.timers.unregister(own_now)
    unregister_classes([BRITTLE_OT_curve_draw])
