"""What an artist changes in the tab goes to all that are selected; a script sets what it names."""

import bpy
import pytest


@pytest.fixture
def cubes(make_cube):
    """Three cubes, of which the first is active and the first two are selected."""
    found = [make_cube(name) for name in ("First", "Second", "Third")]
    for obj in found:
        obj.brittle.voronoi.count = 6
        obj.select_set(obj != found[2])
    bpy.context.scene.brittle.frames = 4
    bpy.context.view_layer.objects.active = found[0]
    return found


def test_by_hand_it_goes_to_all_selected_and_by_a_script_to_one(cubes, module):
    first, second, third = cubes
    share = module("operators.alike").share
    first.brittle.voronoi.count, first.brittle.seed, first.brittle.pieces = 9, 4, "cubes"
    assert (second.brittle.voronoi.count, second.brittle.seed, second.brittle.pieces) == (6, 0, "voronoi")
    for group, name in ((first.brittle.voronoi, "count"), (first.brittle, "seed"), (first.brittle, "pieces")):
        share(group, name, bpy.context)
    assert (second.brittle.voronoi.count, second.brittle.seed, second.brittle.pieces) == (9, 4, "cubes")
    assert (third.brittle.voronoi.count, third.brittle.seed, third.brittle.pieces) == (6, 0, "voronoi")
    first.brittle.blow.strength = 3.0
    share(first.brittle.blow, "strength", bpy.context)
    assert second.brittle.blow.strength == 3.0 and third.brittle.blow.strength == 1.0


def test_what_another_does_not_have_stays(cubes, module):
    first, second, third = cubes
    share = module("operators.alike").share
    field = first.brittle.fields.add()
    field.kind = "noise"
    share(field, "kind", bpy.context)
    assert len(second.brittle.fields) == 0
    second.brittle.fields.add()
    share(field, "kind", bpy.context)
    assert second.brittle.fields[0].kind == "noise"
    third.brittle.seed = 5
    share(third.brittle, "seed", bpy.context)  # it is not among what the tab is about
    assert first.brittle.seed == second.brittle.seed == 0
    bpy.context.scene.brittle.frames = 7
    share(bpy.context.scene.brittle, "frames", bpy.context)


def test_after_a_break_the_pieces_stand_for_what_they_broke_from(cubes, module):
    first, second, _ = cubes
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == first
    first.brittle.voronoi.count = 11
    module("operators.alike").share(first.brittle.voronoi, "count", bpy.context)
    assert second.brittle.voronoi.count == 11
    assert bpy.ops.brittle.shatter(seed=1) == {"FINISHED"}
    broken = {item["brittle_source"] for item in bpy.data.collections if "brittle_source" in item}
    assert broken == {first, second}
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert {obj.name for obj in bpy.context.scene.objects} == {"First", "Second", "Third"}
    for obj in bpy.context.view_layer.objects:
        obj.select_set(False)
    assert not bpy.ops.brittle.shatter.poll()
    with pytest.raises(RuntimeError, match="Select a mesh"):
        bpy.ops.brittle.shatter()
