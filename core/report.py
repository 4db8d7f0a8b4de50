"""What was done, in numbers and plain words."""

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

Step = TypeVar("Step")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Report:
    """The account of one Shatter."""

    pieces: int
    volume_in: float  #: [m^3]
    volume_out: float  #: [m^3] of the fragments that live at the end
    closed_pieces: int
    repaired: tuple[str, ...]
    warnings: tuple[str, ...]
    seed: int
    seconds: dict[str, float]  #: wall-clock seconds of work in each stage


class Stopwatch:
    """Seconds of each named stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of a block to the stage `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def timed(self, name: str, job: Generator[Step, None, Result]) -> Generator[Step, None, Result]:
        """The same job; its work counts as the stage `name`, what its driver does between two steps does not."""
        while True:
            with self.stage(name):
                try:
                    step = next(job)
                except StopIteration as stop:
                    return stop.value  # type: ignore[no-any-return]
            yield step
