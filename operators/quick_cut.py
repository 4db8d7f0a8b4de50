"""The cut of the active object as previews show it: quick where faces are rough, and never made twice.

The cut is kept in memory, so that a Shatter with the same settings does not cut again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..core import pipeline
from ..core.diagram import diagram_of
from ..core.intake.ladder import intake
from ..core.repair import Repair
from ..core.settings import Settings
from ..core.types import Body, Cells, Mesh, Painted
from . import settings
from .bridge import diagram
from .bridge.impacts import impacts_on
from .bridge.paint import Paint, read_paint
from .bridge.read import Shape, read_mesh, read_shape
from .bridge.viewer import heading_for
from .pattern import with_meshes


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """An object that is cut, and what is painted on it."""

    shape: Shape
    body: Body
    cells: Cells
    settings: Settings
    painted: tuple[Painted, ...]

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Points (...,3) of body coordinates in the world, in the scene's units."""
        return points / self.shape.unit_scale + self.shape.origin


def cut_of(context: bpy.types.Context, obj: bpy.types.Object, paints: Sequence[Paint] = ()) -> Cut:
    """The object cut as its settings say, with those of the paints that it has. Raises InputError or CutError."""
    shape, painted = _looked_at(context, obj, paints)
    chosen = with_meshes(context, obj, _quick(settings.settings_from(obj, shape.unit_scale)))
    body = _body(shape.mesh, chosen.repair, chosen.material.thin)
    render, now = context.scene.render, context.scene.frame_current
    impacts, _ = impacts_on(
        context, obj, shape.mesh, shape, render.fps / render.fps_base, now, heading_for(context, obj)
    )
    hits = pipeline.resolved(impacts, body)
    made, _ = diagram_of(body, hits, chosen, lambda key: diagram.load(obj, key))
    diagram.hold(made)
    return Cut(shape, body, made.cells, chosen, painted)


def _looked_at(
    context: bpy.types.Context, obj: bpy.types.Object, paints: Sequence[Paint]
) -> tuple[Shape, tuple[Painted, ...]]:
    """The shape of the object, and its paint; all that fragments inherit is read only where there is some."""
    shape = read_shape(context, obj)
    if not paints:
        return shape, ()
    _, source = read_mesh(obj, context.evaluated_depsgraph_get(), shape.unit_scale)
    return shape, read_paint(obj, source, paints)


def _quick(chosen: Settings) -> Settings:
    """The settings with rough faces in the quality of previews; flat ones as they are, for a Shatter to use the cut."""
    if chosen.surface.octaves == 0:
        return chosen
    return replace(chosen, surface=replace(chosen.surface, quality="preview"))


#: What the last body was made of, and that body.
_Given = tuple[Mesh, Repair, bool]
_kept: list[tuple[_Given, Body]] = []


def forget() -> None:
    """Let the last body go."""
    _kept.clear()


def _body(mesh: Mesh, repair: Repair, thin: bool) -> Body:
    """The body of a mesh; a mesh that is as it was is not looked at again."""
    given = mesh, repair, thin
    if not (_kept and _same(_kept[0][0], given)):
        forget()
        _kept.append((given, intake(mesh, repair, thin=thin).body))
    return _kept[0][1]


def _same(a: _Given, b: _Given) -> bool:
    arrays = ("vertices", "triangles", "turn")
    return a[1:] == b[1:] and all(np.array_equal(getattr(a[0], name), getattr(b[0], name)) for name in arrays)
