"""What is painted, placed and set for breaking by contacts, as the core gets it; settings that go with it."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def marked(cube):
    cube.brittle.breakable.breaks = True
    return cube


@pytest.fixture
def influence(read):
    def run(obj):
        return read(obj).scene.influence

    return run


def corner_heights(obj, read):
    reading = read(obj)
    height = np.array([vertex.co.z for vertex in obj.data.vertices])
    return height[reading.source.triangle_vertex]


def paint(obj, name, weight):
    group = obj.vertex_groups.new(name=name)
    for vertex in obj.data.vertices:
        if weight(vertex.co) is not None:
            group.add([vertex.index], weight(vertex.co), "REPLACE")


def test_without_any_choice_all_may_break(marked, influence):
    found = influence(marked)
    assert (found.toughness.shape, found.anchored.shape, found.spheres.shape) == ((0, 3), (0, 3), (0, 4))
    assert (found.start, found.end) == (0.0, np.inf)


def test_weights_lie_on_the_rows_of_the_triangles(marked, influence, read):
    paint(marked, "Weak", lambda co: 0.25 if co.z > 1.0 else None)
    paint(marked, "Fast", lambda co: 1.0 if co.z < 1.0 else 0.0)
    marked.brittle.toughness_group, marked.brittle.anchored_group = "Weak", "Fast"
    height = corner_heights(marked, read)
    found = influence(marked)
    assert np.array_equal(found.toughness, np.where(height > 1.0, 0.25, 0.0))
    assert np.array_equal(found.anchored, np.where(height < 1.0, 1.0, 0.0))
    marked.brittle.breakable.breaks = False
    without = influence(marked)
    assert without.toughness.shape == (0, 3), "it counts for contacts alone"
    assert np.array_equal(without.anchored, found.anchored), "what is anchored counts for every break"


def test_an_image_is_laid_by_the_active_uv_map(marked, influence, read):
    """Two columns, red 1 on the left and 0.5 on the right; the corners' u is a quarter or three of the height."""
    image = bpy.data.images.new("Mask", 2, 1, float_buffer=True)
    image.pixels = [1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 1.0]
    layer = marked.data.uv_layers.new(name="Map")
    for loop in marked.data.loops:
        top = marked.data.vertices[loop.vertex_index].co.z > 1.0
        layer.data[loop.index].uv = (1.75 if top else -0.75, 0.5)  # it repeats
    marked.brittle.toughness_image = image
    height = corner_heights(marked, read)
    assert np.array_equal(influence(marked).toughness, np.where(height > 1.0, 0.5, 1.0))
    paint(marked, "Weak", lambda co: 0.5)
    marked.brittle.toughness_group = "Weak"
    assert np.array_equal(influence(marked).toughness, np.where(height > 1.0, 0.25, 0.5)), "both count"


def test_what_is_painted_weak_is_weak(marked, influence, read):
    """The factors are those of 1 less what is painted; what is not painted stays as it is."""
    paint(marked, "Weak", lambda co: 0.75 if co.z > 1.0 else None)
    marked.brittle.weak_group = "Weak"
    height = corner_heights(marked, read)
    assert np.array_equal(influence(marked).toughness, np.where(height > 1.0, 0.25, 1.0))
    marked.data.uv_layers.new(name="Map")
    marked.brittle.weak_image = image = bpy.data.images.new("Mask", 1, 1, float_buffer=True)
    image.pixels = [0.5, 0.0, 0.0, 1.0]
    assert np.array_equal(influence(marked).toughness, np.where(height > 1.0, 0.125, 0.5)), "both count"
    image.pixels = [3.0, 0.0, 0.0, 1.0]
    assert not influence(marked).toughness.any(), "no less than at a touch"


def test_an_image_needs_a_uv_map_and_a_file(marked, influence, module):
    refused = module("core.errors").InputError
    marked.brittle.toughness_image = bpy.data.images.new("Mask", 2, 2)
    with pytest.raises(refused, match="'Cube' has no UV map for the image \"Mask\""):
        influence(marked)
    marked.data.uv_layers.new(name="Map")
    lost = bpy.data.images.new("Lost", 2, 2)
    lost.source, lost.filepath = "FILE", "//lost.png"
    marked.brittle.toughness_image = lost
    with pytest.raises(refused, match="The image \"Lost\" of 'Cube' cannot be read"):
        influence(marked)


@pytest.mark.parametrize("unit_scale", [1.0, 0.01])
def test_spheres_of_the_object_and_of_nobody_count(marked, make_cube, influence, unit_scale):
    """The zero of body coordinates is the middle of the cube, 1 above its origin."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length = unit_scale
    other = make_cube("Other")
    marked.location = (5.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    for owner, x in ((marked, 6.0), (other, 7.0), (None, 8.0)):
        for obj in bpy.context.selected_objects:
            obj.select_set(False)
        bpy.context.view_layer.objects.active = owner
        scene.cursor.location = (x, 0.0, 1.0)
        bpy.ops.brittle.influence_add()
        bpy.context.view_layer.objects.active.select_set(True) if owner else None
    sphere = bpy.data.objects["Influence"]
    assert sphere.parent == marked and sphere.empty_display_type == "SPHERE" and sphere.empty_display_size == 1.0
    sphere.scale = (2.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    expected = unit_scale * np.array([(1.0, 0.0, 0.0, 2.0), (3.0, 0.0, 0.0, 1.0)])
    assert np.allclose(influence(marked).spheres, expected, rtol=1e-6, atol=1e-7)  # 32-bit matrices


def test_frames_become_seconds_from_the_start(marked, influence):
    scene = bpy.context.scene
    scene.render.fps = 25
    scene.frame_set(10)
    marked.brittle.breaks_from, marked.brittle.breaks_until = 15, 35
    found = influence(marked)
    assert (found.start, found.end) == (0.2, 1.0)


def test_thresholds_come_through_tables_and_presets_leave_them(marked, module):
    settings, preset = module("operators.settings"), module("operators.preset")
    own = marked.brittle
    own.breakable.speed, own.breakable.again, own.breakable.stands = 0.3, "anew", True
    chosen = settings.settings_from(marked).breakable
    assert (chosen.breaks, chosen.speed, chosen.again, chosen.stands) == (True, 0.3, "anew", True)
    assert bpy.ops.brittle.preset_apply(name="Clay") == {"FINISHED"}
    assert settings.settings_from(marked).breakable == chosen
    path = preset.save("Mine", marked)
    assert "breakable" not in path.read_text("utf-8") and "breakable" not in preset.tables("Mine")
    preset.remove("Mine")
    assert bpy.context.scene.brittle.most_pieces == 2000


def test_fields_outlive_saving(marked, tmp_path):
    own = marked.brittle
    own.toughness_group, own.held_group, own.breaks_from = "Weak", "Fast", 7  # as it was called once
    own.toughness_image = bpy.data.images.new("Mask", 2, 2)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "file.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "file.blend"))
    own = bpy.data.objects["Cube"].brittle
    assert (own.toughness_group, own.anchored_group, own.breaks_from) == ("Weak", "Fast", 7)
    assert own.toughness_image == bpy.data.images["Mask"]


@pytest.mark.parametrize("how", ["stands", "anchored"])
def test_what_is_anchored_stays_where_it_is_when_shatter_breaks_the_rest(cube, how):
    """Without contacts, too: what is anchored stays to the bit, and the rest moves."""
    cube.brittle.breakable.breaks = False
    cube.brittle.preset, cube.brittle.impact_factor.durability = "", 1e-6
    if how == "anchored":
        paint(cube, "Fast", lambda co: 0.7 if co.z < 1.0 else 0.0)  # the mean of side faces stays below 1/2
        cube.brittle.anchored_group = "Fast"
    else:
        cube.brittle.breakable.stands = True
    bpy.ops.brittle.impact_add(location=(1.0, 0.0, 1.5), direction=(-1.0, 0.0, 0.0))
    bpy.context.view_layer.objects.active = cube
    cube.select_set(True)
    assert bpy.ops.brittle.shatter() == {"FINISHED"}
    pieces = [obj for obj in bpy.data.objects if "brittle_fragment" in obj]
    assert len(pieces) > 2
    scene, moved = bpy.context.scene, {True: [], False: []}
    start = scene.frame_current
    for obj in pieces:
        scene.frame_set(start)
        before = obj.matrix_world.translation.copy()
        low = min((obj.matrix_world @ vertex.co).z for vertex in obj.data.vertices) < 1e-5
        scene.frame_set(start + 9)
        moved[low].append((obj.matrix_world.translation - before).length)
    held = [way for way in moved[True] if way == 0.0]
    assert len(held) == len(moved[True]) if how == "anchored" else held, "what the ground alone holds may topple"
    assert min(moved[False]) > 0.0 and max(moved[False]) > 0.01
