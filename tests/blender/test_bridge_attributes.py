"""Every type of attribute on every domain, custom normals to the last digit, and what leaves Blender again."""

import addon_utils
import bpy
import numpy as np
import pytest

from tests.blender.halves import broken_in_two, quartered
from tests.blender.pieces import pieces_of
from tests.blender.places import edge_under

pytestmark = pytest.mark.blender

TYPES = {
    item.identifier
    for item in bpy.types.Attribute.bl_rna.properties["data_type"].enum_items
    if item.identifier != "STRING"
}
MIXED = {"FLOAT", "FLOAT2", "FLOAT_VECTOR", "FLOAT_COLOR", "BYTE_COLOR", "FLOAT4"}
FILL = {"FLOAT_COLOR": 1.0, "BYTE_COLOR": 1.0}
FLOAT32 = 2e-6  # rounding of positions, from which the weights are found here, and of values up to 1


@pytest.fixture
def shatter(module):
    read, write = module("operators.bridge.read"), module("operators.bridge.write")

    def run(obj, repair=None):
        bpy.context.view_layer.update()
        reading = read.read_scene(bpy.context, obj, frames=2, ground=None)
        shattered = broken_in_two(module, reading.scene.mesh, frames=2, repair=repair)
        return pieces_of(write.write(bpy.context, obj, reading.source, shattered, 1))

    return run


def ball(smooth=True, subdivisions=2):
    """Triangles only: a face is a triangle, which makes the truth easy to say."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=subdivisions, radius=1.0)
    obj = bpy.context.object
    mesh = obj.data
    mesh.polygons.foreach_set("use_smooth", np.full(len(mesh.polygons), smooth))
    number = mesh.attributes.new("number", "INT", "FACE")
    number.data.foreach_set("value", np.arange(len(mesh.polygons), dtype=np.int32))
    return obj


def values_of(attribute):
    """(n,d) values, in sRGB for bytes: there they are stored."""
    if attribute.data_type == "BYTE_COLOR":
        return np.array([tuple(entry.color_srgb) for entry in attribute.data])
    name = {"FLOAT_COLOR": "color", "FLOAT_VECTOR": "vector", "FLOAT2": "vector", "FLOAT4": "vector"}
    name = name.get(attribute.data_type, "value")
    return np.array([np.array(getattr(entry, name)).reshape(-1) for entry in attribute.data])


def filled(mesh, data_type, domain, rng):
    attribute = mesh.attributes.new(f"{data_type} {domain}", data_type, domain)
    sample = values_of(attribute)
    shape = sample.shape
    if data_type == "BOOLEAN":
        values, name = rng.integers(0, 2, shape).astype(bool), "value"
    elif "INT" in data_type:
        values, name = rng.integers(-100, 100, shape).astype(np.int32), "value"
    else:
        values = rng.uniform(0.0, 1.0, shape).astype(np.float32)
        name = {"FLOAT": "value", "QUATERNION": "value", "FLOAT4X4": "value"}.get(data_type, "vector")
        name = "color" if "COLOR" in data_type else name
    if data_type == "QUATERNION":
        values /= np.linalg.norm(values, axis=1)[:, None]
    attribute.data.foreach_set(name, np.ascontiguousarray(values).ravel())
    return attribute.name


def places(item, source):
    """Rest positions, vertex and face of each corner, inner faces, source triangle of faces and weights of corners."""
    mesh = item.data
    rest = values_of(mesh.attributes["rest_position"])
    corner = np.array([loop.vertex_index for loop in mesh.loops])
    face = np.repeat(np.arange(len(mesh.polygons)), [polygon.loop_total for polygon in mesh.polygons])
    inner = values_of(mesh.attributes["brittle_inner"])[:, 0]
    number = values_of(mesh.attributes["number"])[:, 0]
    point = np.array([vertex.co for vertex in source.vertices])
    triangle = np.array([polygon.vertices for polygon in source.polygons])[number[face]]
    a, b, c = (point[triangle[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    p = rest[corner]
    parts = [np.cross(c - b, p - b), np.cross(a - c, p - c), np.cross(b - a, p - a)]
    weight = np.stack([np.einsum("ij,ij->i", part, n) for part in parts], axis=1) / (n * n).sum(axis=1)[:, None]
    return rest, corner, face, inner, number, triangle, weight


#: What the way in may have done with the triangles: nothing, or cut each into four.
REPAIRS = {"as drawn": None, "split": quartered}


@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("outward", [True, False])
def test_every_type_on_every_domain(shatter, repair, outward):
    obj = ball()
    mesh = obj.data
    if not outward:
        mesh.flip_normals()
    rng = np.random.default_rng(1)
    for data_type in sorted(TYPES):
        for domain in ("POINT", "EDGE", "FACE", "CORNER"):
            filled(mesh, data_type, domain, rng)
    truth = {
        attribute.name: (attribute.data_type, attribute.domain, values_of(attribute)) for attribute in mesh.attributes
    }
    found = 0
    for item in shatter(obj, REPAIRS[repair]):
        where = places(item, mesh)
        for data_type in sorted(TYPES):
            for domain in ("POINT", "FACE", "CORNER"):
                name = f"{data_type} {domain}"
                attribute = item.data.attributes[name]
                assert (attribute.data_type, attribute.domain) == (data_type, domain)
                _assert_carried(values_of(attribute), *truth[name], *where)
                found += 1
            _assert_edges(item, mesh, where[0], f"{data_type} EDGE", *truth[f"{data_type} EDGE"])
    assert found >= 2 * 12 * 3


def _assert_carried(got, data_type, domain, values, rest, corner, face, inner, number, triangle, weight):
    fill = FILL.get(data_type, 0.0)
    if domain == "FACE":
        assert np.array_equal(got[~inner], values[number[~inner]])
        assert np.all(got[inner] == fill)
        return
    outer = ~inner[face]
    if domain == "POINT":
        lonely = np.setdiff1d(np.arange(len(got)), corner[outer])
        assert np.all(got[lonely] == fill)
        got, rows = got[corner], triangle
    else:
        # Two numbers on corners are texture coordinates: inner faces have their own.
        assert data_type == "FLOAT2" or np.all(got[~outer] == fill)
        rows = 3 * number[face][:, None] + np.arange(3)
    known = values[rows]  # (N,3,d)
    heaviest = known[np.arange(len(rows)), np.argmax(weight, axis=1)]
    at_corner = outer & (weight.max(axis=1) > 1 - 1e-6)
    assert at_corner.any()
    if data_type == "QUATERNION":
        assert np.allclose(got[at_corner], heaviest[at_corner], atol=1e-6)
        sign = np.where(np.einsum("nkj,nj->nk", known, heaviest) < 0, -1.0, 1.0)
        mixed = np.einsum("nk,nkj->nj", sign * weight, known)
        mixed /= np.linalg.norm(mixed, axis=1)[:, None]
        # With two corners of equal weight either one may give the sign.
        off = np.minimum(np.abs(got - mixed).max(axis=1), np.abs(got + mixed).max(axis=1))
        assert off[outer].max() < 10 * FLOAT32
        return
    assert np.array_equal(got[at_corner], heaviest[at_corner])
    if data_type == "BYTE_COLOR":
        # Mixed in linear light, as renderers do, then rounded to a byte.
        mixed = _srgb(
            np.einsum("nk,nkj->nj", weight, np.concatenate([_linear(known[..., :3]), known[..., 3:]], axis=2))
        )
        assert np.abs(got - mixed)[outer].max() < 0.6 / 255
    elif data_type in MIXED:
        assert np.abs(got - np.einsum("nk,nkj->nj", weight, known))[outer].max() < FLOAT32
    else:
        clear = outer & (np.sort(weight, axis=1)[:, 2] - np.sort(weight, axis=1)[:, 1] > 1e-5)
        assert np.array_equal(got[clear], heaviest[clear])


def _linear(values):
    return np.where(values < 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def _srgb(values):
    colour = values[..., :3]
    curved = np.where(colour < 0.0031308, 12.92 * colour, 1.055 * np.maximum(colour, 0.0) ** (1 / 2.4) - 0.055)
    return np.concatenate([curved, values[..., 3:]], axis=-1)


def _assert_edges(item, source, rest, name, data_type, _domain, values):
    got = values_of(item.data.attributes[name])
    assert item.data.attributes[name].domain == "EDGE"
    found = 0
    for edge, value in list(zip(item.data.edges, got, strict=True))[::5]:
        under = edge_under(rest[list(edge.vertices)], source)
        if under is None:
            assert np.all(value == FILL.get(data_type, 0.0))
        else:
            assert np.array_equal(value, values[under])
            found += 1
    assert found > 10


def test_blenders_own_marks(shatter):
    obj = ball()
    mesh = obj.data
    rng = np.random.default_rng(2)
    flags = ("sharp_edge", "uv_seam", "freestyle_edge")
    for name in flags:
        mesh.attributes.new(name, "BOOLEAN", "EDGE").data.foreach_set("value", rng.integers(0, 2, len(mesh.edges)) > 0)
    for name in ("crease_edge", "bevel_weight_edge"):
        weight = rng.uniform(0, 1, len(mesh.edges)).astype(np.float32)
        mesh.attributes.new(name, "FLOAT", "EDGE").data.foreach_set("value", weight)
    for name in ("crease_vert", "bevel_weight_vert"):
        weight = rng.uniform(0, 1, len(mesh.vertices)).astype(np.float32)
        mesh.attributes.new(name, "FLOAT", "POINT").data.foreach_set("value", weight)
    names = (*flags, "crease_edge", "bevel_weight_edge")
    truth = {name: values_of(mesh.attributes[name]) for name in names}
    for item in shatter(obj):
        where = places(item, mesh)
        for name in names:
            _assert_edges(item, mesh, where[0], name, mesh.attributes[name].data_type, "EDGE", truth[name])
        for name in ("crease_vert", "bevel_weight_vert"):
            values = values_of(mesh.attributes[name])
            _assert_carried(values_of(item.data.attributes[name]), "FLOAT", "POINT", values, *where)
        marked = [edge.use_edge_sharp for edge in item.data.edges]
        assert marked == values_of(item.data.attributes["sharp_edge"])[:, 0].tolist()


@pytest.mark.parametrize(("active", "rendered"), [(0, 0), (0, 1), (1, 0), (2, 2)])
def test_active_texture_coordinates_stay_so(shatter, active, rendered):
    obj = ball()
    layers = obj.data.uv_layers
    while len(layers) < 3:
        layers.new(name=f"Map {len(layers)}")
    names = [layer.name for layer in layers]
    layers.active = layers[names[active]]
    layers[names[rendered]].active_render = True
    for item in shatter(obj):
        found = item.data.uv_layers
        assert [layer.name for layer in found] == names
        assert found.active.name == names[active]
        assert [layer.name for layer in found if layer.active_render] == [names[rendered]]


def bytes_kept(attribute):
    return np.rint(values_of(attribute) * 255).astype(int)


def test_each_of_the_256_bytes_comes_back(shatter):
    obj = ball(subdivisions=3)
    mesh = obj.data
    wanted = np.tile(np.arange(len(mesh.loops))[:, None] % 256, (1, 4)) / 255
    paint = mesh.color_attributes.new("Paint", "BYTE_COLOR", "CORNER")
    paint.data.foreach_set("color_srgb", wanted.astype(np.float32).ravel())
    truth = bytes_kept(paint)
    assert len(np.unique(truth)) == 256
    seen = set()
    for item in shatter(obj):
        _, _, face, inner, number, _, weight = places(item, mesh)
        at_corner = ~inner[face] & (weight.max(axis=1) > 1 - 1e-6)
        row = 3 * number[face] + np.argmax(weight, axis=1)
        got = bytes_kept(item.data.attributes["Paint"])
        assert np.array_equal(got[at_corner], truth[row[at_corner]])
        seen |= set(got[at_corner].ravel().tolist())
    assert len(seen) > 250


def normals_of(mesh):
    return np.array([entry.vector for entry in mesh.corner_normals])


def custom(obj):
    """Corner normals that no smoothing would give."""
    rng = np.random.default_rng(3)
    normal = np.array([obj.data.vertices[loop.vertex_index].co for loop in obj.data.loops])
    normal += rng.uniform(-0.2, 0.2, normal.shape)
    return (normal / np.linalg.norm(normal, axis=1)[:, None]).astype(np.float32)


@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("form", ["FLOAT_VECTOR", "INT16_2D", "smooth"])
def test_custom_normals_are_exact(shatter, form, repair):
    obj = ball()
    mesh = obj.data
    sharp = np.arange(len(mesh.polygons)) % 5 == 0
    mesh.attributes.new("sharp_face", "BOOLEAN", "FACE").data.foreach_set("value", sharp)
    if form == "FLOAT_VECTOR":
        mesh.attributes.new("custom_normal", form, "CORNER").data.foreach_set("vector", custom(obj).ravel())
    elif form == "INT16_2D":
        mesh.normals_split_custom_set(custom(obj))
    if form != "smooth":
        assert mesh.attributes["custom_normal"].data_type == form
    truth = normals_of(mesh)
    assert np.abs(truth - custom(obj)).max() < (1.0 if form == "smooth" else 1e-3)
    for item in shatter(obj, REPAIRS[repair]):
        assert item.data.has_custom_normals
        layers = [attribute for attribute in item.data.attributes if attribute.name.startswith("custom_normal")]
        assert [(layer.name, layer.data_type, layer.domain) for layer in layers] == [
            ("custom_normal", "FLOAT_VECTOR", "CORNER")
        ]
        _, _, face, inner, number, _, weight = places(item, mesh)
        expected = np.einsum("nk,nkj->nj", weight, truth[3 * number[face][:, None] + np.arange(3)])
        expected /= np.linalg.norm(expected, axis=1)[:, None]
        outer = ~inner[face]
        assert np.abs(normals_of(item.data) - expected)[outer].max() < FLOAT32
        exact = outer & (weight.max(axis=1) > 1 - 1e-6)
        row = 3 * number[face] + np.argmax(weight, axis=1)
        assert np.abs(normals_of(item.data)[exact] - truth[row[exact]]).max() < 2e-7
        flat = np.array([polygon.normal for polygon in item.data.polygons])[face]
        assert np.abs(normals_of(item.data) - flat)[~outer].max() < 1e-6
        got = values_of(item.data.attributes["sharp_face"])[:, 0]
        assert np.array_equal(got[~inner], values_of(mesh.attributes["sharp_face"])[number[~inner], 0])


def test_modifiers_see_custom_normals(shatter):
    obj = ball()
    obj.data.normals_split_custom_set(custom(obj))
    for item in shatter(obj):
        before = normals_of(item.data)
        item.modifiers.new("Cut", "TRIANGULATE").keep_custom_normals = True
        mesh = item.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        assert mesh.has_custom_normals
        assert len(mesh.loops) > len(item.data.loops)
        # Each triangle's corner has the normal of one of the polygon's corners there.
        table = {}
        for loop, normal in zip(item.data.loops, before, strict=True):
            table.setdefault(loop.vertex_index, []).append(normal)
        for loop, normal in list(zip(mesh.loops, normals_of(mesh), strict=True))[::7]:
            assert min(np.abs(normal - other).max() for other in table[loop.vertex_index]) < 1e-3


@pytest.mark.parametrize("form", ["gltf", "fbx"])
def test_exports_have_the_custom_normals(shatter, tmp_path, form):
    addon = {"gltf": "io_scene_gltf2", "fbx": "io_scene_fbx"}[form]
    if addon_utils.enable(addon) is None:
        pytest.skip(f"{addon} is not part of this Blender")
    obj = ball()
    obj.data.normals_split_custom_set(custom(obj))
    piece = shatter(obj)[0]
    bpy.context.scene.frame_set(1)
    bpy.ops.object.select_all(action="DESELECT")
    piece.select_set(True)
    bpy.context.view_layer.objects.active = piece
    world = {}
    for loop, normal in zip(piece.data.loops, normals_of(piece.data), strict=True):
        place = piece.matrix_world @ piece.data.vertices[loop.vertex_index].co
        world.setdefault(tuple(np.round(place, 3)), []).append(normal)
    path = str(tmp_path / "piece")
    if form == "gltf":
        # Else it goes to frame 0, where fragments are hidden and hence not selected.
        how = {"export_format": "GLB", "export_animations": False, "export_current_frame": True}
        bpy.ops.export_scene.gltf(filepath=path, use_selection=True, **how)
        bpy.ops.import_scene.gltf(filepath=f"{path}.glb")
    else:
        bpy.ops.export_scene.fbx(filepath=f"{path}.fbx", use_selection=True, bake_anim=False)
        bpy.ops.import_scene.fbx(filepath=f"{path}.fbx")
    found = next(item for item in bpy.context.selected_objects if item.type == "MESH")
    turn = found.matrix_world.to_3x3().normalized()
    off = []
    for loop, normal in zip(found.data.loops, normals_of(found.data), strict=True):
        place = tuple(np.round(found.matrix_world @ found.data.vertices[loop.vertex_index].co, 3))
        off.append(
            min(np.abs(np.array(turn @ _vector(normal)) - other).max() for other in world.get(place, [(9, 9, 9)]))
        )
    # What comes in is kept in 16 bits, and a few places round to another thousandth.
    assert np.mean(np.array(off) < 2e-3) > 0.95


def _vector(normal):
    from mathutils import Vector

    return Vector(normal)
