"""What each element is made of.

The paper's lambda and mu are Lame's constants (resolution 4.1 of docs/papers/obrien1999.md), so they follow from
Young's modulus E and Poisson's ratio p as everywhere: lambda = E p/((1 + p)(1 - 2 p)), mu = E/(2 (1 + p)).
"""

from dataclasses import dataclass

import numpy as np

from ...types import Floats, Frozen


@dataclass(frozen=True, eq=False, slots=True)
class ElementMaterial(Frozen):
    """How stiff, damped, heavy and tough each of e elements is."""

    lame_lambda: Floats  #: (e,) [Pa]
    lame_mu: Floats  #: (e,) [Pa]
    bulk_damping: Floats  #: (e,) phi [Pa s]
    shear_damping: Floats  #: (e,) psi [Pa s]
    density: Floats  #: (e,) [kg/m^3]
    toughness: Floats  #: (e,) tau [Pa in stress mode, N in force mode]


def uniform_material(
    count: int, lame: tuple[float, float], damping: tuple[float, float], density: float, toughness: float
) -> ElementMaterial:
    """One material for all of `count` elements: lambda and mu [Pa], phi and psi [Pa s], density, toughness."""
    return ElementMaterial(*(np.full(count, float(value)) for value in (*lame, *damping, density, toughness)))


def lame_constants(youngs_modulus: float, poisson_ratio: float) -> tuple[float, float]:
    """Lambda and mu [Pa]. Raises ValueError for a ratio at which no solid is stable: -1 < p < 1/2 are."""
    if not -1.0 < poisson_ratio < 0.5:
        raise ValueError(f"Poisson's ratio is between -1 and 1/2, not {poisson_ratio}.")
    mu = 0.5 * youngs_modulus / (1.0 + poisson_ratio)
    return 2.0 * mu * poisson_ratio / (1.0 - 2.0 * poisson_ratio), mu
