"""The head of the tab: material, count, seed, and the two buttons."""

import bpy

from ..operators import idnames
from ..operators.settings import method_group
from ..operators.targets import targets
from .presets import BRITTLE_PT_presets
from .sidebar import Sidebar, object_settings


class BRITTLE_PT_main(Sidebar, bpy.types.Panel):
    """Break the selected object."""

    bl_idname = idnames.Panel.MAIN
    bl_label = "Brittle"

    def draw(self, context):
        layout = self.layout
        if targets(context):
            self._draw_choices(context)
        else:
            layout.label(text="Select a mesh object", icon="INFO")
        row = layout.row()
        row.scale_y = 1.8
        row.operator(idnames.Operator.SHATTER, icon="MOD_EXPLODE")
        layout.operator(idnames.Operator.RESTORE, icon="LOOP_BACK")

    def _draw_choices(self, context):
        settings = object_settings(context)
        BRITTLE_PT_presets.draw_menu(self.layout, settings.preset or "Choose a Material")
        col = self.layout.column()
        col.use_property_split = True
        col.use_property_decorate = False
        pieces = method_group(settings, "pieces")
        if hasattr(pieces, "count"):
            col.prop(pieces, "count")
        col.prop(settings, "seed")


CLASSES = (BRITTLE_PT_main,)
