"""The coarse space of the solver: rigid motions of clusters of bodies."""

import numpy as np

from ...geometry.sums import summed
from ...types import Bools, Floats, Ints
from .structure import Structure, motion_at

#: Clusters: as many as this, of at least so many bodies each.
CLUSTERS, BODIES = 48, 12
#: Regular part of the coarse matrix, whose null space is the rigid motions that the load does not excite.
RIDGE = 1e-6


def clusters_of(structure: Structure) -> tuple[Ints, Floats, int]:
    """Cluster (N,) of each body, arm (N,3) from its middle over the scale, and how many there are.

    Clusters come from halving along the longest side.
    """
    position = structure.position
    cluster = np.zeros(len(position), np.int64)
    wanted = int(np.clip(len(position) // BODIES, 1, CLUSTERS))
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
    pair, held = structure.pair, structure.held
    at = cluster[pair]
    ties = np.flatnonzero(holds & ((at[:, 0] != at[:, 1]) | held[pair].any(axis=1)) & ~held[pair].all(axis=1))
    matrix = np.zeros((count, count, 6, 6))
    moves = []
    for side in (0, 1):
        G = motion_at(arm[pair[ties, side]] + structure.arm[ties, side])
        spin = np.zeros_like(G)
        spin[:, :, 3:] = np.eye(3)
        free = ~held[pair[ties, side]][:, None, None]
        moves.append((free * G, free * spin))
    S, P = structure.push[ties], structure.turn[ties]
    for one in (0, 1):
        for other in (0, 1):
            sign = 1.0 if one == other else -1.0
            block = sum(
                np.einsum("tki,tkl,tlj->tij", a, stiffness, b, optimize=True)
                for a, stiffness, b in zip(moves[one], (S, P), moves[other], strict=True)
            )
            np.add.at(matrix, (at[ties, one], at[ties, other]), sign * np.asarray(block))
    full = np.ascontiguousarray(matrix.transpose(0, 2, 1, 3)).reshape(6 * count, 6 * count)
    diagonal = np.array(np.diagonal(full))
    if not diagonal.any():  # one cluster, free: all of it is a rigid motion
        return full
    full[np.diag_indices(len(full))] += RIDGE * np.maximum(diagonal, RIDGE * diagonal.max())
    return np.ascontiguousarray(np.linalg.inv(full))
