"""What moves (`RigidBodies`), where it is (`RigidState`) and what it moves in (`World`)."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..types import Bools, Floats, Frozen, Ground, Ints

# Moments of inertia below this fraction of the largest one are raised to it: a needle of aspect 1:3000.
# Without it a flat or linear fragment would spin infinitely fast about its own axis.
THINNEST = 1e-7


@dataclass(frozen=True, eq=False, slots=True)
class RigidBodies(Frozen):
    """The unchanging properties of K rigid bodies, in rest axes about their centres of mass."""

    mass: Floats  #: (K,) [kg], positive
    inertia: Floats  #: (K,3,3) about the centre of mass [kg m^2]
    point_start: Ints  #: (K+1,)
    points: Floats  #: (N,3) contact points relative to the centre of mass: the corners of the convex hull [m]
    radius: Floats  #: (K,) distance of the farthest point from the centre of mass [m]
    friction: float  #: Coulomb coefficient against everything
    restitution: float  #: 0..1, of approach speeds above sqrt(g radius)
    moments: Floats = field(init=False)  #: (K,3) principal moments, ascending [kg m^2]
    axes: Floats = field(init=False)  #: (K,3,3) principal axes as columns

    def __post_init__(self) -> None:
        """Diagonalise the inertia once; every later use is then symmetric and positive by construction."""
        moments, axes = np.linalg.eigh(self.inertia)
        largest = np.maximum(moments[:, 2:], 1e-6 * self.mass[:, None] * self.radius[:, None] ** 2)
        object.__setattr__(self, "moments", np.maximum(moments, THINNEST * largest))
        object.__setattr__(self, "axes", axes)
        Frozen.__post_init__(self)


@dataclass(frozen=True, eq=False, slots=True)
class Impulses(Frozen):
    """Contact impulses of the last substep, from which the next one starts."""

    body: Ints  #: (R,2) bodies a, b; b = -1 is the world
    feature: Ints  #: (R,) which contact of the pair, below 2**20
    impulse: Floats  #: (R,3) on body a, world axes [N s]


@dataclass(frozen=True, eq=False, slots=True)
class RigidState(Frozen):
    """Positions and velocities of K bodies at one instant (never split between the two)."""

    position: Floats  #: (K,3) centre of mass [m]
    rotation: Floats  #: (K,4) unit quaternion w,x,y,z from rest axes to world axes
    velocity: Floats  #: (K,3) [m/s]
    angular_momentum: Floats  #: (K,3) about the centre of mass, world axes [kg m^2/s]
    asleep: Bools  #: (K,) at rest until given a velocity or woken
    quiet: Floats  #: (K,) how long the body has been slow and supported [s]
    impulses: Impulses


@dataclass(frozen=True, eq=False, slots=True)
class World(Frozen):
    """What acts on all bodies."""

    gravity: Floats  #: (3,) [m/s^2]
    ground: Ground | None


def no_impulses() -> Impulses:
    """The empty list of impulses."""
    return Impulses(np.empty((0, 2), np.int64), np.empty(0, np.int64), np.empty((0, 3)))


def at_rest(centre: Floats) -> RigidState:
    """Awake bodies without velocity, unrotated, with their centres of mass at `centre` (K,3) [m]."""
    count = len(centre)
    return RigidState(
        position=np.array(centre, dtype=np.float64),
        rotation=np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (count, 1)),
        velocity=np.zeros((count, 3)),
        angular_momentum=np.zeros((count, 3)),
        asleep=np.zeros(count, np.bool_),
        quiet=np.zeros(count),
        impulses=no_impulses(),
    )


def asleep(state: RigidState, which: Bools) -> RigidState:
    """Put the bodies `which` (K,) to sleep where they are, without velocity."""
    still = which[:, None]
    return replace(
        state,
        velocity=np.where(still, 0.0, state.velocity),
        angular_momentum=np.where(still, 0.0, state.angular_momentum),
        asleep=state.asleep | which,
    )


def awake(state: RigidState, which: Bools) -> RigidState:
    """Wake the bodies `which` (K,)."""
    return replace(state, asleep=state.asleep & ~which, quiet=np.where(which, 0.0, state.quiet))


def select(bodies: RigidBodies, state: RigidState, keep: Ints | Bools) -> tuple[RigidBodies, RigidState]:
    """The bodies `keep` (a mask (K,) or increasing row numbers) with their state; impulses between kept bodies live on.

    Sleeping bodies stay asleep: wake those that may have lost their support.
    """
    rows = np.flatnonzero(keep) if keep.dtype == np.bool_ else np.asarray(keep, np.int64)
    count = np.diff(bodies.point_start)[rows]
    start = np.concatenate([[0], np.cumsum(count)])
    point = np.repeat(bodies.point_start[rows] - start[:-1], count) + np.arange(start[-1])
    kept = RigidBodies(
        mass=bodies.mass[rows],
        inertia=bodies.inertia[rows],
        point_start=start,
        points=bodies.points[point],
        radius=bodies.radius[rows],
        friction=bodies.friction,
        restitution=bodies.restitution,
    )
    new_row = np.full(len(bodies.mass) + 1, -2)
    new_row[rows] = np.arange(len(rows))
    new_row[-1] = -1  # the world
    old = state.impulses
    body = new_row[old.body]
    live = (body > -2).all(axis=1)
    return kept, RigidState(
        position=state.position[rows],
        rotation=state.rotation[rows],
        velocity=state.velocity[rows],
        angular_momentum=state.angular_momentum[rows],
        asleep=state.asleep[rows],
        quiet=state.quiet[rows],
        impulses=Impulses(body[live], old.feature[live], old.impulse[live]),
    )


def join(
    first: tuple[RigidBodies, RigidState], second: tuple[RigidBodies, RigidState]
) -> tuple[RigidBodies, RigidState]:
    """The bodies of `first` followed by those of `second`; friction and restitution are those of `first`."""
    (a, s), (b, t) = first, second
    count = len(a.mass)
    bodies = RigidBodies(
        mass=np.concatenate([a.mass, b.mass]),
        inertia=np.concatenate([a.inertia, b.inertia]),
        point_start=np.concatenate([a.point_start, b.point_start[1:] + a.point_start[-1]]),
        points=np.concatenate([a.points, b.points]),
        radius=np.concatenate([a.radius, b.radius]),
        friction=a.friction,
        restitution=a.restitution,
    )
    moved = np.where(t.impulses.body >= 0, t.impulses.body + count, -1)
    return bodies, RigidState(
        position=np.concatenate([s.position, t.position]),
        rotation=np.concatenate([s.rotation, t.rotation]),
        velocity=np.concatenate([s.velocity, t.velocity]),
        angular_momentum=np.concatenate([s.angular_momentum, t.angular_momentum]),
        asleep=np.concatenate([s.asleep, t.asleep]),
        quiet=np.concatenate([s.quiet, t.quiet]),
        impulses=Impulses(
            np.concatenate([s.impulses.body, moved]),
            np.concatenate([s.impulses.feature, t.impulses.feature]),
            np.concatenate([s.impulses.impulse, t.impulses.impulse]),
        ),
    )
