"""Pieces and the first second of their motion, in the file and in the window while the rest is still computed."""

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, TypeAlias, TypeVar

import bpy

from ..core.results import OfferResults, Shattered
from ..core.stepwise import scale_steps
from ..core.types import Progress
from .aside import Aside, Looking
from .bridge.changes import Changes, whole
from .playback import remember_playhead, show_break

Ready = TypeVar("Ready")
Result = TypeVar("Result")

#: What writes finished work that is not all there is.
Show: TypeAlias = Callable[[list[Ready]], Generator[Progress, None, None]]

#: [s] of work on a break and its first second of motion from which on it is worth while: the rest takes as long again
#: and more, and pieces are written twice. By eye.
WORTH = 2.0
#: Share of the progress after which all is computed, and is written. By eye: so the bar moves about evenly.
WORKED = 0.9


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


def compute_showing_early(
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


def compute_and_write(
    context: bpy.types.Context,
    compute: Callable[[Show[Ready] | None], Generator[Progress, None, list[Ready]]],
    write: Callable[[Sequence[Ready], Changes, bool], Generator[Progress, None, list[Result]]],
    first_frame: Callable[[Sequence[Ready]], int],
    beside: bool,
) -> Generator[Progress, None, list[Result]]:
    """Do all the work and write it; closed before its end it leaves the file as it was.

    compute: given what shows work that is not all there is, None without `beside`. write: given finished work, the
    changes that it belongs to, and whether it is only shown early. first_frame: at which a break begins.
    """

    def job(changes: Changes) -> Generator[Progress, None, list[Result]]:
        def show(ready: list[Ready]) -> Generator[Progress, None, None]:
            return _write_early(context, changes, write(ready, changes, True), first_frame(ready))

        ready = yield from scale_steps(compute(show if beside else None), 0.0, WORKED)
        return (yield from scale_steps(write(ready, changes, False), WORKED, 1.0))

    return (yield from whole(job))


def _write_early(
    context: bpy.types.Context, changes: Changes, writing: Generator[Progress, None, Any], frame: int
) -> Generator[Progress, None, None]:
    """Write what is known by now, and let it be seen from a frame on; it goes when the rest is written."""
    changes.begin()
    changes.undo_by(remember_playhead(context))
    yield from writing
    changes.supersede()
    show_break(context, frame)
