r"""Eigenvalues and eigenvectors of a symmetric 3x3 matrix in closed form, and its tensile part.

The eigenvalue that stands farthest from the other two is a root of a cubic, which Newton's method finds to the last bit
in three steps; its eigenvector is the longest product of two rows. What is left is a matrix of two rows in the plane
across it. So nothing is lost where two eigenvalues are equal: any two vectors across the third then do. Numbers below
1e-150 count as 0, and above 1e150 squares overflow.

References: Eberly: A robust eigensolver for 3x3 symmetric matrices, 2014 (the way by the isolated eigenvalue).
O'Brien, Hodgins 1999, Eq. 29 (the tensile part).
"""

from typing import TypeAlias

import numpy as np

from ...geometry.vectors import Vector, cross3, dot3, unit
from ...jit import device_no_refs

#: A symmetric matrix: xx, xy, xz, yy, yz, zz.
SixNumbers: TypeAlias = tuple[float, float, float, float, float, float]
#: Eigenvalues, the largest first, and the unit eigenvector of each.
EigenFrame: TypeAlias = tuple[Vector, Vector, Vector, Vector]

_LEAST_ROOT = float(np.sqrt(3.0))  #: of x^3 - 3x = 2r at r = 0; it is 2 at r = 1, and nearly straight between


@device_no_refs
def eigen_frame(m: SixNumbers) -> EigenFrame:
    """Eigenvalues of a symmetric matrix, the largest first, and a unit eigenvector of each, at right angles."""
    mean = (m[0] + m[3] + m[5]) / 3.0
    a, b, c = m[0] - mean, m[3] - mean, m[5] - mean
    size = np.sqrt((a * a + b * b + c * c + 2.0 * (m[1] * m[1] + m[2] * m[2] + m[4] * m[4])) / 6.0)
    if not size > 0.0:
        return (mean, mean, mean), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    a, b, c, xy, xz, yz = a / size, b / size, c / size, m[1] / size, m[2] / size, m[4] / size
    half = 0.5 * (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz))
    lone = _largest_root(min(abs(half), 1.0))
    if half < 0.0:
        lone = -lone
    n = _null_vector((a - lone, xy, xz, b - lone, yz, c - lone))
    high, low, p, q = _across((a, xy, xz, b, yz, c), n)
    one, other, rest = mean + size * lone, mean + size * high, mean + size * low
    if half < 0.0:
        return (other, rest, one), p, q, n
    return (one, other, rest), n, p, q


@device_no_refs
def tensile_part(m: SixNumbers) -> SixNumbers:
    """The sum of positive eigenvalues times n n^T, Eq. 29; the compressive part is what is left, Eq. 30.

    Of three numbers at most one has a sign of its own, so one eigenvector is enough, and it is the exact one: where
    its eigenvalue is near another, both are near 0.
    """
    value, first, _, last = eigen_frame(m)
    if value[2] >= 0.0:
        return m
    if value[0] <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n, v = (first, value[0]) if value[1] <= 0.0 else (last, -value[2])
    xx, xy, xz = v * n[0] * n[0], v * n[0] * n[1], v * n[0] * n[2]
    yy, yz, zz = v * n[1] * n[1], v * n[1] * n[2], v * n[2] * n[2]
    if value[1] <= 0.0:
        return xx, xy, xz, yy, yz, zz
    return m[0] + xx, m[1] + xy, m[2] + xz, m[3] + yy, m[4] + yz, m[5] + zz


@device_no_refs
def _largest_root(r: float) -> float:
    """The largest x with x^3 - 3x = 2r, for r from 0 to 1."""
    x = _LEAST_ROOT + (2.0 - _LEAST_ROOT) * r  # off by 0.014 at most, then by 1.4e-4, 1.5e-8, 2e-16
    for _ in range(3):
        square = x * x
        x -= (x * (square - 3.0) - 2.0 * r) / (3.0 * square - 3.0)
    return x


@device_no_refs
def _null_vector(m: SixNumbers) -> Vector:
    """The unit vector that a symmetric matrix of rank 2 maps to 0."""
    rows = (m[0], m[1], m[2]), (m[1], m[3], m[4]), (m[2], m[4], m[5])
    best = cross3(rows[0], rows[1])
    most = dot3(best, best)
    for other in (cross3(rows[2], rows[0]), cross3(rows[1], rows[2])):
        square = dot3(other, other)
        if square > most:
            best, most = other, square
    return unit(best)


@device_no_refs
def _across(m: SixNumbers, n: Vector) -> tuple[float, float, Vector, Vector]:
    """The two eigenvalues, the larger first, and their eigenvectors in the plane across the eigenvector n."""
    u = unit((-n[2], 0.0, n[0]) if abs(n[0]) > abs(n[1]) else (0.0, n[2], -n[1]))
    w = cross3(n, u)
    mu, mw = _times(m, u), _times(m, w)
    uu, uw, ww = dot3(u, mu), dot3(w, mu), dot3(w, mw)
    half, middle = 0.5 * (uu - ww), 0.5 * (uu + ww)
    root = np.sqrt(half * half + uw * uw)
    x, y = (root + half, uw) if half >= 0.0 else (uw, root - half)
    length = np.sqrt(x * x + y * y)
    x, y = (x / length, y / length) if length > 0.0 else (1.0, 0.0)
    p = (x * u[0] + y * w[0], x * u[1] + y * w[1], x * u[2] + y * w[2])
    return middle + root, middle - root, p, cross3(n, p)


@device_no_refs
def _times(m: SixNumbers, v: Vector) -> Vector:
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[1] * v[0] + m[3] * v[1] + m[4] * v[2],
        m[2] * v[0] + m[4] * v[1] + m[5] * v[2],
    )
