"""Solids as the triangles of their skin, and their halves beyond a plane.

Halves get no caps: the hull of a half is the hull of its triangles, cut points included.
"""

from typing import NamedTuple

import numpy as np

from ..geometry.mesh import cross
from ..types import Bools, Floats, Ints

SLIVER = 1e-6  # height of a triangle, relative to its longest edge, below which its normal says nothing


class Solid(NamedTuple):
    """A solid by triangles, counter-clockwise seen from outside."""

    vertices: Floats  #: (V,3) [m], all used
    triangles: Ints  #: (T,3)
    skin: Bools  #: (T,) whether there is nothing outside; False where other matter follows


def solid_of(vertices: Floats, triangles: Ints, skin: Bools | None = None) -> Solid:
    """The solid of these triangles, with the vertices that they use."""
    used = np.zeros(len(vertices), np.bool_)
    used[triangles] = True
    number = np.cumsum(used) - 1
    return Solid(vertices[used], number[triangles], np.ones(len(triangles), np.bool_) if skin is None else skin)


def normals(solid: Solid) -> Floats:
    """Unit normals (T,3), 0 where a triangle is a sliver."""
    a, b, c = (solid.vertices[solid.triangles[:, k]] for k in range(3))
    u, v, w = b - a, c - a, c - b
    n = cross(u, v)
    longest = np.maximum(np.maximum((u**2).sum(axis=1), (v**2).sum(axis=1)), (w**2).sum(axis=1))
    double = np.sqrt((n**2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((double > SLIVER * longest)[:, None], n / double[:, None], 0.0)


def halves(solid: Solid, normal: Floats, offset: float, snap: float) -> tuple[Solid, Solid]:
    """What lies above and below the plane normal . x = offset; vertices within `snap` [m] of it lie on it.

    A triangle in the plane goes to the side where its matter is.
    """
    height = np.einsum("nk,k->n", solid.vertices, normal) - offset
    side = np.sign(np.where(np.abs(height) <= snap, 0.0, height)).astype(np.int64)
    corner = side[solid.triangles]
    low, high = corner.min(axis=1), corner.max(axis=1)
    flat = (low == 0) & (high == 0)
    faces_up = np.zeros(len(flat), np.bool_)
    if flat.any():
        part = Solid(solid.vertices, solid.triangles[flat], solid.skin[flat])
        faces_up[flat] = np.einsum("nk,k->n", normals(part), normal) > 0.0
    above, below = (low >= 0) & ~(flat & faces_up), (high <= 0) & ~(flat & ~faces_up)
    crossing = np.flatnonzero((low < 0) & (high > 0))
    vertices, upper, lower, upper_row, lower_row = _crossed(solid, height, side, crossing)
    sides = []
    for whole, new, row in ((above, upper, upper_row), (below, lower, lower_row)):
        triangles = np.concatenate([solid.triangles[whole], new])
        sides.append(solid_of(vertices, triangles, np.concatenate([solid.skin[whole], solid.skin[row]])))
    return sides[0], sides[1]


def _crossed(solid: Solid, height: Floats, side: Ints, rows: Ints) -> tuple[Floats, Ints, Ints, Ints, Ints]:
    """The vertices with the cut points, and the pieces of the triangles that the plane crosses, with their rows."""
    t = solid.triangles[rows]
    s = side[t]
    # turned so that one corner is alone on its side; the others are on the plane or beyond
    alone = np.where((s > 0).sum(axis=1) == 1, (s > 0).argmax(axis=1), (s < 0).argmax(axis=1))
    a, b, c = (t[np.arange(len(t)), (alone + k) % 3] for k in range(3))
    ends = np.concatenate([np.stack([a, b], axis=1), np.stack([a, c], axis=1)])
    count = len(solid.vertices)
    key = ends.min(axis=1) * count + ends.max(axis=1)
    on_plane = side[ends[:, 1]] == 0
    unique, which = np.unique(key[~on_plane], return_inverse=True)
    p, q = unique // count, unique % count
    along = (height[p] / (height[p] - height[q]))[:, None]
    point = np.where(on_plane, ends[:, 1], 0)
    point[~on_plane] = count + which.reshape(-1)
    vertices = np.concatenate([solid.vertices, solid.vertices[p] * (1.0 - along) + solid.vertices[q] * along])
    ab, ac = point[: len(t)], point[len(t) :]
    tips = np.stack([a, ab, ac], axis=1)
    rest = np.concatenate([np.stack([ab, b, c], axis=1), np.stack([ab, c, ac], axis=1)])
    double = np.concatenate([rows, rows])
    real = np.concatenate([ab != b, ac != c])
    up = s[np.arange(len(t)), alone] > 0
    ups = np.concatenate([up, up])
    upper = np.concatenate([tips[up], rest[real & ~ups]])
    lower = np.concatenate([tips[~up], rest[real & ups]])
    upper_row = np.concatenate([rows[up], double[real & ~ups]])
    lower_row = np.concatenate([rows[~up], double[real & ups]])
    return vertices, upper, lower, upper_row, lower_row
