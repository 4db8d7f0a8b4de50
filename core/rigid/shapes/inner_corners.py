"""The corners of parts that lie deep inside of a solid: where three splitting planes meet.

All other corners of what planes leave of a solid lie on its skin.
"""

from itertools import combinations

import numpy as np

from ...geometry.mesh import cross_rows
from ...geometry.winding import Winding, winding_at, winding_tree
from ...types import Floats
from .hull_points import heights_along
from .solids import SolidMesh

# Least volume of the box of three unit normals whose planes meet in a point; chosen: such a point is known to a
# thousand roundings.
_STEEP = 1e-3
_DEEP = 0.97  # winding number above which a point is not on the skin: 1 inside, 1/2 on a face, 7/8 in a box's corner


class InsideTest:
    """Which points lie in the matter of a solid; what it needs to know is made when it is first asked."""

    def __init__(self, solid: SolidMesh) -> None:
        self._solid = solid
        self._tree: Winding | None = None

    def __call__(self, points: Floats) -> Floats:
        """Those of the points (n,3) that lie inside."""
        if len(points) == 0:
            return points
        low, high = self._solid.vertices.min(axis=0), self._solid.vertices.max(axis=0)
        points = points[((points > low) & (points < high)).all(axis=1)]
        if len(points) == 0:
            return points
        if self._tree is None:
            self._tree = winding_tree(self._solid.vertices, self._solid.triangles)
        return np.asarray(points[winding_at(self._tree, points) > _DEEP])


def corners_of_planes(plane: Floats, bounding: Floats, snap: float) -> Floats:
    """Where a new plane (4,) (unit normal, offset) meets two of the planes (s,4) that bound a part, within the part.

    The part lies where normal . x <= offset for all of `bounding`.
    """
    pairs = np.array(list(combinations(range(len(bounding)), 2)), np.int64).reshape(-1, 2)
    if len(pairs) == 0:
        return np.zeros((0, 3))
    first, second = bounding[pairs[:, 0]], bounding[pairs[:, 1]]
    n = np.broadcast_to(plane[:3], (len(pairs), 3))
    along = cross_rows(first[:, :3], second[:, :3])
    volume = (along * n).sum(axis=1)
    good = np.abs(volume) > _STEEP
    first, second, n, along, volume = first[good], second[good], n[good], along[good], volume[good]
    point = plane[3] * along + first[:, 3:] * cross_rows(second[:, :3], n) + second[:, 3:] * cross_rows(n, first[:, :3])
    point = point / volume[:, None]
    within = (heights_along(point, bounding[:, :3]) - bounding[:, 3] <= snap).all(axis=1)
    return np.asarray(point[within])
