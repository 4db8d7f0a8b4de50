"""Preview Cracks: lines on the object's skin that follow the settings, and nothing else changes."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix


def shown(preview):
    """All cracks, closed and open."""
    layers = preview.live.overlay.layers
    return np.concatenate([np.zeros((0, 2, 3)), *(layer.ends for layer in layers if hasattr(layer, "ends"))])


def test_lines_lie_on_the_skin_of_the_object(cube, preview):
    cube.matrix_world = Matrix.Translation((5.0, 0.0, 1.0)) @ Matrix.Diagonal((1.0, 2.0, 0.5, 1.0))
    bpy.context.view_layer.update()
    assert bpy.ops.brittle.preview() == {"FINISHED"}
    lines = shown(preview)
    assert len(lines) > 10
    # Back in the cube's own space every point is on one of the planes x = +-1, y = +-1, z = 0, z = 2, but for the lift.
    local = (lines.reshape(-1, 3) - (5.0, 0.0, 1.0)) / (1.0, 2.0, 0.5)
    off = np.abs(np.abs(local - (0.0, 0.0, 1.0)) - 1.0).min(axis=1)
    assert off.max() < 0.02


def test_nothing_in_the_file_changes(cube, preview, state):
    before = state()
    bpy.ops.brittle.preview()
    bpy.ops.brittle.preview()
    assert state() == before and not preview.live.is_on()


def test_a_change_of_a_setting_makes_new_lines(cube, preview):
    bpy.ops.brittle.preview()
    few = len(shown(preview))
    cube.brittle.voronoi.count = 60
    bpy.context.view_layer.update()
    assert bpy.app.timers.is_registered(preview.live.refresh_soon)  # sessions without a window run no timers
    preview.live.refresh_soon()
    assert len(shown(preview)) > 2 * few


def test_an_edit_of_the_mesh_makes_new_lines(cube, preview):
    bpy.ops.brittle.preview()
    cube.data.transform(Matrix.Scale(3.0, 4))
    cube.data.update()
    bpy.context.view_layer.update()
    preview.live.refresh_soon()
    assert np.abs(shown(preview)).max() == pytest.approx(6.0, rel=0.01)


def test_what_cannot_be_cut_is_said_in_the_panel(make_object, preview):
    sheet = make_object("Sheet", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    sheet.brittle.repair.allow_thickness = False
    bpy.ops.brittle.preview()
    assert "Sheet" in preview.live.note and len(shown(preview)) == 0


def test_shatter_after_a_preview_does_not_cut_again(cube, preview, module, monkeypatch):
    bpy.ops.brittle.preview()
    stage = module("core.diagram")
    monkeypatch.setattr(stage, "cut_with_retry", lambda *_: pytest.fail("cut a second time"))
    assert bpy.ops.brittle.shatter() == {"FINISHED"}


def test_a_shattered_object_shows_no_preview(cube, preview):
    bpy.ops.brittle.shatter()
    bpy.ops.brittle.preview()
    assert len(shown(preview)) == 0 and preview.live.note == ""


def test_another_file_ends_nothing_and_breaks_nothing(cube, preview):
    bpy.ops.brittle.preview()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    preview.live.refresh_soon()
    assert preview.live.is_on() and len(shown(preview)) == 0


def test_the_preview_waits_for_the_compilation(cube, preview, module, monkeypatch):
    warm_up = module("operators.warm_up")
    monkeypatch.setattr(warm_up, "is_busy", lambda: True)
    bpy.ops.brittle.preview()
    assert "Compiling" in preview.live.note and len(shown(preview)) == 0
    assert preview.live.refresh_soon() > 0.0
    monkeypatch.setattr(warm_up, "is_busy", lambda: False)
    assert preview.live.refresh_soon() is None
    assert preview.live.note == "" and len(shown(preview)) > 10


def test_lines_of_rough_faces_bend_and_are_quick(cube, preview, module, monkeypatch):
    stage = module("core.diagram")
    seen, real = [], stage.make_diagram
    monkeypatch.setattr(
        module("operators.quick_cut"), "make_diagram", lambda *given: seen.append(given[2].surface) or real(*given)
    )
    bpy.ops.brittle.preview()
    straight = shown(preview)
    cube.brittle.surface.octaves = 2
    cube.brittle.surface.amplitude = 0.05
    preview.live.refresh(bpy.context)
    bent = shown(preview)
    assert [one.quality for one in seen] == ["final", "preview"]
    assert len(bent) > len(straight)  # lines get points between their ends
