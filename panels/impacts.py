"""The hits: empties in the scene, their numbers, and how to add one."""

import bpy

from ..operators import idnames, preferences
from ..operators.targets import known_impacts, target
from .main import FORCE
from .sidebar import Sidebar, draw_params, draw_text, object_settings

#: What happens without an impact.
FROM_THE_VIEWER = "None placed: the blow comes from where you look, or onto the 3D cursor where that is on the surface"


class BRITTLE_PT_impacts(Sidebar, bpy.types.Panel):
    """Where and how hard objects are hit."""

    bl_idname = idnames.Panel.IMPACTS
    bl_parent_id = idnames.Panel.MAIN
    bl_label = "Impacts"

    def draw(self, context):
        layout = self.layout
        row = layout.row(align=True)
        row.operator(idnames.Operator.IMPACT_ADD, icon="EMPTY_SINGLE_ARROW")
        sub = row.row(align=True)
        sub.operator_context = "EXEC_DEFAULT"
        sub.operator(idnames.Operator.IMPACT_ADD, text="At Cursor", icon="PIVOT_CURSOR")
        in_head = () if preferences.shows_everything(context) else FORCE
        empties = known_impacts(context)
        if not empties:
            draw_text(layout, context, FROM_THE_VIEWER, "INFO")
            if target(context) is not None:
                draw_params(layout, object_settings(context).blow, without=in_head)
        for obj in empties:
            self._draw_impact(obj, () if len(empties) > 1 else in_head, closed=len(empties) > 1)

    def _draw_impact(self, obj, without, closed):
        header, body = self.layout.panel(f"brittle_{obj.name}", default_closed=closed)
        header.prop(obj, "name", text="")
        if body is not None:
            draw_params(body, getattr(obj, idnames.IMPACT), without=without)


CLASSES = (BRITTLE_PT_impacts,)
