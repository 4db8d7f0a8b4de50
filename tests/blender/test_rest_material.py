"""Materials that use object or generated coordinates look on fragments at rest as they did on the object."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from tests.blender.halves import broken_in_two
from tests.blender.pieces import pieces_of

pytestmark = pytest.mark.blender

START = 10
PLACED = Matrix.LocRotScale(Vector((1, 2, 3)), Euler((0.3, 0.5, 0.7)), Vector((1.2, 0.6, 0.9)))


@pytest.fixture
def shatter(module):
    read, write = module("operators.bridge.read"), module("operators.bridge.write")

    def run(obj, start=START, **how):
        bpy.context.view_layer.update()
        reading = read.read_scene(bpy.context, obj, frames=3, ground=None)
        shattered = broken_in_two(module, reading.scene.mesh, frames=3)
        return write.write(bpy.context, obj, reading.source, shattered, start, **how)

    return run


def ball(material, matrix=PLACED):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=1.0)
    obj = bpy.context.object
    obj.name = "Ball"
    obj.data.materials.append(material)
    obj.matrix_world = matrix
    return obj


def material_of(build, name="Stone"):
    """A material that shines in the colour that `build(tree)` returns a socket for."""
    material = bpy.data.materials.new(name)
    if material.node_tree is None:  # before Blender 5.0
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    shader, output = tree.nodes.new("ShaderNodeEmission"), tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(build(tree), shader.inputs["Color"])
    tree.links.new(shader.outputs[0], output.inputs["Surface"])
    return material


def coordinates(output):
    return lambda tree: tree.nodes.new("ShaderNodeTexCoord").outputs[output]


def texture(kind, output=0):
    def build(tree):
        return tree.nodes.new(f"ShaderNodeTex{kind}").outputs[output]

    return build


def in_group(tree):
    """Object coordinates through a texture, two groups deep."""
    inner, outer = (bpy.data.node_groups.new(name, "ShaderNodeTree") for name in ("Grain", "Marble"))
    for group in (inner, outer):
        group.interface.new_socket("Color", in_out="OUTPUT", socket_type="NodeSocketColor")
    noise = inner.nodes.new("ShaderNodeTexVoronoi")
    inner.links.new(inner.nodes.new("ShaderNodeTexCoord").outputs["Object"], noise.inputs["Vector"])
    inner.links.new(noise.outputs["Color"], inner.nodes.new("NodeGroupOutput").inputs[0])
    for holder, group in ((outer, inner), (tree, outer)):
        node = holder.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        if holder is outer:
            outer.links.new(node.outputs[0], outer.nodes.new("NodeGroupOutput").inputs[0])
    return node.outputs[0]


@pytest.fixture
def render(tmp_path):
    """A picture (32,32,3) of the scene at the break frame, by Cycles with one sample."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.matrix_world = Matrix.Translation((1, 2, 3)) @ Euler((0.9, 0.0, 0.6)).to_matrix().to_4x4()
    camera.matrix_world = camera.matrix_world @ Matrix.Translation((0, 0, 4))
    scene.camera = camera
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.render.resolution_x = scene.render.resolution_y = 32
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.render.filepath = str(tmp_path / "picture.exr")

    def run(frame):
        scene.frame_set(frame)
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath, check_existing=False)
        pixels = np.array(image.pixels[:]).reshape(32, 32, -1)[..., :3]
        bpy.data.images.remove(image)
        return pixels

    return run


LOOKS = {
    "object": coordinates("Object"),
    "generated": coordinates("Generated"),
    "noise": texture("Noise"),
    "voronoi": texture("Voronoi", 1),
    "wave": texture("Wave"),
    "magic": texture("Magic"),
    "brick": texture("Brick"),
    "checker": texture("Checker"),
    "gradient": texture("Gradient"),
    "white noise": texture("WhiteNoise", 1),
    "groups": in_group,
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_fragments_at_rest_look_like_the_object(shatter, render, look):
    obj = ball(material_of(look))
    collection = shatter(obj)
    before, after = render(START - 1), render(START)
    assert [item.hide_render for item in pieces_of(collection)] == [False, False]
    seen = before.max(axis=2) > 0.0
    assert seen.mean() > 0.1
    # Coordinates differ by rounding (1e-7 of the size); a pattern with steps may flip at a pixel on its step.
    assert np.mean(np.abs(before - after).max(axis=2) > 1e-3) <= 0.01


def test_without_the_copies_it_would_look_different(shatter, render):
    """The test above can see what it looks for."""
    for look in ("object", "generated"):
        obj = ball(material_of(LOOKS[look]))
        collection = shatter(obj)
        original = obj.data.materials[0]
        for item in pieces_of(collection):
            item.data.materials[0] = original
        assert np.mean(np.abs(render(START - 1) - render(START)).max(axis=2) > 0.05) > 0.05
        bpy.data.objects.remove(obj)


def test_generated_coordinates_are_those_before_modifiers(shatter, render):
    obj = ball(material_of(LOOKS["generated"]))
    bend = obj.modifiers.new("Twist", "SIMPLE_DEFORM")
    bend.deform_method, bend.angle = "TAPER", 0.6
    shatter(obj)
    before, after = render(START - 1), render(START)
    assert np.mean(np.abs(before - after).max(axis=2) > 1e-3) <= 0.01


def test_copies_are_shared_named_and_restored(shatter, module, state):
    obj = ball(material_of(in_group))
    plain = bpy.data.materials.new("Plain")
    obj.data.materials.append(plain)
    obj.data.materials.append(None)
    obj.material_slots[2].link = "OBJECT"
    obj.material_slots[2].material = material_of(LOOKS["noise"], "Veins")
    obj.brittle.seed  # noqa: B018 - Blender 4.5 keeps settings from the first look on
    bpy.context.view_layer.update()
    before, groups = state(), len(bpy.data.node_groups)
    for _ in range(2):
        collection = shatter(obj)
        for item in pieces_of(collection):
            assert [slot.material.name for slot in item.material_slots] == [
                "Stone Rest",
                "Plain",
                "Veins Rest",
                "Brittle Inner",
            ]
            assert "brittle_generated" in item.data.attributes
        shown = sorted(group.name for group in bpy.data.node_groups if not group.name.startswith("."))
        assert shown == ["Grain", "Grain Rest", "Marble", "Marble Rest"]
        tree = bpy.data.node_groups["Grain"]
        assert not any(node.type == "ATTRIBUTE" for node in tree.nodes)
    module("operators.bridge.restore").restore(obj)
    assert state() == before
    assert len(bpy.data.node_groups) == groups


def test_a_copy_in_use_is_made_anew_for_all(shatter):
    stone = material_of(LOOKS["object"])
    first = shatter(ball(stone))
    stone.node_tree.nodes["Emission"].inputs["Strength"].default_value = 3.0
    second = shatter(ball(stone))
    used = {item.data.materials[0] for collection in (first, second) for item in pieces_of(collection)}
    assert [material.name for material in used] == ["Stone Rest"]
    assert used.pop().node_tree.nodes["Emission"].inputs["Strength"].default_value == 3.0


def test_what_does_not_depend_on_them_is_left(shatter):
    def pointed(tree):
        """Coordinates of another object, and a texture that has its own."""
        node = tree.nodes.new("ShaderNodeTexCoord")
        node.object = bpy.data.objects.new("Guide", None)
        noise = tree.nodes.new("ShaderNodeTexNoise")
        tree.links.new(node.outputs["Object"], noise.inputs["Vector"])
        return noise.outputs[0]

    def numbers(tree):
        noise = tree.nodes.new("ShaderNodeTexNoise")
        noise.noise_dimensions = "1D"
        return noise.outputs[0]

    for build in (pointed, numbers, coordinates("UV"), texture("Image"), texture("WhiteNoise")):
        material = material_of(build, "Own")
        for item in pieces_of(shatter(ball(material))):
            assert item.data.materials[0] == material
            assert "brittle_generated" not in item.data.attributes
        bpy.data.materials.remove(material)


def test_linked_materials_are_copied_into_the_file(shatter, tmp_path):
    path = str(tmp_path / "library.blend")
    made = material_of(in_group)
    bpy.data.libraries.write(path, {made})
    bpy.data.materials.remove(made)
    for group in list(bpy.data.node_groups):
        bpy.data.node_groups.remove(group)
    with bpy.data.libraries.load(path, link=True) as (_, target):
        target.materials = ["Stone"]
    linked = target.materials[0]
    collection = shatter(ball(linked))
    copy = pieces_of(collection)[0].data.materials[0]
    assert (copy.name, copy.library, linked.name) == ("Stone Rest", None, "Stone")
    assert [node.node_tree.library for node in copy.node_tree.nodes if node.type == "GROUP"] == [None]


def test_pieces_of_pieces_keep_the_coordinates_of_the_whole(shatter, render):
    obj = ball(material_of(LOOKS["object"]))
    first = shatter(obj)
    before = render(START)
    for piece in list(pieces_of(first)):
        again = shatter(piece, start=START)
        rest = np.array(
            [entry.vector for item in pieces_of(again) for entry in item.data.attributes["rest_position"].data]
        )
        assert np.all(np.linalg.norm(rest, axis=1) < 1.0 + 1e-5)
        assert pieces_of(again)[0].material_slots[0].material.name == "Stone Rest"
    after = render(START)
    assert np.mean(np.abs(before - after).max(axis=2) > 1e-3) <= 0.01


def test_the_texture_space_of_fragments_is_the_source_s(shatter):
    matrix = Matrix.LocRotScale(Vector((1, 2, 3)), None, Vector((1.2, 0.6, 0.9)))
    obj = ball(material_of(LOOKS["generated"]), matrix)
    for item in pieces_of(shatter(obj)):
        mesh = item.data
        low = np.array(mesh.texspace_location) - np.array(mesh.texspace_size)
        place = np.array([vertex.co for vertex in mesh.vertices])
        generated = np.array([entry.vector for entry in mesh.attributes["brittle_generated"].data])
        assert np.allclose((place - low) / (2 * np.array(mesh.texspace_size)), generated, atol=2e-6)
        rest = np.array([entry.vector for entry in mesh.attributes["rest_position"].data])
        assert np.allclose(generated, rest / 2 + 0.5, atol=0.02)  # an icosphere of radius 1 nearly fills its bounds
