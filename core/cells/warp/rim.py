"""The rim of broken faces: where the warped facets meet the artist's triangles.

The cutter saw straight triangles between bent corners, so its points on the rim lie beside the warped facets by up to
the tolerance of the refinement. They are moved, within their triangle or along its edge, to where the warped facet
meets it: with x = W(u) on the triangle and u on the planes of the facets, a few steps of Newton's method for both.
What would turn a rim around, or leave its triangle, stays where the cutter put it.
"""

from typing import NamedTuple

import numpy as np

from ...geometry.mesh import cross
from ...jit import lean, sealed_floats
from ...types import Body, Bools, Cells, Floats, Ints
from .. import packed
from ..corners import blend, normalized
from .bend import Bend, Field, bent, bent_slope_at
from .boundary import Boundary

STEPS = 8
#: Planes that meet the directions of a point at less than this share of a right angle count as one.
STEEP = 1e-3
TINY = 1e-300
#: Squared sine of the angle between two planes of facets from which on they hold a point on a line.
APART = 1e-8
#: Points that would go farther than so many tolerances stay, and those whose last step is not shorter than that: of
#: Newton's method it leaves an error of its square.
FAR, CLOSE = 4.0, 0.03
#: A rim keeps at least this share of its length along the direction that it had.
KEPT = 0.1


class _Points(NamedTuple):
    """The points of the rim."""

    vertex: Ints  #: (n,) of the cells
    triangle: Ints  #: (n,) a body triangle that holds it
    weight: Floats  #: (n,3) where in it
    normal: Floats  #: (n,2,3) of one or two planes of facets; zero where there is only one
    point: Floats  #: (n,3) on these planes


def settled(
    cells: Cells, boundary: Boundary, body: Body, bend: Bend, tolerance: float
) -> tuple[Floats, Floats, Floats]:
    """Flat and real positions (V,3) of all vertices, and the weights (N,3) of the outer corners.

    `cells` are flat, with outer faces on body triangles; `tolerance` [m] is that of the refinement.
    """
    first = _first_corners(cells)
    skin = np.flatnonzero(first >= 0)
    face = packed.owners(cells.outer_start)
    real = np.empty_like(cells.vertices)
    row = body.triangles[cells.outer_triangle[face[first[skin]]]]
    real[skin] = blend(body.vertices, row, cells.outer_weight[first[skin]])
    inside = np.flatnonzero(first < 0)
    real[inside] = bent(bend, cells.vertices[inside])
    points = _rim_points(cells, boundary, first, face)
    place = body.vertices[body.triangles[points.triangle]]
    x0, u0 = real[points.vertex], cells.vertices[points.vertex]
    x, u = _solved(points, place, x0, u0, bend, tolerance)
    weight = _weights(x, place, points.weight)
    x = blend(body.vertices, body.triangles[points.triangle], weight)
    stays = _turned(cells, body, boundary, points, (real, cells.vertices), (x, u))
    weight, x, u = (np.where(stays[:, None], a, b) for a, b in ((points.weight, weight), (x0, x), (u0, u)))
    flat = cells.vertices.copy()
    flat[points.vertex], real[points.vertex] = u, x
    return flat, real, _spread(cells, points, weight, body, face)


def _first_corners(cells: Cells) -> Ints:
    """(V,) the first outer corner that is each vertex, -1 for none."""
    first = np.full(len(cells.vertices), -1)
    first[cells.outer_vertex[::-1]] = np.arange(len(cells.outer_vertex))[::-1]
    return first


def _rim_points(cells: Cells, boundary: Boundary, first: Ints, face: Ints) -> _Points:
    """Outer vertices that inner faces use, with the planes of these."""
    bond = boundary.bond[packed.owners(boundary.start)]
    outer = first[boundary.vertex] >= 0
    pair = np.unique(boundary.vertex[outer] * len(cells.bond_cells) + bond[outer])
    vertex, bond = pair // len(cells.bond_cells), pair % len(cells.bond_cells)
    unique, begin, owner = np.unique(vertex, return_index=True, return_inverse=True)
    owner = owner.reshape(-1)
    normal = cells.bond_normal[bond]
    one = normal[begin]
    apart = _squared(cross(one[owner], normal))
    best = np.lexsort((np.arange(len(pair)), -apart, owner))[begin]  # `begin` bounds the owners in any order of theirs
    other = np.where((apart[best] > APART)[:, None], normal[best], 0.0)
    corner = first[unique]
    kept = (cells.outer_weight[corner] < 1.0).all(axis=1)  # the artist's own vertices stay
    return _Points(
        unique[kept],
        cells.outer_triangle[face[corner]][kept],
        cells.outer_weight[corner][kept],
        np.stack([one, other], axis=1)[kept],
        cells.vertices[unique][kept],
    )


def _directions(points: _Points, place: Floats) -> Floats:
    """(n,2,3) orthonormal directions in which a point may move: in its triangle, or along the edge that it is on."""
    side = place[:, 1] - place[:, 0]
    normal = cross(side, place[:, 2] - place[:, 0])
    on = points.weight == 0.0
    edge = on.any(axis=1)
    opposite = np.argmax(on, axis=1)
    row = np.arange(len(place))
    along = place[row, (opposite + 2) % 3] - place[row, (opposite + 1) % 3]
    one = normalized(np.where(edge[:, None], along, side))
    other = normalized(cross(normal, one))
    other[edge] = 0.0
    return np.stack([one, other], axis=1)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2])


def _squared(v: Floats) -> Floats:
    """Squared lengths (n,); sums over rows of three take three times as long."""
    return _dot(v, v)


def _solved(
    points: _Points, place: Floats, x: Floats, u: Floats, bend: Bend, tolerance: float
) -> tuple[Floats, Floats]:
    """Points x of the triangles and u of the planes with x = W(u); what goes far or finds no end stays."""
    solved, flat = x.copy(), u.copy()
    directions = _directions(points, place)
    normal, point = sealed_floats(points.normal), sealed_floats(points.point)
    last = np.empty(len(x))
    _solve(bend.field, normal, point, directions, solved, flat, last, CLOSE * tolerance)
    lost = ~((_squared(solved - x) <= (FAR * tolerance) ** 2) & (last <= (CLOSE * tolerance) ** 2))
    solved[lost], flat[lost] = x[lost], u[lost]
    return solved, flat


@lean
def _solve(
    field: Field, normal: Floats, point: Floats, D: Floats, x: Floats, u: Floats, last: Floats, enough: float
) -> None:
    """Newton's method, in place, until a step is below `enough` [m]; `last (n,)` gets the square of the last step of u.

    With J = W'(u): J du = (x - W(u)) + D t, and n . du = n . (p - u) on each plane. t is the shortest that keeps the
    planes, or the best one where there are more planes than directions.
    """
    for i in range(len(x)):
        for _ in range(STEPS):
            w = bent_slope_at(field, u[i, 0], u[i, 1], u[i, 2])
            rx, ry, rz = x[i, 0] - w[0], x[i, 1] - w[1], x[i, 2] - w[2]
            a, b, c, d, e, f, g, h, k = w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]
            A, B, C = e * k - f * h, f * g - d * k, d * h - e * g  # the cofactors of the first row
            det = a * A + b * B + c * C
            p00, p01, p02, p10, p11, p12 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for plane in range(2):
                n0, n1, n2 = normal[i, plane, 0], normal[i, plane, 1], normal[i, plane, 2]
                # Row vector n J^-1.
                q0 = (n0 * A + n1 * B + n2 * C) / det
                q1 = (n0 * (c * h - b * k) + n1 * (a * k - c * g) + n2 * (b * g - a * h)) / det
                q2 = (n0 * (b * f - c * e) + n1 * (c * d - a * f) + n2 * (a * e - b * d)) / det
                right = n0 * (point[i, 0] - u[i, 0]) + n1 * (point[i, 1] - u[i, 1]) + n2 * (point[i, 2] - u[i, 2])
                right -= q0 * rx + q1 * ry + q2 * rz
                one = q0 * D[i, 0, 0] + q1 * D[i, 0, 1] + q2 * D[i, 0, 2]
                other = q0 * D[i, 1, 0] + q1 * D[i, 1, 1] + q2 * D[i, 1, 2]
                if plane == 0:
                    p00, p01, p02 = one, other, right
                else:
                    p10, p11, p12 = one, other, right
            cross_ = p00 * p11 - p01 * p10
            if abs(cross_) > STEEP * (p00 * p00 + p01 * p01 + p10 * p10 + p11 * p11):
                s, t = (p11 * p02 - p01 * p12) / cross_, (p00 * p12 - p10 * p02) / cross_
            else:
                share = p02 / max(p00 * p00 + p01 * p01, TINY)
                s, t = p00 * share, p01 * share
            mx = s * D[i, 0, 0] + t * D[i, 1, 0]
            my = s * D[i, 0, 1] + t * D[i, 1, 1]
            mz = s * D[i, 0, 2] + t * D[i, 1, 2]
            x[i, 0], x[i, 1], x[i, 2] = x[i, 0] + mx, x[i, 1] + my, x[i, 2] + mz
            rx, ry, rz = rx + mx, ry + my, rz + mz
            vx = (A * rx + (c * h - b * k) * ry + (b * f - c * e) * rz) / det
            vy = (B * rx + (a * k - c * g) * ry + (c * d - a * f) * rz) / det
            vz = (C * rx + (b * g - a * h) * ry + (a * e - b * d) * rz) / det
            u[i, 0], u[i, 1], u[i, 2] = u[i, 0] + vx, u[i, 1] + vy, u[i, 2] + vz
            last[i] = vx * vx + vy * vy + vz * vz
            if last[i] < enough * enough:
                break


def _weights(x: Floats, place: Floats, before: Floats) -> Floats:
    """Barycentric coordinates (n,3) of points in triangles `place (n,3,3)`; what leaves its triangle stays `before`.

    Coordinates that were 0 stay 0.
    """
    a, b, c = (place[:, k] for k in range(3))
    normal = cross(b - a, c - a)
    w = np.stack([_dot(cross(q - x, s - x), normal) for q, s in ((b, c), (c, a), (a, b))], axis=1)
    w[before == 0.0] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        w /= (w[:, 0] + w[:, 1] + w[:, 2])[:, None]
    same = (w > 0.0) == (before > 0.0)  # never so where there is no triangle: nan is no number
    return np.where((same[:, 0] & same[:, 1] & same[:, 2])[:, None], w, before)


def _turned(
    cells: Cells,
    body: Body,
    boundary: Boundary,
    points: _Points,
    before: tuple[Floats, Floats],
    moved: tuple[Floats, Floats],
) -> Bools:
    """Which points (n,) may not move, for borders of inner faces or outer faces would turn around.

    `before` are all vertices (V,3), `moved` the points (n,3), in real and in flat space.
    """
    number = np.full(len(before[0]), -1)
    number[points.vertex] = np.arange(len(points.vertex))
    a, b = boundary.vertex, boundary.vertex[packed.following(boundary.start)]
    moving = (number[a] >= 0) | (number[b] >= 0)
    a, b = a[moving], b[moving]
    along = [old[b] - old[a] for old in before]
    least = [KEPT * _squared(old) for old in along]
    start, corner, normal = _moving_faces(cells, body, number)
    face = packed.owners(start)
    smallest = KEPT * _areas(start, corner, before[0], normal)
    stays = np.zeros(len(points.vertex), np.bool_)
    while True:
        real, flat = (_with(old, points.vertex, new, ~stays) for old, new in zip(before, moved, strict=True))
        wrong = _dot(along[0], real[b] - real[a]) < least[0]
        wrong |= _dot(along[1], flat[b] - flat[a]) < least[1]
        turned = corner[(_areas(start, corner, real, normal) < smallest)[face]]
        ends = np.concatenate([number[a[wrong]], number[b[wrong]], number[turned]])
        ends = ends[ends >= 0]
        if stays[ends].all():
            return stays
        stays[ends] = True


def _with(old: Floats, vertex: Ints, new: Floats, which: Bools) -> Floats:
    now = old.copy()
    now[vertex[which]] = new[which]
    return now


def _moving_faces(cells: Cells, body: Body, number: Ints) -> tuple[Ints, Ints, Floats]:
    """The outer faces with points that move: `start (F+1,)`, vertices, and normals (F,3) of their triangles."""
    moves = np.add.reduceat(number[cells.outer_vertex] >= 0, cells.outer_start[:-1]) > 0
    length = np.diff(cells.outer_start)[moves]
    a, b, c = (body.vertices[body.triangles[cells.outer_triangle[moves], k]] for k in range(3))
    corner = cells.outer_vertex[np.repeat(moves, np.diff(cells.outer_start))]
    return packed.starts(length), corner, normalized(cross(b - a, c - a))


def _areas(start: Ints, corner: Ints, place: Floats, normal: Floats) -> Floats:
    """Twice the area of each face, negative where it is turned around against its triangle's normal (F,3)."""
    p = place[corner]
    p -= np.repeat(p[start[:-1]], np.diff(start), axis=0)
    return _dot(np.add.reduceat(cross(p, p[packed.following(start)]), start[:-1]), normal)


def _spread(cells: Cells, points: _Points, weight: Floats, body: Body, face: Ints) -> Floats:
    """The weights (N,3) of all outer corners, with those of the rim's points as they are now."""
    number = np.full(len(cells.vertices), -1)
    number[points.vertex] = np.arange(len(points.vertex))
    corner = np.flatnonzero(number[cells.outer_vertex] >= 0)
    row = number[cells.outer_vertex[corner]]
    own, other = body.triangles[cells.outer_triangle[face[corner]]], body.triangles[points.triangle[row]]
    result = cells.outer_weight.copy()
    # On an edge of the body the weights of its two ends count in both triangles.
    same = own[:, :, None] == other[:, None, :]
    result[corner] = np.einsum("nij,nj->ni", same, weight[row])
    return result
