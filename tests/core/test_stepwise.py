"""Jobs in steps: what they return, what they tell, and how long they will take."""

import pytest

from core.errors import Cancelled
from core.stepwise import FIRST_WORD, RECENT, Pace, map_steps, result_of, scale_steps
from core.types import Progress


def counted(number):
    yield from range(number)
    return "done"


def test_a_mapped_job_tells_something_else_and_returns_the_same():
    job = map_steps(counted(3), lambda k: 10 * k)
    assert [next(job) for _ in range(3)] == [0, 10, 20]
    assert result_of(map_steps(counted(3), str)) == "done"


def test_a_scaled_job_is_a_stretch_of_a_longer_one():
    def job():
        yield Progress(0.0, "a")
        yield Progress(0.5, "b")
        yield Progress(1.0, "c")

    assert [(step.fraction, step.text) for step in scale_steps(job(), 0.25, 0.75)] == [
        (0.25, "a"),
        (0.5, "b"),
        (0.75, "c"),
    ]


@pytest.mark.parametrize("whole", [4.0, 60.0, 3600.0])
def test_a_steady_job_knows_what_is_left_from_the_first_second_on(whole):
    pace = Pace(100.0)
    for k in range(1, 20):
        passed = 0.125 * k * FIRST_WORD
        left = pace.seconds_left(100.0 + passed, passed / whole)
        assert left is None if passed < FIRST_WORD else left == pytest.approx(whole - passed)


def test_what_is_left_follows_the_pace_of_the_last_seconds():
    """A third of the job in a second, by cutting, and then 100 s for the rest, by moving."""
    pace = Pace(0.0)
    pace.seconds_left(1.0, 1 / 3)
    for second in range(2, 60):
        left = pace.seconds_left(second, 1 / 3 + 2 / 3 * (second - 1) / 100.0)
    assert second > 2 * RECENT
    assert left == pytest.approx(100.0 - (second - 1))


def test_nothing_is_told_of_a_job_that_stands_still():
    pace = Pace(0.0)
    assert pace.seconds_left(5.0, 0.0) is None
    assert pace.seconds_left(5.0, 0.0) is None
    pace.seconds_left(6.0, 0.5)
    assert all(pace.seconds_left(6.0 + k * RECENT, 0.5) is None for k in (2, 3))


def test_cancelled_goes_into_a_job_that_is_mapped_which_may_go_on_for_a_while():
    came = []

    def job():
        try:
            yield 1
            yield 2
        except Cancelled as stop:
            came.append(str(stop))
            yield 10
            yield 11
            raise

    running = map_steps(job(), lambda step: -step)
    assert next(running) == -1
    assert running.throw(Cancelled("Stopped.")) == -10
    assert next(running) == -11
    with pytest.raises(Cancelled, match="Stopped"):
        next(running)
    assert came == ["Stopped."]
