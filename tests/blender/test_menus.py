"""Brittle is found where artists look for it: in menus, and so in the search, by a shortcut, and in the preferences."""

import bpy
import pytest

PACKAGE = "bl_ext.dev.brittle"


class Recorder:
    """A layout that remembers what was drawn."""

    def __init__(self):
        self.found, self.operator_context = [], ""

    def operator(self, name, **_):
        self.found.append(str(name))

    def menu(self, name, **_):
        self.found.append(str(name))

    def operator_menu_enum(self, name, *_, **__):
        self.found.append(str(name))

    def separator(self):
        pass


@pytest.mark.parametrize(
    ("menu", "entry"),
    [
        ("VIEW3D_MT_object", "BRITTLE_MT_object"),
        ("VIEW3D_MT_object", "brittle.shatter"),
        ("VIEW3D_MT_object_context_menu", "brittle.shatter"),
        ("VIEW3D_MT_object_context_menu", "BRITTLE_MT_object"),
        ("VIEW3D_MT_add", "brittle.impact_add"),
        ("VIEW3D_MT_mesh_add", "BRITTLE_MT_lattices"),
        ("VIEW3D_MT_select_object", "brittle.select_pieces"),
    ],
)
def test_blenders_menus_have_an_entry_while_the_extension_is_enabled(menu, entry, module):
    menus = module("panels.menus")
    drawn = [draw for draw in getattr(bpy.types, menu)._dyn_ui_initialize() if draw.__module__ == menus.__name__]
    assert len(drawn) == 1
    layout = Recorder()
    drawn[0](type("Menu", (), {"layout": layout})(), bpy.context)
    assert entry in layout.found


def test_the_menu_has_operators_that_exist(module):
    layout = Recorder()
    module("panels.menus").BRITTLE_MT_object.draw(type("Menu", (), {"layout": layout})(), bpy.context)
    assert "brittle.restore" in layout.found
    for name in layout.found:
        group, operator = name.split(".")
        assert getattr(getattr(bpy.ops, group), operator).get_rna_type()


def test_the_playhead_is_at_the_break_afterwards(cube):
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.frame = 30
    bpy.context.view_layer.objects.active = cube
    bpy.context.scene.frame_set(7)
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert bpy.context.scene.frame_current == 30


def test_the_pieces_are_selected_and_the_source_stays_active(cube, make_cube):
    other = make_cube("Other")
    other.location.x = 9.0
    other.select_set(False)
    bpy.context.view_layer.objects.active = cube
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    selected = set(bpy.context.selected_objects)
    assert selected == {obj for obj in bpy.data.objects if "brittle_fragment" in obj}
    assert bpy.context.view_layer.objects.active == cube
    before = len(selected)
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}, "the pieces stand for what they broke from"
    assert len(bpy.context.selected_objects) == before and not other.select_get()


def test_playing_after_the_break_is_a_preference_that_is_on(module):
    preferences = bpy.context.preferences.addons[PACKAGE].preferences
    assert preferences.play and module("operators.preferences").plays(bpy.context)
    preferences.play = False
    assert not module("operators.preferences").plays(bpy.context)
    preferences.play = True
