"""Select Pieces: those that are small or large, near or far, of a generation, at rest or on their way."""

from collections.abc import Callable

import bpy
import numpy as np

from ..core.wording import count
from . import idnames
from .bridge import measures, names
from .bridge.restore import sources_by_piece
from .bridge.siblings import sources_of
from .registering import registration_of
from .targets import poll_found

#: What pieces are chosen by: identifier, label, tooltip, the number that files store.
BY = [
    ("SIZE", "Size", "Pieces smaller or larger than a length, measured across", 1),
    ("IMPACT", "Distance to Impact", "Pieces that were nearer to a hit than a distance when they came to be", 2),
    ("CURSOR", "Distance to Cursor", "Pieces that are nearer to the 3D cursor than a distance", 3),
    ("GENERATION", "Generation", "Pieces of a whole object are 1, pieces of these are 2, and so on", 4),
    ("REST", "Resting", "Pieces that do not move from the current frame to the next one", 5),
]
#: Choices that compare with a length.
LENGTHS = ("SIZE", "IMPACT", "CURSOR")


class BRITTLE_OT_select_pieces(bpy.types.Operator):
    """Select pieces that are seen by their size, place, generation or movement"""

    bl_idname = idnames.Operator.SELECT_PIECES
    bl_label = "Select Pieces"
    bl_options = {"REGISTER", "UNDO"}

    by: bpy.props.EnumProperty(name="By", description="What pieces are chosen by", items=BY)
    length: bpy.props.FloatProperty(
        name="Length",
        description="Pieces up to this length are selected; 0 takes the middle one, so that half of them are",
        unit="LENGTH",
        min=0.0,
        options={"SKIP_SAVE"},
    )
    generation: bpy.props.IntProperty(name="Generation", description="Pieces of this generation", default=1, min=1)
    others: bpy.props.BoolProperty(
        name="The Others", description="All other pieces instead: larger, farther, of other generations, moving"
    )
    extend: bpy.props.BoolProperty(name="Extend", description="Keep selected what is selected")

    @classmethod
    def poll(cls, context):
        return poll_found(cls, context, any(map(_is_home, bpy.data.collections)), "Shatter an object first")

    def execute(self, context):
        pieces = seen_pieces(context)
        if self.by == "IMPACT" and not any(_has_hits(piece) for piece in pieces):
            self.report({"ERROR"}, "It is not known where these pieces were hit: choose Distance to Cursor instead.")
            return {"CANCELLED"}
        fits = self._fitting(context, pieces)
        chosen = [piece for piece, fit in zip(pieces, fits, strict=True) if fit != self.others]
        if not self.extend:
            for obj in context.view_layer.objects.selected:
                obj.select_set(False)
        for piece in chosen:
            piece.select_set(True)
        if chosen:
            context.view_layer.objects.active = chosen[0]
        self.report({"INFO"}, f"{count(len(chosen), 'piece')} of {len(pieces)} selected.")
        return {"FINISHED"}

    def draw(self, context):
        """The redo panel: what does not count is not shown."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "by")
        if self.by in LENGTHS:
            layout.prop(self, "length")
        if self.by == "GENERATION":
            layout.prop(self, "generation")
        layout.prop(self, "others")
        layout.prop(self, "extend")

    def _fitting(self, context, pieces: list[bpy.types.Object]) -> list[bool]:
        if self.by == "GENERATION":
            return [measures.generation_of(piece) == self.generation for piece in pieces]
        if self.by == "REST":
            return [measures.rests(piece, context.scene) for piece in pieces]
        lengths = [MEASURE[self.by](context, piece) for piece in pieces]
        if self.length == 0.0 and lengths:
            self.length = float(np.median(lengths))
        return [np.float32(length) <= np.float32(self.length) for length in lengths]  # Blender stores 32 bits


def seen_pieces(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The pieces that can be selected now, by name: of the objects that are selected or active, else of all."""
    layer = context.view_layer
    known = sources_by_piece()
    pieces = [obj for obj in context.visible_objects if obj in known and names.FRAGMENT in obj]
    chosen = {known.get(obj, obj) for obj in (layer.objects.active, *layer.objects.selected) if obj is not None}
    mine = [piece for piece in pieces if not chosen.isdisjoint(sources_of(piece, known))]
    return sorted(mine or pieces, key=lambda piece: piece.name_full)


def _from_hits(context: bpy.types.Context, piece: bpy.types.Object) -> float:
    home = measures.home_of(piece)
    away = measures.hits_of(home) - measures.place_at_birth(piece) if home is not None else np.zeros((0, 3))
    return float(np.sqrt(np.square(away).sum(axis=1).min(initial=np.inf)))


def _from_cursor(context: bpy.types.Context, piece: bpy.types.Object) -> float:
    return float((piece.matrix_world.translation - context.scene.cursor.location).length)


MEASURE: dict[str, Callable[[bpy.types.Context, bpy.types.Object], float]] = {
    "SIZE": lambda _, piece: measures.size_of(piece),
    "IMPACT": _from_hits,
    "CURSOR": _from_cursor,
}


def _has_hits(piece: bpy.types.Object) -> bool:
    home = measures.home_of(piece)
    return home is not None and len(measures.hits_of(home)) > 0


def _is_home(collection: bpy.types.Collection) -> bool:
    return names.SOURCE in collection


register, unregister = registration_of(BRITTLE_OT_select_pieces)
