"""An artist's own meshes as a pattern: what is read of a collection, what is refused, and what it does."""

import bpy
import numpy as np
import pytest

from tests.blender.pieces import pieces_of

CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def box(collection, name, low, high, faces=CUBE_FACES):
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    mesh.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    collection.objects.link(obj)
    return obj


def new_collection(name, shown=True):
    found = bpy.data.collections.new(name)
    if shown:
        bpy.context.scene.collection.children.link(found)
    return found


def update():
    bpy.context.view_layer.update()


@pytest.fixture
def slabs():
    """A cube of edge 2 in three slabs across x, somewhere in the scene."""
    found = new_collection("Slabs")
    for k, (low, high) in enumerate(((-1.0, -0.4), (-0.4, 0.3), (0.3, 1.0))):
        box(found, f"Slab.{k}", (10.0 + low, -1.0, -1.0), (10.0 + high, 1.0, 1.0))
    update()
    return found


@pytest.fixture
def chosen(cube, slabs):
    """A cube that is cut with the slabs, all the way."""
    own = cube.brittle
    own.pieces, own.breaking = "pattern", "placed_pattern"
    own.pattern.kind, own.own_meshes, own.placed_pattern.reach = "own", slabs, 0.0
    return cube


@pytest.fixture
def pattern_of(module):
    read = module("operators.bridge.pattern").read_pattern
    return lambda obj: read(bpy.context, obj, obj.brittle.own_meshes)


@pytest.fixture
def refused(module):
    return module("core.errors").InputError


def fragments(name):
    return [obj for obj in bpy.data.objects if obj.name.startswith(f"{name} ") and "brittle_fragment" in obj]


def test_shatter_cuts_with_the_meshes(chosen, module):
    result = module("operators.shatter").shatter_object(bpy.context, chosen)
    assert 2 <= result.report.pieces <= 3 and result.report.closed_pieces == result.report.pieces
    assert result.report.volume_out == pytest.approx(8.0, rel=1e-6)
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert len(pieces_of(bpy.data.collections["Cube Fragments"])) == result.report.pieces


def test_regions_are_the_meshes_about_the_middle_of_their_box(chosen, pattern_of):
    found = pattern_of(chosen)
    assert found.names == ("Slab.0", "Slab.1", "Slab.2") and found.notes == ()
    assert found.site[:, 0] == pytest.approx([-0.7, -0.05, 0.65], abs=1e-6)  # coordinates of 32 bits
    assert found.half == pytest.approx(np.ones(3), rel=1e-6)


def test_transforms_modifiers_and_children_count(chosen, slabs, pattern_of):
    """One slab is made half as long by its scale, and set back by Displace; another one hangs on a turned parent."""
    first, _, third = (slabs.objects[f"Slab.{k}"] for k in range(3))
    mesh = first.data
    for vertex in mesh.vertices:
        vertex.co.y = 2.0 * vertex.co.y - 4.0  # -6..-2
    first.scale.y = 0.5
    displace = first.modifiers.new("Displace", "DISPLACE")  # by strength x (1 - mid level)
    displace.direction, displace.strength, displace.mid_level = "Y", 4.0, 0.0
    turned = bpy.data.objects.new("Turned", None)
    bpy.context.scene.collection.objects.link(turned)
    turned.rotation_euler.x = np.pi / 2.0
    third.parent = turned
    child = new_collection("More", shown=False)
    slabs.children.link(child)
    slabs.objects.unlink(third)
    child.objects.link(third)
    update()
    found = pattern_of(chosen)
    assert found.half == pytest.approx(np.ones(3), rel=1e-5) and len(found.names) == 3


def test_the_mark_is_centre_and_axis(chosen, slabs, pattern_of):
    assert bpy.ops.brittle.pattern_mark() == {"FINISHED"}
    mark = slabs.objects["Pattern Centre"]
    update()
    assert tuple(mark.matrix_world.translation) == pytest.approx((10.0, 0.0, 0.0))
    assert bpy.ops.brittle.pattern_mark() == {"CANCELLED"}, "there is one already"
    mark.location, mark.rotation_euler = (9.0, 0.0, 0.0), (0.0, np.pi / 2.0, 0.0)
    update()
    found = pattern_of(chosen)
    assert found.site[:, 2] == pytest.approx([0.3, 0.95, 1.65], abs=1e-5)  # from the side inwards
    assert found.half == pytest.approx([1.0, 1.0, 2.0], rel=1e-5)
    assert "Pattern Centre" not in found.names


def test_what_is_hidden_and_what_has_no_surface_is_no_piece(chosen, slabs, pattern_of):
    hidden = box(slabs, "Cutter", (9.0, -1.0, -1.0), (11.0, 1.0, 1.0))
    hidden.hide_set(True)
    slabs.objects.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    update()
    assert len(pattern_of(chosen).names) == 3
    hidden.hide_set(False)
    hidden.hide_viewport = True
    update()
    assert len(pattern_of(chosen).names) == 3


@pytest.mark.parametrize("how", ["unlinked", "excluded", "eye"])
def test_a_collection_that_no_view_shows_is_read(chosen, slabs, module, pattern_of, refused, how):
    slabs.objects["Slab.0"].location.x = 5.0
    for name in ("Slab.1", "Slab.2"):
        slabs.objects[name].location.x = 5.0
    before = pattern_of(chosen).site
    layer = bpy.context.view_layer.layer_collection.children["Slabs"]
    if how == "unlinked":
        bpy.context.scene.collection.children.unlink(slabs)
    else:
        setattr(layer, {"excluded": "exclude", "eye": "hide_viewport"}[how], True)
    update()
    assert np.array_equal(pattern_of(chosen).site, before)
    if how == "unlinked":  # as long as nothing points to it Blender does not evaluate it
        chosen.brittle.own_meshes = None
        update()
        read = module("operators.bridge.pattern").read_pattern
        assert np.array_equal(read(bpy.context, chosen, slabs).site, before)
        slabs.objects["Slab.1"].modifiers.new("Bevel", "BEVEL")
        with pytest.raises(refused, match=r"'Slab.1' is not in view: show its collection"):
            read(bpy.context, chosen, slabs)


def open_box(slabs, cube):
    box(slabs, "Lid", (11.0, -1.0, -1.0), (12.0, 1.0, 1.0), CUBE_FACES[1:])


def overlap(slabs, cube):
    box(slabs, "Large", (9.2, -1.0, -1.0), (11.0, 1.0, 1.0))


def no_place(slabs, cube):
    slabs.objects["Slab.1"].data.vertices[0].co.x = np.nan


def emptied(slabs, cube):
    for obj in list(slabs.objects):
        slabs.objects.unlink(obj)


def unset(slabs, cube):
    cube.brittle.own_meshes = None


def itself(slabs, cube):
    slabs.objects.link(cube)


def centre_outside(slabs, cube):
    mark = bpy.data.objects.new("Far", None)
    mark.brittle.pattern_mark = True
    slabs.objects.link(mark)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (open_box, '"Lid" is open'),
        (overlap, '"Large" and "Slab.2" overlap'),
        (no_place, '"Slab.1" has vertices without a place'),
        (emptied, 'The collection "Slabs" has no meshes'),
        (unset, "'Cube' has no meshes for its pattern: choose a collection"),
        (itself, "The collection \"Slabs\" holds 'Cube', which it is to cut"),
        (centre_outside, "centre of the pattern lies outside"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_and_the_file_is_as_before(
    chosen, slabs, state, module, refused, spoil, sentence
):
    spoil(slabs, chosen)
    chosen.brittle.breakable.breaks = True
    update()
    before = state()
    for work in (
        lambda: module("operators.shatter").shatter_object(bpy.context, chosen),
        lambda: module("operators.simulate").simulate(bpy.context, objects=[chosen], frames=(1, 3)),
    ):
        with pytest.raises(refused) as caught:
            work()
        assert sentence in str(caught.value)
        assert state() == before
    with pytest.raises(RuntimeError):
        bpy.ops.brittle.shatter()
    assert state() == before


def test_a_linked_collection_is_refused(cube, slabs, tmp_path, refused, pattern_of):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {slabs})
    for obj in list(slabs.objects):
        bpy.data.objects.remove(obj)
    bpy.data.collections.remove(slabs)
    with bpy.data.libraries.load(path, link=True) as (source, taken):
        taken.collections = source.collections
    cube.brittle.own_meshes = taken.collections[0]
    with pytest.raises(refused, match='"Slabs" is linked from a library: make it local'):
        pattern_of(cube)
    assert not bpy.ops.brittle.pattern_asset.poll() and not bpy.ops.brittle.pattern_mark.poll()


@pytest.fixture
def broken(make_cube):
    """A scaled object, broken; time has gone on, so that its pieces are elsewhere."""
    obj = make_cube("Stone")
    obj.brittle.voronoi.count, obj.scale, obj.location = 8, (2.0, 1.0, 0.5), (5.0, 3.0, 1.0)
    obj.brittle.breaking, obj.brittle.placed_pattern.reach = "placed_pattern", 0.0
    bpy.context.scene.brittle.frames = 10
    update()
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    bpy.context.scene.frame_set(9)
    return bpy.data.collections["Stone Fragments"]


def test_pieces_of_an_earlier_break_are_a_pattern(broken, cube, pattern_of, module):
    """They fill the box that they were: 4 x 2 x 1, with its middle at (5, 3, 1.5)."""
    cube.brittle.pieces, cube.brittle.pattern.kind, cube.brittle.own_meshes = "pattern", "own", broken
    found = pattern_of(cube)
    assert found.notes == () and len(found.names) == len(pieces_of(broken)) > 5
    assert found.half == pytest.approx([2.0, 1.0, 0.5], rel=1e-5)
    mark = bpy.data.objects.new("Centre", None)
    mark.location = (5.0, 3.0, 2.0)
    mark.brittle.pattern_mark = True
    broken.objects.link(mark)
    update()
    assert pattern_of(cube).half == pytest.approx([2.0, 1.0, 1.0], rel=1e-5)
    result = module("operators.shatter").shatter_object(bpy.context, cube)
    assert result.report.closed_pieces == result.report.pieces
    assert result.report.volume_out == pytest.approx(8.0, rel=1e-6)


def test_pieces_of_the_object_itself_are_not_until_they_are_copied(broken, pattern_of, refused):
    stone = bpy.data.objects["Stone"]
    stone.brittle.pieces, stone.brittle.pattern.kind, stone.brittle.own_meshes = "pattern", "own", broken
    with pytest.raises(refused, match="holds pieces of 'Stone' itself, which the new ones replace: copy them"):
        pattern_of(stone)
    copies = new_collection("Copies")
    for obj in pieces_of(broken):
        copies.objects.link(obj.copy())
    stone.brittle.own_meshes = copies
    update()
    assert pattern_of(stone).half == pytest.approx([2.0, 1.0, 0.5], rel=1e-5)
    count = len(copies.objects)
    bpy.context.view_layer.objects.active = stone
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    assert len(copies.objects) == count and stone.brittle.own_meshes == copies


def test_thin_pieces_of_a_break_keep_their_space(cube, pattern_of, refused):
    """One is 3e-5 thick in a cube of edge 2: numbers of 32 bits tell its sides apart, what artists draw would touch."""
    found = new_collection("Thin")
    slabs = [(-1.0, 0.0), (0.0, 3e-5), (3e-5, 1.0)]
    objects = [box(found, f"Piece.{k}", (low, -1.0, -1.0), (high, 1.0, 1.0)) for k, (low, high) in enumerate(slabs)]
    cube.brittle.own_meshes = found
    update()
    with pytest.raises(refused, match=r'"Piece.1" has no space of its own'):
        pattern_of(cube)
    for k, obj in enumerate(objects):
        obj["brittle_fragment"], obj["brittle_parent"] = k, -1
        rest = obj.data.attributes.new("rest_position", "FLOAT_VECTOR", "POINT")
        rest.data.foreach_set("vector", [x for vertex in obj.data.vertices for x in vertex.co])
    assert pattern_of(cube).names == ("Piece.0", "Piece.1", "Piece.2")


def test_only_pieces_that_broke_no_further_count(cube, module, make_cube, pattern_of):
    """A cube that falls breaks, and its pieces break again: their parents are in the collection as well."""
    cube.location.z = 3.0
    own = cube.brittle
    own.pieces, own.breaking, own.pattern.kind = "pattern", "placed_pattern", "uniform"
    own.pattern.count, own.placed_pattern.reach = 12, 0.0
    own.breakable.breaks, own.breakable.speed, own.breakable.cooldown = True, 0.5, 0.0
    update()
    (result,) = module("operators.simulate").simulate(bpy.context, objects=[cube], frames=(1, 40))
    other = make_cube("Other")
    other.brittle.own_meshes = result.fragments
    found = pattern_of(other)
    assert len(found.names) == result.report.pieces < len(pieces_of(result.fragments))
    assert found.half == pytest.approx(np.ones(3), rel=1e-5)


def test_simulate_cuts_with_the_meshes(chosen, module):
    chosen.location.z = 0.5
    chosen.brittle.breakable.breaks, chosen.brittle.breakable.speed = True, 0.5
    update()
    (result,) = module("operators.simulate").simulate(bpy.context, objects=[chosen], frames=(1, 15))
    assert result.report.pieces > 1 and result.report.closed_pieces == result.report.pieces


def test_it_becomes_an_asset(chosen, slabs):
    assert bpy.ops.brittle.pattern_asset() == {"FINISHED"}
    assert slabs.asset_data is not None and "Brittle" in slabs.asset_data.description
    slabs.asset_clear()
    open_box(slabs, chosen)
    update()
    with pytest.raises(RuntimeError, match='"Lid" is open'):
        bpy.ops.brittle.pattern_asset()
    assert slabs.asset_data is None


def test_settings_outlive_saving_and_presets_leave_the_meshes(chosen, slabs, module, tmp_path):
    preset = module("operators.preset")
    path = preset.save("Mine", chosen)
    assert 'kind = "own"' in path.read_text("utf-8") and "Slabs" not in path.read_text("utf-8")
    chosen.brittle.pattern.kind = "radial"
    assert bpy.ops.brittle.preset_apply(name="Mine") == {"FINISHED"}
    assert (chosen.brittle.pattern.kind, chosen.brittle.own_meshes) == ("own", slabs)
    preset.remove("Mine")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    assert bpy.data.objects["Cube"].brittle.own_meshes == bpy.data.collections["Slabs"]


def test_the_preview_shows_its_cracks(chosen, module):
    preview = module("operators.preview").live
    preview.start(bpy.context)
    try:
        assert preview.overlay.layers and preview.note == ""
        chosen.brittle.own_meshes = None
        preview.refresh(bpy.context)
        assert not preview.overlay.layers and "choose a collection" in preview.note
    finally:
        preview.stop()


def test_the_command_line_names_the_collection(cube, slabs, module, capsys, state, tmp_path):
    main = module("operators.command_line").main
    before = state()
    assert main(["shatter", "--object", "Cube", "--pattern", "Slab"]) == 1
    assert 'There is no collection "Slab" in this file.' in capsys.readouterr().err
    assert state() == before
    assert main(["shatter", "--object", "Cube", "--preset", "Plaster", "--pattern", "Slabs"]) == 0
    own = cube.brittle
    assert (own.pieces, own.pattern.kind, own.own_meshes) == ("pattern", "own", slabs)
    assert 2 <= len(pieces_of(bpy.data.collections["Cube Fragments"])) <= 3
    own.pieces, own.own_meshes, own.breakable.breaks, own.breakable.speed = "voronoi", None, True, 0.5
    cube.location.z = 0.5
    assert main(["simulate", "--frames", "1", "15", "--pattern", "Slabs"]) == 0
    assert (own.pieces, own.pattern.kind, own.own_meshes) == ("pattern", "own", slabs)
