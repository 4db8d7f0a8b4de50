"""Writing: fragments inherit what the source has, at the place where it had it."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from tests.blender.halves import broken_in_two, quartered
from tests.blender.pieces import pieces_of
from tests.blender.places import edge_under, in_world_axes

pytestmark = pytest.mark.blender

FLOAT32 = 1e-6  # relative rounding of stored coordinates, a few units in the last place


@pytest.fixture
def bridge(module):
    """Read, break in two, write; returns the source's reading, the halves and the collection."""
    read, write = module("operators.bridge.read"), module("operators.bridge.write")

    def run(obj, start_frame=10, metadata=None, inner_material=None, **how):
        bpy.context.view_layer.update()
        reading = read.read_scene(bpy.context, obj, frames=5, ground=None)
        shattered = broken_in_two(module, reading.scene.mesh, **how)
        collection = write.write(
            bpy.context,
            obj,
            reading.source,
            shattered,
            start_frame,
            metadata=metadata,
            inner_material=inner_material,
        )
        return reading, shattered, collection

    return run


def sphere(name="Ball", matrix=None, smooth=True):
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=1.0)
    obj = bpy.context.object
    obj.name = obj.data.name = name
    obj.data.polygons.foreach_set("use_smooth", np.full(len(obj.data.polygons), smooth))
    if matrix is not None:
        obj.matrix_world = matrix
    bpy.context.view_layer.update()
    return obj


AFFINE = {
    "Map A": np.array([[0.3, 0.1], [0.0, 0.7], [0.2, 0.4]]),
    "Map B": np.array([[1.0, 0.0], [0.5, 2.0], [0.0, 3.0]]),
}


def dress(obj):
    """Attributes of every kind, each an affine function of the position, so that the truth is known everywhere."""
    mesh = obj.data
    while mesh.uv_layers:
        mesh.uv_layers.remove(mesh.uv_layers[0])
    place = np.array([mesh.vertices[loop.vertex_index].co for loop in mesh.loops])
    points = np.array([vertex.co for vertex in mesh.vertices])
    for name, matrix in AFFINE.items():
        mesh.uv_layers.new(name=name).uv.foreach_set("vector", (place @ matrix).astype(np.float32).ravel())
    mesh.uv_layers.active = mesh.uv_layers["Map B"]
    mesh.uv_layers["Map A"].active_render = True
    color = np.column_stack([place * 0.25 + 0.5, np.ones(len(place))])
    mesh.color_attributes.new("Paint", "FLOAT_COLOR", "CORNER").data.foreach_set(
        "color", color.astype(np.float32).ravel()
    )
    color = np.column_stack([points * 0.25 + 0.5, np.ones(len(points))])
    mesh.color_attributes.new("Dirt", "BYTE_COLOR", "POINT").data.foreach_set("color", color.astype(np.float32).ravel())
    mesh.attributes.active_color_name = "Dirt"
    mesh.attributes.default_color_name = "Paint"
    mesh.attributes.new("heat", "FLOAT", "POINT").data.foreach_set("value", points[:, 0].astype(np.float32))
    mesh.attributes.new("flow", "FLOAT_VECTOR", "CORNER").data.foreach_set("vector", place.astype(np.float32).ravel())
    mesh.attributes.new("number", "INT", "FACE").data.foreach_set(
        "value", np.arange(len(mesh.polygons), dtype=np.int32)
    )
    mesh.attributes.new("even", "BOOLEAN", "FACE").data.foreach_set("value", np.arange(len(mesh.polygons)) % 2 == 0)
    group = obj.vertex_groups.new(name="Unused")
    group = obj.vertex_groups.new(name="Top")
    for vertex in mesh.vertices:
        if vertex.co.z > -0.5:
            group.add([vertex.index], (vertex.co.z + 1.0) / 2.0, "REPLACE")


def arrays(obj):
    """Positions in the source's coordinates (rest), corners and inner flags of a fragment."""
    mesh = obj.data
    rest = np.array([item.vector for item in mesh.attributes["rest_position"].data])
    corner = np.array([loop.vertex_index for loop in mesh.loops])
    face = np.repeat(np.arange(len(mesh.polygons)), [polygon.loop_total for polygon in mesh.polygons])
    inner = np.array([item.value for item in mesh.attributes["brittle_inner"].data])
    return rest, corner, face, inner


MATRICES = {
    "plain": Matrix(),
    "placed": Matrix.LocRotScale(Vector((3, -2, 5)), Euler((0.3, 0.5, 0.7)), Vector((1, 1, 1))),
    "squeezed": Matrix.LocRotScale(Vector((3, -2, 5)), Euler((0.3, 0.5, 0.7)), Vector((2, 0.5, 1))),
    "mirrored": Matrix.LocRotScale(Vector((3, -2, 5)), Euler((0.3, 0.5, 0.7)), Vector((-2, 0.5, 1))),
}


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_geometry_is_closed_clean_and_in_place(bridge, matrix):
    obj = sphere(matrix=matrix)
    dress(obj)
    reading, shattered, collection = bridge(obj)
    assert [item.name for item in pieces_of(collection)] == ["Ball Fragment 001", "Ball Fragment 002"]
    total = 0.0
    for k, item in enumerate(pieces_of(collection)):
        mesh = item.data
        assert mesh.name == item.name
        assert "brittle_root" in item.parent
        assert item["brittle_mass"] == pytest.approx(float(shattered.fragments.mass[k]))
        assert item.rotation_mode == "QUATERNION"
        assert not mesh.validate(verbose=True)
        rest, corner, face, inner = arrays(item)
        # Where each point was: through the source's matrix, and through the fragment's own place at rest.
        world = np.array([matrix @ Vector(p) for p in rest])
        local = np.array([vertex.co for vertex in mesh.vertices])
        assert np.allclose(local + np.array(shattered.fragments.centre[k]) + reading.source.origin, world, atol=5e-6)
        a = local[corner]
        volume = 0.0
        for polygon in mesh.polygons:
            ring = a[polygon.loop_start : polygon.loop_start + polygon.loop_total]
            for i in range(1, len(ring) - 1):
                volume += ring[0] @ np.cross(ring[i], ring[i + 1]) / 6.0
        assert volume == pytest.approx(float(shattered.fragments.volume[k]), rel=1e-5)
        total += volume
        assert inner.sum() == 1
        # Outside, points of the rest pose lie on the source's surface.
        outer = np.unique(corner[~inner[face]])
        for p in rest[outer][::7]:
            _, place, _, _ = obj.closest_point_on_mesh(Vector(p))
            assert (place - Vector(p)).length < 5 * FLOAT32
    assert total == pytest.approx(float(shattered.fragments.volume.sum()), rel=1e-5)


@pytest.mark.parametrize("repair", [None, quartered], ids=["as drawn", "split"])
@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_attributes_come_along(bridge, matrix, repair):
    obj = sphere(matrix=matrix)
    dress(obj)
    reading, _, collection = bridge(obj, repair=repair)
    for item in pieces_of(collection):
        mesh = item.data
        rest, corner, face, inner = arrays(item)
        outer = ~inner[face]
        place = rest[corner]
        assert [layer.name for layer in mesh.uv_layers] == ["Map A", "Map B"]
        assert mesh.uv_layers.active.name == "Map B"
        assert mesh.uv_layers["Map A"].active_render
        assert (mesh.attributes.active_color_name, mesh.attributes.default_color_name) == ("Dirt", "Paint")
        for name, matrix_uv in AFFINE.items():
            uv = np.array([entry.vector for entry in mesh.uv_layers[name].uv])
            assert np.allclose(uv[outer], place[outer] @ matrix_uv, atol=3e-6)
            _assert_density(uv[~outer], place[~outer], reading, name, obj)
        paint = np.array([entry.color for entry in mesh.color_attributes["Paint"].data])
        assert np.allclose(paint[outer][:, :3], place[outer] * 0.25 + 0.5, atol=FLOAT32)
        assert np.allclose(paint[~outer], 1.0)
        flow = np.array([entry.vector for entry in mesh.attributes["flow"].data])
        assert np.allclose(flow[outer], place[outer], atol=FLOAT32)
        points = np.unique(corner[outer])
        heat = np.array([entry.value for entry in mesh.attributes["heat"].data])
        assert np.allclose(heat[points], rest[points, 0], atol=FLOAT32)
        dirt = np.array([entry.color for entry in mesh.color_attributes["Dirt"].data])
        # Bytes in sRGB: a step of 1/255 is at most 0.0091 in linear light.
        assert np.allclose(dirt[points][:, :3], rest[points] * 0.25 + 0.5, atol=0.02)
        number = np.array([entry.value for entry in mesh.attributes["number"].data])
        even = np.array([entry.value for entry in mesh.attributes["even"].data])
        assert np.array_equal(even[~inner], number[~inner] % 2 == 0)
        for index in np.flatnonzero(~inner)[::5]:
            centre = Vector(rest[corner[face == index]].mean(axis=0))
            _, _, _, polygon = obj.closest_point_on_mesh(centre)
            assert number[index] == polygon
        _assert_weights(item, rest)


def _assert_density(uv, place, reading, name, obj):
    """Lengths on the inner face: metres times the median density of the outside."""
    source = reading.source
    metres = (source.matrix @ place.T).T
    space = np.linalg.norm(metres - np.roll(metres, 1, axis=0), axis=1)
    plane = np.linalg.norm(uv - np.roll(uv, 1, axis=0), axis=1)
    layer = next(layer for layer in source.layers if layer.name == name)
    corner = layer.values[source.triangle_loop]
    u, v = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    vertex = in_world_axes(reading.scene.mesh)[reading.scene.mesh.triangles]
    area = np.linalg.norm(np.cross(vertex[:, 1] - vertex[:, 0], vertex[:, 2] - vertex[:, 0]), axis=1)
    density = np.sqrt(np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / area)
    ratio = plane.sum() / space.sum()
    assert np.abs(plane - ratio * space).max() < 5 * FLOAT32 * np.abs(uv).max()
    # Half of the area is less dense, half denser, to within the largest triangle.
    below = area[density < ratio * (1 - 1e-4)].sum() / area.sum()
    above = area[density > ratio * (1 + 1e-4)].sum() / area.sum()
    assert below <= 0.5 + 1e-9
    assert above <= 0.5 + 1e-9


def _assert_weights(item, rest):
    assert [group.name for group in item.vertex_groups] == ["Unused", "Top"]
    found = 0
    for vertex in item.data.vertices:
        for element in vertex.groups:
            assert element.group == 1
            # Linear where the whole triangle is in the group.
            if rest[vertex.index][2] > 0.2:
                assert element.weight == pytest.approx((rest[vertex.index][2] + 1.0) / 2.0, abs=1e-5)
                found += 1
    if rest[:, 2].max() > 0.2:
        assert found


@pytest.mark.parametrize("name", ["squeezed", "mirrored"])
def test_normals_are_those_of_the_source(bridge, name):
    matrix = MATRICES[name]
    obj = sphere(matrix=matrix)
    reading, _, collection = bridge(obj)
    source = reading.source
    vertex = in_world_axes(reading.scene.mesh)[reading.scene.mesh.triangles]
    for item in pieces_of(collection):
        rest, corner, face, inner = arrays(item)
        normal = np.array([entry.vector for entry in item.data.corner_normals])
        world = (source.matrix @ rest[corner].T).T
        for c in np.flatnonzero(~inner[face])[::11]:
            expected = _normal_at(world[c], world[face == face[c]].mean(axis=0), vertex, source)
            # Blender keeps custom normals in two 16-bit numbers: 1e-4.
            assert np.allclose(normal[c], expected, atol=4e-4)
        ring = world[inner[face]]
        flat = np.cross(ring - ring[0], np.roll(ring, -1, axis=0) - ring[0]).sum(axis=0)
        assert np.allclose(normal[inner[face]], flat / np.linalg.norm(flat), atol=4e-4)


def _normal_at(point, inside, vertex, source):
    """Interpolated normal of the source triangle around a face: the one in whose plane and area its middle lies."""
    a, b, c = vertex.transpose(1, 0, 2)
    n = np.cross(b - a, c - a)

    def weights(p):
        parts = (np.cross(c - b, p - b), np.cross(a - c, p - c), np.cross(b - a, p - a))
        return np.stack([np.einsum("ij,ij->i", part, n) for part in parts], axis=1) / (n * n).sum(axis=1)[:, None]

    height = np.abs(np.einsum("ij,ij->i", inside - a, n)) / np.linalg.norm(n, axis=1)
    t = np.argmin(height + np.maximum(0.0, -weights(inside).min(axis=1)))
    expected = weights(point)[t] @ source.normal[source.triangle_loop[t]]
    return expected / np.linalg.norm(expected)


def test_custom_normals_survive(bridge):
    obj = sphere(smooth=False)
    loops = obj.data.loops
    custom = np.array([obj.data.vertices[loop.vertex_index].co for loop in loops])
    custom += (0.3, 0.2, 0.1)
    custom /= np.linalg.norm(custom, axis=1)[:, None]
    obj.data.normals_split_custom_set(custom)
    reading, _, collection = bridge(obj)
    assert reading.source.shaded
    for item in pieces_of(collection):
        rest, corner, face, inner = arrays(item)
        normal = np.array([entry.vector for entry in item.data.corner_normals])
        known = ~inner[face] & (np.abs(np.linalg.norm(rest[corner], axis=1) - 1.0) < 1e-5)  # the source's vertices
        expected = rest[corner][known] + [0.3, 0.2, 0.1]
        expected /= np.linalg.norm(expected, axis=1)[:, None]
        assert np.allclose(normal[known], expected, atol=1e-3)  # two roundings to 16 bits
        assert item.data.has_custom_normals


def test_flat_objects_need_no_custom_normals(bridge):
    _, _, collection = bridge(cube())
    for item in pieces_of(collection):
        assert not item.data.has_custom_normals
        normal = np.array([entry.vector for entry in item.data.corner_normals])
        _, _, face, _ = arrays(item)
        assert np.allclose(normal, np.array([polygon.normal for polygon in item.data.polygons])[face], atol=1e-6)


def cube():
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    bpy.context.view_layer.update()
    return bpy.context.object


def test_sharp_edges_and_other_edge_attributes(bridge):
    obj = sphere()
    edges = obj.data.edges
    sharp = np.array([edge.index % 3 == 0 for edge in edges])
    obj.data.attributes.new("sharp_edge", "BOOLEAN", "EDGE").data.foreach_set("value", sharp)
    crease = (np.arange(len(edges)) / len(edges)).astype(np.float32)
    obj.data.attributes.new("crease_edge", "FLOAT", "EDGE").data.foreach_set("value", crease)
    _, _, collection = bridge(obj)
    found = 0
    for item in pieces_of(collection):
        rest, _, _, _ = arrays(item)
        values = [entry.value for entry in item.data.attributes["crease_edge"].data]
        marked = [entry.value for entry in item.data.attributes["sharp_edge"].data]
        for edge, value, is_sharp in list(zip(item.data.edges, values, marked, strict=True))[::3]:
            source = edge_under(rest[list(edge.vertices)], obj.data)
            if source is None:
                assert value == 0.0
                continue
            found += 1
            assert value == crease[source]
            assert is_sharp or not sharp[source]
    assert found > len(edges) / 4  # one in three was looked at


def test_materials_keep_their_slots_and_links(bridge):
    obj = sphere()
    red, blue, green = (bpy.data.materials.new(name) for name in ("Red", "Blue", "Green"))
    for material in (red, blue):
        obj.data.materials.append(material)
    obj.material_slots[1].link = "OBJECT"
    obj.material_slots[1].material = green
    index = np.arange(len(obj.data.polygons), dtype=np.int32) % 2
    obj.data.polygons.foreach_set("material_index", index)
    number = obj.data.attributes.new("number", "INT", "FACE")
    number.data.foreach_set("value", np.arange(len(index), dtype=np.int32))
    _, _, collection = bridge(obj)
    for item in pieces_of(collection):
        assert [slot.material.name for slot in item.material_slots] == ["Red", "Green", "Brittle Inner"]
        assert [slot.link for slot in item.material_slots] == ["DATA", "OBJECT", "DATA"]
        assert [material.name for material in item.data.materials] == ["Red", "Blue", "Brittle Inner"]
        _, _, _, inner = arrays(item)
        used = np.array([polygon.material_index for polygon in item.data.polygons])
        assert np.all(used[inner] == 2)
        came_from = np.array([entry.value for entry in item.data.attributes["number"].data])
        assert np.array_equal(used[~inner], index[came_from[~inner]])


def test_inner_material_may_be_given_and_slots_may_be_missing(bridge):
    stone = bpy.data.materials.new("Stone")
    _, _, collection = bridge(sphere(), inner_material=stone, metadata={"seed": 3, "version": "0.1.0"})
    for item in pieces_of(collection):
        assert [slot.material for slot in item.material_slots] == [None, stone]
    assert "Brittle Inner" not in bpy.data.materials
    assert (collection["brittle_seed"], collection["brittle_version"]) == (3, "0.1.0")


def test_unit_scale_gives_back_blenders_units(bridge):
    bpy.context.scene.unit_settings.scale_length = 0.001
    obj = sphere(matrix=MATRICES["placed"])
    _, shattered, collection = bridge(obj)
    assert np.ptp(shattered.body.vertices[:, 2]) == pytest.approx(0.002, rel=0.05)
    bpy.context.scene.frame_set(10)
    found = pieces_of(collection)
    places = np.array([item.matrix_world @ vertex.co for item in found for vertex in item.data.vertices])
    assert np.allclose(places.max(axis=0), (4, -1, 6), atol=0.05)


def test_a_fragment_can_be_shattered_again(bridge):
    _, _, collection = bridge(sphere(), start_frame=2)
    bpy.context.scene.frame_set(3)
    piece = pieces_of(collection)[1]
    _, _, again = bridge(piece, start_frame=4, normal=(1.0, 0.1, 0.2))
    assert again.name == "Ball Fragment 002 Fragments"
    for item in pieces_of(again):
        _, _, _, inner = arrays(item)
        # A part of the old break and the new one, both in the slot that the old one had: slots do not grow.
        assert inner.sum() == 2
        assert [polygon.material_index == 1 for polygon in item.data.polygons] == inner.tolist()
        assert len(item.material_slots) == 2


def test_names_stay_equal_where_they_are_taken_or_long(bridge):
    bpy.data.meshes.new("Ball Fragment 002")
    _, _, collection = bridge(sphere())
    assert all(item.name == item.data.name for item in pieces_of(collection))
    _, _, collection = bridge(sphere("N" * 60))
    assert all(item.name == item.data.name and "Fragment 00" in item.name for item in pieces_of(collection))


def test_an_object_that_is_inside_out_is_turned(bridge):
    obj = sphere()
    dress(obj)
    obj.data.flip_normals()
    _, _, collection = bridge(obj)
    for item in pieces_of(collection):
        rest, corner, face, inner = arrays(item)
        outer = ~inner[face]
        normal = np.array([entry.vector for entry in item.data.corner_normals])
        faces = np.array([polygon.normal for polygon in item.data.polygons])[face]
        assert np.all(np.einsum("ij,ij->i", rest[corner], faces)[outer] > 0.0)
        assert np.all(np.einsum("ij,ij->i", normal, faces) > 0.5)
        uv = np.array([entry.vector for entry in item.data.uv_layers["Map A"].uv])
        assert np.allclose(uv[outer], rest[corner][outer] @ AFFINE["Map A"], atol=3e-6)
