"""The stage of `make demo`: what stands where, materials, light and camera."""

from math import radians
from pathlib import Path

import bpy
from mathutils import Vector

import demo_meshes

HIT_FRAME = 10
LAST_FRAME = 60
Colour = tuple[float, float, float]


def build() -> dict[str, bpy.types.Object]:
    """An empty file filled with the whole stage; gives the objects that will be broken, by name."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    _ground()
    broken = {obj.name: obj for obj in (_pane(), _bowl(), _suzanne())}
    _light()
    _camera()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST_FRAME
    scene.frame_set(HIT_FRAME)
    bpy.context.view_layer.update()
    return broken


def _pane() -> bpy.types.Object:
    pane, frame = demo_meshes.pane(), demo_meshes.window_frame()
    for obj in (pane, frame):
        obj.location = (-1.05, 0.25, 0.0)
        obj.rotation_euler.z = radians(14.0)
    pane.data.materials.append(glass("Glass", (0.93, 0.98, 0.96)))
    frame.data.materials.append(matt("Painted Wood", (0.10, 0.17, 0.20), 0.4))
    return pane


def _bowl() -> bpy.types.Object:
    bowl = demo_meshes.bowl()
    bowl.location = (0.12, -0.75, 0.0)
    bowl.data.materials.append(matt("Terracotta", (0.48, 0.16, 0.07), 0.55))
    return bowl


def _suzanne() -> bpy.types.Object:
    head = demo_meshes.suzanne(0.95)
    head.location = (1.15, 0.25, 0.0)
    head.rotation_euler.z = radians(-18.0)
    head.data.materials.append(matt("Clay", (0.62, 0.47, 0.34), 0.7))
    return head


def _ground() -> None:
    demo_meshes.ground().data.materials.append(matt("Floor", (0.44, 0.43, 0.41), 0.6))


def _light() -> None:
    world = bpy.data.worlds.new("World")
    bpy.context.scene.world = world
    world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    sky = nodes.new("ShaderNodeTexEnvironment")
    folder = Path(bpy.utils.system_resource("DATAFILES", path="studiolights/world"))
    sky.image = bpy.data.images.load(str(folder / "studio.exr"))
    links.new(sky.outputs["Color"], nodes["Background"].inputs["Color"])
    nodes["Background"].inputs["Strength"].default_value = 0.5
    _lamp("Key", (2.6, -2.2, 4.2), 260.0, 1.6, (1.0, 0.93, 0.84))
    _lamp("Rim", (-3.2, 2.6, 2.6), 180.0, 1.2, (0.80, 0.90, 1.0))


def _lamp(name: str, place: Colour, watts: float, size: float, colour: Colour) -> None:
    lamp = bpy.data.lights.new(name, "AREA")
    lamp.energy, lamp.size, lamp.color = watts, size, colour
    obj = bpy.data.objects.new(name, lamp)
    obj.location = place
    obj.rotation_euler = (Vector((0.0, 0.0, 0.4)) - obj.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(obj)


def _camera() -> None:
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens = 42.0
    camera.location = (0.15, -4.9, 1.75)
    camera.rotation_euler = (Vector((0.08, 0.0, 0.52)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def matt(name: str, colour: Colour, roughness: float) -> bpy.types.Material:
    """An opaque material."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    inputs = material.node_tree.nodes["Principled BSDF"].inputs
    inputs["Base Color"].default_value = (*colour, 1.0)
    inputs["Roughness"].default_value = roughness
    material.diffuse_color = (*colour, 1.0)
    return material


def glass(name: str, colour: Colour) -> bpy.types.Material:
    """Clear glass that lets light through to the floor: shadow rays see it as merely tinted."""
    material = matt(name, colour, 0.0)
    nodes, links = material.node_tree.nodes, material.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Transmission Weight"].default_value = 1.0
    shader.inputs["IOR"].default_value = 1.5
    through, path, mix = (nodes.new(f"ShaderNode{kind}") for kind in ("BsdfTransparent", "LightPath", "MixShader"))
    through.inputs["Color"].default_value = (*(0.9 * channel for channel in colour), 1.0)
    links.new(path.outputs["Is Shadow Ray"], mix.inputs[0])
    links.new(shader.outputs["BSDF"], mix.inputs[1])
    links.new(through.outputs["BSDF"], mix.inputs[2])
    links.new(mix.outputs["Shader"], nodes["Material Output"].inputs["Surface"])
    return material
