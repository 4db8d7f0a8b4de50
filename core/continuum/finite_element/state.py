"""What changes of matter in elements."""

from dataclasses import dataclass

from ...types import Floats, Frozen


@dataclass(frozen=True, eq=False, slots=True)
class ElementState(Frozen):
    """Where nodes are at one time, and how fast."""

    position: Floats  #: (n,3) in the world [m]
    velocity: Floats  #: (n,3) [m/s]
