"""What is kinematic through a frame, taken out of its world: alone, or as a rigid body that could be pushed."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply, norm, sum_outer, sum_rows
from ..arithmetic.small_matrices import pseudo_inverse_symmetric, rotation_matrices
from ..geometry.mesh import cross_rows
from ..types import Bools, Floats, Ints
from .shapes.convex_hulls import make_convex_parts
from .shapes.convex_parts import ConvexParts, part_range, transform_parts
from .solver_state import rotation_vectors_between
from .state import ColliderPoses, Colliders, RigidBodies, RigidState, World, at_rest

#: Inertia of a solid ball of mass 1 and radius 1. 2/5.
BALL = 0.4
#: Spread across a line, relative to that along it and squared, below which a turn about it is not told. Chosen: a
#: thirty-thousandth of the length, near what float32 keeps.
_NARROW = 1e-9


class SweptBoxes(NamedTuple):
    """Of each collider that there is: its number, the box that it sweeps within a frame, and whether it moves."""

    number: Ints  #: (n,) ascending
    low: Floats  #: (n,3) [m]
    high: Floats  #: (n,3) [m]
    moves: Bools  #: (n,)


def sweep_colliders(world: World) -> SweptBoxes:
    """The boxes of all colliders of a world, which has some."""
    kinematic, lead = world.colliders, world.lead
    assert kinematic is not None and lead is not None  # there are some, and they are kinematic
    both = np.stack([_points(kinematic, lead, end) for end in (0, 1)])
    number, first = np.unique(kinematic.number, return_index=True)
    start = kinematic.shapes.parts.vertex[kinematic.part_start[first], 0]
    stirs = (lead.position[0] != lead.position[1]).any(axis=1) | (lead.rotation[0] != lead.rotation[1]).any(axis=1)
    return SweptBoxes(
        number,
        np.minimum.reduceat(both.min(axis=0), start),
        np.maximum.reduceat(both.max(axis=0), start),
        np.logical_or.reduceat(stirs, first),
    )


def isolate_collider(world: World, number: int) -> World:
    """A world with nothing but one collider."""
    kinematic, lead = world.colliders, world.lead
    assert kinematic is not None and lead is not None  # it is one of them
    rows = _rows(kinematic, number)
    parts = kinematic.part_start[rows.start], kinematic.part_start[rows.stop]
    start = kinematic.part_start[rows.start : rows.stop + 1] - parts[0]
    skin = np.ones(rows.stop - rows.start, np.bool_)  # so that it is told where in the world it is touched
    one = Colliders(
        part_range(kinematic.shapes, *parts), start, kinematic.pivot[rows], np.zeros(len(skin), np.int64), skin
    )
    return World(np.zeros(3), None, one, ColliderPoses(lead.position[:, rows], lead.rotation[:, rows]))


def release_collider(
    world: World, number: int, dt: float, mass: float, bounce: float
) -> tuple[RigidBodies, RigidState]:
    """A collider at the start of a frame of `dt` [s] as a rigid body of a `mass` [kg], with its velocity and spin.

    Its inertia is that of a ball. One that deforms, which has no velocity of its own, has the one that fits best.
    """
    kinematic, lead = world.colliders, world.lead
    assert kinematic is not None and lead is not None  # it is one of them
    rows = _rows(kinematic, number)
    shapes = part_range(kinematic.shapes, kinematic.part_start[rows.start], kinematic.part_start[rows.stop])
    turn, position = lead.rotation[:, rows], lead.position[:, rows]
    if rows.stop - rows.start == 1:
        velocity, spin = (position[1] - position[0])[0] / dt, rotation_vectors_between(turn[0], turn[1])[0] / dt
        bodies = _body(shapes, kinematic.pivot[rows], mass, bounce)
        state = replace(at_rest(position[0]), rotation=turn[0].copy())
    else:
        row = np.repeat(np.arange(rows.stop - rows.start), np.diff(kinematic.part_start[rows.start : rows.stop + 1]))
        R = rotation_matrices(turn[0])
        origin = position[0] - apply(R, kinematic.pivot[rows])
        shapes = transform_parts(shapes, R[row], origin[row])
        centre, velocity, spin = _fitted(position, kinematic.radius[rows], dt)
        bodies, state = _body(shapes, centre[None], mass, bounce), at_rest(centre[None])
    turning = apply(bodies.inertia[0], spin)
    return bodies, replace(state, velocity=velocity[None], angular_momentum=turning[None])


def block_below(low: Floats, high: Floats, height: float, bounce: float) -> tuple[RigidBodies, RigidState]:
    """The ground under a box from `low (3,)` to `high (3,)`, as a body at rest of 1 kg that is wider than it."""
    size = high - low + 1e-3
    ends = np.stack([low - size, high + size])
    ends[:, 2] = height - float(size.max()), height
    corner = np.stack(np.meshgrid(*ends.T, indexing="ij"), axis=-1).reshape(-1, 3)
    centre = ends.mean(axis=0)[None]
    return _body(make_convex_parts([corner]), centre, 1.0, bounce), at_rest(centre)


def _body(shapes: ConvexParts, centre: Floats, mass: float, bounce: float) -> RigidBodies:
    reach = float(norm(shapes.vertices - centre[0]).max())
    inertia = BALL * mass * reach * reach * np.eye(3)[None]
    count = len(shapes.parts)
    return RigidBodies(np.array([mass]), inertia, centre, np.array([0, count]), np.arange(count), shapes, 0.0, bounce)


def _rows(kinematic: Colliders, number: int) -> slice:
    first, end = np.searchsorted(kinematic.number, [number, number + 1]).tolist()
    return slice(first, end)


def _points(kinematic: Colliders, lead: ColliderPoses, end: int) -> Floats:
    """All vertices (N,3) in the world at the start or at the end of a frame."""
    corners = np.diff(kinematic.shapes.parts.vertex, axis=1)[:, 0]
    row = np.repeat(np.repeat(np.arange(len(kinematic.pivot)), np.diff(kinematic.part_start)), corners)
    turned = apply(rotation_matrices(lead.rotation[end])[row], kinematic.shapes.vertices - kinematic.pivot[row])
    return np.asarray(lead.position[end][row] + turned)


def _fitted(position: Floats, size: Floats, dt: float) -> tuple[Floats, Floats, Floats]:
    """Middle (3,), velocity (3,) and spin (3,) of parts that go from `position[0]` to `position[1]` (n,3)."""
    weight = np.square(size) / np.square(size).sum()
    centre = sum_rows(weight, position[0])
    r, u = position[0] - centre, (position[1] - position[0]) / dt
    velocity = sum_rows(weight, u)
    spread = sum_outer(weight, r, r)
    resists = np.trace(spread) * np.eye(3) - spread
    spin = apply(pseudo_inverse_symmetric(resists, _NARROW), sum_rows(weight, cross_rows(r, u - velocity)))
    return centre, velocity, spin
