"""Materials bring their shaders to objects that have none; what is the artist's stays as it is."""

import bpy
import pytest

from tests.blender.fingerprint import broken, differences, fingerprint


@pytest.fixture(autouse=True)
def shaders(module):
    """Materials bring shaders; gives the choice."""
    chosen = module("operators.preferences").chosen(bpy.context)
    chosen.shaders = True
    yield chosen
    chosen.property_unset("shaders")


def principled(material):
    return next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")


def materials(obj):
    return [slot.material for slot in obj.material_slots]


def test_a_shader_has_the_numbers_of_its_preset(cube, module):
    for name in ("Clay", "Ice", "Tempered Glass (Lattice)"):
        look = module("operators.preset").look_of(name)
        bpy.ops.brittle.preset_apply(name=name)
        (material,) = materials(cube)
        inputs = principled(material).inputs
        assert material.name == name and tuple(inputs["Base Color"].default_value[:3]) == pytest.approx(look.colour)
        assert inputs["Transmission Weight"].default_value == pytest.approx(look.transmission)
        assert (material.diffuse_color[3] < 1.0) == (look.transmission > 0.0), "a solid view knows no glass"
        assert material.roughness == pytest.approx(look.roughness)


def test_every_material_of_the_menu_has_a_look(module):
    preset = module("operators.preset")
    assert all(preset.look_of(entry.name) is not None for entry in preset.entries())


def test_without_the_choice_nothing_changes(cube, shaders):
    shaders.shaders = False
    before = fingerprint(but=broken(cube))
    bpy.ops.brittle.preset_apply(name="Clay")
    assert not cube.material_slots and not differences(before, fingerprint(but=broken(cube)))


def test_another_material_replaces_what_was_brought(cube, make_cube):
    other = make_cube("Other")
    bpy.ops.brittle.preset_apply(name="Clay")
    assert materials(cube) == materials(other), "both are selected, and of one matter"
    cube.select_set(False)
    bpy.ops.brittle.preset_apply(name="Stone")
    assert [materials(obj)[0].name for obj in (cube, other)] == ["Clay", "Stone"]


@pytest.mark.parametrize("change", ["node", "colour", "link", "solid view"])
def test_what_an_artist_has_changed_is_his(cube, change):
    bpy.ops.brittle.preset_apply(name="Clay")
    (material,) = materials(cube)
    nodes = material.node_tree
    if change == "node":
        nodes.nodes.new("ShaderNodeTexNoise")
    elif change == "colour":
        principled(material).inputs["Base Color"].default_value = (0.0, 1.0, 0.0, 1.0)
    elif change == "link":
        nodes.links.remove(nodes.links[0])
    else:
        material.diffuse_color = (0.0, 1.0, 0.0, 1.0)
    bpy.ops.brittle.preset_apply(name="Stone")
    assert materials(cube) == [material]


def test_what_an_object_has_stays(cube, make_cube):
    own = bpy.data.materials.new("Clay")
    cube.data.materials.append(own)
    shared = make_cube("Shared")
    twin = shared.copy()
    bpy.context.scene.collection.objects.link(twin)
    bpy.ops.brittle.preset_apply(name="Clay")
    assert materials(cube) == [own] and not shared.material_slots and not twin.material_slots


def test_pieces_have_it_outside_and_inside(cube):
    bpy.ops.brittle.preset_apply(name="Stone")
    bpy.ops.brittle.shatter()
    pieces = [obj for obj in bpy.data.collections["Cube Fragments"].all_objects if obj.type == "MESH"]
    assert pieces and {material.name for piece in pieces for material in materials(piece)} == {"Stone"}


def test_a_saved_material_keeps_its_look(cube, module):
    preset = module("operators.preset")
    bpy.ops.brittle.preset_apply(name="Ice")
    bpy.ops.brittle.preset_save(name="My Ice")
    assert preset.look_of("My Ice") == preset.look_of("Ice")
    bpy.ops.brittle.preset_remove(name="My Ice")
