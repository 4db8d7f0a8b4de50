"""Jobs behind the window: the last one counts, what it raises is raised, and nothing runs on."""

import threading
import time

import pytest


@pytest.fixture
def background(module):
    found = module("operators.background").Background()
    yield found
    found.drop()
    found.wait()


def job(value, steps=3):
    for _ in range(steps):
        time.sleep(0.001)
        yield
    return value


class Endless:
    """A job without an end that tells when it runs, and when it was closed."""

    def __init__(self):
        self.begun, self.closed = threading.Event(), False

    def job(self):
        try:
            while True:
                self.begun.set()
                time.sleep(0.001)
                yield
        finally:
            self.closed = True


def test_a_job_returns_once_and_the_thread_ends(background):
    background.start(job("done"))
    background.wait()
    assert not background.is_busy()
    assert (background.outcome(), background.outcome()) == ("done", None)
    assert "Brittle" not in {thread.name for thread in threading.enumerate()}


def test_another_job_takes_the_place_of_the_first(background):
    first = Endless()
    background.start(first.job())
    assert first.begun.wait(10.0)
    background.start(job("second"))
    background.wait()
    assert first.closed and background.outcome() == "second"


def test_what_is_dropped_says_nothing(background):
    endless = Endless()
    background.start(endless.job())
    assert background.is_busy() and endless.begun.wait(10.0)
    background.drop()
    background.wait()
    assert endless.closed and not background.is_busy() and background.outcome() is None


def test_what_a_job_raises_is_raised_where_one_asks(background):
    def wrong():
        yield
        raise ValueError("a fault")

    background.start(wrong())
    background.wait()
    with pytest.raises(ValueError, match="a fault"):
        background.outcome()
    assert background.outcome() is None
