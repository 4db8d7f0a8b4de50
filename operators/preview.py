"""Preview Cracks: where the active object would be cut, as lines in the 3D view that follow every setting.

Blender tells of each change after it has happened; the lines are made anew in a timer right after that, since
handlers and drawing must not look at half-evaluated data. Nothing in the file changes. The cut is kept in memory,
so that a Shatter with the same settings does not cut again.
"""

from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ..core import pipeline
from ..core.cells.outline import crack_lines
from ..core.diagram import diagram_of
from ..core.errors import BrittleError
from ..core.geometry.mesh import diagonal
from ..core.intake.ladder import intake
from ..core.repair import Repair
from ..core.settings import Settings
from ..core.types import Body, Mesh
from . import idnames, settings, warm_up
from .bridge import diagram
from .bridge.impacts import Blow, impacts_on
from .bridge.read import read_shape
from .bridge.restore import is_shattered
from .job import JobOperator
from .overlay import Overlay
from .pattern import with_meshes
from .targets import poll_targets, targets

#: [s] between two looks at a compilation that has not ended.
PATIENCE = 0.5
#: Lines stand off the skin by this share of the object's diagonal, so that the skin does not hide them.
LIFT = 1e-3


@dataclass(eq=False, slots=True)
class _Session:
    """A running preview."""

    overlay: Overlay
    given: tuple[Mesh, Repair, bool] | None = None  #: what the body was made of
    body: Body | None = None
    note: str = ""  #: why there are no lines, in a sentence


_session: _Session | None = None


def is_on() -> bool:
    """Whether the preview runs."""
    return _session is not None


def note() -> str:
    """Why the preview shows nothing, in a sentence; empty where it shows something."""
    return "" if _session is None else _session.note


def start(context: bpy.types.Context) -> None:
    """Show the cracks, and follow what changes."""
    global _session
    if _session is None:
        _session = _Session(Overlay())
        bpy.app.handlers.depsgraph_update_post.append(_changed)
        bpy.app.handlers.load_post.append(_changed)
        settings.listeners.append(_changed)
    if warm_up.is_busy():
        _changed()
    refresh(context)


def stop() -> None:
    """Take the lines away, and listen no more."""
    global _session
    if _session is None:
        return
    bpy.app.handlers.depsgraph_update_post.remove(_changed)
    bpy.app.handlers.load_post.remove(_changed)
    settings.listeners.remove(_changed)
    if bpy.app.timers.is_registered(_refresh_soon):
        bpy.app.timers.unregister(_refresh_soon)
    _session.overlay.remove()
    _session = None


def refresh(context: bpy.types.Context) -> np.ndarray:
    """Make the lines (n,2,3) anew, in world coordinates of the scene's units, and show them."""
    lines, text = np.zeros((0, 2, 3)), ""
    found = targets(context)
    if warm_up.is_busy():  # compiling here as well would freeze the window
        text = "Compiling (first use only)"
    elif found and context.mode == "OBJECT" and not is_shattered(found[0]):
        try:
            lines = _lines(context, found[0])
        except BrittleError as error:
            text = str(error)
    _session.note = text
    _session.overlay.show(lines)
    return lines


def _lines(context: bpy.types.Context, obj: bpy.types.Object) -> np.ndarray:
    shape = read_shape(context, obj)
    chosen = with_meshes(context, obj, _quick(settings.settings_from(obj, shape.unit_scale)))
    body = _body(shape.mesh, chosen.repair, chosen.material.thin)
    render = context.scene.render
    impacts, _ = impacts_on(context, obj, shape.mesh, shape, render.fps / render.fps_base, Blow())
    hits = pipeline.resolved(impacts, body)
    made, _ = diagram_of(body, hits, chosen, lambda key: diagram.load(obj, key))
    diagram.hold(made)
    lines = crack_lines(made.cells, body, LIFT * diagonal(body.vertices))
    return lines / shape.unit_scale + shape.origin


def _quick(chosen: Settings) -> Settings:
    """The settings with rough faces in the quality of previews; flat ones as they are, for a Shatter to use the cut."""
    if chosen.surface.octaves == 0:
        return chosen
    return replace(chosen, surface=replace(chosen.surface, quality="preview"))


def _body(mesh: Mesh, repair: Repair, thin: bool) -> Body:
    """The body of a mesh; a mesh that is as it was is not looked at again."""
    if _session.given is None or not _same(_session.given, (mesh, repair, thin)):
        _session.body = None
        _session.given = (mesh, repair, thin)
    if _session.body is None:
        _session.body = intake(mesh, repair, thin=thin).body  # raises again what it raised before
    return _session.body


def _same(a: tuple[Mesh, Repair, bool], b: tuple[Mesh, Repair, bool]) -> bool:
    arrays = ("vertices", "triangles", "turn")
    return a[1:] == b[1:] and all(np.array_equal(getattr(a[0], name), getattr(b[0], name)) for name in arrays)


@persistent
def _changed(*_: object) -> None:
    if not bpy.app.timers.is_registered(_refresh_soon):
        bpy.app.timers.register(_refresh_soon, first_interval=0.0)


def _refresh_soon() -> float | None:
    if _session is None or JobOperator.shown is not None:
        return None
    refresh(bpy.context)
    return PATIENCE if warm_up.is_busy() else None


class BRITTLE_OT_preview(bpy.types.Operator):
    """Show where the object would be cut, as lines that follow every setting; nothing in the file changes"""

    bl_idname = idnames.Operator.PREVIEW
    bl_label = "Preview Cracks"

    @classmethod
    def poll(cls, context):
        return is_on() or poll_targets(cls, context)

    def execute(self, context):
        if is_on():
            stop()
            return {"FINISHED"}
        start(context)
        if note():
            self.report({"WARNING"}, note())
        return {"FINISHED"}


def register() -> None:
    """Register the operator."""
    bpy.utils.register_class(BRITTLE_OT_preview)


def unregister() -> None:
    """Stop the preview and take the operator away."""
    stop()
    bpy.utils.unregister_class(BRITTLE_OT_preview)
