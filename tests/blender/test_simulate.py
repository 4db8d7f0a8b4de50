"""Simulate: two things and a wall that is led into one of them; refusals; the command line; Restore."""

import json
import math

import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of

FIRST, LAST = 3, 14


@pytest.fixture
def breaking(make_object):
    """Make a box that breaks at a touch into few pieces, with its lowest corner at a place."""

    def make(name, low, size=(1.0, 1.0, 1.0), speed=1.0):
        corners = [
            tuple(a + k * b for a, k, b in zip(low, (i, j, k), size, strict=True))
            for i in (0, 1)
            for j in (0, 1)
            for k in (0, 1)
        ]
        obj = make_object(
            name, corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        )
        obj.brittle.voronoi.count = 6
        obj.brittle.impact_factor.durability = 0.01
        obj.brittle.breakable.breaks = True
        obj.brittle.breakable.speed = speed
        return obj

    return make


@pytest.fixture
def span():
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.frame_set(FIRST)
    return scene


@pytest.fixture
def pushed(breaking, make_collider, span):
    """Two boxes on the ground, and a wall that is led into the first one and stops short of the second."""
    first, second = breaking("First", (0.0, 0.0, 0.0)), breaking("Second", (4.0, 0.0, 0.0))
    wall = make_collider("Wall")  # x from -1 to 2, thin in y
    wall.scale = (0.1, 8.0, 1.0)  # its front is at 0.2
    for frame, x in ((FIRST, -1.2), (LAST, 0.0)):  # 2.6 m/s
        wall.location.x = x
        wall.keyframe_insert("location", frame=frame)
    linear(wall)
    span.frame_set(FIRST)
    return first, second


def linear(obj):
    for curve in obj.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def fragments(obj):
    return sorted(pieces_of(bpy.data.collections[f"{obj.name} Fragments"]), key=lambda item: item["brittle_fragment"])


def written(obj):
    """All keys and points of the fragments of an object, as bytes."""
    result = []
    for item in fragments(obj):
        points = np.empty(3 * len(item.data.vertices), np.float32)
        item.data.vertices.foreach_get("co", points)
        result.append(points.tobytes())
        for curve in bag(item).fcurves:
            keys = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", keys)
            result.append((curve.data_path, curve.array_index, keys.tobytes()))
    return result


def bag(item):
    animation = item.animation_data
    return animation.action.layers[0].strips[0].channelbag(animation.action_slot)


@pytest.fixture
def simulate(module):
    def run(**choices):
        return module("operators.simulate").simulate(bpy.context, **choices)

    return run


def test_a_wall_that_is_led_breaks_what_it_meets_and_nothing_else(pushed, simulate, state):
    first, second = pushed
    before = state()
    results = simulate()
    assert [item.source.name for item in results] == ["First", "Second"]
    whole, *pieces = fragments(first)
    assert whole["brittle_parent"] == -1 and len(pieces) >= 2
    # The front is at -1.0 at the start and does 1.2 m in 11 frames: it meets the box after more than 9 of them.
    shown = {frame: [item for item in fragments(first) if seen_at(item, frame)] for frame in range(FIRST, LAST + 1)}
    assert all(shown[frame] == [whole] for frame in range(FIRST, FIRST + 9))
    assert len(shown[LAST]) >= 2 and whole not in shown[LAST]
    (unbroken,) = fragments(second)
    assert math.isclose(unbroken["brittle_mass"], second.brittle.material.density, rel_tol=1e-6)
    for obj, result in zip(pushed, results, strict=True):
        assert json.loads(bpy.data.collections[f"{obj.name} Fragments"]["brittle_report"]) == json.loads(
            json.dumps(result.account)
        )
    restored(pushed)
    after = state()
    assert after == before, {key for key in after if after[key] != before.get(key)}


def seen_at(item, frame):
    curve = bag(item).fcurves.find("hide_render")
    return curve.evaluate(frame) < 0.5


def restored(objects):
    """Restore with all selected that is seen, which stands for the objects."""
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(True)
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    bpy.data.objects["Wall"].select_set(False)
    for obj in objects:
        assert obj.select_get()


def test_the_operator_does_the_same_and_a_second_run_takes_its_place(pushed, simulate):
    simulate()
    by_hand = [written(obj) for obj in pushed]
    count = len(bpy.data.objects)
    assert bpy.ops.brittle.simulate() == {"FINISHED"}, "what is hidden by the first run takes part again"
    assert [written(obj) for obj in pushed] == by_hand
    assert len(bpy.data.objects) == count


def test_objects_share_one_world(breaking, simulate, span):
    """One falls onto the other, 0.2 m below: at 2 m/s both break, though neither meets the ground or a collider."""
    span.use_gravity = False
    span.brittle.use_ground = False
    breaking("Lower", (0.0, 0.0, 0.0))
    upper = breaking("Upper", (0.2, 0.1, 1.2))
    for frame, z in ((FIRST - 1, 2.0 / 24.0), (FIRST + 1, -2.0 / 24.0)):
        upper.location.z = z
        upper.keyframe_insert("location", frame=frame)
    linear(upper)
    span.frame_set(FIRST)
    results = simulate()
    assert [item.source.name for item in results] == ["Lower", "Upper"]
    assert all(item.report.pieces > 1 for item in results)


def test_hits_count_from_the_first_frame_and_there_is_none_without_an_empty(cube, span, module, simulate):
    cube.brittle.breakable.breaks = True
    span.use_gravity = False
    assert simulate()[0].report.pieces == 1, "nothing hits it at the cursor"
    bpy.context.view_layer.objects.active = cube
    bpy.ops.brittle.impact_add(location=(1.0, 0.0, 1.0), direction=(-1.0, 0.0, 0.0))
    empty = bpy.data.objects["Impact"].brittle_impact
    empty.strength, empty.frame = 100.0, LAST + 1
    assert simulate()[0].report.pieces == 1, "the hit comes after the end"
    empty.frame = FIRST + 4
    assert simulate()[0].report.pieces > 1
    births = sorted({int(min(k for k in range(FIRST, LAST + 1) if seen_at(item, k))) for item in fragments(cube)})
    assert births == [FIRST, FIRST + 4]


@pytest.mark.parametrize("where", ["inside", "outside"])
def test_only_what_is_hit_inside_of_a_sphere_breaks(pushed, simulate, where):
    first, _ = pushed
    bpy.context.scene.cursor.location = (0.0, 0.5, 0.5) if where == "inside" else (0.0, 0.5, 9.0)
    bpy.context.view_layer.objects.active = first
    bpy.ops.brittle.influence_add()
    sphere = bpy.data.objects["Influence"]
    sphere.empty_display_size = 2.0
    pieces = {item.source.name: item.report.pieces for item in simulate()}
    assert (pieces["First"] > 1) == (where == "inside")


@pytest.mark.parametrize(("low", "high", "breaks"), [(0, 0, True), (0, FIRST + 2, False), (LAST + 1, 0, False)])
def test_it_breaks_within_its_time(pushed, simulate, low, high, breaks):
    first, _ = pushed
    first.brittle.breaks_from, first.brittle.breaks_until = low, high
    assert (simulate(objects=[first])[0].report.pieces > 1) == breaks


@pytest.mark.parametrize("field", ["toughness_group", "anchored_group"])
def test_a_group_that_is_missing_is_refused_with_a_sentence(pushed, simulate, state, module, field):
    setattr(pushed[1].brittle, field, "Weak")
    before = state()
    with pytest.raises(module("core.errors").InputError) as caught:
        simulate()
    assert str(caught.value) == "'Second' has no vertex group \"Weak\": choose another one under Breaks on Contact."
    assert state() == before
    with pytest.raises(RuntimeError, match="has no vertex group"):
        bpy.ops.brittle.simulate()
    assert state() == before
    pushed[1].brittle.breakable.breaks = False
    assert len(simulate()) == 1, "what does not take part is not asked"


def test_where_nothing_breaks_it_says_how(cube, module, simulate, state):
    before = state()
    assert not bpy.ops.brittle.simulate.poll()
    with pytest.raises(module("core.errors").InputError, match='switch on "Breaks on Contact"'):
        simulate()
    with pytest.raises(module("core.errors").InputError, match="'Cube' does not break on contact"):
        simulate(objects=[cube])
    cube.brittle.breakable.breaks = True
    assert bpy.ops.brittle.simulate.poll()
    with pytest.raises(module("core.errors").InputError, match="not from 5 to 4"):
        simulate(frames=(5, 4))
    cube.hide_set(True)
    assert not bpy.ops.brittle.simulate.poll()
    cube.hide_set(False)
    cube.select_set(True)
    cube.brittle.breakable.breaks = False
    assert state() == before


def test_undo_and_redo(pushed):
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.brittle.simulate() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="after")
    made = set(bpy.data.objects.keys())
    bpy.ops.ed.undo()
    assert set(bpy.data.objects.keys()) == {"First", "Second", "Wall"} and not bpy.data.collections
    assert not bpy.data.objects["First"].hide_render and bpy.data.objects["First"].animation_data is None
    bpy.ops.ed.redo()
    assert set(bpy.data.objects.keys()) == made


def test_not_in_edit_mode(pushed):
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.brittle.simulate.poll() and not bpy.ops.brittle.influence_add.poll()


def test_cracks_in_what_stands_still(cube):
    """Plain Shatter with the motion in which nothing moves: each piece has one place, where it was cut."""
    cube.brittle.motion = "still"
    cube.brittle.impact_factor.durability = 0.01
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    pieces = fragments(cube)
    assert len(pieces) > 2
    places = {item.name: tuple(item.location) for item in pieces}
    bpy.context.scene.frame_set(9)
    assert {item.name: tuple(item.location) for item in pieces} == places


def test_a_stop_changes_nothing(pushed, simulate, state, module):
    before = state()
    with pytest.raises(module("core.errors").Cancelled):
        simulate(progress=lambda step: step.fraction > 0.5)
    assert state() == before


def test_the_command_line_simulates_saves_and_reports(pushed, module, tmp_path, capsys):
    main = module("operators.command_line").main
    output, report = tmp_path / "new" / "out.blend", tmp_path / "new" / "out.json"
    files = ["--output", str(output), "--report", str(report)]
    assert main(["simulate", "--object", "Nothing", *files]) == 1
    assert capsys.readouterr().err == 'brittle: There is no object "Nothing" in this file.\n'
    assert main(["simulate", "--frames", "1"]) == 2
    assert not output.exists() and not report.exists()
    assert main(["simulate", "--seed", "5", "--frames", "3", "14", *files]) == 0
    accounts = json.loads(report.read_text("utf-8"))
    assert [one["object"] for one in accounts] == ["First", "Second"]
    assert [one["seed"] for one in accounts] == [5, 5]
    assert accounts[0]["pieces"] > 1 and accounts[1]["pieces"] == 1
    bpy.ops.wm.open_mainfile(filepath=str(output))
    assert bpy.data.objects["First"].brittle.seed == 5
    assert {"First Fragments", "Second Fragments"} <= set(bpy.data.collections.keys())
