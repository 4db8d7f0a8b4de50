"""Pieces and the first second of their motion, in the file and in the window while the rest is still computed."""

import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, TypeAlias, TypeVar

import bpy

from ..core.results import OfferResults, Shattered
from ..core.stepwise import scale_steps
from ..core.types import Progress
from .aside import Aside, Looking
from .bridge.changes import Changes
from .playback import remember_playhead, show_break

Ready = TypeVar("Ready")

#: What writes finished work that is not all there is.
Show: TypeAlias = Callable[[list[Ready]], Generator[Progress, None, None]]

#: [s] of work on a break and its first second of motion from which on it is worth while: the rest takes as long again
#: and more, and pieces are written twice. By eye.
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
    aside: Aside,
    work: Callable[[OfferResults | None], Generator[Progress, None, tuple[Shattered, ...]]],
    finished: Callable[[tuple[Shattered, ...]], list[Ready]],
    early: Early,
    show: Show[Ready] | None,
) -> Generator[Progress, None, list[Ready]]:
    """A job of the core, `finished`; what it offers is shown as soon as it is there, and may be looked at from then on.

    Where it ends first, or `show` is None, nothing is.
    """
    if show is None:
        return finished((yield from aside.waiting_for(work(None))))
    with closing(aside.waiting_for(work(early.offer))) as waiting:
        while True:
            try:
                step = next(waiting)
            except StopIteration as end:
                return finished(end.value)
            if (came := early.take()) is not None:
                yield from scale_steps(show(finished(came)), step.fraction, step.fraction)
                early.seen = True
            yield Looking(step.fraction, step.text) if early.seen else step


def written_early(
    context: bpy.types.Context, changes: Changes, writing: Generator[Progress, None, Any], frame: int
) -> Generator[Progress, None, None]:
    """Write what is known by now, and let it be seen from a frame on; it goes when the rest is written."""
    changes.begin()
    changes.undo_by(remember_playhead(context))
    yield from writing
    changes.supersede()
    show_break(context, frame)
