"""What stands in the way of the pieces: the switch, the list, and how to add to it."""

import bpy

from ..operators import collider, idnames
from .sidebar import LISTED, Section, draw_params, draw_text

#: The value of the scene that stands here instead of under Ground & Motion.
SWITCH = "use_colliders"


class BRITTLE_PT_collisions(Section, bpy.types.Panel):
    """What pieces bounce off beside the ground."""

    bl_idname = idnames.Panel.COLLISIONS
    bl_label = "Collisions"

    def draw(self, context):
        layout = self.layout
        scene = getattr(context.scene, idnames.SCENE)
        draw_params(layout, scene, only=(SWITCH,))
        if not scene.use_colliders:
            return
        row = layout.row(align=True)
        row.operator(idnames.Operator.COLLIDER_ADD, icon="ADD")
        row.operator(idnames.Operator.COLLIDER_REMOVE, icon="REMOVE")
        col = layout.column(align=True)
        found = collider.listed(context)
        if not found:
            draw_text(col, context, "None: select what the pieces should bounce off, and add it", "INFO")
        for name, why in found[:LISTED]:
            col.label(text=f"{name} ({why})", icon="MESH_DATA")
        if len(found) > LISTED:
            col.label(text=f"and {len(found) - LISTED} more", icon="BLANK1")


CLASSES = (BRITTLE_PT_collisions,)
