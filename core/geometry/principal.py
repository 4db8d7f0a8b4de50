"""Principal axes of symmetric matrices, also where several would do."""

import numpy as np

from ..arithmetic.small_matrices import eigen_symmetric
from ..types import Floats
from .mesh import cross_rows

#: Moments that differ by less than this share of theirs are equal, and by less than this share of the largest one:
#: which axes they have would be round-off. The first chosen, the second ten thousand roundings.
EQUAL, _ROUND_OFF = 1e-6, 1e-12


def principal_axes(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues (n,3), ascending, and unit eigenvectors (n,3,3), as columns, of symmetric matrices (n,3,3).

    Two equal moments have every pair of directions across the third axis. Theirs are the axis of the world that lies
    nearest to their plane (the first of those that are equally near), laid into it, and the one square to it. Three
    equal moments have the axes of the world. So a symmetric body has the same axes on every machine and at any size.
    """
    value, axis = eigen_symmetric(matrix)
    size = np.abs(value)
    near = np.diff(value, axis=1) <= np.maximum(EQUAL * size[:, 1:], _ROUND_OFF * size.max(axis=1)[:, None])
    axis[near.all(axis=1)] = np.eye(3)
    for single in (0, 2):
        rows = np.flatnonzero(near[:, 1 - single // 2] & ~near[:, single // 2])
        pair = np.array([k for k in range(3) if k != single])
        axis[rows[:, None], :, pair] = _across(axis[rows, :, single])
    return value, axis


def _across(normal: Floats) -> Floats:
    """Two unit vectors (n,2,3) across each unit vector (n,3) and each other."""
    k = np.round(np.abs(normal), 6).argmin(axis=1)  # round-off decides no ties
    first = np.eye(3)[k] - normal[np.arange(len(k)), k, None] * normal
    first /= np.sqrt(np.square(first).sum(axis=1))[:, None]
    return np.stack([first, cross_rows(normal, first)], axis=1)
