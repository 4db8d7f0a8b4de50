"""Pieces and the first second of motion are in the file while the rest is computed, and leave no trace there."""

import itertools
import time

import bpy
import numpy as np
import pytest

from tests.blender.deforming import key_shape
from tests.blender.fingerprint import differences, fingerprint
from tests.blender.pieces import pieces_of

FRAMES, FIRST = 40, 3


@pytest.fixture
def shatter(module, monkeypatch):
    monkeypatch.setattr(module("operators.early"), "WORTH", 0.0)
    yield module("operators.shatter")
    for thread in (module("operators.aside")._thread, module("operators.aside")._writing):
        thread.drop()
        thread.wait()


@pytest.fixture
def slow(module, monkeypatch):
    """Nothing of the core goes on after the first second before it was looked at."""
    early = module("operators.early").Early
    offer, go_on = early.offer, []

    def and_wait(self, make):
        offer(self, make)
        while not go_on:
            time.sleep(0.001)

    monkeypatch.setattr(early, "offer", and_wait)
    return go_on


def job_of(shatter, cube, beside=True):
    return shatter.shatter_steps(bpy.context, [cube], shatter.Request(seed=2, count=5), beside=beside)


def prepare(cube, again, shatter, module):
    bpy.context.scene.brittle.frames = FRAMES
    bpy.context.scene.frame_set(3)
    if again:
        module("core.stepwise").result_of(job_of(shatter, cube, beside=False))


def until_seen(job, module):
    """The first step at which pieces are looked at."""
    for step in job:
        if isinstance(step, module("operators.aside").Looking):
            return step
    raise AssertionError("nothing was seen")


def simulation_of(simulate, *objects):
    return simulate.simulate_steps(bpy.context, objects, simulate.SimulateRequest(seed=2), beside=True)


@pytest.fixture
def simulate(shatter, module, cube, make_cube):
    """A cube that falls and breaks within the first second, and one that is led and deforms until it breaks later."""
    cube.location.z = 1.0
    late = make_cube("Late")
    late.location.x = 4.0
    late.brittle.voronoi.count = 5
    key_shape(late, lambda x, y, z: (x, y, 1.2 * z), [(FIRST, 0.0), (FIRST + FRAMES, 1.0)])
    for obj in (cube, late):
        obj.brittle.breakable.breaks, obj.brittle.breakable.speed = True, 0.5
        obj.brittle.impact_factor.durability = 0.01
    wall = make_cube("Wall")
    wall.brittle.collider = True
    for frame, x in ((FIRST, 8.0), (FIRST + 27, 8.0), (FIRST + 32, 5.5)):
        wall.location.x = x
        wall.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, FIRST + FRAMES - 1
    scene.brittle.frames = FRAMES
    scene.frame_set(FIRST)
    return module("operators.simulate")


def test_what_is_simulated_is_seen_early_as_well(cube, simulate, module, slow):
    """Its end is that of a run without a window, value by value, though the scene is led to other frames meanwhile."""
    result_of, late = module("core.stepwise").result_of, bpy.data.objects["Late"]
    simulate.simulate(bpy.context, objects=[cube, late], seed=2)
    wanted = without_clock(fingerprint())
    assert len(pieces_of(bpy.data.collections["Late Fragments"])) > 1
    for obj in (late, cube):
        module("operators.bridge.restore").restore(obj)
    job = simulation_of(simulate, cube, late)
    until_seen(job, module)
    first = FIRST + bpy.context.scene.render.fps
    assert keyed_until(cube) == [first] and len(pieces_of(bpy.data.collections["Cube Fragments"])) > 1
    assert not pieces_of(bpy.data.collections["Late Fragments"]), "it is seen itself, as it deforms"
    bpy.context.scene.frame_set(first)  # as if it was played
    slow.append(True)
    result_of(job)
    bpy.context.scene.frame_set(FIRST)
    lines = differences(wanted, without_clock(fingerprint()))
    assert not lines, "\n".join(lines[:20])


def test_a_simulation_that_is_stopped_while_it_is_seen_leaves_all_as_it_was(cube, simulate, module, slow):
    cancelled = module("core.errors").Cancelled
    before = fingerprint()
    job = simulation_of(simulate, cube, bpy.data.objects["Late"])
    until_seen(job, module)
    assert differences(before, fingerprint())
    with pytest.raises(cancelled):
        job.throw(cancelled("Stopped."))
        module("core.stepwise").result_of(job)
    lines = differences(before, fingerprint())
    assert not lines, "\n".join(lines[:20])
    slow.append(True)


def keyed_until(cube):
    """The last frame of the keys of each collection of pieces."""
    found = [item for item in bpy.data.collections if item.get("brittle_source") == cube]
    return [item["brittle_action"].frame_range[1] for item in found]


def without_clock(table):
    """Without what tells how long it took, and the numbers of drivers, of which the first ones are taken meanwhile."""
    return {path: value for path, value in table.items() if "report" not in path and "Brittle Awake" not in path}


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_what_is_seen_early_becomes_what_is_written_at_once(cube, shatter, module, slow, again):
    result_of = module("core.stepwise").result_of
    prepare(cube, again, shatter, module)
    result_of(job_of(shatter, cube, beside=False))
    wanted = without_clock(fingerprint())
    bpy.ops.brittle.restore()
    prepare(cube, again, shatter, module)
    job = job_of(shatter, cube)
    until_seen(job, module)
    fps = bpy.context.scene.render.fps
    assert keyed_until(cube)[-1] <= 3 + fps < keyed_until(cube)[0] if again else keyed_until(cube) == [3 + fps]
    assert next(job).fraction < 1.0, "the core goes on"
    slow.append(True)
    (result,) = result_of(job)
    assert keyed_until(cube) == [3 + FRAMES - 1] and result.fragments.get("brittle_source") == cube
    lines = differences(wanted, without_clock(fingerprint()))
    assert not lines, "\n".join(lines[:20])


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_stopped_while_it_is_seen_all_is_as_it_was(cube, shatter, module, slow, again):
    prepare(cube, again, shatter, module)
    bpy.context.scene.frame_set(7)
    before, cancelled = fingerprint(), module("core.errors").Cancelled
    for close in (False, True):
        job = job_of(shatter, cube)
        until_seen(job, module)
        bpy.context.scene.frame_set(11)  # as if it was played
        assert differences(before, fingerprint())
        if close:
            job.close()
        else:
            with pytest.raises(cancelled):
                job.throw(cancelled("Stopped."))
                module("core.stepwise").result_of(job)
        lines = differences(before, fingerprint())
        assert not lines, "\n".join(lines[:20])
        slow.append(True)
        module("operators.aside")._thread.wait()
        slow.clear()


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
def test_stopped_while_it_is_written_over_what_was_seen_all_is_as_it_was(cube, shatter, module, slow, again):
    prepare(cube, again, shatter, module)
    before, cancelled = fingerprint(), module("core.errors").Cancelled
    slow.append(True)
    stops = 0
    for more in (0, 1, 2, 4, 8, 16):
        job = job_of(shatter, cube)
        until_seen(job, module)
        writing = (step for step in job if not isinstance(step, module("operators.aside").Waiting))
        steps = list(itertools.islice(writing, more + 1))
        if isinstance(steps[-1], module("operators.bridge.changes").CommitPoint) or len(steps) <= more:
            job.close()
            bpy.ops.brittle.restore()
            break
        with pytest.raises(cancelled):
            job.throw(cancelled("Stopped."))
            module("core.stepwise").result_of(job)
        stops += 1
        lines = differences(before, fingerprint())
        assert not lines, "\n".join([str(more), *lines[:20]])
    assert stops > 2


def test_what_is_early_is_the_first_second_of_what_comes(cube, shatter, module, monkeypatch):
    """Motion is what it is without an offer, to the bit, and what is offered is its beginning."""
    result_of, pipeline = module("core.stepwise").result_of, module("core.pipeline")
    offered, steps = [], pipeline.steps_together

    def note(items, loads, *_):
        return steps(items, loads, lambda make: offered.append(make()))

    bpy.context.scene.brittle.frames = FRAMES
    request = shatter.Request(seed=2, count=5)
    (plain,) = result_of(shatter.steps(bpy.context, [cube], request))
    monkeypatch.setattr(pipeline, "steps_together", note)
    (watched,) = result_of(shatter.steps(bpy.context, [cube], request))
    ((early,),) = offered
    whole, first = watched.shattered.motion, early.motion
    for name in ("position", "rotation", "alive", "energy"):
        assert np.array_equal(getattr(whole, name), getattr(plain.shattered.motion, name))
        assert np.array_equal(getattr(whole, name)[: len(first.time)], getattr(first, name))
    assert len(first.time) == bpy.context.scene.render.fps + 1 < len(whole.time) == FRAMES
    assert np.array_equal(early.fragments.vertices, watched.shattered.fragments.vertices)


def test_a_break_that_is_quick_is_written_once(cube, shatter, module, monkeypatch):
    monkeypatch.setattr(module("operators.early"), "WORTH", 1e6)
    bpy.context.scene.brittle.frames = FRAMES
    looking = module("operators.aside").Looking
    assert not any(isinstance(step, looking) for step in job_of(shatter, cube))
    assert keyed_until(cube) == [FRAMES]


def test_an_undo_by_another_window_while_it_is_seen_loses_nothing(cube, shatter, module, slow):
    bpy.context.scene.brittle.frames = FRAMES
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.object.empty_add()
    bpy.ops.ed.undo_push(message="an empty")
    there = {name: sorted(getattr(bpy.data, name).keys()) for name in ("objects", "meshes", "collections", "actions")}
    job = job_of(shatter, cube)
    until_seen(job, module)
    bpy.ops.ed.undo()
    job.close()
    there["objects"].remove("Empty")
    assert there == {name: sorted(getattr(bpy.data, name).keys()) for name in there}
    slow.append(True)


def test_of_objects_that_do_not_meet_the_first_is_seen_while_the_others_are_computed(
    cube, make_cube, shatter, module, monkeypatch
):
    early = module("operators.early").Early
    offer = early.offer

    def until_taken(self, make):
        offer(self, make)
        while self._came is not None:
            time.sleep(0.001)

    monkeypatch.setattr(early, "offer", until_taken)
    other = make_cube("Other")
    other.location.x, other.brittle.motion = 5.0, "su"
    bpy.context.scene.brittle.frames = FRAMES
    aside = module("operators.aside")
    job = shatter.shatter_steps(bpy.context, [cube, other], shatter.Request(seed=2, count=4), beside=True)
    waits = [type(step) for step in job if isinstance(step, aside.Waiting)]
    first = waits.index(aside.Looking)
    assert set(waits[first:]) == {aside.Looking}
    assert [keyed_until(one) for one in (cube, other)] == [[FRAMES], [FRAMES]]
