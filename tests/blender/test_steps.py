"""Writing goes in steps, also where it takes back what was written, and where it removes what it replaces."""

from itertools import pairwise

import bpy
import pytest

from tests.blender.fingerprint import differences, fingerprint

#: Data-blocks of a step in these tests.
FEW = 2


@pytest.fixture
def changes(module, monkeypatch):
    found = module("operators.bridge.changes")
    for name in ("REMOVED", "RENAMED"):
        monkeypatch.setattr(found, name, FEW)
    return found


@pytest.fixture
def shatter(module, changes):
    return module("operators.shatter")


@pytest.fixture
def run(module):
    return module("core.stepwise").result_of


@pytest.fixture
def ready(cube, shatter, run):
    """A finished break of a cube that was broken already."""
    bpy.context.scene.brittle.frames = 2
    request = shatter.Request(seed=2, preset="Clay", count=6)
    found = run(shatter.steps(bpy.context, [cube], request))
    run(shatter.commit_steps(bpy.context, found))
    return found


def count():
    return sum(len(items) for items in (bpy.data.objects, bpy.data.meshes, bpy.data.collections, bpy.data.actions))


def losses(job):
    """How many data-blocks less there are after each step of a job, to its end."""
    result, before = [], count()
    while True:
        step = next(job, None)
        now = count()
        result.append(before - now)
        before = now
        if step is None:
            return result


def renamed():
    return sum(
        item.name.startswith("Brittle, To Go") for items in (bpy.data.objects, bpy.data.meshes) for item in items
    )


def test_no_step_removes_or_renames_more_than_a_few(shatter, ready):
    there, names = count(), [0]
    job = shatter.commit_steps(bpy.context, ready)
    lost = losses(job_with(job, lambda: names.append(renamed())))
    assert count() == there, "the new pieces are as many as those which they replace"
    assert max(lost) <= FEW and sum(loss for loss in lost if loss > 0) > 4 * FEW
    assert max(after - before for before, after in pairwise(names)) <= FEW and max(names) > 4 * FEW


def job_with(job, look):
    """A job at each of whose steps something is looked at."""
    for step in job:
        look()
        yield step
    look()


def stopped(job, steps, cancelled):
    """Stop a job at one of its steps by what is thrown into it; the number of steps that it took after that.

    None where it had ended before.
    """
    for _ in range(steps):
        if next(job, None) is None:
            return None
    more = 0
    try:
        job.throw(cancelled("Stopped."))
        more += 1
        while next(job, None) is not None:
            more += 1
        return more
    except cancelled:
        return more


def test_whatever_step_it_is_stopped_at_it_takes_all_back_in_steps_or_ends(cube, shatter, ready, run, module, changes):
    cube.brittle.seed = 7
    before, cancelled = fingerprint(), module("core.errors").Cancelled
    job = shatter.commit_steps(bpy.context, ready)
    steps = []
    while (step := next(job, None)) is not None:
        steps.append(step)
    settled = [isinstance(step, changes.CommitPoint) for step in steps]
    first = settled.index(True)
    assert all(settled[first:]) and len(settled) > first + 3
    finished = fingerprint()
    bpy.ops.brittle.restore()
    run(shatter.commit_steps(bpy.context, ready))
    cube.brittle.seed = 7
    before = fingerprint()
    for at in range(1, first + 1, 5):
        more = stopped(shatter.commit_steps(bpy.context, ready), at, cancelled)
        lines = differences(before, fingerprint())
        assert not lines, "\n".join([str(at), *lines[:20]])
    assert more > 3, "what was written was taken back in steps"
    assert stopped(shatter.commit_steps(bpy.context, ready), first + 2, cancelled) == 0
    lines = differences(finished, fingerprint())
    assert not lines, "\n".join(lines[:20])
    assert cube.brittle.seed == 2


def test_taking_back_and_finishing_end_at_once_where_they_are_closed(cube, shatter, ready, module):
    cube.brittle.seed = 7
    before, cancelled = fingerprint(), module("core.errors").Cancelled
    job = shatter.commit_steps(bpy.context, ready)
    for step in job:
        if step.fraction > 0.9:
            break
    job.throw(cancelled("Stopped."))
    assert differences(before, fingerprint()), "it takes several steps"
    job.close()
    assert not differences(before, fingerprint())


def test_restore_goes_in_steps_and_stopped_leaves_all_broken(cube, make_cube, shatter, ready, run, module, changes):
    other = make_cube("Other")
    run(shatter.shatter_steps(bpy.context, [other], shatter.Request(seed=3, count=4)))
    before, cancelled = fingerprint(), module("core.errors").Cancelled
    restored = module("operators.bridge.restore").restore_steps
    first = next(at for at, step in enumerate(restored([cube, other]), 1) if isinstance(step, changes.CommitPoint))
    assert not [item for item in bpy.data.objects if "brittle_fragment" in item], "closed, it comes to its end"
    run(shatter.commit_steps(bpy.context, ready))
    run(shatter.shatter_steps(bpy.context, [other], shatter.Request(seed=3, count=4)))
    for at in range(1, first, 3):
        stopped(restored([cube, other]), at, cancelled)
        lines = [line for line in differences(before, fingerprint()) if "report" not in line]
        assert not lines, "\n".join([str(at), *lines[:20]])
    lost = losses(restored([cube, other]))
    assert max(lost) < 2 * FEW and first > 4, "between two objects there is no step"
    assert sorted(bpy.data.objects.keys()) == ["Cube", "Other"] and not bpy.data.actions
