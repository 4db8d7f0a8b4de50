"""Make Final in the life of a file: stopped, undone, redone, saved, clicked twice, restored."""

from itertools import islice

import bpy
import pytest

from tests.blender.fingerprint import differences, fingerprint
from tests.blender.pieces import pieces_of

#: Steps between two places where the job is stopped.
EACH = 3


@pytest.fixture
def broken(cube):
    """A cube in a few rough pieces of preview quality."""
    bpy.context.scene.brittle.frames = 3
    cube.brittle.surface.octaves = 2
    bpy.ops.ed.undo_push(message="whole")
    bpy.ops.brittle.shatter(count=5, quality="preview")
    bpy.ops.ed.undo_push(message="broken")
    return cube


def corners():
    return sum(len(piece.data.vertices) for piece in pieces_of(bpy.data.collections["Cube Fragments"]))


def test_stopped_anywhere_nothing_has_changed(broken, module):
    final, cancelled = module("operators.final"), module("core.errors").Cancelled
    before, coarse = fingerprint(), corners()
    stops = 0
    for stop in range(0, 100, EACH):  # in both cuts, while faces are compared, and while meshes are made
        job = final.final_steps(bpy.context, [broken])
        if sum(1 for _ in islice(job, stop)) < stop:
            break
        with pytest.raises(cancelled):
            while True:
                job.throw(cancelled("Stopped."))
        stops += 1
        assert corners() == coarse and not differences(before, fingerprint()), f"after {stop} steps"
    assert stops > 4 and corners() > coarse


def test_undo_brings_the_preview_back_and_redo_the_final_faces(broken, tmp_path):
    coarse = corners()
    bpy.ops.brittle.make_final()
    fine = corners()
    assert fine > coarse
    bpy.ops.ed.undo_push(message="final")
    for _ in range(2):
        bpy.ops.ed.undo()
        assert corners() == coarse and bpy.ops.brittle.make_final.poll()
        bpy.ops.ed.redo()
        assert corners() == fine and not bpy.ops.brittle.make_final.poll()
    bpy.ops.ed.undo()
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    assert bpy.ops.brittle.make_final() == {"FINISHED"}
    assert corners() == fine
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "final.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "final.blend"))
    assert corners() == fine and not bpy.ops.brittle.make_final.poll()
    bpy.context.view_layer.objects.active = cube = bpy.data.objects["Cube"]
    assert bpy.ops.brittle.restore() == {"FINISHED"}
    assert "Cube Fragments" not in bpy.data.collections and bpy.data.meshes[:] == [cube.data]
    bpy.ops.brittle.shatter()
    assert corners() == coarse, "the next break is as the settings say"


def test_a_saved_preview_is_made_final_later(broken, tmp_path, module):
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "preview.blend"))
    bpy.ops.brittle.make_final()
    fine = corners()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "preview.blend"))
    module("operators.bridge.diagram")._cached.clear()
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    assert corners() < fine and bpy.ops.brittle.make_final() == {"FINISHED"}
    assert corners() == fine
