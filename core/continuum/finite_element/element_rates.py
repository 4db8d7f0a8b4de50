"""How fast elements swing and how fast they are damped: what limits the step, and how much damping is of use.

Free, with its mass at its nodes, an element of gradients B has strains by twelve displacements, but only six kinds of
them. With g1 >= g2 >= g3 the eigenvalues of B^T B its six squared frequencies are 4/rho times

    the eigenvalues of 2 mu diag(g) + lambda sqrt(g) sqrt(g)^T,    mu (g1 + g2), mu (g1 + g3), mu (g2 + g3),

and with phi, psi in place of lambda, mu its damping rates. No mode of the whole has more of either than the element
that has most: sums of positive matrices. Symplectic Euler is stable while (w h)^2 + 2 d h < 4 in each element.
"""

import dataclasses
import math

import numpy as np

from ...arithmetic.products import multiply
from ...arithmetic.small_matrices import eigen_symmetric
from ...errors import InputError
from ...types import Floats
from ...wording import number
from .elements import ElementShapes, smallest_altitudes
from .material import ElementMaterial

#: Damping ratio of the fastest mode of an element beyond which damping only shortens the step: with it the step is
#: 0.52 of that without damping; the damping of Table 1 is up to 20 times critical in elements of 5 mm (measured).
MOST_DAMPING_RATIO = 0.7
#: Of the stable step. Half the stiffness is left for stretch, by (3 s^2 - 1)/2 twice as stiff at s = 1.29.
ELEMENT_SAFETY = 0.7
#: Parts of the paper's limits by waves and by damping (docs/papers/obrien1999.md, 3).
_WAVE_PART, _VISCOUS_PART = 0.3, 0.5
STEPS_MOST = 10_000_000  #: in one go: minutes for a thousand elements


def highest_rates(shapes: ElementShapes, first: Floats, second: Floats, density: Floats) -> Floats:
    """The largest of the six rates (e,): squared frequencies [1/s^2] of lambda and mu, damping [1/s] of phi and psi."""
    square = multiply(np.swapaxes(shapes.gradient, 1, 2), shapes.gradient)
    g = np.maximum(eigen_symmetric(square)[0], 0.0)
    root = np.sqrt(g)
    stretch = first[:, None, None] * root[:, :, None] * root[:, None, :]
    for k in range(3):
        stretch[:, k, k] += 2.0 * second * g[:, k]
    shear = second * (g[:, 1] + g[:, 2])
    return np.asarray(4.0 / density * np.maximum(eigen_symmetric(stretch)[0][:, 2], shear))


def squared_frequencies(shapes: ElementShapes, material: ElementMaterial) -> Floats:
    """Of the fastest mode of each element (e,) [1/s^2]."""
    return highest_rates(shapes, material.lame_lambda, material.lame_mu, material.density)


def damping_rates(shapes: ElementShapes, material: ElementMaterial) -> Floats:
    """Of the most damped mode of each element (e,) [1/s]: twice the damping ratio times the frequency."""
    return highest_rates(shapes, material.bulk_damping, material.shear_damping, material.density)


def cap_damping(
    shapes: ElementShapes, material: ElementMaterial, most_ratio: float = MOST_DAMPING_RATIO
) -> ElementMaterial:
    """The material with so little damping that no element's fastest mode has more than `most_ratio` of critical.

    Slow modes lose what they lost, but in elements whose damping is cut.
    """
    rate = damping_rates(shapes, material)
    most = 2.0 * most_ratio * np.sqrt(squared_frequencies(shapes, material))
    part = np.where(rate > most, most / np.where(rate > most, rate, 1.0), 1.0)
    return dataclasses.replace(
        material, bulk_damping=part * material.bulk_damping, shear_damping=part * material.shear_damping
    )


def stable_element_step(
    shapes: ElementShapes, material: ElementMaterial, contact_rate: float = 0.0, contact_damping: float = 0.0
) -> float:
    """The longest stable step of symplectic Euler near rest [s].

    contact_rate, contact_damping: the most that contacts add at a node, stiffness [1/s^2] and damping [1/s] by mass.
    """
    rate = damping_rates(shapes, material) + contact_damping
    low = rate + np.sqrt(rate * rate + 4.0 * (squared_frequencies(shapes, material) + contact_rate))
    most = float(low.max(initial=0.0))
    return 4.0 / most if most > 0.0 else math.inf


def paper_element_step(shapes: ElementShapes, material: ElementMaterial) -> float:
    """The step by the altitude of elements, the speed of waves and the damping as the material has it [s]."""
    height = smallest_altitudes(shapes)
    wave = np.sqrt((material.lame_lambda + 2.0 * material.lame_mu) / material.density)
    damping = np.maximum(material.bulk_damping + 2.0 * material.shear_damping, 1e-300)  # none is no limit
    viscous = _VISCOUS_PART * material.density * height * height / damping
    return float(min((_WAVE_PART * height / wave).min(), viscous.min()))


def element_step_count(time: float, step: float, safety: float = ELEMENT_SAFETY) -> int:
    """Steps of a time [s], none longer than the safe part of a stable step. Raises InputError beyond ten million."""
    count = time / (safety * step) if math.isfinite(step) else 1.0
    if not count < STEPS_MOST:
        raise InputError(
            f"These elements need {number(count)} steps: choose a softer or heavier material, or larger elements."
        )
    return max(1, math.ceil(count))
