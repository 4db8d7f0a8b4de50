"""What stands in the way of the pieces: who takes part, what is left alone, and what cannot be a collider."""

import math

import bpy
import pytest

from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender


def make_passive(obj, kind="PASSIVE"):
    world = bpy.context.scene.rigidbody_world
    if world is None:
        bpy.ops.rigidbody.world_add()
        world = bpy.context.scene.rigidbody_world
        world.collection = bpy.data.collections.new("Bodies")
    world.collection.objects.link(obj)
    obj.rigid_body.type = kind


def keyed(obj):
    for frame, x, angle, size in ((1, 0.0, 0.0, 1.0), (4, 3.0, 2.0, 1.0), (9, -2.0, 7.0, 1.0)):
        obj.location.x, obj.rotation_euler.z, obj.scale.y = x, angle, size
        for path in ("location", "rotation_euler", "scale"):
            obj.keyframe_insert(path, frame=frame)


# Who takes part.


def test_passive_bodies_collision_modifiers_and_marked_objects_take_part(cube, make_collider, read):
    marked, passive, modifier = make_collider("Marked"), make_collider("Passive", False), make_collider("Soft", False)
    make_passive(passive)
    modifier.modifiers.new("Collision", "COLLISION")
    active, off = make_collider("Active", False), make_collider("Off", False)
    make_passive(active, "ACTIVE")
    off.modifiers.new("Collision", "COLLISION")
    off.collision.use = False
    make_collider("Bystander", False)
    make_collider("Hidden").hide_set(True)
    light = bpy.data.objects.new("Light", bpy.data.lights.new("Light", "POINT"))
    light.brittle.collider = True
    bpy.context.scene.collection.objects.link(light)
    bpy.context.view_layer.update()
    found = [collider.mesh.name for collider in read(cube).scene.colliders]
    assert found == sorted([marked.name, passive.name, modifier.name])


def test_an_object_is_not_in_its_own_way_nor_are_its_pieces_or_what_breaks_with_it(cube, make_collider, read):
    other = make_collider("Other")
    cube.brittle.collider = True
    bpy.ops.brittle.shatter()
    for item in pieces_of(bpy.data.collections["Cube Fragments"]):
        item.brittle.collider = True
        item.hide_viewport = False
    assert [collider.mesh.name for collider in read(cube).scene.colliders] == ["Other"]
    assert read(cube, together=[cube, other]).scene.colliders == ()


def test_the_switch_of_the_scene_and_the_request_decide(cube, make_collider, read):
    make_collider()
    assert len(read(cube).scene.colliders) == 1
    assert read(cube, colliders=False).scene.colliders == ()
    bpy.context.scene.brittle.use_colliders = False
    assert read(cube).scene.colliders == ()
    assert len(read(cube, colliders=True).scene.colliders) == 1


# What is left alone.


@pytest.fixture
def visits():
    """The frames that the scene is led to."""
    seen = []

    def note(scene, *_):
        seen.append(scene.frame_current_final)

    bpy.app.handlers.frame_change_pre.append(note)
    yield seen
    bpy.app.handlers.frame_change_pre.remove(note)


def test_without_anything_that_may_move_no_frame_is_visited(cube, make_collider, read, visits):
    make_collider()
    read(cube)
    assert visits == []


def test_frame_and_subframe_are_given_back(cube, make_collider, read, visits, state):
    keyed(make_collider())
    bpy.context.scene.frame_set(3, subframe=0.25)
    visits.clear()
    before = state()
    read(cube)
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (3, 0.25)
    assert visits == [*range(3, 13), 3.25]
    assert state() == before


def test_shatter_leaves_frame_selection_and_visibility(cube, make_collider):
    wall, other = make_collider("Wall"), bpy.data.objects.new("Other", None)
    keyed(wall)
    scene = bpy.context.scene
    scene.collection.objects.link(other)
    other.select_set(True)
    other.hide_render = True
    scene.frame_set(4)
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert (scene.frame_current, scene.frame_subframe) == (4, 0.0)
    assert not wall.hide_viewport and not wall.hide_render and other.hide_render
    assert other.select_get() and not wall.select_get()
    assert bpy.context.view_layer.objects.active == cube
    assert wall.location.x == pytest.approx(3.0)


def test_a_job_that_is_stopped_leaves_nothing(cube, make_collider, state, module):
    keyed(make_collider())
    bpy.context.scene.frame_set(4)
    before = state()
    with pytest.raises(module("core.errors").Cancelled):
        module("operators.shatter").shatter_object(bpy.context, cube, progress=lambda step: step.fraction > 0.0)
    assert state() == before


def test_following_a_collider_is_shown_frame_by_frame(cube, make_collider, module):
    keyed(make_collider())
    seen = []
    module("operators.shatter").shatter_object(bpy.context, cube, progress=seen.append)
    following = [step.fraction for step in seen if step.text == "Following moving colliders"]
    assert len(following) == bpy.context.scene.brittle.frames - 1
    fractions = [step.fraction for step in seen]
    assert fractions == sorted(fractions) and following[0] > 0.0 and fractions[-1] <= 1.0


@pytest.mark.parametrize("last", [5, 11])
def test_a_job_stopped_while_it_follows_a_collider_goes_back_to_its_frame(
    cube, make_collider, module, state, visits, last
):
    keyed(make_collider())
    bpy.ops.brittle.shatter()  # now the object is hidden by keys, and shown for a moment while it is read
    bpy.context.scene.frame_set(3, subframe=0.25)
    visits.clear()
    before = state()
    with pytest.raises(module("core.errors").Cancelled):
        module("operators.shatter").shatter_object(bpy.context, cube, progress=lambda _: visits[-1:] == [last])
    assert visits == [*range(3, last + 1), 3.25]
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (3, 0.25)
    assert state() == before


def test_undo_takes_shatter_back_and_leaves_the_collider_on_its_way(cube, make_collider, state):
    keyed(make_collider())
    bpy.context.scene.frame_set(4)
    bpy.ops.ed.undo_push(message="before")
    before = state()
    bpy.ops.brittle.shatter()
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert state() == before
    assert bpy.data.objects["Wall"].location.x == pytest.approx(3.0)


def test_an_object_inside_a_collider_is_fine(cube, make_collider):
    room = make_collider("Room")
    room.scale = (9.0, 30.0, 9.0)
    room.location.z = -5.0
    assert bpy.ops.brittle.shatter() == {"FINISHED"}


# Bad input: named in the report, and the rest goes on.


def no_faces(obj):
    obj.data.clear_geometry()


def no_place(obj):
    obj.location.x = math.nan


def no_point(obj):
    obj.data.vertices[3].co.y = math.nan


def no_area(obj):
    obj.scale = (1.0, 0.0, 0.0)


def no_place_later(obj):
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1e5, 1e5, 1e5)
    obj.parent = parent
    driver = obj.driver_add("location", 0).driver
    driver.expression = "1e36 if frame > 4 else 0.0"  # times 1e5 is more than 32 bits can hold


def of_instances(obj):
    obj.modifiers.new("Nodes", "NODES").node_group = instancing()


def instancing():
    group = bpy.data.node_groups.new("Instances", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    node = group.nodes.new("GeometryNodeInstanceOnPoints")
    group.links.new(start.outputs[0], node.inputs["Points"])
    group.links.new(start.outputs[0], node.inputs["Instance"])
    group.links.new(node.outputs[0], end.inputs[0])
    return group


BAD = {
    no_faces: "it has no faces",
    no_place: "its place or scale is not a finite number",
    no_point: "some of its points have no place",
    no_area: "its faces have no area",
    no_place_later: "its place or scale is not a finite number at some frame",
    of_instances: "it shows instances of other objects: make them real first",
}


@pytest.mark.parametrize("spoil", BAD, ids=lambda spoil: spoil.__name__)
def test_a_bad_collider_is_left_out_and_named_in_the_report(cube, make_collider, module, spoil):
    make_collider("Good")
    spoil(make_collider("Bad"))
    bpy.context.view_layer.update()
    result = module("operators.shatter").shatter_object(bpy.context, cube)
    assert f"'Bad' is left out of the collisions: {BAD[spoil]}." in result.report.warnings
    assert not any("Good" in warning for warning in result.report.warnings)


# The buttons.


def test_the_buttons_mark_and_unmark_the_selected_objects(cube, make_collider):
    cube.select_set(False)
    first, second = make_collider("First", False), make_collider("Second", False)
    with pytest.raises(RuntimeError, match="Select a mesh"):
        bpy.ops.brittle.collider_add()
    first.select_set(True)
    with pytest.raises(RuntimeError, match="Select a collider"):
        bpy.ops.brittle.collider_remove()
    assert bpy.ops.brittle.collider_add() == {"FINISHED"}
    assert (first.brittle.collider, second.brittle.collider) == (True, False)
    assert bpy.ops.brittle.collider_remove() == {"FINISHED"}
    assert not first.brittle.collider


def test_what_blender_holds_for_a_collider_cannot_be_unmarked_here(make_collider, module):
    wall = make_collider("Wall", False)
    make_passive(wall)
    wall.select_set(True)
    assert bpy.ops.brittle.collider_remove() == {"CANCELLED"}
    assert module("operators.collider").listed(bpy.context) == [("Wall", "Passive Rigid Body")]
