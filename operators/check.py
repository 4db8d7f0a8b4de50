"""Check Mesh: what the intake finds and would do; Select Problem: the faces for which it refuses a mesh."""

import bpy

from ..core.errors import BrittleError, MeshError
from ..core.intake.account import Taken
from ..core.intake.ladder import intake
from . import idnames, settings, warm_up
from .around import seen
from .bridge.read import read_shape
from .bridge.select import select_triangles
from .targets import poll_targets, targets

#: Lines with an icon each about the mesh that was checked last, and the name of its object.
_last: tuple[str, list[tuple[str, str]]] = ("", [])


def lines(obj: bpy.types.Object) -> list[tuple[str, str]]:
    """What the last check said about an object; nothing where another one was checked last."""
    return _last[1] if _last[0] == obj.name else []


def check(context: bpy.types.Context, obj: bpy.types.Object) -> Taken:
    """Take the mesh of an object as Shatter would. Raises InputError or MeshError where it is refused."""
    with seen(context, obj):
        shape = read_shape(context, obj)
    chosen = settings.settings_from(obj, shape.unit_scale)
    return intake(shape.mesh, chosen.repair, thin=chosen.material.thin)


def _in_words(taken: Taken) -> list[tuple[str, str]]:
    good = [] if taken.steps else [("Nothing to repair", "CHECKMARK")]
    return [
        *good,
        *((text, "ERROR") for text in taken.warnings),
        *((text, "MODIFIER") for text in taken.repaired),
        *((text, "INFO") for text in taken.advice),
    ]


class BRITTLE_OT_check_mesh(bpy.types.Operator):
    """Look at the object as Shatter would, and say what is wrong with its mesh and what would be repaired"""

    bl_idname = idnames.Operator.CHECK_MESH
    bl_label = "Check Mesh"

    @classmethod
    def poll(cls, context):
        return poll_targets(cls, context)

    def execute(self, context):
        global _last
        obj = targets(context)[0]
        for _ in warm_up.waiting():
            pass
        try:
            said = _in_words(check(context, obj))
        except BrittleError as error:
            _last = (obj.name, [(str(error), "ERROR")])
            self.report({"WARNING"}, str(error))
            return {"FINISHED"}
        _last = (obj.name, said)
        self.report({"INFO"}, " ".join(text for text, _ in said))
        return {"FINISHED"}


class BRITTLE_OT_select_problem(bpy.types.Operator):
    """Enter Edit Mode with the faces selected for which the object is refused"""

    bl_idname = idnames.Operator.SELECT_PROBLEM
    bl_label = "Select Problem"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_targets(cls, context)

    def execute(self, context):
        obj = targets(context)[0]
        try:
            check(context, obj)
        except MeshError as error:
            return self._select(context, obj, error)
        except BrittleError as error:
            self.report({"WARNING"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f'"{obj.name}" is not refused: nothing to select.')
        return {"CANCELLED"}

    def _select(self, context, obj, problem):
        try:
            count = select_triangles(context, obj, problem.rows)
        except BrittleError as error:
            self.report({"WARNING"}, f"{problem} {error}")
            return {"CANCELLED"}
        self.report({"WARNING"}, f"{problem} {count} faces are selected.")
        return {"FINISHED"}


CLASSES = (BRITTLE_OT_check_mesh, BRITTLE_OT_select_problem)


def register() -> None:
    """Register the operators."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Take the operators away, and forget what was checked."""
    global _last
    _last = ("", [])
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
