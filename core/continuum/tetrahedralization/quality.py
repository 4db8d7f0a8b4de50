"""How good tetrahedra are: their angles, heights and shapes."""

from dataclasses import dataclass

import numpy as np

from ...arithmetic.angles import arccos
from ...arithmetic.products import dot, norm
from ...geometry.mesh import cross_rows
from ...types import Floats, Frozen, Ints
from .matter import OPPOSITE

#: Edges of a tetrahedron, by the two faces that meet there.
_MEETING = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
#: Below this an element is bad [degrees]. Chosen: what meshers of finite elements call a sliver.
BAD_ANGLE = 10.0


@dataclass(frozen=True, eq=False, slots=True)
class MeshQuality(Frozen):
    """What is told of the shapes of the elements."""

    smallest_angle: Floats  #: (e,) smallest angle between two faces of each [degrees]
    altitude: Floats  #: (e,) smallest altitude of each [m]
    edge: float  #: mean length of edges [m]

    @property
    def bad(self) -> float:
        """Share of elements with an angle below BAD_ANGLE [1]."""
        return float(np.count_nonzero(self.smallest_angle < BAD_ANGLE) / len(self.smallest_angle))


def measure_angles(corner: Floats) -> Floats:
    """The smallest angle (e,) between two faces of tetrahedra (e,4,3) [degrees]."""
    normal = _normals(corner)
    length = np.maximum(norm(normal), np.finfo(np.float64).tiny)
    cosine = np.full(len(corner), -1.0)
    for a, b in _MEETING:
        cosine = np.maximum(cosine, -dot(normal[:, a], normal[:, b]) / (length[:, a] * length[:, b]))
    return np.asarray(np.degrees(arccos(np.clip(cosine, -1.0, 1.0))))


def _normals(corner: Floats) -> Floats:
    """(e,4,3) of the faces opposite to each corner, twice as long as their area."""
    face = corner[:, OPPOSITE]
    return np.stack(
        [cross_rows(face[:, k, 1] - face[:, k, 0], face[:, k, 2] - face[:, k, 0]) for k in range(4)], axis=1
    )


def measure_quality(nodes: Floats, elements: Ints) -> MeshQuality:
    """The shapes of elements (e,4) of positive volume between nodes (n,3) [m]."""
    corner = nodes[elements]
    a, b, c = (corner[:, k] - corner[:, 0] for k in range(1, 4))
    altitude = dot(a, cross_rows(b, c)) / norm(_normals(corner)).max(axis=1)
    ends = elements[:, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]].reshape(-1, 2)
    edges = np.unique(ends.min(axis=1) * len(nodes) + ends.max(axis=1))
    edge = norm(nodes[edges % len(nodes)] - nodes[edges // len(nodes)])
    return MeshQuality(measure_angles(corner), altitude, float(np.cumsum(edge)[-1] / len(edge)))
