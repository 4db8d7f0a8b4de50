"""What every motion takes and gives."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..types import Floats, Frozen, Ints
from .state import RigidBodies, RigidState, World


@dataclass(frozen=True, eq=False, slots=True)
class StepReport(Frozen):
    """What a frame did."""

    energy: Floats  #: (3,) at its end: kinetic energy of translation, of rotation, potential energy [J]
    work: float  #: that the colliders did on the bodies [J]
    touch_body: Ints  #: (T,2) rows of bodies that pressed on each other; from K on: the colliders, then the ground
    touch_impulse: Floats  #: (T,3) on the first of them over the whole frame, world axes [N s]
    touch_point: Floats  #: (T,3) where [m]
    #: (T,2,3) the mean point of each of the two that pressed, in its own material coordinates; of a collider that
    #: deforms: in the world [m]
    touch_anchor: Floats
    touch_pace: (
        Floats  #: (T,3) velocity of that point of the second one where it is a collider that deforms, else 0 [m/s]
    )


#: A frame at work: yields the share of it that is done, 0..1, and returns the state after it and its report.
FrameSteps: TypeAlias = Generator[float, None, tuple[RigidState, StepReport]]

#: (bodies, state, world, dt, params) -> the steps of one stored frame of dt [s]. The world is that of this frame.
#: Sleeping bodies do not change by a bit; kinetic plus potential energy, less the work of the colliders, never rises.
Advance: TypeAlias = Callable[[RigidBodies, RigidState, World, float, Any], FrameSteps]
