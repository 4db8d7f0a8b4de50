"""Solids as the triangles of their skin, and their halves beyond a plane.

Halves get no caps: the hull of a half is the hull of its triangles, cut points included.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import dot
from ...geometry.mesh import cross_rows
from ...jit import njit_no_refs, sealed_ints
from ...types import Bools, Floats, Ints

SLIVER_HEIGHT = 1e-6  # height of a triangle, relative to its longest edge, below which its normal says nothing; chosen


class SolidMesh(NamedTuple):
    """A solid by triangles, counter-clockwise seen from outside."""

    vertices: Floats  #: (V,3) [m], all used
    triangles: Ints  #: (T,3)
    skin: Bools  #: (T,) whether there is nothing outside; False where other matter follows


def make_solid(vertices: Floats, triangles: Ints, skin: Bools | None = None) -> SolidMesh:
    """The solid of these triangles, with the vertices that they use."""
    used = np.zeros(len(vertices), np.bool_)
    used[triangles] = True
    number = np.cumsum(used) - 1
    return SolidMesh(vertices[used], number[triangles], np.ones(len(triangles), np.bool_) if skin is None else skin)


def solid_normals(solid: SolidMesh) -> Floats:
    """Unit normals (T,3), 0 where a triangle is a sliver."""
    a, b, c = (solid.vertices[solid.triangles[:, k]] for k in range(3))
    u, v, w = b - a, c - a, c - b
    n = cross_rows(u, v)
    longest = np.maximum(np.maximum(np.square(u).sum(axis=1), np.square(v).sum(axis=1)), np.square(w).sum(axis=1))
    double = np.sqrt(np.square(n).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((double > SLIVER_HEIGHT * longest)[:, None], n / double[:, None], 0.0)


def halve_solid(solid: SolidMesh, normal: Floats, offset: float, snap: float) -> tuple[SolidMesh, SolidMesh]:
    """What lies above and below the plane normal . x = offset; vertices within `snap` [m] of it lie on it.

    A triangle in the plane goes to the side where its matter is.
    """
    height = dot(solid.vertices, normal) - offset
    side = np.sign(np.where(np.abs(height) <= snap, 0.0, height)).astype(np.int64)
    count, triangles = len(side), len(solid.triangles)
    upper, lower = np.empty((2 * triangles, 4), np.int64), np.empty((2 * triangles, 4), np.int64)
    ends, tally = np.empty((triangles, 3), np.int64), np.zeros(3, np.int64)
    _divide(sealed_ints(solid.triangles), side, _faces_up(solid, side, normal), upper, lower, ends, tally)
    start, end = np.repeat(ends[: tally[2], 0], 2), ends[: tally[2], 1:].reshape(-1)
    cut = np.flatnonzero(side[end])
    key = np.minimum(start, end)[cut] * count + np.maximum(start, end)[cut]
    unique, which = np.unique(key, return_inverse=True)
    p, q = unique // count, unique % count
    along = (height[p] / (height[p] - height[q]))[:, None]
    vertices = np.concatenate([solid.vertices, solid.vertices[p] * (1.0 - along) + solid.vertices[q] * along])
    number = np.arange(count + len(end))
    number[count + cut] = count + which.reshape(-1)
    sides = (upper[: tally[0]], lower[: tally[1]])
    above, below = (make_solid(vertices, number[rows[:, :3]], solid.skin[rows[:, 3]]) for rows in sides)
    return above, below


def _faces_up(solid: SolidMesh, side: Ints, normal: Floats) -> Ints:
    """(T,) 1 for triangles in the plane whose matter is below it."""
    result = np.zeros(len(solid.triangles), np.int64)
    if np.count_nonzero(side == 0) > 2:
        flat = ~side[solid.triangles].any(axis=1)
        part = SolidMesh(solid.vertices, solid.triangles[flat], solid.skin[flat])
        result[flat] = dot(solid_normals(part), normal) > 0.0
    return result


@njit_no_refs
def _divide(triangles: Ints, side: Ints, faces_up: Ints, upper: Ints, lower: Ints, ends: Ints, tally: Ints) -> None:
    """Corners and rows (.,4) of the triangles above and below: whole ones, tips of those that are cut, and their rest.

    `ends`: of each triangle that is cut, the corner that is alone on its side, and the two others; the points in which
    the edges to these are cut are numbered behind all vertices, two for each triangle. `tally`: how many there are.
    """
    for stage in range(4):
        cut = 0
        for t in range(len(triangles)):
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            low, high = min(side[a], side[b], side[c]), max(side[a], side[b], side[c])
            up, wanted = high > 0 or (low == 0 and faces_up[t] == 0), stage == 0
            if low < 0 and high > 0:
                up = side[a] + side[b] + side[c] <= 0  # on whose side one corner is alone, `a` from here on
                for _ in range(2):
                    if side[a] != (1 if up else -1):
                        a, b, c = b, c, a
                ab = b if side[b] == 0 else len(side) + 2 * cut
                ac = c if side[c] == 0 else len(side) + 2 * cut + 1
                ends[cut, 0], ends[cut, 1], ends[cut, 2] = a, b, c
                cut += 1
                wanted = stage == 1 or (stage == 2 and ab != b) or (stage == 3 and ac != c)
                if stage == 1:
                    b, c = ab, ac
                elif stage == 2:
                    a, up = ab, not up
                else:
                    a, b, c, up = ab, c, ac, not up
            if wanted:
                table, k = upper if up else lower, 0 if up else 1
                row = tally[k]
                table[row, 0], table[row, 1], table[row, 2], table[row, 3] = a, b, c, t
                tally[k] += 1
        tally[2] = cut
