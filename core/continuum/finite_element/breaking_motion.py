"""A body of elements that moves and breaks: substeps, a look at which nodes fail, cuts, and on.

Nodes are looked at whenever a wave may have passed a usual element: a crack goes on by one element at a time, so it is
as fast as waves at most. (The paper looks after each step; its steps are of that order.) Where elements change, what is
kept of them is computed again, and nothing else is: their damping, the step, the blocks that the kernel reads.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...types import Bools, Floats, Ints
from .advance_elements import ElementBody, ElementIntegrator, ElementLoads, ElementMotion, free_loads
from .cut_mesh import CutMesh
from .element_blocks import ELEMENT_BLOCK, ElementBlocks, pack_elements, write_elements
from .element_rates import cap_damping, element_step_count, stable_element_step
from .elements import ElementShapes
from .failing_nodes import FailingNodes, FailureLaw, find_failing_nodes
from .splitting.separate import Separation, split_failing_nodes
from .splitting.workspace import SplittingRules
from .state import ElementState


def anchored_loads(gravity: Floats | None = None) -> Callable[[CutMesh], ElementLoads]:
    """Gravity (3,) [m/s^2], if any, and nothing else; anchored nodes keep the velocity that they have."""
    return lambda cut: replace(free_loads(gravity), held=cut.anchored.copy())


class BreakingMotion:
    """The motion of a mesh that is cut as it moves; positions and velocities are those of the mesh."""

    def __init__(
        self,
        cut: CutMesh,
        law: FailureLaw,
        rules: SplittingRules,
        loads: Callable[[CutMesh], ElementLoads] | None = None,
        integrator: ElementIntegrator = ElementIntegrator.SYMPLECTIC_EULER,
    ) -> None:
        """Begin where the mesh is. `loads` says what acts on its nodes, and is asked again after each cut."""
        self.cut, self.law, self.rules, self.integrator = cut, law, rules, integrator
        #: Which nodes (k,) at positions (k,3) may be split where they fail.
        self.may_break: Callable[[Floats], Bools] = lambda position: np.ones(len(position), np.bool_)
        self.done = Separation()
        self.steps, self.time = 0, 0.0  #: since it began; [s]
        self.impulse, self.work = np.zeros(3), 0.0  #: of surfaces on nodes, until the last cut [N s, J]
        self.loads = loads or anchored_loads()  #: asked at the next `begin_anew`, and after each cut
        whole = cut.material(np.arange(cut.element_count))
        self._damping = whole.bulk_damping, whole.shear_damping  # of the elements as they were made
        wave = np.sqrt((whole.lame_lambda + 2.0 * whole.lame_mu) / whole.density).max()
        self._transit = cut.median_altitude / float(wave)
        self._limit = np.inf
        self._pack()
        self.begin_anew()

    def run(self, time: float) -> None:
        """Go on by a time [s]. Raises InputError where that takes too many steps, or numbers get out of hand."""
        left = time
        while left > 0.0:
            count = element_step_count(left, self._limit)
            dt = left / count
            most = max(1, int(self._transit / dt))
            made = self._motion.run(dt, min(count, most))
            self.steps, self.time = self.steps + made, self.time + made * dt
            left = left - made * dt if made < count else 0.0
            self._look()

    @property
    def blocks(self) -> ElementBlocks:
        """The elements as the kernel of substeps reads them."""
        return self._blocks

    def leave_out(self, element: Ints) -> None:
        """Some elements exert no force any more."""
        self.cut.rows.elements.law[element] = 0.0
        self._write(element)

    def _look(self) -> None:
        """Split the nodes that fail now."""
        cut, state = self.cut, self._motion.state()
        cut.position[:], cut.velocity[:] = state.position, state.velocity
        failing = find_failing_nodes(cut, self.law)
        may = self.may_break(cut.position[failing.node])
        if may.any():
            self.split(FailingNodes(failing.node[may], failing.rating[may], failing.normal[may]))

    def split(self, failing: FailingNodes) -> None:
        """Split some nodes, and go on with what the mesh is then."""
        nodes = self.cut.node_count
        split_failing_nodes(self.cut, failing, self.law, self.rules, self.done)
        if self.cut.node_count > nodes:
            report = self._motion.report()
            self.impulse, self.work = self.impulse + report.impulse, self.work + report.work
            self._renew(nodes)

    def _renew(self, nodes: int) -> None:
        """Take up what changed when nodes from a number on were made: all changed elements have such a node."""
        if self.cut.element_count > len(self._blocks.row) * ELEMENT_BLOCK:
            self._pack()
        else:
            self._write(np.flatnonzero((self.cut.element_node >= nodes).any(axis=1)))
        self.begin_anew()

    def _pack(self) -> None:
        """Blocks of all elements, with room for as many as the mesh has room for."""
        cut = self.cut
        everything = np.arange(cut.element_count)
        shapes = ElementShapes(cut.gradient, cut.volume)
        room = len(cut.rows.elements.volume)
        self._blocks = pack_elements(cut.as_mesh(), shapes, cut.material(everything), room)
        self._write(everything)

    def _write(self, element: Ints) -> None:
        """Damping that is of use, the step and the blocks of some elements."""
        cut = self.cut
        shapes = ElementShapes(cut.gradient[element], cut.volume[element])
        origin = cut.element_origin[element]
        given = replace(
            cut.material(element), bulk_damping=self._damping[0][origin], shear_damping=self._damping[1][origin]
        )
        material = cap_damping(shapes, given)
        cut.set_damping(element, material)
        self._limit = min(self._limit, stable_element_step(shapes, material))
        write_elements(self._blocks, element, cut.element_node[element], shapes, material)

    def begin_anew(self) -> None:
        """Ask for loads again, and go on from the mesh as it is, with the positions and velocities that it has now."""
        cut = self.cut
        shapes = ElementShapes(cut.gradient, cut.volume)
        body = ElementBody(cut.as_mesh(), shapes, cut.material(np.arange(cut.element_count)), cut.mass, self._blocks)
        state = ElementState(cut.position.copy(), cut.velocity.copy())
        self._motion = ElementMotion(body, state, self.loads(cut), self.integrator)
