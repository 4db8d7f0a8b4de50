"""Colliders whose mesh changes: the core is given what the viewport shows at each frame, and breaks things by it."""

import json

import bpy
import numpy as np
import pytest

from tests.blender.deforming import (
    FRAMES,
    built,
    displaced_by_nodes,
    in_a_lattice,
    led_by_bone,
    scaled,
    seen,
    shaped,
    waving,
)

pytestmark = pytest.mark.blender

KINDS = [led_by_bone, shaped, scaled, in_a_lattice, waving, displaced_by_nodes, built]


@pytest.mark.parametrize("deform", KINDS)
def test_the_mesh_of_each_frame_is_what_the_viewport_shows(cube, make_collider, read, deform):
    scene = bpy.context.scene
    scene.brittle.frames = FRAMES
    wall = make_collider()
    wall.location = (0.5, 0.0, 0.3)
    deform(wall)
    bpy.context.view_layer.objects.active = cube
    scene.frame_set(1)
    reading = read(cube)
    assert reading.warnings == () and scene.frame_current == 1
    (collider,) = reading.scene.colliders
    assert len(collider.deformed) == FRAMES
    for frame, mesh in enumerate(collider.deformed, 1):
        points, triangles = seen(wall, frame)
        assert mesh.triangles.shape == triangles.shape
        corner = mesh.vertices[mesh.triangles] + reading.source.origin
        np.testing.assert_allclose(corner.mean(axis=1), points[triangles].mean(axis=1), atol=1e-5)
    first, *_, last = collider.deformed
    assert deform is built or np.abs(first.vertices - last.vertices).max() > 0.01


def test_what_lasts_is_not_followed(cube, make_collider, read):
    """Modifiers that do the same at every frame cost no walk through the frames."""
    wall = make_collider()
    for kind in ("SUBSURF", "BEVEL", "SOLIDIFY", "MIRROR"):
        wall.modifiers.new(kind, kind)
    frames = []
    bpy.app.handlers.frame_change_pre.append(lambda scene, *_: frames.append(scene.frame_current))
    (collider,) = read(cube).scene.colliders
    bpy.app.handlers.frame_change_pre.pop()
    assert collider.deformed == () and frames == []


def test_a_mesh_that_is_too_fine_counts_as_it_was_and_is_named(cube, make_collider, read, module, monkeypatch):
    monkeypatch.setattr(module("operators.bridge.colliders"), "MOST_TRIANGLES", 11)
    wall = make_collider()
    shaped(wall)
    reading = read(cube)
    (told,) = reading.warnings
    assert "'Wall' deforms" in told and "12 triangles" in told and "simpler mesh" in told
    assert reading.scene.colliders[0].deformed == ()
    for point in wall.data.shape_keys.key_blocks[1].data:  # now it keeps its form, however many triangles it has
        point.co.x = point.co.x / 2.0 + 3.0
    reading = read(cube)
    assert reading.warnings == () and len(reading.scene.colliders[0].deformed) == 10


def test_a_collider_that_loses_its_faces(cube, make_collider, read):
    scene = bpy.context.scene
    wall = make_collider()
    modifier = wall.modifiers.new("Build", "BUILD")
    modifier.frame_start, modifier.frame_duration, modifier.use_reverse = 2, 4, True
    reading = read(cube)
    assert reading.warnings == ()
    assert not np.ptp(reading.scene.colliders[0].deformed[-1].vertices, axis=0).any(), "nothing is there any more"
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert scene.frame_current == 1


@pytest.mark.parametrize("deform", [led_by_bone, shaped, displaced_by_nodes])
def test_simulate_breaks_what_a_deforming_collider_hits(cube, make_collider, deform):
    """Walls 3 m high bend, widen or grow into a brittle cube beside them within 6 frames."""
    wall = make_collider()
    deform(wall)
    cube.location = {led_by_bone: (0.5, -2.2, 1.5), shaped: (4.2, 0.0, 0.0), displaced_by_nodes: (3.1, 0.0, 0.0)}[
        deform
    ]
    scene = bpy.context.scene
    scene.use_gravity, scene.brittle.use_ground, scene.frame_end = False, False, 14
    breaks = cube.brittle.breakable
    breaks.breaks, breaks.speed, breaks.strength = True, 0.5, 1.0
    cube.brittle.impact_factor.durability = 0.01
    bpy.context.view_layer.objects.active = cube
    scene.frame_set(1)
    assert bpy.ops.brittle.simulate() == {"FINISHED"}
    report = json.loads(bpy.data.collections["Cube Fragments"]["brittle_report"])
    assert report["pieces"] > 1 and report["warnings"] == []
