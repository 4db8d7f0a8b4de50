"""Points where a side passes through a triangle, or three triangles meet: on which side of a plane, in which order.

Such points are never rounded before a sign is taken. A point where the side p q passes through the plane m is
(h_m(p) q - h_m(q) p) / (h_m(p) - h_m(q)), h_m being the height over the plane, a determinant; so its height over
another plane t has the sign of a determinant of heights, h_m(p) h_t(q) - h_m(q) h_t(p) where p lies in front of m. The
order of planes along a line is the sign of such a determinant again. All are evaluated in double-double arithmetic
(Dekker 1971; Hida, Li and Bailey 2001) and carry a bound of their error: a sign is right, or said to be unknown.
"""

from typing import NamedTuple

from ...arithmetic.double_double import add_double_doubles, multiply_double_doubles, two_sum
from ...jit import device, njit
from ...types import Bools, Floats, Ints

Value = tuple[float, float, float]  #: high part, low part, bound of the error

# Error of a short sum of double-double products, relative to the sum of their sizes; about a hundred roundings of
# 2^-104.
_ROUND = 2.0**-97
#: In the place of -1, 0 and 1: round-off could decide.
UNKNOWN_SIGN = 2


class SegmentPartners(NamedTuple):
    """With which larger triangles each of M triangles has a segment in common."""

    start: Ints  #: (M+1,)
    other: Ints  #: (.,) the larger partners of each triangle
    segment: Ints  #: (.,) the segments with them


@device
def _minus(a: tuple[float, float]) -> tuple[float, float]:
    return -a[0], -a[1]


@device
def _minor(
    ax: tuple[float, float], ay: tuple[float, float], bx: tuple[float, float], by: tuple[float, float]
) -> tuple[float, float, float]:
    """The determinant ax by - ay bx, and the size of what it is made of."""
    left, right = multiply_double_doubles(ax, by), multiply_double_doubles(ay, bx)
    high, low = add_double_doubles(left, _minus(right))
    return high, low, abs(left[0]) + abs(right[0])


@device
def height(v: Floats, triangles: Ints, t: int, p: int) -> Value:
    """Height of vertex p over the plane of triangle t, positive in front, times twice its area."""
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, ay, az = two_sum(v[a, 0], -v[p, 0]), two_sum(v[a, 1], -v[p, 1]), two_sum(v[a, 2], -v[p, 2])
    bx, by, bz = two_sum(v[b, 0], -v[p, 0]), two_sum(v[b, 1], -v[p, 1]), two_sum(v[b, 2], -v[p, 2])
    cx, cy, cz = two_sum(v[c, 0], -v[p, 0]), two_sum(v[c, 1], -v[p, 1]), two_sum(v[c, 2], -v[p, 2])
    total, size = (0.0, 0.0), 0.0
    for _ in range(3):
        high, low, part = _minor(cx, cy, bx, by)  # b and c swapped: heights are positive in front
        total = add_double_doubles(total, multiply_double_doubles(az, (high, low)))
        size += abs(az[0]) * part
        ax, ay, az = ay, az, ax
        bx, by, bz = by, bz, bx
        cx, cy, cz = cy, cz, cx
    return total[0], total[1], _ROUND * size


@device
def determinant_2x2(a: Value, b: Value, c: Value, d: Value) -> Value:
    """A d - b c."""
    left, right = (
        multiply_double_doubles((a[0], a[1]), (d[0], d[1])),
        multiply_double_doubles((b[0], b[1]), (c[0], c[1])),
    )
    high, low = add_double_doubles(left, _minus(right))
    error = abs(a[0]) * d[2] + abs(d[0]) * a[2] + a[2] * d[2] + abs(b[0]) * c[2] + abs(c[0]) * b[2] + b[2] * c[2]
    return high, low, 1.01 * error + _ROUND * (abs(left[0]) + abs(right[0]))


@device
def sign(value: Value) -> int:
    """1, -1, an exact 0, or UNKNOWN."""
    if value[0] > 1.01 * value[2]:
        return 1
    if value[0] < -1.01 * value[2]:
        return -1
    return 0 if value[2] == 0.0 else UNKNOWN_SIGN


@device
def height_of(v: Floats, triangles: Ints, pierce: Ints, point: int, t: int) -> Value:
    """A positive multiple (`weight_of`) of the height of a point over the plane of triangle t.

    Points are the vertices, then the rows of `pierce (R,3)`: a side from p, in front of triangle m, to q, behind it.
    """
    if point < len(v):
        return height(v, triangles, t, point)
    p, q, m = pierce[point - len(v), 0], pierce[point - len(v), 1], pierce[point - len(v), 2]
    return determinant_2x2(
        height(v, triangles, m, p), height(v, triangles, m, q), height(v, triangles, t, p), height(v, triangles, t, q)
    )


@device
def weight_of(v: Floats, triangles: Ints, pierce: Ints, point: int) -> float:
    """How many times its height over a plane `height_of` says."""
    if point < len(v):
        return 1.0
    p, q, m = pierce[point - len(v), 0], pierce[point - len(v), 1], pierce[point - len(v), 2]
    return height(v, triangles, m, p)[0] - height(v, triangles, m, q)[0]


@device
def _between(position: Floats, a: int, b: int, share: float, at: Floats) -> None:
    """The point `at (3,)` on the way from a to b, never outside of the box of both."""
    for k in range(3):
        p, q = position[a, k], position[b, k]
        x = p + share * (q - p) if share <= 0.5 else q + (1.0 - share) * (p - q)
        at[k] = min(max(x, min(p, q)), max(p, q))


@njit
def place_pierced(v: Floats, triangles: Ints, pierce: Ints, share: Floats, at: Floats) -> int:
    """Turn the sides of `pierce (R,3)` to start in front of the triangle, and fill in where they pass through it.

    `share (R,)` gets the share of the way from the smaller vertex of the side, `at (R,3)` the position. Returns the
    number of sides that do not pass through their triangle's plane, as far as is known: there should be none.
    """
    wrong = 0
    for row in range(len(pierce)):
        p, q, m = pierce[row, 0], pierce[row, 1], pierce[row, 2]
        over_p, over_q = height(v, triangles, m, p), height(v, triangles, m, q)
        if sign(over_p) == 1 and sign(over_q) == -1:
            pass
        elif sign(over_p) == -1 and sign(over_q) == 1:
            pierce[row, 0], pierce[row, 1] = q, p
            p, q, over_p, over_q = q, p, over_q, over_p
        else:
            wrong += 1
            continue
        ahead = over_p[0] / (over_p[0] - over_q[0])
        behind = -over_q[0] / (over_p[0] - over_q[0])
        if p > q:
            p, q, ahead, behind = q, p, behind, ahead
        share[row] = ahead
        if ahead <= 0.5:
            _between(v, p, q, ahead, at[row])
        else:
            _between(v, q, p, behind, at[row])
    return wrong


@njit
def sort_along(
    v: Floats, triangles: Ints, pierce: Ints, lines: Ints, start: Ints, plane: Ints, order: Ints, unsure: Bools
) -> None:
    """Sort the planes that pass through each of the lines (L,2) between two points, from the first point on.

    `order` holds what is between start[k] and start[k + 1], nearly sorted; `plane` is the triangle of each entry.
    `unsure (L,)` marks the lines on which an order is unknown.
    """
    for k in range(len(lines)):
        a, b = lines[k, 0], lines[k, 1]
        for end in range(start[k] + 1, start[k + 1]):
            i = end
            while i > start[k]:
                one, two = plane[order[i - 1]], plane[order[i]]
                one_a, one_b = height_of(v, triangles, pierce, a, one), height_of(v, triangles, pierce, b, one)
                two_a, two_b = height_of(v, triangles, pierce, a, two), height_of(v, triangles, pierce, b, two)
                # Shares of the way are one_a / (one_a - one_b) and two_a / (two_a - two_b).
                turn = sign(determinant_2x2(two_a, one_a, two_b, one_b))
                if turn == UNKNOWN_SIGN or turn == 0:
                    unsure[k] = True
                    break
                if turn * (1 if (one_a[0] > 0.0) == (two_a[0] > 0.0) else -1) < 0:
                    break
                order[i - 1], order[i] = order[i], order[i - 1]
                i -= 1


@device
def _straddle(v: Floats, triangles: Ints, pierce: Ints, line: Ints, t: int) -> int:
    """Sign of the height of the second point of a line over triangle t where the first is on the other side of it.

    0 where it is not, or UNKNOWN.
    """
    one = sign(height_of(v, triangles, pierce, line[0], t))
    two = sign(height_of(v, triangles, pierce, line[1], t))
    if one == 0 or two == 0 or (one == two and one != UNKNOWN_SIGN):
        return 0
    return UNKNOWN_SIGN if one == UNKNOWN_SIGN or two == UNKNOWN_SIGN else two


@njit
def find_triples(
    v: Floats,
    triangles: Ints,
    pierce: Ints,
    segments: Ints,
    partners: SegmentPartners,
    mark: Ints,
    found: Ints,
    unsure: Bools,
) -> int:
    """Points where three triangles i < j < k meet that cross pairwise; returns their number.

    `segments (S,2)` are the ends of what two triangles have in common, `mark (M,)` holds -1. Rows of `found` are: the
    segments of i j, i k and j k, and for each the sign of its second end's height over the third triangle; only as many
    as there is room for are filled in. `unsure (M,)` marks triangles for which it is not known.
    """
    start, other, segment = partners
    count = 0
    for i in range(len(triangles)):
        for x in range(start[i], start[i + 1]):
            mark[other[x]] = segment[x]
        for x in range(start[i], start[i + 1]):
            j = other[x]
            for y in range(start[j], start[j + 1]):
                k = other[y]
                if mark[k] < 0:
                    continue
                a = _straddle(v, triangles, pierce, segments[segment[x]], k)
                if a == 0:
                    continue
                b = _straddle(v, triangles, pierce, segments[mark[k]], j)
                if b == 0:
                    continue
                c = _straddle(v, triangles, pierce, segments[segment[y]], i)
                if c == 0:
                    continue
                if a == UNKNOWN_SIGN or b == UNKNOWN_SIGN or c == UNKNOWN_SIGN:
                    unsure[i] = unsure[j] = unsure[k] = True
                    continue
                if count < len(found):
                    found[count, 0], found[count, 1], found[count, 2] = segment[x], mark[k], segment[y]
                    found[count, 3], found[count, 4], found[count, 5] = a, b, c
                count += 1
        for x in range(start[i], start[i + 1]):
            mark[other[x]] = -1
    return count


@njit
def place_triples(
    v: Floats, triangles: Ints, pierce: Ints, position: Floats, segments: Ints, third: Ints, found: Ints,
    share: Floats, at: Floats,
) -> None:  # fmt: skip
    """Where the triple points of `found (Q,6)` are: `share (Q,3)` on each of their segments, and `at (Q,3)`.

    `position` holds all points, `third (Q,3)` the triangle that passes through each of the three segments.
    """
    for row in range(len(found)):
        for x in range(3):
            a, b = segments[found[row, x], 0], segments[found[row, x], 1]
            over_a = height_of(v, triangles, pierce, a, third[row, x])[0] / weight_of(v, triangles, pierce, a)
            over_b = height_of(v, triangles, pierce, b, third[row, x])[0] / weight_of(v, triangles, pierce, b)
            share[row, x] = over_a / (over_a - over_b)
            if x > 0:
                continue
            if share[row, x] <= 0.5:
                _between(position, a, b, share[row, x], at[row])
            else:
                _between(position, b, a, over_b / (over_b - over_a), at[row])


@njit
def sort_corners(v: Floats, triangles: Ints, pierce: Ints, start: Ints, ray: Ints, order: Ints, unsure: Bools) -> None:
    """Sort segments that leave a corner of a triangle, counter-clockwise; bubble by bubble, there are few.

    The entries of group g of `order` are rows of `ray (n,4)`: the far end of a segment, the other triangle, whether
    what lies left of the ray is in front of that triangle (1) or behind it (-1). `unsure (n,)` marks unknown orders.
    """
    for g in range(len(start) - 1):
        for end in range(start[g] + 1, start[g + 1]):
            i = end
            while i > start[g]:
                one, two = order[i - 1], order[i]
                left = sign(height_of(v, triangles, pierce, ray[two, 0], ray[one, 1]))
                if left == UNKNOWN_SIGN or left == 0:
                    unsure[one] = unsure[two] = True
                    break
                if left == ray[one, 2]:
                    break
                order[i - 1], order[i] = two, one
                i -= 1
