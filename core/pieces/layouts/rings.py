"""How long shards are along their ray, and when they split: what sheets and solids have in common."""

import numpy as np

#: Mean length ln(r1/r0) of a shard close to the hit and far away, and how much shorter or longer shards are. Of the
#: look study, by eye, on window glass: 0.35 near, 1.2 far, times 0.5 to 1.7. There 0.5 to 1.3 was tried on a bowl, and
#: 1.1 to 3 for a slow hit.
RING_NEAR, RING_FAR = 0.35, 1.2
#: Factor of a random length at least and at most.
RING_LEAST, RING_MOST = 0.5, 1.7
#: The first shards of the rays are shortened by a factor from here to 1, so that ring cracks are staggered. Chosen by
#: eye.
FIRST_LEAST = 0.3
#: Sectors wider than this (in diagonals, times a random factor) split. Of the look study, by eye: 0.16 m on a pane of 1
#: m, whose diagonal is 1.41 m.
SPLIT_WIDTH = 0.113
#: Random factor of that width at least and at most (the look study).
SPLIT_LEAST, SPLIT_MOST = 0.5, 2.0


def ring_length(share: float, spacing: float, first: bool, rng: np.random.Generator) -> float:
    """Random length ln(r1/r0) of a shard that starts at `share` 0..1 of the way, by logarithm, to the farthest radius.

    `spacing` scales all lengths; `first` marks the shards next to the hit.
    """
    mean = RING_NEAR + (RING_FAR - RING_NEAR) * share
    length = spacing * mean * rng.uniform(RING_LEAST, RING_MOST)
    return float(length * rng.uniform(FIRST_LEAST, 1.0) if first else length)


def splits(width: float, spacing: float, branching: float, rng: np.random.Generator) -> bool:
    """Whether a shard of this width [diagonals] splits where it ends: too wide, and by the chance `branching`."""
    widest = SPLIT_WIDTH * np.sqrt(spacing) * rng.uniform(SPLIT_LEAST, SPLIT_MOST)
    return bool(rng.random() < branching) and width > widest
