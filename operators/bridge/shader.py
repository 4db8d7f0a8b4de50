"""Shaders that materials bring, for objects to which the artist has given none."""

import hashlib

import bpy
import numpy as np

from ...core.config.look import Look
from . import names

#: Alpha of what light goes through in a solid view, which knows no glass. By eye.
CLEAR = 0.35


def bring_shader(obj: bpy.types.Object, name: str, look: Look) -> bool:
    """Give an object the shader of a material, unless it has one that is the artist's.

    What was brought for another material, and is as it was then, is replaced. A mesh that other objects share stays as
    it is. Says whether the object has the shader now.
    """
    materials = getattr(obj.data, "materials", None)
    if materials is None or obj.data.users > 1 or obj.data.library or obj.data.override_library:
        return False
    if any(slot.material is not None and not is_brought(slot.material) for slot in obj.material_slots):
        return False
    material = _shader(name, look)
    if not obj.material_slots:
        materials.append(material)
    for slot in obj.material_slots:
        slot.material = material
    return True


def is_brought(material: bpy.types.Material) -> bool:
    """Whether a material came with a preset, and nobody has changed it since."""
    return names.SHADER in material and material[names.SHADER] == _state(material)


def _shader(name: str, look: Look) -> bpy.types.Material:
    """The shader of a material: that of an earlier time, or a new one."""
    for found in bpy.data.materials:
        if found.name.partition(".")[0] == name and found.library is None and is_brought(found):
            return found
    material = bpy.data.materials.new(name)
    if material.node_tree is None:  # before Blender 5.0
        material.use_nodes = True
    alpha = 1.0 - look.transmission * (1.0 - CLEAR)
    material.diffuse_color, material.roughness = (*look.colour, alpha), look.roughness
    inputs = _principled(material).inputs
    inputs["Base Color"].default_value = (*look.colour, 1.0)
    inputs["Roughness"].default_value, inputs["IOR"].default_value = look.roughness, look.ior
    inputs["Transmission Weight"].default_value = look.transmission
    material[names.SHADER] = _state(material)
    return material


def _state(material: bpy.types.Material) -> str:
    """A hash of what an artist would change."""
    if material.node_tree is None:
        return ""
    shader = _principled(material)
    nodes = [] if shader is None else [(item.identifier, _plain(item)) for item in shader.inputs]
    tree = material.node_tree
    count = len(tree.nodes), len(tree.links)
    told = repr((count, nodes, _rounded(material.diffuse_color), _rounded(material.roughness)))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _principled(material: bpy.types.Material) -> bpy.types.Node | None:
    return next((node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None)


def _plain(socket: bpy.types.NodeSocket) -> object:
    value = getattr(socket, "default_value", None)
    return None if value is None or isinstance(value, str) else _rounded(value)


def _rounded(value: object) -> list[float]:
    return [float(str(np.float32(number))) for number in np.atleast_1d(np.array(value, np.float64))]
