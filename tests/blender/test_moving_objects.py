"""An object that was moving hands its velocity and spin to its pieces: the numbers that the core is given."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender

#: [1/frame] rounding of 32-bit matrices of size 10, divided by the one frame of the difference.
ROUNDING = 5e-6


@pytest.fixture
def fps():
    bpy.context.scene.render.fps = 24
    return 24.0


def key(obj, path, values, interpolation="LINEAR"):
    """Keys {frame: value} of a vector."""
    for frame, value in values.items():
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=frame)
    for curve in curves(obj):
        for point in curve.keyframe_points:
            point.interpolation = interpolation


def curves(obj):
    animation = obj.animation_data
    return animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves


def drive(obj, path, *expressions):
    for index, expression in enumerate(expressions):
        obj.driver_add(path, index).driver.expression = expression


def test_what_stands_still_hands_on_nothing(cube, read):
    frames = []
    bpy.app.handlers.frame_change_pre.append(lambda scene, *_: frames.append(scene.frame_current))
    taken = read(cube).scene
    bpy.app.handlers.frame_change_pre.pop()
    assert not taken.velocity.any() and not taken.spin.any() and not taken.pivot.any()
    assert frames == [], "the scene is not led to other frames for it"


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
def test_constant_velocity_in_metres_per_second(cube, read, fps, scale_length):
    bpy.context.scene.unit_settings.scale_length = scale_length
    key(cube, "location", {1: (0.0, 0.0, 0.0), 21: (4.0, -2.0, 10.0)})
    bpy.context.scene.frame_set(11)
    reading = read(cube)
    per_frame = scale_length * np.array([0.2, -0.1, 0.5])
    assert np.allclose(reading.scene.velocity, fps * per_frame, atol=scale_length * fps * ROUNDING)
    assert np.allclose(reading.scene.spin, 0.0, atol=fps * ROUNDING)
    # The pivot is the object's origin, on the floor of this cube, seen from the middle of its box.
    assert np.allclose(reading.scene.pivot, (0.0, 0.0, -scale_length), atol=scale_length * ROUNDING)


def test_other_frame_rates(cube, read):
    render = bpy.context.scene.render
    render.fps, render.fps_base = 30, 1.001
    key(cube, "location", {1: (0.0, 0.0, 0.0), 21: (4.0, 0.0, 0.0)})
    bpy.context.scene.frame_set(11)
    assert read(cube).scene.velocity[0] == pytest.approx(0.2 * 30 / 1.001, abs=30 * ROUNDING)


def test_a_fall_has_its_exact_speed(cube, read, fps):
    """The central difference is exact for constant acceleration: z = 20 - (frame - 1)^2 / 100."""
    drive(cube, "location", "0.0", "0.0", "20 - (frame - 1) ** 2 / 100")
    bpy.context.scene.frame_set(21)
    assert read(cube).scene.velocity[2] == pytest.approx(-0.4 * fps, abs=fps * ROUNDING)


def test_a_key_weighs_both_sides_alike(cube, read, fps):
    key(cube, "location", {1: (0.0, 0.0, 0.0), 11: (1.0, 0.0, 0.0), 12: (1.0, 0.0, 3.0)})
    bpy.context.scene.frame_set(11)
    assert np.allclose(read(cube).scene.velocity, fps * np.array([0.05, 0.0, 1.5]), atol=fps * ROUNDING)


@pytest.mark.parametrize("frame", [1, 11])
def test_an_animation_that_begins_or_ends_at_the_break_gives_its_whole_speed(cube, read, fps, frame):
    """Half of it would be lost to a key beyond which nothing moves."""
    key(cube, "location", {1: (0.0, 0.0, 0.0), 11: (4.0, 0.0, 0.0)})
    bpy.context.scene.frame_set(frame)
    assert read(cube).scene.velocity[0] == pytest.approx(0.4 * fps, abs=4 * fps * ROUNDING)


def test_an_accelerating_animation_that_ends_at_the_break(cube, read, fps):
    drive(cube, "location", "0.0", "0.0", "-(min(frame, 11) - 1) ** 2 / 100")
    bpy.context.scene.frame_set(11)
    assert read(cube).scene.velocity[2] == pytest.approx(-0.2 * fps, abs=4 * fps * ROUNDING)


def test_a_jump_is_no_movement(cube, read, fps):
    key(cube, "location", {1: (0.0, 0.0, 0.0), 11: (4.0, 0.0, 0.0)}, interpolation="CONSTANT")
    bpy.context.scene.frame_set(11)
    assert not read(cube).scene.velocity.any()


def test_an_animation_that_came_to_rest_before_hands_on_nothing(cube, read):
    key(cube, "location", {1: (0.0, 0.0, 0.0), 11: (4.0, 0.0, 0.0)})
    bpy.context.scene.frame_set(15)
    assert not read(cube).scene.velocity.any()


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (2.0, 1.0, 0.5), (-1.0, 1.0, 2.0)])
@pytest.mark.parametrize("per_frame", [0.1, -1.5])
def test_spin_in_radians_per_second(cube, read, fps, scale, per_frame):
    cube.scale = scale
    cube.rotation_mode = "AXIS_ANGLE"
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    drive(cube, "rotation_axis_angle", f"{per_frame} * frame", *(str(part) for part in axis))
    bpy.context.scene.frame_set(5)
    assert np.allclose(read(cube).scene.spin, fps * per_frame * axis, atol=fps * ROUNDING)


def test_a_child_is_carried_round_by_its_parent(cube, read, fps):
    """v = spin x arm; the chord of the arc of one frame is shorter than the arc by sin(a/2) / (a/2)."""
    parent = bpy.data.objects.new("Arm", None)
    bpy.context.scene.collection.objects.link(parent)
    cube.parent = parent
    cube.location.x = 3.0
    drive(parent, "rotation_euler", "0.0", "0.0", "0.2 * (frame - 5)")
    bpy.context.scene.frame_set(5)
    taken = read(cube).scene
    assert np.allclose(taken.spin, (0.0, 0.0, 0.2 * fps), atol=fps * ROUNDING)
    chord = 0.2 * fps * 3.0 * math.sin(0.1) / 0.1
    assert np.allclose(taken.velocity, (0.0, chord, 0.0), atol=fps * ROUNDING)


def test_velocity_spin_and_pivot_together_move_every_point_of_the_object(cube, read, fps):
    """A piece at c moves with v + spin x (c - pivot): held against the corners of the object at near frames."""
    drive(cube, "location", "0.1 * frame", "2.0", "-0.05 * frame")
    drive(cube, "rotation_euler", "0.02 * frame", "0.5", "0.03 * frame")
    bpy.context.scene.frame_set(8)
    reading = read(cube)
    taken = reading.scene
    c = taken.mesh.vertices @ taken.mesh.turn.T
    given = taken.velocity + np.cross(taken.spin, c - taken.pivot)
    seen = {}
    for step in (-0.5, 0.5):
        bpy.context.scene.frame_set(8 + math.floor(step), subframe=0.5)
        seen[step] = np.array([cube.matrix_world @ vertex.co for vertex in cube.data.vertices])
    # A chord again: an angle of 0.04 a frame shortens it by 0.04^2 / 24 of the speed.
    assert np.allclose(given, fps * (seen[0.5] - seen[-0.5]), atol=2e-3)


def test_an_object_that_moves_is_broken_where_the_first_hit_finds_it(cube, read, fps):
    key(cube, "location", {1: (0.0, 0.0, 0.0), 21: (4.0, 0.0, 0.0)})
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.frame = 16
    reading = read(cube)
    assert reading.start_frame == 16
    assert np.allclose(reading.source.origin, (3.0, 0.0, 1.0), atol=ROUNDING)
    assert reading.scene.velocity[0] == pytest.approx(0.2 * fps, abs=fps * ROUNDING)
    assert bpy.context.scene.frame_current == 1 and cube.location.x == 0.0


def test_a_body_of_blenders_own_simulation_hands_on_its_speed(make_cube, read, fps):
    bpy.ops.rigidbody.world_add()
    scene = bpy.context.scene
    world = scene.rigidbody_world
    world.collection = bpy.data.collections.new("Bodies")
    obj = make_cube()
    obj.location.z = 20.0
    world.collection.objects.link(obj)
    obj.rigid_body.linear_damping = 0.0
    for frame in range(1, 13):
        scene.frame_set(frame)
    bpy.context.view_layer.update()
    height = obj.matrix_world.translation.z
    taken = read(obj).scene
    # 11 frames of free fall. Bullet's semi-implicit steps of 1/240 s are off by less than one step of gravity.
    assert taken.velocity[2] == pytest.approx(-9.81 * 11 / fps, abs=9.81 / 24)
    assert obj.matrix_world.translation.z == height


def test_shatter_leaves_the_animation_and_hides_the_object(cube, fps):
    key(cube, "location", {1: (0.0, 0.0, 0.0), 21: (4.0, 0.0, 0.0)})
    stored = [tuple(point.co) for point in curves(cube)[0].keyframe_points]
    scene = bpy.context.scene
    scene.frame_set(11)
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert scene.frame_current == 11
    assert [tuple(point.co) for point in curves(cube)[0].keyframe_points] == stored
    for frame, hidden in ((10, False), (11, True)):
        scene.frame_set(frame)
        assert cube.hide_render == hidden
    # A second Shatter finds the hidden object as the first did.
    first = {item.name: tuple(item.location) for item in pieces_of(bpy.data.collections["Cube Fragments"])}
    scene.frame_set(11)
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert {item.name: tuple(item.location) for item in pieces_of(bpy.data.collections["Cube Fragments"])} == first


def test_visibility_keys_alone_are_no_movement(cube, module):
    may_move = module("operators.bridge.movement").may_move
    bpy.ops.brittle.shatter()
    assert cube.animation_data.action is not None
    assert not may_move(cube)
    cube.keyframe_insert("location", frame=1)
    assert may_move(cube)
