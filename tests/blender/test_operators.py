"""Shatter, Restore and Add Impact: what they make, what they leave alone, and that the operator equals the API."""

import json
import math

import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of


def fragments_of(obj):
    return sorted(pieces_of(bpy.data.collections[f"{obj.name} Fragments"]), key=lambda fragment: fragment.name)


def geometry(obj):
    """Name and vertices of each fragment."""
    result = {}
    for fragment in fragments_of(obj):
        vertices = np.empty(3 * len(fragment.data.vertices), np.float32)
        fragment.data.vertices.foreach_get("co", vertices)
        result[fragment.name] = vertices.tobytes()
    return result


def curves(obj):
    """Keys of all fragments: the bytes of each curve by slot, path and index."""
    result = {}
    for action in bpy.data.actions:
        for layer in action.layers:
            for bag in layer.strips[0].channelbags:
                for curve in bag.fcurves:
                    keys = np.empty(2 * len(curve.keyframe_points), np.float32)
                    curve.keyframe_points.foreach_get("co", keys)
                    result[bag.slot.identifier, curve.data_path, curve.array_index] = keys.tobytes()
    return result


@pytest.fixture
def shatter(module):
    def run(obj, **choices):
        return module("operators.shatter").shatter_object(bpy.context, obj, **choices)

    return run


def blender_settings(obj):
    obj.brittle.voronoi.count = 8
    bpy.context.scene.brittle.frames = 10


def test_shatter_makes_a_collection_of_closed_fragments(cube):
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    fragments = fragments_of(cube)
    assert len(fragments) >= 2
    for fragment in fragments:
        assert fragment.name == fragment.data.name
        assert "brittle_root" in fragment.parent
        assert fragment["brittle_mass"] > 0.0
        edge_faces = np.zeros(len(fragment.data.edges), int)
        for loop in fragment.data.loops:
            edge_faces[loop.edge_index] += 1
        assert np.all(edge_faces == 2), "every edge of a closed mesh has two faces"
    # Density 2500 kg/m^3 times 2^3 m^3; masses are custom properties in double precision.
    density = cube.brittle.material.density
    alive = [fragment["brittle_mass"] for fragment in fragments if not is_parent(fragment, fragments)]
    assert math.isclose(sum(alive), 8.0 * density, rel_tol=1e-9)


def is_parent(fragment, fragments):
    return any(other["brittle_parent"] == fragment["brittle_fragment"] for other in fragments)


def test_all_fragments_share_one_action_with_a_slot_each(cube):
    bpy.ops.brittle.shatter()
    fragments = fragments_of(cube)
    assert len({fragment.animation_data.action for fragment in fragments}) == 1
    assert len({fragment.animation_data.action_slot.identifier for fragment in fragments}) == len(fragments)


def test_the_source_is_there_before_the_hit_and_the_fragments_after_it(cube):
    scene = bpy.context.scene
    scene.frame_set(5)
    bpy.ops.brittle.shatter()
    for frame, source_hidden in ((4, False), (5, True), (8, True)):
        scene.frame_set(frame)
        assert (cube.hide_viewport, cube.hide_render) == (source_hidden, source_hidden), frame
        hidden = {fragment.hide_render for fragment in fragments_of(cube)}
        assert hidden == {not source_hidden} or (source_hidden and False in hidden), frame


def test_operator_and_api_give_the_same(make_cube, shatter):
    def with_operator(obj):
        assert bpy.ops.brittle.shatter(count=9, seed=3) == {"FINISHED"}

    results = []
    for run in (with_operator, lambda obj: shatter(obj, count=9, seed=3)):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        obj = make_cube()
        blender_settings(obj)
        run(obj)
        results.append((geometry(obj), curves(obj), obj.brittle.voronoi.count, obj.brittle.seed))
    assert results[0] == results[1]
    assert results[0][2:] == (9, 3)


def test_another_seed_is_another_break_and_the_same_seed_the_same(cube, shatter):
    seen = []
    for seed in (1, 2, 1):
        shatter(cube, seed=seed)
        seen.append((geometry(cube), curves(cube)))
    assert seen[0] == seen[2]
    assert seen[0] != seen[1]


def test_several_selected_objects_are_shattered_one_by_one(make_cube):
    first, second = make_cube("First"), make_cube("Second")
    for obj in (first, second):
        blender_settings(obj)
    second.location.x = 5.0
    bpy.context.view_layer.update()
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert fragments_of(first) and fragments_of(second)


def test_a_second_shatter_replaces_the_first(cube, shatter):
    shatter(cube)
    first = set(bpy.data.objects.keys())
    result = shatter(cube, seed=7)
    assert len(bpy.data.objects) == 2 + len(pieces_of(result.fragments)), "the object, and the empty of its pieces"
    assert [collection.name for collection in bpy.data.collections] == ["Cube Fragments"]
    assert len(bpy.data.meshes) == 1 + len(pieces_of(result.fragments))
    assert "Cube" in first


def test_a_second_shatter_with_another_material_does_not_cut_again(cube, shatter, module, monkeypatch):
    shatter(cube)

    def fail(*_):
        raise AssertionError("the diagram is stored with the object")

    monkeypatch.setattr(module("core.diagram"), "cut_with_retry", fail)
    cube.brittle.impact_factor.durability = 0.001
    shatter(cube)
    with pytest.raises(AssertionError):
        shatter(cube, seed=5)


def test_a_second_shatter_reads_the_object_where_it_is_hidden(cube, shatter):
    cube.modifiers.new("Move", "SUBSURF")
    shatter(cube)
    bpy.context.scene.frame_set(4)
    assert cube.hide_viewport
    first = geometry(cube)
    shatter(cube)
    assert geometry(cube) == first


def test_shatter_on_all_fragments_works_on_their_source_and_on_one_on_itself(cube):
    bpy.ops.brittle.shatter()
    before = geometry(cube)
    assert bpy.ops.brittle.shatter(seed=9) == {"FINISHED"}
    again = geometry(cube)
    assert again != before
    bpy.ops.object.select_all(action="DESELECT")
    piece = fragments_of(cube)[0]
    piece.select_set(True)
    bpy.context.view_layer.objects.active = piece
    assert bpy.ops.brittle.shatter(seed=9) == {"FINISHED"}
    assert geometry(cube) == again and len(fragments_of(piece)) > 1


def test_undo_and_redo(cube):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.brittle.shatter()
    made = geometry(cube)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert list(bpy.data.objects.keys()) == ["Cube"]
    assert not bpy.data.objects["Cube"].hide_viewport
    bpy.ops.ed.redo()
    assert geometry(bpy.data.objects["Cube"]) == made


def test_the_redo_panel_runs_again_with_another_seed(cube):
    """Adjust Last Operation undoes and executes with the changed properties."""
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.brittle.shatter(seed=1)
    first = geometry(cube)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert bpy.ops.brittle.shatter(seed=2) == {"FINISHED"}
    again = bpy.data.objects["Cube"]
    assert geometry(again) != first
    assert again.brittle.seed == 2


def test_the_redo_panel_shows_what_was_used(cube):
    cube.brittle.seed = 4
    bpy.ops.brittle.shatter()
    last = bpy.context.window_manager.operator_properties_last("brittle.shatter")
    if last is not None and last.seed != -1:  # Blender keeps no last operator in a session without a window
        assert (last.seed, last.count) == (4, 8)


def test_save_and_reload(cube, tmp_path):
    cube.brittle.impact_factor.locality = 1.25
    bpy.ops.brittle.shatter(seed=6)
    made = geometry(cube), curves(cube)
    path = str(tmp_path / "shattered.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    again = bpy.data.objects["Cube"]
    assert (geometry(again), curves(again)) == made
    assert again.brittle.seed == 6
    assert again.brittle.impact_factor.locality == 1.25
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert list(bpy.data.objects.keys()) == ["Cube"]


def test_restore_brings_everything_back(cube, state):
    cube.data.materials.append(bpy.data.materials.new("Own"))
    bpy.context.view_layer.update()
    before = state()
    bpy.ops.brittle.shatter()
    assert state() != before
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert state() == before


def test_restore_from_a_fragment(cube):
    bpy.ops.brittle.shatter()
    cube.select_set(False)
    bpy.context.view_layer.objects.active = fragments_of(cube)[0]
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert list(bpy.data.objects.keys()) == ["Cube"]
    assert len(bpy.data.meshes) == 1
    assert bpy.context.view_layer.objects.active == cube and cube.select_get()


def test_restore_says_what_to_select(cube):
    with pytest.raises(RuntimeError, match="shattered, or one of its fragments"):
        bpy.ops.brittle.restore()


@pytest.mark.parametrize("step", [0, 1, 3, 6])
def test_cancel_leaves_everything_unchanged(cube, shatter, state, module, step):
    before = state()
    seen = []

    def stop(progress):
        seen.append(progress.fraction)
        return len(seen) > step

    with pytest.raises(module("core.errors").Cancelled):
        shatter(cube, seed=3, count=5, progress=stop)
    assert state() == before
    assert seen == sorted(seen)


def test_the_report_is_stored_with_the_object(cube, shatter):
    result = shatter(cube)
    account = json.loads(result.fragments["brittle_report"])
    assert account["pieces"] == result.report.pieces
    assert account["version"] == "0.1.0"
    assert math.isclose(account["volume_out"], 8.0, rel_tol=1e-9)


def test_a_preset_is_applied_with_the_shatter(cube):
    assert bpy.ops.brittle.shatter(preset="Clay", count=6) == {"FINISHED"}
    assert cube.brittle.preset == "Clay"
    assert cube.brittle.voronoi.count == 6
    assert cube.brittle.material.density != 2500.0


# Bad input: one sentence, and the file stays as it was.


def open_box(make_object):
    vertices = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    make_object("Open", vertices, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4)])


def no_faces(make_object):
    make_object("Points", [(0, 0, 0), (1, 0, 0)], [])


def crossing(make_object):
    tetrahedron = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)]
    shifted = [(x + 0.3, y + 0.3, z - 0.5) for x, y, z in tetrahedron]
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    make_object("Crossing", tetrahedron + shifted, faces + [tuple(i + 4 for i in face) for face in faces])


def not_finite(make_object):
    obj = make_object("NaN", [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    obj.data.vertices[0].co.x = float("nan")
    obj.data.update()  # from here on Blender knows: the box about the object is not finite in 5.3
    bpy.context.view_layer.update()


def no_volume(make_object):
    make_object("Flat", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 1)])


BAD_MESHES = [open_box, no_faces, crossing, not_finite, no_volume]


@pytest.mark.parametrize("bad", BAD_MESHES, ids=lambda bad: bad.__name__)
def test_a_bad_mesh_is_refused_with_a_sentence(bad, make_object, state):
    """Where no repair is allowed."""
    bad(make_object)
    repair = bpy.context.object.brittle.repair
    for name in repair.bl_rna.properties.keys():  # noqa: SIM118 - a collection of Blender, not a mapping
        if name.startswith("allow_"):
            setattr(repair, name, False)
    before = state()
    with pytest.raises(RuntimeError) as refusal:
        bpy.ops.brittle.shatter()
    assert repr(state()) == repr(before)  # repr: a NaN is not equal to itself
    sentence = str(refusal.value).removeprefix("Error: ").strip()
    assert sentence[0].isupper() or sentence[0] in "\"'"
    assert sentence.endswith(".")
    assert "Traceback" not in sentence and len(sentence.split()) > 5


@pytest.mark.parametrize("count", [0, 1])
def test_a_count_below_two_is_refused(cube, state, count):
    before = state()
    with pytest.raises(RuntimeError, match="must be at least 2"):
        bpy.ops.brittle.shatter(count=count)
    assert state() == before


def test_an_unknown_preset_is_refused_with_the_known_names(cube, state):
    before = state()
    with pytest.raises(RuntimeError, match='There is no preset "Cheese"; choose one of'):
        bpy.ops.brittle.shatter(preset="Cheese")
    assert state() == before


def test_a_negative_seed_is_refused_by_the_api(cube, shatter, module, state):
    before = state()
    with pytest.raises(module("core.errors").InputError, match="Seed"):
        shatter(cube, seed=-5)
    assert state() == before


def test_edit_mode_is_refused(cube, shatter, module, state):
    bpy.ops.object.mode_set(mode="EDIT")
    before = state()
    with pytest.raises(RuntimeError, match="Leave Edit Mode first"):
        bpy.ops.brittle.shatter()
    with pytest.raises(module("core.errors").InputError, match="edit mode"):
        shatter(cube)
    assert state() == before
    bpy.ops.object.mode_set(mode="OBJECT")


def test_what_cannot_break_is_refused(shatter, module):
    with pytest.raises(RuntimeError, match="Select a mesh, curve, surface, text or metaball"):
        bpy.ops.brittle.shatter()
    light = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(light)
    bpy.context.view_layer.objects.active = light
    light.select_set(True)
    with pytest.raises(RuntimeError, match="'Lamp' has nothing that could break"):
        bpy.ops.brittle.shatter()
    with pytest.raises(module("core.errors").InputError, match="'Lamp' has nothing that could break"):
        shatter(light)


def test_a_linked_object_is_refused(cube, tmp_path, state):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {cube})
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Cube"]
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    before = state()
    with pytest.raises(RuntimeError, match="linked from a library"):
        bpy.ops.brittle.shatter()
    assert state() == before


def test_pieces_are_of_triangles_where_the_artist_wants_them(cube):
    cube.brittle.faces = "TRIANGLES"
    bpy.ops.brittle.shatter()
    pieces = [obj.data for obj in bpy.data.objects if "brittle_fragment" in obj]
    assert len(pieces) > 1
    assert {polygon.loop_total for mesh in pieces for polygon in mesh.polygons} == {3}
