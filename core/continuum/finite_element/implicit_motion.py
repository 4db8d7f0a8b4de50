"""A body of elements through slow or soft shots, in steps as long as one likes: see `implicit_steps`."""

import numpy as np

from ...errors import InputError
from ...jit import sealed_floats
from .advance_elements import ElementBody, ElementLoads, ElementMotion
from .element_blocks import ELEMENT_BLOCK
from .implicit_steps import (
    IMPLICIT_NUMBERS,
    MOST_ITERATIONS,
    RESIDUAL_LEFT,
    WORK_ROWS,
    run_implicit_steps,
)
from .state import ElementState
from .turning_elements import TurningElements

#: Of the first residual, that may be left. Tried on a block let go from strains of 5 %: momentum strays by 1e-2 of what
#: nodes have at 1e-3, 4e-4 at 1e-6, 5e-7 at 1e-8, 2e-7 at 1e-9; a cantilever takes 176 to 208 iterations.
SOLVE_RESIDUAL = 1e-8
_ITERATIONS = 5000  # of one step; hundreds where a step is a thousand times an explicit one


class ImplicitMotion(ElementMotion):
    """As `ElementMotion`, in implicit steps. Surfaces should be hard ones: what a penalty pushes is explicit.

    Damping of the material does not limit the step, and needs no cap.
    """

    def __init__(self, body: ElementBody, state: ElementState, loads: ElementLoads) -> None:
        """Begin at a state; the frames of elements are looked for from the axes of the world on.

        Raises InputError for elements that are not isotropic.
        """
        if len(body.laws.element):
            raise InputError("Implicit steps know isotropic matter only: choose explicit ones, or one stiffness.")
        super().__init__(body, state, loads)
        places, matrices = body.blocks.node.shape, (len(body.blocks.row), 9 * ELEMENT_BLOCK)
        quaternion = np.zeros(places)
        quaternion[:, :ELEMENT_BLOCK] = 1.0
        frames = np.zeros(matrices), np.zeros(matrices)
        room = np.empty(matrices[1]), np.empty(matrices[1])
        self._elements = TurningElements(body.blocks.node, body.blocks.row, quaternion, *frames, *room)
        self._mass = sealed_floats(body.mass)
        self._work = np.empty((WORK_ROWS, len(body.mass), 3))
        self.iterations = 0  #: most of a step so far

    def run(self, dt: float, most: int, way: tuple[float, float] = (np.inf, np.inf)) -> int:
        """As `ElementMotion.run`. Raises InputError where velocities of a step are not found."""
        numbers = self._numbers(dt, way, IMPLICIT_NUMBERS)
        numbers[RESIDUAL_LEFT], numbers[MOST_ITERATIONS] = SOLVE_RESIDUAL, _ITERATIONS
        nodes = self._mass, *self._nodes
        made, iterations = run_implicit_steps(
            self._motion, self._elements, nodes, self._surfaces, self._work, numbers, self.totals, self._row, most
        )
        if iterations < 0:
            raise InputError("The elements cannot be solved for in steps as long as these: choose shorter ones.")
        self.iterations = max(self.iterations, iterations)
        return self._note(made)
