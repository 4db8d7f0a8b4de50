"""The regions at the rim of a pattern go on outwards: it divides all of space that a body may reach."""

import numpy as np

from ....types import Floats, Ints
from ..pattern import REACH
from .chambers import Walls


def extended(walls: Walls, middle: Floats) -> Walls:
    """The walls with each outermost triangle drawn out of a point (3,) within: its region goes on behind it.

    The outermost surface must be convex and hold the point. Walls through the point go on in their own planes.
    """
    rim = walls.sides[:, 1] < 0
    triangles, region = walls.triangles[rim], walls.sides[rim, 0]
    used = np.unique(triangles)
    far = np.full(len(walls.vertices), -1)
    far[used] = len(walls.vertices) + np.arange(len(used))
    vertices = np.concatenate([walls.vertices, middle + REACH * (walls.vertices[used] - middle)])
    fins, pair = _fins(triangles, region, far)
    outside = np.stack([region, np.full(len(region), -1)], axis=1)
    return Walls(
        vertices,
        np.concatenate([walls.triangles[~rim], fins, far[triangles]]),
        np.concatenate([walls.sides[~rim], pair, outside]),
        walls.gaps,
    )


def _fins(triangles: Ints, region: Ints, far: Ints) -> tuple[Ints, Ints]:
    """Triangles (n,3) of the walls over the edges between two regions of a closed surface, and their sides (n,2)."""
    begin, end = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    owner = np.repeat(region, 3)
    order = np.lexsort((begin > end, np.maximum(begin, end), np.minimum(begin, end)))
    one, two = order[::2], order[1::2]
    apart = owner[one] != owner[two]
    one, two = one[apart], two[apart]
    up = owner[one] < owner[two]
    lo, hi = np.where(up, one, two), np.where(up, two, one)
    a, b = begin[lo], end[lo]  # the region lo lies left of its edge, seen from outside: so does its side of the wall
    fins = np.concatenate([np.stack([a, b, far[b]], axis=1), np.stack([a, far[b], far[a]], axis=1)])
    pair = np.stack([owner[lo], owner[hi]], axis=1)
    return fins, np.concatenate([pair, pair])
