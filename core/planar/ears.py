"""Polygons with holes cut into triangles that know which side of the polygon each of their sides is.

Ears are clipped, the roundest first: convex corners whose triangle holds no other corner. Holes are joined to the loop
around them by bridges, each from the hole's rightmost corner to a corner that it sees (Eberly, "Triangulation by ear
clipping", 2002). Neighbours in one place go first, and where round-off leaves no ear, the roundest corner is taken.
Of a face with very many corners, the roundest of the next WINDOW is; time grows with their number times the holes.
"""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, device_no_refs, njit_no_refs
from ..types import Floats, Ints

_HALF, _PIECE, _PREVIOUS, _NEXT, _BLOCKER = 0, 1, 2, 3, 4  #: columns of a ring
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

    ring: Ints  #: (.,5) columns _HALF..._BLOCKER of the corners
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
    ring, at, rate = np.empty((most, 5), np.int64), np.empty((most, 2)), np.empty(most)
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
            ring[size, _HALF], ring[size, _PIECE] = half[x], piece[half[x]]
            ring[size, _PREVIOUS], ring[size, _NEXT] = size - 1, size + 1
            at[size, 0], at[size, 1] = point[half[x], 0], point[half[x], 1]
            size += 1
        ring[first, _PREVIOUS], ring[size - 1, _NEXT] = size - 1, first
        if first > 0:
            _bridge(ring, at, first, size, inner_side)
            inner_side += 1
            size += 2
    if size < 3:
        return count, inner_side
    low, per_length = _bin(at, size, bin_start, bin_corner)
    strips = _Strips(low, per_length, size)
    for i in range(size):
        ring[i, _BLOCKER] = _UNKNOWN
        rate[i] = _roundness(at, ring[i, _PREVIOUS], i, ring[i, _NEXT])
    i, left = none, size
    for _ in range(size):  # corners in one place would hide whether the ring is concave there
        b = ring[i, _NEXT]
        if left > 3 and max(abs(at[b, 0] - at[i, 0]), abs(at[b, 1] - at[i, 1])) <= _GAP * flat:
            _clip(room, ears, count, i, inner_side)
            count, inner_side, left = count + 3, inner_side + 1, left - 1
        i = b
    patient = left  # of a ring without an ear, a second search is worth while once it is so small
    while left > 3:
        i, is_ear = _best_ear(room, strips, i, left, flat, left <= patient)
        if not is_ear and left <= patient:
            patient = left - left // _IMPATIENCE
        b = ring[i, _NEXT]
        _clip(room, ears, count, i, inner_side)
        count, inner_side, left = count + 3, inner_side + 1, left - 1
        i = b
    _clip(room, ears, count, i, ring[ring[i, _NEXT], _PIECE])
    return count + 3, inner_side


@device_no_refs
def _clip(room: ClippingRoom, ears: ClippedEars, count: int, i: int, side: int) -> None:
    """Take corner i out of the ring: its triangle is written, whose third side is `side`."""
    ring, at, rate = room.ring, room.at, room.rate
    halves, pieces = ears
    a, b = ring[i, _PREVIOUS], ring[i, _NEXT]
    halves[count], halves[count + 1], halves[count + 2] = ring[a, _HALF], ring[i, _HALF], ring[b, _HALF]
    pieces[count], pieces[count + 1], pieces[count + 2] = ring[a, _PIECE], ring[i, _PIECE], side
    ring[a, _NEXT], ring[b, _PREVIOUS], ring[i, _NEXT] = b, a, -1
    ring[a, _PIECE] = side
    ring[a, _BLOCKER], ring[b, _BLOCKER] = _UNKNOWN, _UNKNOWN
    rate[a] = _roundness(at, ring[a, _PREVIOUS], a, b)
    rate[b] = _roundness(at, a, b, ring[b, _NEXT])


@device_inlined
def _area(at: Floats, a: int, b: int, c: int) -> float:
    """Twice the signed area."""
    area: float = (at[b, 0] - at[a, 0]) * (at[c, 1] - at[a, 1]) - (at[b, 1] - at[a, 1]) * (at[c, 0] - at[a, 0])
    return area


@device_inlined
def _roundness(at: Floats, a: int, b: int, c: int) -> float:
    """Signed area relative to the squared sides."""
    total = 0.0
    for k in range(2):
        x, y, z = at[b, k] - at[a, k], at[c, k] - at[b, k], at[a, k] - at[c, k]
        total += x * x + y * y + z * z
    return _area(at, a, b, c) / total if total > 0.0 else 0.0


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
                ring[i, _BLOCKER] = _UNKNOWN
                i = ring[i, _NEXT]
        while True:
            i, best, highest = begin, int(np.int64(-1)), -np.inf
            for looked in range(left):
                if looked >= WINDOW and best >= 0:
                    break
                blocker = ring[i, _BLOCKER]
                if blocker >= 0 and ring[blocker, _NEXT] < 0:
                    ring[i, _BLOCKER] = _UNKNOWN
                value = rate[i]
                if left == 4:  # the rest is a triangle too
                    b = ring[i, _NEXT]
                    value = min(value, _roundness(at, b, ring[b, _NEXT], ring[i, _PREVIOUS]))
                if ring[i, _BLOCKER] < 0 and value > highest:
                    best, highest = i, value
                i = ring[i, _NEXT]
            if best < 0:
                break
            if ring[best, _BLOCKER] == _UNKNOWN:
                border = -flat if attempt == 0 else flat
                ring[best, _BLOCKER] = _blocker(room, strips, best, flat, border)
            if ring[best, _BLOCKER] == _FREE:
                return best, True
    i = begin
    for _ in range(left):
        if rate[i] > rate[begin]:
            begin = i
        i = ring[i, _NEXT]
    return begin, False


@device_inlined
def _blocker(room: ClippingRoom, strips: _Strips, i: int, flat: float, border: float) -> int:
    """A corner that blocks the ear at i: itself where it has no height above `flat`, or FREE.

    Others block where they lie higher than `border` within each of the ear's sides, however short that is.
    """
    ring, at, _, bin_start, bin_corner = room
    low, per_length, size = strips
    a, b = ring[i, _PREVIOUS], ring[i, _NEXT]
    span = _span(at, a, i, b)
    if not _area(at, a, i, b) > flat * span:
        return i
    low_x, high_x = min(at[a, 0], at[i, 0], at[b, 0]) - flat, max(at[a, 0], at[i, 0], at[b, 0]) + flat
    low_y, high_y = min(at[a, 1], at[i, 1], at[b, 1]) - flat, max(at[a, 1], at[i, 1], at[b, 1]) + flat
    edge = border * span
    first, last = _strip(low_x, low, per_length, size), _strip(high_x, low, per_length, size)
    for k in range(bin_start[first], bin_start[last + 1]):
        j: int = bin_corner[k]
        x, y = at[j, 0], at[j, 1]
        if ring[j, _NEXT] < 0 or not (low_x <= x <= high_x and low_y <= y <= high_y):
            continue
        if _same(at, j, a) or _same(at, j, b) or _same(at, j, i):
            continue
        if _area(at, a, i, j) > edge and _area(at, i, b, j) > edge and _area(at, b, a, j) > edge:
            return j
    return _FREE


@device_inlined
def _same(at: Floats, a: int, b: int) -> bool:
    return bool(at[a, 0] == at[b, 0] and at[a, 1] == at[b, 1])


@device_inlined
def _bridge(ring: Ints, at: Floats, first: int, size: int, inner_side: int) -> None:
    """Join the hole of the corners first..size-1 to the ring of those before; makes two corners more.

    The ring before is one loop that begins at corner 0; the hole keeps its direction.
    """
    m = first
    for i in range(first, size):
        if at[i, 0] > at[m, 0]:
            m = i
    p = _seen(ring, at, m)
    m_again, p_again = size, size + 1
    for k in range(2):
        at[m_again, k], at[p_again, k] = at[m, k], at[p, k]
    ring[m_again, _HALF], ring[p_again, _HALF] = ring[m, _HALF], ring[p, _HALF]
    ring[m_again, _PIECE], ring[p_again, _PIECE] = inner_side, ring[p, _PIECE]
    last, after = ring[m, _PREVIOUS], ring[p, _NEXT]
    ring[last, _NEXT], ring[m_again, _PREVIOUS] = m_again, last
    ring[m_again, _NEXT], ring[p_again, _PREVIOUS] = p_again, m_again
    ring[p_again, _NEXT], ring[after, _PREVIOUS] = after, p_again
    ring[p, _NEXT], ring[m, _PREVIOUS] = m, p
    ring[p, _PIECE] = inner_side


@device_inlined
def _seen(ring: Ints, at: Floats, m: int) -> int:
    """A corner of the ring that begins at corner 0 which corner m of a hole in it sees, towards the right."""
    x, y = at[m, 0], at[m, 1]
    top = int(np.int64(0))
    best, nearest = int(np.int64(-1)), np.inf
    i = top
    while True:  # the first side that a ray to the right meets
        j = ring[i, _NEXT]
        if at[i, 1] <= y < at[j, 1]:
            hit = at[i, 0] + (y - at[i, 1]) / (at[j, 1] - at[i, 1]) * (at[j, 0] - at[i, 0])
            if x <= hit < nearest:
                best, nearest = (i if at[i, 0] > at[j, 0] else j), hit
        i = j
        if i == 0:
            break
    if best < 0:
        return top
    # Corners within the triangle of m, the hit and that side's right end may hide it: the one at the least angle is
    # seen. Of corners at one place, the one whose inside m is in.
    far_x, far_y = at[best, 0], at[best, 1]
    turn = 1.0 if far_y > y else -1.0
    seen, least, reach = int(np.int64(-1)), np.inf, np.inf
    i = top
    while True:
        dx, dy = at[i, 0] - x, turn * (at[i, 1] - y)
        within = dx >= 0.0 and dy >= 0.0 and dx * turn * (far_y - y) >= dy * (far_x - x)
        side = (far_x - nearest) * (at[i, 1] - y) - (far_y - y) * (at[i, 0] - nearest)
        if ((within and turn * side >= 0.0) or _same(at, i, best)) and _opens_to(ring, at, i, m):
            slope = dy / dx if dx > 0.0 else np.inf
            if slope < least or (slope == least and dx < reach):
                seen, least, reach = i, slope, dx
        i = ring[i, _NEXT]
        if i == 0:
            break
    return seen if seen >= 0 else best


@device_inlined
def _opens_to(ring: Ints, at: Floats, i: int, m: int) -> bool:
    """Whether point m lies in the wedge between the two sides at corner i."""
    a, b = ring[i, _PREVIOUS], ring[i, _NEXT]
    if _area(at, a, i, b) > 0.0:
        return bool(_area(at, a, i, m) >= 0.0 and _area(at, i, b, m) >= 0.0)
    return bool(_area(at, a, i, m) >= 0.0 or _area(at, i, b, m) >= 0.0)
