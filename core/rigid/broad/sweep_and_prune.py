"""The broad phase: which parts may come near each other within a frame, by sweep and prune over boxes that last.

Baraff: Dynamic simulation of non-penetrating rigid bodies, 1992, section 4.2 (sort and sweep).
"""

import math
from typing import NamedTuple

import numpy as np

from ...jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ...record_arrays import Record, Records, join_records, plain_view, read_only_view, take_records, zero_records
from ...types import Bools, Floats, Ints
from ..records import ENLARGED_BOX, PAIR
from ..shapes.convex_parts import PartGeometry
from ..solver_state import SolverState
from .boxes import EnlargedBoxes

# For which boxes are made at most, in radii, where they last for a substep; by time: longer ways are more pairs,
# shorter ones more sorting.
LONGEST_WAY = 0.5
BOX_MARGIN = 0.05  # by which boxes are larger than the way of their bodies, in radii; by time; 0.1 was tried before
_ROUND_OFF = 1e-6  # the same of what is kinematic, whose way is known; chosen
FIRST_PAIRS = 1 << 12  # pairs for which there is room at first; it grows on demand
FEW_PARTS = 128  # parts that are compared each with each: sorting them takes longer; chosen by time


def update_broad_phase(
    solver: SolverState, boxes: EnlargedBoxes, pairs: Records, which: Ints, touchable: Ints, h: float, time: float
) -> tuple[EnlargedBoxes, Records]:
    """Boxes and pairs (R,) PAIR of parts whose boxes overlap, good for the next h [s] at least.

    Of the bodies `which`, those that may leave their boxes within h get new ones, and so do those that were pinned or
    let go. These last for `time` [s] of motion with their present velocity and gravity, or as long as either takes them
    by no more than half a radius: long boxes meet many others. `touchable` (P,) is the row of the body of each part, -1
    for parts that are left out. Two bodies that are immovable are no pair.
    What is known of old pairs is kept; they go from the ground up where some were added, see `sort_from_the_ground`.
    """
    anew = len(boxes.limits) != len(solver.bodies) or not are_equal(boxes.owner, solver.owner)
    out = np.full(len(solver.bodies), anew)
    if not anew:
        leave = find_leaving_bodies(plain_view(solver.bodies), plain_view(boxes.limits), which, h, solver.gravity, out)
        if not are_equal(boxes.immovable, solver.immovable):
            out |= boxes.immovable != solver.immovable
        elif leave == 0:
            return boxes, pairs
    boxes, centre = renew_boxes(solver, boxes, out, h, time)
    gone = np.append(out, True)[touchable]
    key = drop_immovable_pairs(
        solver, find_overlapping_boxes(boxes.ends, centre, solver.reach, touchable, gone, solver.free)
    )
    if anew:
        return boxes, _rebuild_pairs(solver, pairs, key)
    keep, known = np.ones(len(pairs), np.bool_), np.zeros(len(key), np.bool_)
    dropped = match_pairs(plain_view(read_only_view(pairs)), gone, key, keep, known)
    more = key[~known]
    if len(more) > 0:
        return boxes, sort_from_the_ground(
            solver, join_records([pairs, _make_pairs(solver, more)]), np.append(keep, np.ones(len(more), np.bool_))
        )
    return boxes, take_records(pairs, keep) if dropped else pairs


def are_equal(a: Ints | Bools, b: Ints | Bools) -> bool:
    """Whether two arrays say the same; from frame to frame they are mostly one."""
    return a is b or np.array_equal(a, b)


def _rebuild_pairs(solver: SolverState, pairs: Records, key: Ints) -> Records:
    """The pairs with these keys; what is known of some of them is kept."""
    keep, known = np.ones(len(pairs), np.bool_), np.zeros(len(key), np.bool_)
    match_pairs(plain_view(read_only_view(pairs)), np.ones(len(solver.owner), np.bool_), key, keep, known)
    pairs = join_records([take_records(pairs, keep), _make_pairs(solver, key[~known])])
    _set_pair_bodies(solver, pairs)
    return sort_from_the_ground(solver, pairs, np.ones(len(pairs), np.bool_))


def drop_immovable_pairs(solver: SolverState, key: Ints) -> Ints:
    """Those of the pairs of parts that are not of two bodies which are immovable."""
    if not solver.pins:
        return key
    return np.asarray(key[~solver.immovable[solver.owner[split_keys(key)]].all(axis=1)])


@njit_no_refs
def match_pairs(pairs: Records, gone: Bools, key: Ints, keep: Bools, known: Bools) -> int:
    """Mark which of the pairs of parts that are `gone` (P,) go on, and which of the keys, in ascending order, they are.

    `keep` (R,) loses pairs whose key is not there; returns how many.
    """
    dropped = 0
    for i in range(len(pairs)):
        pair = pairs[i]
        if not (gone[pair.part[0]] or gone[pair.part[1]]):
            continue
        low, end = 0, len(key)
        while low < end:
            middle = (low + end) // 2
            if key[middle] < pair.key:
                low = middle + 1
            else:
                end = middle
        if low < len(key) and key[low] == pair.key:
            known[low] = True
        else:
            keep[i] = False
            dropped += 1
    return dropped


def _make_pairs(solver: SolverState, key: Ints) -> Records:
    pairs = zero_records(PAIR, len(key))
    pairs.key, pairs.contact = key, -1
    pairs.part = split_keys(key)
    _set_pair_bodies(solver, pairs)
    return pairs


def split_keys(key: Ints) -> Ints:
    """The two numbers (n,2) of which each key is made, the smaller one first; see `sweep_boxes`."""
    return np.stack([key >> 32, key & 0xFFFFFFFF], axis=1)


def _set_pair_bodies(solver: SolverState, pairs: Records) -> None:
    set_pair_bodies(plain_view(pairs), plain_view(solver.bodies), solver.owner, solver.free)


@njit_no_refs
def set_pair_bodies(pairs: Records, bodies: Records, owner: Ints, free: int) -> None:
    """Write to which bodies the parts of the pairs belong, and how large the smaller free one is."""
    for pair in pairs:
        pair.extent = np.inf
        for side in range(2):
            body = owner[pair.part[side]]
            pair.body[side] = body
            if body < free:
                pair.extent = min(pair.extent, bodies[body].radius)


def sort_from_the_ground(solver: SolverState, pairs: Records, some: Bools) -> Records:
    """Some of the pairs (R,), from the ground up: in the order in which weight is carried, and they are looked at."""
    rows, depth = np.flatnonzero(some), np.empty(len(pairs))
    measure_depths(plain_view(pairs), plain_view(solver.bodies), solver.gravity, depth)
    return take_records(pairs, rows[np.argsort(-depth[rows], kind="stable")])


@njit_no_refs
def measure_depths(pairs: Records, bodies: Records, gravity: Floats, depth: Floats) -> None:
    """How far down the lower body of each pair is: along gravity, infinite for what is immovable."""
    for i in range(len(pairs)):
        depth[i] = -np.inf
        for side in range(2):
            b = bodies[pairs[i].body[side]]
            along = b.position[0] * gravity[0] + b.position[1] * gravity[1] + b.position[2] * gravity[2]
            depth[i] = max(depth[i], along if b.immovable == 0 else np.inf)


@njit_no_refs
def find_leaving_bodies(bodies: Records, limits: Records, which: Ints, h: float, gravity: Floats, out: Bools) -> int:
    """Mark in `out` (N,) those of the bodies `which` that may leave their limits within h [s]; returns their number."""
    count = 0
    for k in which:
        out[k] = leaves_enlarged_box(bodies[k], limits[k], h, gravity)
        count += int(out[k])
    return count


@device_inlined
def leaves_enlarged_box(b: Record, limit: Record, h: float, gravity: Floats) -> bool:
    """Whether a body may leave its limits within h [s]."""
    v, along = b.velocity, 0.0
    for x in range(4):
        along += b.rotation[x] * limit.rotation[x]
    for x in range(3):
        way = b.position[x] - limit.position[x] + h * v[x]
        down = h * h * gravity[x] if limit.falls == 1 else 0.0
        if way + min(down, 0.0) < limit.behind[x] or way + max(down, 0.0) > limit.ahead[x]:
            return True
    spin = math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
    # A rotation by the angle t moves a point by no more than 2 sin(t / 2), from any pose by no more than 2.
    turned = 2.0 * math.sqrt(max(0.0, 1.0 - along * along)) + h * spin
    return bool(turned * b.radius > limit.turn and limit.turn < 2.0 * b.radius)


def renew_boxes(
    solver: SolverState, boxes: EnlargedBoxes, out: Bools, h: float, time: float
) -> tuple[EnlargedBoxes, Floats]:
    """The boxes, those of the bodies `out` (N,) anew, see `update_broad_phase`; where all centres may get (N,6)."""
    bodies, owner = solver.bodies, solver.owner
    anew = len(boxes.limits) != len(bodies) or len(boxes.ends) != len(owner)
    limits = zero_records(ENLARGED_BOX, len(bodies)) if anew else boxes.limits.copy()
    ends = np.zeros((len(owner), 6)) if anew else boxes.ends.copy()
    centre = np.empty((len(bodies), 6))
    set_limits(plain_view(bodies), plain_view(limits), out, solver.free, h, time, solver.gravity, centre)
    part = np.flatnonzero(np.append(out, False)[owner])
    fit_boxes(plain_view(bodies), part, owner, solver.static_geometry.geometry, ends)
    enlarge_boxes(plain_view(bodies), plain_view(limits), part, owner, solver.reach, ends)
    return EnlargedBoxes(ends, limits, owner, solver.immovable), centre


@njit_no_refs
def set_limits(
    bodies: Records, limits: Records, out: Bools, free: int, h: float, longest: float, gravity: Floats, centre: Floats
) -> None:
    """Set limits for the bodies `out` (N,); write the boxes (N,6) in which the limits hold all centres.

    Bodies that gravity (3,) takes farther than their own size within a frame get room in its direction alone: on all
    sides, boxes of small pieces would meet all others.
    """
    weight = math.sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2])
    for k in range(len(bodies)):
        b, bound = bodies[k], limits[k]
        if out[k]:
            v, time, pad, aside = b.velocity, longest, _ROUND_OFF * b.radius, 0.0
            bound.falls = 0
            spin = math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
            if k < free:
                fastest = max(math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), spin * b.radius)
                if fastest * time > LONGEST_WAY * b.radius:
                    time = max(h, LONGEST_WAY * b.radius / fastest)
                pad = BOX_MARGIN * b.radius
                if weight * longest * longest > LONGEST_WAY * b.radius:
                    time = min(time, max(h, math.sqrt(LONGEST_WAY * b.radius / weight)))
                    bound.falls = 1
                else:
                    aside = weight * time * time
            for x in range(4):
                bound.rotation[x] = b.rotation[x]
            for x in range(3):
                way, fall = time * v[x], bound.falls * time * time * gravity[x]
                bound.position[x] = b.position[x]
                bound.behind[x] = min(way, 0.0) - (pad + aside) + min(fall, 0.0)
                bound.ahead[x] = max(way, 0.0) + (pad + aside) + max(fall, 0.0)
            bound.turn = pad + min(spin * time, 2.0) * b.radius
        for x in range(3):
            centre[k, x] = bound.position[x] + bound.behind[x]
            centre[k, 3 + x] = bound.position[x] + bound.ahead[x]


@njit_no_refs
def fit_boxes(bodies: Records, which: Ints, owner: Ints, geometry: PartGeometry, ends: Floats) -> None:
    """Write boxes (P,6) around the parts `which` where they are."""
    for p in which:
        b, part, box = bodies[owner[p]], geometry.parts[p], ends[p]
        for x in range(3):
            box[x], box[x + 3] = np.inf, -np.inf
        for k in range(part.vertex[0], part.vertex[1]):
            v = geometry.vertices[k]
            for x in range(3):
                at = b.turn[x, 0] * v[0] + b.turn[x, 1] * v[1] + b.turn[x, 2] * v[2] + b.origin[x]
                box[x], box[x + 3] = min(box[x], at), max(box[x + 3], at)


@njit_no_refs
def enlarge_boxes(bodies: Records, limits: Records, which: Ints, owner: Ints, reach: Floats, ends: Floats) -> None:
    """Let the boxes (P,6) of the parts `which` hold them as long as their bodies stay within the limits.

    However far they turn, parts stay in spheres about the centres of mass of their bodies.
    """
    for p in which:
        b, bound, box = bodies[owner[p]], limits[owner[p]], ends[p]
        for x in range(3):
            box[x] = max(box[x] - bound.turn, b.position[x] - reach[p]) + bound.behind[x]
            box[x + 3] = min(box[x + 3] + bound.turn, b.position[x] + reach[p]) + bound.ahead[x]


def fitted_boxes(solver: SolverState, part: Ints) -> Floats:
    """Lower and upper corners (n,6) of boxes around some parts where they are."""
    ends = np.empty((len(solver.owner), 6))
    fit_boxes(plain_view(solver.bodies), part, solver.owner, solver.static_geometry.geometry, ends)
    return np.asarray(ends[part])


class _PartBoxes(NamedTuple):
    """Parts as the sweep takes them; see `find_overlapping_boxes`."""

    ends: Floats  #: (P,6)
    centre: Floats  #: (N,6)
    reach: Floats  #: (P,)
    body: Ints  #: (P,)
    free: int


def find_overlapping_boxes(ends: Floats, centre: Floats, reach: Floats, body: Ints, some: Bools, free: int) -> Ints:
    """Keys of the pairs of parts that may meet of which one part is in `some` (P,) and one is free.

    Their boxes `ends` (P,6) overlap, and so do spheres with the radii `reach` (P,) about the centres of mass of their
    bodies, which are in the boxes `centre` (N,6). `body` (P,) is the row of the body of each part, -1 for parts that
    are left out; the first `free` ones are free. The keys are in ascending order.
    """
    ends = sealed_floats(ends)
    boxes = _PartBoxes(ends, sealed_floats(centre), sealed_floats(reach), sealed_ints(body), free)
    if len(body) <= FEW_PARTS:
        found = np.empty(FEW_PARTS * (FEW_PARTS - 1) // 2, np.int64)
        return found[: compare_all_boxes(boxes, some, found)]
    among = np.flatnonzero(body >= 0)
    if len(among) == 0:
        return among
    middle = 0.5 * (ends[:, :3] + ends[:, 3:])[among[body[among] < free]]
    axis = int(np.argmax(np.var(middle, axis=0)))
    order = among[np.argsort(ends[among, axis], kind="stable")]
    first, rest = sealed_ints(order[some[order]]), sealed_ints(order[~some[order]])
    order = sealed_ints(order)
    found = np.empty(FIRST_PAIRS, np.int64)
    while True:
        count = sweep_boxes(first, order, boxes, axis, found, 0)
        count = sweep_boxes(rest, first, boxes, axis, found, count)
        if count <= len(found):
            return np.sort(found[:count])
        found = np.empty(2 * count, np.int64)


@njit_no_refs
def sweep_boxes(first: Ints, second: Ints, boxes: _PartBoxes, axis: int, found: Ints, count: int) -> int:
    """Add the keys of overlapping pairs of a part in `first` and one in `second` that begins after it, as it fits.

    Both are in the order of the lower ends of their boxes along `axis`, then of their numbers; `found` holds `count`
    keys before. Returns how many there are after it.
    """
    ends, centre, reach, body, free = boxes
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
            if squared_box_distance(centre[body[p]], centre[body[q]]) > (reach[p] + reach[q]) * (reach[p] + reach[q]):
                continue
            if count < len(found):
                found[count] = (min(p, q) << 32) + max(p, q)
            count += 1
    return count


@njit_no_refs
def compare_all_boxes(boxes: _PartBoxes, some: Bools, found: Ints) -> int:
    """As `sweep_boxes`, for so few parts that each is compared with each; the keys are in ascending order."""
    ends, centre, reach, body, free = boxes
    count = 0
    for p in range(len(body)):
        if body[p] < 0:
            continue
        for q in range(p + 1, len(body)):
            if body[q] < 0 or not (some[p] or some[q]):
                continue
            if (
                squared_box_distance(ends[p], ends[q]) > 0.0
                or body[p] == body[q]
                or (body[p] >= free and body[q] >= free)
            ):
                continue
            if squared_box_distance(centre[body[p]], centre[body[q]]) <= (reach[p] + reach[q]) * (reach[p] + reach[q]):
                found[count] = (p << 32) + q
                count += 1
    return count


@device_inlined
def squared_box_distance(a: Floats, b: Floats) -> float:
    """Square of the distance of two boxes, given by their corners (6,)."""
    square = 0.0
    for x in range(3):
        gap = max(a[x] - b[x + 3], b[x] - a[x + 3])
        if gap > 0.0:
            square += gap * gap
    return float(square)
