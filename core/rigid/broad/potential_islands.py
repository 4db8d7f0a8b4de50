"""Sets of bodies that may meet within a frame, and the substeps that each set needs."""

import math
from dataclasses import dataclass

import numpy as np

from ...geometry.graph import join, number_sets
from ...jit import device_inlined, njit_no_refs
from ...record_arrays import Record, Records, plain_view, read_only_view
from ...types import Bools, Floats, Ints
from ..narrow.manifold_update import angular_speed
from ..solver_state import SolverState
from .sweep_and_prune import find_overlapping_boxes, fitted_boxes, split_keys

#: Steps in a frame: four hold a stack of ten boxes, one and two do not (docs/decisions.md, Motion). More than 64 take a
#: frame of few bodies too long, by eye.
LEAST_SUBSTEPS, MOST_SUBSTEPS = 4, 64
CROWD_SIZE = 256  # bodies times substeps above which a fast spin is no reason for more substeps; by time
# Rotation in one substep that asks for more of them [rad]; by eye: on a prototype other corners arrived after so much;
# 0.4 was tried before.
SUBSTEP_ROTATION = 0.3
SPHERE_MARGIN = 0.1  # by which bodies are larger than they are, in radii; by eye


@dataclass(frozen=True, slots=True)
class PotentialIslands:
    """Bodies that may meet are in one set: bodies far from each other do not disturb each other."""

    label: Ints  #: (K,) number of the set of each body
    count: int  #: S
    near: Bools  #: (S,) of more than one body, or near something that is kinematic
    busy: Bools  #: (S,) one of its bodies is awake, or near something that moves or that it was never compared with


def find_potential_islands(solver: SolverState, pairs: Records, asleep: Bools, dt: float) -> PotentialIslands:
    """The sets within a frame of dt [s]; `pairs` tell who is near those `asleep` (K,)."""
    free = solver.free
    meeting = _find_meetings(solver, asleep, dt)
    near, busy = np.zeros(free, np.bool_), np.zeros(free, np.bool_)
    label, parent = np.empty(free, np.int64), np.arange(free)
    count = join_potential_islands(
        plain_view(read_only_view(pairs)), meeting, plain_view(solver.bodies), asleep, parent, label, near, busy
    )
    return PotentialIslands(label, count, near[:count], busy[:count])


@njit_no_refs
def join_potential_islands(
    pairs: Records, meeting: Ints, bodies: Records, asleep: Bools, parent: Ints, label: Ints, near: Bools, busy: Bools
) -> int:
    """Fill what `PotentialIslands` says and return how many: by pairs of parts of sleepers, and bodies that meet.

    `parent` (K,) is a set of its own for each body at first, `meeting` (n,2) are bodies, of which one may be kinematic.
    """
    free = len(label)
    for pair in pairs:
        a, b = pair.body[0], pair.body[1]
        if a < free and b < free and asleep[a] and asleep[b] and bodies[a].immovable + bodies[b].immovable == 0:
            join(parent, a, b)
    for i in range(len(meeting)):
        if bodies[meeting[i, 0]].immovable + bodies[meeting[i, 1]].immovable == 0:
            join(parent, meeting[i, 0], meeting[i, 1])
    count = number_sets(parent, label)
    for k in range(free):
        busy[label[k]] = busy[label[k]] or not asleep[k]
    for pair in pairs:
        a, b = turn_pair_outwards(bodies, pair.body[0], pair.body[1])
        if pair.known == 0:
            busy[label[a]] = True
        if b < free and asleep[a] and asleep[b]:
            near[label[a]] = True
    for i in range(len(meeting)):
        a, b = turn_pair_outwards(bodies, meeting[i, 0], meeting[i, 1])
        if bodies[a].immovable == 0:
            near[label[a]] = True
            busy[label[a]] = busy[label[a]] or (b >= free and has_velocity(bodies[b]))
    return count


@device_inlined
def turn_pair_outwards(bodies: Records, a: int, b: int) -> tuple[int, int]:
    """Two bodies, turned so that one that is not immovable comes first."""
    return (b, a) if bodies[a].immovable == 1 else (a, b)


@device_inlined
def has_velocity(b: Record) -> bool:
    """Whether a body has a velocity."""
    some = False
    for x in range(6):
        some = some or b.velocity[x] != 0.0
    return some


def _find_meetings(solver: SolverState, asleep: Bools, dt: float) -> Ints:
    """Pairs (n,2) of bodies whose spheres, on their ways, overlap in boxes; the second one may be kinematic.

    Of two sleepers, or a sleeper and what does not move, nothing is said.
    """
    kinematic = np.flatnonzero(solver.touchable_owner >= solver.free)
    body = np.concatenate([np.arange(solver.free), solver.touchable_owner[kinematic]])
    ends, reach = np.empty((len(body), 6)), np.full(len(body), np.inf)
    ends[solver.free :] = fitted_boxes(solver, kinematic)
    centre, some = np.empty((len(solver.bodies), 6)), np.empty(len(body), np.bool_)
    sweep_spheres(plain_view(solver.bodies), asleep, body, solver.weight, dt, ends, reach, centre, some)
    key = find_overlapping_boxes(ends, centre, reach, body, some, solver.free)
    return np.asarray(body[split_keys(key)])


@njit_no_refs
def sweep_spheres(
    bodies: Records, asleep: Bools, body: Ints, weight: float, dt: float, ends: Floats, reach: Floats, centre: Floats,
    some: Bools,
) -> None:  # fmt: skip
    """Write boxes (n,6) around the ways of the spheres of free bodies, and of the parts of what is kinematic.

    Boxes of those parts, which come after the free bodies, are already there where they start. Writes also the `reach`
    (n,) of the spheres, where the centres (N,6) get, and which may be moving.
    """
    free = len(asleep)
    for k in range(len(bodies)):
        for x in range(3):
            along = dt * bodies[k].velocity[x]
            centre[k, x], centre[k, 3 + x] = min(along, 0.0), max(along, 0.0)
            if k >= free:
                swing = min(dt * angular_speed(bodies[k]), 2.0) * bodies[k].radius
                centre[k, x], centre[k, 3 + x] = centre[k, x] - swing, centre[k, 3 + x] + swing
    for i in range(len(body)):
        b, way, box = bodies[body[i]], centre[body[i]], ends[i]
        some[i] = has_velocity(b) if i >= free else not asleep[i]
        if i < free:
            reach[i] = (1.0 + SPHERE_MARGIN) * b.radius + weight * dt * dt
            for x in range(3):
                box[x], box[3 + x] = b.position[x] - reach[i], b.position[x] + reach[i]
        for x in range(6):
            box[x] += way[x]
    for k in range(len(bodies)):
        for x in range(3):
            centre[k, x] += bodies[k].position[x]
            centre[k, 3 + x] += bodies[k].position[x]


def substep_counts(solver: SolverState, sets: PotentialIslands, asleep: Bools, dt: float) -> Ints:
    """Substeps (S,) for each set: powers of two.

    In a small set no body turns by more than `SUBSTEP_ROTATION` in one. Sets that are near nothing take four at
    most, since only the accuracy of the rotation depends on them.
    """
    count, most, awake = np.empty(sets.count, np.int64), np.zeros(sets.count), np.zeros(sets.count, np.int64)
    count_substeps(plain_view(solver.bodies), sets.label, sets.near, asleep, solver.weight, dt, most, awake, count)
    return count


@njit_no_refs
def count_substeps(
    bodies: Records, label: Ints, near: Bools, asleep: Bools, weight: float, dt: float, most: Floats, awake: Ints,
    count: Ints,
) -> None:  # fmt: skip
    """Write the substeps (S,) of each set; `most` and `awake` (S,) are zero at first."""
    for k in range(len(label)):
        if asleep[k]:
            continue
        b, s = bodies[k], label[k]
        v, turn = b.velocity, angular_speed(b)
        if near[s]:
            # An impact turns a fall into a spin of about half the speed over the radius.
            speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
            turn = max(turn, max(0.5 * (speed + weight * dt) / b.radius, math.sqrt(weight / b.radius)))
        most[s], awake[s] = max(most[s], dt * turn), awake[s] + 1
    for s in range(len(count)):
        least, limit = 1, LEAST_SUBSTEPS
        if near[s]:
            least = LEAST_SUBSTEPS
            while limit < MOST_SUBSTEPS and 2 * limit * max(awake[s], 1) <= CROWD_SIZE:
                limit *= 2
        count[s] = least
        while count[s] < limit and count[s] * SUBSTEP_ROTATION < most[s]:
            count[s] *= 2
