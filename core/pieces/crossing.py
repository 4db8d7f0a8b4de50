"""Where a function rises through zero."""

from collections.abc import Callable


def positive_root(rising: Callable[[float], float]) -> float:
    """The x > 0 at which a function that is below 0 at 0 and crosses 0 once becomes 0 or more, to the last bit."""
    low, high = 0.0, 1.0
    while rising(high) < 0.0:
        low, high = high, 2.0 * high
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if rising(middle) < 0.0 else (low, middle)
    return high
