"""Find Threshold: the strain at which springs tear is found and set, for all that is selected."""

import bpy
import pytest

from tests.blender.fingerprint import differences, fingerprint
from tests.blender.modal import WindowContext, event


@pytest.fixture
def soft(make_cube):
    """A cube of soft porcelain."""
    cube = make_cube("Soft")
    bpy.context.view_layer.objects.active = cube
    assert bpy.ops.brittle.preset_apply(name="Soft Porcelain") == {"FINISHED"}
    return cube


def test_what_is_found_is_set_and_shown(soft, module):
    bpy.ops.ed.undo_push(message="before")
    before = soft.brittle.spring_lattice.failure_strain
    assert bpy.ops.brittle.find_threshold(height=0.3) == {"FINISHED"}
    low = soft.brittle.spring_lattice.failure_strain
    assert low != before
    bars = module("operators.soft_matter.threshold").tried_strains(soft)
    assert len(bars) > 5 and bars[0][1] > bars[-1][1] == 0.0 and all(": " in text for text, _ in bars)
    # The speed goes with the root of the height, and strain with the speed, while that is small.
    assert bpy.ops.brittle.find_threshold(height=1.2) == {"FINISHED"}
    assert soft.brittle.spring_lattice.failure_strain > 1.3 * low


def test_all_that_springs_break_is_tuned_alike(soft, make_cube):
    other, glass = make_cube("Other"), make_cube("Glass")
    bpy.context.view_layer.objects.active = other
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj == other)
    assert bpy.ops.brittle.preset_apply(name="Rubber") == {"FINISHED"}
    for obj in (soft, other, glass):
        obj.select_set(True)
    bpy.context.view_layer.objects.active = soft
    kept = glass.brittle.spring_lattice.failure_strain
    assert bpy.ops.brittle.find_threshold() == {"FINISHED"}
    assert other.brittle.spring_lattice.failure_strain == soft.brittle.spring_lattice.failure_strain
    assert glass.brittle.spring_lattice.failure_strain == kept


def test_without_springs_there_is_nothing_to_find(make_cube):
    bpy.context.view_layer.objects.active = make_cube("Glass")
    assert not bpy.ops.brittle.find_threshold.poll()


@pytest.fixture
def modal(module, monkeypatch):
    """The operator without Blender's metaclass, whose every step takes longer than an artist waits."""
    job, threshold = module("operators.job"), module("operators.soft_matter.threshold")
    monkeypatch.setattr(job, "PATIENCE", 0.0)
    monkeypatch.setattr(job, "SLICE", 0.0)
    real = threshold.BRITTLE_OT_find_threshold

    class Double(job.JobOperator):
        height, share = 1.0, 0.25
        steps, reads, finish = real.steps, real.reads, real.finish

        def __init__(self):
            self.reports = []

        def report(self, kind, text):
            self.reports.append((kind, text))

    return Double()


def test_stopped_by_escape_it_sets_nothing_and_shows_what_was_found_before(soft, module, modal):
    assert bpy.ops.brittle.find_threshold(height=0.3) == {"FINISHED"}
    shown, before = module("operators.soft_matter.threshold").tried_strains(soft), fingerprint()
    context = WindowContext()
    assert modal.invoke(context, event("NONE")) == {"RUNNING_MODAL"}
    for _ in range(20):
        assert modal.modal(context, event("TIMER")) == {"RUNNING_MODAL"}
    ended = modal.modal(context, event("ESC"))
    while ended == {"RUNNING_MODAL"}:
        ended = modal.modal(context, event("TIMER"))
    assert ended == {"CANCELLED"} and [kind for kind, _ in modal.reports] == [{"INFO"}]
    assert not differences(before, fingerprint())
    assert module("operators.soft_matter.threshold").tried_strains(soft) == shown


def test_undone_it_tears_at_what_it_did_before(soft):
    before = soft.brittle.spring_lattice.failure_strain
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.brittle.find_threshold() == {"FINISHED"}
    found = soft.brittle.spring_lattice.failure_strain
    assert found != before
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert bpy.data.objects["Soft"].brittle.spring_lattice.failure_strain == before
    bpy.ops.ed.redo()
    assert bpy.data.objects["Soft"].brittle.spring_lattice.failure_strain == found
