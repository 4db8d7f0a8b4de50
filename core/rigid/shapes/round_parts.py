"""Round parts of few corners: contact with a part takes the longer the more it has.

Of a part with more than MOST corners the outermost in 26 even directions stay, then the farthest ones above what they
leave away, again and again. All but those of flat faces then move outwards by half of what is left away around them:
the surface errs to both sides. A ball of many vertices is off by less than 0.75 % of its radius. The best of 1024
corners are off by 0.12 %: caps of so many that cover a ball have a height of 0.24 % at least (Fejes Toth 1953).
"""

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ...types import Floats, Ints
from .hull_points import DIRECTIONS, heights_along, hulls_of_points

MOST_PART_CORNERS = 1024  # corners of a part; 128 was tried before
_SHARE = 8  # of the corners so far that are added before heights are measured again; by time
FINE_HEIGHT = 0.002  # height of the corners that are left away at once, in radii; by eye: a tenth of `CELL_TOLERANCE`
_EXACT = 0.01  # height above a face, in that above any, below which it is a face of the true hull; chosen


def reduce_corners(points: Floats) -> Floats:
    """The points (n,3) of a convex part, or at most MOST points of nearly the same hull."""
    try:
        corners = points[np.sort(ConvexHull(points).vertices)]
        if len(corners) <= MOST_PART_CORNERS:
            return points
        rounded = hulls_of_points([points], None, FINE_HEIGHT)[0]
        some = rounded.points + rounded.middle  # far fewer than all corners, and near to them
        if len(some) <= MOST_PART_CORNERS:
            return some
        stays = np.zeros(len(some), np.bool_)
        stays[heights_along(some, DIRECTIONS).argmax(axis=0)] = True
        while (left := MOST_PART_CORNERS - int(np.count_nonzero(stays))) > 0:
            stays[_farthest(some, some[stays])[: min(left, max(1, int(np.count_nonzero(stays)) // _SHARE))]] = True
        return _grown(corners, some[stays])
    except QhullError:  # flat
        return points


def _farthest(points: Floats, few: Floats) -> Ints:
    """The farthest of the points (n,3) above each face of the hull of a few, the very farthest first."""
    planes = ConvexHull(few).equations
    height = heights_along(points, planes[:, :3]) + planes[:, 3]
    order = np.argsort(-height.max(axis=1), kind="stable")
    _, first = np.unique(height.argmax(axis=1)[order], return_index=True)
    return np.asarray(order[np.sort(first)])


def _grown(corners: Floats, few: Floats) -> Floats:
    """The few, each moved outwards by half of the mean height that the faces around it leave away.

    A corner of a face of the true hull stays where it is, so that flat faces stay flat.
    """
    hull = ConvexHull(few)
    planes, face = hull.equations, np.repeat(np.arange(len(hull.simplices)), 3)
    height = (heights_along(corners, planes[:, :3]) + planes[:, 3]).max(axis=0)
    corner = hull.simplices.reshape(-1)
    mean = np.bincount(corner, height[face], len(few)) / np.bincount(corner, minlength=len(few))
    flat = np.bincount(corner, height[face] < _EXACT * float(height.max()), len(few)) > 0
    normal: Floats = np.stack([np.bincount(corner, planes[face, k], len(few)) for k in range(3)], axis=1)
    normal = normal / np.sqrt(np.square(normal).sum(axis=1))[:, None]
    return np.asarray(few + normal * np.where(flat, 0.0, 0.5 * mean)[:, None])
