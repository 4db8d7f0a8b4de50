"""Which triangles of a body are still parts of one flat face of the artist's, after all repairs."""

import numpy as np

from ..arithmetic.products import dot
from ..geometry.affine import TriangleValues, flat_groups
from ..geometry.mesh import cross_rows, diagonal
from ..types import Ints, Made, Mesh
from .surface import RawSurface, products
from .verify import EXACT

#: How far corners may lie from their plane, relative to the diagonal, where it is not known how fine they were stored.
#: Ten thousand roundings of float64.
_FLAT = 1e-12


def polygons_of_rows(mesh: Mesh, source: Ints) -> Ints:
    """`Body.polygon` of a body that has the rows `source (T,)` of the mesh's triangles as they are."""
    return _first_rows(mesh.polygon[source]) if len(mesh.polygon) else mesh.polygon


def polygons_of_surface(mesh: Mesh, surface: RawSurface) -> Ints:
    """`Body.polygon` of a mended surface.

    Triangles stay parts of a polygon where all of it is flat still and its places on the artist's mesh are affine: so
    are the values that it takes from there. The two sides of a sheet are two polygons.
    """
    if not len(mesh.polygon):
        return mesh.polygon
    a, b, c = (surface.weight[:, k] for k in range(3))
    against = dot(a, cross_rows(b, c)) < 0.0
    label = mesh.polygon[surface.source]
    usable = (label >= 0) & ((surface.made == Made.OWN) | (surface.made == Made.BACK))
    label = np.where(usable, 4 * label + 2 * (surface.made == Made.BACK) + against, -1)
    size = diagonal(surface.vertices)
    place = products(surface.weight, mesh.vertices.take(mesh.triangles[surface.source], axis=0)).reshape(-1, 3)
    near = max(mesh.spacing, _FLAT * size)
    places = TriangleValues(place, np.arange(len(place)).reshape(-1, 3), max(near, EXACT * size))
    return _first_rows(flat_groups(label, surface.vertices, surface.triangles, near, (places,)))


def _first_rows(label: Ints) -> Ints:
    """(T,) the first row with the label of each row, its own where that is below 0; empty where all are their own."""
    result = np.arange(len(label))
    rows = np.flatnonzero(label >= 0)
    _, first, which = np.unique(label[rows], return_index=True, return_inverse=True)
    result[rows] = rows[first[which]]
    return result if np.any(result != np.arange(len(label))) else np.zeros(0, np.int64)
