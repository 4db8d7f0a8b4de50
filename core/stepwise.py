"""Work in steps: generators that yield how far they are, so that others may show it or stop, and return a result."""

from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from .errors import Cancelled
from .types import Progress

Result = TypeVar("Result")
Step = TypeVar("Step")
Other = TypeVar("Other")

#: [s] that a job runs before anything is said of how long it will take, and of its past that tell its pace. By eye:
#: earlier the pace is that of the first steps alone, over longer it lags behind.
FIRST_WORD, RECENT = 1.0, 10.0


def result_of(job: Generator[Any, None, Result]) -> Result:
    """What a job returns, run to its end at once."""
    while True:
        try:
            next(job)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def map_steps(job: Generator[Step, None, Result], told: Callable[[Step], Other]) -> Generator[Other, None, Result]:
    """A job that yields something else at each of its steps: `told` of it; closed, it closes that.

    Cancelled that is thrown into it goes into the job, which may take some more steps then.
    """
    with closing(job):
        advance = partial(next, job)
        while True:
            try:
                step = advance()
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            advance = partial(next, job)
            try:
                yield told(step)
            except Cancelled as stop:
                advance = partial(job.throw, stop)


def scale_steps(
    job: Generator[Progress, None, Result], start: float, end: float, prefix: str = ""
) -> Generator[Progress, None, Result]:
    """A job as the stretch from `start` to `end` of a longer one; its steps stay of their kind."""
    return map_steps(
        job, lambda step: replace(step, fraction=start + (end - start) * step.fraction, text=prefix + step.text)
    )


def overall_share(done: int, number: int, share: float) -> float:
    """How far a job is that consists of a `number` of equal ones, of which so many are done and one to a share."""
    return (done + share) / number


class Pace:
    """How long a job that began at `now` [s] will still take, by how fast it was in the last seconds."""

    def __init__(self, now: float) -> None:
        self._begun = now
        self._marks = deque([(now, 0.0)])

    def seconds_left(self, now: float, fraction: float) -> float | None:
        """Known once the job has run for a moment and has come forward since; never of a job that stands still."""
        self._marks.append((now, fraction))
        while len(self._marks) > 2 and self._marks[1][0] <= now - RECENT:
            self._marks.popleft()
        then, before = self._marks[0]
        if now - self._begun < FIRST_WORD or now <= then or fraction <= before:
            return None
        return (1.0 - fraction) * (now - then) / (fraction - before)
