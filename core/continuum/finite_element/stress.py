"""Strain, stress and potentials of elements, as the paper writes them, for what looks at them between substeps.

In a linear element all of these are constant. F = dx/du (Eq. 21), and strain is F^T F - I without the usual half
(Eq. 1), so the stress that belongs to the material, Piola and Kirchhoff's second, is half of Eq. (4); see
docs/papers/obrien1999.md, 4.1.
"""

import numpy as np

from ...arithmetic.products import apply, dot, multiply
from ...arithmetic.small_matrices import eigen_symmetric
from ...types import Floats
from .elements import ElementShapes, TetrahedralMesh
from .material import ElementMaterial
from .state import ElementState


def deformation_gradients(mesh: TetrahedralMesh, shapes: ElementShapes, node_value: Floats) -> Floats:
    """dx/du (e,3,3) of positions (n,3), or of velocities [1/s] (Eq. 21, 22)."""
    corner = node_value[mesh.element_node]
    return multiply(np.swapaxes(corner[:, 1:] - corner[:, :1], 1, 2), shapes.gradient[:, 1:])


def green_strain(gradient: Floats) -> Floats:
    """F^T F - I (e,3,3) (Eq. 1)."""
    return np.asarray(multiply(np.swapaxes(gradient, 1, 2), gradient) - np.eye(3))


def strain_rate(gradient: Floats, rate: Floats) -> Floats:
    """F^T F' + F'^T F (e,3,3) [1/s] (Eq. 3)."""
    half = multiply(np.swapaxes(gradient, 1, 2), rate)
    return np.asarray(half + np.swapaxes(half, 1, 2))


def isotropic_stress(first: Floats, second: Floats, strain: Floats) -> Floats:
    """The law a tr(strain) I + 2 b strain (e,3,3) of Lame's constants, or of the damping of rates (Eq. 7, 8)."""
    trace = strain[:, 0, 0] + strain[:, 1, 1] + strain[:, 2, 2]
    return np.asarray((first * trace)[:, None, None] * np.eye(3) + (2.0 * second)[:, None, None] * strain)


def element_stress(
    mesh: TetrahedralMesh, shapes: ElementShapes, material: ElementMaterial, state: ElementState
) -> Floats:
    """Elastic and viscous stress (e,3,3) together [Pa] (Eq. 4)."""
    now = deformation_gradients(mesh, shapes, state.position)
    rate = strain_rate(now, deformation_gradients(mesh, shapes, state.velocity))
    elastic = isotropic_stress(material.lame_lambda, material.lame_mu, green_strain(now))
    return np.asarray(elastic + isotropic_stress(material.bulk_damping, material.shear_damping, rate))


def potential_density(stress: Floats, strain: Floats) -> Floats:
    """1/2 stress : strain (e,): eta [J/m^3], or kappa of viscous stress and rate [W/m^3] (Eq. 9, 10)."""
    return np.asarray(0.5 * dot(stress.reshape(-1, 9), strain.reshape(-1, 9)))


def traction(stress: Floats, normal: Floats) -> Floats:
    """Stress times the unit normal (e,3) of a plane (e,3) [Pa] (Eq. 11)."""
    return apply(stress, normal)


def shown_stress(stress: Floats) -> tuple[Floats, Floats]:
    """What colours show of each element: the largest pull, below 0 where all is pressed, and von Mises's stress [Pa].

    Of Piola and Kirchhoff's second stress, half of that of Eq. (4).
    """
    second = 0.5 * stress
    a, b, c = (second[:, k, k] for k in range(3))
    shear = second[:, 0, 1] * second[:, 0, 1] + second[:, 0, 2] * second[:, 0, 2] + second[:, 1, 2] * second[:, 1, 2]
    square = 0.5 * ((a - b) * (a - b) + (b - c) * (b - c) + (c - a) * (c - a)) + 3.0 * shear
    return eigen_symmetric(second)[0][:, 2], np.asarray(np.sqrt(square))
