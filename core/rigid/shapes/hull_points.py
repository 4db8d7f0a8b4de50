"""The convex hull of each of many point sets, by Qhull, on points that always have a volume and few corners.

Points without a volume get one: along each principal axis along which they are thinner than THIN of their size they
are made flat, then PLATE of their size thick, half to either side. Round hulls, of more than MOST corners, keep so
many of them that no other one lies more than ROUND of the radius above what is left: first those farthest in 26 even
directions, then the farthest above each face, again and again. All corners that stay are points of the set.

Reference: Barber, Dobkin, Huhdanpaa: The Quickhull algorithm for convex hulls, 1996.
"""

from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from ...arithmetic.products import sum_outer
from ...geometry import packed
from ...geometry.principal import principal_axes
from ...types import Floats, Ints
from .quick_hull import QuickHull as Triangles
from .quick_hull import build_hull, build_hulls

THIN = 1e-6  # extent along a principal axis below which points count as flat, in sizes; chosen
PLATE = 1e-3  # thickness that flat points get, in sizes; by eye: not seen
SUSPECT = 1e-5  # volume of a hull, in cubes of its size, below which it may be flat; chosen
MOST_HULL_CORNERS = 60  # corners of a hull that are never too many; by time
ROUND = 0.01  # depth of what is left away of a round hull, in radii; by eye
_MANY = 2000  # points that are thinned out before their hull is sought; by time
_EXACT = 1e-11  # height above a hull that is round-off, in radii; a hundred thousand roundings
MEASURED_AT_ONCE = 1 << 18  # points times planes that are measured at a time; bounds the memory
#: The 26 to the neighbours in a lattice of cubes.
DIRECTIONS = np.array([d for d in product((-1.0, 0.0, 1.0), repeat=3) if any(d)])


class PointHull(NamedTuple):
    """A hull of n points with triangles that may lie in one plane, in coordinates about `middle`."""

    points: Floats  #: (n,3) relative to `middle` [m]
    middle: Floats  #: (3,) of the box around the points [m]
    size: float  #: diagonal of that box [m]
    corner: Ints  #: (T,3) points of each triangle, in any sense
    neighbour: Ints  #: (T,3) triangle across from each corner
    plane: Floats  #: (T,4) unit normal, outwards, and minus the offset of each triangle's plane
    volume: float  #: [m^3]


def heights_along(points: Floats, directions: Floats) -> Floats:
    """How far each of the points (n,3) lies along each of the directions (d,3): (n,d)."""
    x, y, z = (points[:, None, k] * directions[:, k] for k in range(3))
    x += y
    x += z
    return np.asarray(x)


def hulls_of_points(
    point_sets: list[Floats], keep: list[Ints | None] | None = None, rough: float = ROUND
) -> list[PointHull]:
    """The hull of each set of n >= 1 points (n,3), of which those in `keep` stay corners if they are ones.

    Round hulls lose corners up to `rough` radii high.
    Raises ValueError for a set without points.
    """
    start = packed.packed_starts(np.array([len(points) for points in point_sets], np.int64))
    if (np.diff(start) == 0).any():
        raise ValueError("a part needs a point")
    points = np.concatenate(point_sets)
    low, high = np.minimum.reduceat(points, start[:-1]), np.maximum.reduceat(points, start[:-1])
    middle = 0.5 * (low + high)
    size = np.sqrt(np.square(high - low).sum(axis=1))
    size = np.maximum(size, 1e-9 * np.abs(middle).max(axis=1))
    size[size == 0.0] = 1e-9
    local = points - np.repeat(middle, np.diff(start), axis=0)
    few = np.diff(start) <= _MANY
    known = iter(build_hulls(local[few[packed.owners(start)]], packed.packed_starts(np.diff(start)[few])))
    return [
        _hull(local[a:b], middle[k], float(size[k]), keep[k] if keep else None, next(known) if few[k] else None, rough)
        for k, (a, b) in enumerate(pairwise(start.tolist()))
    ]


def _hull(
    local: Floats, middle: Floats, size: float, keep: Ints | None, hull: Triangles | None, rough: float
) -> PointHull:
    """`hull`: that of all points; none where there are too many or where they are flat."""
    if len(local) > _MANY:
        few = _rounded(local, np.arange(len(local)), keep, rough)
        local, keep = local[few], None if keep is None else np.flatnonzero(np.isin(few, keep))
        hull = build_hull(local)
    if hull is None or hull.volume < SUSPECT * size * size * size:
        thick = thicken_points(local, size)
        if hull is None or len(thick) > len(local):
            if keep is not None:
                keep = np.concatenate([keep + k for k in range(0, len(thick), len(local))])
            local = thick
            hull = build_hull(local)
            assert hull is not None  # it has a volume now
    if len(local) > MOST_HULL_CORNERS and len(corners := hull.corners()) > MOST_HULL_CORNERS:
        few = _rounded(local, corners, keep, rough)
        fewer = build_hull(local[few])
        if fewer is not None:
            local, hull = local[few], fewer
    return PointHull(local, middle, size, hull.corner, hull.across, hull.plane, hull.volume)


def thicken_points(points: Floats, size: float) -> Floats:
    """The points (n,3) about their middle, or twice, four or eight times as many, which have a volume."""
    mean = points.mean(axis=0)
    away = points - mean
    axes = principal_axes(sum_outer(np.ones(len(away)), away, away)[None] / (size * size))[1][0].T
    for axis in axes:
        along = (away * axis).sum(axis=1)
        if np.ptp(along) < THIN * size:
            away = away - along[:, None] * axis
            half = 0.5 * PLATE * size * axis
            away = np.concatenate([away - half, away + half])
    return np.asarray(away + mean)


def _rounded(points: Floats, rows: Ints, keep: Ints | None, rough: float) -> Ints:
    """Those of `rows` that stay corners: all true ones up to MOST of them, enough for a round hull beyond that."""
    place = points[rows]
    stays = np.zeros(len(rows), np.bool_)
    stays[heights_along(place, DIRECTIONS).argmax(axis=0)] = True
    if keep is not None:
        stays |= np.isin(rows, keep)
    radius = float(np.sqrt(np.square(place).sum(axis=1).max()))
    left = np.flatnonzero(~stays)
    while len(left):
        hull = build_hull(place[stays])
        if hull is None:
            return rows
        exact = np.count_nonzero(stays) <= MOST_HULL_CORNERS
        height, face = _above(place[left], hull.plane)
        out = height > (_EXACT if exact else rough) * radius
        left, height, face = left[out], height[out], face[out]
        if len(left) == 0:
            break
        # the farthest ones first: they take many others with them
        far = np.flatnonzero(height >= 0.5 * float(height.max()))
        order = far[np.lexsort((-height[far], face[far]))]
        stays[left[order[np.unique(face[order], return_index=True)[1]]]] = True
        left = left[~stays[left]]
    return np.asarray(rows[stays], np.int64)


def _above(points: Floats, planes: Floats) -> tuple[Floats, Ints]:
    """The largest height (n,) of each point above one of the planes (F,4), and that plane."""
    height, face = np.empty(len(points)), np.empty(len(points), np.int64)
    step = max(1, MEASURED_AT_ONCE // len(planes))
    for first in range(0, len(points), step):
        block = slice(first, first + step)
        all_heights = heights_along(points[block], planes[:, :3]) + planes[:, 3]
        face[block] = all_heights.argmax(axis=1)
        height[block] = all_heights.max(axis=1)
    return height, face
