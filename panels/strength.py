"""Where an object is strong and weak: the stack of fields, and the settings of the active one."""

import bpy

from ..operators import field_groups, idnames, preview_strength
from ..operators.targets import target
from .sidebar import Section, draw_params, draw_text, object_settings, split

#: The value of a painted field that names what is painted; it is searched for by its source.
NAME = "name"
ICONS = {"group": "GROUP_VERTEX", "image": "IMAGE_DATA", "attribute": "SPREADSHEET"}


class BRITTLE_UL_fields(bpy.types.UIList):
    """The fields of an object, each with its switch."""

    bl_idname = idnames.FIELD_LIST

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_name, _index=0, _flag=0):
        row = layout.row()
        row.active = item.on
        row.label(text=described(item))
        row.prop(item, "on", text="")


def described(item):
    """What the list calls a field."""
    label = next(label for kind, label, _, _ in field_groups.KINDS if kind == item.kind)
    painted = field_groups.name_of_paint(item) if item.kind == field_groups.PAINTED else ""
    return f"{label}: {painted}" if painted else label


class BRITTLE_PT_strength(Section, bpy.types.Panel):
    """Fields of strength, density and prestress."""

    bl_idname = idnames.Panel.STRENGTH
    bl_label = "Strength Fields"

    def draw(self, context):
        settings = object_settings(context)
        self._draw_list(settings)
        item = field_groups.active(settings)
        if item is not None or preview_strength.live.is_on():
            self._draw_preview(context)
        if item is None:
            draw_text(self.layout, context, "None: the object is as strong everywhere as its pieces say", "INFO")
            return
        self.layout.prop(item, "kind", text="")
        group = field_groups.own_group(item)
        if item.kind == field_groups.PAINTED:
            draw_params(self.layout, group, only=("source",))
            self._draw_search(group, target(context))
            taken = field_groups.name_of_paint(item)
            if taken != group.name:
                draw_text(self.layout, context, f"Empty takes '{taken}', the only group", "INFO")
            draw_params(self.layout, group, without=("source", NAME))
        else:
            draw_params(self.layout, group)

    def _draw_list(self, settings):
        row = self.layout.row()
        row.template_list(idnames.FIELD_LIST, "", settings, "fields", settings, "active_field", rows=4)
        col = row.column(align=True)
        col.operator_menu_enum(idnames.Operator.FIELD_ADD, "kind", text="", icon="ADD")
        col.operator(idnames.Operator.FIELD_REMOVE, text="", icon="REMOVE")
        col.separator()
        col.operator(idnames.Operator.FIELD_MOVE, text="", icon="TRIA_UP").up = True
        col.operator(idnames.Operator.FIELD_MOVE, text="", icon="TRIA_DOWN").up = False

    def _draw_preview(self, context):
        row = self.layout.row(align=True)
        row.label(text="Preview", icon="HIDE_OFF")
        for shown, label, _, _ in preview_strength.SHOWN:
            pressed = preview_strength.shows() == shown
            row.operator(idnames.Operator.PREVIEW_STRENGTH, text=label, depress=pressed).shown = shown
        text, wrong = preview_strength.note()
        if text:
            draw_text(self.layout, context, text, "ERROR" if wrong else "INFO")

    def _draw_search(self, group, obj):
        """A box that offers what the object has; modifiers may make further attributes, so any name is taken."""
        col, icon = split(self.layout), ICONS[group.source]
        if group.source == "image":
            col.prop_search(group, NAME, bpy.data, "images", text="Image", icon=icon)
        elif group.source == "group":
            col.prop_search(group, NAME, obj, "vertex_groups", text="Group", icon=icon)
        elif hasattr(obj.data, "attributes"):
            col.prop_search(
                group, NAME, obj.data, "attributes", text="Attribute", icon=icon, results_are_suggestions=True
            )
        else:
            col.prop(group, NAME, text="Attribute", icon=icon)


CLASSES = (BRITTLE_UL_fields, BRITTLE_PT_strength)
