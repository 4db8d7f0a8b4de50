"""Changes of a file that happen as a whole or not at all."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Self

import bpy

#: The kinds of data-blocks that writing makes.
MADE = ("objects", "meshes", "actions", "collections", "materials", "node_groups")


class Changes:
    """A context in which a file is changed: where it ends by an exception, all is as it was before.

    Whoever changes something leaves a call that takes it back; calls run in reverse order. Data-blocks that were made
    meanwhile go by themselves, before these calls. What cannot be taken back, as a removal, is left for the end.
    """

    def __enter__(self) -> Self:
        self._undo = ExitStack()
        self._rest: list[Callable[[], object]] = []
        self._there = _blocks()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            bpy.data.batch_remove(_blocks() - self._there)
            self._undo.close()
            return
        for call in self._rest:
            call()

    def undo_by(self, call: Callable[[], object]) -> None:
        """Take a change back by this call, should a later one fail."""
        self._undo.callback(call)

    def finish_by(self, call: Callable[[], object]) -> None:
        """Make this call at the very end, when nothing else can fail any more."""
        self._rest.append(call)


@contextmanager
def part_of(changes: Changes | None) -> Iterator[Changes]:
    """The changes that something belongs to; changes of its own where there are none."""
    if changes is not None:
        yield changes
        return
    with Changes() as alone:
        yield alone


def _blocks() -> set[bpy.types.ID]:
    return {block for name in MADE for block in getattr(bpy.data, name)}
