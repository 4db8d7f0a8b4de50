import pytest

from core import report


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets: seconds in a list of one."""
    now = [0.0]
    monkeypatch.setattr(report.time, "perf_counter", lambda: now[0])
    return now


def test_a_stage_adds_up(clock):
    watch = report.Stopwatch()
    for seconds in (1.0, 2.5):
        with watch.stage("cut"):
            clock[0] += seconds
    assert watch.seconds == {"cut": 3.5}


def test_the_pauses_of_a_job_do_not_count(clock):
    """A window draws between two steps, which may take longer than the work."""

    def job():
        for step in range(3):
            clock[0] += 0.25
            yield step
        clock[0] += 0.5
        return "done"

    watch = report.Stopwatch()
    work, seen = watch.timed("move", job()), []
    while True:
        try:
            seen.append(next(work))
        except StopIteration as stop:
            assert stop.value == "done"
            break
        clock[0] += 60.0
    assert seen == [0, 1, 2]
    assert watch.seconds == {"move": 1.25}


def test_equal_numbers_need_no_reason():
    assert report.differences(100, 100, 3, 3) == ()


@pytest.mark.parametrize(
    ("pattern", "split", "crumbs", "words"),
    [
        (103, 3, 0, ["103 pieces for 100 asked", "3 more where the shape"]),
        (98, 0, 2, ["98 pieces for 100 asked", "2 fewer: too thin"]),
        (96, 0, 0, ["96 pieces for 100 asked", "4 fewer because this layout"]),
        (104, 3, 1, ["104 pieces for 100 asked", "3 more where", "1 fewer: too thin", "2 more because this layout"]),
    ],
)
def test_the_reasons_sum_to_the_difference(pattern, split, crumbs, words):
    said = report.differences(100, pattern, split, crumbs)
    assert len(said) == len(words) and all(word in text for word, text in zip(words, said, strict=True))
