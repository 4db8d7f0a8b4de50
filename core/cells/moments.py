"""Mass properties of cells: exact integrals over fans of tetrahedra from a point of the cell itself."""

import numpy as np

from ..geometry.mesh import cross
from ..types import Floats, Ints
from . import packed


def cell_moments(
    start: Ints, vertex: Ints, faces: Ints, flip: Ints, cell: Ints, position: Floats, outer: int, count: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Volume (C,), centroid (C,3), second moment about the centroid (C,3,3), and outer area (C,) of each cell.

    Side i of cell[i] runs along the corners of faces[i], backwards where flip[i] is -1; the
    first `outer` sides are skin. A tetrahedron (o,a,b,c) of
    volume V has the integral of x x^T about o: V/20 (aa + bb + cc + ss) with s = a + b + c. The point o is the mean of
    some vertices of the cell: a common origin would leave small cells with the round-off of their distance from it.
    """
    length = start[faces + 1] - start[faces]
    corner = vertex[packed.ranges(start[faces], length)]
    owner = np.repeat(cell, length)
    origin = _sums(position[corner], owner, count) / np.maximum(np.bincount(owner, minlength=count), 1)[:, None]
    fan = np.maximum(length - 2, 0)
    side = np.repeat(np.arange(len(faces)), fan)
    middle = packed.ranges(start[faces] + 1, fan)
    k = cell[side]
    p, a, b = (position[vertex[at]] - origin[k] for at in (start[faces][side], middle, middle + 1))
    s = p + a + b
    product = p * cross(a, b)
    volumes = (product[:, 0] + product[:, 1] + product[:, 2]) * (flip[side] / 6.0)
    volume = np.bincount(k, volumes, count)
    first = _sums(volumes[:, None] * s / 4.0, k, count)
    second = np.empty((count, 3, 3))
    for d in range(3):
        for e in range(3):
            product = p[:, d] * p[:, e] + a[:, d] * a[:, e] + b[:, d] * b[:, e] + s[:, d] * s[:, e]
            second[:, d, e] = np.bincount(k, volumes * product / 20.0, count)
    centroid = np.where((volume != 0.0)[:, None], first / np.where(volume != 0.0, volume, 1.0)[:, None], 0.0)
    second -= volume[:, None, None] * centroid[:, :, None] * centroid[:, None, :]
    skin = np.flatnonzero(side < outer)
    area = _sums(0.5 * cross(a[skin] - p[skin], b[skin] - p[skin]), side[skin], outer)
    squared = np.square(area)
    surface = np.bincount(cell[:outer], np.sqrt(squared[:, 0] + squared[:, 1] + squared[:, 2]), count)
    return np.asarray(volume, np.float64), centroid + origin, second, np.asarray(surface, np.float64)


def _sums(vectors: Floats, owner: Ints, count: int) -> Floats:
    return np.stack([np.bincount(owner, vectors[:, d], count) for d in range(3)], axis=1)


def triangle_volume(vertices: Floats, triangles: Ints) -> float:
    """Volume inside a closed triangle mesh, as seen from the middle of its vertices' box."""
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    a, b, c = (vertices[triangles[:, k]] - middle for k in range(3))
    return float(np.cumsum(a * cross(b, c) / 6.0)[-1])  # from the first to the last, the same on every machine
