"""What stays behind when an object breaks, and what renders show otherwise, is said with names."""

import json

import bpy

from tests.blender.fingerprint import broken, differences, fingerprint
from tests.blender.test_neighbours import copy_of


def warnings_of(obj):
    """What is said of a break; nothing else may have changed by it."""
    before = fingerprint(but=broken(obj))
    bpy.ops.brittle.shatter(seed=1, count=4)
    assert not differences(before, fingerprint(but=broken(obj)))
    made = next(item for item in bpy.data.collections if item.get("brittle_source") == obj)
    return json.loads(made["brittle_report"])["warnings"]


def link(name, data=None):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def test_children_are_named(cube):
    assert warnings_of(cube) == []
    for name in ("Handle", "Lock", "Bell", "Sign", "Lamp"):
        link(name).parent = cube
    bpy.ops.brittle.impact_add()
    bpy.context.view_layer.objects.active = cube
    (sentence,) = warnings_of(cube)
    assert "'Bell', 'Handle', 'Lamp' and 2 more hang on 'Cube'" in sentence
    for name in ("Handle", "Lock", "Bell", "Sign"):
        bpy.data.objects[name].parent = None
    (sentence,) = warnings_of(cube)
    assert sentence.startswith("'Lamp' hangs on 'Cube' and does not follow")


def test_those_that_know_the_object_are_named(cube):
    copy_of(cube, "Follower").constraints.new("CHILD_OF").target = cube
    copy_of(cube, "Cut").modifiers.new("Cut", "BOOLEAN").object = cube
    camera = link("Camera", bpy.data.cameras.new("Lens"))
    camera.data.dof.focus_object = cube
    (sentence,) = warnings_of(cube)
    assert sentence.startswith("'Cut', 'Follower', 'Lens' refer to 'Cube'")
    bpy.ops.brittle.restore()
    camera.data.dof.focus_object = None
    driver = bpy.data.objects["Cut"].driver_add("location", 2).driver
    driver.variables.new().targets[0].id = cube
    bpy.data.objects["Follower"].constraints.clear()
    assert warnings_of(cube)[0].startswith("'Cut' refers to 'Cube'")


def test_physics_that_goes_on_is_told(cube):
    with bpy.context.temp_override(object=cube, active_object=cube):
        bpy.ops.rigidbody.object_add()
    cube.modifiers.new("Collision", "COLLISION")
    cube.modifiers.new("Dust", "PARTICLE_SYSTEM")
    cube.field.type = "FORCE"
    text = " ".join(warnings_of(cube))
    assert all(word in text for word in ("rigid-body world", "cloth and particles", "force field", "hair"))
    cube.rigid_body.enabled = False
    assert "rigid-body world" not in " ".join(warnings_of(cube))


def test_what_renders_show_otherwise_is_told(cube):
    fine = cube.modifiers.new("Fine", "SUBSURF")
    fine.levels = fine.render_levels = 1
    assert warnings_of(cube) == []
    bpy.context.scene.render.use_simplify = True
    bpy.context.scene.render.simplify_subdivision = 0
    assert "Fine (level 1, not 0)" in warnings_of(cube)[0]
    bpy.context.scene.render.use_simplify = False
    fine.render_levels = 2
    bevel = cube.modifiers.new("Edges", "BEVEL")
    bevel.show_viewport = False
    assert "Fine (level 2, not 1), Edges (only in renders)" in warnings_of(cube)[0]
    fine.render_levels, bevel.show_render = 1, False
    nodes = cube.modifiers.new("Nodes", "NODES")
    nodes.node_group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    tree = nodes.node_group
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    ends = [tree.nodes.new(f"NodeGroup{way}") for way in ("Input", "Output")]
    tree.links.new(ends[0].outputs[0], ends[1].inputs[0])
    tree.nodes.new("GeometryNodeIsViewport")
    assert "Nodes (Is Viewport)" in warnings_of(cube)[0]


def test_what_renders_show_of_curves_is_told(cube):
    data = bpy.data.curves.new("Bar", "CURVE")
    data.dimensions, data.bevel_depth, data.use_fill_caps = "3D", 0.25, True
    spline = data.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (2.0, 0.1, 0.0, 1.0)
    bar = link("Bar", data)
    cube.select_set(False)
    bar.select_set(True)
    bpy.context.view_layer.objects.active = bar
    bpy.context.view_layer.update()
    assert not any("Renders" in text for text in warnings_of(bar))
    data.render_resolution_u = 40
    assert "Bar (resolution u 40, not 12)" in " ".join(warnings_of(bar))
