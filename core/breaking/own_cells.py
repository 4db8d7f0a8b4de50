"""The pieces that a hit makes of a body with an artist's own fracture pattern."""

from collections.abc import Sequence

from ..cutting.own_pattern.cut import cut_by_own
from ..cutting.retry import Cutters, retried
from ..pieces.patterns.method import PatternParams
from ..pieces.patterns.own import own_at_hit
from ..types import Body, Cells, Impact, OwnPattern


def own_cells(
    body: Body, impacts: Sequence[Impact], params: PatternParams, own_pattern: OwnPattern, seed: int
) -> tuple[Cells, tuple[str, ...]]:
    """Cells of a closed body cut by the pattern at the strongest hit, and notes for the report.

    Where a cut fails a check it is tried again with the pattern turned and shifted by 1e-6. Raises CutError where all
    attempts fail.
    """

    def build(attempt: int) -> OwnPattern:
        return own_at_hit(body, impacts, params, own_pattern, seed, attempt)

    return retried(body, build, Cutters(cut_by_own))
