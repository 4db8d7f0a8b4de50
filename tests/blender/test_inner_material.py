"""What broken faces look like where the artist chose nothing."""

import bpy

from tests.blender.pieces import pieces_of


def shattered(material):
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    cube.data.materials.append(material)
    bpy.ops.brittle.shatter(preset="Clay", count=8, seed=1)
    return pieces_of(bpy.data.collections[f"{cube.name} Fragments"])[0]


def named(name, transmission):
    material = bpy.data.materials.new(name)
    if material.node_tree is None:  # before Blender 5.0
        material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Transmission Weight"].default_value = transmission
    return material


def test_broken_faces_of_clear_things_are_clear():
    glass = named("Glass", 1.0)
    assert [slot.material for slot in shattered(glass).material_slots] == [glass, glass]


def test_broken_faces_of_opaque_things_have_a_material_of_their_own():
    stone = named("Stone", 0.0)
    assert [slot.material.name for slot in shattered(stone).material_slots] == ["Stone", "Brittle Inner"]
