"""How fine a pattern must be for about a wanted number of pieces in a typical body."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ...arithmetic.elementary import exp, log

Drawn = TypeVar("Drawn")

#: A count is met when it is missed by less than this share. Chosen between exact numbers and time.
_CLOSE, _ATTEMPTS = 0.04, 14


def fit_fineness(draw: Callable[[float], tuple[Drawn, int]], count: int, start: float, power: float) -> Drawn:
    """What `draw` makes for the fineness whose number of pieces comes closest to `count`.

    draw (fineness) -> what it draws and how many pieces that shows; more of them for a higher fineness, by about this
    power of it. The search starts at `start`. Both are estimates by eye: where they are off it takes more trials.
    """
    fineness, low, high = float(log(start)), -np.inf, np.inf
    missed, best = np.inf, None
    for _ in range(_ATTEMPTS):
        drawn, shown = draw(float(exp(fineness)))
        wanted = float(log(count / max(shown, 1)))
        if abs(wanted) < missed:
            missed, best = abs(wanted), drawn
        if missed < _CLOSE:
            break
        low, high = (fineness, high) if wanted > 0.0 else (low, fineness)
        fineness += wanted / power
        if not low < fineness < high:
            fineness = 0.5 * (low + high)
    assert best is not None
    return best
