"""Rigid bodies that never gain energy, as a motion to choose."""

from dataclasses import dataclass

from ..registry import Method
from .advance import advance
from .contract import Account, Advance
from .state import RigidBodies, RigidState, World


@dataclass(frozen=True, slots=True)
class RigidParams:
    """Nothing to choose."""


def run(
    bodies: RigidBodies, state: RigidState, world: World, dt: float, params: RigidParams
) -> tuple[RigidState, Account]:
    """`advance` without params."""
    return advance(bodies, state, world, dt)


METHOD: Method[Advance] = Method(
    id="rigid",
    label="Rigid Bodies",
    doc="Pieces fly, fall, slide, lean on each other and come to rest as rigid bodies",
    reference="Su, Schroeder, Fedkiw 2009; substeps and energy budget ours",
    params=RigidParams,
    run=run,
)
