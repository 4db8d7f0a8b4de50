"""The way along which its own animation leads an object."""

from dataclasses import dataclass

from .types import Floats, Frozen


@dataclass(frozen=True, eq=False, slots=True)
class Path(Frozen):
    """Where an object is at each stored frame, seen from where its body coordinates are 0 at the first of them."""

    position: Floats  #: (S,3) of its origin [m]
    rotation: Floats  #: (S,4) unit quaternion w,x,y,z from its pose at the first frame, sign-continuous
    turn: Floats  #: (S-1,3) the rotation vectors from each frame to the next one, in world axes [rad]
    last: int  #: stored frame, from 1 on, after which it moves no more: from there on nothing leads it
