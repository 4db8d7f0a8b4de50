"""From a pattern that can be built again to cells: try, jitter and try again, try the second method, or say why not."""

from collections.abc import Callable
from functools import cache
from typing import Generic, NamedTuple, TypeVar

from ..errors import CutError
from ..geometry.mesh import volume
from ..geometry.shells import LEAST
from ..types import Body, Cells, Partition
from .booleans import cut_by_booleans
from .checks import check_units
from .cut import cut
from .parts import split_parts, together

#: So many cuts may fail before the second method is tried. Each has jitter of its own: what fails twice is no accident
#: of it.
PATIENCE = 2


class Hopeless(CutError):
    """A cut that no other jitter of the pattern would save."""


#: What a body is cut with: a partition, or a division of space of another kind.
Pattern = TypeVar("Pattern")


class Cutters(NamedTuple, Generic[Pattern]):
    """Two methods to cut a body with a pattern; there may be no second one."""

    first: Callable[[Body, Pattern], Cells]
    second: Callable[[Body, Pattern], Cells] | None = None


_EXACT: Cutters[Partition] = Cutters(cut, cut_by_booleans)


def cut_with_retry(
    body: Body, build: Callable[[int], Partition], attempts: int = 4, cutters: Cutters[Partition] = _EXACT
) -> tuple[Cells, tuple[str, ...]]:
    """`retried` with a partition, by the exact cutter unless others are given; its own notes come first."""
    told: dict[str, None] = {}  # ordered, each once

    def building(attempt: int) -> Partition:
        partition = build(attempt)
        told.update(dict.fromkeys(partition.notes))
        return partition

    cells, notes = retried(body, building, cutters, attempts)
    return cells, (*told, *notes)


def retried(
    body: Body, build: Callable[[int], Pattern], cutters: Cutters[Pattern], attempts: int = 4
) -> tuple[Cells, tuple[str, ...]]:
    """Cut with the pattern `build(0)`; where building or cutting raises CutError, with `build(1)` and so on.

    From the second cut that fails, the same pattern is also cut by the second method, which need not fail where the
    first one does. The parts of a body are cut one by one with the same patterns: no bond joins two of them.
    Returns the cells and notes for the report. Raises CutError, with what was found last, when all fail, and Hopeless
    at once where a cut does. Pieces of next to no volume (LEAST of the body's) are a failure as any other.
    """
    built, checked = _once(build), _checked(cutters, LEAST * volume(body.vertices, body.triangles))
    tried = [_tried(part, built, attempts, checked) for part in split_parts(body)]
    notes = []
    most = max(one.attempts for one in tried)
    slow = sum(len(one.cells.volume) for one in tried if one.second)
    if most > 1:
        notes.append(f"The cut needed {most} attempts.")
    if slow > 0:
        notes.append(f"{slow} pieces were cut by the slower, second method.")
    return together(body, [one.cells for one in tried]), tuple(notes)


def _checked(cutters: Cutters[Pattern], least: float) -> Cutters[Pattern]:
    """The same methods; pieces of a volume below `least` [m^3] are a failure of theirs."""

    def checked(method: Callable[[Body, Pattern], Cells]) -> Callable[[Body, Pattern], Cells]:
        def cut_and_check(body: Body, pattern: Pattern) -> Cells:
            cells = method(body, pattern)
            check_units(cells, least)
            return cells

        return cut_and_check

    return Cutters(checked(cutters.first), None if cutters.second is None else checked(cutters.second))


class _Tried(NamedTuple):
    """Cells and how they were come by."""

    cells: Cells
    attempts: int  #: with the first method, 0 where it was given up
    second: bool


def _once(build: Callable[[int], Pattern]) -> Callable[[int], Pattern]:
    """The same patterns, each built only once; so is what keeps one from being built."""

    @cache
    def outcome(attempt: int) -> Pattern | CutError:
        try:
            return build(attempt)
        except CutError as failure:
            return failure

    def built(attempt: int) -> Pattern:
        found = outcome(attempt)
        if isinstance(found, CutError):
            raise found
        return found

    return built


def _tried(body: Body, build: Callable[[int], Pattern], attempts: int, cutters: Cutters[Pattern]) -> _Tried:
    """The cells of a body of one part."""
    last = CutError("The cut was not tried.")
    failed = 0
    for attempt in range(attempts):
        try:
            pattern = build(attempt)
        except CutError as failure:
            last = failure
            continue
        try:
            return _Tried(cutters.first(body, pattern), attempt + 1, False)
        except Hopeless:
            raise
        except CutError as failure:
            last = failure
        failed += 1
        if cutters.second is None or failed < PATIENCE:
            continue
        try:
            return _Tried(cutters.second(body, pattern), 0, True)
        except Hopeless:
            raise
        except CutError as failure:
            last = failure
    raise CutError(
        f"{last} Every one of {attempts} attempts failed: look for shells that overlap or touch, or try another seed."
    ) from last
