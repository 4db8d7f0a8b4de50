"""How fast objects closed in on each other, which bounds what their contacts can have done.

A frame's impulses between two sum up whatever was handed on through them: those below in a heap that comes down, or
wedged in, bear the momentum of all others, and would seem to be hit many times as fast as anything moves there.
"""

import numpy as np

from ..arithmetic.products import apply, multiply
from ..arithmetic.small_matrices import rotation_matrices, solve
from ..geometry.graph import components
from ..rigid.contact_impulses import BodyContactImpulses
from ..rigid.state import World
from ..types import Floats, Ints
from .live_fragments import LiveFragments


def bound_approach_speeds(live: LiveFragments, impulses: BodyContactImpulses, world: World, dt: float) -> Floats:
    """(P,) upper bounds of how much each contact of a frame of `dt` [s] changed the relative speed of its two [m/s].

    That is by how much the fastest pair of its group closes in, before any contact acts, bounce and fall included. A
    group is what is joined by contacts of bodies that can move.

    Limitation: an end that is swung around by a contact of the same frame may be faster.
    """
    count = len(live.alive)
    skins = np.append(live.skins(), True)
    ease, kinematic = np.append(live.bodies.restitution, 0.0), skins[np.minimum(impulses.body, count)]
    e = ease[np.minimum(impulses.body, count)]
    bounce = np.where(kinematic.any(axis=1), e.max(axis=1), np.sqrt(e[:, 0] * e[:, 1]))
    first, second = (_speeds(live, world, dt, impulses.body[:, side], impulses.anchor[:, side]) for side in (0, 1))
    second = second + impulses.pace
    speed = np.sqrt(np.square(first - second).sum(axis=1)) + dt * float(np.sqrt(np.square(world.gravity).sum()))
    group = _groups(live, impulses)
    fastest = np.zeros(int(group.max(initial=-1)) + 1)
    np.maximum.at(fastest, group, (1.0 + bounce) * speed)
    return np.asarray(fastest[group])


def _groups(live: LiveFragments, impulses: BodyContactImpulses) -> Ints:
    """(P,) the group of each pair: that of the one that can move; pairs of none are a group each."""
    count, pairs = len(live.alive), len(impulses.body)
    body = np.minimum(impulses.body, count)
    static = np.append(live.pinned, True)[body]
    # Bodies, then a node for each pair: what is kinematic or static joins nobody, so the pair stands in for it.
    node = np.where(static, count + np.arange(pairs)[:, None], body)
    links = np.concatenate([node, np.stack([node[:, 0], count + np.arange(pairs)], axis=1)])
    label = components(count + pairs, links, np.ones(len(links), np.bool_), np.arange(count + pairs))
    return np.asarray(np.unique(label[count:], return_inverse=True)[1].reshape(-1))


def _speeds(live: LiveFragments, world: World, dt: float, row: Ints, anchor: Floats) -> Floats:
    """(P,3) velocities at the start [m/s] of points (P,3), material, of bodies and of what is kinematic."""
    count = len(live.alive)
    found = np.zeros((len(row), 3))
    free = np.flatnonzero((row < count) & ~np.append(live.pinned, True)[np.minimum(row, count)])
    if len(free):
        body = row[free]
        turn, state = rotation_matrices(live.state.rotation[body]), live.state
        inertia = multiply(multiply(turn, live.rest.inertia[body]), turn.transpose(0, 2, 1))
        spin = solve(inertia, state.angular_momentum[body][:, :, None])[:, :, 0]
        arm = apply(turn, anchor[free] - live.rest.centre[body])
        found[free] = state.velocity[body] + np.cross(spin, arm)
    lead = world.lead
    if lead is not None:
        body_of = _bodies_of_colliders(world, lead.position.shape[1])
        of_row = body_of[np.clip(row - count, -1, len(body_of) - 1)]
        kinematic = np.flatnonzero((row >= count) & (of_row >= 0))
        which = of_row[kinematic]
        # A lead says where the pivots are.
        arm = anchor[kinematic] if world.colliders is None else anchor[kinematic] - world.colliders.pivot[which]
        at = [lead.position[end, which] + apply(rotation_matrices(lead.rotation[end, which]), arm) for end in (0, 1)]
        found[kinematic] = (at[1] - at[0]) / dt
    return found


def _bodies_of_colliders(world: World, count: int) -> Ints:
    """Which of `count` bodies leads each collider; -1 for those of several, which have a pace, and the ground."""
    if world.colliders is None:
        return np.append(np.arange(count), -1)
    whole = np.flatnonzero(world.colliders.whole)
    result = np.full(int(world.colliders.number.max(initial=-1)) + 2, -1)
    result[world.colliders.number[whole]] = whole
    return result
