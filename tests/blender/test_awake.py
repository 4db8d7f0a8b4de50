"""What keeps hidden pieces awake looks at all of them, with a few in each driver, and goes with them."""

import bpy
import pytest


@pytest.fixture
def awake(module):
    return module("operators.bridge.awake")


def made(count):
    objects = [bpy.data.objects.new(f"Piece {k}", None) for k in range(count)]
    for obj in objects:
        bpy.context.scene.collection.objects.link(obj)
    return objects


def looked_at():
    """The objects that each driver looks at."""
    block = bpy.context.scene["brittle_awake"]
    return [[item.targets[0].id for item in curve.driver.variables] for curve in block.animation_data.drivers]


def test_every_piece_is_looked_at_by_a_driver_that_looks_at_few(awake):
    source, *pieces = made(2 * awake.LOOKED_AT + 2)
    awake.keep_awake(bpy.context.scene, source, pieces)
    found = looked_at()
    assert [len(some) for some in found] == [1 + awake.LOOKED_AT, 1 + awake.LOOKED_AT, 2]
    assert all(some[0] == source for some in found)
    assert [piece for _, *some in found for piece in some] == pieces


def test_each_break_has_drivers_of_its_own_which_go_with_its_pieces(awake):
    first, *others = made(2 * awake.LOOKED_AT)
    second, *more = made(4)
    awake.keep_awake(bpy.context.scene, first, others)
    awake.keep_awake(bpy.context.scene, second, more)
    assert len(looked_at()) == 3
    awake.let_sleep(others)
    assert looked_at() == [[second, *more]]
    awake.let_sleep(more)
    assert "brittle_awake" not in bpy.context.scene and not bpy.data.node_groups
