"""One job, three drivers: work that yields Progress, run at once, by a modal operator, or by the command line.

A job reads, works, and writes last, under `bridge.changes`: one that is cancelled, or that fails, leaves everything as
it was.
"""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from ..core.errors import BrittleError, Cancelled
from ..core.stepwise import Pace
from ..core.types import Progress
from ..core.wording import duration
from . import again, warm_up
from .aside import Looking, Waiting
from .bridge.changes import CommitPoint
from .watch import Watch

Result = TypeVar("Result")

#: Share of the progress of most jobs that is looking at the scene. By eye.
READ = 0.05
#: What is said when a job was stopped.
STOPPED = "Stopped; nothing was changed."
#: What a job says that waits for machine code.
COMPILING = "Compiling (first use only)"
#: [s] work for which an artist waits without a progress display. By eye: less is felt as at once.
PATIENCE = 0.3
#: [s] least and most work between two redraws of the window. By eye: 25 pictures in a second at first, one in a second
#: of what takes long.
SLICE, SLICE_MAX = 0.04, 1.0
#: [s] time left from which on it is told. By eye.
WORTH_TELLING = 3.0
#: Events by which Blender plays, and draws what it plays.
PLAYING = ("TIMER0", "TIMER1", "TIMER2", "TIMER_JOBS", "TIMER_AUTOSAVE", "TIMER_REPORT", "TIMERREGION")
#: [s] time between two timer events. By eye: as often as a hand is seen to move.
TICK = 0.05


@dataclass(frozen=True, slots=True)
class Foretold(Waiting):
    """A step of which it is known how long it and those after it will take."""

    left: float = 0.0  #: [s]


class Job(Generic[Result]):
    """A generator of Progress that can be run bit by bit; `result` holds what it returned once it has finished."""

    result: Result

    def __init__(self, steps: Generator[Progress, None, Result]) -> None:
        self.progress = Progress(0.0, "Starting")
        self.finished = False
        self._steps = steps
        self._pace = Pace(time.perf_counter())

    def advance(self, budget: float, *, patient: bool = False) -> bool:
        """Work for about `budget` seconds, one step at least; True when the job has finished.

        Where the job waits for something else there is nothing to do, unless one is `patient`.
        """
        end = time.perf_counter() + budget
        while not self.finished:
            self._step()
            if time.perf_counter() >= end or (self.waits and not patient):
                break
        return self.finished

    @property
    def waits(self) -> bool:
        """Whether the job waits for something else, with nothing of Blender in use."""
        return isinstance(self.progress, Waiting)

    @property
    def is_looked_at(self) -> bool:
        """Whether it waits with something in the file that is looked at, see `aside.Looking`."""
        return isinstance(self.progress, Looking)

    @property
    def is_settled(self) -> bool:
        """Whether it makes no difference any more to stop it."""
        return self.finished or isinstance(self.progress, CommitPoint)

    def stop(self) -> None:
        """Let the job take back what it has changed, in steps. Raises Cancelled once that is done."""
        self.progress = self._steps.throw(Cancelled(STOPPED))

    def cancel(self) -> None:
        """Stop for good, at once; the generator is closed where it stands."""
        self._steps.close()

    def _step(self) -> None:
        try:
            self.progress = self._told(next(self._steps))
        except StopIteration as stop:
            self.result = stop.value
            self.finished = True

    def _told(self, step: Progress) -> Progress:
        """A step with the time that is left."""
        left = self._pace.seconds_left(time.perf_counter(), step.fraction)
        return replace(step, text=told_with(step.text, step.left if isinstance(step, Foretold) else left))


def told_with(text: str, left: float | None) -> str:
    """What is being done, with the time that is left [s] where that is known and worth telling."""
    return text if left is None or left < WORTH_TELLING else f"{text}, about {duration(left)} left"


def run_blocking(
    steps: Generator[Progress, None, Result], progress: Callable[[Progress], bool] | None = None
) -> Result:
    """Run a job to its end. Raises Cancelled where `progress` is given and returns True."""
    job = Job(steps)
    while not job.advance(0.0):
        if progress is not None and progress(job.progress):
            job.cancel()
            raise Cancelled(STOPPED)
    return job.result


def prepared(job: Generator[Progress, None, Result]) -> Generator[Progress, None, Result]:
    """A job that begins once everything is compiled."""
    for share, left in warm_up.waiting():
        yield Foretold(share, COMPILING, left)
    return (yield from job)


class JobOperator:
    """Mixin for an operator whose work is a job: blocking in `execute`, with progress and ESC in `invoke`.

    A subclass has `steps(context)`, the generator, `finish(context, result)`, which shows and reports, and
    `reads(context)`, the objects that the job looks at. While it reads and writes all events but ESC stop here. While
    it waits for what works beside it the window is free, and what changes one of these objects stops the job with a
    sentence. While something of it is looked at already, one may do that, and nothing else.
    """

    job: ClassVar[Any] = None
    timer: ClassVar[Any] = None
    watch: ClassVar[Watch | None] = None
    #: Whether there is anything to watch, and whether that is for looking alone.
    watched: ClassVar[tuple[bool, bool]] = (False, False)
    #: Whether the core works beside the window, see `aside`.
    beside: ClassVar[bool] = False
    #: Whether it was begun anew by the redo panel, see `again`.
    anew: ClassVar[bool] = False
    #: Whether what it makes was seen before its end.
    seen: ClassVar[bool] = False
    #: Whether ESC was pressed.
    stopped: ClassVar[bool] = False
    paused: ClassVar[float] = 0.0
    #: What a panel may show of the job that runs now, set on this class; None where none runs.
    shown: ClassVar[Progress | None] = None

    def execute(self, context: Any) -> set[str]:
        """Work without a stop, for scripts and sessions without a window; the redo panel has it begun as by a click."""
        if again.is_asked(self):
            again.begin_soon(self)
            return {"CANCELLED"}
        return self._guarded(context, lambda: self.finish(context, run_blocking(self.steps(context))))

    def invoke(self, context: Any, event: Any) -> set[str]:
        """Work for a moment; where that is not enough, go on in `modal`."""
        return self._guarded(context, lambda: self._start(context))

    def modal(self, context: Any, event: Any) -> set[str]:
        """Work for a slice at each tick of the timer; ESC stops with nothing changed, which may take some ticks."""
        if event.type == "ESC":
            return self._guarded(context, lambda: self._stop(context))
        if event.type == "TIMER":
            return self._guarded(context, lambda: self._go_on(context))
        if self.job.is_looked_at:
            free = event.type in again.NAVIGATION or event.type in PLAYING
        else:
            free = self.job.waits and (not self.anew or event.type in again.NAVIGATION)
        return {"PASS_THROUGH"} if free else {"RUNNING_MODAL"}

    def cancel(self, context: Any) -> None:
        """Drop the job and give timer, cursor and status bar back; Blender calls this when a window closes."""
        self.job.cancel()
        self._end_display(context)

    def _start(self, context: Any) -> set[str]:
        self.beside, self.anew, self.stopped, self.seen = True, again.begins(), False, False
        self.watched = (False, False)
        self.job = Job(self.steps(context))
        if self.job.advance(PATIENCE, patient=True):
            return self.finish(context, self.job.result)
        manager = context.window_manager
        self.timer = manager.event_timer_add(TICK, window=context.window)
        manager.progress_begin(0, 100)
        manager.modal_handler_add(self)
        self._watch(context)
        self._show(context)
        return {"RUNNING_MODAL"}

    def _stop(self, context: Any) -> set[str]:
        """Take back what is written by now, in steps; what is settled comes to its end."""
        if not self.job.is_settled:
            self.stopped = True
            self.job.stop()
            self._watch(context)
            self._show(context)
        return {"RUNNING_MODAL"}

    def _go_on(self, context: Any) -> set[str]:
        harm = "" if self.watch is None else self.watch.harm(context)
        if harm:
            self.job.cancel()
            self.anew = False  # where an undo did it a redo would bring back something else
            raise Cancelled(f"Stopped, since {harm} meanwhile; nothing was written. Start again.")
        # A window that is slow to draw gets half of the time at most.
        drawing = time.perf_counter() - self.paused
        if not self.job.advance(min(max(SLICE, drawing), SLICE_MAX)):
            self._watch(context)
            self._show(context)
            return {"RUNNING_MODAL"}
        self._end_display(context)
        return self.finish(context, self.job.result)

    def _watch(self, context: Any) -> None:
        """Watch what the job reads as long as the window is free; while one looks only another window can do harm."""
        self.seen |= self.job.is_looked_at
        needed = (self.job.waits, self.job.is_looked_at)
        if needed == self.watched:
            return
        self.watched = needed
        if self.watch is not None:
            self.watch.stop()
            self.watch = None
        if self.job.waits:
            self.watch = Watch(context.scene, [] if self.job.is_looked_at else self.reads(context))
            self.watch.start()

    def _show(self, context: Any) -> None:
        progress = self.job.progress
        context.window_manager.progress_update(round(100 * progress.fraction))
        context.workspace.status_text_set(f"{progress.text}: {progress.fraction:.0%}   (ESC stops)")
        JobOperator.shown = progress
        _redraw_sidebar(context)
        self.paused = time.perf_counter()

    def _end_display(self, context: Any) -> None:
        if self.watch is not None:
            self.watch.stop()
            self.watch = None
        if self.timer is None:
            return
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        JobOperator.shown = None
        _redraw_sidebar(context)
        self.timer = None

    def _guarded(self, context: Any, work: Callable[[], set[str]]) -> set[str]:
        try:
            return work()
        except BaseException as error:
            self._end_display(context)
            if not isinstance(error, BrittleError):
                raise
            self.report({"INFO" if self.stopped else "ERROR"}, str(error))
            self._bring_back()
            return {"CANCELLED"}

    def _bring_back(self) -> None:
        """Bring back what was there before the redo panel began the job, once that runs in `modal`."""
        if self.anew and not again.begins():
            again.bring_back_soon()


def _redraw_sidebar(context: Any) -> None:
    for region in context.area.regions if context.area is not None else ():
        if region.type == "UI":
            region.tag_redraw()
