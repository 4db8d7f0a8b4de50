"""Room for the narrow phase to work in, made once: a kernel makes no arrays."""

from typing import NamedTuple

import numpy as np

from ...record_arrays import Records, plain_view, zero_records
from ...types import Floats
from ..records import MANIFOLD, POINTS
from ..shapes.convex_parts import PartGeometry

#: Of `Scratch.frames`: each takes material coordinates of one body into another's.
B_TO_A, A_TO_B, A_TO_A = 0, 1, 2
#: Of `Scratch.points`.
FOUND, POLYGON, SPARE, PLANES = 0, 1, 2, 3


class Scratch(NamedTuple):
    """Arrays that the narrow phase overwrites with every pair."""

    frames: Floats  #: (3,4,3) three rows of the turn, one of the shift; A_TO_A is constant
    edges: Floats  #: (n,6,3) edges of a and of b that may meet, see `edge_axes.write_axis`
    points: Floats  #: (4,m,4) FOUND points with their gaps, a POLYGON, a SPARE one, PLANES with their offsets
    manifold: Records  #: (1,) MANIFOLD


def scratch_of(geometry: PartGeometry) -> Scratch:
    """Room for every pair of parts of this geometry."""
    parts, faces = geometry.parts, geometry.faces
    corners = int(
        max(np.diff(faces.loop, axis=1).max(initial=0), np.diff(geometry.patches.corner, axis=1).max(initial=0))
    )
    vertices, edges = (int(np.diff(parts[name], axis=1).max(initial=0)) for name in ("vertex", "edge"))
    frames = np.zeros((3, 4, 3))
    frames[A_TO_A, :3] = np.eye(3)
    # Each side of a face adds at most one corner to a polygon.
    rows, points = np.zeros((2 * edges + 2, 6, 3)), np.zeros((4, 2 * corners + vertices + POINTS, 4))
    return Scratch(frames, rows, points, plain_view(zero_records(MANIFOLD, 1)))
