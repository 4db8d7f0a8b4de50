"""How large the parts are that a body is divided into, such that there are about so many of them."""

import math

from ..arithmetic.elementary import cbrt

_ROUNDS = 60  # halvings of the span, beyond the digits of a number


def size_of_parts(matter: float, skin: float, wanted: float) -> float:
    """The size h [m] with matter/h^3 + skin/h^2 = wanted: `matter` [m^3] and `skin` [m^2] are of parts of size 1."""
    low, high = 0.0, 2.0 * (float(cbrt(matter / wanted)) + math.sqrt(skin / wanted))
    for _ in range(_ROUNDS):
        h = 0.5 * (low + high)
        if matter + skin * h > wanted * h * h * h:
            low = h
        else:
            high = h
    return 0.5 * (low + high)
