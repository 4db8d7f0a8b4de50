"""Cones and caps around a hit in a solid: rays and ring cracks of a sheet, one dimension up.

Sites lie along many directions at radii common to all, so a point is nearer to a site of the nearer direction whatever
its radius: cells of neighbouring directions meet on a plane through the hit. A shard is a cone of neighbouring
directions between two radii; where it ends it may split.
"""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.draws import normal
from ...arithmetic.elementary import exp, log
from ...arithmetic.products import apply, dot, norm
from ...arithmetic.small_matrices import principal_directions
from ...types import Floats, Frozen, Ints
from .rings import RING_FAR, RING_NEAR, ring_length, splits
from .spread import spread_points

#: Each cone may split twice. Chosen by eye: more levels make more and thinner shards far away.
LEVELS = 3
#: Directions in a cone at the finest level, each level halving them.
_FINE = 2 ** (LEVELS - 1)
#: Radii per mean shard. Chosen by eye: more of them let rings end in finer steps, and are more sites to cut by.
STEPS_PER_RING = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class Cones(Frozen):
    """J directions around a hit in nested clusters, and the radii of their sites."""

    vector: Floats  #: (J,3) unit vectors
    level: Ints  #: (LEVELS,J) cluster of each direction: cones at level 0, each next level halves the clusters
    log_r: Floats  #: (K,) logarithms of the radii, ascending

    def width(self, members: Ints) -> float:
        """Angle across a cluster of directions."""
        return float(np.sqrt(4.0 * np.pi * len(members) / len(self.vector)))


def cones_around(rays: int, core: float, farthest: float, rng: np.random.Generator) -> Cones:
    """Cones as wide as the gaps between `rays` rays in a plane, with radii from `core` to beyond `farthest`."""
    cones = max(4, round(rays * rays / np.pi))  # 4 pi over the square of the pitch 2 pi / rays
    pool = normal(rng, (8 * _FINE * cones, 3))
    pool /= norm(pool)[:, None]
    even = np.ones(len(pool))
    # Best candidates come in order of choice, so the first of the fine directions are an even choice of axes.
    vector = pool[spread_points(pool, even, even, _FINE * cones, 8, rng)]
    level = np.zeros((LEVELS, len(vector)), dtype=np.int64)
    level[0] = np.argmax(apply(vector[:cones], vector), axis=1)
    for k in range(1, LEVELS):
        level[k] = 2 * level[k - 1]
        for cluster in np.unique(level[k - 1]):
            members = np.flatnonzero(level[k - 1] == cluster)
            level[k, members] += _halves(vector[members])
    return Cones(vector, level, _radii(core, max(farthest, 2.0 * core)))


def _radii(core: float, farthest: float) -> Floats:
    """Logarithms of radii in steps that grow with the shards."""
    first, last = float(log(core)), float(log(farthest))
    log_r = [first]
    while log_r[-1] < last:
        mean = RING_NEAR + (RING_FAR - RING_NEAR) * (log_r[-1] - first) / (last - first)
        log_r.append(log_r[-1] + mean / STEPS_PER_RING)
    return np.array(log_r)


def _halves(vector: Floats) -> Ints:
    """0 or 1 for each of the vectors (n,3): on which side of their middle they are, along their longest extent."""
    arm = vector - vector.mean(axis=0)
    along = dot(arm, principal_directions(arm)[1][0])
    return np.asarray(along > np.median(along), dtype=np.int64)


def shards(cones: Cones, spacing: float, branching: float, rng: np.random.Generator) -> Ints:
    """Shard (K,J) of the site at each radius and direction; see `rings` for `spacing` and `branching`."""
    log_r = cones.log_r
    shard = np.empty((len(log_r), len(cones.vector)), dtype=np.int64)
    count = 0
    for cone in np.unique(cones.level[0]):
        # A stream of its own for each cone: one more shard in one does not reshuffle the others.
        cone_rng = np.random.default_rng(rng.integers(2**63))
        todo = [(np.flatnonzero(cones.level[0] == cone), 0, 0)]
        while todo:
            members, level, start = todo.pop()
            share = (log_r[start] - log_r[0]) / (log_r[-1] - log_r[0])
            length = ring_length(float(share), spacing, start == 0, cone_rng)
            end = max(int(np.searchsorted(log_r, log_r[start] + length)), start + 1)
            shard[start:end, members] = count
            count += 1
            if end >= len(log_r):
                continue
            width = float(exp(log_r[end])) * cones.width(members)
            parts = [(members, level)]
            if splits(width, spacing, branching, cone_rng):
                parts = _parts(cones, members, level)
            todo += [(*part, end) for part in parts]
    return shard


def _parts(cones: Cones, members: Ints, level: int) -> list[tuple[Ints, int]]:
    """The clusters of the next level in a cluster, with their level; the cluster itself at the last one."""
    if level + 1 >= LEVELS:
        return [(members, level)]
    cluster = cones.level[level + 1, members]
    return [(members[cluster == c], level + 1) for c in np.unique(cluster)]
