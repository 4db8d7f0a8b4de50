"""A body of elements through a time: what is handed to the kernel of substeps, and what is read from it."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from ...errors import InputError
from ...jit import sealed_floats, sealed_ints
from ...types import Bools, Floats, Frozen, Ints
from ..plane_contacts import (
    DEEPEST,
    DT,
    ELAPSED,
    GRAVITY,
    LATENESS,
    MOST_WAY,
    MOST_WAY_ASIDE,
    SURFACE_IMPULSE,
    SURFACE_WORK,
    WAY,
    WAY_ASIDE,
)
from .element_blocks import ELEMENT_BLOCK, ElementBlocks, pack_elements
from .element_steps import (
    EDGE_ROWS,
    ELEMENT_NUMBERS,
    ELEMENT_TOTALS,
    FORCE_ROWS,
    INVERTED,
    PRESSED,
    SMALLEST_SHARE,
    run_element_steps,
)
from .elements import ElementShapes, TetrahedralMesh, lumped_masses, measure_elements
from .linear_laws import LinearLaws, bound_laws, no_laws
from .material import ElementMaterial
from .state import ElementState


class ElementIntegrator(IntEnum):
    """How a step is made of velocities and forces."""

    SYMPLECTIC_EULER = 0
    FORWARD_EULER = 1
    TAYLOR = 2  #: positions to the second order, by x += dt v + dt^2/2 a


#: What part of a step positions do not know of its forces, see `plane_contacts`.
_LATENESS = {
    ElementIntegrator.SYMPLECTIC_EULER: 0.0,
    ElementIntegrator.FORWARD_EULER: 1.0,
    ElementIntegrator.TAYLOR: 0.5,
}


@dataclass(frozen=True, eq=False, slots=True)
class ElementBody(Frozen):
    """Elements and what is kept of them, until they change."""

    mesh: TetrahedralMesh
    shapes: ElementShapes
    material: ElementMaterial
    mass: Floats  #: (n,) [kg]
    blocks: ElementBlocks
    #: Of some elements, for which the material has stand-ins that resist as much, see `bound_laws`.
    laws: LinearLaws = field(default_factory=no_laws)


@dataclass(frozen=True, eq=False, slots=True)
class ElementLoads(Frozen):
    """What acts on nodes besides elements. Held ones keep the velocity that they have, whatever acts."""

    gravity: Floats  #: (3,) [m/s^2]
    held: Bools  #: (n,), or none (0,)
    outside: Floats  #: (n,3) forces [N], or none (0,3)
    surface_node: Ints  #: (s,) nodes in whose way a plane is
    surface_plane: Floats  #: (s,11), see `plane_contacts`


@dataclass(frozen=True, eq=False, slots=True)
class ElementReport(Frozen):
    """What happened in some substeps."""

    steps: int
    pressed: int  #: most elements that were below 0.58 of their volume at once, where they resist more
    inverted: int  #: most elements that were inside out at once
    smallest_share: float  #: of its volume that an element had, where that was below 0.58; 1 otherwise
    impulse: Floats  #: (3,) of surfaces on nodes [N s]
    work: float  #: of surfaces that moved on nodes [J]
    deepest: float  #: how far a node was inside of a surface [m]


def build_elements(mesh: TetrahedralMesh, material: ElementMaterial, laws: LinearLaws | None = None) -> ElementBody:
    """What is kept of elements. Raises InputError where one is flat or inside out, or a law makes energy."""
    given = laws or no_laws()
    shapes = measure_elements(mesh)
    if not (shapes.volume > 0.0).all():
        raise InputError("Some elements are flat or inside out: choose another size of elements, or another seed.")
    mass = lumped_masses(mesh, shapes.volume, material.density)
    bounded = bound_laws(material, given)
    return ElementBody(mesh, shapes, bounded, mass, pack_elements(mesh, shapes, bounded, laws=given), given)


def free_loads(gravity: Floats | None = None) -> ElementLoads:
    """Nothing but gravity, if that."""
    none = np.zeros(0, np.int64)
    pull = np.zeros(3) if gravity is None else np.array(gravity, np.float64)
    return ElementLoads(pull, np.zeros(0, np.bool_), np.zeros((0, 3)), none, np.zeros((0, 11)))


class ElementMotion:
    """The motion of a body while its elements stay the same: made once, and run as often as is asked."""

    def __init__(
        self,
        body: ElementBody,
        state: ElementState,
        loads: ElementLoads,
        integrator: ElementIntegrator = ElementIntegrator.SYMPLECTIC_EULER,
    ) -> None:
        """Begin at a state."""
        count = len(body.mass)
        inverse = np.zeros(count)
        np.divide(1.0, body.mass, out=inverse, where=body.mass > 0.0)
        if len(loads.held):
            inverse[loads.held] = 0.0
        self.totals = np.zeros(ELEMENT_TOTALS)
        self.totals[SMALLEST_SHARE] = 1.0
        self.steps = 0
        self._blocks = body.blocks
        self._integrator = integrator
        self._loads = loads
        self._nodes = sealed_floats(inverse), sealed_floats(loads.outside)
        self._surfaces = sealed_ints(loads.surface_node), sealed_floats(loads.surface_plane)
        self._motion = np.empty((2, count, 6))
        self._motion[0, :, :3], self._motion[0, :, 3:] = state.position, state.velocity
        self._room = np.empty((count, 3)), np.empty(EDGE_ROWS * ELEMENT_BLOCK), np.empty(FORCE_ROWS * ELEMENT_BLOCK)
        self._row = 0

    def run(self, dt: float, most: int, way: tuple[float, float] = (np.inf, np.inf)) -> int:
        """Up to `most` substeps; how many were made until nodes may have gone a way, or a way beside the whole [m]."""
        numbers = self._numbers(dt, way, ELEMENT_NUMBERS)
        numbers[LATENESS] = _LATENESS[self._integrator]
        made = run_element_steps(
            self._motion, self._blocks, self._nodes, self._surfaces, self._room, numbers, self.totals, self._row, most
        )
        return self._note(made)

    def _numbers(self, dt: float, way: tuple[float, float], count: int) -> Floats:
        """Those that all kinds of steps know."""
        numbers = np.zeros(count)
        numbers[DT], numbers[GRAVITY : GRAVITY + 3] = dt, self._loads.gravity
        numbers[MOST_WAY], numbers[MOST_WAY_ASIDE] = way
        self.totals[WAY] = self.totals[WAY_ASIDE] = 0.0
        return numbers

    def _note(self, made: int) -> int:
        self._row ^= made & 1
        self.steps += made
        return made

    def state(self) -> ElementState:
        """Where nodes are now. Raises InputError where numbers got out of hand."""
        now = self._motion[self._row]
        if not np.isfinite(now).all():
            raise InputError("The elements ran away: choose smaller steps, less damping, or softer contacts.")
        return ElementState(np.ascontiguousarray(now[:, :3]), np.ascontiguousarray(now[:, 3:]))

    def report(self) -> ElementReport:
        """What happened since the beginning."""
        totals = self.totals
        counts = self.steps, int(totals[PRESSED]), int(totals[INVERTED]), float(totals[SMALLEST_SHARE])
        impulse = totals[SURFACE_IMPULSE : SURFACE_IMPULSE + 3].copy()
        return ElementReport(*counts, impulse, float(totals[SURFACE_WORK]), float(totals[DEEPEST]))

    @property
    def elapsed(self) -> float:
        """Time since the beginning [s]."""
        return float(self.totals[ELAPSED])


def advance_elements(
    body: ElementBody,
    state: ElementState,
    loads: ElementLoads,
    dt: float,
    steps: int,
    integrator: ElementIntegrator = ElementIntegrator.SYMPLECTIC_EULER,
) -> tuple[ElementState, ElementReport]:
    """Go on by some substeps of `dt`, and what happened. Raises InputError where numbers got out of hand."""
    motion = ElementMotion(body, state, loads, integrator)
    motion.run(dt, steps)
    return motion.state(), motion.report()
