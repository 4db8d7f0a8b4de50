"""The broad phase: which parts may come near each other within a frame, by sweep and prune over boxes that last.

Baraff: Dynamic simulation of non-penetrating rigid bodies, 1992, section 4.2 (sort and sweep).
"""

import math

import numpy as np

from ..cells.packed import ranges, starts
from ..jit import lean, lean_inner, sealed_floats, sealed_ints
from ..types import Bools, Floats, Ints
from .boxes import Boxes
from .moving import Moving
from .records import LIMIT, PAIR, Record, Records, bare, empty, joined_records, taken

WAY = 0.5  # for which boxes are made at most, in radii, where they last for a substep
PAD = 0.05  # by which boxes are larger than the way of their bodies, in radii
ROUND_OFF = 1e-6  # the same of what is led, whose way is known
ROOM = 1 << 12  # pairs for which there is room at first


def look_around(
    moving: Moving, boxes: Boxes, pairs: Records, which: Ints, met: Ints, h: float, time: float
) -> tuple[Boxes, Records]:
    """Boxes and pairs (R,) PAIR of parts whose boxes overlap, good for the next h [s] at least.

    Of the bodies `which`, those that may leave their boxes within h get new ones, and so do those that were pinned or
    let go. These last for `time` [s] of motion with their present velocity and gravity, or as long as they go by no
    more than half a radius: long boxes meet many others. `met` (P,) is the row of the body of each part, -1 for parts
    that are left out. Two bodies that are held are no pair.
    What is known of old pairs is kept; they go from the ground up where some were added, see `in_order`.
    """
    anew = len(boxes.limits) != len(moving.bodies) or not np.array_equal(boxes.owner, moving.owner)
    out = np.full(len(moving.bodies), anew)
    if not anew:
        leave, turned = leaving(bare(moving.bodies), bare(boxes.limits), which, h, out), boxes.held != moving.held
        if leave == 0 and not turned.any():
            return boxes, pairs
        out |= turned
    boxes = renewed(moving, boxes, out, h, time)
    gone = np.append(out, True)[met]
    old = np.arange(len(pairs)) if anew else np.flatnonzero(gone[pairs.part[:, 0]] | gone[pairs.part[:, 1]])
    limits = boxes.limits
    centre = np.concatenate([limits.position + limits.behind, limits.position + limits.ahead], axis=1)
    key = np.sort(overlapping(boxes.ends, centre, moving.reach, met, gone, moving.free))
    key = movable(moving, key)
    stays, known = _matched(pairs.key[old], key)
    keep = np.ones(len(pairs), np.bool_)
    keep[old] = stays
    rows, more = np.flatnonzero(keep), _new(moving, key[~known])
    if anew:
        pairs, rows = taken(pairs, rows), np.arange(len(rows))
        _name_bodies(moving, pairs)
    elif len(more) == 0:
        return boxes, taken(pairs, rows)
    rows = np.append(rows, len(pairs) + np.arange(len(more)))
    return boxes, in_order(moving, joined_records([pairs, more]), rows)


def movable(moving: Moving, key: Ints) -> Ints:
    """Those of the pairs of parts that are not of two bodies which are held."""
    if not moving.pins:
        return key
    return np.asarray(key[~moving.held[moving.owner[sides(key)]].all(axis=1)])


def _matched(first: Ints, second: Ints) -> tuple[Bools, Bools]:
    """Which keys of each are also in the other; the second ones are in order."""
    if len(first) == 0 or len(second) == 0:
        return np.zeros(len(first), np.bool_), np.zeros(len(second), np.bool_)
    at = np.minimum(np.searchsorted(second, first), len(second) - 1)
    same = second[at] == first
    known = np.zeros(len(second), np.bool_)
    known[at[same]] = True
    return same, known


def _new(moving: Moving, key: Ints) -> Records:
    pairs = empty(PAIR, len(key))
    pairs.key, pairs.contact = key, -1
    pairs.part = sides(key)
    _name_bodies(moving, pairs)
    return pairs


def sides(key: Ints) -> Ints:
    """The two numbers (n,2) of which each key is made, the smaller one first; see `sweep`."""
    return np.stack([key >> 32, key & 0xFFFFFFFF], axis=1)


def _name_bodies(moving: Moving, pairs: Records) -> None:
    size = np.where(np.arange(len(moving.bodies)) < moving.free, moving.bodies.radius, np.inf)
    a, b = moving.owner[pairs.part[:, 0]], moving.owner[pairs.part[:, 1]]
    pairs.body[:, 0], pairs.body[:, 1], pairs.extent = a, b, np.minimum(size[a], size[b])


def in_order(moving: Moving, pairs: Records, rows: Ints) -> Records:
    """Some of the pairs, from the ground up: the order in which a heap's weight is carried, and they are looked at."""
    up = moving.bodies.position @ moving.gravity
    up[moving.held] = np.inf
    deepest = np.maximum(up[pairs.body[rows, 0]], up[pairs.body[rows, 1]])
    return taken(pairs, rows[np.argsort(-deepest, kind="stable")])


@lean
def leaving(bodies: Records, limits: Records, which: Ints, h: float, out: Bools) -> int:
    """Mark in `out` (N,) those of the bodies `which` that may leave their limits within h [s]; returns their number."""
    count = 0
    for k in which:
        out[k] = leaves(bodies[k], limits[k], h)
        count += int(out[k])
    return count


@lean_inner
def leaves(b: Record, limit: Record, h: float) -> bool:
    """Whether a body may leave its limits within h [s]."""
    v, along = b.velocity, 0.0
    for x in range(4):
        along += b.rotation[x] * limit.rotation[x]
    for x in range(3):
        way = b.position[x] - limit.position[x] + h * v[x]
        if way < limit.behind[x] or way > limit.ahead[x]:
            return True
    spin = math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
    # A rotation by the angle t moves a point by no more than 2 sin(t / 2), from any pose by no more than 2.
    turned = 2.0 * math.sqrt(max(0.0, 1.0 - along * along)) + h * spin
    return bool(turned * b.radius > limit.turn and limit.turn < 2.0 * b.radius)


def renewed(moving: Moving, boxes: Boxes, out: Bools, h: float, time: float) -> Boxes:
    """The boxes with those of the bodies `out` (N,) made anew, see `look_around`."""
    bodies, owner = moving.bodies, moving.owner
    anew = len(boxes.limits) != len(bodies) or len(boxes.ends) != len(owner)
    limits = empty(LIMIT, len(bodies)) if anew else boxes.limits.copy()
    ends = np.zeros((len(owner), 6)) if anew else boxes.ends.copy()
    limits[out] = _limits(moving, np.flatnonzero(out), h, time)
    part = np.flatnonzero(np.append(out, False)[owner])
    limit = limits[owner[part]]
    ends[part] = ends_of(moving, part)
    # However far they turn, parts stay in spheres about the centres of mass of their bodies.
    centre, reach = bodies.position[owner[part]], moving.reach[part, None]
    ends[part, :3] = np.maximum(ends[part, :3] - limit.turn[:, None], centre - reach) + limit.behind
    ends[part, 3:] = np.minimum(ends[part, 3:] + limit.turn[:, None], centre + reach) + limit.ahead
    return Boxes(ends, limits, owner, moving.held)


def _limits(moving: Moving, rows: Ints, h: float, longest: float) -> Records:
    bodies = taken(moving.bodies, rows)
    speed = np.sqrt(np.square(bodies.velocity[:, :3]).sum(axis=1))
    spin = np.sqrt(np.square(bodies.velocity[:, 3:]).sum(axis=1))
    free = rows < moving.free
    with np.errstate(divide="ignore", invalid="ignore"):
        time = np.where(
            free, np.clip(WAY * bodies.radius / np.maximum(speed, spin * bodies.radius), h, longest), longest
        )
    pad = np.where(free, PAD, ROUND_OFF) * bodies.radius
    fall = np.where(free, moving.weight * time * time, 0.0)
    way = time[:, None] * bodies.velocity[:, :3]
    limits = empty(LIMIT, len(rows))
    limits.position, limits.rotation = bodies.position, bodies.rotation
    limits.behind = np.minimum(way, 0.0) - (pad + fall)[:, None]
    limits.ahead = np.maximum(way, 0.0) + (pad + fall)[:, None]
    limits.turn = pad + np.minimum(spin * time, 2.0) * bodies.radius
    return limits


def ends_of(moving: Moving, part: Ints) -> Floats:
    """Lower and upper corners (n,6) of boxes around some parts where they are."""
    if len(part) == 0:
        return np.zeros((0, 6))
    shapes = moving.arena.shapes
    first, end = shapes.parts.vertex[part].T
    body = np.repeat(moving.owner[part], end - first)
    place = shapes.vertices[ranges(first, end - first)]
    world = np.einsum("nij,nj->ni", moving.bodies.turn[body], place) + moving.bodies.origin[body]
    start = starts(end - first)[:-1]
    return np.concatenate([np.minimum.reduceat(world, start), np.maximum.reduceat(world, start)], axis=1)


def overlapping(ends: Floats, centre: Floats, reach: Floats, body: Ints, some: Bools, free: int) -> Ints:
    """Keys of the pairs of parts that may meet of which one part is in `some` (P,) and one is free.

    Their boxes `ends` (P,6) overlap, and so do spheres with the radii `reach` (P,) about the centres of mass of their
    bodies, which are in the boxes `centre` (N,6). `body` (P,) is the row of the body of each part, -1 for parts that
    are left out; the first `free` ones are free.
    """
    among = np.flatnonzero(body >= 0)
    if len(among) == 0:
        return among
    middle = 0.5 * (ends[:, :3] + ends[:, 3:])[among[body[among] < free]]
    axis = int(np.argmax(np.var(middle, axis=0)))
    order = among[np.argsort(ends[among, axis], kind="stable")]
    first, rest = sealed_ints(order[some[order]]), sealed_ints(order[~some[order]])
    ends, centre, reach = sealed_floats(ends), sealed_floats(centre), sealed_floats(reach)
    body, order = sealed_ints(body), sealed_ints(order)
    found = np.empty(ROOM, np.int64)
    while True:
        count = sweep(first, order, ends, centre, reach, axis, body, free, found, 0)
        count = sweep(rest, first, ends, centre, reach, axis, body, free, found, count)
        if count <= len(found):
            return found[:count]
        found = np.empty(2 * count, np.int64)


@lean
def sweep(
    first: Ints, second: Ints, ends: Floats, centre: Floats, reach: Floats, axis: int, body: Ints, free: int,
    found: Ints, count: int,
) -> int:  # fmt: skip
    """Add the keys of overlapping pairs of a part in `first` and one in `second` that begins after it, as it fits.

    Both are in the order of the lower ends of their boxes along `axis`, then of their numbers; `found` holds `count`
    keys before. Returns how many there are after it.
    """
    u, v = (axis + 1) % 3, (axis + 2) % 3
    after = 0
    for p in first:
        low = ends[p, axis]
        while after < len(second):
            q = second[after]
            if ends[q, axis] > low or (ends[q, axis] == low and q > p):
                break
            after += 1
        for j in range(after, len(second)):
            q = second[j]
            if ends[q, axis] > ends[p, axis + 3]:
                break
            if ends[q, u] > ends[p, u + 3] or ends[p, u] > ends[q, u + 3]:
                continue
            if ends[q, v] > ends[p, v + 3] or ends[p, v] > ends[q, v + 3]:
                continue
            if body[p] == body[q] or (body[p] >= free and body[q] >= free):
                continue
            if apart(centre[body[p]], centre[body[q]]) > (reach[p] + reach[q]) ** 2:
                continue
            if count < len(found):
                found[count] = (min(p, q) << 32) + max(p, q)
            count += 1
    return count


@lean_inner
def apart(a: Floats, b: Floats) -> float:
    """Square of the distance of two boxes, given by their corners (6,)."""
    square = 0.0
    for x in range(3):
        gap = max(a[x] - b[x + 3], b[x] - a[x + 3])
        if gap > 0.0:
            square += gap * gap
    return float(square)
