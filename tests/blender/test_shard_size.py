"""The simple look has the size of shards: another look at the number of pieces."""

import importlib
import math

import bpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.blender.layouts import draw, values

SIDE = st.floats(1e-3, 1e3)


# What compiles beside it makes the first draws slow.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(count=st.integers(2, 100_000), box=st.tuples(SIDE, SIDE, SIDE | st.just(0.0)))
def test_number_and_size_are_each_others_inverse(module_of_sizes, count, box):
    """To round-off: roots and products of a few numbers."""
    size = module_of_sizes.size_of(count, box)
    assert module_of_sizes.count_of(size, box) == pytest.approx(count, rel=1e-9)


@pytest.fixture(scope="module")
def module_of_sizes(extension):
    return importlib.import_module(f"{extension.__name__}.operators.shard_size")


def test_it_follows_the_number_and_sets_it(cube, everything, module):
    """A cube of edge 2 in 8 pieces: cubes of edge 1; a pane of 2 by 2 by 0.1 in 16: squares of 0.5."""
    everything.look = "SIMPLE"
    assert cube.brittle.shard_size == pytest.approx(1.0)
    cube.brittle.shard_size = 0.5
    assert cube.brittle.voronoi.count == 64
    cube.scale.z = 0.05
    bpy.context.view_layer.update()
    cube.brittle.voronoi.count = 16
    assert cube.brittle.shard_size == pytest.approx(0.5)
    cube.brittle.shard_size = 1e-9
    assert cube.brittle.voronoi.count == 2000, "the end of the slider, not what no machine can do"
    cube.brittle.shard_size = 100.0
    assert cube.brittle.voronoi.count == 2
    assert "shard_size" in values(draw("BRITTLE_PT_main"))
    cube.brittle.pieces = "pattern"
    cube.brittle.pattern.kind = "own"
    assert "shard_size" not in values(draw("BRITTLE_PT_main")), "meshes are as many as they are"


def test_several_objects_get_the_same_size_and_other_numbers(cube, make_cube, module):
    other = make_cube("Other")
    other.scale = 2.0, 2.0, 2.0
    bpy.context.view_layer.objects.active = cube
    bpy.context.view_layer.update()
    cube.brittle.shard_size = 0.5
    module("operators.alike").share(cube.brittle, "shard_size", bpy.context)
    assert (cube.brittle.voronoi.count, other.brittle.voronoi.count) == (64, 512)


def test_a_broken_object_counts_in_its_full_size(cube, module):
    """It is a millionth of that where its pieces are seen instead; to the precision of Blender's numbers."""
    cube.scale = 1.0, 2.0, 0.5
    bpy.context.view_layer.update()
    whole = tuple(cube.dimensions)
    cube.brittle.voronoi.count = 8
    cube.brittle.blow.speed_auto = False
    size, speed = cube.brittle.shard_size, cube.brittle.blow.speed
    bpy.ops.brittle.shatter()
    bpy.context.scene.frame_set(20)
    assert max(cube.dimensions) < 1e-3
    assert module("operators.bridge.sizes").dimensions(cube) == pytest.approx(whole, rel=1e-5)
    assert cube.brittle.shard_size == pytest.approx(size, rel=1e-5)
    cube.brittle.shard_size = size
    assert cube.brittle.voronoi.count == 8
    cube.brittle.blow.speed = 0.0
    cube.brittle.blow.speed_auto = False
    assert cube.brittle.blow.speed == pytest.approx(speed, rel=1e-5)
    bpy.context.view_layer.objects.active = cube
    bpy.ops.brittle.influence_add()
    sphere = next(obj for obj in bpy.data.objects if obj.brittle.influence)
    assert sphere.empty_display_size > 0.1


def test_a_side_that_is_not_finite_counts_for_nothing(cube):
    """Its object is refused when it is broken; until then the sidebar has to be drawn, and its slider may be moved."""
    cube.data.vertices[0].co.x = float("nan")
    cube.data.update()
    bpy.context.view_layer.update()
    assert math.isfinite(cube.brittle.shard_size)
    cube.brittle.shard_size = 0.5
    assert cube.brittle.voronoi.count >= 2
