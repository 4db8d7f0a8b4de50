"""Reading: body coordinates, corner tables, blows, and the sentences that refuse."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from tests.blender.places import in_world_axes

pytestmark = pytest.mark.blender


@pytest.fixture
def read(module):
    return module("operators.bridge.read")


def link(name, mesh, matrix=None):
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    if matrix is not None:
        obj.matrix_world = matrix
    bpy.context.view_layer.update()
    return obj


def cube(name="Cube", matrix=None):
    vertices = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    return link(name, mesh, matrix)


def signed_volume(mesh):
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def read_mesh(read, obj):
    return read.read_mesh(obj, bpy.context.evaluated_depsgraph_get(), bpy.context.scene.unit_settings.scale_length)


TURN = Euler((0.3, 0.5, 0.7))


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 3, 0.5), (-2, 3, 0.5), (2, 3, -0.5), (-1, -1, -1), (-1, 1, -1)])
@pytest.mark.parametrize("turn", [Euler(), TURN], ids=["straight", "turned"])
def test_body_coordinates_are_world_axes_and_look_outward(read, module, turn, scale):
    obj = cube(matrix=Matrix.LocRotScale(Vector((7, -5, 3)), turn, Vector(scale)))
    mesh, source = read_mesh(read, obj)
    # |det| of the scale times the cube's 8.
    assert signed_volume(mesh) == pytest.approx(8.0 * abs(np.prod(scale)), rel=1e-6)
    world = np.array([obj.matrix_world @ v.co for v in obj.data.vertices])
    vertices = in_world_axes(mesh)
    assert np.allclose(vertices + source.origin, world, atol=1e-6)
    assert np.allclose(source.origin, (7, -5, 3))
    body = module("core.intake.ladder").intake(mesh).body
    assert np.allclose(body.vertices, vertices, atol=1e-15 * 8)
    assert np.array_equal(body.triangles, mesh.triangles)
    # Corner k of a triangle is corner k of the tables.
    loops = np.array([loop.vertex_index for loop in obj.data.loops])
    assert np.array_equal(loops[source.triangle_loop], mesh.triangles)
    # The normals of a flat cube are those of its triangles, also mirrored and squeezed.
    a, b, c = (vertices[mesh.triangles[:, k]] for k in range(3))
    flat = np.cross(b - a, c - a)
    flat /= np.linalg.norm(flat, axis=1)[:, None]
    assert np.allclose(source.normal[source.triangle_loop], flat[:, None], atol=1e-6)
    assert not source.shaded


@pytest.mark.parametrize("scale", [(1, 1, 1), (0.1, 3, 0.7), (0.1, -3, 0.7)])
def test_what_is_level_in_the_object_stays_level_to_the_bit(read, scale):
    """Vertices are in the object's own axes, with its scale: 8 corners take 2 values along each axis."""
    obj = cube(matrix=Matrix.LocRotScale(Vector((7, -5, 3)), TURN, Vector(scale)))
    mesh, _ = read_mesh(read, obj)
    assert [len(np.unique(mesh.vertices[:, k])) for k in range(3)] == [2, 2, 2]
    assert np.allclose(np.ptp(mesh.vertices, axis=0), 2.0 * np.abs(scale), rtol=1e-6)
    assert np.linalg.det(mesh.turn) == pytest.approx(1.0, abs=1e-6)
    assert np.allclose(mesh.turn @ mesh.turn.T, np.eye(3), atol=1e-6)


def test_an_object_that_is_not_turned_needs_no_turn(read, module):
    for scale in ((1, 1, 1), (3, 0.1, 0.7), (-3, 0.1, 0.7)):
        obj = cube()
        obj.location, obj.scale = (7, -5, 3), scale
        bpy.context.view_layer.update()
        mesh, _ = read_mesh(read, obj)
        assert np.array_equal(mesh.turn, np.eye(3))
        assert module("core.geometry.mesh").rotated(mesh.vertices, mesh.turn) is mesh.vertices


@pytest.mark.parametrize("scale", [(4, 1, 1), (4, -1, 1)])
def test_what_a_parent_has_sheared_is_in_world_axes(read, scale):
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = scale
    obj = cube()
    obj.parent, obj.rotation_euler = parent, TURN
    bpy.context.view_layer.update()
    mesh, source = read_mesh(read, obj)
    assert np.array_equal(mesh.turn, np.eye(3))
    world = np.array([obj.matrix_world @ v.co for v in obj.data.vertices])
    assert np.allclose(mesh.vertices + source.origin, world, atol=1e-6)
    assert signed_volume(mesh) == pytest.approx(32.0, rel=1e-6)


def test_an_object_without_height_is_read_as_it_is(read):
    obj = cube()
    obj.rotation_euler, obj.scale = TURN, (1, 2, 0)
    bpy.context.view_layer.update()
    mesh, source = read_mesh(read, obj)
    assert np.isfinite(mesh.vertices).all()
    assert signed_volume(mesh) == pytest.approx(0.0, abs=1e-6)
    # What lies in its plane has the coordinates that it had there.
    there = in_world_axes(mesh) @ source.rest.position[:3] + source.rest.position[3]
    assert np.allclose(there, [(*v.co[:2], 0.0) for v in obj.data.vertices], atol=1e-6)


def test_unit_scale_and_parents_count(read):
    bpy.context.scene.unit_settings.scale_length = 0.01
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.scale = (10, 0, 0), (2, 2, 2)
    obj = cube()
    obj.parent = parent
    bpy.context.view_layer.update()
    mesh, source = read_mesh(read, obj)
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([0.04] * 3)  # 2 units x scale 2 x 0.01 m
    assert np.allclose(source.origin, (10, 0, 0))


def test_modifiers_and_shape_keys_are_read(read):
    obj = cube()
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="Tall")
    for point in key.data:
        point.co.z *= 3.0
    key.value = 1.0
    obj.modifiers.new("Array", "ARRAY")
    bpy.context.view_layer.update()
    mesh, _ = read_mesh(read, obj)
    assert len(mesh.triangles) == 24
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx([4.0, 2.0, 6.0])


def test_triangle_edges_name_the_edges_of_the_mesh(read):
    obj = cube(matrix=Matrix.Diagonal((-1, 1, 1, 1)))
    mesh, source = read_mesh(read, obj)
    assert (source.triangle_edge >= 0).sum() == 24  # each of 6 quads: 4 edges; its diagonal twice -1
    for row, edges in zip(mesh.triangles, source.triangle_edge, strict=True):
        for k, edge in enumerate(edges):
            if edge >= 0:
                assert set(obj.data.edges[edge].vertices) == {row[k], row[(k + 1) % 3]}


def test_an_object_hidden_by_keys_is_read_with_its_modifiers(read):
    obj = cube()
    obj.modifiers.new("Array", "ARRAY")
    obj.keyframe_insert("hide_viewport", frame=1)
    obj.hide_viewport = True
    obj.keyframe_insert("hide_viewport", frame=5)
    bpy.context.scene.frame_set(10)
    assert obj.hide_viewport
    mesh, _ = read_mesh(read, obj)
    assert len(mesh.triangles) == 24


def test_what_is_hidden_is_refused(read, module):
    obj = cube()
    obj.hide_viewport = True
    bpy.context.view_layer.update()
    with pytest.raises(module("core.errors").InputError, match="show it in the viewport"):
        read.read_scene(bpy.context, obj, frames=2, ground=None)


def add_impact(name, location, direction=(0, 0, -1), parent=None, **settings):
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    empty.rotation_euler = Vector(direction).to_track_quat("Z", "Y").to_euler()
    empty.location = location
    empty.parent = parent
    empty.brittle_impact.is_impact = True
    for key, value in settings.items():
        setattr(empty.brittle_impact, key, value)
    bpy.context.view_layer.update()
    return empty


def test_impacts_in_body_coordinates_and_in_time(read):
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.5
    scene.render.fps, scene.render.fps_base = 30, 1.5
    scene.frame_set(10)
    obj = cube(matrix=Matrix.Translation((0, 0, 4)))
    add_impact("Late", (1, 0, 4), (-1, 0, 0), frame=25, strength=0.3, speed=2.0, radius=0.7)
    add_impact("Passed", (0, 0, 5.0), frame=3)
    add_impact("Far", (50, 0, 4))
    add_impact("Plain", (1, 1, 4)).brittle_impact.is_impact = False
    reading = read.read_scene(bpy.context, obj, frames=7, ground=0.0)
    assert reading.start_frame == 3, "a hit that has passed keeps its frame"
    first, late = reading.scene.impacts
    assert first.point == pytest.approx([0, 0, 0.5])
    assert first.direction == pytest.approx([0, 0, -1], abs=1e-6)
    assert late.point == pytest.approx([0.5, 0, 0])
    assert late.direction == pytest.approx([-1, 0, 0], abs=1e-6)
    assert (late.strength, late.speed, late.radius) == (0.3, 1.0, 0.35)
    assert (first.time, late.time) == (0.0, pytest.approx(22 / 20))
    assert reading.scene.clock.fps == pytest.approx(20)
    assert reading.scene.clock.frames == 7
    assert reading.scene.ground.height == pytest.approx(-2.0)  # 4 units of half a metre below the origin
    assert reading.scene.gravity == pytest.approx([0, 0, -9.81 / 2], rel=1e-6)


def test_impacts_of_another_object_are_not_taken(read):
    obj, other = cube("A"), cube("B")
    add_impact("Of B", (0, 0, 1), parent=other)
    assert len(read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts) == 1
    reading = read.read_scene(bpy.context, other, frames=2, ground=None)
    assert reading.scene.impacts[0].point == pytest.approx([0, 0, 1])
    assert reading.scene.ground is None


def test_without_impacts_the_blow_comes_from_the_viewer(read):
    """Seen from the front: slanted to the right and down, through the middle of the object."""
    scene = bpy.context.scene
    scene.use_gravity = False
    scene.frame_set(42)
    obj = cube(matrix=Matrix.Translation((5, 0, 0)))
    reading = read.read_scene(bpy.context, obj, frames=2, ground=None)
    (impact,) = reading.scene.impacts
    x, y, z = impact.direction
    assert y > 0.8 and x > 0.2 and -0.5 < z < -0.1
    assert impact.point == pytest.approx(np.array([-x, -y, -z]) / y, abs=1e-6)  # on the face at y = -1
    assert reading.start_frame == 42
    assert not reading.scene.gravity.any()


def turned_viewer(read, angle):
    """The direction of the blow where the camera has gone round the object by an angle."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    turn = Euler((0.4 * np.pi, 0.0, angle))
    camera.matrix_world = Matrix.LocRotScale(turn.to_matrix() @ Vector((0.0, 0.0, 9.0)), turn, None)
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    bpy.context.view_layer.update()
    (impact,) = read.read_scene(bpy.context, bpy.context.object, frames=2, ground=None).scene.impacts
    return impact.direction


def test_the_blow_turns_with_the_camera_and_looking_down_counts_what_is_up(read):
    bpy.context.view_layer.objects.active = cube()
    front = turned_viewer(read, 0.0)
    assert turned_viewer(read, np.pi / 2) == pytest.approx([-front[1], front[0], front[2]], abs=1e-6)
    bpy.context.scene.camera.matrix_world = Matrix.Translation((0.0, 0.0, 9.0))
    bpy.context.view_layer.update()
    (impact,) = read.read_scene(bpy.context, bpy.context.object, frames=2, ground=None).scene.impacts
    assert impact.direction == pytest.approx(front, abs=1e-6)


def test_the_cursor_is_hit_where_it_is_on_the_surface(read):
    scene = bpy.context.scene
    obj = cube(matrix=Matrix.LocRotScale(Vector((5, 0, 0)), Euler((0, 0, np.pi / 4)), Vector((1, 1, 1))))
    scene.cursor.location = (5, -np.sqrt(2.0), 0.3)  # the edge that looks at the front
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    assert impact.point == pytest.approx([0, -np.sqrt(2.0), 0.3], abs=1e-6)
    # The face that looks away is hit inwards all the same.
    scene.cursor.location = (5 + np.sqrt(0.5), np.sqrt(0.5), 0.3)
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    assert impact.point == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0.3], abs=1e-6)
    assert impact.direction @ np.array([-1.0, -1.0, 0.0]) / np.sqrt(2.0) >= 0.7 - 1e-9
    # Beside the surface it does not count.
    scene.cursor.location = (5, 9, 0)
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    assert impact.point[1] < 0.0
    # An impact without an owner is near enough by the box in the world, which is wider than the cube's own.
    near = add_impact("Near", (5 + 1.5, 0, 0), (-1, 0, 0))
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    assert impact.direction == pytest.approx([-1, 0, 0], abs=1e-6)
    near.location.x = 5 + 9
    bpy.context.view_layer.update()
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    assert impact.direction[1] > 0.8
    # Nobody has put it at the world's origin, on which things stand.
    scene.cursor.location = (0, 0, 0)
    obj.matrix_world = Matrix.Translation((0, 0, 1))
    bpy.context.view_layer.update()
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    assert impact.point[1] == pytest.approx(-1.0, abs=1e-6)
    assert abs(impact.point[2]) < 0.3, "it is hit at its middle, not from below"


@pytest.mark.parametrize("size", [0.02, 2.0, 20.0])
def test_the_speed_of_a_blow_fits_the_size_of_the_object(read, size):
    """It goes with the root of the size, as the speed of a fall does (v^2 = 2 g h): all sizes move alike."""
    obj = cube(matrix=Matrix.Scale(size / 2.0, 4))
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    # Behind the point lie one edge of matter over the cosine of the slant, 1/sqrt(3) of it in diagonals.
    factor = 5.0 + 10.0 / (np.sqrt(3.0) * impact.direction[1])
    assert impact.speed**2 / (9.80665 * size * np.sqrt(3.0)) == pytest.approx(factor**2, rel=1e-5)
    obj.brittle.blow.speed, obj.brittle.blow.strength, obj.brittle.blow.radius = 3.0, 2.0, 0.5
    (impact,) = read.read_scene(bpy.context, obj, frames=2, ground=None).scene.impacts
    assert (impact.speed, impact.strength, impact.radius) == (3.0, 2.0, 0.5)


def test_a_mesh_far_from_its_objects_origin_keeps_its_digits(read):
    # Modelled 500 m away: body coordinates start at the middle of the mesh, and pieces land where they were.
    obj = cube(matrix=Matrix.LocRotScale(Vector((7, 0, 0)), Euler((0.0, 0.0, 0.5)), Vector((2, 2, 2))))
    obj.data.transform(Matrix.Translation((500.0, -300.0, 100.0)))
    bpy.context.view_layer.update()
    mesh, source = read_mesh(read, obj)
    assert np.abs(mesh.vertices).max() < 3.0
    world = np.array([obj.matrix_world @ v.co for v in obj.data.vertices])
    assert np.allclose(in_world_axes(mesh) + source.origin, world, atol=1e-3)  # matrix_world has 32 bits
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.context.scene.brittle.frames = 2
    obj.brittle.cubes.count, obj.brittle.pieces = 27, "cubes"  # walls along the faces: the hardest case for round-off
    bpy.context.scene.cursor.location = world[0]
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    pieces = [item for item in bpy.data.objects if "brittle_fragment" in item]
    rest = np.concatenate([np.array([item.vector for item in p.data.attributes["rest_position"].data]) for p in pieces])
    local = np.array([v.co for v in obj.data.vertices])
    assert np.allclose(rest.min(axis=0), local.min(axis=0), atol=1e-4)
    assert np.allclose(rest.max(axis=0), local.max(axis=0), atol=1e-4)


def test_reading_goes_in_steps_that_are_as_many_as_the_mesh_is_large(cube, read, module, monkeypatch):
    affine, chunk = module("core.geometry.affine"), 4
    monkeypatch.setattr(affine, "TRIANGLES_AT_ONCE", chunk)
    job = read.read_steps(bpy.context, cube, frames=2, ground=None)
    steps = []
    while True:
        try:
            steps.append(next(job))
        except StopIteration as end:
            reading = end.value
            break
    assert len(steps) == 1 + len(reading.scene.mesh.triangles) // chunk
    assert len(np.unique(reading.scene.mesh.polygon)) == 6
