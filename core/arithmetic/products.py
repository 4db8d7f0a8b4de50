"""Products of vectors and of small matrices, number by number.

The terms of a sum are added from the first to the last. A sum of more than `_LONG` terms is added in numpy's pairwise
order, which is one order for all processors, and more exact.

All work column by column over whole arrays, and what is small in one go; the bits are the same either way.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_LONG = 16  #: terms of a sum that are added one by one; chosen by time: longer ones are numpy's
_MANY = 32  #: rows from which on a loop over columns is faster than one over rows; chosen by time


def dot(a: ArrayLike, b: ArrayLike) -> Any:
    """Products (...) of vectors `a (...,k)` and `b (...,k)`, which are broadcast; a number for two single vectors."""
    x, y = np.asarray(a), np.asarray(b)
    if not 0 < x.shape[-1] <= _LONG:
        return np.multiply(x, y, order="C").sum(axis=-1)
    total = x[..., 0] * y[..., 0]
    for k in range(1, x.shape[-1]):
        total += x[..., k] * y[..., k]
    return total


def norm(a: ArrayLike) -> Any:
    """Lengths (...) of vectors `a (...,k)`; a number for a single vector. Squares may overflow and vanish."""
    return np.sqrt(dot(a, a))


def apply(matrix: ArrayLike, vector: ArrayLike) -> NDArray[Any]:
    """Products (...,i) of matrices `(...,i,j)` and vectors `(...,j)`, which are broadcast.

    `apply(m, points)` maps points (n,j) by one matrix: what `points @ m.T` is elsewhere.
    """
    m, v = np.asarray(matrix), np.asarray(vector)
    if m.shape[-1] > _LONG or max(math.prod(m.shape[:-2]), math.prod(v.shape[:-1])) < _MANY:
        return np.asarray(dot(m, v[..., None, :]))
    lead = np.broadcast_shapes(m.shape[:-2], v.shape[:-1])
    result = np.empty((*lead, m.shape[-2]), np.result_type(m, v))
    for i in range(m.shape[-2]):
        result[..., i] = dot(m[..., i, :], v)
    return result


def multiply(a: ArrayLike, b: ArrayLike) -> NDArray[Any]:
    """Products (...,i,j) of matrices `a (...,i,k)` and `b (...,k,j)`, which are broadcast."""
    rows, columns = np.asarray(a), np.moveaxis(np.asarray(b), -1, -2)
    if max(math.prod(rows.shape[:-1]), math.prod(columns.shape[:-2])) < _MANY:
        return np.asarray(dot(rows[..., :, None, :], columns[..., None, :, :]))
    lead = np.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
    result = np.empty((*lead, rows.shape[-2], columns.shape[-2]), np.result_type(rows, columns))
    for j in range(columns.shape[-2]):
        if rows.shape[-2] >= _MANY:
            result[..., j] = dot(rows, columns[..., j, None, :])
            continue
        for i in range(rows.shape[-2]):
            result[..., i, j] = dot(rows[..., i, :], columns[..., j, :])
    return result


def outer(a: ArrayLike, b: ArrayLike) -> NDArray[Any]:
    """Products (...,i,j) of each number of vectors `a (...,i)` with each of `b (...,j)`."""
    return np.asarray(np.asarray(a)[..., :, None] * np.asarray(b)[..., None, :])


def sum_rows(weight: ArrayLike, a: ArrayLike) -> NDArray[Any]:
    """The sum (i,) of the rows of `a (n,i)` times their weights `(n,)`."""
    w, columns = np.asarray(weight), np.asarray(a).T
    return np.array([(w * column).sum() for column in columns])


def sum_outer(weight: ArrayLike, a: ArrayLike, b: ArrayLike) -> NDArray[Any]:
    """The sum (i,j) over the rows of `a (n,i)` and `b (n,j)` of their outer products times the weights `(n,)`."""
    return np.array([sum_rows(np.asarray(weight) * column, b) for column in np.asarray(a).T])
