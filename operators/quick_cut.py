"""The cut of the active object as previews show it: quick where faces are rough, and never made twice.

The cut is kept in memory, so that a Shatter with the same settings does not cut again. Where that of the result is
there already, it is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..core import pipeline
from ..core.config.params import DeclaredParams
from ..core.config.repair import Repair
from ..core.continuum import CONTINUA
from ..core.diagram import ShatterDiagram, diagram_key, make_diagram
from ..core.errors import InputError
from ..core.settings import Settings
from ..core.setup import repair_steps
from ..core.stepwise import result_of
from ..core.types import Body, Cells, Impact, Influence, Mesh, Painted
from . import blow_view, idnames, settings
from .bridge import diagram
from .bridge.clock import frames_per_second
from .bridge.impacts import blows_on
from .bridge.influence import read_influence
from .bridge.paint import Paint, read_paint, wanted
from .bridge.read import Shape, read_mesh, read_shape
from .pattern import with_meshes


@dataclass(frozen=True, eq=False, slots=True)
class QuickCut:
    """An object that is cut, and what is painted on it."""

    shape: Shape
    body: Body
    diagram: ShatterDiagram
    impacts: tuple[Impact, ...]  #: resolved
    settings: Settings  #: as they are, for the result
    exact: bool  #: whether it is the cut of the result, and no quicker one
    painted: tuple[Painted, ...]
    influence: Influence  #: what is anchored
    start: int  #: frame of the first impact

    @property
    def cells(self) -> Cells:
        """The cells of the cut."""
        return self.diagram.cells

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Points (...,3) of body coordinates in the world, in the scene's units."""
        scale = self.shape.unit_scale
        return (points if scale == 1.0 else points / scale) + self.shape.origin


def cut_of(context: bpy.types.Context, obj: bpy.types.Object, paints: Sequence[Paint] | None = None) -> QuickCut:
    """The object cut as its settings say, with what is anchored, and those of the paints that it has.

    Without `paints` they are those that its fields ask for. Raises InputError or CutError.
    """
    shape, chosen, body = read_body(context, obj)
    if chosen.breaking in CONTINUA:
        raise InputError(f"'{obj.name}' has no cracks before it breaks: it deforms until it tears.")
    now = context.scene.frame_current
    fps = frames_per_second(context.scene)
    blows = blows_on(context, obj, shape.mesh, shape, fps, now, blow_view.heading(context, obj))
    hits = pipeline.resolve_impacts(blows.hits, body)
    made, exact = _made(obj, body, hits, chosen)
    painted, influence = _read(context, obj, shape, wanted(chosen.fields) if paints is None else paints, blows.start)
    return QuickCut(shape, body, made, hits, chosen, exact, painted, influence, blows.start)


def read_body(context: bpy.types.Context, obj: bpy.types.Object) -> tuple[Shape, Settings, Body]:
    """The object with its settings, as it is before it is cut. Raises InputError."""
    shape = read_shape(context, obj)
    chosen = with_meshes(context, obj, settings.settings_from(obj, shape.unit_scale))
    return shape, chosen, _body(shape.mesh, chosen)


def _made(
    obj: bpy.types.Object, body: Body, impacts: tuple[Impact, ...], chosen: Settings
) -> tuple[ShatterDiagram, bool]:
    """The cut of the result where it is known or quick, else a quicker one; and which of both it is."""
    quick = _quick(chosen)
    made, exact = None, quick == chosen
    if not exact:
        made = diagram.load(obj, diagram_key(body, impacts, chosen))
        exact = made is not None
    if made is None:
        made, _ = make_diagram(body, impacts, quick, lambda key: diagram.load(obj, key))
    diagram.hold(made)
    return made, exact


def _read(
    context: bpy.types.Context, obj: bpy.types.Object, shape: Shape, paints: Sequence[Paint], start: int
) -> tuple[tuple[Painted, ...], Influence]:
    """What is painted on an object, and what of it is anchored; what fragments inherit is read only where there is any.

    `start`: frame of the first impact.
    """
    if not paints and not getattr(obj, idnames.OBJECT).anchored_group:
        return (), Influence()
    _, source = read_mesh(obj, context.evaluated_depsgraph_get(), shape.unit_scale)
    influence = read_influence(context, obj, source, start, frames_per_second(context.scene))
    return read_paint(obj, source, paints), influence


def _quick(chosen: Settings) -> Settings:
    """The settings with rough faces in the quality of previews; flat ones as they are, for a Shatter to use the cut."""
    if chosen.surface.octaves == 0:
        return chosen
    return replace(chosen, surface=replace(chosen.surface, quality="preview"))


#: What the last body was made of, of settings what counts for it, and that body.
_Given = tuple[Mesh, Repair, bool, DeclaredParams | None]
_kept: list[tuple[_Given, Body]] = []


def forget() -> None:
    """Let the last body go."""
    _kept.clear()


def _body(mesh: Mesh, chosen: Settings) -> Body:
    """The body of a mesh; a mesh that is as it was is not looked at again."""
    thickens = chosen.breaking_params if chosen.breaking in CONTINUA else None
    given = mesh, chosen.repair, chosen.material.thin, thickens
    if not (_kept and _same(_kept[0][0], given)):
        forget()
        _kept.append((given, result_of(repair_steps(mesh, chosen)).body))
    return _kept[0][1]


def _same(a: _Given, b: _Given) -> bool:
    arrays = ("vertices", "triangles", "turn")
    return a[1:] == b[1:] and all(np.array_equal(getattr(a[0], name), getattr(b[0], name)) for name in arrays)
