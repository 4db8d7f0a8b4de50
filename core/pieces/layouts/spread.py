"""Sites that keep their distance: each new one is the best of several random candidates.

Reference: Mitchell 1991, "Spectrally optimal sampling for distribution ray tracing" (best candidate), with distances
measured in units of the spacing wanted at the candidate, so that the density may vary.
"""

import numpy as np

from ...jit import njit
from ...types import Floats, Ints


def spread_points(
    pool: Floats, spacing: Floats, weight: Floats, count: int, tries: int, rng: np.random.Generator
) -> Ints:
    """Choose `count` of the points `pool (M,3)`: each is the best of `tries` candidates drawn by `weight (M,)`.

    `spacing (M,)` is the distance wanted between neighbours around each point of the pool. Returns distinct indices
    (count,), in the order of choice. One try gives plain random points; more tries give evener ones.
    Raises ValueError if the pool is smaller than `count`.
    """
    if len(pool) < count:
        raise ValueError("the pool is smaller than the number of sites")
    total = np.cumsum(weight)
    drawn = np.searchsorted(total, rng.random((count, tries)) * total[-1], side="right")
    return _best_candidates(np.ascontiguousarray(pool), np.ascontiguousarray(spacing), np.minimum(drawn, len(pool) - 1))


@njit
def _best_candidates(pool: Floats, spacing: Floats, drawn: Ints) -> Ints:
    count, tries = drawn.shape
    chosen = np.empty(count, dtype=np.int64)
    used = np.zeros(pool.shape[0], dtype=np.bool_)
    x = np.empty(count)
    y = np.empty(count)
    z = np.empty(count)
    spare = 0
    for i in range(count):
        best, c = 0.0, -1
        for t in range(tries):
            k = drawn[i, t]
            if used[k]:
                continue
            nearest = np.inf
            for j in range(i):
                dx = x[j] - pool[k, 0]
                dy = y[j] - pool[k, 1]
                dz = z[j] - pool[k, 2]
                nearest = min(nearest, dx * dx + dy * dy + dz * dz)
            nearest /= spacing[k] * spacing[k]
            if c < 0 or nearest > best:
                best, c = nearest, k
        if c < 0:  # all candidates are taken: the first free point, so that the indices stay distinct
            while used[spare]:
                spare += 1
            c = spare
        chosen[i] = c
        used[c] = True
        x[i], y[i], z[i] = pool[c, 0], pool[c, 1], pool[c, 2]
    return chosen
