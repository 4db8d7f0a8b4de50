"""Polygons with holes cut into triangles that know which side of the polygon each of their sides is.

Ears are clipped, the roundest first: convex corners whose triangle holds no other corner. Holes are joined to the loop
around them by bridges (`hole_bridges`). Neighbours in one place go first, and where round-off leaves no ear, the
roundest corner is taken. Reference: Eberly, "Triangulation by ear clipping", 2002.
Of a face with very many corners, the roundest of the next WINDOW is; time grows with their number times the holes.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, device_no_refs, njit_no_refs
from ..record_arrays import Records
from ..types import Floats, Ints
from .hole_bridges import RING_CORNER, bridge_hole, doubled_area, in_one_place

_UNKNOWN, _FREE = -2, -1  #: blockers
#: Corners among which the roundest ear is taken: by time, which grows with it.
WINDOW = 256
_FEW = 16  #: corners that are not worth sorting; chosen by time
_GAP = 1e3  #: distance of neighbours that count as one, in heights that mean nothing; chosen
#: Such a share of a ring without ears is clipped before it is searched twice again. Chosen by time: with 8, a ragged
#: loop of 3,200 corners takes 0.14 s; where it is searched twice for each corner, 12 s.
_IMPATIENCE = 8


class PolygonLoops(NamedTuple):
    """As of `triangulate_polygons`: of each polygon the outer loop first, and then its holes from right to left."""

    loop: Ints  #: (L,)
    start: Ints  #: (L+1,)
    half: Ints  #: (N,)
    point: Floats  #: (H,2)
    piece: Ints  #: (H,)


class ClippingRoom(NamedTuple):
    """Room to work in for `clip_ears`, see `clipping_room`."""

    ring: Records  #: (.,) RING_CORNER
    at: Floats  #: (.,2) where each corner is
    rate: Floats  #: (.,) how round the triangle at each corner is
    bin_start: Ints  #: (.,) bounds of the corners of each strip of x
    bin_corner: Ints  #: (.,) corners, strip by strip


class ClippedEars(NamedTuple):
    """Triangles that are filled in, three entries each."""

    halves: Ints
    pieces: Ints


class _Strips(NamedTuple):
    """How the corners of a polygon are sorted into strips of x."""

    low: float  #: least x
    per_length: float
    size: int  #: how many corners, and strips


def triangulate_polygons(
    face_start: Ints, loop: Ints, start: Ints, half: Ints, point: Floats, piece: Ints, flat: Floats, first_inner: int
) -> tuple[Ints, Ints, Ints]:
    """Cut faces into triangles.

    Face f has the loops `loop[face_start[f]:face_start[f+1]]`, the outer one counter-clockwise and first; loop i the
    half-edges `half[start[i]:start[i+1]]`, each of which begins at a `point (H,2)` and runs along a `piece (H,)`. The
    height `flat (F,)` means nothing. Returns, of n triangles, the half-edges (n,3) that begin at the corners, the
    pieces (n,3) of the sides (numbers from `first_inner` on, each twice, are sides within a face), and the face (n,).
    """
    count = len(face_start) - 1
    face_of_loop = np.repeat(np.arange(count), np.diff(face_start))
    corners = np.bincount(face_of_loop, np.diff(start)[loop], count).astype(np.int64)
    ring_size = corners + 2 * (np.diff(face_start) - 1)
    triangle_start = np.concatenate([[0], np.cumsum(np.maximum(ring_size - 2, 0))])
    most = int(ring_size.max(initial=0))
    halves, pieces = np.empty(3 * triangle_start[-1], np.int64), np.empty(3 * triangle_start[-1], np.int64)
    hole_order = _by_rightmost(face_start, loop, start, half, point)
    loops, ears = PolygonLoops(hole_order, start, half, point, piece), ClippedEars(halves, pieces)
    _clip_all(face_start, loops, flat, first_inner, clipping_room(most), ears)
    return halves.reshape(-1, 3), pieces.reshape(-1, 3), np.repeat(np.arange(count), np.diff(triangle_start))


def clipping_room(most: int) -> ClippingRoom:
    """Room to work in for `clip_ears`: for `most` corners of a polygon, and two more for each of its holes."""
    ring, at, rate = np.empty(most, RING_CORNER), np.empty((most, 2)), np.empty(most)
    return ClippingRoom(ring, at, rate, np.empty(most + 2, np.int64), np.empty(most, np.int64))


def _by_rightmost(face_start: Ints, loop: Ints, start: Ints, half: Ints, point: Floats) -> Ints:
    """The same loops, the holes of each face from right to left."""
    face = np.repeat(np.arange(len(face_start) - 1), np.diff(face_start))
    outer = np.zeros(len(loop), np.bool_)
    outer[face_start[:-1]] = True
    if outer.all():
        return loop
    right = np.maximum.reduceat(point[half, 0], start[:-1])[loop]
    return np.asarray(loop[np.lexsort((-right, ~outer, face))])


@njit_no_refs
def _clip_all(
    face_start: Ints, loops: PolygonLoops, flat: Floats, inner_side: int, room: ClippingRoom, ears: ClippedEars
) -> None:
    count = int(np.int64(0))  # for a plain 0 numba would compile the parts a second time
    for f in range(len(face_start) - 1):
        bounds = (face_start[f], face_start[f + 1])
        count, inner_side = clip_ears(loops, bounds, flat[f], inner_side, room, ears, count)


@device_no_refs
def clip_ears(
    loops: PolygonLoops,
    bounds: tuple[int, int],
    flat: float,
    inner_side: int,
    room: ClippingRoom,
    ears: ClippedEars,
    count: int,
) -> tuple[int, int]:
    """Cut one polygon, of the loops between `bounds`.

    Its triangles are written to `ears` from entry `count` on. Returns how many entries there are then, and the first
    number of an inner side that is not used.
    """
    loop, start, half, point, piece = loops
    ring, at, rate, bin_start, bin_corner = room
    none = int(np.int64(0))
    size = none
    for k in range(bounds[0], bounds[1]):
        begin, end = start[loop[k]], start[loop[k] + 1]
        if begin == end:
            continue
        first = size
        for x in range(begin, end):
            ring[size].half, ring[size].piece = half[x], piece[half[x]]
            ring[size].previous, ring[size].next = size - 1, size + 1
            at[size, 0], at[size, 1] = point[half[x], 0], point[half[x], 1]
            size += 1
        ring[first].previous, ring[size - 1].next = size - 1, first
        if first > 0:
            bridge_hole(ring, at, first, size, inner_side)
            inner_side += 1
            size += 2
    if size < 3:
        return count, inner_side
    low, per_length = _bin(at, size, bin_start, bin_corner)
    strips = _Strips(low, per_length, size)
    for i in range(size):
        ring[i].blocker = _UNKNOWN
        rate[i] = _roundness(at, ring[i].previous, i, ring[i].next)
    i, left = none, size
    for _ in range(size):  # corners in one place would hide whether the ring is concave there
        b = ring[i].next
        if left > 3 and max(abs(at[b, 0] - at[i, 0]), abs(at[b, 1] - at[i, 1])) <= _GAP * flat:
            _clip(room, ears, count, i, inner_side)
            count, inner_side, left = count + 3, inner_side + 1, left - 1
        i = b
    patient = left  # of a ring without an ear, a second search is worth while once it is so small
    while left > 3:
        i, is_ear = _best_ear(room, strips, i, left, flat, left <= patient)
        if not is_ear and left <= patient:
            patient = left - left // _IMPATIENCE
        b = ring[i].next
        _clip(room, ears, count, i, inner_side)
        count, inner_side, left = count + 3, inner_side + 1, left - 1
        i = b
    _clip(room, ears, count, i, ring[ring[i].next].piece)
    return count + 3, inner_side


@device_no_refs
def _clip(room: ClippingRoom, ears: ClippedEars, count: int, i: int, side: int) -> None:
    """Take corner i out of the ring: its triangle is written, whose third side is `side`."""
    ring, at, rate = room.ring, room.at, room.rate
    halves, pieces = ears
    a, b = ring[i].previous, ring[i].next
    halves[count], halves[count + 1], halves[count + 2] = ring[a].half, ring[i].half, ring[b].half
    pieces[count], pieces[count + 1], pieces[count + 2] = ring[a].piece, ring[i].piece, side
    ring[a].next, ring[b].previous, ring[i].next = b, a, -1
    ring[a].piece = side
    ring[a].blocker, ring[b].blocker = _UNKNOWN, _UNKNOWN
    rate[a] = _roundness(at, ring[a].previous, a, b)
    rate[b] = _roundness(at, a, b, ring[b].next)


@device_inlined
def _roundness(at: Floats, a: int, b: int, c: int) -> float:
    """Signed area relative to the squared sides."""
    total = 0.0
    for k in range(2):
        x, y, z = at[b, k] - at[a, k], at[c, k] - at[b, k], at[a, k] - at[c, k]
        total += x * x + y * y + z * z
    return doubled_area(at, a, b, c) / total if total > 0.0 else 0.0


@device_inlined
def _span(at: Floats, a: int, b: int, c: int) -> float:
    """Half of the circumference of a triangle's box."""
    span = 0.0
    for k in range(2):
        x, y, z = at[a, k], at[b, k], at[c, k]
        span += max(x, y, z) - min(x, y, z)
    return span


@device_inlined
def _bin(at: Floats, size: int, bin_start: Ints, bin_corner: Ints) -> tuple[float, float]:
    """Sort corners into as many strips of x; returns where those begin, and how many there are per length.

    A few corners are all in the first strip.
    """
    if size <= _FEW:
        bin_start[0], bin_start[1] = 0, size
        for i in range(size):
            bin_corner[i] = i
        return 0.0, 0.0
    low, high = at[0, 0], at[0, 0]
    for i in range(size):
        low, high = min(low, at[i, 0]), max(high, at[i, 0])
    per_length = (size - 1) / (high - low) if high > low else 0.0
    for i in range(size + 2):
        bin_start[i] = 0
    for i in range(size):
        bin_start[_strip(at[i, 0], low, per_length, size) + 2] += 1
    for i in range(size):
        bin_start[i + 2] += bin_start[i + 1]
    for i in range(size):
        strip = _strip(at[i, 0], low, per_length, size) + 1
        bin_corner[bin_start[strip]] = i
        bin_start[strip] += 1
    return low, per_length


@device_inlined
def _strip(x: float, low: float, per_length: float, size: int) -> int:
    """Strip of a coordinate; monotone in x, which is all that correctness needs."""
    return int(min(max((x - low) * per_length, 0.0), size - 1.0))


@device_inlined
def _best_ear(room: ClippingRoom, strips: _Strips, begin: int, left: int, flat: float, again: bool) -> tuple[int, bool]:
    """The roundest ear of the ring of `left` corners that `begin` is one of, or its roundest corner; whether it is one.

    If wanted, a ring without ears is looked at `again`, without its corners that lie on a border.
    """
    ring, rate, at = room.ring, room.rate, room.at
    for attempt in range(2 if again else 1):
        if attempt == 1:  # what touches itself: corners on the border do not matter
            i = begin
            for _ in range(left):
                ring[i].blocker = _UNKNOWN
                i = ring[i].next
        while True:
            i, best, highest = begin, int(np.int64(-1)), -np.inf
            for looked in range(left):
                if looked >= WINDOW and best >= 0:
                    break
                blocker = ring[i].blocker
                if blocker >= 0 and ring[blocker].next < 0:
                    ring[i].blocker = _UNKNOWN
                value = rate[i]
                if left == 4:  # the rest is a triangle too
                    b = ring[i].next
                    value = min(value, _roundness(at, b, ring[b].next, ring[i].previous))
                if ring[i].blocker < 0 and value > highest:
                    best, highest = i, value
                i = ring[i].next
            if best < 0:
                break
            if ring[best].blocker == _UNKNOWN:
                border = -flat if attempt == 0 else flat
                ring[best].blocker = _blocker(room, strips, best, flat, border)
            if ring[best].blocker == _FREE:
                return best, True
    i = begin
    for _ in range(left):
        if rate[i] > rate[begin]:
            begin = i
        i = ring[i].next
    return begin, False


@device_inlined
def _blocker(room: ClippingRoom, strips: _Strips, i: int, flat: float, border: float) -> int:
    """A corner that blocks the ear at i: itself where it has no height above `flat`, or FREE.

    Others block where they lie higher than `border` within each of the ear's sides, however short that is.
    """
    ring, at, _, bin_start, bin_corner = room
    low, per_length, size = strips
    a, b = ring[i].previous, ring[i].next
    span = _span(at, a, i, b)
    if not doubled_area(at, a, i, b) > flat * span:
        return i
    low_x, high_x = min(at[a, 0], at[i, 0], at[b, 0]) - flat, max(at[a, 0], at[i, 0], at[b, 0]) + flat
    low_y, high_y = min(at[a, 1], at[i, 1], at[b, 1]) - flat, max(at[a, 1], at[i, 1], at[b, 1]) + flat
    edge = border * span
    first, last = _strip(low_x, low, per_length, size), _strip(high_x, low, per_length, size)
    for k in range(bin_start[first], bin_start[last + 1]):
        j: int = bin_corner[k]
        x, y = at[j, 0], at[j, 1]
        if ring[j].next < 0 or not (low_x <= x <= high_x and low_y <= y <= high_y):
            continue
        if in_one_place(at, j, a) or in_one_place(at, j, b) or in_one_place(at, j, i):
            continue
        if doubled_area(at, a, i, j) > edge and doubled_area(at, i, b, j) > edge and doubled_area(at, b, a, j) > edge:
            return j
    return _FREE
