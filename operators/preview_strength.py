"""Preview Strength: what the fields make of each bond, as coloured ticks in the 3D view that follow every setting."""

from dataclasses import dataclass, replace

import bpy
import numpy as np

from ..core.config.material import MEGAPASCAL
from ..core.errors import InputError
from ..core.strength.choice import fields_from
from ..core.strength.fields.contract import DENSITY, PRESTRESS, STRENGTH
from ..core.strength.origin import Origin
from ..core.strength.stack import Preview, check_paint, preview
from ..core.types import Cells
from ..core.wording import number
from . import field_groups, idnames, quick_cut
from .bridge.paint import wanted
from .fields import poll_field
from .generated import metres_per_unit
from .live import Live
from .overlay import Lines

#: What is shown: identifier, label, tooltip, number.
FIELD, STACK = "FIELD", "STACK"
SHOWN = [
    (FIELD, "Field", "What the active field does by itself, be it on or off", 1),
    (STACK, "All Fields", "What all fields together do that act on the same as the active one", 2),
]

#: Colours from weak over middling to strong. By eye.
WEAK, MIDDLING, STRONG = (0.95, 0.2, 0.1, 1.0), (0.95, 0.9, 0.6, 1.0), (0.15, 0.4, 1.0, 1.0)
#: Length of a tick over the root of its bond's area, and its width in pixels. By eye.
LENGTH, WIDTH = 0.35, 3.0
#: What values are of, in words.
WORDS = {STRENGTH: "of the strength", DENSITY: "of the density", PRESTRESS: "MPa of tension"}


def ticks(cells: Cells) -> np.ndarray:
    """(B,2,3) a segment through the middle of each bond, along its normal [m]."""
    half = 0.5 * LENGTH * np.sqrt(cells.bond_area)[:, None] * cells.bond_normal
    return np.stack([cells.bond_centroid - half, cells.bond_centroid + half], axis=1)


def colours(values: np.ndarray, acts: str) -> np.ndarray:
    """(B,4) from WEAK at the least of the values (B,) to STRONG at the largest; tension weakens.

    What never breaks counts as the strongest there is. Where all are equal they are MIDDLING.
    """
    strong = -values if acts == PRESTRESS else values
    low, high = limits(strong)
    at = (np.clip(strong, low, high) - low) / (high - low) if high > low else np.full(len(values), 0.5)
    rows = np.array([WEAK, MIDDLING, STRONG])
    return np.stack([np.interp(at, (0.0, 0.5, 1.0), column) for column in rows.T], axis=1)


def limits(values: np.ndarray) -> tuple[float, float]:
    """The least and the largest of the values that are finite; (0, 0) without any."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)


def told(values: np.ndarray, acts: str) -> str:
    """The range of values in words."""
    low, high = (value / MEGAPASCAL if acts == PRESTRESS else value for value in limits(values))
    return f"{number(low)} to {number(high)} {WORDS[acts]}"


@dataclass(slots=True)
class _Choice:
    """What is shown now, and its range in words."""

    shown: str = FIELD
    range: str = ""


_choice = _Choice()


def shows() -> str:
    """What is shown, an identifier of SHOWN; empty where nothing is."""
    return _choice.shown if live.is_on() else ""


def note() -> tuple[str, bool]:
    """The range of what is shown, or why there is nothing; and whether it is that."""
    return (live.note, True) if live.note else (_choice.range if live.is_on() else "", False)


def values_of(context: bpy.types.Context, obj: bpy.types.Object) -> tuple[quick_cut.QuickCut, Preview]:
    """The object as it would be cut, and what its active field and its stack make of the bonds.

    Raises InputError for fields that want what the object does not have, CutError where it cannot be cut.
    """
    own = getattr(obj, idnames.OBJECT)
    if not len(own.fields):
        raise InputError("There is no field to show: add one first.")
    index = field_groups.active_index(own)
    fields = fields_from(field_groups.tables(own, metres_per_unit(context)))
    seen = [replace(one, on=True) if k == index else one for k, one in enumerate(fields)]
    cut = quick_cut.cut_of(context, obj, wanted(seen))
    check_paint(seen, cut.painted, obj.name)
    origin = Origin(cut.body, cut.shape.mesh.turn, cut.painted)
    return cut, preview(origin, cut.cells, fields, index)


def _coloured(context: bpy.types.Context, obj: bpy.types.Object) -> list[Lines]:
    _choice.range = ""
    cut, found = values_of(context, obj)
    values = found.field if _choice.shown == FIELD else found.stack
    _choice.range = told(values, found.acts)
    return [Lines(cut.placed(ticks(cut.cells)), colours(values, found.acts), WIDTH)]


live = Live(_coloured, in_front=True, rest=quick_cut.forget)


class BRITTLE_OT_preview_strength(bpy.types.Operator):
    """Show how strong each bond between pieces is, by coloured ticks: red is weak, blue is strong"""

    bl_idname = idnames.Operator.PREVIEW_STRENGTH
    bl_label = "Preview Strength"

    shown: bpy.props.EnumProperty(items=SHOWN, name="Show", description="What is shown")

    @classmethod
    def poll(cls, context):
        return live.is_on() or poll_field(cls, context)

    def execute(self, context):
        if shows() == self.shown:
            live.stop()
            return {"FINISHED"}
        _choice.shown = self.shown
        live.start(context)
        if live.note:
            self.report({"WARNING"}, live.note)
        return {"FINISHED"}


def register() -> None:
    """Register the operator."""
    bpy.utils.register_class(BRITTLE_OT_preview_strength)


def unregister() -> None:
    """Stop the preview and take the operator away."""
    live.stop()
    bpy.utils.unregister_class(BRITTLE_OT_preview_strength)
