"""Flat polygons instead of the four-cornered faces between nodes: four corners where they are in one plane, else two
triangles, so that both pieces at a face, and whoever draws it, mean the same surface.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot, norm
from ...geometry import packed
from ...geometry.mesh import cross_rows
from ...geometry.sums import summed
from ...types import Floats, Ints

#: Volume between the corners of a face below which it is flat, in cells. Round-off of places in cells is some 1e-13 on
#: the largest grids.
_FLAT = 1e-9


class Polygons(NamedTuple):
    """F polygons, packed."""

    start: Ints  #: (F+1,)
    corner: Ints  #: (N,) vertex of each corner
    face: Ints  #: (F,) row of the face that it is made of


def flat_polygons(vertices: Floats, corner: Ints, rows: Ints, spacing: float) -> Polygons:
    """The polygons of some faces, `rows`, of all faces `corner (Q,4)`, in their order.

    Bent ones are divided along the shorter diagonal.
    """
    ring = corner[rows]
    p = (vertices[ring] - vertices[ring[:, :1]]) / spacing
    bent = np.abs(dot(cross_rows(p[:, 1], p[:, 2]), p[:, 3])) > _FLAT
    across = np.square(p[:, 2]).sum(axis=1) > np.square(p[:, 3] - p[:, 1]).sum(axis=1)
    ring = np.where((bent & across)[:, None], np.roll(ring, -1, axis=1), ring)
    face = np.repeat(rows, np.where(bent, 2, 1))
    first = packed.packed_starts(np.where(bent, 2, 1))[:-1]
    table, size = np.empty((len(face), 4), np.int64), np.full(len(face), 4)
    table[first] = ring
    table[first[bent] + 1, :3] = ring[bent][:, [0, 2, 3]]
    size[first[bent]] = size[first[bent] + 1] = 3
    return Polygons(packed.packed_starts(size), table[np.arange(4) < size[:, None]], face)


def area_vectors(vertices: Floats, polygons: Polygons) -> tuple[Floats, Floats]:
    """Area vector (F,3) [m^2] of each polygon, and the centroid (F,3) [m] of its corners' triangles."""
    triangle, owner = packed.fan_triangles(polygons.start, polygons.corner)
    p = vertices[triangle]
    vector = 0.5 * cross_rows(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    size = norm(vector)
    count, middle = len(polygons.face), p.mean(axis=1)
    total = np.bincount(owner, size, count)
    plain = np.bincount(owner, minlength=count)
    size = np.where(total[owner] > 0.0, size / np.where(total > 0.0, total, 1.0)[owner], 1.0 / plain[owner])
    centroid = summed(size[:, None] * middle, owner, count)
    return summed(vector, owner, count), centroid
