"""Delaunay tetrahedra of given points as a face-to-face complex. Four far corners enclose the body."""

from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..jit import device, njit
from ..types import Floats, Ints, Partition
from .delaunay import TetrahedraTable, along_curve, delaunay, far_corners
from .dual import pairs_of_triangles, put_sites

#: Heights of tetrahedra below this, relative to the sum of their terms, are not told from zero. Chosen: some forty
#: roundings.
_DOUBT = 4e-15


class Tetrahedra(NamedTuple):
    """Tetrahedra that fill a large tetrahedron, face to face."""

    vertices: Floats  #: (V,3) [m]
    corners: TetrahedraTable  #: (M,4) vertices of each
    neighbours: TetrahedraTable  #: (M,4) tetrahedron opposite to each corner, -1 outside
    number: Ints  #: (V,) a permutation: how the vertices are numbered in the partition


class _Faces(NamedTuple):
    """Triangles between tetrahedra, as they are found."""

    regions: Ints  #: (F,2) tetrahedra lo, hi; -1 outside
    corners: TetrahedraTable  #: (F,3) points, ascending
    turn: Ints  #: (F,) +1 where the normal is that of the corners in this order, else -1
    normal: Floats  #: (F,3) unit, from lo to hi
    of_region: Ints  #: (M,4) face opposite to each corner


def delaunay_complex(points: Floats, low: Floats, high: Floats) -> Partition:
    """The Delaunay tetrahedra of `points` and of four far corners, as a Partition with a region for each.

    points (N,3) [m], free of coincidences and not on regular lattices (jitter them by 1e-6 of the diagonal); low, high
    (3,) the box of the body [m]. The first N vertices of the partition are the points. Tetrahedra at the far corners
    lie outside of the points' convex hull: where the body shall have none of them, points must surround it.

    Raises CutError where round-off decides the shape of a tetrahedron, or points coincide. Another jitter cures both.
    """
    return as_partition(tetrahedra_between(points, low, high))


def tetrahedra_between(points: Floats, low: Floats, high: Floats) -> Tetrahedra:
    """The Delaunay tetrahedra of `points` and of four far corners; see `delaunay_complex`."""
    points = np.ascontiguousarray(points, np.float64)
    low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
    far = far_corners(np.concatenate([points, [low, high]]))
    order = along_curve(points)
    vertices = np.concatenate([points[order], far])
    corners, neighbours = delaunay(vertices - 0.5 * (low + high))
    return Tetrahedra(vertices, corners, neighbours, np.concatenate([order, len(points) + np.arange(4)]))


def as_partition(made: Tetrahedra) -> Partition:
    """A Partition with a region for each tetrahedron, in their order.

    Raises CutError where round-off decides the shape of a tetrahedron, or they do not fit each other.
    """
    vertices, corners, neighbours, number = made
    faces = _faces(vertices, corners, neighbours)
    count = len(faces.turn)
    start = 3 * np.arange(count + 1)
    pairs = pairs_of_triangles(vertices, faces.corners, faces.turn, start, len(vertices))
    numbered = np.empty_like(vertices)
    numbered[number] = vertices
    return Partition(
        vertices=numbered,
        edge_vertices=number[pairs.sites],
        edge_line=np.stack([pairs.middle, pairs.direction], axis=1),
        facet_regions=faces.regions,
        facet_normal=faces.normal,
        facet_point=vertices[faces.corners[:, 0]],
        facet_start=start,
        facet_edge=pairs.of_triangle,
        facet_edge_sign=(faces.turn[:, None] * np.array([1, -1, 1])).ravel(),
        region_start=4 * np.arange(len(corners) + 1),
        region_facet=faces.of_region.ravel(),
        edge_start=pairs.start,
        edge_facet=pairs.triangle,
        site=vertices[corners].mean(axis=1),
        group=np.arange(len(corners)),
        facet_strength=np.ones(count),
    )


def _faces(points: Floats, corners: TetrahedraTable, neighbours: TetrahedraTable) -> _Faces:
    """All triangles of the tetrahedra. Raises CutError where one does not part the corners on its two sides."""
    room = (4 * len(corners) + int(np.count_nonzero(neighbours < 0))) // 2
    faces = _Faces(
        regions=np.empty((room, 2), np.int64),
        corners=np.empty((room, 3), np.int32),
        turn=np.empty(room, np.int64),
        normal=np.empty((room, 3)),
        of_region=np.empty((len(corners), 4), np.int64),
    )
    count = _find_faces(points, corners, neighbours, faces)
    if count != room:
        raise CutError("Points of the pattern are so regular that round-off decides the shape of a piece.")
    return faces


@device
def _put_face(points: Floats, corner: TetrahedraTable, k: int, faces: _Faces, f: int) -> None:
    """The triangle opposite to corner k of a tetrahedron, its normal away from that corner."""
    put_sites(corner, k, faces.corners[f])
    o, i, j = faces.corners[f, 0], faces.corners[f, 1], faces.corners[f, 2]
    ox, oy, oz = points[o, 0], points[o, 1], points[o, 2]
    ax, ay, az = points[i, 0] - ox, points[i, 1] - oy, points[i, 2] - oz
    bx, by, bz = points[j, 0] - ox, points[j, 1] - oy, points[j, 2] - oz
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    v = corner[k]
    height = nx * (points[v, 0] - ox) + ny * (points[v, 1] - oy) + nz * (points[v, 2] - oz)
    turn = 1 if height < 0.0 else -1
    unit = turn / np.sqrt(nx * nx + ny * ny + nz * nz)
    faces.turn[f] = turn
    faces.normal[f, 0], faces.normal[f, 1], faces.normal[f, 2] = nx * unit, ny * unit, nz * unit


@device
def _above(points: Floats, faces: _Faces, f: int, v: int) -> int:
    """The side of face f on which point v lies: +1, -1, or 0 where round-off decides."""
    o = faces.corners[f, 0]
    height, terms = 0.0, 0.0
    for c in range(3):
        term = faces.normal[f, c] * (points[v, c] - points[o, c])
        height += term
        terms += abs(term)
    if not abs(height) > _DOUBT * terms:
        return 0
    return 1 if height > 0.0 else -1


@njit
def _find_faces(points: Floats, corners: TetrahedraTable, neighbours: TetrahedraTable, faces: _Faces) -> int:
    """Fill all tables; returns the number of faces, or -1 where a face does not part the corners on its two sides."""
    f: int = np.int64(0)  # type: ignore[assignment]  # a plain one would compile what it goes into twice
    for t in range(len(corners)):
        for k in range(4):
            n = neighbours[t, k]
            if 0 <= n < t:
                continue
            if f >= len(faces.turn):
                return -1
            _put_face(points, corners[t], k, faces, f)
            if _above(points, faces, f, corners[t, k]) != -1:
                return -1
            faces.regions[f, 0], faces.regions[f, 1] = t, n
            faces.of_region[t, k] = f
            for j in range(4):
                if n >= 0 and neighbours[n, j] == t:
                    faces.of_region[n, j] = f
                    if _above(points, faces, f, corners[n, j]) != 1:
                        return -1
            f += 1
    return f
