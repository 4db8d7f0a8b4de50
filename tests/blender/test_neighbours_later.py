"""What an artist does between a break and Restore: undo, copies of the scene, strips, other files, more simulations."""

import bpy
import pytest

from tests.blender import test_neighbours as neighbours
from tests.blender.fingerprint import broken, fingerprint
from tests.blender.pieces import pieces_of
from tests.blender.test_neighbours import BREAK, bag_of, check_same, check_what_is_seen, moved

pytestmark = pytest.mark.blender


def child(cube):
    """A child of the object, and a parent above it, which is keyed."""
    parent = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(parent)
    moved(parent)
    cube.parent = parent
    below = neighbours.copy_of(cube, "Child")
    below.parent = cube


@pytest.mark.parametrize("prepare", [*neighbours.SETUPS, child], ids=lambda prepare: prepare.__name__)
def test_undo_takes_a_break_back_whatever_the_object_has_in_common(cube, prepare):
    prepare(cube)
    bpy.context.scene.frame_set(BREAK)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.ed.undo_push(message="nothing")
    bpy.ops.ed.undo()  # undo itself has changed what Blender says of scenes
    before = fingerprint()
    bpy.ops.brittle.shatter(seed=1)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    check_same(before, fingerprint())
    bpy.ops.ed.redo()
    cube = bpy.data.objects["Cube"]
    check_what_is_seen(cube)
    bpy.context.view_layer.objects.active = cube
    bpy.ops.brittle.restore()
    check_same(before, fingerprint(), but=".brittle.")


@pytest.mark.parametrize("prepare", [*neighbours.SETUPS, child], ids=lambda prepare: prepare.__name__)
def test_simulate_changes_nothing_else_either(cube, prepare, module):
    prepare(cube)
    cube.brittle.breakable.breaks = True
    bpy.ops.brittle.impact_add()
    blow = bpy.data.objects["Impact"]
    blow.brittle_impact.frame = BREAK
    bpy.context.scene.frame_set(BREAK)
    everything, others = fingerprint(), fingerprint(but=broken(cube))
    simulate = module("operators.simulate").simulate
    for _ in range(2):
        simulate(bpy.context, objects=[cube], frames=(1, 10))
        check_same(others, fingerprint(but=broken(cube)))
    bpy.context.view_layer.objects.active = cube
    bpy.ops.brittle.restore()
    check_same(everything, fingerprint(), but=".brittle.")


def test_an_action_that_became_a_strip_after_the_break_stays_one(cube):
    """Push Down, of the object's own Action with our keys in it: Restore takes our keys out of it wherever it is."""
    animation = moved(cube)
    bpy.context.scene.frame_set(BREAK)
    bpy.ops.brittle.shatter(seed=1)
    action, slot = animation.action, animation.action_slot
    strip = animation.nla_tracks.new().strips.new("Pushed", 1, action)
    strip.action_slot = slot
    animation.action = None
    bpy.ops.brittle.restore()
    bag = action.layers[0].strips[0].channelbag(slot)
    assert {curve.data_path for curve in bag.fcurves} == {"location"}
    for frame in (1, BREAK, 20):
        bpy.context.scene.frame_set(frame)
        assert not cube.hide_render and not cube.hide_viewport and cube.visible_get()
        assert tuple(cube.scale) == (1.0, 1.0, 1.0)
        assert tuple(round(value, 6) for value in cube.evaluated_get(bpy.context.evaluated_depsgraph_get()).scale) == (
            1.0,
            1.0,
            1.0,
        )
    assert cube.animation_data.nla_tracks[0].strips[0].action == action


def test_an_action_that_the_object_follows_no_more_is_taken_back_too(cube):
    animation = moved(cube)
    bpy.context.scene.frame_set(BREAK)
    bpy.ops.brittle.shatter(seed=1)
    action, bag = animation.action, bag_of(cube)
    other = animation.action = action.copy()
    animation.action_slot = other.slots[0]
    bpy.ops.brittle.restore()
    assert animation.action == other, "what the artist chose stays"
    assert {curve.data_path for curve in bag.fcurves} == {"location"}
    assert not cube.hide_render and cube.visible_get()


@pytest.mark.parametrize("which", [0, 1])
def test_a_full_copy_of_the_scene_is_another_break(cube, which):
    moved(cube)
    bpy.context.scene.frame_set(BREAK)
    bpy.ops.brittle.shatter(seed=1)
    first = bpy.context.scene
    bpy.ops.scene.new(type="FULL_COPY")
    second = bpy.context.scene
    assert second != first
    scenes = (first, second)
    here, there = scenes[which], scenes[1 - which]

    def source(scene):
        return next(obj for obj in scene.objects if obj.name.startswith("Cube") and "Fragment" not in obj.name)

    def pieces(scene):
        return [obj for obj in scene.objects if "brittle_fragment" in obj]

    assert pieces(first) and len(pieces(first)) == len(pieces(second))
    count = len(pieces(there))
    bpy.context.window.scene = here
    obj = source(here)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.brittle.restore()
    assert list(here.objects) == [obj] and obj.visible_get() and not obj.hide_render
    assert {curve.data_path for curve in bag_of(obj).fcurves} == {"location"}
    assert len(pieces(there)) == count
    bpy.context.window.scene = there
    for frame in (BREAK - 1, BREAK, BREAK + 3):
        there.frame_set(frame)
        whole = frame < BREAK
        assert source(there).visible_get() is whole
        assert {item.visible_get() for item in pieces(there)} == {not whole}
    bpy.context.view_layer.objects.active = source(there)
    bpy.ops.brittle.restore()
    assert list(there.objects) == [source(there)] and source(there).visible_get()


def test_two_generations_of_simulations(cube, module):
    """A piece of a simulation is simulated in turn; Restore of the object takes both generations."""
    cube.brittle.breakable.breaks, cube.location.z = True, 2.0
    simulate = module("operators.simulate").simulate
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.frame = 2
    (first,) = simulate(bpy.context, objects=[cube], frames=(1, 12))
    assert first.report.pieces > 1
    bpy.context.scene.frame_set(12)
    there = [item for item in pieces_of(first.fragments) if item.visible_get()]
    piece = max(there, key=lambda item: item["brittle_mass"])
    piece.brittle.breakable.breaks = True
    (second,) = simulate(bpy.context, objects=[piece], frames=(12, 20))
    bpy.context.scene.frame_set(20)
    assert pieces_of(second.fragments)
    bpy.context.view_layer.objects.active = cube
    bpy.ops.brittle.restore()
    assert not [item for item in bpy.data.objects if "brittle_fragment" in item]


def test_an_override_keeps_its_diagram_through_a_file_and_restore_takes_it(tmp_path, module):
    obj = neighbours.linked_asset(tmp_path)
    bpy.ops.brittle.shatter(seed=1)
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = next(item for item in bpy.context.scene.objects if item.override_library)
    bpy.context.view_layer.objects.active = obj
    assert module("operators.bridge.diagram").block_of(obj) is not None
    bpy.ops.brittle.shatter(seed=2)  # in place of the first, whose diagram goes
    assert len([item for item in bpy.data.node_groups if "Diagram" in item.name]) == 1
    bpy.ops.brittle.restore()
    assert not bpy.data.node_groups
