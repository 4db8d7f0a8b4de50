"""When an object breaks that moves by itself: threshold, painted fields, spheres and time."""

import bpy

from ..operators import idnames, influence
from ..operators.targets import target
from .sidebar import LISTED, Section, draw_params, draw_with_switch, object_settings, split

#: The value that stands in the header, and the one of the scene that stands here.
SWITCH, MOST = "breaks", "most_pieces"
#: What counts for every break, with the switch or without it.
STANDS, ANCHORED = "stands", "anchored_group"


class BRITTLE_PT_breakable(Section, bpy.types.Panel):
    """What an object stays whole under, and where it is anchored."""

    bl_idname = idnames.Panel.BREAKABLE
    bl_label = "Breaks on Contact"

    def draw_header(self, context):
        self.layout.prop(object_settings(context).breakable, SWITCH, text="")

    def draw(self, context):
        settings = object_settings(context)
        layout = self.layout
        if settings.breakable.breaks:
            draw_params(layout, settings.breakable, without=(SWITCH, STANDS))
            self._draw_fields(layout, settings, target(context))
            self._draw_spheres(layout, context)
            draw_params(layout, getattr(context.scene, idnames.SCENE), only=(MOST,))
        self._draw_anchors(settings, target(context))

    def _draw_anchors(self, settings, obj):
        self.layout.label(text="Anchored, also without contacts:")
        draw_params(self.layout, settings.breakable, only=(STANDS,))
        split(self.layout).prop_search(settings, ANCHORED, obj, "vertex_groups")

    def _draw_fields(self, layout, settings, obj):
        col = split(layout)
        col.prop_search(settings, "weak_group", obj, "vertex_groups")
        col.prop(settings, "weak_image")
        if settings.toughness_group:
            col.prop_search(settings, "toughness_group", obj, "vertex_groups")
        if settings.toughness_image is not None:
            col.prop(settings, "toughness_image")
        col = split(layout)
        for name in ("breaks_from", "breaks_until"):
            draw_with_switch(col, settings, name, settings.bl_rna.properties[name].name)

    def _draw_spheres(self, layout, context):
        layout.operator(idnames.Operator.INFLUENCE_ADD, icon="SPHERE")
        for empty in influence.listed(context)[:LISTED]:
            row = layout.row(align=True)
            row.prop(empty, "name", text="")
            row.prop(empty, "empty_display_size", text="Radius")


CLASSES = (BRITTLE_PT_breakable,)
