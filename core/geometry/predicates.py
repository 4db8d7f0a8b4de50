"""Orientation predicates whose sign is always right: a filtered double first, exact expansions when it is unsure.

Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", DCG 18 (1997):
error bounds of section 4, two-sum and two-product of section 2, grow-expansion of theorem 10. The exact stage adds
up all partial products one by one, which is slow and short; it runs for nearly degenerate input only.
Limitation: exact as long as no product over- or underflows (coordinates between 1e-90 and 1e90).
"""

import numpy as np

from ..jit import njit
from ..types import Floats

EPSILON = 2.0**-53
BOUND_2D = (3.0 + 16.0 * EPSILON) * EPSILON  # Shewchuk's ccwerrboundA
BOUND_3D = (7.0 + 56.0 * EPSILON) * EPSILON  # Shewchuk's o3derrboundA
SPLITTER = 134217729.0  # 2^27 + 1


@njit
def orient2d(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """A number with the exact sign of det(a - c, b - c): positive where a, b, c run counter-clockwise."""
    left = (ax - cx) * (by - cy)
    right = (ay - cy) * (bx - cx)
    det = left - right
    if abs(det) >= BOUND_2D * (abs(left) + abs(right)):
        return det
    return _orient2d_exact(ax, ay, bx, by, cx, cy)


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


@njit
def _two_sum(a: float, b: float) -> tuple[float, float]:
    """The sum a + b = x + y exactly, x rounded."""
    x = a + b
    b_virtual = x - a
    a_virtual = x - b_virtual
    return x, (a - a_virtual) + (b - b_virtual)


@njit
def _two_product(a: float, b: float) -> tuple[float, float]:
    """The product a * b = x + y exactly, x rounded (Dekker's product with Veltkamp's split)."""
    x = a * b
    big = SPLITTER * a
    a_high = big - (big - a)
    a_low = a - a_high
    big = SPLITTER * b
    b_high = big - (big - b)
    b_low = b - b_high
    return x, a_low * b_low - (((x - a_high * b_high) - a_low * b_high) - a_high * b_low)


@njit
def _grow(expansion: Floats, count: int, term: float) -> int:
    """Add one double to an expansion of `count` components, zeros left out; the new count."""
    kept = 0
    for i in range(count):
        term, rest = _two_sum(term, expansion[i])
        if rest != 0.0:
            expansion[kept] = rest
            kept += 1
    if term != 0.0:
        expansion[kept] = term
        kept += 1
    return kept


@njit
def _grow_product(expansion: Floats, count: int, a: float, b: float, c: float) -> int:
    """Add a * b * c exactly."""
    if a == 0.0 or b == 0.0 or c == 0.0:
        return count
    high, low = _two_product(a, b)
    for part in (low, high):
        x, y = _two_product(part, c)
        count = _grow(expansion, count, y)
        count = _grow(expansion, count, x)
    return count


@njit
def _differences(out: Floats, row: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> None:
    """The differences a - b as exact pairs (rounded, rest) in out[row]."""
    out[row, 0, 0], out[row, 0, 1] = _two_sum(ax, -bx)
    out[row, 1, 0], out[row, 1, 1] = _two_sum(ay, -by)
    out[row, 2, 0], out[row, 2, 1] = _two_sum(az, -bz)


@njit
def _orient2d_exact(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    d = np.empty((2, 3, 2))
    _differences(d, 0, ax, ay, 0.0, cx, cy, 0.0)
    _differences(d, 1, bx, by, 0.0, cx, cy, 0.0)
    expansion = np.empty(64)
    count = 0
    for i in range(2):
        for j in range(2):
            count = _grow_product(expansion, count, d[0, 0, i], d[1, 1, j], 1.0)
            count = _grow_product(expansion, count, d[0, 1, i], d[1, 0, j], -1.0)
    return float(expansion[count - 1]) if count > 0 else 0.0


@njit
def _orient3d_exact(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float,
    cx: float, cy: float, cz: float, dx: float, dy: float, dz: float,
) -> float:  # fmt: skip
    d = np.empty((3, 3, 2))
    _differences(d, 0, ax, ay, az, dx, dy, dz)
    _differences(d, 1, bx, by, bz, dx, dy, dz)
    _differences(d, 2, cx, cy, cz, dx, dy, dz)
    expansion = np.empty(256)
    count = 0
    for x in range(3):  # the row that gives its x; the next two give y and z, or z and y with a minus
        y, z = (x + 1) % 3, (x + 2) % 3
        for i in range(2):
            for j in range(2):
                for k in range(2):
                    count = _grow_product(expansion, count, d[x, 0, i], d[y, 1, j], d[z, 2, k])
                    count = _grow_product(expansion, count, -d[x, 0, i], d[z, 1, j], d[y, 2, k])
    return float(expansion[count - 1]) if count > 0 else 0.0
