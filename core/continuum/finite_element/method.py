"""Matter as elements of a solid: stress decides where a crack begins and which way it runs, and the mesh is cut there.

In: an object, and what is in its way. Out: pieces, and where any point of them is. An object is rigid until something
hits it, then its waves are computed until they have died away, and pieces go on as rigid bodies.

Limitations: pieces of one object do not touch each other as long as they deform, which is a frame or two; nor do those
of two objects that deform at the same time. Pieces that have become rigid do not break again. What is stiffer than the
substeps of a frame allow is made softer. Cracks that end inside of a piece are not seen.

Reference: O'Brien, Hodgins: Graphical modeling and animation of brittle fracture, 1999; where we depart from it is said
in docs/papers/obrien1999.md.
"""

from collections.abc import Sequence

from ...config.registry import Method
from ...types import Course
from ..contract import Continuum, RigidFirst
from .divided_elements import divide_elements_steps, mass_of_elements, sheet_thickness_of_elements
from .element_run import FiniteElementRun
from .estimate_elements import estimate_elements
from .params import FiniteElementParams


def _rigid_below(params: FiniteElementParams, courses: Sequence[Course]) -> float:
    return params.rigid_below


def _not_again(params: FiniteElementParams, share: float) -> None:
    """Pieces stay rigid: in a heap of them one that is pressed would crack on and on."""


METHOD: Method[Continuum] = Method(
    id="finite_element",
    label="By Stress",
    doc="Elements of a solid: cracks begin where the stress is highest, and run where it leads them",
    reference="O'Brien, Hodgins 1999",
    params=FiniteElementParams,
    run=Continuum(
        divide_elements_steps,
        FiniteElementRun,
        sheet_thickness_of_elements,
        estimate_elements,
        RigidFirst(_rigid_below, mass_of_elements, _not_again),
    ),
)
