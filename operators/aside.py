"""Work of the core beside the window: in a thread, while a job of the main thread waits for it and tells how far it is.

The core touches nothing of Blender, so a thread that is wanted no more may be left behind: it ends at its next step,
and the next work begins after that. What it does ask of Blender on its way is done by the job that waits, in the main
thread.
"""

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from ..core.errors import Cancelled
from ..core.types import Progress
from .background import Background

Result = TypeVar("Result")

#: [s] that the main thread waits at a time: short for eyes and hands, long for the work.
MOMENT = 0.004


@dataclass(frozen=True, slots=True)
class Waiting(Progress):
    """A step at which the job waits for something else: nothing of Blender is in use, so the window is free."""


@dataclass(frozen=True, slots=True)
class Looking(Waiting):
    """As `Waiting`, with something in the file already that is looked at: nothing but the view may change."""


@dataclass(slots=True)
class _Errand:
    """Something to be done in the main thread, for the work."""

    call: Callable[[], Any]
    result: Any = None
    error: BaseException | None = None


class Aside:
    """Work in a thread that may ask the main thread for something; with `beside` off, work where it is waited for."""

    def __init__(self, beside: bool) -> None:
        self._beside = beside
        self._changed = threading.Condition()
        self._errand: _Errand | None = None
        self._told = Progress(0.0, "Starting")
        self._ended, self._left = False, False

    def ask(self, call: Callable[[], Result]) -> Result:
        """What a call gives back or raises, made in the main thread. Raises Cancelled where nobody waits any more."""
        if threading.current_thread() is threading.main_thread():
            return call()
        errand = _Errand(call)
        with self._changed:
            self._errand = errand
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._errand is not errand or self._left)
        if self._left:
            raise Cancelled("Stopped; nothing was changed.")
        if errand.error is not None:
            raise errand.error
        return errand.result  # type: ignore[no-any-return]

    def waiting_for(
        self, job: Generator[Progress, None, Result], *, free: bool = True
    ) -> Generator[Progress, None, Result]:
        """A job that waits for another one; closed, it leaves that behind. `free`: the window is, meanwhile.

        One that leaves no window free may work while another one does.
        """
        if not self._beside:
            return (yield from job)
        step, thread = (Waiting, _thread) if free else (Progress, _writing)
        came: list[Result] = []
        thread.start(self._followed(job, came))
        try:
            while not self._ended:
                self._serve()
                yield step(self._told.fraction, self._told.text)
            thread.wait_for_job()
            thread.outcome()  # raises what the job raised
            return came[0]
        finally:
            with self._changed:
                self._left = True
                self._changed.notify_all()
            thread.drop()

    def _followed(self, job: Generator[Progress, None, Result], came: list[Result]) -> Generator[None, None, bool]:
        """The job in the thread, with its steps told."""
        try:
            while True:
                try:
                    self._told = next(job)
                except StopIteration as end:
                    came.append(end.value)
                    return True
                yield
        finally:
            job.close()
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _serve(self) -> None:
        """Wait for a moment, and do what is asked for."""
        with self._changed:
            self._changed.wait_for(lambda: self._errand is not None or self._ended, MOMENT)
            errand = self._errand
        if errand is None:
            return
        try:
            errand.result = errand.call()
        except Exception as error:  # it is raised where the work asked
            errand.error = error
        with self._changed:
            self._errand = None
            self._changed.notify_all()


#: One work at a time: what was left behind ends first.
_thread: Background[bool] = Background()
#: The same for what is computed while something is written.
_writing: Background[bool] = Background()
