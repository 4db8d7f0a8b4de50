"""The hits: empties in the scene, their numbers, and how to add one."""

import bpy

from ..operators import idnames
from .sidebar import Sidebar, draw_params, draw_text


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
        empties = [obj for obj in context.scene.objects if getattr(obj, idnames.IMPACT).is_impact]
        if not empties:
            draw_text(layout, context, "None: the hit is where the object is nearest to the 3D cursor", "INFO")
        for obj in empties:
            self._draw_impact(obj, closed=len(empties) > 1)

    def _draw_impact(self, obj, closed):
        header, body = self.layout.panel(f"brittle_{obj.name}", default_closed=closed)
        header.prop(obj, "name", text="")
        if body is not None:
            draw_params(body, getattr(obj, idnames.IMPACT))


CLASSES = (BRITTLE_PT_impacts,)
