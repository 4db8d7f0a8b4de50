"""How long a body of elements will take, told before it is divided: from its size, its material, and how finely."""

import math

from ...config.material import MEGAPASCAL, Material
from ...types import Body, Clock, LatticeRecipe
from ..contract import ContinuumEstimate
from .divided_elements import AUTOMATIC_ELEMENTS, element_size
from .material import lame_constants
from .params import FiniteElementParams

#: A stable step times the speed of waves, in lengths of edges [1]. Measured on balls and boxes: 0.08 to 0.12, by the
#: flattest element.
_STEP = 0.1
#: [s] of an element in a substep with its share of what is looked for, and of an element that is divided off; and
#: frames in which it deforms, as it is rigid before and after. Measured on one core; the last by eye.
_SUBSTEP, _DIVIDED, _FRAMES = 1.2e-7, 6e-4, 4


def estimate_elements(
    body: Body, material: Material, recipe: LatticeRecipe | None, params: FiniteElementParams, clock: Clock
) -> ContinuumEstimate:
    """What a run is foretold to be."""
    first, second = lame_constants(MEGAPASCAL * params.youngs_modulus, params.poisson_ratio)
    wave = math.sqrt((first + 2.0 * second) / material.density)
    elements = params.elements or AUTOMATIC_ELEMENTS
    substeps = max(1, math.ceil(wave / (clock.fps * _STEP * element_size(body, params.elements))))
    if params.most_substeps:
        substeps = min(substeps, params.most_substeps)
    frames = min(clock.frames - 1, _FRAMES) if params.rigid_below > 0.0 else clock.frames - 1
    return ContinuumEstimate(elements, "elements", substeps, elements * (_DIVIDED + _SUBSTEP * substeps * frames))
