"""Points thinned until they keep their distance: each drops those after it that come too near (Poisson disks)."""

from typing import NamedTuple

import numpy as np

from ...geometry.mesh import bounds
from ...jit import device_inlined, njit_no_refs, sealed_floats, sealed_ints
from ...types import Bools, Floats, Ints

#: Bins at most along all sides together. Some 30 megabytes.
_BINS_MAX = 1 << 22
#: Cosine between normals below which points are on two sides [1]. By derivation: between those of two corners of a box
#: at the ends of an edge it is 1/3, of two edges of a rim 0, of a side and its edge 0.7.
_OTHER_SIDE = 0.4


class _Candidates(NamedTuple):
    """Candidates, and bins into which those are put that stay."""

    place: Floats  #: (n,3)
    normal: Floats  #: (n,3) unit on the surface, 0 inside
    apart: Floats  #: (n,) distance to keep [m]
    low: Floats  #: (3,)
    width: Floats  #: (1,) of bins [m]
    counts: Ints  #: (3,)


def thin_points(place: Floats, normal: Floats, apart: Floats, sided: float, first: int) -> Bools:
    """Which (n,) of the points (n,3) stay; the first ones stay all, the others where all before are `apart (n,)` [m].

    Points of the surface that look different ways (`normal (n,3)`, 0 for points inside) keep `sided` times as much:
    they are on two sides of a wall.
    """
    stays = np.zeros(len(place), np.bool_)
    if len(place) == 0:
        return stays
    low, high = bounds(place)
    size = float((high - low).max())
    width = max(float(apart.min()), size / 400.0, float(np.finfo(np.float64).tiny))
    count = np.floor((high - low) / width).astype(np.int64) + 1
    while int(count.prod()) > _BINS_MAX:
        width *= 1.25
        count = np.floor((high - low) / width).astype(np.int64) + 1
    candidates = _Candidates(
        sealed_floats(place), sealed_floats(normal), sealed_floats(apart), sealed_floats(low),
        sealed_floats(np.array([width])), sealed_ints(count),
    )  # fmt: skip
    _thin(
        candidates, sided, first, np.empty(3, np.int64), np.full(int(count.prod()), -1), np.full(len(place), -1), stays
    )
    return stays


@device_inlined
def _is_crowded(points: _Candidates, n: int, bin_of: Ints, sided: float, head: Ints, following: Ints) -> bool:
    """Whether a point that stays is too near to point n, which lies in the bin (3,)."""
    place, normal, apart, _, width, count = points
    reach = int(np.ceil(apart[n] / width[0]))
    for a in range(max(bin_of[0] - reach, 0), min(bin_of[0] + reach, count[0] - 1) + 1):
        for b in range(max(bin_of[1] - reach, 0), min(bin_of[1] + reach, count[1] - 1) + 1):
            for c in range(max(bin_of[2] - reach, 0), min(bin_of[2] + reach, count[2] - 1) + 1):
                m = head[(a * count[1] + b) * count[2] + c]
                while m >= 0:
                    square, facing = 0.0, 0.0
                    for axis in range(3):
                        way = place[m, axis] - place[n, axis]
                        square += way * way
                        facing += normal[n, axis] * normal[m, axis]
                    least = apart[n] * (sided if facing < _OTHER_SIDE else 1.0)
                    if square < least * least:
                        return True
                    m = following[m]
    return False


@njit_no_refs
def _thin(
    points: _Candidates, sided: float, first: int, bin_of: Ints, head: Ints, following: Ints, stays: Bools
) -> None:
    """Fill `stays (n,)`; `head` is the last point of each bin so far, `following (n,)` the one before it, -1 for none.

    `bin_of (3,)` is scratch.
    """
    place, _, _, low, width, count = points
    for n in range(len(place)):
        for axis in range(3):
            bin_of[axis] = min(int((place[n, axis] - low[axis]) / width[0]), count[axis] - 1)
        if n >= first and _is_crowded(points, n, bin_of, sided, head, following):
            continue
        one = (bin_of[0] * count[1] + bin_of[1]) * count[2] + bin_of[2]
        stays[n] = True
        following[n] = head[one]
        head[one] = n
