"""Work beside the window: told, ended, refused, asked for something, left behind."""

import threading
import time

import pytest


@pytest.fixture
def aside(module):
    found = module("operators.aside")
    yield found
    found._thread.drop()
    found._thread.wait()


@pytest.fixture
def progress(module):
    return module("core.types").Progress


def run(job):
    """The steps of a job, and what it returned."""
    steps = []
    while True:
        try:
            steps.append(next(job))
        except StopIteration as end:
            return steps, end.value


def test_a_job_is_done_in_another_thread_and_told_as_waiting(aside, progress):
    where = []

    def work():
        where.append(threading.current_thread())
        for k in range(3):
            yield progress(k / 3, f"Step {k}")
            time.sleep(3 * aside.MOMENT)
        return "done"

    steps, result = run(aside.Aside(beside=True).waiting_for(work()))
    assert result == "done" and where != [threading.main_thread()]
    assert all(isinstance(step, aside.Waiting) for step in steps)
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions) and steps[-1].text == "Step 2"


def test_what_the_job_raises_is_raised_where_it_is_waited_for(aside, progress, module):
    def work():
        yield progress(0.0, "Looking")
        raise module("core.errors").InputError("The mesh is open; close it.")

    with pytest.raises(module("core.errors").InputError, match="close it"):
        run(aside.Aside(beside=True).waiting_for(work()))


def test_a_job_may_ask_for_something_of_the_main_thread_and_gets_its_error(aside, progress):
    beside = aside.Aside(beside=True)

    def work():
        yield progress(0.0, "Looking")
        found = beside.ask(threading.current_thread)
        with pytest.raises(ZeroDivisionError):
            beside.ask(lambda: 1 / 0)
        yield progress(0.5, "Working")
        return found

    assert run(beside.waiting_for(work()))[1] == threading.main_thread()
    assert run(work())[1] == threading.main_thread(), "a job that is not beside the window asks itself"


class Held:
    """Work within one long step, of which it is known whether it was closed after that."""

    def __init__(self, progress):
        self.begun, self.go_on, self.closed = threading.Event(), threading.Event(), threading.Event()
        self.progress = progress

    def work(self):
        try:
            yield self.progress(0.0, "Working")
            self.begun.set()
            self.go_on.wait()
            yield self.progress(0.9, "Working")
        finally:
            self.closed.set()


def test_a_long_step_is_left_behind_and_closed_when_it_ends_before_the_next_work_begins(aside, progress):
    held = Held(progress)
    job = aside.Aside(beside=True).waiting_for(held.work())
    while not held.begun.is_set():
        next(job)
    job.close()
    assert not held.closed.is_set(), "nobody waits for the step"

    def other():
        yield progress(0.0, "Other")
        return held.closed.is_set()

    after = aside.Aside(beside=True).waiting_for(other())
    next(after)
    held.go_on.set()
    assert run(after)[1] is True


def test_what_is_left_behind_asks_nobody(aside, progress, module):
    beside, stopped = aside.Aside(beside=True), threading.Event()
    held = Held(progress)

    def work():
        yield from held.work()
        try:
            beside.ask(lambda: None)
        except module("core.errors").Cancelled:
            stopped.set()
            raise

    job = beside.waiting_for(work())
    while not held.begun.is_set():
        next(job)
    held.go_on.set()
    while not held.closed.is_set():
        time.sleep(0.001)
    job.close()
    aside._thread.wait()
    assert stopped.is_set()
