"""The menu of materials."""

import bpy

from ..operators import idnames, pictures, preferences, preset

#: Groups in the order of the menu; others come after them by name, the artist's own last.
GROUPS = ("Glass", "Ceramic", "Stone", "Masonry", "Wood", "Soft")
OWN = "Own"


class BRITTLE_MT_presets(bpy.types.Menu):
    """Materials to choose from, and one's own to save and remove."""

    bl_idname = idnames.Menu.PRESETS
    bl_label = "Materials"

    def draw(self, context):
        layout = self.layout
        for title, entries in grouped(preset.entries()):
            layout.label(text=title)
            for entry in entries:
                self._draw_entry(entry)
            layout.separator()
        layout.operator(idnames.Operator.PRESET_APPLY, text="None", icon="X").name = ""
        if (chosen := preferences.chosen(context)) is not None:
            layout.prop(chosen, "shaders")
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator(idnames.Operator.PRESET_SAVE, text="Save as Preset...", icon="ADD")
        if preset.own():
            layout.menu(idnames.Menu.PRESETS_OWN, icon="REMOVE")

    def _draw_entry(self, entry):
        picture = pictures.icon_of(entry.path)
        shown = {"icon_value": picture} if picture else {"icon": "BLANK1"}
        operator = self.layout.operator(idnames.Operator.PRESET_APPLY, text=entry.name, translate=False, **shown)
        operator.name = entry.name


class BRITTLE_MT_presets_own(bpy.types.Menu):
    """The artist's own presets, to remove them."""

    bl_idname = idnames.Menu.PRESETS_OWN
    bl_label = "Remove Preset"

    def draw(self, context):
        for entry in preset.own():
            self.layout.operator(idnames.Operator.PRESET_REMOVE, text=entry.name, translate=False).name = entry.name


def grouped(entries):
    """(title, presets) in the order of the menu; other ways to break a material stand in the panel Breaking."""
    found = {}
    for entry in entries:
        if not entry.variant_of:
            title = OWN if preset.is_own(entry.path) else entry.group or OWN
            found.setdefault(title, []).append(entry)
    rest = sorted(found.keys() - {*GROUPS, OWN})
    return [(title, found[title]) for title in (*GROUPS, *rest, OWN) if title in found]


CLASSES = (BRITTLE_MT_presets, BRITTLE_MT_presets_own)
