"""Check Mesh and Select Problem: what the intake would do, and the faces that it refuses."""

import bpy
import pytest

from tests.blender.layouts import draw, names, values

pytestmark = pytest.mark.usefixtures("everything")

FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


@pytest.fixture
def said(module):
    """What the last check said."""
    return lambda: [text for text, _ in module("operators.check")._last[1]]


@pytest.fixture
def lidless(make_object):
    """A cube without its top."""
    vertices = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (0.0, 2.0)]
    return make_object("Cup", vertices, FACES[:5])


def test_a_good_mesh_is_fine(cube):
    assert bpy.ops.brittle.check_mesh() == {"FINISHED"}
    assert "Nothing to repair" in names(draw("BRITTLE_PT_mesh"), "label")


def test_the_check_says_what_would_be_done_and_changes_nothing(lidless, state, said):
    lidless.brittle.repair.open = "close"
    before = state()
    bpy.ops.brittle.check_mesh()
    assert state() == before
    assert any("1 hole closed" in text for text in said())


def test_a_refusal_is_said_and_its_faces_are_selected(lidless, said):
    lidless.brittle.repair.open = "close"
    lidless.brittle.repair.allow_holes = False
    bpy.ops.brittle.check_mesh()
    assert any(text.startswith('"Cup"') for text in said())
    assert bpy.ops.brittle.select_problem() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")
    chosen = [polygon.index for polygon in lidless.data.polygons if polygon.select]
    assert sorted(chosen) == [0, 1, 2, 3]  # the four walls around the missing top; 4 is the floor


def test_faces_that_modifiers_make_are_not_selected(lidless):
    lidless.modifiers.new("Fine", "SUBSURF")
    lidless.brittle.repair.open = "close"
    lidless.brittle.repair.allow_holes = False
    assert bpy.ops.brittle.select_problem() == {"CANCELLED"}
    assert bpy.context.mode == "OBJECT"


def test_a_good_mesh_has_no_problem_to_select(cube):
    assert bpy.ops.brittle.select_problem() == {"CANCELLED"}


def test_every_choice_and_permission_is_drawn(cube, module):
    declared = module("core.config.params").declared
    repair = module("core.config.repair").Repair
    cube.brittle.repair.remesh = True  # its resolution is hidden without
    assert set(values(draw("BRITTLE_PT_mesh"))) == {item.name for item in declared(repair)}
