"""Simulate: what breaks on contact follows its own animation until something breaks it, or until that ends."""

import json

import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender

LAST = 24
#: [m] by what keys that hold 32 bits, and are left out where that moves a piece by 1e-6 of its size, may be wrong.
KEYS = 1e-5


@pytest.fixture
def weightless():
    scene = bpy.context.scene
    scene.use_gravity, scene.brittle.use_ground = False, False
    scene.frame_start, scene.frame_end = 1, LAST
    return scene


@pytest.fixture
def breaking(make_cube):
    """Make a cube of edge 1 that breaks at a touch, at a place."""

    def make(name, place):
        obj = make_cube(name)
        obj.data.transform(((0.5, 0, 0, 0), (0, 0.5, 0, 0), (0, 0, 0.5, -0.5), (0, 0, 0, 1)))
        obj.location = place
        obj.brittle.voronoi.count, obj.brittle.breakable.breaks = 6, True
        obj.brittle.impact_factor.durability = 0.01
        return obj

    return make


def key(obj, path, frames):
    for frame, value in frames.items():
        setattr(obj, path, value)
        obj.keyframe_insert(path, frame=frame)


def wave(obj):
    """Keys of which the object turns and comes to rest in between, and waits before it begins."""
    key(obj, "location", {3: obj.location.copy(), 12: (obj.location.x, 1.0, 3.0), LAST: (obj.location.x, 0.0, 5.0)})
    key(obj, "rotation_euler", {3: (0.0, 0.0, 0.0), LAST: (0.0, 2.0, 1.0)})


def driven(obj):
    obj.driver_add("location", 1).driver.expression = "0.004 * frame ** 2"


def carried(obj):
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    key(parent, "rotation_euler", {1: (0.0, 0.0, 0.0), LAST: (0.0, 0.0, 1.5)})
    obj.parent = parent


def bound(obj):
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    key(target, "location", {1: (0.0, 0.0, 0.0), LAST: (0.0, 3.0, 0.0)})
    constraint = obj.constraints.new("COPY_LOCATION")
    constraint.target, constraint.use_offset = target, True


def poses(objects):
    """(S,n,4,4) where objects are at all frames."""
    found = []
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(obj.matrix_world) for obj in objects])
    bpy.context.scene.frame_set(1)
    return np.array(found)


def pieces(obj):
    return list(pieces_of(bpy.data.collections[f"{obj.name} Fragments"]))


def corners(obj, matrices):
    """(S,V,3) in the world."""
    points = np.array([v.co for v in obj.data.vertices])
    return np.einsum("sij,vj->svi", matrices[:, :3, :3], points) + matrices[:, None, :3, 3]


def test_what_nothing_breaks_goes_where_its_animation_leads_under_gravity_too(weightless, breaking):
    """Keys with pauses, drivers, parents, constraints: held against what Blender shows without Simulate."""
    weightless.use_gravity = True
    ways = (wave, driven, carried, bound)
    objects = [breaking(way.__name__, (4.0 * k + 3.0, 0.0, 2.0)) for k, way in enumerate(ways)]
    for way, obj in zip(ways, objects, strict=True):
        way(obj)
    bpy.context.scene.frame_set(1)
    expected = poses(objects)
    assert (np.abs(expected[-1] - expected[0]).max(axis=(1, 2)) > 0.3).all(), "all of them move"
    assert bpy.ops.brittle.simulate() == {"FINISHED"}
    for k, obj in enumerate(objects):
        (whole,) = pieces(obj)
        now = corners(whole, poses([whole])[:, 0])
        then = corners(obj, expected[:, k])
        assert np.abs(np.sort(now, axis=1) - np.sort(then, axis=1)).max() < KEYS


def test_two_that_meet_in_mid_air_break_when_they_do_and_again_so(weightless, breaking):
    """Each has an edge of 1 and 3.5 to go until the two touch: by the keys that is so between two frames."""
    objects = [breaking(name, (sign * 4.0, 0.0, 2.0)) for name, sign in (("Left", -1.0), ("Right", 1.0))]
    for obj in objects:
        key(obj, "location", {1: obj.location.copy(), LAST - 4: (0.0, 0.0, 2.0)})  # Bezier, as Blender makes keys
    x = poses(objects)[:, 0, 0, 3]
    hit = 1 + int(np.flatnonzero(x > -0.5)[0])  # the first frame at which the two would be in each other
    first = None
    for _ in range(2):
        assert bpy.ops.brittle.simulate(seed=1) == {"FINISHED"}
        found = []
        for obj in objects:
            report = json.loads(bpy.data.collections[f"{obj.name} Fragments"]["brittle_report"])
            assert report["pieces"] > 1 and report["warnings"] == []
            for frame in (hit - 1, hit):
                bpy.context.scene.frame_set(frame)
                shown = [item for item in pieces(obj) if not item.hide_viewport]
                assert (len(shown) > 1) == (frame == hit)
            found.append(poses(pieces(obj)))
        bpy.context.scene.frame_set(1)
        assert first is None or all(np.array_equal(a, b) for a, b in zip(first, found, strict=True))
        first = found


def test_where_the_keys_end_it_flies_on(weightless, breaking):
    obj = breaking("Thrown", (0.0, 0.0, 2.0))
    key(obj, "location", {1: (0.0, 0.0, 2.0), 7: (3.0, 0.0, 2.0)})
    for curve in obj.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    assert bpy.ops.brittle.simulate() == {"FINISHED"}
    (whole,) = pieces(obj)
    x = poses([whole])[:, 0, 0, 3]
    assert np.abs(x - 0.5 * np.arange(LAST)).max() < KEYS * LAST  # half a metre in each frame


def test_an_animation_that_has_no_place_for_a_while_is_left_out_with_a_sentence(weightless, breaking):
    obj = breaking("Lost", (0.0, 0.0, 2.0))
    key(obj, "location", {1: (0.0, 0.0, 2.0), 19: (3.0, 0.0, 2.0), 20: (0.0, 0.0, 2.0)})
    for curve in obj.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        curve.keyframe_points[1].interpolation = "CONSTANT"
        curve.keyframe_points[2].co.y = np.inf
    bpy.context.scene.frame_set(1)
    assert bpy.ops.brittle.simulate() == {"FINISHED"}
    report = json.loads(bpy.data.collections["Lost Fragments"]["brittle_report"])
    assert report["warnings"] == [
        "The animation of 'Lost' does not count: its place is not a finite number at some frame."
    ]
