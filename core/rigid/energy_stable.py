"""Rigid bodies that never gain energy, as a motion to choose."""

from dataclasses import dataclass

from ..config.registry import Method
from .advance import advance_in_steps
from .contract import Advance, FrameSteps
from .state import RigidBodies, RigidState, World


@dataclass(frozen=True, slots=True)
class RigidParams:
    """Nothing to choose."""


def run(bodies: RigidBodies, state: RigidState, world: World, dt: float, params: RigidParams) -> FrameSteps:
    """`advance_in_steps` without params."""
    return advance_in_steps(bodies, state, world, dt)


METHOD: Method[Advance] = Method(
    id="rigid",
    label="Rigid Bodies",
    doc="Pieces fly, fall, slide, lean on each other and come to rest as rigid bodies",
    reference="Su, Schroeder, Fedkiw 2009; substeps and energy budget ours",
    params=RigidParams,
    run=run,
)
