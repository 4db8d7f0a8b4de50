"""The job and its drivers, without a window: the modal operator is a plain object that gets made-up events."""

from types import SimpleNamespace

import bpy
import pytest

from tests.blender.modal import WindowContext, event


@pytest.fixture
def job(module):
    return module("operators.job")


@pytest.fixture
def progress(module):
    return module("core.types").Progress


@pytest.fixture
def steps(progress, module):
    """A generator of three steps that returns "done", and notes how far it came and whether it was closed."""
    log = []

    def run():
        try:
            for index in range(3):
                log.append(index)
                yield progress(index / 3, f"Step {index}")
            return "done"
        except (GeneratorExit, module("core.errors").Cancelled):
            log.append("closed")
            raise

    return SimpleNamespace(run=run, log=log)


@pytest.fixture
def context():
    """What a modal operator touches of Blender's context, with a log of the calls."""
    return WindowContext()


@pytest.fixture
def operator(job, steps):
    """A double of an operator class: the mixin without Blender's metaclass."""

    class Double(job.JobOperator):
        def __init__(self):
            self.reports = []
            self.written = []

        def steps(self, context):
            return steps.run()

        def reads(self, context):
            return []

        def finish(self, context, result):
            self.written.append(result)
            return {"FINISHED"}

        def report(self, kind, text):
            self.reports.append((kind, text))

    return Double()


def names(context):
    return [entry[0] for entry in context.log]


def test_a_job_advances_one_step_when_it_has_no_time(job, steps):
    work = job.Job(steps.run())
    assert not work.advance(0.0)
    assert (steps.log, work.progress.text) == ([0], "Step 0")


def test_a_job_with_time_finishes_and_holds_its_result(job, steps):
    work = job.Job(steps.run())
    assert work.advance(60.0)
    assert work.result == "done"
    assert work.advance(60.0), "advancing a finished job is harmless"


def test_a_cancelled_job_closes_its_generator(job, steps):
    work = job.Job(steps.run())
    work.advance(0.0)
    work.cancel()
    assert steps.log == [0, "closed"]


def test_run_blocking_shows_progress_and_stops_on_request(job, steps, module):
    seen = []
    assert job.run_blocking(steps.run(), lambda step: seen.append(step.fraction)) == "done"
    assert seen == sorted(seen) and len(seen) == 3
    with pytest.raises(module("core.errors").Cancelled):
        job.run_blocking(steps.run(), lambda step: True)
    assert steps.log[-1] == "closed"


def test_the_time_that_is_left_is_told_once_it_is_long(job, progress, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(job.time, "perf_counter", lambda: now[0])

    def steps():
        for second in range(1, 61):
            now[0] = float(second)
            yield progress(second / 60.0, "Moving 9 pieces")

    told = []
    job.run_blocking(steps(), lambda step: told.append(step.text))
    assert told[0] == "Moving 9 pieces, about 60 s left"
    assert told[29] == "Moving 9 pieces, about 30 s left"
    assert told[-1] == "Moving 9 pieces"


def test_execute_finishes_without_touching_the_window(operator, context):
    assert operator.execute(context) == {"FINISHED"}
    assert (operator.written, context.log) == (["done"], [])


def test_quick_work_is_done_in_invoke_without_going_modal(operator, context):
    assert operator.invoke(context, event("NONE")) == {"FINISHED"}
    assert (operator.written, context.log) == (["done"], [])


@pytest.fixture
def slow(job, monkeypatch):
    """Every step takes longer than an artist waits."""
    monkeypatch.setattr(job, "PATIENCE", 0.0)
    monkeypatch.setattr(job, "SLICE", 0.0)


def test_long_work_goes_modal_shows_progress_and_writes_at_the_end(operator, context, slow):
    assert operator.invoke(context, event("NONE")) == {"RUNNING_MODAL"}
    results = []
    while results[-1:] != [{"FINISHED"}]:
        assert operator.written == [], "nothing is written before the end"
        results.append(operator.modal(context, event("TIMER")))
    assert operator.written == ["done"]
    assert names(context).count("timer added") == names(context).count("timer removed") == 1
    assert [entry[1:] for entry in context.log if entry[0] == "status"][-1] == (None,)
    shown = [entry[1] for entry in context.log if entry[0] == "progress"]
    assert shown == sorted(shown)


def test_panels_see_the_progress_for_as_long_as_the_job_runs(operator, context, slow, job):
    assert job.JobOperator.shown is None
    operator.invoke(context, event("NONE"))
    assert job.JobOperator.shown.text == "Step 0"
    assert "sidebar" in names(context)
    operator.modal(context, event("ESC"))
    assert job.JobOperator.shown is None


def test_slow_drawing_gets_half_of_the_time_at_most(operator, context, job, monkeypatch, progress):
    budgets, now = [], [0.0]
    monkeypatch.setattr(job.time, "perf_counter", lambda: now[0])
    operator.timer = "timer"
    operator.job = SimpleNamespace(
        advance=budgets.append, progress=progress(0.5, "Halfway"), waits=False, is_looked_at=False
    )
    for drawing in (0.001, 0.3, 3600.0):  # the last one: a computer that slept
        operator.paused = now[0]
        now[0] += drawing
        operator.modal(context, event("TIMER"))
    assert budgets == pytest.approx([job.SLICE, 0.3, job.SLICE_MAX])
    operator._end_display(context)


@pytest.fixture
def endless(operator, progress, module):
    """A job that reads, and then waits for something that never comes to its end."""

    def run(_):
        yield progress(0.0, "Reading")
        while True:
            yield module("operators.aside").Waiting(0.5, "Working")

    operator.steps = run


def test_events_are_held_back_while_the_job_reads_and_go_through_while_it_works(operator, context, slow, endless):
    operator.invoke(context, event("NONE"))
    assert operator.modal(context, event("X")) == {"RUNNING_MODAL"}
    operator.modal(context, event("TIMER"))
    assert operator.modal(context, event("MIDDLEMOUSE")) == {"PASS_THROUGH"}
    operator.modal(context, event("ESC"))


def move(cube):
    cube.location.x = 3.0
    bpy.context.view_layer.update()


def grow(cube):
    cube.data.vertices[0].co.x = -3.0
    cube.data.update()
    bpy.context.view_layer.update()


def delete(cube):
    bpy.data.objects.remove(cube)
    bpy.context.view_layer.update()


HARM = {move: "'Cube' was changed", grow: "'Cube' was changed", delete: "'Cube' was deleted"}


@pytest.mark.parametrize("harm", HARM)
def test_what_the_job_has_read_must_stay_as_it_is(operator, context, slow, endless, cube, harm):
    operator.reads = lambda _: [cube]
    operator.invoke(context, event("NONE"))
    operator.modal(context, event("TIMER"))
    bpy.data.objects.new("Other", None).location.x = 1.0
    bpy.context.scene.frame_set(5)
    assert operator.modal(context, event("TIMER")) == {"RUNNING_MODAL"}, "neither does a change of frame do harm"
    harm(cube)
    assert operator.modal(context, event("TIMER")) == {"CANCELLED"}
    ((_, said),) = operator.reports
    assert HARM[harm] in said and operator.written == []
    handlers = bpy.app.handlers
    for found in (handlers.depsgraph_update_post, handlers.undo_post, handlers.redo_post):
        assert not [one for one in found if "watch" in one.__module__]


def test_escape_stops_with_nothing_written(operator, context, slow, steps):
    operator.invoke(context, event("NONE"))
    assert operator.modal(context, event("ESC")) == {"CANCELLED"}
    assert operator.written == []
    assert steps.log == [0, "closed"]
    assert "timer removed" in names(context) and "progress ended" in names(context)


def test_what_is_written_is_taken_back_in_steps_while_nothing_else_may_happen(
    operator, context, slow, progress, module
):
    log, cancelled = [], module("core.errors").Cancelled

    def run(_):
        try:
            yield progress(0.5, "Writing")
        except cancelled:
            for step in range(3):
                log.append(step)
                yield module("operators.bridge.changes").CommitPoint(1.0, "Taking back")
            raise

    operator.steps = run
    operator.invoke(context, event("NONE"))
    assert operator.modal(context, event("ESC")) == {"RUNNING_MODAL"} and log == [0]
    assert operator.modal(context, event("ESC")) == {"RUNNING_MODAL"} and log == [0], "it is stopped once"
    assert operator.modal(context, event("MOUSEMOVE")) == {"RUNNING_MODAL"}
    while (ended := operator.modal(context, event("TIMER"))) == {"RUNNING_MODAL"}:
        pass
    assert ended == {"CANCELLED"} and log == [0, 1, 2]
    assert operator.reports == [({"INFO"}, "Stopped; nothing was changed.")] and operator.written == []
    assert names(context).count("timer added") == names(context).count("timer removed") == 1


def test_what_is_looked_at_may_be_turned_and_played_and_nothing_else(operator, context, slow, module, cube):
    looking = module("operators.aside").Looking

    def run(_):
        while True:
            yield looking(0.5, "Moving 9 pieces")

    operator.steps, operator.reads = run, lambda _: [cube]
    operator.invoke(context, event("NONE"))
    for kind, passes in (("MIDDLEMOUSE", True), ("TIMER0", True), ("LEFTMOUSE", False), ("Z", False), ("DEL", False)):
        wanted = {"PASS_THROUGH"} if passes else {"RUNNING_MODAL"}
        assert operator.modal(context, event(kind)) == wanted, kind
    cube.location.x = 1.0  # as what was written does, nobody else can
    bpy.context.view_layer.update()
    assert operator.modal(context, event("TIMER")) == {"RUNNING_MODAL"}
    assert operator.seen
    bpy.app.handlers.undo_post[-1]()  # as by another window
    assert operator.modal(context, event("TIMER")) == {"CANCELLED"}
    ((kind, said),) = operator.reports
    assert kind == {"ERROR"} and "undo" in said


def test_what_is_settled_is_not_stopped(operator, context, slow, module):
    def run(_):
        yield module("operators.bridge.changes").CommitPoint(1.0, "Removing earlier pieces")
        return "done"

    operator.steps = run
    operator.invoke(context, event("NONE"))
    assert operator.modal(context, event("ESC")) == {"RUNNING_MODAL"}
    assert operator.modal(context, event("TIMER")) == {"FINISHED"}
    assert operator.written == ["done"] and operator.reports == []


def test_a_job_of_the_redo_panel_lets_the_view_be_turned_and_brings_the_earlier_result_back(
    operator, context, slow, endless, module, monkeypatch
):
    again, brought = module("operators.again"), []
    monkeypatch.setattr(again, "bring_back_soon", lambda: brought.append(True))
    monkeypatch.setattr(again, "begins", lambda: True)
    operator.invoke(context, event("NONE"))
    monkeypatch.setattr(again, "begins", lambda: False)
    operator.modal(context, event("TIMER"))
    assert operator.modal(context, event("MIDDLEMOUSE")) == {"PASS_THROUGH"}
    assert operator.modal(context, event("X")) == {"RUNNING_MODAL"}, "a change would lose the earlier result"
    assert operator.modal(context, event("ESC")) == {"CANCELLED"}
    assert brought == [True]


def failing(error):
    yield from ()
    raise error


def test_a_refusal_is_reported_and_the_window_is_given_back(operator, context, slow, module, progress):
    def refuse(_):
        yield progress(0.1, "Looking")
        raise module("core.errors").InputError("The mesh is open; close it.")

    operator.steps = refuse
    assert operator.invoke(context, event("NONE")) == {"RUNNING_MODAL"}
    assert operator.modal(context, event("TIMER")) == {"CANCELLED"}
    assert operator.reports == [({"ERROR"}, "The mesh is open; close it.")]
    assert "timer removed" in names(context)


def test_a_defect_is_not_swallowed(operator, context):
    operator.steps = lambda _: failing(ZeroDivisionError("a defect"))
    with pytest.raises(ZeroDivisionError):
        operator.execute(context)
