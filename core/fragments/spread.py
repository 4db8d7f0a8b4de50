"""Values of the source spread over the corners and points of packed fragments, in one pass and straight into float32.

For everything that varies linearly over a triangle: texture coordinates, normals, colours, attributes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arithmetic.products import apply, dot
from ..geometry import packed
from ..geometry.corner_values import normalized, weights_in
from ..geometry.mesh import cross_rows
from ..jit import njit, sealed_floats, sealed_ints
from ..types import Body, Bools, Floats, Fragments, Frozen, Ints

_Singles = NDArray[np.float32]


def corner_points(fragments: Fragments) -> Ints:
    """(N,) packed vertex of each corner."""
    first = np.repeat(fragments.vertex_start[:-1], np.diff(fragments.corner_start[fragments.face_start]))
    result: Ints = fragments.corner_vertex + first
    return result


@dataclass(frozen=True, eq=False, slots=True)
class Spots(Frozen):
    """Places on the source that get a value each, by corners of fragments that lie there."""

    corner: Ints  #: (n,) packed corner
    row: Ints  #: (n,) source triangle
    target: Ints  #: (n,) what gets the value: the corner, or the packed vertex that the corner is


def corner_triangles(fragments: Fragments) -> Ints:
    """(N,) body triangle of each corner, in which its weights are; -1 on inner faces."""
    if len(fragments.corner_triangle):
        return fragments.corner_triangle
    result: Ints = fragments.face_triangle[packed.owners(fragments.corner_start)]
    return result


def outer_spots(fragments: Fragments, row: Ints) -> tuple[Spots, Spots]:
    """All corners that lie on the source, and one corner for each vertex there: the first that it has.

    `row (N,)` is the source triangle of each corner, -1 where it lies on none.
    """
    corner = np.flatnonzero(row >= 0)
    point = corner_points(fragments)[corner]
    chosen = np.full(len(fragments.vertices), -1, np.int64)
    # Backwards, so that the first corner of a vertex wins.
    chosen[point[::-1]] = corner[::-1]
    vertex = np.flatnonzero(chosen >= 0)
    chosen = chosen[vertex]
    return Spots(corner, row[corner], corner), Spots(chosen, row[chosen], vertex)


def source_weights(fragments: Fragments, body: Body) -> Floats:
    """(N,3) barycentric coordinates of each corner in the source triangle of its own; 0 on inner faces.

    Corners of the body's triangles keep their `Body.weight` to the bit: a weight of 1 among zeros is exact.
    """
    if len(body.weight) == 0:
        return fragments.corner_weight
    triangle = corner_triangles(fragments)
    corner = np.flatnonzero(triangle >= 0)
    result = np.zeros(fragments.corner_weight.shape)
    result[corner] = _in_source(fragments.corner_weight[corner], triangle[corner], body)
    return result


def following_weights(fragments: Fragments, body: Body, weight: Floats) -> Floats:
    """(N,3) barycentric coordinates of the end of each side in the source triangle in which it began.

    `weight (N,3)` are those of all corners, from `source_weights`.
    """
    following = packed.following(fragments.corner_start)
    result: Floats = weight[following]
    if len(fragments.corner_triangle) == 0:
        return result
    triangle = fragments.corner_triangle
    strange = np.flatnonzero(triangle != triangle[following])
    here, end = triangle[strange], following[strange]
    share = weights_in(body, triangle[end], fragments.corner_weight[end], here)
    result[strange] = _in_source(share, here, body) if len(body.weight) else share
    return result


def _in_source(share: Floats, triangle: Ints, body: Body) -> Floats:
    """Barycentric coordinates (n,3) in body triangles as those in their source triangles."""
    mixed: Floats = share[:, :1] * body.weight[triangle, 0]
    for k in (1, 2):
        mixed += share[:, k : k + 1] * body.weight[triangle, k]
    return mixed


def against_source(body: Body) -> Bools:
    """(T,) triangles that look to the other side than their source triangle: their corners run the other way.

    All of a flat face look to one side, which is told by their whole area: slivers say nothing.
    """
    if len(body.weight) == 0:
        return np.zeros(len(body.triangles), np.bool_)
    a, b, c = body.weight[:, 0], body.weight[:, 1], body.weight[:, 2]
    area = dot(a, cross_rows(b, c))
    if len(body.polygon):
        area = np.bincount(body.polygon, area, len(area))[body.polygon]
    result: Bools = area < 0.0
    return result


def spread_values(values: NDArray[Any], table: Ints, spots: Spots, weight: Floats, result: _Singles) -> None:
    """Write the mean of three rows of the source to each spot.

    Args:
        values: (M,d) of the source, taken as float32.
        table: (T,3) row of `values` at each corner of the source's triangles.
        spots: from `outer_spots`.
        weight: (N,3) of all corners, from `source_weights`.
        result: (n,d), filled in place; other rows are left as they are.

    Where a weight is 1 to rounding and the others 0 the source's value comes back bit for bit.

    """
    _spread(
        np.ascontiguousarray(values, np.float32),
        sealed_ints(table),
        spots.corner,
        spots.row,
        sealed_floats(weight),
        spots.target,
        result,
    )


@njit
def _spread(
    values: _Singles,
    table: Ints,
    corner: Ints,
    row: Ints,
    weight: Floats,
    target: Ints,
    result: _Singles,
) -> None:
    width = values.shape[1]
    for n in range(len(corner)):
        i, t, at = corner[n], row[n], target[n]
        a, b, c = table[t, 0], table[t, 1], table[t, 2]
        u, v, w = weight[i, 0], weight[i, 1], weight[i, 2]
        for j in range(width):
            result[at, j] = u * values[a, j] + v * values[b, j] + w * values[c, j]


def nearest_source(table: Ints, spots: Spots, weight: Floats) -> Ints:
    """(n,) the source's row that weighs most at each spot: for values that cannot be mixed, as integers and flags."""
    result: Ints = table[spots.row, np.argmax(weight[spots.corner], axis=1)]
    return result


def mixed_turns(values: NDArray[Any], table: Ints, spots: Spots, weight: Floats) -> Floats:
    """(n,4) unit quaternions between three of `values (M,4)`: of q and -q, the one nearest to the heaviest counts."""
    corners = values[table[spots.row]].astype(np.float64)
    share = weight[spots.corner]
    heaviest = corners[np.arange(len(corners)), np.argmax(share, axis=1)]
    sign = np.where(apply(corners, heaviest) < 0.0, -1.0, 1.0)
    return normalized(apply(np.swapaxes(corners, 1, 2), sign * share))
