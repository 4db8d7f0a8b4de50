"""Preview Strength: ticks at the bonds, coloured by what the fields make of them; nothing in the file changes."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from core.wording import number


@pytest.fixture
def preview(module):
    found = module("operators.preview_strength")
    yield found
    found.live.stop()


@pytest.fixture
def weak_top(cube, module):
    """A field of 0.2 on the upper half of the cube and of 1 on the lower one, with a soft border between."""
    group = cube.vertex_groups.new(name="Hold")
    group.add([vertex.index for vertex in cube.data.vertices if vertex.co.z < 1.0], 1.0, "REPLACE")
    field = {"kind": "painted", "name": "Hold", "low": 0.2, "high": 1.0}
    module("operators.settings").apply(cube.brittle, {"fields": [field]})
    return cube


def lines(preview):
    (shown,) = preview.live.overlay.layers
    return shown


def test_ticks_stand_on_the_middle_of_each_bond(weak_top, preview, module):
    weak_top.matrix_world = Matrix.Translation((5.0, 0.0, 3.0)) @ Matrix.Rotation(0.7, 4, "X")
    bpy.context.view_layer.update()
    assert bpy.ops.brittle.preview_strength(shown="FIELD") == {"FINISHED"}
    cut = module("operators.quick_cut").cut_of(bpy.context, weak_top)
    ends = lines(preview).ends
    assert len(ends) == len(cut.cells.bond_area) == len(lines(preview).colours)
    # 32-bit matrices of a world about 10 wide
    assert np.allclose(ends.mean(axis=1), cut.placed(cut.cells.bond_centroid), atol=1e-5)
    along = ends[:, 1] - ends[:, 0]
    assert np.allclose(np.linalg.norm(along, axis=1), preview.LENGTH * np.sqrt(cut.cells.bond_area))
    assert np.allclose(np.cross(along, cut.cells.bond_normal), 0.0, atol=1e-12)


def test_weak_bonds_are_red_and_strong_ones_blue(weak_top, preview):
    bpy.ops.brittle.preview_strength(shown="FIELD")
    middle, colour = lines(preview).ends.mean(axis=1), lines(preview).colours
    assert np.allclose(colour[np.argmax(middle[:, 2])], preview.WEAK, atol=0.35)
    red, blue = colour[:, 0], colour[:, 2]
    order = np.corrcoef(middle[:, 2], red - blue)[0, 1]
    assert order > 0.7, "the paint falls from the foot to the top"


def test_the_range_of_what_is_shown_is_told(weak_top, preview, module):
    bpy.ops.brittle.preview_strength(shown="FIELD")
    _, found = preview.values_of(bpy.context, weak_top)
    text, wrong = preview.note()
    assert (text, wrong) == (f"{number(found.field.min())} to {number(found.field.max())} of the strength", False)
    assert 0.2 <= found.field.min() < found.field.max() <= 1.0
    weak_top.brittle.fields[0].on = False
    preview.live.refresh(bpy.context)
    assert preview.note()[0] == text, "the field by itself, be it on or off"
    bpy.ops.brittle.preview_strength(shown="STACK")
    assert preview.shows() == "STACK" and preview.note()[0] == "1 to 1 of the strength"


def test_the_button_that_is_pressed_ends_it_and_nothing_has_changed(weak_top, preview, state):
    before = state()
    for shown in ("FIELD", "STACK"):
        assert bpy.ops.brittle.preview_strength(shown=shown) == {"FINISHED"}
        assert preview.shows() == shown
    assert bpy.ops.brittle.preview_strength(shown="STACK") == {"FINISHED"}
    assert not preview.live.is_on() and preview.note() == ("", False)
    assert state() == before


def test_it_follows_the_settings_and_the_active_field(weak_top, preview):
    bpy.ops.brittle.preview_strength(shown="FIELD")
    first = lines(preview).colours
    bpy.ops.brittle.field_add(kind="prestress")
    assert bpy.app.timers.is_registered(preview.live.refresh_soon)
    preview.live.refresh_soon()
    assert preview.note()[0].endswith("MPa of tension")
    weak_top.brittle.active_field = 0
    weak_top.brittle.fields[0].painted.low = 3.0
    preview.live.refresh_soon()
    assert preview.note()[0].endswith("of the strength")
    assert np.abs(lines(preview).colours - first).max() > 0.5, "what was weak is strong now"


def test_every_kind_can_be_shown(cube, preview, module):
    for method in module("core.strength.fields").FIELDS:
        if method.id != "painted":
            bpy.ops.brittle.field_add(kind=method.id)
    bpy.ops.brittle.preview_strength(shown="FIELD")
    for index in range(len(cube.brittle.fields)):
        cube.brittle.active_field = index
        preview.live.refresh(bpy.context)
        assert not preview.live.note and preview.note()[0]


def test_missing_paint_is_said_in_the_panel(cube, preview):
    bpy.ops.brittle.field_add(kind="painted")
    cube.brittle.fields[0].painted.name = "Weak"
    cube.brittle.fields[0].on = False
    bpy.ops.brittle.preview_strength(shown="FIELD")
    text, wrong = preview.note()
    assert wrong and 'vertex group "Weak" of field 1 is not on "Cube"' in text and not preview.live.overlay.layers


def test_it_needs_a_field_to_begin_and_says_so_when_the_last_one_goes(cube, preview):
    assert not bpy.ops.brittle.preview_strength.poll()
    bpy.ops.brittle.field_add(kind="noise")
    bpy.ops.brittle.preview_strength(shown="FIELD")
    bpy.ops.brittle.field_remove()
    preview.live.refresh_soon()
    assert "add one first" in preview.live.note and not preview.live.overlay.layers


def test_colours_run_from_weak_to_strong(preview):
    values = np.array([0.5, 1.0, 1.5, np.inf])
    found = preview.colours(values, "strength")
    assert np.array_equal(found, [preview.WEAK, preview.MIDDLING, preview.STRONG, preview.STRONG])
    assert np.array_equal(preview.colours(values[:3], "prestress"), found[2::-1]), "tension weakens"
    assert np.array_equal(preview.colours(np.full(2, 3.0), "density"), [preview.MIDDLING] * 2)
    assert preview.colours(np.zeros(0), "strength").shape == (0, 4)
    assert np.isfinite(preview.colours(np.array([np.inf, np.inf]), "strength")).all()
    assert preview.told(np.array([-5e6, 2.5e6]), "prestress") == "-5 to 2.5 MPa of tension"
    assert preview.told(values, "strength") == "0.5 to 1.5 of the strength"
