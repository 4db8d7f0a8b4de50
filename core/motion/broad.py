"""The broad phase: which parts may come near each other within a frame, by sweep and prune over moving boxes.

Baraff: Dynamic simulation of non-penetrating rigid bodies, 1992, section 4.2 (sort and sweep).
"""

from dataclasses import dataclass

import numpy as np

from ..cells.packed import owners
from ..jit import lean, sealed_floats, sealed_ints
from ..types import Bools, Floats, Ints
from .moving import Moving
from .records import PAIR, Records, empty, words

PAD = 0.1  # by which boxes are larger than the way of their bodies, in radii
ROOM = 1 << 12  # pairs for which there is room at first


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes around all that the parts of each body can reach before the broad phase has to be done again."""

    start: Floats  #: (N,3) position of each body when the boxes were made [m]
    behind: Floats  #: (N,3) the way that each body may go in negative direction [m], not positive
    ahead: Floats  #: (N,3) in positive direction [m], not negative
    turn: Floats  #: (N,) the way that a rotation may carry a point of it [m]
    swung: Floats  #: (N,) the angle by which it had turned in this frame then [rad]


def boxes_of(moving: Moving, dt: float) -> Boxes:
    """The boxes for dt [s] of motion with the present velocities and gravity."""
    bodies, free = moving.bodies, moving.free
    spin = np.sqrt(np.square(bodies.velocity[:, 3:]).sum(axis=1))
    pad = np.where(np.arange(len(bodies)) < free, PAD * bodies.radius, 0.0)
    turn = pad + np.minimum(spin * dt, 2.0) * bodies.radius
    pad[:free] += moving.weight * dt * dt
    way = dt * bodies.velocity[:, :3]
    return Boxes(
        start=bodies.position.copy(),
        behind=np.minimum(way, 0.0) - pad[:, None],
        ahead=np.maximum(way, 0.0) + pad[:, None],
        turn=turn,
        swung=bodies.swung.copy(),
    )


def left(moving: Moving, boxes: Boxes, h: float, members: Bools) -> bool:
    """Whether one of the bodies `members` (K,) may leave its box within h [s]."""
    free = moving.free
    bodies = moving.bodies[:free]
    way = bodies.position - boxes.start[:free] + h * bodies.velocity[:, :3]
    out = (way < boxes.behind[:free]).any(axis=1) | (way > boxes.ahead[:free]).any(axis=1)
    spin = np.sqrt(np.square(bodies.velocity[:, 3:]).sum(axis=1))
    carried = (bodies.swung - boxes.swung[:free] + h * spin) * bodies.radius
    out |= (carried > boxes.turn[:free]) & (boxes.turn[:free] < 2.0 * bodies.radius)
    return bool((out & members).any())


def find_pairs(moving: Moving, boxes: Boxes, old: Records, owner: Ints | None = None) -> Records:
    """Pairs (R,) PAIR of parts whose boxes overlap, by ascending key; what `old` knows of them is kept.

    `owner` (P,) is the row of the body of each part, -1 for parts that are left out; all take part without it.
    """
    owner = moving.owner if owner is None else owner
    low, high, of_part = part_boxes(moving, boxes, owner)
    axis = int(np.argmax(np.var(0.5 * (low + high)[of_part < moving.free], axis=0))) if len(of_part) else 0
    some = np.flatnonzero(of_part >= 0)
    order = some[np.argsort(low[some, axis], kind="stable")]
    ends = sealed_floats(np.concatenate([low, high], axis=1))
    found = np.empty((max(ROOM, 2 * len(old)), 2), np.int64)
    while True:
        count = sweep(sealed_ints(order), ends, axis, sealed_ints(of_part), moving.free, found)
        if count <= len(found):
            break
        found = np.empty((2 * count, 2), np.int64)
    p, q = found[:count].T
    key = np.sort((np.minimum(p, q) << 32) + np.maximum(p, q))
    part = np.stack([key >> 32, key & 0xFFFFFFFF], axis=1)
    body = moving.owner[part]
    size = np.where(body < moving.free, moving.bodies.radius[body], np.inf)
    pairs = empty(PAIR, count)
    pairs.contact = -1
    if len(old):
        order = np.argsort(old.key)
        before = old.key[order]
        at = np.minimum(np.searchsorted(before, key), len(old) - 1)
        same = before[at] == key
        words(pairs)[same] = words(old)[order[at[same]]]
    pairs.key, pairs.part, pairs.body, pairs.extent = key, part, body, np.minimum(size[:, 0], size[:, 1])
    return pairs


def part_boxes(moving: Moving, boxes: Boxes, owner: Ints) -> tuple[Floats, Floats, Ints]:
    """Lower and upper corners (P,3) of the box of each part with its way, and its body (P,), -1 where it has none."""
    shapes = moving.arena.shapes
    start = np.append(shapes.parts.vertex[:, 0], len(shapes.vertices))
    body = owner[owners(start)]
    world = np.einsum("nij,nj->ni", moving.bodies.turn[body], shapes.vertices) + moving.bodies.origin[body]
    reach = boxes.turn[owner][:, None]
    low = np.minimum.reduceat(world, start[:-1], axis=0) + boxes.behind[owner] - reach
    high = np.maximum.reduceat(world, start[:-1], axis=0) + boxes.ahead[owner] + reach
    return low, high, np.where(hidden(moving, owner), -1, owner)


def hidden(moving: Moving, owner: Ints) -> Bools:
    """(P,) parts of which no face can be touched: all lie against parts of the same body."""
    faces = moving.arena.shapes.faces
    start = moving.arena.shapes.parts.face[:, 0]
    body = owner[np.repeat(np.arange(len(start)), np.diff(np.append(start, len(faces))))]
    covered = (faces.mate >= 0) & (owner[faces.mate] == body)
    return np.logical_and.reduceat(covered, start)


@lean
def sweep(order: Ints, ends: Floats, axis: int, body: Ints, free: int, found: Ints) -> int:
    """Fill `found` with pairs of overlapping boxes, at least one of a free body; returns how many there are.

    `order` are parts by the lower end of their boxes along `axis`, `ends (P,6)` the lower and upper corners.
    """
    count = 0
    u, v = (axis + 1) % 3, (axis + 2) % 3
    for i in range(len(order)):
        p = order[i]
        for j in range(i + 1, len(order)):
            q = order[j]
            if ends[q, axis] > ends[p, axis + 3]:
                break
            if ends[q, u] > ends[p, u + 3] or ends[p, u] > ends[q, u + 3]:
                continue
            if ends[q, v] > ends[p, v + 3] or ends[p, v] > ends[q, v + 3]:
                continue
            if body[p] == body[q] or (body[p] >= free and body[q] >= free):
                continue
            if count < len(found):
                found[count, 0], found[count, 1] = p, q
            count += 1
    return count
