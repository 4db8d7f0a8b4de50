"""The scene takes part, from Blender's objects to the keys of the pieces: momentum, still colliders, a moving one."""

import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender


@pytest.fixture
def scene(cube):
    scene = bpy.context.scene
    scene.brittle.frames, scene.render.fps = 30, 24
    return scene


@pytest.fixture
def gentle(cube):
    """A hit that breaks but hardly pushes."""
    bpy.ops.brittle.impact_add()
    impact = bpy.data.objects["Impact"].brittle_impact
    impact.speed = 1e-6
    bpy.context.view_layer.objects.active = cube


def path(fragment, frames):
    """(S,3) where a fragment is, by its curves."""
    animation = fragment.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    found = {curve.array_index: curve for curve in bag.fcurves if curve.data_path == "location"}
    return np.array([[found[i].evaluate(frame) for i in range(3)] for frame in frames])


def pieces():
    found = pieces_of(bpy.data.collections["Cube Fragments"])
    parents = {item["brittle_parent"] for item in found}
    return [item for item in found if item["brittle_fragment"] not in parents]


def test_pieces_go_on_with_the_velocity_of_the_object(cube, scene, gentle):
    """Without gravity and ground the centre of mass keeps the velocity of the object that is led."""
    scene.use_gravity = False
    scene.brittle.use_ground = False
    for frame, x in ((1, 0.0), (21, 4.0)):
        cube.location.x = x
        cube.keyframe_insert("location", frame=frame)
    for curve in cube.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    scene.frame_set(11)
    bpy.ops.brittle.shatter()
    frames = range(11, 41)
    mass = np.array([item["brittle_mass"] for item in pieces()])
    middle = np.einsum("k,ksi->si", mass, [path(item, frames) for item in pieces()]) / mass.sum()
    # 0.2 a frame; 32-bit keys at about 8.
    assert np.allclose(np.diff(middle, axis=0), (0.2, 0.0, 0.0), atol=1e-5)


def test_pieces_land_on_a_collider(cube, scene, gentle, make_collider):
    scene.brittle.use_ground = False
    cube.location.z = 1.0
    table = make_collider("Table")
    table.scale, table.location = (20.0, 80.0, 1.0 / 3.0), (-10.0, 10.0, -1.0)  # its top is at 0
    bpy.context.view_layer.update()
    bpy.ops.brittle.shatter()
    lowest = min(path(item, range(1, 31))[:, 2].min() for item in pieces())
    assert lowest > 0.0, "a centre of mass went through the table"
    bpy.context.scene.brittle.use_colliders = False
    bpy.ops.brittle.shatter()
    lowest = max(path(item, range(1, 31))[-1, 2] for item in pieces())
    assert lowest < 0.0, "without the table all would fall"


def test_a_moving_wall_pushes_the_pieces(cube, scene, gentle, make_collider):
    scene.use_gravity = False
    scene.brittle.use_ground = False
    wall = make_collider("Wall")
    wall.scale = (0.1, 8.0, 2.0)
    wall.location.z = -2.0
    for frame, x in ((1, -4.0), (31, 5.0)):  # 0.3 a frame: its front meets the cube after about ten frames
        wall.location.x = x
        wall.keyframe_insert("location", frame=frame)
    for curve in wall.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    scene.frame_set(1)
    bpy.ops.brittle.shatter()
    front = 5.0 - 0.3 + 0.2
    for item in pieces():
        assert path(item, [30])[0, 0] > front, "a piece is behind the wall that pushes it"
