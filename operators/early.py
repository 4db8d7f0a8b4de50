"""Pieces and the first second of their motion, in the file and in the window while the rest is still computed."""

import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeVar

from ..core.results import Shattered
from ..core.stepwise import scale_steps
from ..core.types import Progress
from .aside import Looking

Result = TypeVar("Result")

#: [s] of work on a break and its first second of motion from which on it is worth while: the rest takes as long again
#: and more, and pieces are written twice.
WORTH = 2.0


class Early:
    """What is known early of several breaks, one after the other: offered in the thread of the core, taken in that of
    the window.
    """

    def __init__(self) -> None:
        self.seen = False  #: whether anything was shown
        self._begun = time.perf_counter()
        self._came: tuple[Shattered, ...] | None = None

    def offer(self, make: Callable[[], tuple[Shattered, ...]]) -> None:
        """Make it, where that is worth while."""
        if time.perf_counter() - self._begun >= WORTH:
            self._came = make()

    def take(self) -> tuple[Shattered, ...] | None:
        """What was offered, once."""
        came, self._came = self._came, None
        return came


def shown_early(
    work: Generator[Progress, None, Result],
    early: Early,
    show: Callable[[tuple[Shattered, ...]], Generator[Progress, None, None]],
) -> Generator[Progress, None, Result]:
    """A job beside the window, with what it offers shown as soon as it is there: from then on one may look at it.

    Where it ends first, nothing is.
    """
    with closing(work):
        while True:
            try:
                step = next(work)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            if (came := early.take()) is not None:
                yield from scale_steps(show(came), step.fraction, step.fraction)
                early.seen = True
            yield Looking(step.fraction, step.text) if early.seen else step
