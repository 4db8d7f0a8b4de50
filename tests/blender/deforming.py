"""Ways in which an object deforms, by keys, drivers, bones, lattices, modifiers and nodes; and what is seen of it."""

import math

import bpy
import numpy as np

#: The frame of the last keys.
FRAMES = 6


def seen(obj, frame):
    """Points (V,3) and triangles (T,3) in the world, as Blender shows them at a frame, with fraction."""
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(graph)
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    points = np.array([evaluated.matrix_world @ v.co for v in mesh.vertices])
    return points, np.array([tri.vertices for tri in mesh.loop_triangles])


def key_shape(obj, move, keys):
    """A shape key in which each point is where `move` (its place) says, with `keys` of (frame, value), straight."""
    if obj.data.shape_keys is None:
        obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Moved")
    for point in key.data:
        point.co = move(*point.co)
    for frame, value in keys:
        key.value = value
        key.keyframe_insert("value", frame=frame)
    for point in _curves(obj.data.shape_keys)[0].keyframe_points:
        point.interpolation = "LINEAR"
    return key


def _curves(block):
    return block.animation_data.action.layers[0].strips[0].channelbags[0].fcurves


def hang_on_bone(obj, above, location=(0.0, 0.0, 0.0)):
    """What of an object is above a height hangs on the bone of a new armature, which turns by Euler angles."""
    bpy.ops.object.armature_add(location=location)
    rig = bpy.context.object
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    group = obj.vertex_groups.new(name=bone.name)
    group.add([v.index for v in obj.data.vertices if v.co.z > above], 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    return bone


def key_turn(bone, keys):
    """Keys of (frame, angle) about x."""
    for frame, angle in keys:
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)


def led_by_bone(obj):
    """An armature whose bone swings by keys; half of the mesh hangs on it."""
    key_turn(hang_on_bone(obj, 1.0), ((1, 0.0), (FRAMES, 0.8)))


def shaped(obj):
    key_shape(obj, lambda x, y, z: (2.0 * x, y, z), ((1, 0.0), (FRAMES, 1.0)))


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


def driven(obj):
    """A Displace modifier whose strength a driver leads: all points move along their normals."""
    modifier = obj.modifiers.new("Displace", "DISPLACE")
    modifier.driver_add("strength").driver.expression = "0.1 * frame"


def dividing(obj):
    """A modifier makes other faces at each frame of the same, moving surface: nothing moves but along the normals."""
    driven(obj)
    modifier = obj.modifiers.new("Subdivision", "SUBSURF")
    modifier.subdivision_type = "SIMPLE"
    modifier.driver_add("levels").driver.expression = "1 + frame % 2"
