"""Check Mesh: what the intake finds and would do; Select Problem: the faces for which it refuses a mesh."""

from collections.abc import Generator

import bpy

from ..core.errors import BrittleError, MeshError
from ..core.intake.account import RepairResult
from ..core.setup import repair_steps
from ..core.types import Progress
from . import idnames, settings
from .around import seen
from .aside import Aside
from .bridge.read import read_shape
from .bridge.select import select_triangles
from .job import JobOperator, prepared
from .targets import poll_targets, targets

#: Lines with an icon each about the mesh that was checked last, and the name of its object.
_last: tuple[str, list[tuple[str, str]]] = ("", [])


def lines(obj: bpy.types.Object) -> list[tuple[str, str]]:
    """What the last check said about an object; nothing where another one was checked last."""
    return _last[1] if _last[0] == obj.name else []


def check_steps(
    context: bpy.types.Context, obj: bpy.types.Object, *, beside: bool = False
) -> Generator[Progress, None, RepairResult | BrittleError]:
    """Take the mesh of an object as Shatter would; gives the error for which it is refused.

    With `beside` the core works in a thread while this waits, see `aside`.
    """
    yield Progress(0.0, "Looking at the mesh")
    try:
        with seen(context, obj):
            shape = read_shape(context, obj)
        chosen = settings.settings_from(obj, shape.unit_scale)
        job = repair_steps(shape.mesh, chosen)
        return (yield from Aside(beside).waiting_for(job))
    except BrittleError as error:
        return error


def _in_words(taken: RepairResult) -> list[tuple[str, str]]:
    good = [] if taken.steps else [("Nothing to repair", "CHECKMARK")]
    return [
        *good,
        *((text, "ERROR") for text in taken.warnings),
        *((text, "MODIFIER") for text in taken.repaired),
        *((text, "INFO") for text in taken.advice),
    ]


class _Checking(JobOperator):
    """Mixin for an operator that wants to know how the mesh of the active object is taken."""

    def steps(self, context):
        """The work, as a job."""
        self.checked = targets(context)[0]
        return prepared(check_steps(context, self.checked, beside=self.beside))

    def reads(self, context):
        """What must stay as it is while the job runs."""
        return [self.checked]


class BRITTLE_OT_check_mesh(_Checking, bpy.types.Operator):
    """Look at the object as Shatter would, and say what is wrong with its mesh and what would be repaired"""

    bl_idname = idnames.Operator.CHECK_MESH
    bl_label = "Check Mesh"

    @classmethod
    def poll(cls, context):
        return poll_targets(cls, context)

    def finish(self, context, taken):
        """Keep and tell what was found."""
        global _last
        if isinstance(taken, BrittleError):
            _last = (self.checked.name, [(str(taken), "ERROR")])
            self.report({"WARNING"}, str(taken))
            return {"FINISHED"}
        said = _in_words(taken)
        _last = (self.checked.name, said)
        self.report({"INFO"}, " ".join(text for text, _ in said))
        return {"FINISHED"}


class BRITTLE_OT_select_problem(_Checking, bpy.types.Operator):
    """Enter Edit Mode with the faces selected for which the object is refused"""

    bl_idname = idnames.Operator.SELECT_PROBLEM
    bl_label = "Select Problem"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return poll_targets(cls, context)

    def finish(self, context, taken):
        """Select what is wrong."""
        if isinstance(taken, MeshError):
            return self._select(context, self.checked, taken)
        if isinstance(taken, BrittleError):
            self.report({"WARNING"}, str(taken))
            return {"CANCELLED"}
        self.report({"INFO"}, f'"{self.checked.name}" is not refused: nothing to select.')
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
