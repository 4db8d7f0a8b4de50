"""The rim of broken faces: where the warped facets meet the artist's triangles.

The cutter saw straight triangles between bent corners, so its points on the rim lie beside the warped facets by up to
the tolerance of the refinement. They are moved, within their triangle or along its edge, to where the warped facet
meets it: with x = W(u) on the triangle and u on the planes of the facets, a few steps of Newton's method for both.
What would turn a rim around, or leave its triangle, stays where the cutter put it.
"""

from typing import NamedTuple

import numpy as np

from ...geometry.mesh import cross
from ...types import Body, Bools, Cells, Floats, Ints
from .bend import Bend, bent, jacobians
from .boundary import STRUT, Boundary

STEPS = 2
#: Squared sine of the angle between two planes of facets from which on they hold a point on a line.
APART = 1e-8
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
    corner = body.vertices[body.triangles[cells.outer_triangle]]
    first = _first_corners(cells)
    skin = np.flatnonzero(first >= 0)
    face = np.repeat(np.arange(len(cells.outer_triangle)), np.diff(cells.outer_start))
    real = np.empty_like(cells.vertices)
    real[skin] = _mixed(cells.outer_weight[first[skin]], corner[face[first[skin]]])
    inside = np.flatnonzero(first < 0)
    real[inside] = bent(bend, cells.vertices[inside])
    points = _rim_points(cells, boundary, first, face)
    place = body.vertices[body.triangles[points.triangle]]
    x0, u0 = real[points.vertex], cells.vertices[points.vertex]
    x, u = _solved(points, place, x0, u0, bend, 4.0 * tolerance)
    weight = _weights(x, place, points.weight)
    x = _mixed(weight, place)
    stays = _turned(boundary, points, real, x)
    weight, x, u = (np.where(stays[:, None], a, b) for a, b in ((points.weight, weight), (x0, x), (u0, u)))
    flat = cells.vertices.copy()
    flat[points.vertex], real[points.vertex] = u, x
    return flat, real, _spread(cells, points, weight, body, face)


def _first_corners(cells: Cells) -> Ints:
    """(V,) the first outer corner that is each vertex, -1 for none."""
    first = np.full(len(cells.vertices), -1)
    first[cells.outer_vertex[::-1]] = np.arange(len(cells.outer_vertex))[::-1]
    return first


def _mixed(weight: Floats, corner: Floats) -> Floats:
    result: Floats = weight[:, :1] * corner[:, 0]
    for k in (1, 2):
        result += weight[:, k : k + 1] * corner[:, k]
    return result


def _rim_points(cells: Cells, boundary: Boundary, first: Ints, face: Ints) -> _Points:
    """Outer vertices that inner faces use, with the planes of these."""
    bond = np.repeat(boundary.bond, np.diff(boundary.start))
    outer = first[boundary.vertex] >= 0
    pair = np.unique(boundary.vertex[outer] * len(cells.bond_cells) + bond[outer])
    vertex, bond = pair // len(cells.bond_cells), pair % len(cells.bond_cells)
    unique, begin, owner = np.unique(vertex, return_index=True, return_inverse=True)
    owner = owner.reshape(-1)
    normal = cells.bond_normal[bond]
    one = normal[begin]
    apart = (cross(one[owner], normal) ** 2).sum(axis=1)
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
    one = np.where(edge[:, None], along, side)
    one = _unit(one)
    other = _unit(cross(normal, one))
    other[edge] = 0.0
    return np.stack([one, other], axis=1)


def _unit(v: Floats) -> Floats:
    length = np.sqrt((v**2).sum(axis=1))[:, None]
    return np.asarray(v / np.where(length > 0.0, length, 1.0))


def _solved(points: _Points, place: Floats, x: Floats, u: Floats, bend: Bend, limit: float) -> tuple[Floats, Floats]:
    """Newton's method for W(u) = x, with u on the planes and x in the triangle; at most `limit` [m] away.

    With D the directions of x and J = W'(u): J du = (x - W(u)) + D t, and n . du = n . (p - u) on each plane.
    """
    D = _directions(points, place)
    start = x
    for _ in range(STEPS):
        inverse = _inverse(jacobians(bend, u))
        r = x - bent(bend, u)
        t = _step(points, D, inverse, r, u)
        dx = t[:, :1] * D[:, 0] + t[:, 1:] * D[:, 1]
        u = u + np.einsum("nij,nj->ni", inverse, r + dx)
        x = x + dx
    far = ((x - start) ** 2).sum(axis=1) > limit * limit
    x = np.where(far[:, None], start, x)
    return x, u


def _step(points: _Points, D: Floats, inverse: Floats, r: Floats, u: Floats) -> Floats:
    """The shortest t (n,2) that keeps the planes, or the best one where there are more planes than directions."""
    A, c = np.empty((len(u), 2, 2)), np.empty((len(u), 2))
    for k in range(2):
        n = points.normal[:, k]
        g = np.einsum("ni,nij->nj", n, inverse)
        for j in range(2):
            A[:, k, j] = (g * D[:, j]).sum(axis=1)
        c[:, k] = (n * (points.point - u)).sum(axis=1) - (g * r).sum(axis=1)
    det = A[:, 0, 0] * A[:, 1, 1] - A[:, 0, 1] * A[:, 1, 0]
    scale = (A**2).sum(axis=(1, 2))
    both = np.abs(det) > 1e-3 * np.maximum(scale, 1e-300)
    safe = np.where(both, det, 1.0)
    t = np.stack([A[:, 1, 1] * c[:, 0] - A[:, 0, 1] * c[:, 1], A[:, 0, 0] * c[:, 1] - A[:, 1, 0] * c[:, 0]], axis=1)
    one = A[:, 0] * (c[:, 0] / np.maximum((A[:, 0] ** 2).sum(axis=1), 1e-300))[:, None]
    return np.where(both[:, None], t / safe[:, None], one)


def _inverse(J: Floats) -> Floats:
    a, b, c = J[:, :, 0], J[:, :, 1], J[:, :, 2]
    rows = np.stack([cross(b, c), cross(c, a), cross(a, b)], axis=1)
    det = (a * rows[:, 0]).sum(axis=1)
    return np.asarray(rows / det[:, None, None])


def _weights(x: Floats, place: Floats, before: Floats) -> Floats:
    """Barycentric coordinates (n,3) of points in triangles `place (n,3,3)`; what leaves its triangle stays `before`.

    Coordinates that were 0 stay 0.
    """
    a, b, c = (place[:, k] for k in range(3))
    normal = cross(b - a, c - a)
    w = np.stack([(cross(q - x, s - x) * normal).sum(axis=1) for q, s in ((b, c), (c, a), (a, b))], axis=1)
    w[before == 0.0] = 0.0
    total = w.sum(axis=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        w = w / total
    good = np.isfinite(w).all(axis=1) & ((w > 0.0) == (before > 0.0)).all(axis=1)
    return np.where(good[:, None], w, before)


def _turned(boundary: Boundary, points: _Points, real: Floats, x: Floats) -> Bools:
    """Which points (n,) may not move, for parts of the rim would turn around."""
    number = np.full(len(real), -1)
    number[points.vertex] = np.arange(len(points.vertex))
    rim = np.flatnonzero(boundary.side != STRUT)
    last = np.arange(len(boundary.vertex)) + 1
    last[boundary.start[1:] - 1] = boundary.start[:-1]
    a, b = boundary.vertex[rim], boundary.vertex[last[rim]]
    before = real[b] - real[a]
    stays = np.zeros(len(x), np.bool_)
    while True:
        now = real.copy()
        now[points.vertex[~stays]] = x[~stays]
        wrong = (before * (now[b] - now[a])).sum(axis=1) < KEPT * (before**2).sum(axis=1)
        ends = np.concatenate([number[a[wrong]], number[b[wrong]]])
        ends = ends[ends >= 0]
        if stays[ends].all():
            return stays
        stays[ends] = True


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
