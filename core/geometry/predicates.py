"""Orientation predicates whose sign is always right: a filtered double first, exact expansions when it is unsure.

Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", DCG 18 (1997):
error bounds of section 4, two-sum and two-product of section 2, grow-expansion of theorem 10. The exact stage adds
up all partial products one by one, which is slow and short; it runs for nearly degenerate input only.
Limitation: exact as long as no product over- or underflows (coordinates between 1e-90 and 1e90).
"""

import numpy as np

from ..arithmetic.double_double import two_product, two_sum
from ..jit import device, njit
from ..types import Floats

#: Half of the spacing of numbers at 1: the largest relative error of an operation.
EPSILON = 2.0**-53
BOUND_2D = (3.0 + 16.0 * EPSILON) * EPSILON  # Shewchuk's ccwerrboundA
BOUND_3D = (7.0 + 56.0 * EPSILON) * EPSILON  # Shewchuk's o3derrboundA


@njit
def orient2d(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """A number with the exact sign of det(a - c, b - c): positive where a, b, c run counter-clockwise."""
    left = (ax - cx) * (by - cy)
    right = (ay - cy) * (bx - cx)
    det = left - right
    if abs(det) >= BOUND_2D * (abs(left) + abs(right)):
        return det
    return _orient3d_exact(ax, ay, 0.0, bx, by, 0.0, cx, cy, 1.0, cx, cy, 0.0)


@njit
def orient3d(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float,
    cx: float, cy: float, cz: float, dx: float, dy: float, dz: float,
) -> float:  # fmt: skip
    """A number with the exact sign of det(a - d, b - d, c - d).

    Positive where d lies below the plane of a, b, c: on the side from which a, b, c run clockwise.
    """
    adx, ady, adz = ax - dx, ay - dy, az - dz
    bdx, bdy, bdz = bx - dx, by - dy, bz - dz
    cdx, cdy, cdz = cx - dx, cy - dy, cz - dz
    bc, cb = bdx * cdy, cdx * bdy
    ca, ac = cdx * ady, adx * cdy
    ab, ba = adx * bdy, bdx * ady
    det = adz * (bc - cb) + bdz * (ca - ac) + cdz * (ab - ba)
    size = (abs(bc) + abs(cb)) * abs(adz) + (abs(ca) + abs(ac)) * abs(bdz) + (abs(ab) + abs(ba)) * abs(cdz)
    if abs(det) >= BOUND_3D * size:
        return det
    return _orient3d_exact(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)


@device
def side_of_plane(v: Floats, a: int, b: int, c: int, d: int) -> int:
    """1 where vertex d lies on the side of a, b, c from which they run counter-clockwise, -1 beyond, 0 in the plane."""
    det = orient3d(
        v[a, 0], v[a, 1], v[a, 2], v[b, 0], v[b, 1], v[b, 2], v[c, 0], v[c, 1], v[c, 2], v[d, 0], v[d, 1], v[d, 2]
    )  # fmt: skip
    return -1 if det > 0.0 else (1 if det < 0.0 else 0)


@device
def _grow(expansion: Floats, count: int, term: float) -> int:
    """Add one double to an expansion of `count` components, zeros left out; the new count."""
    kept = 0
    for i in range(count):
        term, rest = two_sum(term, expansion[i])
        if rest != 0.0:
            expansion[kept] = rest
            kept += 1
    if term != 0.0:
        expansion[kept] = term
        kept += 1
    return kept


@device
def _grow_product(expansion: Floats, count: int, a: float, b: float, c: float) -> int:
    """Add a * b * c exactly."""
    if a == 0.0 or b == 0.0 or c == 0.0:
        return count
    high, low = two_product(a, b)
    for i in range(2):
        first, second = two_product(low if i == 0 else high, c)
        count = _grow(expansion, _grow(expansion, count, first), second)
    return count


@device
def _orient3d_exact(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float,
    cx: float, cy: float, cz: float, dx: float, dy: float, dz: float,
) -> float:  # fmt: skip
    """The largest component of the expansion of det(a - d, b - d, c - d), which has the sign of the whole."""
    d = np.empty(18)  # the differences as exact pairs: rounded, rest; three of a, three of b, three of c
    d[0], d[1] = two_sum(ax, -dx)
    d[2], d[3] = two_sum(ay, -dy)
    d[4], d[5] = two_sum(az, -dz)
    d[6], d[7] = two_sum(bx, -dx)
    d[8], d[9] = two_sum(by, -dy)
    d[10], d[11] = two_sum(bz, -dz)
    d[12], d[13] = two_sum(cx, -dx)
    d[14], d[15] = two_sum(cy, -dy)
    d[16], d[17] = two_sum(cz, -dz)
    expansion = np.empty(256)
    count = int(np.int64(0))  # for a plain 0 numba would compile the parts a second time
    for term in range(48):  # 6 products of three differences, 8 of their parts each
        parts, first, odd = term % 8, (term // 8) % 3, term // 24
        second, third = (first + 1 + odd) % 3, (first + 2 - odd) % 3
        a = d[2 * first + parts % 2] * (1.0 - 2.0 * odd)
        b, c = d[6 + 2 * second + (parts // 2) % 2], d[12 + 2 * third + parts // 4]
        count = _grow_product(expansion, count, a, b, c)
    return float(expansion[count - 1]) if count > 0 else 0.0
