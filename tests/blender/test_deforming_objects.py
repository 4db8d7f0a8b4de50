"""What bones, shape keys, modifiers or a keyed size deform breaks in the shape of its frame and flies on so."""

import math

import bpy
import numpy as np
import pytest

from tests.blender import test_deforming_colliders as deforming

pytestmark = pytest.mark.blender

FPS, FRAME = 24.0, 3


def driven(obj):
    """A Displace modifier whose strength a driver leads: all points move along their normals."""
    modifier = obj.modifiers.new("Displace", "DISPLACE")
    modifier.driver_add("strength").driver.expression = "0.1 * frame"


def dividing(obj):
    """A modifier makes other faces at each frame of the same, moving surface: nothing moves but along the normals."""
    driven(obj)
    modifier = obj.modifiers.new("Subdivision", "SUBSURF")
    modifier.subdivision_type = "SIMPLE"
    modifier.driver_add("levels").driver.expression = "1 + frame % 2"


@pytest.fixture
def tower(make_object):
    """A tower of 1 x 1 x 4 with rings of points, on the ground."""
    rings = np.linspace(0.0, 4.0, 17)
    square = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
    vertices = [(x, y, float(z)) for z in rings for x, y in square]
    sides = [
        (4 * k + i, 4 * k + (i + 1) % 4, 4 * k + 4 + (i + 1) % 4, 4 * k + 4 + i) for k in range(16) for i in range(4)
    ]
    obj = make_object("Tower", vertices, [(3, 2, 1, 0), *sides, (64, 65, 66, 67)])
    obj.brittle.voronoi.count = 12
    scene = bpy.context.scene
    scene.render.fps, scene.gravity = int(FPS), (0.0, 0.0, 0.0)
    scene.brittle.frames, scene.brittle.use_ground = 2, False
    return obj


def choose(obj):
    """The rigs that are made along with it are not to be broken."""
    for item in bpy.context.view_layer.objects:
        item.select_set(item is obj)
    bpy.context.view_layer.objects.active = obj


def seen_at(obj, frame):
    """The points of the evaluated mesh in the world."""
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([evaluated.matrix_world @ vertex.co for vertex in evaluated.data.vertices])
    bpy.context.scene.frame_set(FRAME)
    return points


WAYS = [deforming.led_by_bone, deforming.shaped, deforming.in_a_lattice, deforming.waving, deforming.scaled, driven]


@pytest.mark.parametrize("deform", WAYS)
def test_each_point_has_the_velocity_that_the_viewport_shows(tower, read, deform):
    """The central difference over one frame, of the very points that break; the playhead is at another frame."""
    deform(tower)
    choose(tower)
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.frame = FRAME
    bpy.context.scene.frame_set(1)
    reading = read(tower)
    scene = reading.scene
    assert reading.start_frame == FRAME and bpy.context.scene.frame_current == 1
    here = seen_at(tower, FRAME)
    place = scene.mesh.vertices @ scene.mesh.turn.T + reading.source.origin
    assert np.allclose(place, here, atol=1e-5), "the shape that breaks is that of the frame of the hit"
    velocity = FPS * (seen_at(tower, FRAME + 0.5) - seen_at(tower, FRAME - 0.5))
    assert np.abs(velocity).max() > 0.1
    # 32 bits at 4 m, over one frame.
    assert np.allclose(scene.flow, velocity, atol=2e-4)


def test_what_keeps_its_form_moves_as_a_whole(tower, read):
    """A modifier, a shape key and a bone that move nothing, or all of it alike, are no other motion than before."""
    tower.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    tower.shape_key_add(name="Basis")
    tower.shape_key_add(name="Same").keyframe_insert("value", frame=1)
    tower.driver_add("location", 0).driver.expression = "0.1 * frame"
    bpy.context.scene.frame_set(FRAME)
    scene = read(tower).scene
    assert len(scene.flow) == 0
    assert scene.velocity[0] == pytest.approx(0.1 * FPS, abs=1e-4)


def test_faces_that_change_from_frame_to_frame_move_along_their_normals(tower, read):
    """Displaced by 0.1 m a frame along the normals; where no edge of the tower is near each point has that speed."""
    dividing(tower)
    bpy.context.scene.frame_set(FRAME)
    scene = read(tower).scene
    place = scene.mesh.vertices @ scene.mesh.turn.T
    low, high = place.min(axis=0), place.max(axis=0)
    faced = np.isclose(place[:, 0], high[0]) & (np.abs(place[:, 1]) < 0.2) & (np.abs(place[:, 2]) < 1.0)
    assert faced.sum() > 3
    out = np.unique(np.round(scene.flow[faced, 0], 3))
    assert (out > 0.0).all() and (
        scene.flow[np.isclose(place[:, 0], low[0]) & (np.abs(place[:, 1]) < 0.2), 0] < 0.0
    ).all()


def test_an_animation_of_the_form_that_ends_at_the_break_gives_its_whole_speed(tower, read):
    """At the last key half of the central difference would be lost; before the first one, too."""
    tower.shape_key_add(name="Basis")
    key = tower.shape_key_add(name="Long")
    for point in key.data:
        point.co.z *= 2.0
    for frame, value in ((1, 0.0), (FRAME, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    action = tower.data.shape_keys.animation_data.action
    for point in action.layers[0].strips[0].channelbags[0].fcurves[0].keyframe_points:
        point.interpolation = "LINEAR"
    for frame in (1, FRAME):
        bpy.context.scene.frame_set(frame)
        scene = read(tower).scene
        assert scene.flow[:, 2].max() == pytest.approx(4.0 * FPS / (FRAME - 1), rel=1e-4)
        assert np.allclose(scene.flow[:, :2], 0.0, atol=1e-4)


def flights(obj):
    """Place (n,3), velocity (n,3) over the first frame and mass (n,) of the pieces."""
    scene, items = bpy.context.scene, bpy.data.collections[f"{obj.name} Fragments"].objects
    scene.frame_set(FRAME)
    before = np.array([item.matrix_world.translation for item in items], np.float64)
    scene.frame_set(FRAME + 1)
    after = np.array([item.matrix_world.translation for item in items], np.float64)
    return before, FPS * (after - before), np.array([item["brittle_mass"] for item in items])


def test_pieces_of_a_swinging_arm_fly_on_at_its_speed(tower):
    """The upper half swings about its foot: v = w x r. What is below the joint stays."""
    bpy.ops.object.armature_add(location=(0.0, 0.0, 2.0))
    rig = bpy.context.object
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    bone.driver_add("rotation_euler", 0).driver.expression = "0.05 * (frame - 3)"
    group = tower.vertex_groups.new(name=bone.name)
    group.add([v.index for v in tower.data.vertices if v.co.z > 2.1], 1.0, "REPLACE")
    tower.modifiers.new("Armature", "ARMATURE").object = rig
    choose(tower)
    bpy.context.scene.frame_set(FRAME)
    # Tempered: all of it parts, at next to no speed of the blow.
    tower.brittle.voronoi.count = 40
    bpy.ops.brittle.impact_add()
    blow = bpy.data.objects["Impact"]
    blow.brittle_impact.speed = 1e-6
    assert bpy.ops.brittle.shatter(preset="Tempered Glass", count=40) == {"FINISHED"}
    place, velocity, mass = flights(tower)
    top, bottom = place[:, 2] > 3.4, place[:, 2] < 0.6
    assert len(mass) > 20 and top.any() and bottom.any()
    expected = np.cross((0.05 * FPS, 0.0, 0.0), place - (0.0, 0.0, 2.0))
    # Pieces at the joint push each other, which changes no sum: the pieces have what the upper half had.
    total, upper = (mass[:, None] * velocity).sum(axis=0), place[:, 2] > 2.0
    assert np.allclose(total, (mass[:, None] * expected)[upper].sum(axis=0), atol=0.05 * np.linalg.norm(total))
    speed = np.linalg.norm(expected[top], axis=1).max()
    # What bends in one frame at the joint presses on both sides of it.
    assert np.allclose(velocity[top], expected[top], atol=0.15 * speed)
    assert np.allclose(velocity[bottom], 0.0, atol=0.15 * speed)


def test_what_bulges_is_thrown_outwards(cube):
    """A shape key makes the cube grow by 10 % a frame about its middle: pieces leave the middle, each at its rate."""
    scene = bpy.context.scene
    scene.render.fps, scene.gravity, scene.brittle.use_ground = int(FPS), (0.0, 0.0, 0.0), False
    cube.shape_key_add(name="Basis")
    key = cube.shape_key_add(name="Large")
    for point in key.data:
        point.co = ((point.co - point.co.__class__((0, 0, 1))) * 2.0) + point.co.__class__((0, 0, 1))
    key.driver_add("value").driver.expression = "0.1 * (frame - 3)"
    scene.frame_set(FRAME)
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.speed = 1e-6
    assert bpy.ops.brittle.shatter(preset="Tempered Glass", count=20) == {"FINISHED"}
    place, velocity, _ = flights(cube)
    assert len(place) > 10
    assert np.allclose(velocity, 0.1 * FPS * (place - (0.0, 0.0, 1.0)), atol=0.35)


def test_a_simulation_says_that_it_keeps_the_shape_of_its_first_frame(cube, module):
    cube.brittle.breakable.breaks = True
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 2, 6
    simulate = module("operators.simulate").simulate
    assert not [text for text in simulate(bpy.context)[0].report.warnings if "deforms" in text]
    bpy.ops.brittle.restore()
    cube.shape_key_add(name="Basis")
    cube.shape_key_add(name="Large").driver_add("value").driver.expression = "0.1 * frame"
    (told,) = [text for text in simulate(bpy.context)[0].report.warnings if "deforms" in text]
    assert "'Cube'" in told and "frame 2" in told
