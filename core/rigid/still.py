"""Nothing moves, as a motion to choose: cracks in things that stay where they are."""

from dataclasses import dataclass

from ..config.registry import Method
from .advance import no_contacts
from .contract import Advance, FrameSteps, StepReport
from .solver.energy_budget import energy_of
from .state import RigidBodies, RigidState, World


@dataclass(frozen=True, slots=True)
class StillParams:
    """Nothing to choose."""


def run(bodies: RigidBodies, state: RigidState, world: World, dt: float, params: StillParams) -> FrameSteps:
    """The same state again. What a blow gave to the pieces stays in their velocities, and moves nothing."""
    yield 1.0
    return state, StepReport(energy_of(bodies, state, world), 0.0, *no_contacts())


METHOD: Method[Advance] = Method(
    id="still",
    label="Still",
    doc="Nothing moves: pieces stay where they are, with the cracks between them",
    reference="ours",
    params=StillParams,
    run=run,
)
