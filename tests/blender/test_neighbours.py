"""Breaking an object changes nothing of any other, and Restore brings it back by a bit, whatever it has in common."""

import bpy
import pytest

from tests.blender.fingerprint import broken, differences, fingerprint
from tests.blender.pieces import pieces_of

#: Frame of the break.
BREAK = 5


def moved(obj):
    """Keys that move an object, in an Action of its own."""
    for frame, x in ((1, 0.0), (30, 3.0)):
        obj.location.x = x
        obj.keyframe_insert("location", frame=frame)
    return obj.animation_data


def copy_of(obj, name="Copy"):
    """Alt+D: another object with the same mesh, and the same Action and slot."""
    other = obj.copy()
    other.name = name
    other.delta_location.y = 5.0
    bpy.context.scene.collection.objects.link(other)
    other.select_set(False)
    return other


def driven(obj, kind, expression="hidden", path="hide_render"):
    """The object's visibility ruled by a custom property."""
    obj["hidden"] = 0.0
    driver = obj.driver_add(path).driver
    variable = driver.variables.new()
    variable.name, variable.targets[0].id, variable.targets[0].data_path = "hidden", obj, '["hidden"]'
    driver.type = kind
    if kind == "SCRIPTED":
        driver.expression = expression
    return driver


def collection(name, *objects, parent=None):
    result = bpy.data.collections.new(name)
    for obj in objects:
        result.objects.link(obj)
    if parent is not None:
        parent.children.link(result)
    return result


def shared_action(cube):
    moved(cube)
    copy_of(cube)


def another_slot(cube):
    other = copy_of(cube)
    action = moved(cube).action
    other.animation_data_create().action = action
    other.animation_data.action_slot = action.slots.new(id_type="OBJECT", name="Other")
    other.keyframe_insert("rotation_euler", frame=3)


def own_visibility(cube):
    moved(cube).action.use_fake_user = True
    cube.hide_render = True
    cube.keyframe_insert("hide_render", frame=1)
    cube.hide_render = False
    cube.keyframe_insert("hide_render", frame=2)
    curve = next(item for item in bag_of(cube).fcurves if item.data_path == "hide_render")
    curve.color_mode, curve.color = "CUSTOM", (1.0, 0.0, 0.5)


def bag_of(obj):
    animation = obj.animation_data
    return animation.action.layers[0].strips[0].channelbag(animation.action_slot)


def without_slot(cube):
    moved(cube).action_slot = None


def strips(cube):
    animation = moved(cube)
    action, slot = animation.action, animation.action_slot
    strip = animation.nla_tracks.new().strips.new("Moves", 1, action)
    strip.action_slot = slot
    animation.action = None
    animation.action_blend_type, animation.action_influence = "ADD", 0.5
    copy_of(cube)


def drivers(cube):
    driven(cube, "SCRIPTED", "hidden > 0.5 or frame < 2")
    driven(cube, "AVERAGE", path="hide_viewport")
    other = copy_of(cube)
    other.driver_add("location", 2).driver.variables.new().targets[0].id = cube


def mapped_driver(cube):
    driver = driven(cube, "SCRIPTED", "hidden + 0")
    curve = cube.animation_data.drivers.find("hide_render")
    curve.keyframe_points.insert(0.0, 0.0)
    curve.keyframe_points.insert(1.0, 0.25)
    assert driver.is_valid


def constraints(cube):
    other = copy_of(cube, "Follower")
    other.constraints.new("COPY_LOCATION").target = cube
    other.modifiers.new("Cut", "BOOLEAN").object = cube
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.dof.focus_object = cube
    bpy.context.scene.collection.objects.link(camera)


def collections(cube):
    scene = bpy.context.scene
    scene.collection.objects.unlink(cube)
    off = collection("Backup", cube, parent=scene.collection)
    collection("Set", cube, parent=scene.collection)
    bpy.context.view_layer.layer_collection.children[off.name].exclude = True
    scene.view_layers.new("Other").layer_collection.children["Set"].exclude = True


def instanced(cube):
    crates = collection("Crates", cube)
    instancer = bpy.data.objects.new("Instancer", None)
    instancer.instance_type, instancer.instance_collection = "COLLECTION", crates
    bpy.context.scene.collection.objects.link(instancer)


def used_by_others(cube):
    scene = bpy.context.scene
    scene.collection.objects.unlink(cube)
    operands = collection("Operands", cube, parent=scene.collection)
    other = copy_of(cube, "Cut")
    cut = other.modifiers.new("Cut", "BOOLEAN")
    cut.operand_type, cut.collection = "COLLECTION", operands
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    scene.collection.objects.link(lamp)
    lamp.light_linking.receiver_collection = collection("Lit", cube, other)
    lamp.light_linking.receiver_collection.collection_objects[0].light_linking.link_state = "EXCLUDE"


def two_scenes(cube):
    other = bpy.data.scenes.new("Other")
    collection("There", cube, parent=other.collection)
    moved(cube)


def shared_mesh(cube):
    cube.data.materials.append(bpy.data.materials.new("Stone"))
    other = copy_of(cube, "Anvil")
    other.brittle.collider = True
    other.material_slots[0].link = "OBJECT"
    other.material_slots[0].material = bpy.data.materials.new("Iron")


SETUPS = [
    *(shared_action, another_slot, own_visibility, without_slot, strips, drivers, mapped_driver, constraints),
    *(collections, instanced, used_by_others, two_scenes, shared_mesh),
]


@pytest.mark.parametrize("prepare", SETUPS, ids=lambda prepare: prepare.__name__)
def test_nothing_else_changes_and_restore_brings_back_every_bit(cube, prepare):
    scene = bpy.context.scene
    prepare(cube)
    scene.frame_set(BREAK)
    everything, others = fingerprint(), fingerprint(but=broken(cube))
    for _ in range(2):  # the second time in place of the first
        bpy.ops.brittle.shatter(seed=1)
        check_same(others, fingerprint(but=broken(cube)))
        check_what_is_seen(cube)
        check_same(others, fingerprint(but=broken(cube)))
    bpy.ops.brittle.restore()
    check_same(everything, fingerprint(), but=".brittle.")


def check_same(before, after, but=""):
    """No difference between two fingerprints, except in lines with a word."""
    lines = [line for line in differences(before, after) if not but or but not in line]
    assert not lines, "\n".join(lines[:30])


def check_what_is_seen(cube):
    """The object before the break, all pieces from it on; in renders as well."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    pieces = pieces_of(next(item for item in bpy.data.collections if item.get("brittle_source") == cube))
    for frame in (BREAK - 1, BREAK, BREAK + 3, BREAK):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        whole = frame < BREAK
        assert cube.visible_get(view_layer=layer) is whole
        assert {item.visible_get(view_layer=layer) for item in pieces} == {not whole}
        assert cube.evaluated_get(graph).hide_render is not whole
        assert {item.evaluated_get(graph).hide_render for item in pieces} == {whole}


def test_pieces_are_wherever_the_object_was(cube):
    """In each view layer and scene, in instances, and in the light."""
    instanced(cube)
    used_by_others(cube)
    two_scenes(cube)
    bpy.context.scene.collection.objects.link(cube)
    layer = bpy.context.scene.view_layers.new("Other")
    shown = bpy.data.collections["Lit"]
    bpy.ops.brittle.shatter(seed=1)
    pieces = next(item for item in bpy.data.collections if item.get("brittle_source") == cube)
    homes = {item.name for item in bpy.data.collections if pieces.name in item.children}
    assert homes == {"Crates", "Lit", "There"}
    assert all(item.visible_get(view_layer=layer) for item in pieces.objects)
    assert set(pieces.objects) <= set(bpy.data.scenes["Other"].objects)
    links = dict(zip(shown.children, shown.collection_children, strict=True))
    assert links[pieces].light_linking.link_state == "EXCLUDE"


def test_what_an_artist_does_to_a_copied_action_is_kept(cube):
    other = (moved(cube), copy_of(cube))[1]
    action = cube.animation_data.action
    bpy.ops.brittle.shatter(seed=1)
    assert cube.animation_data.action != action == other.animation_data.action
    cube.keyframe_insert("rotation_euler", frame=2)
    bpy.ops.brittle.restore()
    assert cube.animation_data.action != action == other.animation_data.action
    assert {curve.data_path for curve in bag_of(cube).fcurves} == {"location", "rotation_euler"}
    bpy.ops.brittle.shatter(seed=1)
    bpy.ops.brittle.restore()
    assert {curve.data_path for curve in bag_of(cube).fcurves} == {"location", "rotation_euler"}
    assert len(bpy.data.actions) == 2


def test_restore_takes_the_pieces_of_pieces(cube, module):
    shatter = module("operators.shatter").shatter_object
    before = fingerprint()
    piece = max(pieces_of(shatter(bpy.context, cube, seed=1).fragments), key=lambda item: item["brittle_mass"])
    inner = shatter(bpy.context, piece, count=4, seed=2).fragments
    bpy.context.scene.collection.objects.link(inner.objects[0])
    bpy.context.view_layer.objects.active = cube
    bpy.ops.brittle.restore()
    check_same(before, fingerprint(), but=".brittle.")


def linked_asset(tmp_path, prepare=moved, override=True):
    """A collection with a cube, linked from another file; with its override where that is wanted."""
    path = str(tmp_path / "asset.blend")
    bpy.ops.mesh.primitive_cube_add(location=(0.0, 0.0, 1.0))
    asset = collection("Asset", bpy.context.object)
    prepare(bpy.context.object)
    bpy.data.libraries.write(path, {asset})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["Asset"]
    scene = bpy.context.scene
    scene.collection.children.link(wanted.collections[0])
    bpy.context.view_layer.update()
    if override:
        wanted.collections[0].override_hierarchy_create(scene, bpy.context.view_layer)
        scene.collection.children.unlink(wanted.collections[0])
        bpy.context.view_layer.update()
    obj = next(item for item in scene.objects if (item.override_library is not None) is override)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    obj.brittle.voronoi.count = 8
    scene.brittle.frames = 5
    scene.frame_set(BREAK)
    return obj


def test_an_override_of_a_linked_object_breaks_and_outlives_the_file(tmp_path):
    obj = linked_asset(tmp_path)
    before = fingerprint(but=broken(obj))
    action = obj.animation_data.action
    assert action.library is not None
    bpy.ops.brittle.shatter(seed=1)
    check_same(before, fingerprint(but=broken(obj)))
    check_what_is_seen(obj)
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = next(item for item in bpy.context.scene.objects if item.override_library)
    check_what_is_seen(obj)
    bpy.context.view_layer.objects.active = obj
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert obj.animation_data.action.library is not None and not obj.hide_render
    assert obj.visible_get() and not [item for item in bpy.data.objects if "brittle_fragment" in item]
    assert len(bpy.data.actions) == 1


def test_what_a_library_rules_for_good_is_refused(tmp_path):
    """Blender takes drivers of an override from the library again whenever the file is opened."""
    linked_asset(tmp_path, lambda cube: driven(cube, "SCRIPTED"))
    before = fingerprint()
    with pytest.raises(RuntimeError, match="visibility is driven, for good: make it local"):
        bpy.ops.brittle.shatter(seed=1)
    check_same(before, fingerprint())


def test_nothing_breaks_and_nothing_is_restored_while_a_strip_is_edited(cube):
    """Blender lets nobody change which Action an object follows then."""

    def edit(on):
        track = cube.animation_data.nla_tracks[0]
        track.select = track.strips[0].select = on
        cube.animation_data.nla_tracks.active = track if on else None
        cube.animation_data.use_tweak_mode = on
        assert cube.animation_data.use_tweak_mode is on

    strips(cube)
    bpy.context.scene.frame_set(BREAK)
    for refused, sentence in (
        (bpy.ops.brittle.shatter, "strip that is being edited"),
        (bpy.ops.brittle.restore, "NLA"),
    ):
        edit(True)
        before = fingerprint()
        with pytest.raises(RuntimeError, match=f"(?s){sentence}.*Tab") as told:
            refused()
        assert "Traceback" not in str(told.value)
        check_same(before, fingerprint())
        edit(False)
        bpy.ops.brittle.shatter(seed=1)
    bpy.ops.brittle.restore()
