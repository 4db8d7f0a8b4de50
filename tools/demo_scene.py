"""The stage of `make demo`: what stands where, materials, light and camera."""

from dataclasses import dataclass
from math import radians
from pathlib import Path

import bpy
from mathutils import Vector

import demo_meshes

HIT_FRAME = 10
LAST_FRAME = 70
#: Frames of the contact sheet: one before the hit, then as things happen.
STORY = (HIT_FRAME - 1, HIT_FRAME + 1, HIT_FRAME + 4, HIT_FRAME + 8, HIT_FRAME + 14, LAST_FRAME)
SEED = 1
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Blow:
    """A hit on one of the objects, and what the object is made of."""

    target: str
    preset: str
    count: int
    place: Triple  #: [m]
    direction: Triple
    strength: float
    speed: float  #: [m/s]
    radius: float = 0.0  #: [m], 0 = automatic


BLOWS = (
    Blow("Pane", "Standard Glass", 160, (-0.95, 0.29, 0.85), (0.2, -1.0, 0.1), 1.0, 4.0),
    Blow("Bowl", "Clay", 60, (0.05, -1.05, 0.3), (0.1, 0.6, -0.5), 0.45, 1.5),
    Blow("Suzanne", "Clay", 120, (1.0, -0.2, 0.75), (0.2, 1.0, -0.3), 0.4, 3.0),
)


def build() -> dict[str, bpy.types.Object]:
    """An empty file filled with the whole stage; gives the objects that will be broken, by name."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    demo_meshes.backdrop().data.materials.append(matt("Backdrop", (0.20, 0.21, 0.23), 0.7))
    broken = {obj.name: obj for obj in (_pane(), _bowl(), _suzanne())}
    lights()
    camera((0.1, -4.7, 1.75), (0.02, 0.0, 0.53))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST_FRAME
    scene.brittle.frames = LAST_FRAME - HIT_FRAME + 1
    scene.frame_set(HIT_FRAME)
    bpy.context.view_layer.update()
    return broken


def inner_material(obj: bpy.types.Object) -> bpy.types.Material:
    """What the broken faces of an object look like."""
    if obj.name == "Pane":
        return glass("Broken Glass", (0.62, 0.88, 0.78))
    outside = obj.data.materials[0].diffuse_color
    return matt(f"Broken {obj.data.materials[0].name}", tuple(0.45 * channel for channel in outside[:3]), 0.9)


def _pane() -> bpy.types.Object:
    pane, frame = demo_meshes.pane(), demo_meshes.window_frame()
    for obj in (pane, frame):
        obj.location = (-1.0, 0.35, 0.0)
        obj.rotation_euler.z = radians(20.0)
    pane.data.materials.append(glass("Glass", (0.90, 0.97, 0.94)))
    frame.data.materials.append(matt("Painted Wood", (0.05, 0.10, 0.13), 0.4))
    collider(frame)
    return pane


def collider(obj: bpy.types.Object) -> None:
    """What an artist does for pieces to bounce off an object: select it, click Add Collider."""
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.ops.brittle.collider_add()


def _bowl() -> bpy.types.Object:
    bowl = demo_meshes.bowl()
    bowl.location = (-0.05, -0.75, 0.0)
    bowl.data.materials.append(matt("Terracotta", (0.48, 0.14, 0.06), 0.5))
    return bowl


def _suzanne() -> bpy.types.Object:
    head = demo_meshes.suzanne(1.0)
    head.location = (0.95, 0.15, 0.0)
    head.rotation_euler.z = radians(-24.0)
    head.data.materials.append(matt("Clay", (0.66, 0.50, 0.36), 0.7))
    return head


def lights() -> None:
    """A studio sky, a key light and a rim light."""
    world = bpy.data.worlds.new("World")
    bpy.context.scene.world = world
    world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    sky = nodes.new("ShaderNodeTexEnvironment")
    folder = Path(bpy.utils.system_resource("DATAFILES", path="studiolights/world"))
    sky.image = bpy.data.images.load(str(folder / "studio.exr"))
    links.new(sky.outputs["Color"], nodes["Background"].inputs["Color"])
    nodes["Background"].inputs["Strength"].default_value = 0.22
    _lamp("Key", (2.8, -2.4, 3.6), 420.0, 0.9, (1.0, 0.92, 0.82))
    _lamp("Rim", (-3.2, 2.0, 2.8), 240.0, 1.0, (0.78, 0.89, 1.0))


def _lamp(name: str, place: Triple, watts: float, size: float, colour: Triple) -> None:
    lamp = bpy.data.lights.new(name, "AREA")
    lamp.energy, lamp.size, lamp.color = watts, size, colour
    obj = bpy.data.objects.new(name, lamp)
    obj.location = place
    obj.rotation_euler = (Vector((0.0, 0.0, 0.4)) - obj.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(obj)


def camera(place: Triple, target: Triple) -> None:
    """The scene's camera, looking at a target."""
    obj = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    obj.data.lens = 50.0
    obj.location = place
    obj.rotation_euler = (Vector(target) - obj.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(obj)
    bpy.context.scene.camera = obj


def matt(name: str, colour: Triple, roughness: float) -> bpy.types.Material:
    """An opaque material."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    inputs = material.node_tree.nodes["Principled BSDF"].inputs
    inputs["Base Color"].default_value = (*colour, 1.0)
    inputs["Roughness"].default_value = roughness
    material.diffuse_color = (*colour, 1.0)
    return material


def glass(name: str, colour: Triple) -> bpy.types.Material:
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
