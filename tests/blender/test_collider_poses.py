"""Where colliders are: meshes and poses that the core is given, held against what Blender shows at each frame."""

import bpy
import numpy as np
import pytest

pytestmark = pytest.mark.blender

#: World matrices have 32 bits: lengths of about 10 are known to 1e-6, rotations to 1e-7 of those.
PLACE = 5e-6


def turned(rotation):
    """Rotation matrices (S,3,3) of unit quaternions (S,4): q v q* written out, independent of the bridge."""
    w, u = rotation[:, 0], rotation[:, 1:]
    cross = np.zeros((len(w), 3, 3))
    cross[:, 0, 1], cross[:, 0, 2], cross[:, 1, 2] = -u[:, 2], u[:, 1], -u[:, 0]
    cross -= cross.transpose(0, 2, 1)
    return (w**2 - (u**2).sum(axis=1))[:, None, None] * np.eye(3) + 2 * (
        np.einsum("si,sj->sij", u, u) + w[:, None, None] * cross
    )


def placed(collider):
    """(S,V,3) vertices of a collider at each frame, in body coordinates [m]."""
    return np.einsum("sij,vj->svi", turned(collider.rotation), collider.mesh.vertices) + collider.position[:, None]


def expected(obj, reading):
    """(V,3) where Blender shows the vertices of an object now, in body coordinates [m]."""
    bpy.context.view_layer.update()
    matrix = np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    local = np.array([vertex.co for vertex in obj.data.vertices])
    world = local @ matrix[:3, :3].T + matrix[:3, 3]
    return reading.source.unit_scale * (world - reading.source.origin)


def volume(mesh):
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def assert_led(collider, obj, reading, frames):
    """The collider is where Blender shows the object at each of the frames."""
    path = placed(collider)
    assert len(path) == len(frames)
    assert np.allclose(np.linalg.norm(collider.rotation, axis=1), 1.0, atol=1e-12)
    assert np.all(np.einsum("si,si->s", collider.rotation[1:], collider.rotation[:-1]) > 0.0), "sign-continuous"
    before = bpy.context.scene.frame_current
    for s, frame in enumerate(frames):
        bpy.context.scene.frame_set(frame)
        assert np.allclose(path[s], expected(obj, reading), atol=PLACE), frame
    bpy.context.scene.frame_set(before)


def sheared(obj):
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1.0, 3.0, 0.5)
    parent.rotation_euler = (0.3, -0.2, 0.9)
    obj.parent = parent
    obj.rotation_euler = (0.7, 0.1, -0.4)


def mirrored(obj):
    obj.scale = (1.0, -2.0, 0.5)
    obj.rotation_euler = (0.7, 0.1, -0.4)


def mirrored_thrice(obj):
    obj.scale = (-1.0, -2.0, -0.5)


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
@pytest.mark.parametrize("place", [lambda obj: None, mirrored, mirrored_thrice, sheared])
def test_a_still_collider_stands_where_blender_shows_it(cube, make_collider, read, place, scale_length):
    bpy.context.scene.unit_settings.scale_length = scale_length
    cube.location = (0.5, 2.0, 1.0)
    wall = make_collider()
    wall.location = (4.0, -3.0, 1.0)
    place(wall)
    bpy.context.view_layer.update()
    reading = read(cube)
    (collider,) = reading.scene.colliders
    assert collider.position.shape == (1, 3) and collider.rotation.shape == (1, 4)
    assert np.array_equal(collider.mesh.turn, np.eye(3))
    assert np.allclose(placed(collider)[0], expected(wall, reading), atol=PLACE * scale_length)
    assert volume(collider.mesh) > 0.0, "faces look outward in the world"


def keyed(obj):
    for frame, x, angle, size in ((1, 0.0, 0.0, 1.0), (4, 3.0, 2.0, 1.0), (9, -2.0, 7.0, 1.0)):
        obj.location.x, obj.rotation_euler.z, obj.scale.y = x, angle, size
        for path in ("location", "rotation_euler", "scale"):
            obj.keyframe_insert(path, frame=frame)


def mirrored_and_keyed(obj):
    obj.scale.x = -1.0
    keyed(obj)


def with_parent(obj):
    parent = bpy.data.objects.new("Arm", None)
    bpy.context.scene.collection.objects.link(parent)
    obj.parent = parent
    obj.location.x = 3.0
    keyed(parent)


def with_constraint(obj):
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(goal)
    keyed(goal)
    obj.constraints.new("COPY_TRANSFORMS").target = goal


def with_driver(obj):
    driver = obj.driver_add("location", 2).driver
    driver.expression = "frame * 0.25"


def with_bone(obj):
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(armature)
    active = bpy.context.view_layer.objects.active
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.new("Bone").tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = active
    obj.parent, obj.parent_type, obj.parent_bone = armature, "BONE", "Bone"
    bone = armature.pose.bones["Bone"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (9, 1.5)):
        bone.rotation_euler.x = angle
        bone.keyframe_insert("rotation_euler", frame=frame)


def with_driven_bone(obj):
    with_bone(obj)
    armature = obj.parent
    armature.animation_data_clear()
    goal = bpy.data.objects.new("Goal", None)
    bpy.context.scene.collection.objects.link(goal)
    keyed(goal)
    armature.pose.bones["Bone"].constraints.new("COPY_ROTATION").target = goal


WAYS = [keyed, mirrored_and_keyed, with_parent, with_constraint, with_driver, with_bone, with_driven_bone]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_moving_collider_is_led_through_the_stored_frames(cube, make_collider, read, way):
    wall = make_collider()
    way(wall)
    scene = bpy.context.scene
    scene.brittle.frames = 7
    scene.frame_set(2)
    reading = read(cube)
    assert reading.start_frame == 2
    (collider,) = reading.scene.colliders
    assert_led(collider, wall, reading, range(2, 9))
    assert not np.allclose(placed(collider)[0], placed(collider)[-1])


def test_the_clock_starts_at_the_frame_of_the_first_hit(cube, make_collider, read):
    wall = make_collider()
    keyed(wall)
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.frame = 5
    bpy.context.scene.brittle.frames = 3
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.001
    reading = read(cube)
    assert (reading.start_frame, reading.scene.clock.frames) == (5, 3)
    assert reading.scene.clock.fps == pytest.approx(60 / 1.001)
    assert_led(reading.scene.colliders[0], wall, reading, (5, 6, 7))


def test_a_still_one_beside_a_moving_one_has_one_pose(cube, make_collider, read):
    keyed(make_collider("Ball"))
    still = make_collider("Still")
    still.keyframe_insert("location", frame=1)  # it may move, but does not
    make_collider("Stone")
    shapes = {item.mesh.name: len(item.position) for item in read(cube).scene.colliders}
    assert shapes == {"Ball": 10, "Still": 1, "Stone": 1}


def test_the_mesh_is_that_of_the_first_frame_with_modifiers_as_in_the_viewport(cube, make_collider, read):
    wall = make_collider()
    wall.shape_key_add(name="Basis")
    key = wall.shape_key_add(name="Long")
    for point in key.data:
        point.co.z *= 2.0
    for frame, value in ((1, 0.0), (9, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    subdivision = wall.modifiers.new("Subdivision", "SUBSURF")
    subdivision.subdivision_type, subdivision.levels, subdivision.render_levels = "SIMPLE", 1, 3
    bpy.ops.brittle.impact_add()
    bpy.data.objects["Impact"].brittle_impact.frame = 9
    (collider,) = read(cube).scene.colliders
    assert len(collider.mesh.vertices) == 26, "a box subdivided once"
    assert np.ptp(collider.mesh.vertices[:, 2]) == pytest.approx(6.0)
    assert bpy.context.scene.frame_current == 1
