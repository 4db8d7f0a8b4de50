"""The working records of one frame: K free bodies, then the colliders, then the ground, which are kinematic.

What is kinematic has no inverse mass, so impulses do not move it: kernels need no special case.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arithmetic.elementary import arctan2
from ..arithmetic.products import dot, norm
from ..jit import device_inlined, njit, njit_no_refs, sealed_floats, sealed_ints
from ..record_arrays import Record, Records, plain_view, zero_records
from ..types import Bools, Floats, Ground, Ints
from .narrow.scratch import Scratch, scratch_of
from .quaternion import rotate_quaternion, write_rotation_matrix
from .records import BODY
from .shapes.convex_hulls import make_convex_parts
from .shapes.convex_parts import ConvexParts, PartGeometry, concatenate_parts
from .solver.free_rotation import NEGLIGIBLE, rotate
from .state import Colliders, RigidBodies, RigidState, World

#: Half of the side of the block that stands for the ground, in units of the farthest point from the origin. By eye.
GROUND_SIZE = 1e4
#: A rotation in a substep turns a body by up to so many times its spin at the start: second order, and energy kept. By
#: eye.
ROTATION_BOUND = 1.5


@dataclass(frozen=True, eq=False, slots=True)
class StaticGeometry:
    """All shapes of a scene: those of the bodies, of the colliders, of the ground."""

    geometry: PartGeometry
    shapes: ConvexParts
    first: int  #: first part that is kinematic
    kinematic_body: Ints  #: (.,) the kinematic body of each of these parts, counted from the first kinematic one
    scratch: Scratch  #: for the narrow phase


@dataclass(frozen=True, slots=True)
class SolverState:
    """Everything that moves within a frame."""

    bodies: Records  #: (N,) BODY, N = K + kinematic
    free: int  #: K
    owner: Ints  #: (P,) the row of the body of each part, -1 for parts of none
    touchable_owner: Ints  #: (P,) the same, -1 also for parts that cannot be touched
    reach: Floats  #: (P,) distance of the farthest point of a part from the centre of mass of its body, or more [m]
    static_geometry: StaticGeometry
    gravity: Floats  #: (3,) [m/s^2]
    weight: float  #: size of gravity [m/s^2]
    immovable: Bools  #: (N,) kinematic or pinned: nothing that it meets can move it
    pins: bool  #: whether any is pinned
    kinematic: "KinematicBodies"  #: what is kinematic

    def outwards(self, pairs: Ints) -> Ints:
        """Pairs (n,2) of bodies of which one is not immovable, turned so that it comes first."""
        if not self.pins:
            return pairs  # parts of what is kinematic come after all others
        return np.where(self.immovable[pairs[:, :1]], pairs[:, ::-1], pairs)


@dataclass(frozen=True, eq=False, slots=True)
class KinematicBodies:
    """L bodies that are kinematic: those of the colliders, then the ground."""

    number: Ints  #: (L,) the collider that each is a part of; the ground has the number after the last one
    whole: Bools  #: (L,) it is all of its collider
    skin: Bools  #: (L,) its form is another one at each frame


def kinematic_bodies_of(world: World) -> KinematicBodies:
    """What is kinematic in a world."""
    ground = np.ones(0 if world.ground is None else 1, np.bool_)
    if world.colliders is None:
        return KinematicBodies(np.zeros(len(ground), np.int64), ground, ~ground)
    some = world.colliders
    number = np.append(some.number, int(some.number.max(initial=-1)) + ground.astype(np.int64))
    return KinematicBodies(number, np.append(some.whole, ground), np.append(some.skin, ~ground))


@lru_cache(maxsize=2)
def gather_static_geometry(shapes: ConvexParts, colliders: Colliders | None, ground: Ground | None) -> StaticGeometry:
    """The shapes of a scene, put together once for all of its frames."""
    all_shapes = [shapes]
    kinematic = [np.zeros(0, np.int64)]
    count = 0
    if colliders is not None:
        count = len(colliders.pivot)
        all_shapes.append(colliders.shapes)
        kinematic.append(np.repeat(np.arange(count), np.diff(colliders.part_start)))
    if ground is not None:
        points = np.concatenate([some.vertices for some in all_shapes])
        size = GROUND_SIZE * max(float(np.abs(points).max(initial=0.0)), 1e-3) * np.array([1.0, 1.0, 0.5])
        corners = np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-2.0, 0.0], indexing="ij"), axis=-1)
        all_shapes.append(make_convex_parts([corners.reshape(-1, 3) * size]))
        kinematic.append(np.array([count]))
    whole = concatenate_parts(all_shapes)
    return StaticGeometry(
        whole.geometry, whole, len(shapes.parts), np.concatenate(kinematic), scratch_of(whole.geometry)
    )


@dataclass(frozen=True, eq=False, slots=True)
class BodyConstants:
    """What stays as it is while the same bodies move."""

    records: Records  #: (N,) BODY, without anything of a state
    owner: Ints  #: see `SolverState`; the same for the next three
    touchable_owner: Ints
    reach: Floats
    immovable: Bools
    pins: bool


@lru_cache(maxsize=3)
def gather_body_constants(bodies: RigidBodies, static_geometry: StaticGeometry) -> BodyConstants:
    """The records of the bodies and of what is kinematic, put together once for all frames until something breaks."""
    count, kinematic = len(bodies.mass), int(static_geometry.kinematic_body.max(initial=-1)) + 1
    records = zero_records(BODY, count + kinematic)
    free = records[:count]
    free.centre, free.mass, free.radius = bodies.centre, bodies.mass, bodies.radius
    free.moments, free.axes = bodies.moments, bodies.axes
    free.friction, free.restitution = bodies.friction, bodies.restitution
    immovable = np.append(bodies.pinned, np.ones(kinematic, np.bool_))
    records.immovable = immovable
    records.rotation[count:, 0] = 1.0
    owner = np.full(len(static_geometry.shapes.parts), -1)
    owner[bodies.part] = np.repeat(np.arange(count), np.diff(bodies.part_start))
    owner[static_geometry.first :] = count + static_geometry.kinematic_body
    touchable = np.where(find_hidden_parts(static_geometry.shapes, owner), -1, owner)
    reach = measure_reaches(static_geometry.shapes, records, count, owner)
    return BodyConstants(
        records, sealed_ints(owner), sealed_ints(touchable), sealed_floats(reach), immovable, bool(bodies.pinned.any())
    )


def begin_frame(bodies: RigidBodies, state: RigidState, world: World, asleep: Bools, dt: float) -> SolverState:
    """Put the state into working records; what is kinematic gets the velocity that takes it to its end in dt [s].

    The bodies `asleep` (K,) can be moved by nothing until they are woken.
    """
    static_geometry = gather_static_geometry(bodies.shapes, world.colliders, world.ground)
    constants, count = gather_body_constants(bodies, static_geometry), len(bodies.mass)
    records = constants.records.copy()
    free = records[:count]
    free.position, free.rotation = state.position, state.rotation
    free.velocity[:, :3], free.angular_momentum = state.velocity, state.angular_momentum
    free.inverse_mass = np.where(asleep, 0.0, 1.0 / bodies.mass)
    _place_kinematic_bodies(records[count:], world, dt)
    update_transforms(plain_view(records), sealed_ints(np.arange(len(records))))
    gravity = sealed_floats(world.gravity)
    weight = math.sqrt(float(np.sum(np.square(gravity))))
    kinematic = kinematic_bodies_of(world)
    return SolverState(
        records,
        count,
        constants.owner,
        constants.touchable_owner,
        constants.reach,
        static_geometry,
        gravity,
        weight,
        constants.immovable,
        constants.pins,
        kinematic,
    )


def find_hidden_parts(shapes: ConvexParts, owner: Ints) -> Bools:
    """(P,) parts of which no face can be touched: all lie against parts of the same body."""
    start = shapes.parts.face[:, 0]
    body = owner[np.repeat(np.arange(len(start)), np.diff(np.append(start, len(shapes.faces))))]
    adjacent, patch = shapes.faces.adjacent, shapes.faces.patch
    covered = (adjacent >= 0) & (owner[adjacent] == body)
    for f in np.flatnonzero(covered & (patch[:, 0] < patch[:, 1])).tolist():
        behind = shapes.patches.adjacent[slice(*patch[f])]
        covered[f] = bool(((behind >= 0) & (owner[behind] == body[f])).all())
    return np.logical_and.reduceat(covered, start)


def measure_reaches(shapes: ConvexParts, bodies: Records, free: int, owner: Ints) -> Floats:
    """The reach (P,) of each part, see `SolverState`; infinite for what is kinematic: it may turn about any point."""
    arm = shapes.parts.centre - bodies.centre[owner]
    reach = np.minimum(np.sqrt(np.square(arm).sum(axis=1)) + shapes.parts.radius, bodies.radius[owner])
    return np.where(owner < free, reach, np.inf)


def _place_kinematic_bodies(kinematic: Records, world: World, dt: float) -> None:
    if len(kinematic) == 0:
        return
    if world.ground is not None:
        kinematic.position[-1] = [0.0, 0.0, world.ground.height]
    if world.colliders is not None and world.lead is not None:
        (x, y), (p, q) = world.lead.position, world.lead.rotation
        some = kinematic[: len(x)]
        some.centre, some.position, some.rotation = world.colliders.pivot, x, p
        some.velocity[:, :3] = (y - x) / dt
        some.velocity[:, 3:] = rotation_vectors_between(p, q) / dt
        some.radius = world.colliders.radius


def rotation_vectors_between(p: Floats, q: Floats) -> Floats:
    """Rotation vectors (C,3) [rad] that take the unit quaternions p (C,4) to q (C,4) the short way."""
    w = dot(q, p)
    v = p[:, :1] * q[:, 1:] - q[:, :1] * p[:, 1:] - np.cross(q[:, 1:], p[:, 1:])
    sine = norm(v)
    angle = 2.0 * arctan2(sine, np.abs(w))
    scale = np.where(sine > 1e-300, angle / np.maximum(sine, 1e-300), 2.0) * np.where(w < 0.0, -1.0, 1.0)
    return np.asarray(v * scale[:, None])


@njit_no_refs
def integrate_velocities(bodies: Records, which: Ints, gravity: Floats, h: float) -> None:
    """Let gravity act on the velocities of the bodies `which` for h [s]."""
    for k in which:
        for i in range(3):
            bodies[k].velocity[i] += h * gravity[i]


@njit
def integrate_positions(bodies: Records, which: Ints, h: float, order: int, fix: bool) -> None:
    """Move the bodies `which` for h [s] with constant velocity, and angular momentum or, where kinematic, spin.

    `order` and `fix` are those of the rotation, see `rotate`.
    """
    for k in which:
        b = bodies[k]
        for i in range(3):
            b.position[i] += h * b.velocity[i]
        v = b.velocity
        b.rotation_angle += h * math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) * ROTATION_BOUND
        if b.mass > 0.0:
            smallest = NEGLIGIBLE * b.mass * b.radius * b.radius
            rotate(b.rotation, b.angular_momentum, b.moments, b.axes, h, order, smallest, fix)
        else:
            rotate_quaternion(b.rotation, h * b.velocity[3], h * b.velocity[4], h * b.velocity[5])
        update_transform(b)


@njit_no_refs
def update_transforms(bodies: Records, which: Ints) -> None:
    """Recompute of the bodies `which` what follows from their rotation (see `update_transform`)."""
    for k in which:
        update_transform(bodies[k])


@device_inlined
def update_transform(b: Record) -> None:
    """The pose as a matrix; of a free body its inertia in world axes, I^-1 = B diag(1/moments) B^T, omega = I^-1 L."""
    write_rotation_matrix(b.rotation, b.turn)
    R = b.turn
    for i in range(3):
        b.origin[i] = b.position[i] - (R[i, 0] * b.centre[0] + R[i, 1] * b.centre[1] + R[i, 2] * b.centre[2])
    if b.inverse_mass == 0.0:
        return
    for i in range(3):
        for j in range(3):
            b.inverse_inertia[i, j] = 0.0
    for x in range(3):
        p = R[0, 0] * b.axes[0, x] + R[0, 1] * b.axes[1, x] + R[0, 2] * b.axes[2, x]
        q = R[1, 0] * b.axes[0, x] + R[1, 1] * b.axes[1, x] + R[1, 2] * b.axes[2, x]
        r = R[2, 0] * b.axes[0, x] + R[2, 1] * b.axes[1, x] + R[2, 2] * b.axes[2, x]
        m = 1.0 / b.moments[x]
        b.inverse_inertia[0, 0] += p * p * m
        b.inverse_inertia[0, 1] += p * q * m
        b.inverse_inertia[0, 2] += p * r * m
        b.inverse_inertia[1, 1] += q * q * m
        b.inverse_inertia[1, 2] += q * r * m
        b.inverse_inertia[2, 2] += r * r * m
    b.inverse_inertia[1, 0] = b.inverse_inertia[0, 1]
    b.inverse_inertia[2, 0] = b.inverse_inertia[0, 2]
    b.inverse_inertia[2, 1] = b.inverse_inertia[1, 2]
    update_angular_velocity(b)


@device_inlined
def update_angular_velocity(b: Record) -> None:
    """The angular velocity of a free body from its angular momentum."""
    L, inverse = b.angular_momentum, b.inverse_inertia
    for i in range(3):
        b.velocity[3 + i] = inverse[i, 0] * L[0] + inverse[i, 1] * L[1] + inverse[i, 2] * L[2]
