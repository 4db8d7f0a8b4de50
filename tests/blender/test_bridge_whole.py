"""What is still whole is the object itself: where it stands, how it is seen, when it gives way to its pieces."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from tests.blender.halves import broken_in_two
from tests.blender.pieces import pieces_of
from tests.blender.thrown import thrown

pytestmark = pytest.mark.blender

START = 5
#: Of matrices that Blender makes anew from a location, a quaternion and a scale of 32 bits each: a dozen roundings.
ROUNDINGS = 12 * np.finfo(np.float32).eps


@pytest.fixture
def shatter(module):
    """Throw, and write what comes of it with the untouched object in front."""

    def run(obj, start=START, **how):
        reading, shattered = thrown(module, obj, **how)
        return reading, shattered, put(module, obj, reading, shattered, start)

    return run


def put(module, obj, reading, shattered, start=START, **how):
    write = module("operators.bridge.write").write
    return write(bpy.context, obj, reading.source, shattered, start, whole=True, **how)


@pytest.fixture
def box():
    bpy.ops.mesh.primitive_cube_add(size=0.3, location=(1.0, 2.0, 0.6))
    bpy.context.object.name = "Box"
    return bpy.context.object


def matrix_of(obj):
    return np.array(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world, np.float64)


def seen(obj):
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert obj.hide_viewport == obj.hide_render == evaluated.hide_viewport == evaluated.hide_render
    return not obj.hide_render


def plain(obj):
    pass


def turned(obj):
    obj.rotation_euler = (0.3, 0.5, 0.7)
    obj.scale = (1.5, 0.5, 1.0)


def mirrored(obj):
    turned(obj)
    obj.scale = (1.5, -0.5, 1.0)


def led_by_a_parent(obj):
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.matrix_world = Matrix.LocRotScale(Vector((0.2, 0.1, 0.3)), Euler((0.1, 1.2, -0.4)), Vector((1.2, 1.2, 1.2)))
    obj.parent = parent
    obj.location.z = 1.2


def sheared(obj):
    led_by_a_parent(obj)
    obj.parent.scale = (0.5, 1.5, 1.0)
    obj.rotation_euler = (0.3, 0.5, 0.7)


def sheared_and_mirrored(obj):
    sheared(obj)
    obj.scale = (1.0, 1.0, -1.0)


PLACES = (plain, turned, mirrored, led_by_a_parent, sheared, sheared_and_mirrored)


@pytest.mark.parametrize("place", PLACES)
def test_it_stands_where_the_object_stood(module, box, place):
    place(box)
    bpy.context.view_layer.update()
    before = matrix_of(box)
    reading = module("operators.bridge.read").read_scene(bpy.context, box, frames=5, ground=None)
    shattered = _unbroken(module, reading, np.array([0.0, 0.3, 0.2]))
    whole = put(module, box, reading, shattered).objects[0]
    local = np.array([vertex.co for vertex in box.data.vertices])
    points = np.array([vertex.co for vertex in whole.data.vertices])
    assert len(whole.data.polygons) == len(box.data.polygons)
    if "sheared" not in place.__name__:
        assert np.array_equal(points, local)
    for s in range(5):
        bpy.context.scene.frame_set(START + s)
        angle = 0.3 * s / 24.0
        lead = Matrix.Rotation(2.0 * angle, 4, "Z")
        centre = Vector(shattered.fragments.centre[0] + reading.source.origin)
        drift = Vector(np.array([0.0, 0.3, 0.2]) * s / 24.0)
        motion = np.array(Matrix.Translation(centre + drift) @ lead @ Matrix.Translation(-centre), np.float64)
        expected = motion @ before
        if "sheared" not in place.__name__:
            assert np.abs(matrix_of(whole) - expected).max() < ROUNDINGS * max(1.0, np.abs(expected).max())
        assert np.allclose(_world(whole, points), _moved(expected, local), rtol=0.0, atol=3.0 * ROUNDINGS)
        assert (np.linalg.det(matrix_of(whole)[:3, :3]) < 0.0) == (np.linalg.det(before[:3, :3]) < 0.0)


def _world(obj, points):
    return _moved(matrix_of(obj), points)


def _moved(matrix, points):
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def _unbroken(module, reading, drift):
    """The object as one fragment that drifts and turns about its centre and never breaks."""
    shattered = broken_in_two(module, reading.scene.mesh)
    cells, body = shattered.diagram.cells, shattered.body
    built = module("core.fragments.build").build_fragments(cells, [np.arange(2)], 1000.0, body)
    shattered.fragments, motion, count = built, shattered.motion, len(shattered.motion.time)
    motion.position = built.centre[None] + motion.time[:, None, None] * drift
    motion.rotation = np.ascontiguousarray(motion.rotation[:, :1])
    shattered.fracture.parent, shattered.fracture.birth = np.array([-1]), np.array([0])
    shattered.fracture.death = np.array([count])
    return shattered


def test_it_is_the_object_in_the_same_clothes(module, box):
    red, own = bpy.data.materials.new("Red"), bpy.data.materials.new("Own")
    for material in (red, None):
        box.data.materials.append(material)
    box.material_slots[1].link = "OBJECT"
    box.material_slots[1].material = own
    box.data.polygons.foreach_set("material_index", np.arange(6, dtype=np.int32) % 2)
    box.data.attributes.new("heat", "FLOAT", "POINT").data.foreach_set("value", np.arange(8, dtype=np.float32))
    box.data.uv_layers.new(name="Second")
    box.data.uv_layers["Second"].active_render = True
    box.vertex_groups.new(name="Top").add([1, 3], 0.5, "REPLACE")
    box.color, box.pass_index, box.visible_shadow, box.is_shadow_catcher = (0.1, 0.2, 0.3, 0.4), 7, False, True
    box.cycles.use_motion_blur, box.display.show_shadows = False, False
    box["age"], box["tint"] = 3.5, [1.0, 2.0]
    box.data.normals_split_custom_set(np.tile([0.0, 0.6, 0.8], (24, 1)))
    reading = module("operators.bridge.read").read_scene(bpy.context, box, frames=5, ground=None)
    whole = put(module, box, reading, _unbroken(module, reading, np.zeros(3))).objects[0]
    assert whole.name == whole.data.name == "Box Whole"
    assert (whole["brittle_fragment"], whole["brittle_parent"]) == (0, -1)
    assert whole["brittle_mass"] == pytest.approx(27.0, rel=1e-6)  # 0.3 m each way at 1000 kg/m^3
    assert [(slot.link, slot.material) for slot in whole.material_slots] == [("DATA", red), ("OBJECT", own)]
    assert [polygon.material_index for polygon in whole.data.polygons] == [0, 1] * 3
    assert [entry.value for entry in whole.data.attributes["heat"].data] == list(range(8))
    assert whole.data.uv_layers["Second"].active_render
    assert [group.name for group in whole.vertex_groups] == ["Top"]
    assert whole.data.vertices[3].groups[0].weight == 0.5
    assert (list(whole.color), whole.pass_index) == (list(box.color), 7)
    assert (whole.visible_shadow, whole.is_shadow_catcher, whole.visible_camera) == (False, True, True)
    assert (whole.cycles.use_motion_blur, whole.display.show_shadows) == (False, False)
    assert (whole["age"], list(whole["tint"])) == (3.5, [1.0, 2.0])
    assert not any(key.startswith("brittle_") and key not in _OURS for key in dict(whole))
    normals = [np.array([entry.vector for entry in item.data.corner_normals]) for item in (box, whole)]
    assert np.array_equal(*normals)


_OURS = {"brittle_mass", "brittle_fragment", "brittle_parent", "brittle_generation"}


def test_a_modifier_and_a_far_frame_are_seen(module, box):
    box.modifiers.new("Bevel", "BEVEL").width = 0.02
    for frame, x in ((1, 0.0), (START, 1.0)):
        box.location.x = x
        box.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(START)
    faces = len(box.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.polygons)
    reading = module("operators.bridge.read").read_scene(bpy.context, box, frames=5, ground=None)
    bpy.context.scene.frame_set(1)
    whole = put(module, box, reading, _unbroken(module, reading, np.zeros(3))).objects[0]
    assert bpy.context.scene.frame_current == 1
    assert not seen(whole)
    assert len(whole.data.polygons) == faces > 6
    assert not whole.modifiers
    bpy.context.scene.frame_set(START)
    assert np.allclose(matrix_of(whole)[:3, 3], (1.0, 2.0, 0.6), rtol=0.0, atol=2.0 * ROUNDINGS)


def test_it_gives_way_to_its_pieces_in_the_frame_of_its_break(shatter, box):
    _, shattered, collection = shatter(box)
    fracture = shattered.fracture
    assert 1 < fracture.death[0] < 16
    assert len(fracture.parent) > 2
    for s in range(-2, 18):
        bpy.context.scene.frame_set(START + s)
        assert seen(box) == (s < 0)
        assert [seen(item) for item in pieces_of(collection)] == _alive(fracture, s)


def _alive(fracture, s):
    """What is there: the last stored frame stays."""
    last = np.where(fracture.death == 16, 99, fracture.death)
    return ((fracture.birth <= s) & (s < last)).tolist()


def test_pieces_that_break_again_are_swapped_one_by_one(shatter, box):
    _, shattered, collection = shatter(box, kind="uniform", velocity=(0.5, 0.0, -6.0), generations=3, smallest=0.0)
    fracture = shattered.fracture
    again = np.flatnonzero((fracture.death < 16) & (fracture.parent >= 0))
    assert len(again)
    for number in again:
        born = fracture.parent == number
        assert np.count_nonzero(born) > 1
        assert np.all(fracture.birth[born] == fracture.death[number])
    for s in range(17):
        bpy.context.scene.frame_set(START + s)
        assert [seen(item) for item in pieces_of(collection)] == _alive(fracture, s)


def test_what_never_breaks_just_stands_there(shatter, box):
    box.location.z = 0.15
    _, shattered, collection = shatter(box, spin=(0, 0, 0), velocity=(0, 0, 0), speed=50.0)
    assert shattered.fracture.death.tolist() == [16]
    before = np.array(box.matrix_world)
    for frame in (START, START + 15, START + 100):
        bpy.context.scene.frame_set(frame)
        assert seen(pieces_of(collection)[0])
        # It has come to rest on the floor on which it stood, at most a contact's depth of 1e-3 of its size away.
        assert np.allclose(matrix_of(pieces_of(collection)[0]), before, atol=1e-3 * 0.3)


def test_parts_that_are_kept_are_shown_as_cut(module, box):
    reading = module("operators.bridge.read").read_scene(bpy.context, box, frames=5, ground=None)
    collection = put(module, box, reading, broken_in_two(module, reading.scene.mesh))
    assert [item.name for item in pieces_of(collection)] == ["Box Fragment 001", "Box Fragment 002"]
    assert all("brittle_inner" in item.data.attributes for item in pieces_of(collection))


def test_restoring_leaves_no_trace(module, shatter, box):
    def census():
        return {
            name: len(getattr(bpy.data, name)) for name in ("objects", "meshes", "actions", "collections", "materials")
        }

    before = census()
    _, _, collection = shatter(box)
    assert pieces_of(collection)[0].name == "Box Whole"
    _, _, collection = shatter(box)  # a second time: what was made is replaced
    assert pieces_of(collection)[0].name == "Box Whole"
    module("operators.bridge.restore").restore(box)
    assert census() == before
    assert seen(box)


def test_an_origin_far_away_does_not_make_it_sway(module, box):
    """Blender moves origins straight from key to key; the middle of a box that turns about itself stays."""
    box.data.transform(Matrix.Translation((6.0, 0.0, 0.0)))
    box.location = (-5.0, 2.0, 0.6)
    bpy.context.view_layer.update()
    reading = module("operators.bridge.read").read_scene(bpy.context, box, frames=5, ground=None)
    shattered = _unbroken(module, reading, np.zeros(3))
    angle = 0.1 * np.arange(5.0)
    shattered.motion.rotation[:, 0, 0], shattered.motion.rotation[:, 0, 3] = np.cos(angle), np.sin(angle)
    whole = put(module, box, reading, shattered).objects[0]
    size = 0.3 * np.sqrt(3.0)
    for frame in np.linspace(START, START + 4, 41):
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        middle = _world(whole, np.array([[6.0, 0.0, 0.0]]))[0]
        # Without keys in between: 6 m * 0.2^2 / 8, a tenth of the box's edge.
        assert np.linalg.norm(middle - (1.0, 2.0, 0.6)) < 1.1e-3 * size
