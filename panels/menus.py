"""Where one looks for it: the Object menu, the right-click menu, the Add menu, and so the search; and a shortcut."""

import bpy

from ..operators import idnames
from ..operators.soft_matter import lattice_shapes


class BRITTLE_MT_object(bpy.types.Menu):
    """Prepare a break of the selected objects, look at it before, or take it back."""

    bl_idname = idnames.Menu.OBJECT
    bl_label = "Brittle"

    def draw(self, context):
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator(idnames.Operator.SIMULATE, icon="PLAY")
        layout.operator(idnames.Operator.RESTORE, icon="LOOP_BACK")
        layout.separator()
        layout.operator(idnames.Operator.IMPACT_ADD, icon="EMPTY_SINGLE_ARROW")
        layout.operator(idnames.Operator.PREVIEW, icon="HIDE_OFF")
        layout.operator(idnames.Operator.CHECK_MESH, icon="VIEWZOOM")
        layout.operator(idnames.Operator.COLLIDER_ADD, icon="MOD_PHYSICS")
        layout.operator(idnames.Operator.GLUE_LATTICES, icon="LATTICE_DATA")


class BRITTLE_MT_lattices(bpy.types.Menu):
    """Meshes whose cells follow their shape, for matter of springs."""

    bl_idname = idnames.Menu.LATTICES
    bl_label = "Brittle Lattice"

    def draw(self, context):
        for operator, label in lattice_shapes.OPERATORS:
            self.layout.operator(operator.bl_idname, text=label)


def _draw_object(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.operator_context = "INVOKE_DEFAULT"
    # The search shows ten lines, those first whose own name has the word: who searches for Brittle wants to break.
    self.layout.operator(idnames.Operator.SHATTER, text="Brittle Shatter", icon="MOD_EXPLODE")
    self.layout.menu(idnames.Menu.OBJECT)


def _draw_add(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.operator_context = "EXEC_DEFAULT"
    self.layout.operator(idnames.Operator.IMPACT_ADD, text="Brittle Impact", icon="EMPTY_SINGLE_ARROW")
    self.layout.operator(idnames.Operator.INFLUENCE_ADD, text="Brittle Sphere", icon="SPHERE")


def _draw_mesh_add(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.menu(idnames.Menu.LATTICES, icon="LATTICE_DATA")


def _draw_select(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    self.layout.separator()
    self.layout.operator_menu_enum(idnames.Operator.SELECT_PIECES, "by", text="Brittle Pieces")


CLASSES = (BRITTLE_MT_object, BRITTLE_MT_lattices)
#: Menus of Blender by name, and what is drawn at their ends.
PLACES = (
    ("VIEW3D_MT_object", _draw_object),
    ("VIEW3D_MT_object_context_menu", _draw_object),
    ("VIEW3D_MT_add", _draw_add),
    ("VIEW3D_MT_mesh_add", _draw_mesh_add),
    ("VIEW3D_MT_select_object", _draw_select),
)
_keys: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Put the entries into Blender's menus, and the shortcut among those that an artist can change."""
    for name, draw in PLACES:
        getattr(bpy.types, name).append(draw)
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration is not None:  # there is none without a window
        keymap = configuration.keymaps.new(name="Object Mode", space_type="EMPTY")
        item = keymap.keymap_items.new(idnames.Operator.SHATTER, "B", "PRESS", ctrl=True, shift=True)
        _keys.append((keymap, item))


def unregister() -> None:
    """Take entries and shortcut away."""
    for keymap, item in _keys:
        keymap.keymap_items.remove(item)
    _keys.clear()
    for name, draw in reversed(PLACES):
        getattr(bpy.types, name).remove(draw)
