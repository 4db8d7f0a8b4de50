"""The empty on which pieces hang: nothing moves by it, and all moves with it; who copies the whole keeps the copy."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.pieces import pieces_of

FRAMES = (1, 4, 10)


def collection_of(obj):
    return next(item for item in bpy.data.collections if item.get("brittle_source") == obj)


def root_of(obj):
    (root,) = (item for item in collection_of(obj).objects if "brittle_root" in item)
    return root


def placed(pieces, frames=FRAMES):
    """World matrices (S,K,4,4) as Blender has evaluated them."""
    result = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        result.append([np.array(item.matrix_world) for item in pieces])
    return np.array(result)


def keyed(pieces, frames=FRAMES):
    """What keys alone say: the same without the empty."""
    result = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        result.append([np.array(item.matrix_basis) for item in pieces])
    return np.array(result)


def cart(obj):
    """A parent that is turned, sheared and led."""
    parent = bpy.data.objects.new("Cart", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale, parent.rotation_euler = (2.0, 0.5, 1.0), (0.0, 0.2, 0.3)
    for frame, x in ((1, 0.0), (10, 5.0)):
        parent.location.x = x
        parent.keyframe_insert("location", frame=frame)
    obj.parent, obj.location, obj.rotation_euler = parent, (900.0, -7.0, 3.0), (0.4, 0.0, 0.0)
    bpy.context.view_layer.update()
    return parent


def test_whoever_asks_all_objects_of_a_break_for_their_mass_gets_the_mass_of_the_pieces(cube):
    bpy.ops.brittle.shatter(count=6)
    there = list(collection_of(cube).objects)
    assert sum(item["brittle_mass"] for item in there) == sum(
        item["brittle_mass"] for item in pieces_of(collection_of(cube))
    )
    assert max(there, key=lambda item: item["brittle_mass"]) != root_of(cube)


@pytest.mark.parametrize("how", ["shatter", "simulate"])
def test_pieces_are_to_the_bit_where_their_keys_say(cube, how):
    cart(cube)
    cube.brittle.breakable.breaks = True
    bpy.context.scene.frame_end = 10
    origin = cube.matrix_world.translation.copy()
    assert getattr(bpy.ops.brittle, how)(seed=1) == {"FINISHED"}
    root, pieces = root_of(cube), pieces_of(collection_of(cube))
    assert root.name == "Cube Fragments" and root.type == "EMPTY" and root.parent is None
    assert root.matrix_world == Matrix.Translation(origin)
    assert pieces and all(item.parent == root for item in pieces)
    assert np.array_equal(placed(pieces), keyed(pieces))
    now = placed(pieces)
    bpy.data.objects.remove(root)
    assert np.array_equal(placed(pieces), now), "who deletes the empty loses nothing"


def test_the_whole_follows_its_empty_and_is_shown_in_instances(cube):
    bpy.ops.brittle.shatter(seed=1)
    root, pieces = root_of(cube), pieces_of(collection_of(cube))
    before, origin = placed(pieces), np.array(root.matrix_world)
    root.location, root.rotation_euler, root.scale = (5.0, 1.0, 2.0), (0.3, 0.0, 1.0), (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    moved = np.array(root.matrix_world) @ np.linalg.inv(origin)
    assert np.allclose(placed(pieces), moved @ before, atol=1e-5)
    shown = bpy.data.objects.new("Shown", None)
    shown.instance_type, shown.instance_collection, shown.location.x = "COLLECTION", collection_of(cube), 30.0
    bpy.context.scene.collection.objects.link(shown)
    bpy.context.scene.frame_set(4)
    graph = bpy.context.evaluated_depsgraph_get()
    there = {one.object.original.name: np.array(one.matrix_world) for one in graph.object_instances if one.is_instance}
    assert {item.name for item in pieces} <= set(there)
    for item in pieces:
        assert np.allclose(there[item.name] - np.array(item.matrix_world), np.eye(4, k=3) * 30.0, atol=1e-4)


def test_what_an_artist_did_with_the_empty_outlives_another_break(cube, state):
    before = state()
    bpy.ops.brittle.shatter(seed=1)
    root = root_of(cube)
    first = root.name
    bpy.ops.brittle.shatter(seed=2)
    assert len([item for item in bpy.data.objects if item.type == "EMPTY"]) == 1 and root_of(cube).name == first
    root = root_of(cube)
    root.location.x = 7.0
    bpy.ops.brittle.shatter(seed=3)
    assert root_of(cube) == root and root.location.x == 7.0 and root.name == first
    pieces = pieces_of(collection_of(cube))
    assert {item.parent for item in pieces} == {root}
    assert np.allclose((placed(pieces) - keyed(pieces))[..., :3, 3], (7.0, 0.0, 0.0), atol=1e-5)
    bpy.context.scene.frame_set(1)
    bpy.ops.brittle.restore()
    after = state()
    before.pop(("object", "Cube")), after.pop(("object", "Cube"))  # the chosen seed stays
    assert after == before


def test_restore_leaves_the_empty_on_which_something_hangs(cube):
    bpy.ops.brittle.shatter(seed=1)
    root = root_of(cube)
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    lamp.parent, lamp.location.z = root, 3.0
    bpy.context.view_layer.update()
    place = lamp.matrix_world.copy()
    bpy.ops.brittle.restore()
    assert {item.name for item in bpy.context.scene.objects} == {"Cube", "Lamp", "Cube Fragments"}
    bpy.context.view_layer.update()
    assert lamp.parent == root and lamp.matrix_world == place
    bpy.ops.brittle.shatter(seed=1)
    bpy.ops.brittle.restore()
    assert {item.name for item in bpy.context.scene.objects} == {"Cube", "Lamp", "Cube Fragments"}


@pytest.mark.parametrize("linked", [False, True])
def test_restore_leaves_a_copy_of_the_whole_to_the_artist(cube, linked):
    bpy.ops.brittle.shatter(seed=1)
    root, pieces = root_of(cube), pieces_of(collection_of(cube))
    count = len(pieces)
    for item in bpy.context.scene.objects:
        item.select_set(item == root or item in pieces)
    assert bpy.ops.object.duplicate(linked=linked) == {"FINISHED"}
    copies = [item for item in bpy.context.selected_objects if "brittle_fragment" in item]
    (other,) = {item.parent for item in copies}
    assert len(copies) == count and other != root
    other.location.x += 10.0
    before = placed(copies)
    assert (before[0] != before[2]).any()
    bpy.context.view_layer.objects.active = cube
    bpy.ops.object.select_all(action="DESELECT")
    root.select_set(True)
    bpy.ops.brittle.shatter(seed=2)
    bpy.ops.brittle.restore()
    assert {item.name for item in bpy.context.scene.objects} == {"Cube", other.name, *(item.name for item in copies)}
    assert all(item.users_collection for item in copies)
    assert np.array_equal(placed(copies), before)
