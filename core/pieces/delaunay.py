"""Delaunay tetrahedra of points inside a given tetrahedron, by insertion: several times faster than Qhull.

Points go in along a curve through space, in rounds of doubling size; each removes the tetrahedra whose circumscribed
spheres hold it and fills the hole with tetrahedra to itself. No sign is taken that round-off could have decided: where
one is, Qhull does the work instead, as it does for few points (nothing to compile) and without numba.

References: Bowyer 1981, Watson 1981 (insertion); Amenta, Choi, Rote 2003 (rounds); Shewchuk 1997 (error bounds).
"""

from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay, QhullError

from ..arithmetic.products import norm
from ..errors import CutError
from ..jit import HAS_NUMBA, device, njit
from ..types import Floats, Ints

#: Tables of tetrahedra, as Qhull has them.
TetrahedraTable: TypeAlias = NDArray[np.int32]

#: Names this module's stream of random numbers; which point comes when does not change the result.
STREAM = 202
#: Up to so many points Qhull takes no longer than it would take to load our machine code. Measured: 1.3 ms for 100
#: points by Qhull, 27 ms for 1,000 (docs/decisions.md, Cutting).
FEW = 400
#: Tetrahedra for which there is room, per point; random points have 6.8. Where they do not do, Qhull does the work.
_ROOM = 10
#: Distance of the far corners, in diagonals of the points' box. Chosen.
FAR_AWAY = 6.0
#: Points of the first round. Chosen by time.
FIRST_ROUND = 64
#: Error of a circumcentre relative to the sum of its terms. Four roundings.
_ROUND_OFF = 4.5e-16
#: Error of the determinant of five points relative to the sum of its terms (Shewchuk 1997: 16 units of round-off).
SPHERE_DOUBT = 1.8e-15
_DOUBT = -1  #: what the insertion returns where round-off could decide, or where there is no room


class _Tetrahedra(NamedTuple):
    """The tetrahedra so far; those that were removed keep their rows until these are used again."""

    corner: TetrahedraTable  #: (M,4) points, positively oriented
    beyond: TetrahedraTable  #: (M,4) tetrahedron opposite to each corner, -1 for none
    sphere: Floats  #: (M,5) circumcentre, squared radius, doubt of the difference of squares
    seen: Ints  #: (M,) 2i where insertion i found the tetrahedron in conflict, 2i + 1 where it did not; -1 removed
    free: Ints  #: (M,) stack of rows to use again
    hole: Ints  #: (M,) tetrahedra that the point at hand removes


def delaunay(points: Floats) -> tuple[TetrahedraTable, TetrahedraTable]:
    """Delaunay tetrahedra of `points (N,3)`, whose last four are the corners of a tetrahedron around all others.

    Returns `corners (M,4)` and `neighbours (M,4)`: tetrahedron opposite to each corner, -1 outside. Their order and
    orientation are free, but always the same for the same points. Points numbered `along_curve` are done faster.
    Raises CutError where points coincide or lie so regularly that nothing can be made of them.
    """
    if HAS_NUMBA and len(points) > FEW:
        found = _inserted(points)
        if found is not None:
            return found
    try:
        diagram = Delaunay(points)
    except QhullError as failure:
        raise CutError("No pattern can be made of these points.") from failure
    if len(diagram.coplanar):
        raise CutError("Two points of the pattern coincide.")
    return diagram.simplices, diagram.neighbors


def far_corners(around: Floats) -> Floats:
    """Corners (4,3) of a large tetrahedron around the box of some points, askew so that no two spheres tie."""
    low, high = around.min(axis=0), around.max(axis=0)
    corner = np.array([[0.08, 0.05, 1.07], [0.91, 0.13, -0.31], [-0.52, 0.79, -0.37], [-0.44, -0.87, -0.29]])
    corners: Floats = 0.5 * (low + high) + FAR_AWAY * float(norm(high - low)) * corner
    return corners


def _inserted(points: Floats) -> tuple[TetrahedraTable, TetrahedraTable] | None:
    """As `delaunay`, by insertion; None where a sign is in doubt."""
    room = _ROOM * len(points) + 64
    made = _Tetrahedra(
        corner=np.empty((room, 4), np.int32),
        beyond=np.empty((room, 4), np.int32),
        sphere=np.empty((room, 5)),
        seen=np.empty(room, np.int64),
        free=np.empty(room, np.int64),
        hole=np.empty(room, np.int64),
    )
    rows = _insert_all(np.ascontiguousarray(points), _rounds(len(points) - 4), made)
    if rows == _DOUBT:
        return None
    alive = made.seen[:rows] >= 0
    number = np.append((np.cumsum(alive) - 1).astype(np.int32), np.int32(-1))  # -1 stays -1
    return made.corner[:rows][alive], number[made.beyond[:rows][alive]]


def _rounds(count: int) -> Ints:
    """A permutation of the points that begins with a few of them, and goes on in ever larger rounds along the curve."""
    shuffled = np.random.default_rng(STREAM).permutation(count)
    ends = [count]
    while ends[-1] > FIRST_ROUND:
        ends.append(ends[-1] // 2)
    bounds = [0, *ends[::-1]]
    return np.concatenate([np.sort(shuffled[a:b]) for a, b in pairwise(bounds)])


def along_curve(points: Floats) -> Ints:
    """A permutation (N,) along Hilbert's curve, so that points with close numbers lie close to each other.

    The curve runs through a grid of ranks, whose cells hold about equally many points however these crowd.
    Reference: Skilling 2004, "Programming the Hilbert curve".
    """
    n = len(points)
    bits = max(1, (n.bit_length() + 2) // 3)
    axes = []
    for k in range(3):
        rank = np.empty(n, np.int64)
        rank[np.argsort(points[:, k], kind="stable")] = (np.arange(n) << bits) // max(n, 1)
        axes.append(rank)
    for bit in range(bits - 1, 0, -1):
        below = (1 << bit) - 1
        for k in range(3):
            is_set = -(axes[k] >> bit & 1)  # all bits where it is set
            swap = (axes[0] ^ axes[k]) & below & ~is_set
            axes[k] ^= swap
            axes[0] ^= swap | (below & is_set)
    axes[1] ^= axes[0]
    axes[2] ^= axes[1]
    turn = axes[2] >> 1
    for shift in (1, 2, 4, 8):
        turn ^= turn >> shift
    code = np.zeros(n, np.int64)
    for bit in range(bits - 1, -1, -1):
        for k in range(3):
            code = code << 1 | ((axes[k] ^ turn) >> bit & 1)
    return np.argsort(code, kind="stable")


@device
def put_centre(points: Floats, corner: TetrahedraTable, centre: Floats) -> float:
    """Put the circumcentre of a tetrahedron; returns a bound of its error, infinite where the tetrahedron is flat."""
    o, i, j, k = corner[0], corner[1], corner[2], corner[3]
    ox, oy, oz = points[o, 0], points[o, 1], points[o, 2]
    ax, ay, az = points[i, 0] - ox, points[i, 1] - oy, points[i, 2] - oz
    bx, by, bz = points[j, 0] - ox, points[j, 1] - oy, points[j, 2] - oz
    cx, cy, cz = points[k, 0] - ox, points[k, 1] - oy, points[k, 2] - oz
    aa, bb, cc = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz
    px, py, pz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    twice = 2.0 * (ax * px + ay * py + az * pz)
    if twice == 0.0:
        centre[0], centre[1], centre[2] = ox, oy, oz
        return np.inf
    centre[0] = ox + (aa * px + bb * (cy * az - cz * ay) + cc * (ay * bz - az * by)) / twice
    centre[1] = oy + (aa * py + bb * (cz * ax - cx * az) + cc * (az * bx - ax * bz)) / twice
    centre[2] = oz + (aa * pz + bb * (cx * ay - cy * ax) + cc * (ax * by - ay * bx)) / twice
    # |b_j c_k| + |b_k c_j| summed over components is at most 2 |b| |c|, so the terms of the numerator sum to at most
    # 2 |a| |b| |c| (|a| + |b| + |c|), and |a| + |b| + |c| <= sqrt(3 (a^2 + b^2 + c^2))
    error: float = _ROUND_OFF * 2.0 * np.sqrt(3.0 * aa * bb * cc * (aa + bb + cc)) / abs(twice)
    return error


@device
def _put_sphere(points: Floats, corner: TetrahedraTable, sphere: Floats) -> None:
    """Centre and squared radius of the circumscribed sphere, and how large a difference of squares must be."""
    error = put_centre(points, corner, sphere)
    o = corner[0]
    x, y, z = points[o, 0] - sphere[0], points[o, 1] - sphere[1], points[o, 2] - sphere[2]
    square = x * x + y * y + z * z
    radius = np.sqrt(square)
    error += _ROUND_OFF * (abs(sphere[0]) + abs(sphere[1]) + abs(sphere[2]))
    sphere[3] = square
    # |d^2 - r^2| must exceed (d + r)(2 error + 16 units) for d < 2 r; farther points are clear where error << r
    sphere[4] = 6.0 * radius * error + 2e-14 * square if error < 1e-3 * radius else np.inf


@device
def _conflict(points: Floats, corner: TetrahedraTable, sphere: Floats, t: int, p: int) -> int:
    """1 where point p lies in the sphere of tetrahedron t, 0 where it does not, DOUBT where round-off could decide."""
    x, y, z = points[p, 0] - sphere[t, 0], points[p, 1] - sphere[t, 1], points[p, 2] - sphere[t, 2]
    beyond = x * x + y * y + z * z - sphere[t, 3]
    if abs(beyond) > sphere[t, 4]:
        return 1 if beyond < 0.0 else 0
    return _in_sphere(points, corner[t], p)


@device
def _in_sphere(points: Floats, corner: TetrahedraTable, p: int) -> int:
    """As `_conflict`, from the determinant of the five points: slower, with a smaller error."""
    i, j, k, m = corner[0], corner[1], corner[2], corner[3]
    px, py, pz = points[p, 0], points[p, 1], points[p, 2]
    ax, ay, az = points[i, 0] - px, points[i, 1] - py, points[i, 2] - pz
    bx, by, bz = points[j, 0] - px, points[j, 1] - py, points[j, 2] - pz
    cx, cy, cz = points[k, 0] - px, points[k, 1] - py, points[k, 2] - pz
    dx, dy, dz = points[m, 0] - px, points[m, 1] - py, points[m, 2] - pz
    value, terms = 0.0, 0.0
    # the tetrahedra of p with three corners each, times the square of the fourth
    v, w = _triple(bx, by, bz, cx, cy, cz, dx, dy, dz)
    square = ax * ax + ay * ay + az * az
    value, terms = value + square * v, terms + square * w
    v, w = _triple(ax, ay, az, cx, cy, cz, dx, dy, dz)
    square = bx * bx + by * by + bz * bz
    value, terms = value - square * v, terms + square * w
    v, w = _triple(ax, ay, az, bx, by, bz, dx, dy, dz)
    square = cx * cx + cy * cy + cz * cz
    value, terms = value + square * v, terms + square * w
    v, w = _triple(ax, ay, az, bx, by, bz, cx, cy, cz)
    square = dx * dx + dy * dy + dz * dz
    value, terms = value - square * v, terms + square * w
    if abs(value) <= SPHERE_DOUBT * terms:
        return _DOUBT
    return 1 if value > 0.0 else 0


@device
def _triple(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float, cx: float, cy: float, cz: float
) -> tuple[float, float]:
    """The determinant a . (b x c), and the sum of the sizes of its terms."""
    p, q, r, s, t, u = by * cz, bz * cy, bz * cx, bx * cz, bx * cy, by * cx
    terms = abs(ax) * (abs(p) + abs(q)) + abs(ay) * (abs(r) + abs(s)) + abs(az) * (abs(t) + abs(u))
    return ax * (p - q) + ay * (r - s) + az * (t - u), terms


@device
def _walk(points: Floats, corner: TetrahedraTable, beyond: TetrahedraTable, t: int, p: int, limit: int) -> int:
    """The tetrahedron around point p, starting at t; the signs need not be right. DOUBT where the walk does not end."""
    px, py, pz = points[p, 0], points[p, 1], points[p, 2]
    for _ in range(limit):
        i, j, k, m = corner[t, 0], corner[t, 1], corner[t, 2], corner[t, 3]
        ax, ay, az = points[i, 0] - px, points[i, 1] - py, points[i, 2] - pz
        bx, by, bz = points[j, 0] - px, points[j, 1] - py, points[j, 2] - pz
        cx, cy, cz = points[k, 0] - px, points[k, 1] - py, points[k, 2] - pz
        dx, dy, dz = points[m, 0] - px, points[m, 1] - py, points[m, 2] - pz
        ux, uy, uz = cy * dz - cz * dy, cz * dx - cx * dz, cx * dy - cy * dx
        vx, vy, vz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        least, face = 0.0, -1
        for c in range(4):
            if c == 0:
                side = bx * ux + by * uy + bz * uz
            elif c == 1:
                side = -(ax * ux + ay * uy + az * uz)
            elif c == 2:
                side = dx * vx + dy * vy + dz * vz
            else:
                side = -(cx * vx + cy * vy + cz * vz)
            if side < least:
                least, face = side, c
        if face < 0:
            return t
        t = beyond[t, face]
        if t < 0:
            return _DOUBT
    return _DOUBT


@device
def _dig(points: Floats, made: _Tetrahedra, t: int, p: int, mark: int) -> int:
    """List the tetrahedra whose spheres hold point p, from t on, in `hole`; returns how many, or DOUBT."""
    if _conflict(points, made.corner, made.sphere, t, p) != 1:
        return _DOUBT
    made.seen[t] = mark
    made.hole[0] = t
    size, at = 1, 0
    while at < size:
        for k in range(4):
            n = made.beyond[made.hole[at], k]
            if n >= 0 and made.seen[n] < mark:
                made.hole[size] = n  # as an int64 entry: a second type of argument would compile the kernel twice
                found = _conflict(points, made.corner, made.sphere, made.hole[size], p)
                if found == _DOUBT:
                    return _DOUBT
                made.seen[n] = mark + 1 - found
                size += found
        at += 1
    return size


@device
def _fill(points: Floats, made: _Tetrahedra, size: int, p: int, mark: int, rows: int, spare: int) -> tuple[int, int]:
    """One tetrahedron from each face of the hole to point p. Returns rows used and spare rows, or DOUBT when full.

    In the old tetrahedra, faces of the hole now lead to the new ones: as -2 - row.
    """
    corner, beyond = made.corner, made.beyond
    for at in range(size):
        old = made.hole[at]
        for k in range(4):
            n = beyond[old, k]
            if n >= 0 and made.seen[n] == mark:
                continue
            if spare > 0:
                spare -= 1
                new = made.free[spare]
            else:
                new = rows
                rows += 1
                if rows > len(made.seen):
                    return _DOUBT, spare
            for c in range(4):
                corner[new, c] = corner[old, c]
                beyond[new, c] = _DOUBT
            corner[new, k] = p
            beyond[new, k] = n
            made.seen[new] = mark + 1
            if n >= 0:
                for c in range(4):
                    if beyond[n, c] == old:
                        beyond[n, c] = new
            beyond[old, k] = -2 - new
            _put_sphere(points, corner[new], made.sphere[new])
    return rows, spare


@device
def _join(corner: TetrahedraTable, beyond: TetrahedraTable, old: int, k: int) -> None:
    """Link the new tetrahedron at face k of an old one with those at the three faces of the hole next to it."""
    new = -2 - beyond[old, k]
    for j in range(4):
        if j == k or beyond[new, j] != _DOUBT:
            continue
        # turn around the edge opposite to corners j and k through the hole, until a face of it is reached
        at, cross, side, apex = old, j, k, corner[old, k]
        while beyond[at, cross] >= 0:
            n = beyond[at, cross]
            back, ahead = 0, 0
            for c in range(4):
                if beyond[n, c] == at:
                    back = c
                if corner[n, c] == apex:
                    ahead = c
            at, cross, side, apex = n, ahead, back, corner[n, back]
        other = -2 - beyond[at, cross]
        beyond[new, j] = other
        beyond[other, side] = new


@njit
def _insert_all(points: Floats, order: Ints, made: _Tetrahedra) -> int:
    """Insert the points in this order into the tetrahedron of the last four; the number of rows used, or DOUBT."""
    first = len(points) - 4
    corner, beyond = made.corner, made.beyond
    for c in range(4):
        corner[0, c] = first + c
        beyond[0, c] = -1
    side, _ = _triple(
        points[first + 1, 0] - points[first, 0],
        points[first + 1, 1] - points[first, 1],
        points[first + 1, 2] - points[first, 2],
        points[first + 2, 0] - points[first, 0],
        points[first + 2, 1] - points[first, 1],
        points[first + 2, 2] - points[first, 2],
        points[first + 3, 0] - points[first, 0],
        points[first + 3, 1] - points[first, 1],
        points[first + 3, 2] - points[first, 2],
    )
    if side < 0.0:
        corner[0, 0], corner[0, 1] = first + 1, first
    _put_sphere(points, corner[0], made.sphere[0])
    made.seen[0] = 0
    # plain numbers would compile what they go into twice
    rows: int = np.int64(1)  # type: ignore[assignment]
    spare: int = np.int64(0)  # type: ignore[assignment]
    last: int = np.int64(0)  # type: ignore[assignment]
    for i in range(len(order)):
        p, mark = order[i], 2 * i + 2
        t = _walk(points, corner, beyond, last, p, len(points) + 64)
        if t < 0:
            return _DOUBT
        size = _dig(points, made, t, p, mark)
        if size < 0:
            return _DOUBT
        rows, spare = _fill(points, made, size, p, mark, rows, spare)
        if rows < 0:
            return _DOUBT
        for at in range(size):
            old = made.hole[at]
            for k in range(4):
                if beyond[old, k] < -1:
                    last = -2 - beyond[old, k]
                    _join(corner, beyond, old, k)
        for at in range(size):
            made.seen[made.hole[at]] = -1
            made.free[spare] = made.hole[at]
            spare += 1
    return rows
