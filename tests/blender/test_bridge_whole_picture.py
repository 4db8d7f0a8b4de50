"""Until its break a body looks as the object does, pixel for pixel."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from tests.blender.thrown import thrown

pytestmark = pytest.mark.blender

START = 5


@pytest.fixture
def stage(tmp_path):
    """A camera, a lamp and a floor; returns what renders a frame in 32 bits."""
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device = "CYCLES", "CPU"
    scene.cycles.samples, scene.cycles.seed, scene.cycles.use_denoising = 2, 7, False
    scene.render.resolution_x = scene.render.resolution_y = 64
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "SUN"))
    camera.location, camera.rotation_euler = (0.0, -1.6, 1.0), (1.3, 0.0, 0.0)
    lamp.rotation_euler, lamp.data.energy = (0.6, 0.4, 0.0), 3.0
    for obj in (camera, lamp):
        scene.collection.objects.link(obj)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("World")

    def picture(frame):
        scene.frame_set(frame)
        scene.render.filepath = str(tmp_path / f"{frame}.exr")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        pixels = np.array(image.pixels[:]).reshape(64, 64, 4)
        bpy.data.images.remove(image)
        return pixels

    return picture


def vase(matrix):
    """A smooth body whose colour comes from object, generated and texture coordinates."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=6, radius=0.3)
    obj = bpy.context.object
    obj.data.polygons.foreach_set("use_smooth", np.full(len(obj.data.polygons), True))
    material = bpy.data.materials.new("Paint")
    if material.node_tree is None:  # before Blender 5.0
        material.use_nodes = True
    tree = material.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    place = tree.nodes.new("ShaderNodeTexCoord")
    total = tree.nodes.new("ShaderNodeVectorMath")
    noise = tree.nodes.new("ShaderNodeTexNoise")
    tree.links.new(place.outputs["Object"], total.inputs[0])
    tree.links.new(place.outputs["Generated"], total.inputs[1])
    tree.links.new(total.outputs[0], noise.inputs["Vector"])
    tree.links.new(noise.outputs["Color"], shader.inputs["Base Color"])
    tree.links.new(place.outputs["UV"], shader.inputs["Emission Color"])
    shader.inputs["Emission Strength"].default_value = 0.3
    obj.data.materials.append(material)
    obj.parent = bpy.data.objects.new("Parent", None)  # alone, an object has no shear
    obj.matrix_parent_inverse = matrix
    bpy.context.view_layer.update()
    return obj


STRAIGHT = Matrix.Translation((0.05, 0.1, 0.75))
TURNED = Matrix.LocRotScale(Vector((0.05, 0.1, 0.75)), Euler((0.3, 0.5, 0.7)), Vector((1.2, -0.8, 1.0)))


#: What a turned parent shears goes into the mesh.
SHEARED = Matrix.Translation((0.05, 0.1, 0.75)) @ Matrix.Diagonal((1.0, 1.0, 0.7, 1.0)) @ Matrix.Rotation(0.6, 4, "X")


@pytest.mark.parametrize("matrix", [STRAIGHT, TURNED, SHEARED], ids=["straight", "turned", "sheared"])
def test_the_frame_before_the_break_shows_the_intact_object(module, stage, matrix):
    obj = vase(matrix)
    # It hangs still until it is let go: so the object itself shows what every frame before its break must look like.
    reading, shattered = thrown(module, obj, frames=16, spin=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, -1.0))
    death = int(shattered.fracture.death[0])
    assert 2 < death < 16
    still = shattered.motion.position.copy(), shattered.motion.rotation.copy()
    still[0][:death, 0], still[1][:death, 0] = still[0][0, 0], still[1][0, 0]
    for values, name in zip(still, ("position", "rotation"), strict=True):
        object.__setattr__(shattered.motion, name, values)
    intact = stage(START + death - 1)
    module("operators.bridge.write").write(bpy.context, obj, reading.source, shattered, START, whole=True)
    before, after = stage(START + death - 1), stage(START + death)
    assert np.ptp(intact[..., :3]) > 0.2
    if matrix is STRAIGHT:
        assert np.array_equal(before, intact)
    else:
        # Another way to the same matrix has other roundings, which may send a ray past an edge: a pixel in a thousand.
        assert np.count_nonzero(np.abs(before - intact).max(axis=2) > 1e-4) <= 4
    assert np.count_nonzero(np.abs(after - intact).max(axis=2) > 1e-2) > 100
