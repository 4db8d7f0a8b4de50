"""Frames on Auto: the movement goes on until everything rests, whatever the scene's range says, and no piece is
stopped in its flight without a word.
"""

import json

import bpy
import pytest

BEYOND, SHORTEST = 250, 48


@pytest.fixture
def auto(cube):
    """A cube in a scene of 20 frames that ends where the cube's pieces are still in the air."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.brittle.frames = 1, 20, 0
    cube.brittle.voronoi.count = 6
    return cube


def account(obj):
    return json.loads(bpy.data.collections[f"{obj.name} Fragments"]["brittle_report"])


def places(obj, frame):
    bpy.context.scene.frame_set(frame)
    pieces = bpy.data.collections[f"{obj.name} Fragments"].all_objects
    return {item.name: tuple(map(tuple, item.matrix_world)) for item in pieces}


def last_key(obj):
    action = bpy.data.collections[f"{obj.name} Fragments"]["brittle_action"]
    bags = action.layers[0].strips[0].channelbags
    moves = ("location", "rotation_quaternion")
    return max(curve.keyframe_points[-1].co[0] for bag in bags for curve in bag.fcurves if curve.data_path in moves)


def keyed(obj, *steps):
    for frame, x in steps:
        obj.location.x = x
        obj.keyframe_insert("location", frame=frame)


def test_it_ends_at_rest_and_restores(auto, state, module):
    before, scene = state(), bpy.context.scene
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    data = account(auto)
    first, last = data["frames"]
    assert first == 1 and SHORTEST <= last < SHORTEST + BEYOND and data["moving"] == 0
    assert last_key(auto) == last and (scene.frame_start, scene.frame_end) == (1, 20)
    assert places(auto, last) == places(auto, last - 1) == places(auto, last + 100) != places(auto, 20)
    assert "moving" not in module("panels.report").headline(data)[0][0]
    scene.frame_set(1)
    bpy.ops.brittle.restore()
    after = state()
    for name in ("scene", ("object", "Cube")):
        before.pop(name), after.pop(name)  # the chosen seed stays
    assert after == before


def test_what_never_rests_ends_with_the_scene_and_is_told(auto, module):
    """Without a floor pieces fall for ever: as long as the scene, but two seconds at least."""
    bpy.context.scene.brittle.use_ground = False
    bpy.ops.brittle.shatter(seed=1)
    data = account(auto)
    assert data["frames"] == [1, SHORTEST] and data["moving"] == data["pieces"]
    told = f"{data['pieces']} pieces, nothing lost, {data['pieces']} still moving at frame {SHORTEST}"
    assert module("panels.report").headline(data)[0][0] == told
    bpy.context.scene.frame_end = 70
    bpy.ops.brittle.shatter(seed=1)
    assert account(auto)["frames"] == [1, 70]


def test_it_waits_for_what_is_led_and_for_late_hits(auto, make_collider):
    scene, wall = bpy.context.scene, make_collider("Wall")
    wall.location.y = 30.0
    scene.frame_end = 150
    keyed(wall, (1, 0.0), (110, 5.0))
    bpy.ops.brittle.shatter(seed=1)
    assert 110 < account(auto)["frames"][1] < 150 + BEYOND and account(auto)["moving"] == 0
    keyed(wall, (400, 9.0))  # it is on its way when the scene ends
    bpy.ops.brittle.shatter(seed=1)
    assert account(auto)["frames"][1] == 150
    bpy.data.objects.remove(wall)
    for frame in (10, 170):
        bpy.ops.brittle.impact_add(location=(0.0, -1.0, 1.0), direction=(0.0, 1.0, 0.0))
        hit = next(obj for obj in bpy.context.selected_objects if obj.type == "EMPTY")
        hit.brittle_impact.frame = frame
        bpy.context.view_layer.objects.active = auto  # the impact that is selected stands for it
    bpy.ops.brittle.shatter(seed=1)
    assert account(auto)["frames"][0] == 10 and 170 < account(auto)["frames"][1] < 170 + BEYOND


def test_simulate_goes_on_until_rest_too(auto, module):
    """A cube that falls for two seconds is not in the air when the scene of 20 frames ends; a range is kept."""
    auto.brittle.breakable.breaks, auto.brittle.breakable.speed = True, 1.0
    auto.location.z = 20.0
    simulate = module("operators.simulate").simulate
    simulate(bpy.context, frames=(1, 20))
    assert account(auto)["frames"] == [1, 20] and account(auto)["moving"] == 1
    simulate(bpy.context)
    data = account(auto)
    assert SHORTEST < data["frames"][1] < SHORTEST + BEYOND and data["moving"] == 0 and data["pieces"] > 1
    bpy.context.scene.brittle.frames = 60
    simulate(bpy.context)
    assert account(auto)["frames"] == [1, 20], "a number is that of Shatter; Simulate keeps to the scene"
    assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (1, 20)
