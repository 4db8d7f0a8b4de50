"""Determinants, inverses and eigenvectors of small matrices, one or a stack (...,n,n) of them.

Everything works on whole stacks. Matrices of rank less than n are told by a pivot or an eigenvalue of 0 at best:
where that matters, use `pseudo_inverse_symmetric`.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..jit import njit_no_refs
from .products import multiply, norm

_Floats = NDArray[np.float64]

_SWEEPS = 40  #: a matrix of 16 rows takes 8 at most
CONVERGED = 2.0**-60  #: off the diagonal, relative to both numbers on it; some hundredth of a rounding


def determinant(m: ArrayLike) -> Any:
    """Determinants (...) of matrices of up to three rows; a number for a single one."""
    m = np.asarray(m, np.float64)
    if m.shape[-1] == 1:
        return m[..., 0, 0]
    if m.shape[-1] == 2:
        return m[..., 0, 0] * m[..., 1, 1] - m[..., 0, 1] * m[..., 1, 0]
    if m.shape[-1] != 3:
        raise ValueError(f"A determinant of {m.shape[-1]} rows: only 1 to 3 are told.")
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(m, (-2, -1), (0, 1))
    return a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)


def solve(a: ArrayLike, b: ArrayLike) -> _Floats:
    """Solutions (...,n,k) of a x = b for matrices `a (...,n,n)` and `b (...,n,k)`, which are broadcast.

    By elimination with the largest pivot of each column. A singular matrix gives inf and nan.
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, k = b.shape[-2:]
    left = np.array(np.broadcast_to(a, (*lead, n, n)), order="C").reshape(-1, n, n)
    right = np.array(np.broadcast_to(b, (*lead, n, k)), order="C").reshape(-1, n, k)
    _eliminate(left, right)
    return right.reshape(*lead, n, k)


def inverse(m: ArrayLike) -> _Floats:
    """Inverses (...,n,n). A singular matrix gives inf and nan."""
    m = np.asarray(m, np.float64)
    return solve(m, np.eye(m.shape[-1]))


def eigen_symmetric(m: ArrayLike) -> tuple[_Floats, _Floats]:
    """Eigenvalues (...,n), ascending, and unit eigenvectors (...,n,n) as columns, of symmetric matrices.

    The component of largest size of each vector, the first of several, is positive. By Jacobi's rotations in turn,
    which leave the vectors orthogonal to the last bits also where eigenvalues are equal.
    """
    m = np.asarray(m, np.float64)
    n = m.shape[-1]
    matrix = np.array(m, order="C").reshape(-1, n, n)
    vector = np.zeros_like(matrix)
    _rotate(matrix, vector)
    value = np.ascontiguousarray(np.diagonal(matrix, axis1=1, axis2=2))
    order = np.argsort(value, axis=1, kind="stable")
    value, vector = np.take_along_axis(value, order, 1), np.take_along_axis(vector, order[:, None, :], 2)
    largest = np.abs(vector).argmax(axis=1)[:, None, :] if n else np.zeros((len(vector), 1, 0), np.int64)
    vector = vector * np.where(np.take_along_axis(vector, largest, 1) < 0.0, -1.0, 1.0)
    return value.reshape(m.shape[:-1]), vector.reshape(m.shape)


def pseudo_inverse_symmetric(m: ArrayLike, least: float = 1e-15) -> _Floats:
    """Inverses (...,n,n) of symmetric matrices, with 0 along eigenvectors of next to no eigenvalue.

    least: what counts as none, relative to the eigenvalue of largest size.
    """
    value, vector = eigen_symmetric(m)
    size = np.abs(value)
    there = size > least * size.max(axis=-1, keepdims=True, initial=0.0)
    return multiply(vector * (there / np.where(there, value, 1.0))[..., None, :], np.swapaxes(vector, -1, -2))


def principal_directions(rows: ArrayLike) -> tuple[_Floats, _Floats]:
    """Extents (...,n), descending, and directions (...,n,n) as rows of vectors `rows (...,k,n)` about the origin.

    An extent is the square root of the sum of the squares along its direction: these are the singular values and right
    singular vectors of `rows`. Errors are of the order of the last bit of the largest extent.
    """
    a = along = np.asarray(rows, np.float64)
    axes = np.eye(a.shape[-1])
    for _ in range(2):  # among directions of small extent, products of the first time know nothing
        axes = multiply(axes, eigen_symmetric(multiply(np.swapaxes(along, -1, -2), along))[1])
        along = multiply(a, axes)
    extent = norm(np.swapaxes(along, -1, -2))
    order = np.argsort(-extent, axis=-1, kind="stable")
    extent, axes = np.take_along_axis(extent, order, -1), np.take_along_axis(axes, order[..., None, :], -1)
    return extent, np.ascontiguousarray(np.swapaxes(axes, -1, -2))


def pseudo_inverse(m: ArrayLike, least: float = 1e-14) -> _Floats:
    """Inverses (...,n,k) of matrices (...,k,n), with 0 along directions of next to no extent.

    least: what counts as none, relative to the largest extent.
    """
    m = np.asarray(m, np.float64)
    extent, axes = principal_directions(m)
    there = extent > least * extent.max(axis=-1, keepdims=True, initial=0.0)
    share = there / np.where(there, extent * extent, 1.0)
    return multiply(np.swapaxes(axes, -1, -2) * share[..., None, :], multiply(axes, np.swapaxes(m, -1, -2)))


def rotation_matrices(rotation: _Floats) -> _Floats:
    """Rotation matrices (K,3,3) of unit quaternions (K,4)."""
    w, x, y, z = rotation.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.ascontiguousarray(np.moveaxis(np.array(rows), -1, 0))


@njit_no_refs
def _eliminate(a: _Floats, b: _Floats) -> None:
    """Solve for each matrix of the stacks (s,n,n) and (s,n,k), in place."""
    n, k = b.shape[1], b.shape[2]
    for s in range(len(a)):
        for c in range(n):
            pivot = c
            for r in range(c + 1, n):
                if abs(a[s, r, c]) > abs(a[s, pivot, c]):
                    pivot = r
            if pivot != c:
                for j in range(c, n):
                    a[s, c, j], a[s, pivot, j] = a[s, pivot, j], a[s, c, j]
                for j in range(k):
                    b[s, c, j], b[s, pivot, j] = b[s, pivot, j], b[s, c, j]
            for r in range(c + 1, n):
                factor = a[s, r, c] / a[s, c, c]
                if factor != 0.0:
                    for j in range(c + 1, n):
                        a[s, r, j] -= factor * a[s, c, j]
                    for j in range(k):
                        b[s, r, j] -= factor * b[s, c, j]
        for c in range(n - 1, -1, -1):
            for j in range(k):
                b[s, c, j] /= a[s, c, c]
            for r in range(c):
                factor = a[s, r, c]
                if factor != 0.0:
                    for j in range(k):
                        b[s, r, j] -= factor * b[s, c, j]


@njit_no_refs
def _rotate(a: _Floats, v: _Floats) -> None:
    """Make each matrix of the stack (s,n,n) diagonal, in place, and `v` its eigenvectors."""
    n = a.shape[1]
    for s in range(len(a)):
        for p in range(n):
            v[s, p, p] = 1.0
        for _ in range(_SWEEPS):
            still = True
            for p in range(n - 1):
                for q in range(p + 1, n):
                    off, first, last = a[s, p, q], a[s, p, p], a[s, q, q]
                    if not abs(off) > CONVERGED * min(abs(first), abs(last)):
                        continue
                    still = False
                    half = 0.5 * (last - first) / off
                    t = 1.0 / (abs(half) + np.sqrt(half * half + 1.0))
                    if half < 0.0:
                        t = -t
                    cosine = 1.0 / np.sqrt(t * t + 1.0)
                    sine = t * cosine
                    a[s, p, p], a[s, q, q] = first - t * off, last + t * off
                    a[s, p, q] = a[s, q, p] = 0.0
                    for r in range(n):
                        if r != p and r != q:
                            x, y = a[s, r, p], a[s, r, q]
                            a[s, r, p] = a[s, p, r] = cosine * x - sine * y
                            a[s, r, q] = a[s, q, r] = sine * x + cosine * y
                        x, y = v[s, r, p], v[s, r, q]
                        v[s, r, p], v[s, r, q] = cosine * x - sine * y, sine * x + cosine * y
            if still:
                break
