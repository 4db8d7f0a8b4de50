"""Closed meshes with doubled faces, through Blender: merged by distance, and whole models with a Mirror on top."""

import json

import bpy
import pytest

from tests.blender import ugly
from tests.zoo.merged import boxes_on_one_base
from tests.zoo.parts import signed_volume, sphere

pytestmark = pytest.mark.blender


def shattered(obj, count=12):
    """The account of a still Shatter."""
    obj.brittle.motion = "still"
    ugly.activate(obj)
    assert bpy.ops.brittle.shatter(count=count, seed=1) == {"FINISHED"}
    fragments = bpy.data.collections[f"{obj.name} Fragments"]
    return json.loads(fragments["brittle_report"])


def test_boxes_on_one_base_and_a_doubled_ball_are_solids():
    obj = ugly.of_solid(boxes_on_one_base(2.0, 1.0, 3.0), "Boxes")
    report = shattered(obj)
    assert report["volume_out"] == pytest.approx(12.0, rel=1e-6)
    assert report["area_exact"] > 0.99
    assert any("there twice" in text for text in report["warnings"])  # most of the lower boxes lies in the others

    ball = ugly.of_solid(sphere(3), "Ball")
    ball.modifiers.new("Mirror", "MIRROR").use_mirror_merge = False
    report = shattered(ball)
    assert report["volume_out"] == pytest.approx(signed_volume(sphere(3)), rel=0.01)
    assert any("Mirror modifier" in text for text in report["warnings"])


@pytest.mark.parametrize("array", [False, True])
def test_suzanne_with_a_mirror_and_a_subdivision_stays_solid(array):
    obj = ugly.suzanne()
    obj.modifiers.new("Mirror", "MIRROR")
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    if array:
        obj.modifiers.new("Array", "ARRAY")
    report = shattered(obj)
    # What the half-open mesh winds around, counted at 2^14 points.
    assert report["volume_out"] == pytest.approx(report["volume_before"], rel=0.02)
    assert report["area_exact"] > 0.95
    assert any("Mirror modifier" in text for text in report["warnings"])
