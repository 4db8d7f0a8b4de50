"""How cracks grow: a bar that breaks weakens those whose faces adjoin its own, by the angle between the two.

Source: Smith, Witkin, Baraff 2001, section 3.4 and equation (4); resolution 4.5 and resolution 4.6.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ...arithmetic.elementary import cos, sin
from ...config.params import Choice
from ...polyline import parsed
from ...types import Floats

NO_GROWTH, MODERATE, PRINTED, STRONG, CURVE = "none", "moderate", "moderate_printed", "strong", "curve"

GROWTHS = (
    Choice(1, NO_GROWTH, "None", "Cracks do not grow: much breaks at the hit, in many places at once"),
    Choice(2, MODERATE, "Moderate", "Up to twice as weak beside a crack"),
    Choice(3, STRONG, "Strong", "Up to a thousand times as weak beside a crack: long shards, as glass has them"),
    Choice(4, PRINTED, "As Printed", "Moderate by the letter of the paper, where some places become stronger"),
    Choice(5, CURVE, "Curve", "Your own: how strong a place stays beside a crack, by the angle between the two"),
)

#: Factor (.,) of the strength for angles theta (.,) in [0, pi/2] between a broken bar and its neighbour, as lines.
Growth: TypeAlias = Callable[[Floats], Floats]


def moderate(theta: Floats) -> Floats:
    """As the text describes it: between 1/2 and 1."""
    return np.asarray(0.75 - 0.25 * cos(2.0 * theta))


def moderate_printed(theta: Floats) -> Floats:
    """As the formula is printed: between 0 and 2."""
    return np.asarray(1.0 - sin(2.0 * theta + 0.5 * np.pi))


def strong(theta: Floats) -> Floats:
    """Between 0.001 and 1."""
    return np.asarray(0.5005 - 0.4995 * sin(4.0 * theta + 0.5 * np.pi))  # (4)


def growth_of(choice: str, curve: str) -> Growth | None:
    """The function of a choice, None for no growth; `curve` has points "angle in degrees, factor".

    Raises InputError for a curve that cannot be read.
    """
    if choice != CURVE:
        return {NO_GROWTH: None, MODERATE: moderate, PRINTED: moderate_printed, STRONG: strong}[choice]
    line = parsed(curve, "Growth Curve")

    def own(theta: Floats) -> Floats:
        return np.maximum(line(np.degrees(theta)), 0.0)

    return own
