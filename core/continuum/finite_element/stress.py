"""Strain, stress and potentials of elements, as the paper writes them, for what looks at them between substeps.

In a linear element all of these are constant. F = dx/du (Eq. 21), and strain is F^T F - I without the usual half
(Eq. 1), so the stress that belongs to the material, Piola and Kirchhoff's second, is half of Eq. (4); see
docs/papers/obrien1999.md, 4.1.
"""

import numpy as np

from ...arithmetic.products import apply, dot, multiply
from ...arithmetic.small_matrices import eigen_symmetric
from ...jit import device_no_refs, njit_no_refs, sealed_floats, sealed_ints
from ...types import Floats, Ints
from .elements import ElementShapes, TetrahedralMesh
from .linear_laws import LinearLaws, law_stress
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
    mesh: TetrahedralMesh,
    shapes: ElementShapes,
    material: ElementMaterial,
    state: ElementState,
    laws: LinearLaws | None = None,
) -> Floats:
    """Elastic and viscous stress (e,3,3) together [Pa] (Eq. 4). Compiled: it is looked at every few substeps.

    laws: of elements of which the material says nothing.
    """
    motion = sealed_floats(state.position), sealed_floats(state.velocity)
    law = material.lame_lambda, material.lame_mu, material.bulk_damping, material.shear_damping
    stress = np.empty((len(mesh.element_node), 3, 3))
    moduli = sealed_floats(np.stack(law, axis=1))
    _find_stresses(*motion, sealed_ints(mesh.element_node), sealed_floats(shapes.gradient), moduli, stress)
    if laws is not None and len(laws.element):
        some = laws.element
        few = TetrahedralMesh(mesh.node_material, mesh.element_node[some])
        part = ElementShapes(shapes.gradient[some], shapes.volume[some])
        now = deformation_gradients(few, part, state.position)
        rate = strain_rate(now, deformation_gradients(few, part, state.velocity))
        stress[some] = law_stress(laws.elastic, green_strain(now)) + law_stress(laws.viscous, rate)
    return stress


@njit_no_refs
def _find_stresses(
    position: Floats, velocity: Floats, node: Ints, gradient: Floats, moduli: Floats, stress: Floats
) -> None:
    """Write the stress of each element, of lambda, mu, phi and psi (e,4)."""
    for e in range(len(node)):
        f0 = _gradient_row(position, node[e], gradient[e], 0)
        f1 = _gradient_row(position, node[e], gradient[e], 1)
        f2 = _gradient_row(position, node[e], gradient[e], 2)
        d0 = _gradient_row(velocity, node[e], gradient[e], 0)
        d1 = _gradient_row(velocity, node[e], gradient[e], 1)
        d2 = _gradient_row(velocity, node[e], gradient[e], 2)
        trace = flow = 0.0
        for a in range(3):
            for b in range(a, 3):
                strain = f0[a] * f0[b] + f1[a] * f1[b] + f2[a] * f2[b]
                rate = f0[a] * d0[b] + f1[a] * d1[b] + f2[a] * d2[b] + (d0[a] * f0[b] + d1[a] * f1[b] + d2[a] * f2[b])
                if a == b:
                    strain -= 1.0
                    trace, flow = trace + strain, flow + rate
                stress[e, a, b] = stress[e, b, a] = 2.0 * (moduli[e, 1] * strain + moduli[e, 3] * rate)
        for a in range(3):
            stress[e, a, a] += moduli[e, 0] * trace + moduli[e, 2] * flow


@device_no_refs
def _gradient_row(value: Floats, node: Ints, gradient: Floats, axis: int) -> tuple[float, float, float]:
    """A row of dx/du of positions, or of velocities (n,3) (Eq. 21, 22)."""
    x = y = z = 0.0
    start = value[node[0], axis]
    for k in range(1, 4):
        a = value[node[k], axis] - start
        x, y, z = x + a * gradient[k, 0], y + a * gradient[k, 1], z + a * gradient[k, 2]
    return x, y, z


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
