"""The name of every operator, panel and property that Brittle adds, each spelled once."""

from enum import StrEnum


class Operator(StrEnum):
    """`bl_idname` of the operators."""

    CHECK_MESH = "brittle.check_mesh"
    COLLIDER_ADD = "brittle.collider_add"
    COLLIDER_REMOVE = "brittle.collider_remove"
    CONTROL_ADD = "brittle.control_add"
    CURVE_DRAW = "brittle.curve_draw"
    EXPORT_READY = "brittle.export_ready"
    FIELD_ADD = "brittle.field_add"
    FIELD_MOVE = "brittle.field_move"
    FIELD_REMOVE = "brittle.field_remove"
    FIND_THRESHOLD = "brittle.find_threshold"
    GLUE_LATTICES = "brittle.glue_lattices"
    MAKE_FINAL = "brittle.make_final"
    IMPACT_ADD = "brittle.impact_add"
    INFLUENCE_ADD = "brittle.influence_add"
    PATTERN_ASSET = "brittle.pattern_asset"
    PATTERN_MARK = "brittle.pattern_mark"
    PREVIEW = "brittle.preview"
    PREVIEW_STRENGTH = "brittle.preview_strength"
    PRESET_APPLY = "brittle.preset_apply"
    PRESET_REMOVE = "brittle.preset_remove"
    PRESET_SAVE = "brittle.preset_save"
    RESTORE = "brittle.restore"
    SELECT_PIECES = "brittle.select_pieces"
    SELECT_PROBLEM = "brittle.select_problem"
    SHATTER = "brittle.shatter"
    SIMULATE = "brittle.simulate"


def lattice_operator(shape: str) -> str:
    """`bl_idname` of the operator that adds a shape as a lattice."""
    return f"brittle.lattice_{shape}"


class Menu(StrEnum):
    """`bl_idname` of the menus."""

    LATTICES = "BRITTLE_MT_lattices"
    OBJECT = "BRITTLE_MT_object"
    PRESETS = "BRITTLE_MT_presets"
    PRESETS_OWN = "BRITTLE_MT_presets_own"


class Panel(StrEnum):
    """`bl_idname` of the panels."""

    BREAKABLE = "BRITTLE_PT_breakable"
    BREAKING = "BRITTLE_PT_breaking"
    COLLISIONS = "BRITTLE_PT_collisions"
    IMPACTS = "BRITTLE_PT_impacts"
    MAIN = "BRITTLE_PT_main"
    MATERIAL = "BRITTLE_PT_material"
    MESH = "BRITTLE_PT_mesh"
    MOTION = "BRITTLE_PT_motion"
    PIECES = "BRITTLE_PT_pieces"
    REPORT = "BRITTLE_PT_report"
    STRENGTH = "BRITTLE_PT_strength"
    SURFACE = "BRITTLE_PT_surface"


#: The tab of the sidebar.
TAB = "Brittle"
#: The handles on the blows, and one of them.
HANDLES = "BRITTLE_GGT_blows"
HANDLE = "BRITTLE_GT_handle"
#: The list of the fields of an object.
FIELD_LIST = "BRITTLE_UL_fields"
#: Settings of an object to break, `object.brittle`.
OBJECT = "brittle"
#: Settings of an impact empty, `object.brittle_impact`.
IMPACT = "brittle_impact"
#: Settings of the scene, `scene.brittle`.
SCENE = "brittle"
#: How the preview of cracks shows fragments, `window_manager.brittle_preview`.
PREVIEW = "brittle_preview"
#: Custom property of a collection of fragments that holds the report as JSON.
REPORT = "brittle_report"
#: Folder of the presets, under `presets/`.
PRESETS = "brittle"
#: `blender --command` that Brittle answers to.
COMMAND = "brittle"
