"""The blow that is drawn before the click is the blow that the click makes."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def view(module):
    return module("operators.blow_view")


def test_the_arrow_ends_where_the_object_is_hit_and_the_ring_has_its_reach(cube, view, module):
    cube.location = (3.0, -1.0, 0.5)
    cube.brittle.blow.radius = 0.25
    bpy.context.view_layer.update()
    heading = module("operators.bridge.viewer").heading_of(bpy.context)
    (blow,) = view.blows(bpy.context, cube, heading)
    ends = blow.lines()
    reading = module("operators.bridge.read").read_scene(bpy.context, cube, frames=2, ground=None)
    (hit,) = reading.scene.impacts
    tail, tip = ends[0]
    place = hit.point + reading.source.origin
    assert tip == pytest.approx(place)
    assert (tip - tail) / np.linalg.norm(tip - tail) == pytest.approx(hit.direction)
    ring = ends[5:, 0]
    assert np.linalg.norm(ring - place, axis=1) == pytest.approx(0.25)
    assert (ring - place) @ hit.direction == pytest.approx(0.0, abs=1e-9)


def test_a_stronger_blow_has_a_longer_arrow(cube, view):
    def length(strength):
        cube.brittle.blow.strength = strength
        (blow,) = view.blows(bpy.context, cube, view.FRONT)
        tail, tip = blow.lines()[0]
        assert np.linalg.norm(tip - tail) == pytest.approx(blow.length())
        return blow.length()

    weak, plain, strong, immense = map(length, (0.1, 1.0, 4.0, 1e6))
    assert weak < plain < strong < immense < 2.0 * np.linalg.norm((2.0, 2.0, 2.0))


def test_impacts_that_are_placed_take_its_place(cube, view):
    bpy.ops.brittle.impact_add(location=(0.0, 0.0, 1.0), owner="Cube")
    bpy.ops.brittle.impact_add(location=(1.0, 0.0, 0.0), direction=(-1.0, 0.0, 0.0), owner="Cube")
    for empty, frame in (("Impact", 30), ("Impact.001", 20)):
        bpy.data.objects[empty].brittle_impact.frame = frame
    bpy.context.view_layer.update()
    later, first = view.blows(bpy.context, cube, view.FRONT)[::-1]
    assert (first.impact, later.impact) == ("Impact.001", "Impact")
    assert first.place == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    assert later.direction == pytest.approx((0.0, 0.0, -1.0), abs=1e-6)


def test_a_mesh_with_a_point_at_infinity_has_a_blow_that_can_be_drawn(cube, view):
    cube.data.vertices[0].co.x = np.inf
    bpy.context.view_layer.update()
    (blow,) = view.blows(bpy.context, cube, view.FRONT)
    assert np.isfinite(blow.lines()).all()
