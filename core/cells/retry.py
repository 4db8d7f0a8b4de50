"""From a pattern that can be built again to cells: try, jitter and try again, try the second method, or say why not."""

from collections.abc import Callable

from ..errors import CutError
from ..types import Body, Cells, Partition
from .booleans import cut_by_booleans
from .cut import cut

PATIENCE = 2  #: so many cuts may fail before the second method is tried


def cut_with_retry(body: Body, build: Callable[[int], Partition], attempts: int = 4) -> tuple[Cells, tuple[str, ...]]:
    """Cut with the partition `build(0)`; where building or cutting raises CutError, with `build(1)` and so on.

    From the second cut that fails, the same partition is also cut by Booleans, which need not fail where the cutter
    does. Returns the cells and notes for the report. Raises CutError, with what was found last, when all fail.
    """
    last = CutError("The cut was not tried.")
    failed = 0
    for attempt in range(attempts):
        try:
            partition = build(attempt)
        except CutError as failure:
            last = failure
            continue
        try:
            return cut(body, partition), (f"The cut needed {attempt + 1} attempts.",) if attempt else ()
        except CutError as failure:
            last = failure
        failed += 1
        if failed < PATIENCE:
            continue
        try:
            cells = cut_by_booleans(body, partition)
            return cells, (f"{len(cells.volume)} pieces were cut by the slower, second method.",)
        except CutError as failure:
            last = failure
    raise CutError(
        f"{last} Every one of {attempts} attempts failed: look for shells that overlap or touch, or try another seed."
    ) from last
