"""The pieces that a hit makes of a body with an artist's own fracture pattern."""

from collections.abc import Sequence

from ..cells.own_pieces.cut import cut_by_own
from ..pieces.patterns.method import PatternParams
from ..pieces.patterns.own import own_at_hit
from ..types import Body, Cells, Impact, OwnPattern


def own_cells(
    body: Body, impacts: Sequence[Impact], params: PatternParams, own_pattern: OwnPattern, seed: int, attempt: int
) -> Cells:
    """Cells of a closed body cut by the pattern at the strongest hit; another `attempt` jitters it by another 1e-6.

    Raises CutError where the result fails a check: the next attempt need not.
    """
    return cut_by_own(body, own_at_hit(body, impacts, params, own_pattern, seed, attempt))
