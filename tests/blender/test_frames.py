"""Frames of the playhead: a hit keeps its own, and Time Stretching changes nothing of when things are seen to break."""

import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender

G = 9.81


def seen(obj, *frames):
    """Whether an object is seen, and how many of its pieces, at each frame."""
    scene, result = bpy.context.scene, []
    pieces = pieces_of(bpy.data.collections[f"{obj.name} Fragments"])
    for frame in frames:
        scene.frame_set(frame)
        result.append((obj.visible_get(), sum(item.visible_get() for item in pieces)))
    return result


def hit(frame, location=(0.0, -1.0, 1.0), parent=None):
    """An impact at a frame, on the side of the cube."""
    cube = bpy.context.view_layer.objects.active
    bpy.ops.brittle.impact_add(location=location, direction=(0.0, 1.0, 0.0))
    empty = next(obj for obj in bpy.context.selected_objects if obj.type == "EMPTY")
    empty.brittle_impact.frame = frame
    empty.select_set(False)
    bpy.context.view_layer.objects.active = cube
    cube.select_set(True)
    return empty


def shatter(frame, **how):
    bpy.context.scene.frame_set(frame)
    assert bpy.ops.brittle.shatter(**how) == {"FINISHED"}


def breaks_at(obj, frame):
    (whole, none), (gone, pieces) = seen(obj, frame - 1, frame)
    return whole and none == 0 and not gone and pieces > 1


@pytest.mark.parametrize("later", [1, 20, 83, -5])
def test_a_hit_keeps_its_frame_wherever_the_playhead_is(cube, later):
    hit(20)
    shatter(1)
    assert breaks_at(cube, 20)
    shatter(later, seed=2)
    assert breaks_at(cube, 20)


def test_of_several_hits_one_without_a_frame_is_at_the_playhead(cube, read):
    for frame in (20, 26, 0):
        hit(frame, (frame / 30.0, -1.0, 1.0))
    fps = bpy.context.scene.render.fps
    bpy.context.scene.frame_set(23)
    reading = read(cube)
    assert reading.start_frame == 20
    assert [round(one.time * fps) for one in reading.scene.impacts] == [0, 3, 6]
    bpy.context.scene.frame_set(7)
    assert read(cube).start_frame == 7


def test_a_hit_that_moves_is_read_at_its_own_frame(cube, read):
    empty = hit(20)
    for frame, x in ((20, 0.5), (40, -0.5)):
        empty.location.x = x
        empty.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(40)
    reading = read(cube)
    assert reading.start_frame == 20
    assert np.isclose(reading.scene.impacts[0].point[0], 0.5, atol=1e-6)
    assert bpy.context.scene.frame_current == 40


def test_a_hit_that_is_near_at_the_playhead_alone_ends_the_search(cube, read):
    """At frame 20 the impact is far away, so that the cursor's hit counts there, which is at the playhead."""
    empty = hit(20)
    empty.parent = None
    for frame, x in ((20, 50.0), (40, 0.0)):
        empty.location.x = x
        empty.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(40)
    assert len(read(cube).scene.impacts) == 1


@pytest.mark.parametrize(("old", "new"), [(100, 200), (100, 30), (70, 90)])
def test_time_stretching_moves_neither_break_nor_fall(cube, old, new):
    """z = z0 - g t^2 / 2 at what the playhead calls a frame, of what nothing touches."""
    scene = bpy.context.scene
    scene.render.frame_map_old, scene.render.frame_map_new = old, new
    scene.render.fps, scene.render.fps_base = 30, 1.5
    scene.brittle.use_ground, cube.brittle.breakable.breaks = False, True
    scene.frame_start, scene.frame_end = 0, 12
    bpy.ops.brittle.simulate()
    pieces = pieces_of(bpy.data.collections["Cube Fragments"])
    heights = {}
    for frame in (0, 3, 12):
        scene.frame_set(frame)
        heights[frame] = pieces[0].matrix_world.translation.z
    for frame in (3, 12):
        t = frame / 20.0
        # Kick, drift, kick: exact for a parabola; keys and curves have 32 bits.
        assert np.isclose(heights[frame], heights[0] - 0.5 * G * t * t, atol=1e-5)
    shatter(17)
    assert breaks_at(cube, 17)
    hit(13)
    shatter(40)
    assert breaks_at(cube, 13)


def test_own_visibility_keys_and_speed_under_time_stretching(cube, read):
    """2 m in 10 frames of the curve are 20 frames of the playhead: 0.1 m a frame."""
    scene = bpy.context.scene
    scene.render.frame_map_old, scene.render.frame_map_new = 100, 200
    for frame, x, hidden in ((0, 0.0, True), (5, 1.0, False), (10, 2.0, False)):
        cube.location.x, cube.hide_render = x, hidden
        cube.keyframe_insert("location", frame=frame)
        cube.keyframe_insert("hide_render", frame=frame)
    for curve in cube.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR" if curve.data_path == "location" else "CONSTANT"
    scene.frame_set(15)
    assert np.isclose(read(cube).scene.velocity[0], 0.1 * scene.render.fps, atol=1e-3)
    shatter(15)
    states = {}
    for frame in (9, 10, 14, 15):
        scene.frame_set(frame)
        states[frame] = cube.hide_render
    assert states == {9: True, 10: False, 14: False, 15: True}
    bpy.ops.brittle.restore()
    assert [scene.frame_set(frame) or cube.hide_render for frame in (9, 10, 15, 40)] == [True, False, False, False]
