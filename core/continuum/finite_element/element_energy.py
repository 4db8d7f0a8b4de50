"""Energy and momentum of elements."""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import dot, sum_rows
from ...arithmetic.small_matrices import determinant
from ...geometry.mesh import cross_rows
from ...types import Floats
from .advance_elements import ElementBody
from .element_steps import LEAST_SHARE
from .linear_laws import law_stress
from .state import ElementState
from .stress import deformation_gradients, green_strain, isotropic_stress, potential_density, strain_rate


@dataclass(frozen=True, slots=True)
class ElementEnergy:
    """Where the energy of a body of elements is [J]."""

    kinetic: float
    elastic: float  #: a quarter of eta (docs/papers/obrien1999.md, 4.1), and of elements that are pressed flat
    gravity: float  #: 0 where all nodes are at the origin

    @property
    def total(self) -> float:
        """All of it."""
        return self.kinetic + self.elastic + self.gravity


def element_energy(body: ElementBody, state: ElementState, gravity: Floats | None = None) -> ElementEnergy:
    """The energy of a body under gravity (3,), if any."""
    kinetic = 0.5 * float((body.mass * dot(state.velocity, state.velocity)).sum())
    place = 0.0 if gravity is None else -float((body.mass * dot(state.position, gravity)).sum())
    return ElementEnergy(kinetic, float(strain_energies(body, state.position).sum()), place)


def strain_energies(body: ElementBody, position: Floats) -> Floats:
    """Of each element (e,) [J]: its forces are the slopes of it."""
    now = deformation_gradients(body.mesh, body.shapes, position)
    strain, first, second = green_strain(now), body.material.lame_lambda, body.material.lame_mu
    stress = isotropic_stress(first, second, strain)
    stress[body.laws.element] = law_stress(body.laws.elastic, strain[body.laws.element])
    density = 0.25 * potential_density(stress, strain)
    short = np.maximum(LEAST_SHARE - determinant(now), 0.0)
    return np.asarray(body.shapes.volume * (density + 0.5 * (first + 2.0 * second) * short * short))


def damping_power(body: ElementBody, state: ElementState) -> float:
    """What damping does by the second [W], never above 0: half of kappa (docs/papers/obrien1999.md, 4.3)."""
    now = deformation_gradients(body.mesh, body.shapes, state.position)
    rate = strain_rate(now, deformation_gradients(body.mesh, body.shapes, state.velocity))
    stress = isotropic_stress(body.material.bulk_damping, body.material.shear_damping, rate)
    stress[body.laws.element] = law_stress(body.laws.viscous, rate[body.laws.element])
    return -0.5 * float((body.shapes.volume * potential_density(stress, rate)).sum())


def element_momentum(body: ElementBody, state: ElementState, about: Floats) -> tuple[Floats, Floats]:
    """Momentum (3,) [kg m/s], and angular momentum (3,) about a point (3,) [kg m^2/s]."""
    arm = cross_rows(state.position - about, state.velocity)
    return sum_rows(body.mass, state.velocity), sum_rows(body.mass, arm)
