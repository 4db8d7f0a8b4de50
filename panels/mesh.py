"""What becomes of a mesh that cannot be cut as it is: the choices, the check, and what is allowed."""

import bpy

from ..operators import check, idnames
from ..operators.generated import shown
from ..operators.targets import target
from .sidebar import Section, draw_params, draw_switches, draw_text, object_settings

PERMISSION = "allow_"


class BRITTLE_PT_mesh(Section, bpy.types.Panel):
    """Which repairs the mesh gets."""

    bl_idname = idnames.Panel.MESH
    bl_label = "Mesh"

    def draw(self, context):
        repair = object_settings(context).repair
        permissions = [name for name, _ in shown(repair) if name.startswith(PERMISSION)]
        draw_params(self.layout, repair, without=permissions)
        row = self.layout.row(align=True)
        row.operator(idnames.Operator.CHECK_MESH, icon="VIEWZOOM")
        row.operator(idnames.Operator.SELECT_PROBLEM, icon="RESTRICT_SELECT_OFF")
        for text, icon in check.lines(target(context)):
            draw_text(self.layout, context, text, icon)
        header, body = self.layout.panel("brittle_allowed", default_closed=True)
        header.label(text="Allowed Repairs")
        if body is not None:
            draw_switches(body, repair, permissions)


CLASSES = (BRITTLE_PT_mesh,)
