"""The nearest points of a set, always as tables of n rows and k columns."""

import numpy as np
from scipy.spatial import cKDTree

from ...types import Floats, Ints


def neighbours(points: Floats, queries: Floats, count: int) -> tuple[Floats, Ints]:
    """Distances (n,k) and rows (n,k) of the k nearest of `points (M,d)` to each query (n,d), nearest first.

    k is `count`, or M where there are fewer points.
    """
    wanted = np.arange(1, min(count, len(points)) + 1)
    distance, row = cKDTree(points).query(queries, k=wanted)
    return np.asarray(distance, dtype=np.float64), np.asarray(row, dtype=np.int64)
