"""The menu of material presets."""

import bpy
from bl_ui.utils import PresetPanel

from ..operators import idnames, preset


class BRITTLE_PT_presets(PresetPanel, bpy.types.Panel):
    """Materials to choose from, and one's own to save and remove."""

    bl_idname = idnames.Panel.PRESETS
    bl_label = "Materials"
    preset_subdir = idnames.PRESETS
    preset_extensions = {".toml"}
    preset_operator = idnames.Operator.PRESET_APPLY

    def draw(self, context):
        layout = self.layout
        layout.emboss = "PULLDOWN_MENU"
        col = layout.column(align=True)
        for name, path in preset.names().items():
            row = col.row(align=True)
            row.operator(self.preset_operator, text=name, translate=False).name = name
            if preset.is_own(path):
                row.operator(idnames.Operator.PRESET_REMOVE, text="", icon="REMOVE").name = name
        layout.separator()
        row = layout.row()
        row.operator_context = "INVOKE_DEFAULT"
        row.operator(idnames.Operator.PRESET_SAVE, text="Save as Preset...", icon="ADD")


CLASSES = (BRITTLE_PT_presets,)
