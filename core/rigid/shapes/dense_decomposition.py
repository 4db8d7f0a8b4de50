"""Dense solids as convex parts: planes are chosen on a coarse copy, parts are made of all vertices of the solid.

The copy merges the vertices of each cell of a grid into their mean (Rossignac, Borrel: Multi-resolution 3D
approximations for rendering complex scenes, 1993). It is off by less than the diagonal of a cell, and by so much more
than the tolerance a gap may be.
"""

from collections.abc import Generator

import numpy as np

from ...arithmetic.products import dot
from ...types import Floats
from .decomposition import SNAP, Decomposition, decompose_steps
from .solids import SolidMesh, halve_solid, make_solid, solid_normals

DENSE = 15_000  # triangles of a solid from which on it is dense; by time
_ALIKE = 0.8  # cosine between a triangle's normal and that in the copy below which no gap is measured there
GRID_CELL = 1.0  # edge of a cell of the grid, in tolerances; by eye


def decompose_dense_steps(solid: SolidMesh, tolerance: float, most: int) -> Generator[None, None, Decomposition]:
    """As `decomposition.decompose_steps`, for a solid of many triangles: in a time that hardly grows with them."""
    found = yield from decompose_steps(cluster_vertices(solid, GRID_CELL * tolerance), tolerance, most, tries=False)
    return found._replace(points=_parted(solid, found))


def cluster_vertices(solid: SolidMesh, cell: float) -> SolidMesh:
    """The solid with one vertex for each cell of a grid of edge `cell` [m], and the triangles that are left."""
    low = solid.vertices.min(axis=0)
    at = np.floor((solid.vertices - low) / cell).astype(np.int64)
    _, x, y = at.max(axis=0) + 1
    _, number = np.unique((at[:, 0] * x + at[:, 1]) * y + at[:, 2], return_inverse=True)
    number = number.reshape(-1)
    count = np.bincount(number)
    place = np.stack([np.bincount(number, axis) for axis in (solid.vertices - low).T], axis=1) / count[:, None] + low
    t = number[solid.triangles]
    kept = (t[:, 0] != t[:, 1]) & (t[:, 1] != t[:, 2]) & (t[:, 2] != t[:, 0])
    copy = make_solid(place, t[kept], solid.skin[kept])
    along = dot(solid_normals(copy), solid_normals(make_solid(solid.vertices, solid.triangles[kept])))
    return copy._replace(skin=copy.skin & (along > _ALIKE))  # folded triangles would see gaps in the matter


def _parted(solid: SolidMesh, found: Decomposition) -> list[Floats]:
    """The points of each part, cut from the whole solid by the planes that made it."""
    snap = SNAP * float(np.sqrt(np.square(np.ptp(solid.vertices, axis=0)).sum()))
    points = list(found.points)  # a part in which the solid has nothing stays as the copy has it
    waiting = [(solid, np.arange(len(points)), 0)]
    while waiting:
        some, parts, depth = waiting.pop()
        if len(some.triangles) == 0:
            continue
        if len(parts) == 1 and depth == len(found.sides[parts[0]]):
            points[parts[0]] = np.concatenate([some.vertices, found.inner[parts[0]]])
            continue
        plane = found.plane[found.sides[parts[0]][depth][0]]
        side = np.array([found.sides[part][depth][1] for part in parts])
        above, below = halve_solid(some, plane[:3], float(plane[3]), snap)
        waiting += [(above, parts[side > 0], depth + 1), (below, parts[side < 0], depth + 1)]
    return points
