"""Which triangles of a mesh cross each other, decided exactly, and which only touch.

Two triangles cross where a side of one passes through the inside of the other, all signs of that being strict. Where a
sign is zero and the triangles do meet (a corner or a side that lies on the other triangle, two that overlap in one
plane) they touch, which leaves open whether their surfaces pass through each other. What meshes do everywhere is
neither: common corners and sides without anything else in common, and planes that meet outside of the triangles.

Two passes: floating point sets aside all pairs that are certainly apart, with margins a thousand times its round-off;
exact predicates look at the rest.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from ...arithmetic.products import norm
from ...jit import device, device_inlined, njit, njit_no_refs, sealed_floats, sealed_ints
from ...types import Floats, Ints
from ..bvh import build_tree
from ..crossings import FacedEntries, along_side, are_separated, shared_corners, sides_apart
from ..pair_search import kept_pairs
from ..predicates import orient2d, side_of_plane

_GAP = 2.0**-44  # of the diagonal: round-off of a gap is a hundredth of it
_ANGLE = 1e-9  # between cones that are certainly apart: round-off is a hundredth of it, given
_THIN = 1e-5  # sine of an angle: a triangle with a smaller one has no normal to be trusted
#: Tangent by which a plane is tilted about a side, to part cones that are not parted square to it; by eye.
TURN = 0.1
MOST_CONTACTS = 300_000  # pairs that are looked at: of more, nothing good comes, and it would take minutes; by time
MOST_CROSSING = 100_000  # pairs, at some 3 kB each; by memory
#: What two triangles are to each other.
_APART, CROSSING, TOUCHING = 0, 1, 2


class Unsettled(Exception):
    """Something that must hold does not, or a sign is unknown: `rows` are the triangles where."""

    def __init__(self, rows: Ints) -> None:
        super().__init__(f"unsettled in {len(rows)} triangles")
        self.rows = rows


class Crowded(Unsettled):
    """More pairs cross than can be separated, however their corners are moved: `rows` are triangles that do."""


class Contacts(NamedTuple):
    """Pairs i < j of triangles that cross, and those that touch, both sorted."""

    pairs: Ints  #: (S,2)
    #: (S,2,2) both ends of the segment that triangles i and j have in common, which runs along n_i x n_j: half-edge
    #: 3t + k and the triangle through which it passes; or -1 and a vertex that they share.
    ends: Ints
    touching: Ints  #: (n,2)


def find_triangle_contacts(vertices: Floats, triangles: Ints) -> Contacts:
    """The contacts between triangles (T,3) that use no vertex twice.

    Raises Crowded where too many cross, Unsettled where too many touch, IndexError for a vertex that does not exist.
    Either is known after a bounded number of pairs, so what cannot be resolved costs little more than what can.
    """
    if triangles.size and (triangles.min() < 0 or triangles.max() >= len(vertices)):
        raise IndexError("a triangle has a vertex that does not exist")
    near = _near_pairs(vertices, triangles)
    kind, ends = np.zeros(len(near), np.int64), np.full((len(near), 2, 2), -1, np.int64)
    _classify(sealed_floats(vertices), sealed_ints(triangles), near, np.zeros((2, 3), np.int64), kind, ends)
    crossing = kind == CROSSING
    if np.count_nonzero(crossing) > MOST_CROSSING:
        raise Crowded(np.unique(near[crossing]))
    if len(near) > MOST_CONTACTS:
        raise Unsettled(np.unique(near))
    return Contacts(near[crossing], ends[crossing], near[kind == TOUCHING])


def _near_pairs(vertices: Floats, triangles: Ints) -> Ints:
    """Pairs i < j (n,2) that are not certainly apart, sorted; no more than `MOST_CONTACTS` and one."""
    if len(triangles) < 2:
        return np.empty((0, 2), np.int64)
    tree = build_tree(vertices, triangles)
    gap = _GAP * float(norm(tree.high[1] - tree.low[1]))
    entries = FacedEntries(
        sealed_ints(sealed_ints(triangles).take(tree.order, axis=0)), tree.corners, np.empty((len(triangles), 3))
    )
    _measure_normals(entries)
    return kept_pairs(tree, 0.0, MOST_CONTACTS + 1, partial(_keep_near, entries, gap))


@njit_no_refs
def _measure_normals(entries: FacedEntries) -> None:
    """Unit normals, nan of thin entries."""
    corners, normal = entries.corners, entries.normal
    for t in range(len(corners)):
        ax, ay, az = along_side(corners, t, 0)
        bx, by, bz = along_side(corners, t, 1)
        cx, cy, cz = along_side(corners, t, 2)
        x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        length = np.sqrt(x * x + y * y + z * z)
        a, b, c = ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz, cx * cx + cy * cy + cz * cz
        # The two longest sides make the smallest angle.
        longest = max(a, b, c)
        second = max(min(a, b), min(max(a, b), c))
        if not length > _THIN * np.sqrt(longest * second):
            length = np.nan
        normal[t, 0], normal[t, 1], normal[t, 2] = x / length, y / length, z / length


@njit_no_refs
def _keep_near(entries: FacedEntries, gap: float, near: Ints, found: Ints, count: int) -> int:
    """Add those of some pairs that may meet to the `count` that were found, while there is room; how many there are."""
    for n in range(len(near)):
        if _may_meet(entries.triangles, entries.corners, entries.normal, near[n, 0], near[n, 1], gap):
            found[count, 0], found[count, 1] = near[n, 0], near[n, 1]
            count += 1
            if count == len(found):
                break
    return count


@device_inlined
def _may_meet(triangles: Ints, corners: Floats, normal: Floats, i: int, j: int, gap: float) -> bool:
    """Whether two triangles may have more in common than vertices and sides."""
    count, in_i, in_j = shared_corners(triangles, i, j)
    if count == 0:
        for k in range(8):  # the normals, and in the plane of a triangle, across each of its sides
            t = i if k % 2 == 0 else j
            a, b, c = normal[t, 0], normal[t, 1], normal[t, 2]
            if k >= 2:
                x, y, z = along_side(corners, t, k // 2 - 1)
                a, b, c = b * z - c * y, c * x - a * z, a * y - b * x
            if are_separated(corners, i, j, a, b, c, -gap):
                return False
        return not sides_apart(corners, i, j, -gap)
    if count == 1:
        for _ in range(2):
            if _cones_apart(corners, normal, i, in_i, j, in_j):
                return False
            i, in_i, j, in_j = j, in_j, i, in_i
        return True
    return count > 2 or not _unfolded(corners, normal, i, 3 - in_i, j, 3 - in_j)


@device_inlined
def _arm(corners: Floats, t: int, k: int, o: int, m: int) -> tuple[float, float, float, float]:
    """Vector from corner m of triangle o to corner k of triangle t, and its length."""
    x, y, z = (
        corners[t, k, 0] - corners[o, m, 0],
        corners[t, k, 1] - corners[o, m, 1],
        corners[t, k, 2] - corners[o, m, 2],
    )
    return x, y, z, np.sqrt(x * x + y * y + z * z)


@device_inlined
def _cones_apart(corners: Floats, normal: Floats, i: int, k: int, j: int, m: int) -> bool:
    """Whether a plane through corner k of triangle i, which is corner m of j, certainly has the triangles on two sides.

    Tried are the plane of i, and planes through its sides there: square to it, tilted by 45 degrees, and turned away
    from i about its normal a little.
    """
    nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
    dx, dy, dz, d = _arm(corners, j, (m + 1) % 3, j, m)
    ex, ey, ez, e = _arm(corners, j, (m + 2) % 3, j, m)
    rise_d, rise_e = nx * dx + ny * dy + nz * dz, nx * ex + ny * ey + nz * ez
    if (rise_d > _ANGLE * d and rise_e > _ANGLE * e) or (rise_d < -_ANGLE * d and rise_e < -_ANGLE * e):
        return True
    for s in range(2):
        x, y, z, length = _arm(corners, i, (k + 1 + s) % 3, i, k)
        turn = 1.0 if s == 0 else -1.0  # outward of the triangle
        ux, uy, uz = turn * (y * nz - z * ny), turn * (z * nx - x * nz), turn * (x * ny - y * nx)
        out_d, out_e = (ux * dx + uy * dy + uz * dz) / length, (ux * ex + uy * ey + uz * ez) / length
        for tilt in range(-1, 2):
            if out_d + tilt * rise_d > _ANGLE * d and out_e + tilt * rise_e > _ANGLE * e:
                return True
        # The other side must not have come through the plane.
        cx, cy, cz, c = _arm(corners, i, (k + 2 - s) % 3, i, k)
        if (ux - TURN * x) * cx + (uy - TURN * y) * cy + (uz - TURN * z) * cz < -_ANGLE * length * c:
            out_d -= TURN * (x * dx + y * dy + z * dz) / length
            out_e -= TURN * (x * ex + y * ey + z * ez) / length
            for tilt in range(-1, 2):
                if out_d + tilt * rise_d > _ANGLE * d and out_e + tilt * rise_e > _ANGLE * e:
                    return True
    return False


@device_inlined
def _unfolded(corners: Floats, normal: Floats, i: int, k: int, j: int, m: int) -> bool:
    """Whether triangles with a common side certainly have only that; corners k and m are across from it."""
    o = (k + 1) % 3
    dx, dy, dz, d = _arm(corners, j, m, i, o)
    nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
    if abs(nx * dx + ny * dy + nz * dz) > _ANGLE * d:
        return True
    x, y, z, length = _arm(corners, i, (k + 2) % 3, i, o)
    out = (y * nz - z * ny) * dx + (z * nx - x * nz) * dy + (x * ny - y * nx) * dz
    return bool(out > _ANGLE * length * d)


@device
def _turn(v: Floats, axis: int, a: int, b: int, c: int) -> int:
    """Sign of the turn from a over b to c, seen along an axis."""
    x, y = (axis + 1) % 3, (axis + 2) % 3
    det = orient2d(v[a, x], v[a, y], v[b, x], v[b, y], v[c, x], v[c, y])
    return 1 if det > 0.0 else (-1 if det < 0.0 else 0)


@device
def _steepest(v: Floats, a: int, b: int, c: int) -> int:
    """The axis along which a triangle shows most of its area."""
    best, most = 0, -1.0
    for axis in range(3):
        x, y = (axis + 1) % 3, (axis + 2) % 3
        area = abs((v[b, x] - v[a, x]) * (v[c, y] - v[a, y]) - (v[b, y] - v[a, y]) * (v[c, x] - v[a, x]))
        if area > most:
            best, most = axis, area
    return best


@njit
def _classify(vertices: Floats, triangles: Ints, pairs: Ints, sign: Ints, kind: Ints, ends: Ints) -> None:
    """Fill `kind (n,)` and, of crossing pairs, `ends (n,2,2)`; `sign (2,3)` is scratch."""
    for row in range(len(pairs)):
        i, j = pairs[row, 0], pairs[row, 1]
        count, in_i, in_j = shared_corners(triangles, i, j)
        if count > 2:
            kind[row] = TOUCHING
        elif count == 2:
            kind[row] = _fold(vertices, triangles, i, 3 - in_i, j, 3 - in_j)
        else:
            shared_i, shared_j = (in_i, in_j) if count == 1 else (-1, -1)
            kind[row] = _meet(vertices, triangles, i, shared_i, j, shared_j, sign, ends[row])


@device
def _fold(vertices: Floats, triangles: Ints, i: int, k: int, j: int, m: int) -> int:
    """Whether two triangles with a common side lie on each other; corners k and m are across from it."""
    c, a, b, d = triangles[i, k], triangles[i, (k + 1) % 3], triangles[i, (k + 2) % 3], triangles[j, m]
    if side_of_plane(vertices, c, a, b, d) != 0:
        return _APART
    axis = _steepest(vertices, a, b, c)
    return _APART if _turn(vertices, axis, a, b, c) * _turn(vertices, axis, a, b, d) < 0 else TOUCHING


@device
def _meet(v: Floats, triangles: Ints, i: int, shared_i: int, j: int, shared_j: int, sign: Ints, ends: Ints) -> int:
    """How two triangles meet that share no more than one vertex, at corners shared_i and shared_j (-1: none)."""
    zeros = 0
    for x in range(2):
        plane, other, shared = (i, j, shared_j) if x == 0 else (j, i, shared_i)
        front, behind = 0, 0
        for k in range(3):
            sign[x, k] = 0
            if k != shared:
                a, b, c = triangles[plane, 0], triangles[plane, 1], triangles[plane, 2]
                sign[x, k] = side_of_plane(v, a, b, c, triangles[other, k])
                zeros += 1 if sign[x, k] == 0 else 0
            front += 1 if sign[x, k] > 0 else 0
            behind += 1 if sign[x, k] < 0 else 0
        most = 3 if shared < 0 else 2
        if front == most or behind == most:
            return _APART
    if zeros == 0:
        return _pierce(v, triangles, i, shared_i, j, shared_j, sign, ends)
    if shared_i < 0:
        return TOUCHING
    a = triangles[i, shared_i]
    k, m = (shared_i + 1) % 3, (shared_i + 2) % 3
    b, c, over_b, over_c = triangles[i, k], triangles[i, m], sign[1, k], sign[1, m]
    k, m = (shared_j + 1) % 3, (shared_j + 2) % 3
    d, e, over_d, over_e = triangles[j, k], triangles[j, m], sign[0, k], sign[0, m]
    if (over_b == 0 and over_c == 0) or (over_d == 0 and over_e == 0):
        return TOUCHING if _wedges_touch(v, a, b, c, d, e) else _APART
    if over_d != 0 and over_e != 0:
        b, c, over_b, over_c, d, e, over_d, over_e = d, e, over_d, over_e, b, c, over_b, over_c
    if over_e == 0:
        d, e = e, d
    # Only d lies in the plane of a, b, c, so the triangles have nothing but the ray from a to d to meet along.
    if over_b == 0:
        b, c = c, b
    return TOUCHING if side_of_plane(v, a, b, e, d) == side_of_plane(v, a, b, e, c) else _APART


@device
def _wedges_touch(v: Floats, a: int, b: int, c: int, d: int, e: int) -> bool:
    """Whether triangles a, b, c and a, d, e of one plane have more than a in common."""
    axis = _steepest(v, a, b, c)
    for _ in range(4):  # whether the ray to d runs in the wedge between b and c, or on its border; and so on
        turn = _turn(v, axis, a, b, c)
        if turn * _turn(v, axis, a, b, d) >= 0 and turn * _turn(v, axis, a, d, c) >= 0:
            return True
        b, c, d, e = d, e, c, b
    return False


@device
def _pierce(v: Floats, triangles: Ints, i: int, shared_i: int, j: int, shared_j: int, sign: Ints, ends: Ints) -> int:
    """Find the sides that pass through the other triangle, all corners being strictly off the other plane."""
    found, starts = 0, 0
    for x in range(2):
        plane, other = (i, j) if x == 0 else (j, i)
        for k in range(3):
            m = (k + 1) % 3
            if sign[x, k] * sign[x, m] >= 0:
                continue
            p, q = triangles[other, k], triangles[other, m]
            left, right = 0, 0
            for s in range(3):
                turn = side_of_plane(v, p, q, triangles[plane, s], triangles[plane, (s + 1) % 3])
                left += 1 if turn > 0 else 0
                right += 1 if turn < 0 else 0
            if left > 0 and right > 0:
                continue
            if left + right < 3:
                return TOUCHING
            # Into the front of j, a side of i enters the segment along n_i x n_j; a side of j leaves it.
            start = (sign[x, k] < 0) == (x == 1)
            if found < 2:
                slot = 0 if start else 1
                ends[slot, 0], ends[slot, 1] = 3 * other + k, plane
            found += 1
            starts += 1 if start else 0
    if found == 0:
        return _APART
    if shared_i >= 0 and found == 1:
        ends[1 if starts == 1 else 0, 1] = triangles[i, shared_i]
        return CROSSING
    return CROSSING if shared_i < 0 and found == 2 and starts == 1 else TOUCHING
