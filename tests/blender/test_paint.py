"""What is painted on an object, as fields of strength get it: exact values at the corners of its triangles."""

import bpy
import numpy as np
import pytest


@pytest.fixture
def source(cube, module):
    """A function that reads the cube, and what fields want of it."""
    reading, paint = module("operators.bridge.read"), module("operators.bridge.paint")

    def run(*paints):
        _, found = reading.read_mesh(cube, bpy.context.evaluated_depsgraph_get(), 1.0)
        return found, {(one.source, one.name): one.values for one in paint.read_paint(cube, found, paints)}

    return run


def per_vertex(cube, value):
    return np.array([value(vertex.co) for vertex in cube.data.vertices], np.float64)


def attribute(cube, kind, domain, values, prop="value", name="Paint"):
    made = cube.data.attributes.new(name, kind, domain)
    made.data.foreach_set(prop, np.asarray(values).ravel())
    return "attribute", name


def test_weights_of_a_vertex_group(cube, source):
    group = cube.vertex_groups.new(name="Weak")
    for vertex in cube.data.vertices:
        if vertex.co.z > 1.0:
            group.add([vertex.index], 0.25 if vertex.co.x > 0.0 else 0.75, "REPLACE")
    taken, found = source(("group", "Weak"))
    weight = per_vertex(cube, lambda co: 0.0 if co.z < 1.0 else 0.25 if co.x > 0.0 else 0.75)
    assert np.array_equal(found["group", "Weak"], weight[taken.triangle_vertex])


def test_red_of_an_image_by_the_active_uv_map(cube, source):
    image = bpy.data.images.new("Mask", 2, 1, float_buffer=True)
    image.pixels = [1.0, 0.0, 0.0, 1.0, 0.5, 0.9, 0.9, 1.0]
    cube.data.uv_layers.new(name="Other")
    layer = cube.data.uv_layers.new(name="Map")
    cube.data.uv_layers.active = layer
    for loop in cube.data.loops:
        top = cube.data.vertices[loop.vertex_index].co.z > 1.0
        layer.data[loop.index].uv = (0.75 if top else 0.25, 0.5)
    taken, found = source(("image", "Mask"))
    red = per_vertex(cube, lambda co: 0.5 if co.z > 1.0 else 1.0)
    assert np.array_equal(found["image", "Mask"], red[taken.triangle_vertex])


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("FLOAT", [0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875], None),
        ("INT", [0, 1, 0, 1, 0, 1, 0, 3], None),
        ("INT8", [0, 1, 0, 1, 0, 1, 0, 3], None),
        ("BOOLEAN", [True, False] * 4, [1.0, 0.0] * 4),
    ],
)
def test_attributes_of_numbers_on_points(cube, source, kind, values, expected):
    paint = attribute(cube, kind, "POINT", values)
    taken, found = source(paint)
    assert found[paint].dtype == np.float64
    assert np.array_equal(found[paint], np.array(expected or values, np.float64)[taken.triangle_vertex])


def test_attributes_of_faces_and_corners(cube, source):
    faces, corners = np.arange(6) / 8.0, np.arange(24) / 32.0
    on_faces = attribute(cube, "FLOAT", "FACE", faces, name="Faces")
    on_corners = attribute(cube, "FLOAT", "CORNER", corners, name="Corners")
    taken, found = source(on_faces, on_corners)
    assert np.array_equal(found[on_faces], np.repeat(faces[taken.triangle_polygon][:, None], 3, axis=1))
    assert np.array_equal(found[on_corners], corners[taken.triangle_loop])


@pytest.mark.parametrize(("kind", "domain", "count"), [("FLOAT_COLOR", "POINT", 8), ("BYTE_COLOR", "CORNER", 24)])
def test_red_of_colours(cube, source, kind, domain, count):
    red = np.arange(count) % 2.0  # bytes hold both exactly
    colours = np.column_stack([red, np.full(count, 0.3), np.full(count, 0.6), np.ones(count)]).astype(np.float32)
    paint = attribute(cube, kind, domain, colours, prop="color")
    taken, found = source(paint)
    rows = taken.triangle_vertex if domain == "POINT" else taken.triangle_loop
    assert np.array_equal(found[paint], red[rows])


def test_paint_lies_on_the_rows_of_a_mirrored_object_too(cube, source):
    cube.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    paint = attribute(cube, "FLOAT", "CORNER", np.arange(24) / 32.0)
    taken, found = source(paint)
    assert np.array_equal(found[paint], (np.arange(24) / 32.0)[taken.triangle_loop])


def test_what_modifiers_paint_counts(cube, source):
    """The weights are those of the mesh that is broken: two mirrors make four of one."""
    group = cube.vertex_groups.new(name="Weak")
    group.add([7], 1.0, "REPLACE")
    cube.modifiers.new("Mirror", "MIRROR").use_axis[2] = True
    bpy.context.view_layer.update()
    taken, found = source(("group", "Weak"))
    assert len(set(taken.triangle_vertex[found["group", "Weak"] == 1.0])) == 4


def test_what_is_not_there_is_left_to_the_core_to_name(source):
    assert source(("group", "None"), ("image", "None"), ("attribute", "None"))[1] == {}


@pytest.mark.parametrize(("kind", "domain", "prop"), [("FLOAT_VECTOR", "POINT", "vector"), ("FLOAT", "EDGE", "value")])
def test_attributes_that_are_no_paint_are_refused(cube, source, module, kind, domain, prop):
    count = {"POINT": 24, "EDGE": 12}[domain]
    paint = attribute(cube, kind, domain, np.zeros(count, np.float32), prop)
    with pytest.raises(module("core.errors").InputError, match="The attribute \"Paint\" of 'Cube' cannot say"):
        source(paint)


def test_only_fields_that_are_on_want_paint(module):
    fields_from, wanted = module("core.strength.choice").fields_from, module("operators.bridge.paint").wanted
    stack = [
        {"kind": "painted", "name": "A"},
        {"kind": "painted", "name": "B", "on": False},
        {"kind": "painted", "name": "A", "low": 0.5},
        {"kind": "painted", "source": "image", "name": "A"},
        {"kind": "noise"},
        {"kind": "painted"},
    ]
    assert wanted(fields_from(stack)) == (("group", "A"), ("image", "A"))


MISSING = [
    ({"name": "Weak"}, 'vertex group "Weak" of field 1 is not on "Cube"'),
    ({"source": "image", "name": "Mask"}, 'image "Mask" of field 1 is not on "Cube"'),
    ({"source": "attribute", "name": "Wear"}, 'attribute "Wear" of field 1 is not on "Cube"'),
    ({}, r"Field 1 \(Painted\) names no vertex group"),
]


@pytest.mark.parametrize(("values", "sentence"), MISSING)
def test_missing_paint_gives_one_sentence_and_leaves_the_scene(cube, module, state, values, sentence):
    cube.brittle.breakable.breaks = True
    module("operators.settings").apply(cube.brittle, {"fields": [{"kind": "painted", **values}]})
    before = state()
    for run in (bpy.ops.brittle.shatter, bpy.ops.brittle.simulate):
        with pytest.raises(RuntimeError, match=sentence):
            run()
        assert state() == before


def painted_weak_top(cube):
    """The upper half is painted with 0: it holds nothing."""
    group = cube.vertex_groups.new(name="Hold")
    group.add([vertex.index for vertex in cube.data.vertices if vertex.co.z < 1.0], 1.0, "REPLACE")
    return {"kind": "painted", "name": "Hold", "low": 0.0, "high": 1e6}


@pytest.mark.parametrize("how", ["shatter", "simulate"])
def test_the_core_gets_the_paint(cube, module, monkeypatch, how):
    cube.brittle.breakable.breaks = True
    module("operators.settings").apply(cube.brittle, {"fields": [painted_weak_top(cube)]})
    stage, seen = module("core.setup"), []
    real = stage.check_paint
    monkeypatch.setattr(stage, "check_paint", lambda fields, painted, name: seen.append(painted))
    assert getattr(bpy.ops.brittle, how)() == {"FINISHED"}
    ((one,),) = seen
    assert (one.source, one.name, sorted(set(one.values.ravel()))) == ("group", "Hold", [0.0, 1.0])
    assert real is not None


def test_the_only_vertex_group_is_taken_without_being_chosen(cube, make_cube, module):
    groups = module("operators.field_groups")
    cube.vertex_groups.new(name="Weak")
    bpy.ops.brittle.field_add(kind="painted")
    item = cube.brittle.fields[0]
    assert item.painted.name == groups.name_of_paint(item) == "Weak"
    other = make_cube("Other")
    bpy.ops.brittle.field_add(kind="painted")
    item = other.brittle.fields[0]
    assert groups.tables(other.brittle)[0]["name"] == "", "it has none"
    other.vertex_groups.new(name="Thin")
    assert item.painted.name == "" and groups.tables(other.brittle)[0]["name"] == "Thin", "painted later"
    item.painted.source = "image"
    assert groups.tables(other.brittle)[0]["name"] == "", "a group is no image"
    item.painted.source = "group"
    other.vertex_groups.new(name="Thick")
    assert groups.tables(other.brittle)[0]["name"] == "", "of two the artist chooses"
