"""The rim of broken faces: where the warped facets meet the artist's triangles.

The cutter saw straight triangles between bent corners, so its points on the rim lie beside the warped facets by up to
the tolerance of the refinement. They are moved, within their triangle or along its edge, to where the warped facet
meets it: with x = W(u) on the triangle and u on the planes of the facets, a few steps of Newton's method for both.
What would turn a rim around, or leave its triangle, stays where the cutter put it.
"""

from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply
from ..geometry import packed
from ..geometry.corner_values import blend
from ..geometry.vectors import Vector, cross3, dot3, minus, row, unit
from ..jit import device_no_refs, njit_no_refs, sealed_floats
from ..types import Body, Bools, Cells, Floats, Ints
from .bend import Bend, BendField, bent, bent_slope_at
from .boundary import Boundary

#: Of Newton's at most; 2 were tried before.
_STEPS = 8
#: Planes that meet the directions of a point at less than this share of a right angle count as one. Chosen.
_STEEP = 1e-3
#: In the place of 0 below a fraction.
_TINY = 1e-300
#: Squared sine of the angle between two planes of facets from which on they hold a point on a line. An angle of 1e-4:
#: chosen.
_APART = 1e-8
#: Points that would go farther than so many tolerances stay, and those whose last step is not shorter than that: of
#: Newton's method it leaves an error of its square. By eye.
_FAR, _CLOSE = 4.0, 0.03
#: A rim keeps at least this share of its length along the direction that it had. By eye.
KEPT = 0.1


class _Skin(NamedTuple):
    """Where vertices lie on the body, by their first outer corners."""

    triangle: Ints  #: (V,) body triangle that holds it, -1 inside of the body
    weight: Floats  #: (V,3) where in it; not set inside of the body


class _Rim(NamedTuple):
    """Outer vertices that inner faces use, but for the artist's own."""

    vertex: Ints  #: (n,)
    number: Ints  #: (V,) its row here, -1 for others
    bond: Ints  #: (n,2) one or two bonds in whose planes it lies, -1 where there is only one


class _Border(NamedTuple):
    """The loops around bonds."""

    start: Ints  #: (L+1,)
    vertex: Ints  #: (N,)
    bond: Ints  #: (L,)


class _OuterFaces(NamedTuple):
    """The faces of cells on the body."""

    start: Ints  #: (F+1,)
    vertex: Ints
    triangle: Ints  #: (F,) of the body


class _Mesh(NamedTuple):
    """The body."""

    triangles: Ints  #: (T,3)
    vertices: Floats  #: (P,3)


class _Place(NamedTuple):
    """Positions of all vertices (V,3)."""

    flat: Floats
    real: Floats


def project_rim(
    cells: Cells, boundary: Boundary, body: Body, bend: Bend, tolerance: float
) -> tuple[Floats, Floats, Floats]:
    """Flat and real positions (V,3) of all vertices, and the weights (N,3) of the outer corners.

    `cells` are flat, with outer faces on body triangles; `tolerance` [m] is that of the refinement.
    """
    of_corner = cells.outer_triangle[packed.owners(cells.outer_start)]
    skin, before = _flat_skin(cells, of_corner, body, bend)
    rim = _rim(cells, boundary, skin)
    after, weight = _Place(before.flat.copy(), before.real.copy()), np.empty((len(rim.vertex), 3))
    mesh = _Mesh(body.triangles, body.vertices)
    _solve(bend.field, tolerance, rim, cells.bond_normal, skin, mesh, before, after.flat, weight)
    after.real[rim.vertex] = blend(body.vertices, body.triangles[skin.triangle[rim.vertex]], weight)
    stays = _held_back(cells, body, boundary, rim, before, after)
    weight[stays] = skin.weight[rim.vertex[stays]]
    return after.flat, after.real, _spread(cells, of_corner, skin, rim, weight, body.triangles)


def _flat_skin(cells: Cells, of_corner: Ints, body: Body, bend: Bend) -> tuple[_Skin, _Place]:
    """Where the vertices lie on the body, and where the cutter put them; `of_corner (N,)` are the body triangles."""
    first = np.full(len(cells.vertices), -1)
    first[cells.outer_vertex[::-1]] = np.arange(len(cells.outer_vertex))[::-1]
    outer, inside = np.flatnonzero(first >= 0), np.flatnonzero(first < 0)
    own = cells.outer_weight[first[outer]]
    triangle, weight, real = np.full(len(first), -1), *np.empty((2, len(first), 3))
    triangle[outer], weight[outer] = of_corner[first[outer]], own
    real[outer] = blend(body.vertices, body.triangles[triangle[outer]], own)
    real[inside] = bent(bend, cells.vertices[inside])
    return _Skin(triangle, sealed_floats(weight)), _Place(cells.vertices, sealed_floats(real))


def _rim(cells: Cells, boundary: Boundary, skin: _Skin) -> _Rim:
    """The points of the rim, in the order of the loops."""
    most = min(len(cells.vertices), len(boundary.vertex))
    number, vertex = np.full(len(cells.vertices), -1), np.empty(most, np.int64)
    bond, apart = np.full((most, 2), -1), np.full(most, _APART)
    count = _collect(_border(boundary), cells.bond_normal, skin, _Rim(vertex, number, bond), apart)
    return _Rim(vertex[:count], number, bond[:count])


def _border(boundary: Boundary) -> _Border:
    return _Border(boundary.start, boundary.vertex, boundary.bond)


@njit_no_refs
def _collect(border: _Border, normal: Floats, skin: _Skin, rim: _Rim, apart: Floats) -> int:
    """Number the points of the rim and fill their bonds: the first one, and that whose plane is farthest from its.

    `apart (n,)` are the squared sines between them. Returns how many points there are.
    """
    start, loop_vertex, loop_bond = border
    triangle, weight = skin
    vertex, number, bond = rim
    count = 0
    for loop in range(len(loop_bond)):
        for c in range(start[loop], start[loop + 1]):
            v = loop_vertex[c]
            if triangle[v] < 0 or weight[v, 0] >= 1.0 or weight[v, 1] >= 1.0 or weight[v, 2] >= 1.0:
                continue
            i = number[v]
            if i < 0:
                number[v], vertex[count], bond[count, 0] = count, v, loop_bond[loop]
                count += 1
                continue
            between = cross3(row(normal, bond[i, 0]), row(normal, loop_bond[loop]))
            if dot3(between, between) > apart[i]:
                apart[i], bond[i, 1] = dot3(between, between), loop_bond[loop]
    return count


@njit_no_refs
def _solve(
    field: BendField, tolerance: float, rim: _Rim, normal: Floats, skin: _Skin, mesh: _Mesh, before: _Place,
    flat: Floats, weight: Floats,
) -> None:  # fmt: skip
    """Move the points of the rim in flat space, and fill their weights in real space; what goes far stays."""
    vertex, bond = rim.vertex, rim.bond
    triangle, weight_before = skin
    triangles, corners = mesh
    flat_before, real_before = before
    for i in range(len(vertex)):
        v, t = vertex[i], triangle[vertex[i]]
        n, was = _normal(corners, triangles, t), row(weight_before, v)
        ways = _ways(corners, triangles, t, n, was)
        x, p = row(real_before, v), row(flat_before, v)
        met, u, last = _met(field, normal, bond[i, 0], bond[i, 1], ways, x, p, _CLOSE * tolerance)
        away = minus(met, x)
        far, close = _FAR * tolerance, _CLOSE * tolerance
        if dot3(away, away) <= far * far and last <= close * close:
            x = met
            flat[v, 0], flat[v, 1], flat[v, 2] = u
        _weigh(corners, triangles, t, n, x, was, weight, i)


@device_no_refs
def _normal(corners: Floats, triangles: Ints, t: int) -> Vector:
    """Normal of a triangle, as long as twice its area."""
    a = row(corners, triangles[t, 0])
    return cross3(minus(row(corners, triangles[t, 1]), a), minus(row(corners, triangles[t, 2]), a))


@device_no_refs
def _ways(corners: Floats, triangles: Ints, t: int, n: Vector, weight: Vector) -> tuple[Vector, Vector]:
    """Two orthonormal directions in which a point may move: in its triangle, or (then one is 0) along its edge."""
    opposite = 2
    if weight[0] == 0.0:
        opposite = 0
    elif weight[1] == 0.0:
        opposite = 1
    a, b = row(corners, triangles[t, (opposite + 1) % 3]), row(corners, triangles[t, (opposite + 2) % 3])
    one = unit(minus(b, a))
    return one, (0.0, 0.0, 0.0) if weight[opposite] == 0.0 else unit(cross3(n, one))


@device_no_refs
def _met(
    field: BendField,
    normal: Floats,
    one: int,
    other: int,
    ways: tuple[Vector, Vector],
    x: Vector,
    p: Vector,
    enough: float,
) -> tuple[Vector, Vector, float]:
    """Newton's method until a step is below `enough` [m]: x, u, and the square of the last step of u.

    With J = W'(u): J du = (x - W(u)) + D t, and n . du = n . (p - u) on the planes of one or two bonds through p. t is
    the shortest that keeps the planes, or the best one where there are more planes than directions.
    """
    u, last = p, np.inf
    for _ in range(_STEPS):
        w = bent_slope_at(field, u[0], u[1], u[2])
        residual = minus(x, (w[0], w[1], w[2]))
        jx, jy, jz = (w[3], w[4], w[5]), (w[6], w[7], w[8]), (w[9], w[10], w[11])
        # The columns of J^-1 are these by the determinant.
        first, second, third = cross3(jy, jz), cross3(jz, jx), cross3(jx, jy)
        det = dot3(jx, first)
        a, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)  # of each plane: its normal along the ways, and what is to be gone
        for bond in (other, one):
            if bond >= 0:
                n = row(normal, bond)
                q = dot3(n, first) / det, dot3(n, second) / det, dot3(n, third) / det
                a, b = (dot3(q, ways[0]), dot3(q, ways[1]), dot3(n, minus(p, u)) - dot3(q, residual)), a
        steep = a[0] * b[1] - a[1] * b[0]
        if abs(steep) > _STEEP * (a[0] * a[0] + a[1] * a[1] + b[0] * b[0] + b[1] * b[1]):
            s, t = (b[1] * a[2] - a[1] * b[2]) / steep, (a[0] * b[2] - b[0] * a[2]) / steep
        else:
            share = a[2] / max(a[0] * a[0] + a[1] * a[1], _TINY)
            s, t = a[0] * share, a[1] * share
        d, e = ways
        move = s * d[0] + t * e[0], s * d[1] + t * e[1], s * d[2] + t * e[2]
        x = x[0] + move[0], x[1] + move[1], x[2] + move[2]
        residual = residual[0] + move[0], residual[1] + move[1], residual[2] + move[2]
        step = (
            dot3((first[0], second[0], third[0]), residual) / det,
            dot3((first[1], second[1], third[1]), residual) / det,
            dot3((first[2], second[2], third[2]), residual) / det,
        )
        u, last = (u[0] + step[0], u[1] + step[1], u[2] + step[2]), dot3(step, step)
        if last < enough * enough:
            break
    return x, u, last


@device_no_refs
def _weigh(corners: Floats, triangles: Ints, t: int, n: Vector, x: Vector, was: Vector, weight: Floats, i: int) -> None:
    """Fill row i with the barycentric coordinates of a point in a triangle; what leaves its triangle stays as it was.

    Coordinates that were 0 stay 0.
    """
    leaves = False
    for k in range(3):
        a, b = row(corners, triangles[t, (k + 1) % 3]), row(corners, triangles[t, (k + 2) % 3])
        weight[i, k] = dot3(cross3(minus(a, x), minus(b, x)), n) if was[k] > 0.0 else 0.0
        leaves |= (weight[i, k] > 0.0) != (was[k] > 0.0)
    whole = weight[i, 0] + weight[i, 1] + weight[i, 2]
    for k in range(3):
        weight[i, k] = was[k] if leaves else weight[i, k] / whole


def _held_back(cells: Cells, body: Body, boundary: Boundary, rim: _Rim, before: _Place, after: _Place) -> Bools:
    """Put back what would turn borders of inner faces or outer faces around; tells which points (n,) that are."""
    turned, known = np.zeros(len(rim.number), np.bool_), 0
    outer = _OuterFaces(cells.outer_start, cells.outer_vertex, cells.outer_triangle)
    mesh, now = _Mesh(body.triangles, body.vertices), _Place(*(sealed_floats(place) for place in after))
    while True:
        _mark_turned(_border(boundary), outer, mesh, rim.number, before, now, turned)
        stays = turned[rim.vertex]
        back = rim.vertex[stays]
        if len(back) == known:
            return stays
        known = len(back)
        after.flat[back], after.real[back] = before.flat[back], before.real[back]


@njit_no_refs
def _mark_turned(
    border: _Border, outer: _OuterFaces, mesh: _Mesh, number: Ints, before: _Place, now: _Place, turned: Bools
) -> None:
    """Mark the ends of edges of loops that lose their length, in flat or in real space; and, of the outer faces with
    points of the rim, all corners of those that lose their area in real space.
    """
    loop_start, loop_vertex = border.start, border.vertex
    start, vertex, triangle = outer
    triangles, corners = mesh
    flat_before, real_before = before
    flat, real = now
    for loop in range(len(loop_start) - 1):
        a = loop_vertex[loop_start[loop + 1] - 1]
        for c in range(loop_start[loop], loop_start[loop + 1]):
            b = loop_vertex[c]
            if _shrinks(flat_before, flat, a, b) or _shrinks(real_before, real, a, b):
                turned[a], turned[b] = True, True
            a = b
    for face in range(len(triangle)):
        first, end, moves = start[face], start[face + 1], False
        for c in range(first, end):
            moves |= number[vertex[c]] >= 0
        if moves:
            n = _normal(corners, triangles, triangle[face])
            if _area(real, vertex, first, end, n) < KEPT * _area(real_before, vertex, first, end, n):
                for c in range(first, end):
                    turned[vertex[c]] = True


@device_no_refs
def _shrinks(before: Floats, after: Floats, a: int, b: int) -> bool:
    """Whether an edge keeps too little of its length along the direction that it had."""
    along = minus(row(before, b), row(before, a))
    return dot3(along, minus(row(after, b), row(after, a))) < KEPT * dot3(along, along)


@device_no_refs
def _area(place: Floats, vertex: Ints, first: int, end: int, n: Vector) -> float:
    """Twice the area of a face as seen along the normal n of its triangle, times the length of this."""
    area, o = 0.0, row(place, vertex[first])
    a = minus(row(place, vertex[first + 1]), o)
    for c in range(first + 2, end):
        b = minus(row(place, vertex[c]), o)
        area += dot3(cross3(a, b), n)
        a = b
    return area


def _spread(cells: Cells, of_corner: Ints, skin: _Skin, rim: _Rim, weight: Floats, triangles: Ints) -> Floats:
    """The weights (N,3) of all outer corners, with those of the rim's points as they are now."""
    number = rim.number[cells.outer_vertex]
    corner = np.flatnonzero(number >= 0)
    number = number[corner]
    own = of_corner[corner]
    other = skin.triangle[rim.vertex[number]]
    result = cells.outer_weight.copy()
    result[corner] = weight[number]
    # On an edge of the body the weights of its two ends count in both triangles.
    across = np.flatnonzero(own != other)
    same = triangles[own[across], :, None] == triangles[other[across], None, :]
    result[corner[across]] = apply(same, weight[number[across]])
    return result
