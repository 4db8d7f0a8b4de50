"""Changes of a file that happen as a whole or not at all."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Self, TypeVar

import bpy

from ...core.errors import Cancelled
from ...core.stepwise import result_of
from ...core.types import Progress
from .selected import remember_selection

Result = TypeVar("Result")

#: The kinds of data-blocks that writing makes.
MADE = ("objects", "meshes", "actions", "collections", "materials", "node_groups")
#: What a job says that takes back what it has changed.
TAKING_BACK = "Taking back"
#: What is removed before all else, in this order.
FIRST = ("COLLECTION", "OBJECT")
#: Data-blocks that are removed in one step, which takes some hundredths of a second: 0.6 to 1.2 ms for each object in a
#: file of 2,000 with fine meshes. Measured: in steps of 1,000 one took 1.3 s, and all together 2.3 s instead of 1.6.
REMOVED = 50
#: Data-blocks that are renamed in one step: some hundredths of a second of work. By eye: the window answers meanwhile.
RENAMED = 100


class CommitPoint(Progress):
    """A step at which it is settled what becomes of the file: to stop here makes no difference any more."""


class _Layer:
    """Changes of a file that were made on top of others."""

    def __init__(self) -> None:
        self._there = {block.session_uid for block in _blocks()}
        self.undo = ExitStack()

    def take_back_steps(self) -> Generator[Progress, None, None]:
        """Make all as it was when the layer began."""
        yield from remove_steps([one for one in _blocks() if one.session_uid not in self._there], TAKING_BACK)
        self.undo.close()


class Changes:
    """A context in which a file is changed: where it ends by an exception, all is as it was before.

    Whoever changes something leaves a call that takes it back; calls run in reverse order. Data-blocks that were made
    meanwhile go by themselves, before these calls, which know nothing of them. What changes what was written itself is
    a layer of its own, so that its calls find all of that. What cannot be taken back, as a removal, is left for the
    end. Where an undo or redo comes between, from another window say, nothing of the changes is there any more, nor is
    anything left to do: what they know of the file has gone with it.
    """

    def __init__(self, in_steps: bool = False) -> None:
        """`in_steps`: it begins by `begin`, and its end is left to `whole`, unless an exception comes from within."""
        self._in_steps = in_steps
        self._layers: list[_Layer] = []
        self._rest: list[Callable[[], Iterable[Progress]]] = []
        self._undo_by_others: Callable[..., None] | None = None

    def __enter__(self) -> Self:
        if not self._in_steps:
            self.begin()
        return self

    def begin(self) -> None:
        """From now on the data-blocks that are made belong to these changes."""
        if self._layers:
            return
        self._layers.append(_Layer())
        self.undo_by(remember_selection(bpy.context.scene))

        # Blender knows handlers by identity, which a bound method does not keep.
        def overtaken(*_: object) -> None:
            self._layers.clear()
            self._rest.clear()

        self._undo_by_others = overtaken
        for handlers in _undo_handlers():
            handlers.append(overtaken)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._in_steps and (kind is None or issubclass(kind, Cancelled)):
            return
        result_of(self.finish_steps() if kind is None else self.take_back_steps())

    def undo_by(self, call: Callable[[], object]) -> None:
        """Take a change back by this call, should a later one fail."""
        if self._layers:
            self._layers[-1].undo.callback(call)

    def finish_by(self, call: Callable[[], object]) -> None:
        """Make this call at the very end, when nothing else can fail any more."""
        self._rest.append(lambda: (call(), ())[1])

    def finish_in_steps(self, job: Callable[[], Iterable[Progress]]) -> None:
        """As `finish_by`, with a job that may take longer."""
        self._rest.append(job)

    def supersede(self) -> None:
        """Forget what was left for the end: what was written will be replaced by something that leaves it anew."""
        self._rest.clear()
        if self._layers:
            self._layers.append(_Layer())

    def finish_steps(self) -> Generator[Progress, None, None]:
        """Do what was left for the end."""
        self._listen_no_more()
        for job in self._rest:
            yield from job()

    def take_back_steps(self) -> Generator[Progress, None, None]:
        """Make all as it was before."""
        self._listen_no_more()
        while self._layers:
            yield from self._layers.pop().take_back_steps()

    def _listen_no_more(self) -> None:
        for handlers in _undo_handlers():
            if self._undo_by_others in handlers:
                handlers.remove(self._undo_by_others)


def whole(job: Callable[[Changes], Generator[Progress, None, Result]]) -> Generator[Progress, None, Result]:
    """A job that changes a file as a whole or not at all, from where it makes the changes `begin`.

    Where Cancelled is thrown into it, it takes the changes back in steps, and raises that; closed, it does so at once.
    As soon as all is written it can no more be stopped: closed then, it comes to its end at once.
    """
    changes = Changes(in_steps=True)
    try:
        with changes:
            result = yield from job(changes)
    except Cancelled:
        yield from _to_its_end(changes.take_back_steps())
        raise
    yield from _to_its_end(changes.finish_steps())
    return result


def _to_its_end(job: Generator[Progress, None, None]) -> Generator[Progress, None, None]:
    """A job that nobody can stop: what is left of it is done at once where somebody tries."""
    for step in job:
        try:
            yield step
        except BaseException:
            result_of(job)
            raise


def remove_steps(blocks: Iterable[bpy.types.ID], text: str) -> Generator[Progress, None, None]:
    """Remove data-blocks, some at a time: collections first, with which all in them is out of sight, then objects."""
    ordered = sorted(blocks, key=lambda block: FIRST.index(block.id_type) if block.id_type in FIRST else len(FIRST))
    yield from _in_chunks(ordered, bpy.data.batch_remove, CommitPoint(1.0, text), REMOVED)


def rename_steps(blocks: Sequence[bpy.types.ID], name: str, text: str) -> Generator[Progress, None, None]:
    """Give data-blocks a name, to which Blender appends numbers."""

    def rename(some: Sequence[bpy.types.ID]) -> None:
        for block in some:
            block.name = name

    yield from _in_chunks(blocks, rename, Progress(0.0, text), RENAMED)


def _in_chunks(
    blocks: Sequence[bpy.types.ID], call: Callable[[Sequence[bpy.types.ID]], object], step: Progress, size: int
) -> Generator[Progress, None, None]:
    """Make a call for some data-blocks at a time, with a step between two calls."""
    for first in range(0, len(blocks), size):
        if first > 0:
            yield step
        call(blocks[first : first + size])


@contextmanager
def part_of(changes: Changes | None) -> Iterator[Changes]:
    """The changes that something belongs to; changes of its own where there are none."""
    if changes is not None:
        yield changes
        return
    with Changes() as alone:
        yield alone


def _undo_handlers() -> tuple[list[Callable[..., None]], ...]:
    return bpy.app.handlers.undo_post, bpy.app.handlers.redo_post


def _blocks() -> Iterator[bpy.types.ID]:
    return (block for name in MADE for block in getattr(bpy.data, name))
