"""Sets of bodies that may meet within a frame, and the substeps that each set needs."""

from dataclasses import dataclass

import numpy as np

from ..types import Bools, Ints
from .broad import ends_of, overlapping, sides
from .islands import joined
from .moving import Moving
from .records import Records

LEAST_SUBSTEPS, MOST_SUBSTEPS = 4, 64
CROWD = 256  # bodies times substeps above which a fast spin is no reason for more substeps
TURN = 0.3  # rotation in one substep that asks for more of them [rad]
PAD = 0.1  # by which bodies are larger than they are, in radii


@dataclass(frozen=True, slots=True)
class Sets:
    """Bodies that may meet are in one set: bodies far from each other do not disturb each other."""

    label: Ints  #: (K,) number of the set of each body
    count: int  #: S
    near: Bools  #: (S,) of more than one body, or near something that is led
    busy: Bools  #: (S,) one of its bodies is awake, or near something that moves or that it was never compared with


def sets_of(moving: Moving, pairs: Records, asleep: Bools, dt: float) -> Sets:
    """The sets within a frame of dt [s]; `pairs` tell who is near those `asleep` (K,)."""
    free = moving.free
    moves = (moving.bodies.velocity != 0.0).any(axis=1)
    links = np.concatenate([_pairs_of_sleepers(moving, pairs, asleep), _meetings(moving, asleep, moves, dt)])
    links = moving.outwards(links[~moving.held[links].all(axis=1)])
    label, count = joined(free, links[~moving.held[links[:, 1]]], np.arange(free))
    near, busy = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    near[label[links[:, 0]]] = True
    busy[label[~asleep]] = True
    busy[label[moving.outwards(pairs.body[pairs.known == 0])[:, 0]]] = True
    busy[label[links[(links[:, 1] >= free) & moves[links[:, 1]], 0]]] = True
    return Sets(label, count, near, busy)


def _pairs_of_sleepers(moving: Moving, pairs: Records, asleep: Bools) -> Ints:
    sleeps = np.append(asleep, np.zeros(len(moving.bodies) - moving.free, np.bool_))
    return np.asarray(pairs.body[sleeps[pairs.body[:, 0]] & sleeps[pairs.body[:, 1]]])


def _meetings(moving: Moving, asleep: Bools, moves: Bools, dt: float) -> Ints:
    """Pairs (n,2) of bodies whose spheres, on their ways, overlap in boxes; the second one may be led.

    Of two sleepers, or a sleeper and what does not move, nothing is said.
    """
    free, bodies = moving.free, moving.bodies
    led = np.flatnonzero(moving.met >= free)
    radius = (1.0 + PAD) * bodies.radius[:free] + moving.weight * dt * dt
    place = bodies.position[:free]
    ends = np.concatenate([np.column_stack([place - radius[:, None], place + radius[:, None]]), ends_of(moving, led)])
    body = np.concatenate([np.arange(free), moving.met[led]])
    way = dt * bodies.velocity[:, :3]
    ways = np.concatenate([np.minimum(way, 0.0), np.maximum(way, 0.0)], axis=1)
    swing = np.minimum(dt * np.sqrt(np.square(bodies.velocity[:, 3:]).sum(axis=1)), 2.0) * bodies.radius
    swing[:free] = 0.0
    ways += swing[:, None] * np.repeat([-1.0, 1.0], 3)
    some = np.concatenate([~asleep, moves[free:]])[body]
    centre = np.tile(bodies.position, 2) + ways
    reach = np.append(radius, np.full(len(led), np.inf))
    key = overlapping(ends + ways[body], centre, reach, body, some, free)
    return np.asarray(body[sides(key)])


def substep_counts(moving: Moving, sets: Sets, asleep: Bools, dt: float) -> Ints:
    """Substeps (S,) for each set: powers of two.

    In a small set no body turns by more than `TURN` in one. Sets that are near nothing take four at most, since only
    the accuracy of the rotation depends on them.
    """
    b, near, label = moving.bodies[: moving.free], sets.near, sets.label
    spin = np.sqrt(np.square(b.velocity[:, 3:]).sum(axis=1))
    speed = np.sqrt(np.square(b.velocity[:, :3]).sum(axis=1))
    # An impact turns a fall into a spin of about half the speed over the radius.
    tumbling = np.maximum(0.5 * (speed + moving.weight * dt) / b.radius, np.sqrt(moving.weight / b.radius))
    turn = dt * np.where(near[label], np.maximum(spin, tumbling), spin)
    most = np.zeros(sets.count)
    np.maximum.at(most, label, np.where(asleep, 0.0, turn))
    awake = np.bincount(label, ~asleep, minlength=sets.count)
    wanted = np.exp2(np.ceil(np.log2(np.maximum(most / TURN, 1.0)))).astype(np.int64)
    afford = np.exp2(np.floor(np.log2(np.maximum(CROWD / np.maximum(awake, 1.0), 1.0)))).astype(np.int64)
    limit = np.where(near, np.clip(afford, LEAST_SUBSTEPS, MOST_SUBSTEPS), LEAST_SUBSTEPS)
    return np.asarray(np.clip(wanted, np.where(near, LEAST_SUBSTEPS, 1), limit))
