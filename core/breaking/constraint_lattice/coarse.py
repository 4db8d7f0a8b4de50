"""The coarse space of the solver: rigid motions of clusters of bodies."""

import numpy as np

from ...geometry.sums import summed
from ...jit import njit_no_refs
from ...types import Bools, Floats, Ints
from .stiffness import coupling_stiffness
from .structure import Structure

#: Clusters: as many as this, of at least so many bodies each. By time: more of them are fewer iterations, and a larger
#: matrix to invert.
CLUSTERS, _BODIES = 48, 12
#: Regular part of the coarse matrix, whose null space is the rigid motions that the load does not excite. Chosen; 1e-10
#: was tried before.
RIDGE = 1e-6


def clusters_of(structure: Structure) -> tuple[Ints, Floats, int]:
    """Cluster (N,) of each body, arm (N,3) from its middle over the scale, and how many there are.

    Clusters come from halving along the longest side.
    """
    position = structure.position
    cluster = np.zeros(len(position), np.int64)
    wanted = int(np.clip(len(position) // _BODIES, 1, CLUSTERS))
    ahead, done = [(np.arange(len(position)), wanted)], 0
    while ahead:
        bodies, parts = ahead.pop()
        if parts == 1:
            cluster[bodies] = done
            done += 1
            continue
        axis = int(np.ptp(position[bodies], axis=0).argmax())
        order = bodies[np.argsort(position[bodies, axis], kind="stable")]
        left = parts // 2
        cut = len(bodies) * left // parts
        ahead += [(order[cut:], parts - left), (order[:cut], left)]
    size = np.bincount(cluster, minlength=done)
    middle = summed(position, cluster, done) / size[:, None]
    return cluster, (position - middle[cluster]) / structure.scale, done


def coarse_inverse(structure: Structure, holds: Bools, cluster: Ints, arm: Floats, count: int) -> Floats:
    """Inverse (6c,6c) of the stiffness between clusters that move rigidly; ties inside of one resist nothing."""
    pair, anchored = structure.pair, structure.anchored
    at = cluster[pair]
    ties = np.flatnonzero(holds & ((at[:, 0] != at[:, 1]) | anchored[pair].any(axis=1)) & ~anchored[pair].all(axis=1))
    free = ~anchored[pair[ties]]
    own = [coupling_stiffness(structure, ties, end, end, arm) * free[:, end, None, None] for end in (0, 1)]
    # Of two clusters: never in one.
    cross = coupling_stiffness(structure, ties, 0, 1, arm) * free.all(axis=1)[:, None, None]
    key = np.concatenate([at[ties, 0] * (count + 1), at[ties, 1] * (count + 1), at[ties, 0] * count + at[ties, 1]])
    half = summed(np.concatenate([*own, cross]).reshape(-1, 36), key, count * count).reshape(count, count, 6, 6)
    half[np.arange(count), np.arange(count)] *= 0.5
    matrix = half + half.transpose(1, 0, 3, 2)
    full = np.ascontiguousarray(matrix.transpose(0, 2, 1, 3)).reshape(6 * count, 6 * count)
    diagonal = np.array(np.diagonal(full))
    if not diagonal.any():  # one cluster, free: all of it is a rigid motion
        return full
    full[np.diag_indices(len(full))] += RIDGE * np.maximum(diagonal, RIDGE * diagonal.max())
    _invert(full)
    return full


@njit_no_refs
def _invert(matrix: Floats) -> None:
    """Replace a positive definite matrix (n,n) by its inverse, after Gauss and Jordan."""
    count = len(matrix)
    for k in range(count):
        row, pivot = matrix[k], 1.0 / matrix[k, k]
        row[k] = 1.0
        for j in range(count):
            row[j] *= pivot
        for i in range(count):
            other, factor = matrix[i], matrix[i, k]
            if i == k or factor == 0.0:
                continue
            other[k] = 0.0
            for j in range(count):
                other[j] -= factor * row[j]
