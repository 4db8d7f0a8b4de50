"""Tension locked up in glass: pulled inside, pressed under the skin, as in tempered panes and in Prince Rupert's drops.

Over the depth of a wall the tension is T (1 - 3 u^2) with u from 0 in the middle to 1 on the skin: nothing is left over
between the two sides, and the skin is pressed twice as hard as the middle is pulled, as in thermally tempered panes.
Along a round rod it is T (1 - 2 u^2), which leaves nothing over its section. Both act along the skin: across a bond
whose normal is turned by the angle f out of the skin it is (cos f)^2 of that.

Limitations: one value for a bond, that of its centroid. Where one cell goes through the whole wall that is the tension
of the middle.
"""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot
from ...config.material import MEGAPASCAL
from ...config.params import Choice, param
from ...config.registry import Method
from ...types import Floats
from .contract import PRESTRESS, Field, Sample

_WALL, ROD = "wall", "rod"
SHAPES = (
    Choice(1, _WALL, "Wall", "Panes, bottles and bowls: the skin is pressed twice as hard as the middle is pulled"),
    Choice(2, ROD, "Rod", "Round rods and drops: the skin is pressed as hard as the middle is pulled"),
)
#: k of T (1 - k u^2). The mean of 1 - k u^2 over a wall is 1 - k/3, over a rod's section 1 - k/2: no net force.
FALL = {_WALL: 3.0, ROD: 2.0}


@dataclass(frozen=True, slots=True)
class PrestressParams:
    """How much tension there is, and in what."""

    # The default is by eye.
    tension: float = param(
        25.0,
        "Tension",
        "Tension in the middle of the wall; the skin is pressed in return. From the tensile strength on "
        "it bursts at the first touch",
        unit="MPa",
        limits=(0.0, 1e4),
        soft=(0.0, 100.0),
    )
    shape: str = param(_WALL, "Shape", "How the tension is balanced", choices=SHAPES)


def values(sample: Sample, params: PrestressParams) -> Floats:
    """(n,) tension across each bond [Pa]; negative where it is pressed."""
    u = 1.0 - sample.depth
    out = dot(sample.normal, sample.inward)
    profile = 1.0 - FALL[params.shape] * u * u
    return np.asarray(MEGAPASCAL * params.tension * profile * np.maximum(1.0 - out * out, 0.0))


METHOD: Method[Field] = Method(
    id="prestress",
    label="Prestress",
    doc="Tension inside, balanced by pressure under the skin, as in tempered glass; for rules that compute forces",
    reference="Smith, Witkin, Baraff 2001, section 3.1, -kC; profile of tempered panes",
    params=PrestressParams,
    run=Field(PRESTRESS, values, of_skin=True),
)
