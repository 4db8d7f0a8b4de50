"""Impact empties: where they are put and where they aim."""

import math
from types import SimpleNamespace

import bpy
import pytest
from mathutils import Vector


def only_impact():
    (empty,) = (obj for obj in bpy.data.objects if obj.brittle_impact.is_impact)
    bpy.context.view_layer.update()
    return empty


def blow(empty):
    """The direction of a blow is the empty's local Z axis."""
    return empty.matrix_world.to_3x3() @ Vector((0.0, 0.0, 1.0))


def close(first, second):
    return (Vector(first) - Vector(second)).length < 1e-5


def test_an_impact_at_the_cursor_aims_at_the_nearest_surface(cube):
    bpy.context.scene.cursor.location = (3.0, 0.0, 1.0)
    assert bpy.ops.brittle.impact_add() == {"FINISHED"}
    empty = only_impact()
    assert close(empty.matrix_world.translation, (3.0, 0.0, 1.0))
    assert close(blow(empty), (-1.0, 0.0, 0.0))


@pytest.mark.parametrize("x", [1.0, 0.9], ids=["on the surface", "inside"])
def test_an_impact_on_or_in_an_object_aims_inward(cube, x):
    bpy.context.scene.cursor.location = (x, 0.1, 1.0)
    bpy.ops.brittle.impact_add()
    assert close(blow(only_impact()), (-1.0, 0.0, 0.0))


def test_an_impact_without_any_mesh_aims_down():
    bpy.ops.brittle.impact_add()
    assert close(blow(only_impact()), (0.0, 0.0, -1.0))


def test_a_rotated_and_stretched_object_is_aimed_at_along_its_normal(cube):
    cube.rotation_euler.z = math.radians(30.0)
    cube.scale = (2.0, 0.5, 1.0)
    bpy.context.view_layer.update()
    outside = cube.matrix_world @ Vector((1.0, 0.0, 1.0))
    bpy.context.scene.cursor.location = outside
    bpy.ops.brittle.impact_add()
    assert close(blow(only_impact()), (-math.cos(math.radians(30.0)), -math.sin(math.radians(30.0)), 0.0))


def test_the_impact_belongs_to_the_object_and_moves_with_it(cube):
    bpy.context.scene.cursor.location = (1.0, 0.0, 1.0)
    bpy.ops.brittle.impact_add()
    empty = only_impact()
    assert empty.parent == cube
    cube.location.x = 5.0
    bpy.context.view_layer.update()
    assert close(empty.matrix_world.translation, (6.0, 0.0, 1.0))
    assert bpy.context.view_layer.objects.active == cube, "the object to break stays active"


def test_a_new_impact_is_what_the_next_move_moves(cube):
    bpy.ops.brittle.impact_add()
    assert bpy.context.selected_objects == [only_impact()]


def test_an_impact_stands_for_the_object_that_it_hits(cube, module):
    bpy.ops.brittle.impact_add()
    bpy.context.view_layer.objects.active = only_impact()
    assert module("operators.targets").targets(bpy.context) == [cube]
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert bpy.ops.brittle.restore() == {"FINISHED"}


def test_given_place_and_direction_are_taken(cube):
    bpy.ops.brittle.impact_add(location=(0.0, 0.0, 2.0), direction=(0.0, 3.0, 0.0))
    empty = only_impact()
    assert close(empty.matrix_world.translation, (0.0, 0.0, 2.0))
    assert close(blow(empty), (0.0, 1.0, 0.0))


def test_no_direction_is_refused(cube, state):
    before = state()
    with pytest.raises(RuntimeError, match="no direction"):
        bpy.ops.brittle.impact_add(location=(0.0, 0.0, 2.0), direction=(0.0, 0.0, 0.0))
    assert state() == before


@pytest.mark.parametrize("inside_out", [False, True])
def test_a_click_hits_the_first_surface_along_its_inward_normal(cube, module, inside_out):
    if inside_out:
        cube.data.flip_normals()
        bpy.context.view_layer.update()
    origin, direction = Vector((5.0, 0.3, 1.5)), Vector((-1.0, 0.0, 0.0))
    aim = module("operators.impact").aim_along(bpy.context, origin, direction)
    assert close(aim.point, (1.0, 0.3, 1.5))
    assert close(aim.direction, (-1.0, 0.0, 0.0))
    assert aim.owner == cube


@pytest.mark.parametrize(("x", "seen"), [(100, True), (950, False), (1100, False)], ids=["view", "sidebar", "beside"])
def test_a_click_counts_in_the_view_alone(module, x, seen):
    view = SimpleNamespace(type="WINDOW", x=50, y=0, width=1000, height=700)
    sidebar = SimpleNamespace(type="UI", x=900, y=0, width=150, height=600)
    folded = SimpleNamespace(type="HUD", x=100, y=300, width=1, height=1)
    area = SimpleNamespace(regions=[sidebar, folded, view])
    assert (module("operators.impact").view_under(area, x, 300) is view) == seen


def test_a_click_beside_all_objects_hits_nothing(cube, module):
    aim_along = module("operators.impact").aim_along
    assert aim_along(bpy.context, Vector((5.0, 5.0, 5.0)), Vector((0.0, 0.0, 1.0))) is None


def test_the_shatter_uses_the_impact(cube):
    bpy.context.scene.cursor.location = (1.0, 0.0, 1.0)
    bpy.ops.brittle.impact_add()
    only_impact().brittle_impact.frame = 6
    bpy.ops.brittle.shatter()
    for frame, hidden in ((5, False), (6, True)):
        bpy.context.scene.frame_set(frame)
        assert cube.hide_render == hidden
