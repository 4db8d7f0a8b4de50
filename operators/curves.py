"""Draw Curve: a curve of the settings that is pulled by its points, in place of its text."""

from dataclasses import dataclass, field

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


@dataclass(slots=True)
class _Shown:
    """A curve as it was shown last, with all that was selected then."""

    where: tuple[int, str, tuple[int, ...]] = (0, "", ())
    points: list[tuple[float, float]] = field(default_factory=list)


_shown: dict[str, _Shown] = {}
_pulled: set[tuple[str, str, str]] = set()


def share_soon(group: bpy.types.PropertyGroup, name: str, context: bpy.types.Context) -> None:
    """For what is being drawn: where a curve was pulled since it was drawn last, give it soon to all others selected.

    Blender calls nothing when a point is pulled, but it draws the sidebar anew.
    """
    obj = group.id_data
    chosen = tuple(sorted(one.session_uid for one in context.view_layer.objects.selected))
    now = _Shown((obj.session_uid, name, chosen), curves.points_of(drawn.node_of(group, name)))
    before = _shown.get(name)
    _shown[name] = now
    if before is None or before.where != now.where or before.points == now.points or len(chosen) < 2:
        return
    _pulled.add((obj.name_full, group.path_from_id(), name))
    if not bpy.app.timers.is_registered(share_now):
        bpy.app.timers.register(share_now, first_interval=0.0)


def share_now() -> None:
    """Do so."""
    pulled = [*_pulled]
    _pulled.clear()
    chosen = targets(bpy.context)
    for full_name, path, name in pulled:
        source = next((obj for obj in chosen if obj.name_full == full_name), None)
        for obj in chosen if source is not None else ():
            if obj != source and obj.is_editable and obj.override_library is None:
                drawn.share(source.path_resolve(path), obj.path_resolve(path), name)


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
    for call in (own_now, share_now):
        if bpy.app.timers.is_registered(call):
            bpy.app.timers.unregister(call)
    _shown.clear()
    _pulled.clear()
    unregister_classes([BRITTLE_OT_curve_draw])
