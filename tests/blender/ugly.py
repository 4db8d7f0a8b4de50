"""Ugly meshes that only Blender can make, and how any object is broken and looked at."""

import hashlib

import bmesh
import bpy
import numpy as np


def linked(name, data):
    """A new object in the scene, active and selected alone."""
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    activate(obj)
    return obj


def activate(obj):
    for other in bpy.context.view_layer.objects:
        other.select_set(False)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.view_layer.update()


def of_solid(solid, name="Ugly", uv=True):
    """An object of (vertices, triangles), with a UV map that is linear in space."""
    vertices, triangles = solid
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], triangles)
    if uv:
        corner = np.nan_to_num(vertices[np.asarray(triangles).reshape(-1)], posinf=0.0, neginf=0.0)
        layer = mesh.uv_layers.new(name="Map")
        layer.uv.foreach_set("vector", (corner[:, :2] + 0.1 * corner[:, 2:]).astype(np.float32).ravel())
    return linked(name, mesh)


def suzanne():
    """As she comes out of the menu: 4 holes, eyes that are shells of their own and open behind."""
    bpy.ops.mesh.primitive_monkey_add()
    return bpy.context.object


def font(extrude):
    """Text as Blender makes it."""
    curve = bpy.data.curves.new("Text", "FONT")
    curve.body, curve.extrude = "Ag&8", extrude
    return linked("Text", curve)


def bevelled_curve():
    """A curve with a round bevel and caps; it crosses itself at each of its two loops."""
    curve = bpy.data.curves.new("Loops", "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution, curve.use_fill_caps = "3D", 0.15, 2, True
    spline = curve.splines.new("POLY")
    steps = np.linspace(0.0, 1.0, 60)
    spline.points.add(len(steps) - 1)
    for point, t in zip(spline.points, steps, strict=True):
        turn = 4.0 * np.pi * t
        point.co = (2.0 * t + 0.5 * np.sin(turn), 0.01 * t, 0.6 * np.cos(turn), 1.0)
    return linked("Loops", curve)


def metaballs():
    """Two that have flowed together, and one apart."""
    meta = bpy.data.metaballs.new("Meta")
    meta.resolution = meta.render_resolution = 0.25
    for x in (0.0, 1.2, 6.0):
        meta.elements.new().co = (x, 0.0, 0.0)
    return linked("Meta", meta)


def converted(obj):
    """The same as a mesh, as Object > Convert > Mesh makes it."""
    activate(obj)
    bpy.ops.object.convert(target="MESH")
    return bpy.context.object


def solid_of(obj):
    """Vertices in the world and triangles of an object, as its modifiers make it."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    points = np.array([obj.matrix_world @ vertex.co for vertex in mesh.vertices])
    triangles = np.array([triangle.vertices for triangle in mesh.loop_triangles], np.int64)
    evaluated.to_mesh_clear()
    if obj.matrix_world.determinant() < 0.0:
        triangles = triangles[:, ::-1]
    return points, triangles


def shatter(obj, count=30, **choices):
    """Broken into all of its pieces: the operator's result and the fragments."""
    bpy.context.scene.brittle.frames = 2
    activate(obj)
    obj.brittle.impact_factor.durability = 1e-6
    for name, value in choices.items():
        setattr(obj.brittle.repair, name, value)
    assert bpy.ops.brittle.shatter(count=count, seed=2) == {"FINISHED"}
    fragments = [item for item in bpy.data.objects if "brittle_fragment" in item]
    parents = {item["brittle_parent"] for item in fragments}
    return [item for item in fragments if item["brittle_fragment"] not in parents]


def volume_of_closed(fragments):
    """Sum of their volumes in the world [m^3]; every one of them is a closed manifold surface."""
    total = 0.0
    for item in fragments:
        mesh = bmesh.new()
        mesh.from_mesh(item.data)
        faulty = [edge for edge in mesh.edges if not (edge.is_manifold and edge.is_contiguous)]
        assert not faulty, f"{item.name} is not closed"
        assert mesh.calc_volume(signed=True) > 0.0, item.name
        total += mesh.calc_volume(signed=True) * abs(item.matrix_world.determinant())
        mesh.free()
    return total


def digest():
    """Everything that a refusal must leave as it was, beside what the fixture `state` sees: data and geometry."""
    told = {}
    for kind in ("objects", "meshes", "curves", "metaballs", "materials", "collections", "actions", "images", "texts"):
        for block in getattr(bpy.data, kind):
            # Blender 4.5 keeps registered properties among the custom ones, from the first look at them on.
            told[kind, block.name] = (block.users, sorted(set(block.keys()) - set(block.bl_rna.properties.keys())))
    for mesh in bpy.data.meshes:
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        corners = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get("vertex_index", corners)
        layers = [attribute.name for attribute in mesh.attributes]
        told["geometry", mesh.name] = (hashlib.sha256(points.tobytes() + corners.tobytes()).hexdigest(), layers)
    return told
