"""What moves (`RigidBodies`), where it is (`RigidState`) and what it moves in (`World`)."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..arithmetic.products import norm
from ..arithmetic.small_matrices import eigen_symmetric
from ..geometry.packed import packed_starts, ranges
from ..record_arrays import Records, zero_records
from ..types import Bools, Floats, Frozen, Ground, Ints
from .broad.boxes import EnlargedBoxes, no_boxes
from .records import CONTACT, PAIR
from .shapes.convex_parts import ConvexParts

# Moments of inertia below this fraction of the largest one are raised to it: a needle of aspect 1:3000. Without it a
# flat or linear fragment would spin infinitely fast about its own axis. By eye.
THINNEST = 1e-7


@dataclass(frozen=True, eq=False, slots=True)
class RigidBodies(Frozen):
    """The unchanging properties of K rigid bodies. Their parts, and so all points, are in material coordinates.

    Two bodies rub and bounce by the geometric means of their coefficients: what is without friction, or bounces not at
    all, has its way. What is kinematic has none: against it, those of the body count.
    Pinned bodies are for the others like something kinematic that rests, but for what they are made of.
    """

    mass: Floats  #: (K,) [kg], positive
    inertia: Floats  #: (K,3,3) about the centre of mass [kg m^2]
    centre: Floats  #: (K,3) of mass [m]
    part_start: Ints  #: (K+1,)
    part: Ints  #: (n,) the parts of each body; no part belongs to two bodies
    shapes: ConvexParts
    friction: Floats | float  #: (K,) Coulomb coefficients; a single number given is that of all bodies
    restitution: Floats | float  #: (K,) 0..1, of approach speeds above sqrt(g radius); the same
    pinned: Bools = field(default_factory=lambda: np.zeros(1, np.bool_))  #: (K,) held where they are, whatever hits
    radius: Floats = field(init=False)  #: (K,) distance of the farthest corner from the centre of mass [m]
    moments: Floats = field(init=False)  #: (K,3) principal moments, ascending [kg m^2]
    axes: Floats = field(init=False)  #: (K,3,3) principal axes as columns

    def __post_init__(self) -> None:
        """Diagonalise the inertia once; every later use is then symmetric and positive by construction."""
        radius = _radius(self.shapes, self.centre, self.part_start, self.part)
        moments, axes = eigen_symmetric(self.inertia)
        largest = np.maximum(moments[:, 2:], 1e-6 * self.mass[:, None] * np.square(radius)[:, None])
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "moments", np.maximum(moments, THINNEST * largest))
        object.__setattr__(self, "axes", axes)
        for name, kind in (("friction", np.float64), ("restitution", np.float64), ("pinned", np.bool_)):
            one = np.asarray(getattr(self, name), kind)
            object.__setattr__(self, name, np.broadcast_to(one, len(self.mass)).copy())
        Frozen.__post_init__(self)


def _radius(shapes: ConvexParts, centre: Floats, part_start: Ints, part: Ints) -> Floats:
    result = np.zeros(len(centre))
    body = np.repeat(np.arange(len(centre)), np.diff(part_start))
    first, end = shapes.parts.vertex[part].T if len(part) else np.zeros((2, 0), np.int64)
    vertex, owner = ranges(first, end - first), np.repeat(body, end - first)
    np.maximum.at(result, owner, norm(shapes.vertices[vertex] - centre[owner]))
    return result


@dataclass(frozen=True, eq=False, slots=True)
class RigidState(Frozen):
    """Positions and velocities of K bodies at one instant (never split between the two)."""

    position: Floats  #: (K,3) centre of mass [m]
    rotation: Floats  #: (K,4) unit quaternion w,x,y,z from rest axes to world axes
    velocity: Floats  #: (K,3) [m/s]
    angular_momentum: Floats  #: (K,3) about the centre of mass, world axes [kg m^2/s]
    asleep: Bools  #: (K,) at rest until given a velocity or woken
    quiet: Floats  #: (K,) how long the body has been slow and supported [s]
    since: Floats  #: (K,7) its position and rotation when that began
    pairs: Records  #: PAIR: parts that are near each other
    contacts: Records  #: CONTACT: how they touch
    boxes: EnlargedBoxes = field(default_factory=no_boxes)  #: in which the parts were when their pairs were found


@dataclass(frozen=True, eq=False, slots=True)
class Colliders(Frozen):
    """C kinematic bodies, with shapes in axes of their own: one for each collider, or several where it deforms."""

    shapes: ConvexParts
    part_start: Ints  #: (C+1,) parts of each, in order
    pivot: Floats  #: (C,3) the point of each whose path is straight within a frame, in its own axes [m]
    #: (C,) the collider of which each is a part, ascending, where one of them deforms. Empty: each is a collider.
    number: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    skin: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))  #: (C,) whose shapes are of this frame; or empty
    radius: Floats = field(init=False)  #: (C,) distance of the farthest corner from the pivot [m]

    def __post_init__(self) -> None:
        """Measure the radius once."""
        part = np.arange(int(self.part_start[-1]))
        count = len(self.pivot)
        if len(self.number) == 0:
            object.__setattr__(self, "number", np.arange(count))
        if len(self.skin) == 0:
            object.__setattr__(self, "skin", np.zeros(count, np.bool_))
        object.__setattr__(self, "radius", _radius(self.shapes, self.pivot, self.part_start, part))
        Frozen.__post_init__(self)

    @property
    def whole(self) -> Bools:
        """(C,) which of them are all of their collider, and have one form for ever."""
        return np.asarray(~self.skin & (np.bincount(self.number)[self.number] == 1))


@dataclass(frozen=True, eq=False, slots=True)
class ColliderPoses(Frozen):
    """Where the pivots of C colliders are at the two ends of a frame."""

    position: Floats  #: (2,C,3) [m]
    rotation: Floats  #: (2,C,4) unit quaternions


@dataclass(frozen=True, eq=False, slots=True)
class World(Frozen):
    """What acts on all bodies during one frame."""

    gravity: Floats  #: (3,) [m/s^2]
    ground: Ground | None
    colliders: Colliders | None = None
    lead: ColliderPoses | None = None


def at_rest(centre: Floats) -> RigidState:
    """Awake bodies without velocity, unrotated, with their centres of mass at `centre` (K,3) [m]."""
    count = len(centre)
    position, rotation = np.array(centre, dtype=np.float64), np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (count, 1))
    return RigidState(
        position=position,
        rotation=rotation,
        velocity=np.zeros((count, 3)),
        angular_momentum=np.zeros((count, 3)),
        asleep=np.zeros(count, np.bool_),
        quiet=np.zeros(count),
        since=np.concatenate([position.reshape(count, 3), rotation], axis=1),
        pairs=zero_records(PAIR, 0),
        contacts=zero_records(CONTACT, 0),
    )


def put_to_sleep(state: RigidState, which: Bools) -> RigidState:
    """Put the bodies `which` (K,) to sleep where they are, without velocity."""
    still = which[:, None]
    return replace(
        state,
        velocity=np.where(still, 0.0, state.velocity),
        angular_momentum=np.where(still, 0.0, state.angular_momentum),
        asleep=state.asleep | which,
    )


def wake_bodies(state: RigidState, which: Bools) -> RigidState:
    """Wake the bodies `which` (K,)."""
    return replace(state, asleep=state.asleep & ~which, quiet=np.where(which, 0.0, state.quiet))


def select_bodies(bodies: RigidBodies, state: RigidState, keep: Ints | Bools) -> tuple[RigidBodies, RigidState]:
    """The bodies `keep` (a mask (K,) or increasing row numbers) with their state.

    Sleeping bodies stay asleep: wake those that may have lost their support.
    """
    rows = np.flatnonzero(keep) if keep.dtype == np.bool_ else np.asarray(keep, np.int64)
    count = np.diff(bodies.part_start)[rows]
    kept = RigidBodies(
        mass=bodies.mass[rows],
        inertia=bodies.inertia[rows],
        centre=bodies.centre[rows],
        part_start=packed_starts(count),
        part=bodies.part[ranges(bodies.part_start[rows], count)],
        shapes=bodies.shapes,
        friction=np.asarray(bodies.friction)[rows],
        restitution=np.asarray(bodies.restitution)[rows],
        pinned=bodies.pinned[rows],
    )
    return kept, RigidState(
        position=state.position[rows],
        rotation=state.rotation[rows],
        velocity=state.velocity[rows],
        angular_momentum=state.angular_momentum[rows],
        asleep=state.asleep[rows],
        quiet=state.quiet[rows],
        since=state.since[rows],
        pairs=state.pairs,  # name parts, not bodies: what is gone is dropped in the next frame
        contacts=state.contacts,
    )
