"""What bonds are like, from what a material is like: their damping and the strain at which they break."""

import math
from dataclasses import dataclass

import numpy as np

from ...types import Floats, Ints

#: Of critical, what a single bond is damped by at most: steps are half as long then as without damping.
MOST_BOND_DAMPING = 0.25


@dataclass(frozen=True, slots=True)
class SpringMaterial:
    """A material of springs. Its Poisson ratio is 1/4, see `elasticity`."""

    youngs_modulus: float  #: [Pa]
    density: float  #: [kg/m^3]
    failure_strain: float  #: at which it breaks under tension [1]
    #: Of critical: of the slowest wave along the longest side of the lattice, whatever the resolution [1].
    damping_ratio: float = 0.0
    #: Length of bonds that break at the failure strain; others break at a strain in inverse proportion to the square
    #: root of their length, so that a crack needs the same energy (Griffith 1921). 0: all break at that strain [m].
    toughness_length: float = 0.0


def bond_damping(
    material: SpringMaterial, position: Floats, mass: Floats, bond_node: Ints, stiffness: Floats
) -> Floats:
    """Damping (b,) of bonds in proportion to their stiffness [N s/m].

    The slowest wave of a free bar of length L has the frequency w = pi sqrt(E/rho)/L; its damping ratio is w d/(2 k).
    Where a bond alone would be damped by more than `MOST_BOND_DAMPING` it gets that: waves of many cells are then
    damped less in a finer lattice.
    """
    longest = float((position.max(axis=0) - position.min(axis=0)).max())
    slowest = math.pi * math.sqrt(material.youngs_modulus / material.density) / longest
    first, second = mass[bond_node].T
    critical = 2.0 * np.sqrt(stiffness * (first * second / (first + second)))
    return np.asarray(np.minimum(2.0 * material.damping_ratio / slowest * stiffness, MOST_BOND_DAMPING * critical))


def bond_threshold(material: SpringMaterial, length: Floats) -> Floats:
    """The strain (b,) at which bonds of these lengths break [1]."""
    if material.toughness_length == 0.0:
        return np.full(len(length), material.failure_strain)
    return np.asarray(material.failure_strain * np.sqrt(material.toughness_length / length))


def vary_thresholds(threshold: Floats, amount: float, rng: np.random.Generator) -> Floats:
    """Thresholds (b,) with defects: each times a number that is uniform from 1 - amount to 1 + amount.

    Raises ValueError where some would break without a strain.
    """
    if not 0.0 <= amount < 1.0:
        raise ValueError(f"Thresholds can vary by 0 to 1 of themselves, not by {amount}.")
    return np.asarray(threshold * rng.uniform(1.0 - amount, 1.0 + amount, len(threshold)))
