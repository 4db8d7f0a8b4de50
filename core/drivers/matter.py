"""What goes into a driver and what comes out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..breaking import Rule
from ..cells.warp.plain import Contact
from ..material import Material
from ..motion.contract import Account
from ..motion.state import RigidBodies, RigidState, World
from ..types import Body, Cells, Clock, Floats, Fracture, Fragments, Frozen, Impact, Motion, Units
from .stage import Stage


@dataclass(frozen=True, eq=False, slots=True)
class Matter(Frozen):
    """What is broken: the body, its cells and units, the strength of each link, the material, the rule."""

    body: Body
    cells: Cells
    units: Units
    strength: Floats  #: (L,) relative, 1 is nominal
    material: Material
    rule: Rule
    params: Any  #: the rule's params
    seed: int
    contact: Contact | None = None  #: how the cells touch; None: as they are


@dataclass(frozen=True, slots=True)
class Momentum:
    """How a whole object moves before it is hit."""

    velocity: Floats  #: (3,) of the pivot [m/s]
    spin: Floats  #: (3,) [rad/s]
    pivot: Floats  #: (3,) a point in world coordinates [m]


#: A motion with its params: (bodies, state, world, dt) -> state and account, see motion/contract.py.
Move: TypeAlias = Callable[[RigidBodies, RigidState, World, float], tuple[RigidState, Account]]


@dataclass(frozen=True, slots=True)
class Course:
    """What happens to the matter."""

    impacts: tuple[Impact, ...]  #: with a resolved radius; one later than the clock acts on its last frame
    momentum: Momentum
    stage: Stage
    clock: Clock
    move: Move
    touches: bool  #: whether it is kept what pressed on what


@dataclass(frozen=True, eq=False, slots=True)
class Broken:
    """What came of it."""

    fracture: Fracture
    fragments: Fragments
    motion: Motion
    utilisation: float  #: largest load / limit that any hit reached; above 1 something cracked
