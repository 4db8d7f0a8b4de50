"""Meshes as artists have them, through the operator: closed pieces with the right volume, or a refusal that changes
nothing. The zoo without Blender is tests/zoo; here is what comes out of Blender, and how objects are placed."""

import json
import math

import bpy
import numpy as np
import pytest

from tests.blender import ugly
from tests.zoo import broken, meshes, solids
from tests.zoo.matter import matter
from tests.zoo.parts import bumpy, closed_by_fans, joined, signed_volume, union_of_boxes

#: Members of the zoo whose way through Blender is worth a look: each with something else wrong, all small.
MEMBERS = (
    "default cube", "cube of 1 cm", "cube of 200 m", "overlapping cubes", "overlapping cubes, kept", "nested cubes",
    "two chambers", "crate of overlapping planks", "ladder", "text", "plane", "cup without a lid",
    "cup without a lid, as a vessel", "bottle of glass", "card with two sides", "plane with a fin", "cube with a sail",
    "Moebius strip", "house of thin panels", "Utah teapot", "triangle soup", "cube in six parts", "T-junctions",
    "flipped faces", "inside out", "cube with twins", "some points undefined", "wall with windows, no UV",
)  # fmt: skip
FLOAT32 = 1e-5  # relative, of volumes of coordinates in 32 bits


def report_of(obj):
    return json.loads(bpy.data.collections[f"{obj.name} Fragments"]["brittle_report"])


def assert_broken(obj, fragments, expected=None, tolerance=0.0):
    """Several closed pieces; nothing is lost between the body and them, nor, where it is known, before."""
    found = ugly.volume_of_closed(fragments)
    account = report_of(obj)
    assert len(fragments) > 1
    assert account["closed_pieces"] == account["pieces"] == len(fragments)
    density = obj.brittle.material.density
    assert sum(item["brittle_mass"] for item in fragments) / density == pytest.approx(found, rel=FLOAT32)
    if expected is not None:
        assert found == pytest.approx(expected, rel=tolerance + FLOAT32)


def assert_mapped(fragments, name="Map"):
    """The UV layer is there, finite, and on the outside not all the same."""
    for item in fragments:
        uv = np.empty(2 * len(item.data.loops), np.float32)
        item.data.uv_layers[name].uv.foreach_get("vector", uv)
        assert np.isfinite(uv).all()
        assert np.ptp(uv) > 0.0


@pytest.mark.parametrize("name", MEMBERS)
def test_a_mesh_of_the_zoo_is_broken(name):
    member = meshes.ZOO[name]
    obj = ugly.of_solid(member.make(), uv="no UV" not in name)
    fragments = ugly.shatter(obj, **member.options)
    assert_broken(obj, fragments, None if member.volume is None else member.volume(), member.tolerance)
    if "no UV" not in name:
        assert_mapped(fragments)
    said = " ".join(report_of(obj)["repaired"]).lower()
    for word in member.says.values():
        assert word.lower() in said


def test_suzanne_as_she_is():
    obj = ugly.suzanne()
    true = matter(closed_by_fans(ugly.solid_of(obj), near=1e-6))
    fragments = ugly.shatter(obj)
    # Caps of another shape than fans, on four holes of which two are hidden behind the eyes.
    assert_broken(obj, fragments, true, 0.01)
    assert_mapped(fragments, "UVMap")


def test_suzanne_subdivided_by_a_modifier():
    obj = ugly.suzanne()
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    true = matter(closed_by_fans(ugly.solid_of(obj), near=1e-6))
    assert_broken(obj, ugly.shatter(obj), true, 0.01)


@pytest.mark.parametrize("make", [lambda: ugly.font(0.1), ugly.bevelled_curve, ugly.metaballs])
def test_what_blender_makes_of_curves_and_metaballs_is_broken(make):
    obj = ugly.converted(make())
    # Closed to the eye, whatever is joined: rays tell how much matter there is. Thin letters cost 1 % of rays.
    true = matter(ugly.solid_of(obj))
    assert_broken(obj, ugly.shatter(obj), true, 0.01)


def test_flat_text_gets_thickness():
    obj = ugly.converted(ugly.font(0.0))
    points, triangles = ugly.solid_of(obj)
    p = points[triangles]
    area = 0.5 * np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1).sum()
    fragments = ugly.shatter(obj, thickness=0.02)
    assert_broken(obj, fragments, 0.02 * area, 0.03)


@pytest.mark.parametrize("make", [lambda: ugly.font(0.1), ugly.bevelled_curve, ugly.metaballs])
def test_curves_and_metaballs_are_made_real_or_refused_with_a_sentence(make, state, module):
    obj = make()
    before = repr(state()), ugly.digest()
    try:
        module("operators.shatter").shatter_object(bpy.context, obj, count=10)
    except module("core.errors").InputError as refusal:
        assert "onvert" in str(refusal) and obj.name in str(refusal)
        assert (repr(state()), ugly.digest()) == before
        with pytest.raises(RuntimeError, match=r"\w+ \w+"):
            bpy.ops.brittle.shatter(count=10)
    else:
        assert_broken(obj, [item for item in bpy.data.objects if "brittle_fragment" in item])


def test_three_materials_linked_to_the_object_stay_on_their_faces():
    solid = broken.some_flipped()
    obj = ugly.of_solid(solid)
    wanted = []
    for k in range(3):
        obj.data.materials.append(bpy.data.materials.new(f"Of the mesh {k}"))
        slot = obj.material_slots[k]
        slot.link = "OBJECT"
        slot.material = bpy.data.materials.new(f"Of the object {k}")
        wanted.append(slot.material.name)
    index = (np.arange(len(solid[1])) // 7 % 3).astype(np.int32)
    obj.data.polygons.foreach_set("material_index", index)
    areas = np.array([polygon.area for polygon in obj.data.polygons])
    fragments = ugly.shatter(obj)
    assert_broken(obj, fragments, signed_volume(bumpy(3, 5)))
    found = np.zeros(3)
    for item in fragments:
        assert [slot.material.name for slot in item.material_slots][:3] == wanted
        for polygon in item.data.polygons:
            if polygon.material_index < 3:
                found[polygon.material_index] += polygon.area
    # What is outside keeps its slot: the area of each is that of the mesh.
    np.testing.assert_allclose(found, np.bincount(index, areas, 3), rtol=1e-4)


def test_custom_normals_and_a_normal_map_survive_a_repair():
    obj = ugly.of_solid(solids.head())
    mesh = obj.data
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    points = np.array([vertex.co for vertex in mesh.vertices])
    wanted = points / np.linalg.norm(points, axis=1)[:, None]
    mesh.normals_split_custom_set_from_vertices(wanted)
    material = bpy.data.materials.new("Mapped")
    material.use_nodes = True
    nodes = material.node_tree.nodes
    bump = nodes.new("ShaderNodeNormalMap")
    bump.uv_map = "Map"
    image = nodes.new("ShaderNodeTexImage")
    image.image = bpy.data.images.new("Normals", 8, 8)
    material.node_tree.links.new(image.outputs["Color"], bump.inputs["Color"])
    material.node_tree.links.new(bump.outputs["Normal"], nodes["Principled BSDF"].inputs["Normal"])
    mesh.materials.append(material)
    fragments = ugly.shatter(obj)
    assert_broken(obj, fragments)
    assert_mapped(fragments)
    cosines = []
    for item in fragments:
        assert item.material_slots[0].material == material
        if all(polygon.material_index for polygon in item.data.polygons):
            continue  # all of it was inside
        assert item.data.has_custom_normals
        normals = np.array([tuple(corner.vector) for corner in item.data.corner_normals])
        face = np.repeat(np.arange(len(item.data.polygons)), [p.loop_total for p in item.data.polygons])
        outer = np.array([p.material_index == 0 for p in item.data.polygons])[face]
        place = np.array([item.data.vertices[loop.vertex_index].co for loop in item.data.loops])
        place += np.array(item.matrix_world.translation)
        length = np.linalg.norm(place, axis=1)
        # Custom normals point away from the origin. On the face they are interpolated: a face spans up to 0.1 rad.
        skin = outer & (length > 1.05 * np.linalg.norm(points, axis=1).min())
        cosines.append(np.einsum("ni,ni->n", normals[skin], place[skin] / length[skin, None]))
    assert np.quantile(np.concatenate(cosines), 0.05) > math.cos(0.1)


PLACES = {
    "scaled unevenly": ((0.5, 1.0, 2.0), (0.0, 0.0, 0.0)),
    "mirrored": ((-1.0, 1.0, 1.0), (0.2, 0.1, 0.5)),
    "mirrored three times, turned": ((-0.3, -2.0, -1.5), (0.7, -0.4, 2.0)),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("parented", [False, True])
def test_where_an_object_is_does_not_matter(place, parented):
    obj = ugly.of_solid(solids.overlapping_cubes())
    obj.scale, obj.rotation_euler = PLACES[place]
    factor = abs(math.prod(PLACES[place][0]))
    if parented:
        parent = bpy.data.objects.new("Parent", None)
        bpy.context.scene.collection.objects.link(parent)
        parent.scale, parent.rotation_euler, parent.location = (1.0, 0.5, 2.0), (0.3, 0.2, 0.1), (5.0, -3.0, 1.0)
        obj.parent = parent
    bpy.context.view_layer.update()
    fragments = ugly.shatter(obj)
    assert_broken(obj, fragments, factor * union_of_boxes(solids.OVERLAPPING))
    assert_mapped(fragments)


def test_an_object_a_million_metres_away_is_broken():
    obj = ugly.of_solid(solids.overlapping_cubes())
    obj.location = (1e6, -5e5, 2e5)
    fragments = ugly.shatter(obj)
    assert_broken(obj, fragments, union_of_boxes(solids.OVERLAPPING))


def test_shape_keys_and_loose_parts_do_not_matter():
    vertices, triangles = solids.cube()
    mesh = bpy.data.meshes.new("Loose")
    extra = [(3.0, 0.0, 0.0), (4.0, 0.0, 0.0), (5.0, 1.0, 0.0)]
    mesh.from_pydata([*map(tuple, vertices), *extra], [(8, 9)], [tuple(t) for t in triangles.tolist()])
    obj = ugly.linked("Loose", mesh)
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Tall")
    for point in key.data:
        point.co.z *= 2.0
    key.value = 1.0
    assert_broken(obj, ugly.shatter(obj), 16.0)


def far_out():
    return ugly.of_solid(broken.far_away(1e6, centred=False))


def undefined():
    return ugly.of_solid(broken.all_undefined())


def collinear():
    return ugly.of_solid(broken.only_collinear())


def faceless():
    return ugly.of_solid(broken.loose_points(), uv=False)


def forbidden():
    obj = ugly.of_solid(solids.overlapping_cubes())
    obj.brittle.repair.allow_unite = False
    return obj


def open_and_forbidden():
    obj = ugly.of_solid(joined(solids.cube(), meshes.ZOO["plane"].make()))
    obj.brittle.repair.allow_thickness = obj.brittle.repair.allow_holes = False
    return obj


REFUSED = {f.__name__: f for f in (far_out, undefined, collinear, faceless, forbidden, open_and_forbidden)}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_a_sentence_and_changes_nothing(name, state):
    obj = REFUSED[name]()
    before = repr(state()), ugly.digest()
    with pytest.raises(RuntimeError) as refusal:
        bpy.ops.brittle.shatter(count=10)
    assert (repr(state()), ugly.digest()) == before
    sentence = str(refusal.value).removeprefix("Error: ").strip()
    assert obj.name in sentence and sentence.endswith(".") and len(sentence.split()) > 6
    assert "Traceback" not in sentence
    if name == "far_out":
        assert "origin" in sentence
