"""Colliders whose mesh changes: the core is given what the viewport shows at each frame, and breaks things by it."""

import json

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.blender

FRAMES = 6


def led_by_bone(obj):
    """An armature whose bone swings by keys; half of the mesh hangs on it."""
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (FRAMES, 0.8)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    group = obj.vertex_groups.new(name=bone.name)
    group.add([v.index for v in obj.data.vertices if v.co.z > 1.0], 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig


def shaped(obj):
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Wide")
    for point in key.data:
        point.co.x *= 2.0
    for frame, value in ((1, 0.0), (FRAMES, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def scaled(obj):
    for frame, size in ((1, 1.0), (FRAMES, 2.0)):
        obj.scale = (size, size, 1.0)
        obj.keyframe_insert("scale", frame=frame)


def in_a_lattice(obj):
    lattice = bpy.data.objects.new("Lattice", bpy.data.lattices.new("Lattice"))
    bpy.context.scene.collection.objects.link(lattice)
    lattice.scale = (4.0, 4.0, 4.0)
    obj.modifiers.new("Lattice", "LATTICE").object = lattice
    for frame, z in ((1, 0.0), (FRAMES, 1.0)):
        lattice.location.z = z
        lattice.keyframe_insert("location", frame=frame)
    for point in lattice.data.points:
        point.co_deform.x *= 1.5 if point.co.z > 0.0 else 1.0


def waving(obj):
    obj.modifiers.new("Wave", "WAVE").time_offset = -50.0


def displaced_by_nodes(obj):
    tree = bpy.data.node_groups.new("Push", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = [tree.nodes.new(kind) for kind in (
        "NodeGroupInput", "GeometryNodeSetPosition", "NodeGroupOutput", "GeometryNodeInputSceneTime",
        "ShaderNodeCombineXYZ", "GeometryNodeInputPosition", "ShaderNodeVectorMath",
    )]  # fmt: skip
    given, place, result, time, vector, position, product = nodes
    product.operation = "MULTIPLY"
    link = tree.links.new
    link(given.outputs[0], place.inputs[0])
    link(time.outputs["Seconds"], vector.inputs[0])
    link(vector.outputs[0], product.inputs[0])
    link(position.outputs[0], product.inputs[1])
    link(product.outputs[0], place.inputs["Offset"])
    link(place.outputs[0], result.inputs[0])
    obj.modifiers.new("Nodes", "NODES").node_group = tree


def built(obj):
    """Faces come one after another: the triangles themselves change."""
    modifier = obj.modifiers.new("Build", "BUILD")
    modifier.frame_start, modifier.frame_duration = -5, 20


KINDS = [led_by_bone, shaped, scaled, in_a_lattice, waving, displaced_by_nodes, built]


def seen(obj, frame):
    """Vertices and triangles in the world, as Blender shows them."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    points = np.array([evaluated.matrix_world @ v.co for v in mesh.vertices])
    return points, np.array([tri.vertices for tri in mesh.loop_triangles])


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
