"""Elements of any linear law: stress is six numbers, each a sum of six of strain (Eq. 5, 6), as in wood or in layers.

Numbers of strain and stress stand in the order xx, yy, zz, yz, xz, xy; those of strain beside the diagonal count twice.
Axes are those of the material.
"""

import dataclasses
from dataclasses import dataclass

import numpy as np

from ...arithmetic.products import apply
from ...arithmetic.small_matrices import eigen_symmetric
from ...errors import InputError
from ...types import Floats, Frozen, Ints
from .material import ElementMaterial

#: Places of the six numbers in a matrix.
LAW_ROW, LAW_COLUMN = (0, 1, 2, 1, 0, 0), (0, 1, 2, 2, 2, 1)
_ROOT = 1.4142135623730951  # of 2: with shear times this, strain and stress are vectors of the same length as matrices
_LENGTHS = np.array([1.0, 1.0, 1.0, _ROOT, _ROOT, _ROOT])  # what each of the six is multiplied by for that


@dataclass(frozen=True, eq=False, slots=True)
class LinearLaws(Frozen):
    """The laws of k elements, in place of Lame's constants and damping."""

    element: Ints  #: (k,)
    elastic: Floats  #: (k,6,6) C of Eq. 5 [Pa]
    viscous: Floats  #: (k,6,6) D of Eq. 6 [Pa s]


def no_laws() -> LinearLaws:
    """All elements are isotropic."""
    return LinearLaws(np.zeros(0, np.int64), np.zeros((0, 6, 6)), np.zeros((0, 6, 6)))


def isotropic_law(first: float, second: float) -> Floats:
    """The matrix (6,6) of lambda and mu, or of phi and psi."""
    law = np.zeros((6, 6))
    law[:3, :3] = first
    law[range(3), range(3)] += 2.0 * second
    law[range(3, 6), range(3, 6)] = second
    return law


def law_stress(law: Floats, strain: Floats) -> Floats:
    """Stress (k,3,3) of laws (k,6,6) and strain, or its rate (k,3,3)."""
    six = strain[:, LAW_ROW, LAW_COLUMN]
    six[:, 3:] *= 2.0
    stress = np.empty(strain.shape)
    stress[:, LAW_ROW, LAW_COLUMN] = stress[:, LAW_COLUMN, LAW_ROW] = apply(law, six)
    return stress


def bound_laws(material: ElementMaterial, laws: LinearLaws) -> ElementMaterial:
    """The material with isotropic stand-ins for the elements of `laws`, that resist all strains at least as much.

    What limits the step is found of these. Raises InputError where a law is not symmetric, or gives energy away.
    """
    columns = {
        name: np.array(getattr(material, name)) for name in ("lame_lambda", "lame_mu", "bulk_damping", "shear_damping")
    }
    for law, first, second in (
        (laws.elastic, "lame_lambda", "lame_mu"),
        (laws.viscous, "bulk_damping", "shear_damping"),
    ):
        values = eigen_symmetric(law * _LENGTHS[:, None] * _LENGTHS)[0] if len(law) else np.zeros((0, 6))
        size = np.abs(values).max(initial=0.0)
        if not (np.abs(law - np.swapaxes(law, 1, 2)) <= 1e-9 * size).all() or not (values >= -1e-9 * size).all():
            raise InputError("A law of elements has to be symmetric, and must not make energy: check its 36 numbers.")
        columns[first][laws.element], columns[second][laws.element] = 0.0, 0.5 * values[:, 5]
    return dataclasses.replace(material, **columns)
