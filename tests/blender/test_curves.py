"""Curves of settings are drawn with Blender's own widget; text stays what presets, scripts and files have."""

import bpy
import numpy as np
import pytest

from tests.blender.layouts import draw, names

SCHEDULE, GROWTH = "brittle.constraint_lattice.schedule", "brittle.constraint_lattice.growth_curve"


@pytest.fixture
def forces(cube):
    """A cube that breaks by forces, whose curves are typed."""
    cube.brittle.breaking = "constraint_lattice"
    cube.brittle.constraint_lattice.growth = "curve"
    return cube.brittle.constraint_lattice


def press(name="schedule"):
    assert bpy.ops.brittle.curve_draw(group="constraint_lattice", name=name) == {"FINISHED"}


def mapping(obj, name=SCHEDULE):
    return obj["brittle_curves"].nodes[name].mapping


def read(module, obj):
    """What Shatter takes."""
    params = module("operators.settings").settings_from(obj).breaking_params
    return params.schedule, params.growth_curve


def test_each_text_that_is_a_curve_can_be_drawn(forces, everything, module):
    assert names(draw("BRITTLE_PT_breaking"), "curve") == []
    before = read(module, bpy.context.object)
    press("schedule")
    press("growth_curve")
    assert read(module, bpy.context.object) == before, "drawn is what was typed, to the last digit"
    shown = draw("BRITTLE_PT_breaking")
    assert names(shown, "curve") == [GROWTH, SCHEDULE]
    assert "schedule" not in names(shown, "prop")
    for registry in module("operators.settings").REGISTRIES.values():
        for method in registry:
            for field in module("core.config.params").declared(method.params):
                typed = isinstance(field.default, str) and not field.param.choices
                assert typed == (field.param.curve is not None) or field.name == "name"


def test_what_is_pulled_counts_and_can_be_typed_again(forces, cube, module):
    press()
    points = mapping(cube).curves[0].points
    points[1].location = (0.25, 1.0)
    mapping(cube).update()
    assert read(module, cube)[0] == "0 0, 0.25 1, 1 0"
    press()
    assert forces.schedule == "0 0, 0.25 1, 1 0" and "brittle_curves" not in cube
    assert not [tree for tree in bpy.data.node_groups if "Curves" in tree.name]


def test_a_bend_is_followed(forces, cube, module):
    """Blender's own evaluation of the same curve, at places between the points of the text."""
    press()
    for point in mapping(cube).curves[0].points:
        point.handle_type = "AUTO"
    mapping(cube).update()
    line = module("core.polyline").parsed(read(module, cube)[0], "Schedule")
    at = np.linspace(0.0, 1.0, 101)
    bent = [mapping(cube).evaluate(mapping(cube).curves[0], x) for x in at]
    # The text has four digits of what Blender looks up in its own table of as many places, in 32 bits.
    assert np.abs(line(at) - bent).max() < 0.5e-4 + 1e-6
    assert np.abs(line(at) - (1.0 - np.abs(2.0 * at - 1.0))).max() > 0.02


def test_text_that_is_set_is_drawn_anew(forces, cube, module):
    press("growth_curve")
    forces.growth_curve = "0 1234.5, 45 0.001"
    assert read(module, cube)[1] == "0 1234.5, 45 0.001, 90 0.001"
    forces.growth_curve = "0 1, 30 0.5, 120 2"
    assert np.allclose([p.location for p in mapping(cube, GROWTH).curves[0].points], [(0, 1), (1 / 3, 0.5), (1, 1.5)])
    press("schedule")
    forces.schedule = "nonsense"
    assert read(module, cube)[0] == "nonsense" and SCHEDULE not in cube["brittle_curves"].nodes
    with pytest.raises(RuntimeError, match='Schedule cannot be read: "nonsense"'):
        press("schedule")
    assert bpy.ops.brittle.preset_apply(name="Coil Pot") == {"FINISHED"}
    assert read(module, cube)[0] == "0 0, 0.5 1, 1 0"


def test_curves_are_saved_and_appended_with_the_object(forces, cube, module, tmp_path):
    press()
    mapping(cube).curves[0].points[1].location = (0.75, 1.0)
    mapping(cube).update()
    path = str(tmp_path / "drawn.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert read(module, bpy.data.objects["Cube"])[0] == "0 0, 0.75 1, 1 0"
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path) as (_, into):
        into.objects = ["Cube"]
    assert read(module, into.objects[0])[0] == "0 0, 0.75 1, 1 0"


def test_a_copy_has_its_own_before_it_is_pulled(forces, cube, everything, module):
    press()
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != cube and mapping(copy) == mapping(cube)
    draw("BRITTLE_PT_breaking")
    curves = module("operators.curves")
    assert bpy.app.timers.is_registered(curves.own_now)  # sessions without a window run no timers
    curves.own_now()
    bpy.app.timers.unregister(curves.own_now)
    mapping(copy).curves[0].points[1].location = (0.125, 1.0)
    mapping(copy).update()
    assert read(module, cube)[0] == "0 0, 0.5 1, 1 0" and read(module, copy)[0] == "0 0, 0.125 1, 1 0"


def test_pieces_break_by_what_is_drawn_and_share_no_curves(forces, cube, module):
    cube.brittle.pieces = "voronoi"
    press()
    mapping(cube).curves[0].points[1].location = (0.25, 1.0)
    mapping(cube).update()
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert not module("operators.bridge.curves").is_shared(cube)
    piece = next(obj for obj in bpy.data.objects if "brittle_fragment" in obj)
    with module("operators.borrowed").borrowed(piece):
        assert read(module, piece)[0] == "0 0, 0.25 1, 1 0"
    assert read(module, cube)[0] == "0 0, 0.25 1, 1 0"


def test_undo_takes_a_curve_back_and_leaves_none(forces, cube, module):
    bpy.ops.ed.undo_push(message="before")
    count = len(bpy.data.node_groups)
    for _ in range(3):
        press()
        bpy.ops.ed.undo_push(message="drawn")
        bpy.ops.ed.undo()
        assert "brittle_curves" not in bpy.data.objects["Cube"] and len(bpy.data.node_groups) == count
        assert read(module, bpy.data.objects["Cube"])[0] == "0 0, 0.5 1, 1 0"


def test_what_is_pulled_goes_to_all_that_are_selected(forces, cube, make_cube, everything, module):
    """The sidebar sees at its next drawing that a point was pulled; another selection is no pull."""
    curves = module("operators.curves")
    other, third = make_cube("Other"), make_cube("Third")
    third.select_set(False)
    bpy.context.view_layer.objects.active = cube
    for obj in (other, third):
        obj.brittle.breaking = "constraint_lattice"
    press()
    draw("BRITTLE_PT_breaking")
    assert not bpy.app.timers.is_registered(curves.share_now)
    points = mapping(cube).curves[0].points
    points[1].location, points[1].handle_type = (0.25, 1.0), "AUTO"
    mapping(cube).update()
    draw("BRITTLE_PT_breaking")
    assert bpy.app.timers.is_registered(curves.share_now)
    bpy.app.timers.unregister(curves.share_now)
    curves.share_now()
    assert read(module, other) == read(module, cube) != read(module, third)
    assert [p.handle_type for p in mapping(other).curves[0].points] == ["VECTOR", "AUTO", "VECTOR"]
    assert other["brittle_curves"] != cube["brittle_curves"]
    mapping(cube).curves[0].points[1].location = (0.5, 0.5)
    mapping(cube).update()
    third.select_set(True)
    draw("BRITTLE_PT_breaking")
    assert not bpy.app.timers.is_registered(curves.share_now)
