"""Objects of every kind: curves, surfaces, text and metaballs are made real, others are refused with a sentence."""

import bpy
import numpy as np
import pytest

from tests.blender.halves import broken_in_two
from tests.blender.pieces import pieces_of
from tests.blender.places import in_world_axes

pytestmark = pytest.mark.blender


def link(name, data):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.view_layer.update()
    return obj


def curve():
    """A round bar with caps."""
    data = bpy.data.curves.new("Bar", "CURVE")
    data.dimensions, data.bevel_depth, data.use_fill_caps = "3D", 0.25, True
    spline = data.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (2.0, 0.1, 0.0, 1.0)
    return link("Bar", data)


def surface():
    """A ball."""
    bpy.ops.surface.primitive_nurbs_surface_sphere_add()
    return bpy.context.object


def text():
    """A letter of one convex piece."""
    data = bpy.data.curves.new("Letter", "FONT")
    data.body, data.extrude = "I", 0.1
    return link("Letter", data)


def meta():
    """One ball."""
    data = bpy.data.metaballs.new("Drop")
    data.elements.new()
    return link("Drop", data)


KINDS = {"CURVE": curve, "SURFACE": surface, "FONT": text, "META": meta}


@pytest.fixture
def read(module):
    return module("operators.bridge.read")


@pytest.fixture
def refusals(module):
    return module("operators.bridge.refusals")


@pytest.fixture
def error(module):
    return module("core.errors").InputError


def evaluated_points(obj):
    """World positions of the mesh that Blender makes of an object."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    points = np.array([obj.matrix_world @ vertex.co for vertex in evaluated.to_mesh().vertices])
    evaluated.to_mesh_clear()
    return points


@pytest.mark.parametrize("kind", KINDS)
def test_a_surface_is_read_as_blender_makes_it(read, refusals, kind):
    obj = KINDS[kind]()
    obj.location, obj.rotation_euler, obj.scale = (3, -2, 1), (0.3, 0.4, 0.5), (1, 2, -0.5)
    bpy.context.view_layer.update()
    assert obj.type == kind
    assert refusals.refusal(obj) == ""
    reading = read.read_scene(bpy.context, obj, frames=2, ground=None)
    points = in_world_axes(reading.scene.mesh) + reading.source.origin
    assert np.allclose(points, evaluated_points(obj), atol=2e-6)
    shape = read.read_shape(bpy.context, obj)
    assert np.array_equal(shape.mesh.vertices, reading.scene.mesh.vertices)
    assert np.array_equal(shape.mesh.triangles, reading.scene.mesh.triangles)


@pytest.mark.parametrize("kind", ["SURFACE", "META"])
def test_pieces_of_a_surface_have_its_material_and_restore_takes_them_away(read, module, kind):
    """Of the bodies that are closed and convex; hiding, keys and restoring do not look at the type."""
    obj = KINDS[kind]()
    clay = bpy.data.materials.new("Clay")
    obj.data.materials.append(clay)
    obj.data.materials.append(None)
    obj.material_slots[1].link = "OBJECT"
    obj.material_slots[1].material = bpy.data.materials.new("Own")
    bpy.context.view_layer.update()
    before = hidden(obj)
    reading = read.read_scene(bpy.context, obj, frames=2, ground=None)
    shattered = broken_in_two(module, reading.scene.mesh, normal=(0.31, 0.22, 1.0), frames=2, repair=as_it_is(module))
    pieces = pieces_of(module("operators.bridge.write").write(bpy.context, obj, reading.source, shattered, 3))
    assert [item.type for item in pieces] == ["MESH", "MESH"]
    for item in pieces:
        assert [slot.material.name for slot in item.material_slots] == ["Clay", "Own", "Brittle Inner"]
        assert [slot.link for slot in item.material_slots] == ["DATA", "OBJECT", "DATA"]
        assert {polygon.material_index for polygon in item.data.polygons} == {0, 2}
        assert not item.vertex_groups
        assert [layer.name for layer in item.data.uv_layers] == (["UVMap"] if kind == "SURFACE" else [])
    bpy.context.scene.frame_set(5)
    assert hidden(obj) == (True, True)
    assert module("operators.bridge.restore").restore(obj) == 2
    assert hidden(obj) == before
    assert not [item for item in bpy.data.objects if "brittle_fragment" in item]


def as_it_is(module):
    def make(mesh, _):
        return module("core.types").Body(in_world_axes(mesh), mesh.triangles, np.arange(len(mesh.triangles)))

    return make


def hidden(obj):
    return obj.hide_viewport, obj.hide_render


def test_modifiers_and_shape_keys_of_a_curve_are_read(read):
    obj = curve()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Long")
    key.data[1].co = (4.0, 0.2, 0.0)
    key.value = 1.0
    obj.modifiers.new("Array", "ARRAY")
    bpy.context.view_layer.update()
    mesh, source = read.read_mesh(obj, bpy.context.evaluated_depsgraph_get(), 1.0)
    assert np.ptp(mesh.vertices[:, 0]) == pytest.approx(2 * 4.0, rel=0.05)
    assert np.isfinite(source.rest.generated).all()


def test_only_the_first_of_a_family_of_metaballs_has_the_surface(read, error):
    names = ("Drop", "Drop.001", "Other", "Drop.012")
    family = [meta() for _ in names]
    for obj, name in zip(family, names, strict=True):
        obj.name = name
    bpy.context.view_layer.update()
    assert len(read.read_shape(bpy.context, family[0]).mesh.triangles) > 0
    for obj in (family[1], family[3]):
        with pytest.raises(error, match=rf"'{obj.name}' flows together with 'Drop', .* select that\."):
            read.read_shape(bpy.context, obj)


def test_a_curve_without_thickness_is_told_what_it_lacks(read, error):
    obj = curve()
    obj.data.bevel_depth = 0.0
    bpy.context.view_layer.update()
    with pytest.raises(error, match=r"'Bar' is a line without a surface: give it an Extrude or a Bevel"):
        read.read_shape(bpy.context, obj)
    blank = text()
    blank.data.body = ""
    bpy.context.view_layer.update()
    with pytest.raises(error, match=r"'Letter' is empty: type some text\."):
        read.read_shape(bpy.context, blank)


def test_refusals_say_what_to_do(refusals, error):
    with pytest.raises(error, match=r"Nothing is selected. Select a mesh, curve"):
        refusals.refuse(None)
    pencils = "grease_pencils_v3" if hasattr(bpy.data, "grease_pencils_v3") else "grease_pencils"
    for data, sentence in (
        (bpy.data.lights.new("Thing", "POINT"), r"has nothing that could break\. Select a mesh, curve, .* metaball\."),
        (None, r"has nothing that could break\."),
        (bpy.data.hair_curves.new("Thing"), r"is hair .*: convert it to a mesh first \(Object > Convert > Mesh\)"),
        (bpy.data.pointclouds.new("Thing"), r"is a cloud of points .*: convert it to a mesh first"),
        (getattr(bpy.data, pencils).new("Thing"), r"is a drawing .*: convert it to a mesh first"),
        (bpy.data.volumes.new("Thing"), r"is a volume .* Volume to Mesh modifier"),
        (bpy.data.meshes.new("Thing"), r"has no faces: add some, or select another object\."),
    ):
        obj = link("Thing", data)
        with pytest.raises(error, match=rf"^'{obj.name}' {sentence}"):
            refusals.refuse(obj)
        assert refusals.refusal(obj).endswith(".")


def test_a_poll_says_why_the_active_object_cannot_break():
    link("Wind", bpy.data.volumes.new("Wind"))
    with pytest.raises(RuntimeError, match="'Wind' is a volume without a surface"):
        bpy.ops.brittle.shatter()


@pytest.mark.parametrize("kind", KINDS)
def test_edit_mode_is_refused(refusals, kind):
    obj = KINDS[kind]()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    assert refusals.refusal(obj) == f"'{obj.name}' is in edit mode: leave edit mode first."
    bpy.ops.object.mode_set(mode="OBJECT")


def test_linked_objects_are_refused_and_overrides_are_not(refusals, error, tmp_path):
    obj = curve()
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {obj})
    bpy.data.objects.remove(obj)
    with bpy.data.libraries.load(path, link=True) as (_, target):
        target.objects = ["Bar"]
    linked = target.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    with pytest.raises(error, match="linked from a library"):
        refusals.refuse(linked)
    assert refusals.refusal(linked.override_create(remap_local_usages=True)) == ""


def grid():
    bpy.ops.mesh.primitive_cube_add()
    return bpy.context.object


def test_what_shows_instances_is_refused(read, refusals, error):
    parent = grid()
    parent.instance_type = "VERTS"
    stamp = link("Stamp", None)
    stamp.instance_type, stamp.instance_collection = "COLLECTION", bpy.data.collections.new("Crowd")
    for obj in (parent, stamp):
        with pytest.raises(error, match=rf"'{obj.name}' shows instances .* Make Instances Real"):
            refusals.refuse(obj)


def test_nodes_that_instance_are_refused_and_realized_ones_are_not(read, error):
    obj = grid()
    group = bpy.data.node_groups.new("Cubes", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    kinds = ("NodeGroupInput", "GeometryNodeMeshCube", "GeometryNodeInstanceOnPoints", "GeometryNodeRealizeInstances")
    given, small, instances, real = (group.nodes.new(kind) for kind in kinds)
    result = group.nodes.new("NodeGroupOutput")
    small.inputs["Size"].default_value = (0.1, 0.1, 0.1)
    for start, end in (
        (given.outputs[0], instances.inputs["Points"]),
        (small.outputs[0], instances.inputs["Instance"]),
        (instances.outputs[0], real.inputs[0]),
        (instances.outputs[0], result.inputs[0]),
    ):
        group.links.new(start, end)
    obj.modifiers.new("Nodes", "NODES").node_group = group
    bpy.context.view_layer.update()
    with pytest.raises(error, match=rf"'{obj.name}' shows instances .* Realize Instances node"):
        read.read_shape(bpy.context, obj)
    group.links.new(real.outputs[0], result.inputs[0])
    bpy.context.view_layer.update()
    assert len(read.read_shape(bpy.context, obj).mesh.triangles) == 8 * 12


def test_an_impact_on_a_curve_belongs_to_it(read):
    obj = curve()
    bpy.context.scene.cursor.location = (1.0, 0.05, 2.0)
    assert bpy.ops.brittle.impact_add() == {"FINISHED"}
    bpy.context.view_layer.update()
    (empty,) = (item for item in bpy.data.objects if item.type == "EMPTY")
    assert empty.parent == obj
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    assert impact.direction[2] < -0.9
    empty.select_set(True)
    bpy.context.view_layer.objects.active = empty
    assert bpy.ops.brittle.shatter.poll()  # an impact stands for the curve that it hits


def test_loose_parts_and_concave_faces_do_not_disturb(read, module):
    """An L-shaped prism of two six-cornered and six four-cornered faces, beside loose points and a loose edge."""
    outline = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)]
    vertices = [(9, 9, 9), *((x, y, z) for z in (0, 1) for x, y in outline), (7, 7, 7), (8, 8, 8)]
    floor, roof = list(range(1, 7))[::-1], list(range(7, 13))
    walls = [(1 + i, 1 + (i + 1) % 6, 7 + (i + 1) % 6, 7 + i) for i in range(6)]
    mesh = bpy.data.meshes.new("Angle")
    mesh.from_pydata(vertices, [(13, 14)], [floor, roof, *walls])
    corner = np.array([mesh.vertices[loop.vertex_index].co for loop in mesh.loops], np.float32)
    mesh.uv_layers.new(name="Map").uv.foreach_set("vector", np.ascontiguousarray(corner[:, :2]).ravel())
    obj = link("Angle", mesh)
    reading = read.read_scene(bpy.context, obj, frames=2, ground=None)
    body = module("core.intake.ladder").intake(reading.scene.mesh).body
    assert len(body.vertices) == 12
    assert len(body.triangles) == 2 * 4 + 6 * 2
    assert module("core.geometry.mesh").volume(body.vertices, body.triangles) == pytest.approx(4.0, rel=1e-12)
    # Each triangle lies on its polygon: level ones on floor and roof, with the texture of the place.
    source = reading.source
    there = body.vertices[body.triangles] - body.vertices.min(axis=0)
    uv = next(layer.values for layer in source.layers if layer.name == "Map")[source.triangle_loop[body.source]]
    assert np.allclose(uv, there[..., :2], atol=1e-6)
