"""The material of broken faces where the artist chose none."""

import bpy

from . import names
from .shader import is_brought
from .source import SourceAttributes, find_material

#: A material that lets more light than this through is clear: its broken faces look like its outside. Half.
CLEAR = 0.5
#: Of broken faces that have no look of their own: a warm grey, dull. By eye.
COLOUR, ROUGHNESS = (0.55, 0.53, 0.5, 1.0), 0.7


def inner_material_of(source: SourceAttributes) -> bpy.types.Material:
    """The source's own material where it is clear, as glass is, or came with a preset; else the "Brittle Inner"."""
    for slot in source.slots:
        material = find_material(slot.own if slot.link == "OBJECT" else slot.data)
        if material is not None and (transmission(material) > CLEAR or is_brought(material)):
            return material
    return _opaque()


def transmission(material: bpy.types.Material) -> float:
    """How much light passes through a material by its Principled or Glass shader: 0..1."""
    nodes = material.node_tree.nodes if material.node_tree else ()
    shaders = [node.inputs["Transmission Weight"] for node in nodes if node.type == "BSDF_PRINCIPLED"]
    values = [0.0 if socket.is_linked else float(socket.default_value) for socket in shaders]
    return max([*values, *(1.0 for node in nodes if node.type == "BSDF_GLASS")], default=0.0)


def _opaque() -> bpy.types.Material:
    """The shared material of inner faces: made once, then the artist's to change."""
    material = bpy.data.materials.get((names.INNER_MATERIAL, None))
    if material is None:
        material = bpy.data.materials.new(names.INNER_MATERIAL)
        material.diffuse_color = COLOUR
        if material.node_tree is None:  # before Blender 5.0
            material.use_nodes = True
        shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = material.diffuse_color
        shader.inputs["Roughness"].default_value = ROUGHNESS
    return material
