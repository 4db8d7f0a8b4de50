"""The mesh on its way up the ladder: triangles that know where they came from."""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry.barycentric import barycentric
from ..geometry.mesh import diagonal
from ..types import Bools, Floats, Frozen, Ints, Made

TURNED = (0, 2, 1)  # the corners of a triangle that faces the other way
#: A corner this near to a corner or side of its parent, relative to the diagonal, lies on it. More than the jitter with
#: which coinciding faces are parted; values carried there differ by as little. Chosen.
_NEAR = 1e-8


@dataclass(frozen=True, eq=False, slots=True)
class RawSurface(Frozen):
    """As `types.Body`, of which it becomes one, without its promises."""

    vertices: Floats  #: (V,3) in the object's own axes [m]
    triangles: Ints  #: (T,3)
    source: Ints  #: (T,) row of the Mesh's triangle table
    weight: Floats  #: (T,3,3) barycentric coordinates of each corner in its source triangle
    made: Ints  #: (T,) a `Made`
    back: Ints  #: (T,) row of the Mesh's triangle that was the other side of a double-sided face, -1 for most
    back_corner: Ints  #: (T,3) corner of that triangle at each corner of the source triangle


def own(vertices: Floats, triangles: Ints, source: Ints) -> RawSurface:
    """A surface whose triangles are the artist's own, corner by corner."""
    count = len(triangles)
    return RawSurface(
        vertices,
        triangles,
        source,
        np.broadcast_to(np.eye(3), (count, 3, 3)),
        np.full(count, Made.OWN),
        np.full(count, -1),
        np.broadcast_to(np.arange(3), (count, 3)),
    )


def chosen(surface: RawSurface, rows: Ints | Bools) -> RawSurface:
    """The triangles of the given rows, all vertices kept."""
    return RawSurface(
        surface.vertices,
        surface.triangles[rows],
        surface.source[rows],
        surface.weight[rows],
        surface.made[rows],
        surface.back[rows],
        surface.back_corner[rows],
    )


def cornered(surface: RawSurface, vertices: Floats, triangles: Ints, parent: Ints, corner: Ints) -> RawSurface:
    """New triangles (n,3) of new vertices; corner k of row i is what was corner `corner[i, k]` of row `parent[i]`."""
    rows = chosen(surface, parent)
    weight = np.take_along_axis(rows.weight, np.asarray(corner)[:, :, None], axis=1)
    return replace(rows, vertices=vertices, triangles=triangles, weight=weight)


def turn_triangles(surface: RawSurface, flip: Bools) -> RawSurface:
    """The same surface; the triangles in `flip (T,)` face the other way."""
    if not flip.any():
        return surface
    corner = turned_corners(flip)
    triangles = np.take_along_axis(surface.triangles, corner, axis=1)
    return cornered(surface, surface.vertices, triangles, np.arange(len(flip)), corner)


def turned_corners(flip: Bools) -> Ints:
    """(T,3) the corners of triangles of which some face the other way."""
    return np.where(np.asarray(flip)[:, None], np.array(TURNED), np.arange(3))


def rebuilt(surface: RawSurface, vertices: Floats, triangles: Ints, parent: Ints) -> RawSurface:
    """New triangles (n,3) of new vertices, each within the triangle `parent (n,)` of the surface, or on its border."""
    rows = chosen(surface, parent)
    # Most are whole: their corners are the parent's, bit by bit. Others are, but for where they begin.
    place, corner = vertices.take(triangles, axis=0), surface.vertices.take(surface.triangles[parent], axis=0)
    other = np.flatnonzero((place != corner).reshape(-1, 9).any(axis=1))
    place, corner = place[other], corner[other]
    begin = np.argmax((place[:, :1] == corner).all(axis=2), axis=1)
    order = ((begin[:, None] + np.arange(3)) % 3)[:, :, None]
    weight, own = rows.weight.copy(), rows.weight[other]
    weight[other] = np.take_along_axis(own, order, axis=1)
    part = np.flatnonzero((place != np.take_along_axis(corner, order, axis=1)).any(axis=(1, 2)))
    near = _NEAR * diagonal(surface.vertices)
    inner = barycentric(np.repeat(corner[part], 3, axis=0), place[part].reshape(-1, 3), near).reshape(-1, 3, 3)
    weight[other[part]] = products(inner, own[part])
    return replace(rows, vertices=vertices, triangles=triangles, weight=weight)


def products(a: Floats, b: Floats) -> Floats:
    """Matrix products of (n,3,3), number by number: a third of the time of einsum on rows of three."""
    left, right = (np.ascontiguousarray(matrix.reshape(-1, 9).T).reshape(3, 3, -1) for matrix in (a, b))
    result = np.empty(left.shape)
    for i in range(3):
        for j in range(3):
            result[i, j] = left[i, 0] * right[0, j] + left[i, 1] * right[1, j] + left[i, 2] * right[2, j]
    return np.ascontiguousarray(result.reshape(9, -1).T).reshape(-1, 3, 3)


def inherited(surface: RawSurface, vertices: Floats, triangles: Ints, parent: Ints, corner: Ints) -> RawSurface:
    """As `cornered` for triangles that are all there is of their parent, as `rebuilt` for parts of one."""
    result = cornered(surface, vertices, triangles, parent, corner)
    several = np.flatnonzero(np.bincount(parent, minlength=len(surface.triangles))[parent] > 1)
    if len(several) == 0:
        return result
    weight = result.weight.copy()
    weight[several] = rebuilt(surface, vertices, triangles[several], parent[several]).weight
    return replace(result, weight=weight)


def joined(parts: list[RawSurface]) -> RawSurface:
    """Several surfaces as one; no vertices are shared."""
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    triangles = [part.triangles + at for part, at in zip(parts, first[:-1], strict=True)]
    return RawSurface(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate(triangles),
        np.concatenate([part.source for part in parts]),
        np.concatenate([part.weight for part in parts]),
        np.concatenate([part.made for part in parts]),
        np.concatenate([part.back for part in parts]),
        np.concatenate([part.back_corner for part in parts]),
    )


def compact(surface: RawSurface) -> RawSurface:
    """Without the vertices that no triangle uses."""
    vertices, triangles = used_vertices(surface.vertices, surface.triangles)
    return replace(surface, vertices=vertices, triangles=triangles)


def used_vertices(vertices: Floats, triangles: Ints) -> tuple[Floats, Ints]:
    """The vertices that triangles use, and the triangles of these."""
    used = np.zeros(len(vertices), dtype=np.bool_)
    used[triangles] = True
    if used.all():
        return vertices, triangles
    return vertices[used], (np.cumsum(used) - 1)[triangles]
