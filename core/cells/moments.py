"""Mass properties of cells: exact integrals over fans of tetrahedra from a point of the cell itself."""

import numpy as np

from ..jit import njit
from ..types import Floats, Ints


@njit
def cell_moments(
    start: Ints, vertex: Ints, faces: Ints, flip: Ints, cell: Ints, position: Floats, outer: int, count: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Volume (C,), centroid (C,3), second moment about the centroid (C,3,3), and outer area (C,) of each cell.

    Side i of cell[i] runs along the corners of faces[i], backwards where flip[i] is -1; the
    first `outer` sides are skin. A tetrahedron (o,a,b,c) of
    volume V has the integral of x x^T about o: V/20 (aa + bb + cc + ss) with s = a + b + c. The point o is the mean of
    some vertices of the cell: a common origin would leave small cells with the round-off of their distance from it.
    """
    origin = np.zeros((count, 3))
    corners = np.zeros(count)
    for i in range(len(faces)):
        for c in range(start[faces[i]], start[faces[i] + 1]):
            corners[cell[i]] += 1.0
            for d in range(3):
                origin[cell[i], d] += position[vertex[c], d]
    for k in range(count):
        for d in range(3):
            origin[k, d] /= max(corners[k], 1.0)
    volume = np.zeros(count)
    first = np.zeros((count, 3))
    second = np.zeros((count, 3, 3))
    surface = np.zeros(count)
    a, b, p, s, area = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(faces)):
        k = cell[i]
        begin = start[faces[i]]
        v0 = vertex[begin]
        for d in range(3):
            area[d] = 0.0
            p[d] = position[v0, d] - origin[k, d]
        for c in range(begin + 1, start[faces[i] + 1] - 1):
            for d in range(3):
                a[d] = position[vertex[c], d] - origin[k, d]
                b[d] = position[vertex[c + 1], d] - origin[k, d]
                s[d] = p[d] + a[d] + b[d]
            tetrahedron = 0.0
            for d in range(3):
                e, f = (d + 1) % 3, (d + 2) % 3
                tetrahedron += p[d] * (a[e] * b[f] - a[f] * b[e])
                area[d] += 0.5 * ((a[e] - p[e]) * (b[f] - p[f]) - (a[f] - p[f]) * (b[e] - p[e]))
            tetrahedron *= flip[i] / 6.0
            volume[k] += tetrahedron
            for d in range(3):
                first[k, d] += tetrahedron * s[d] / 4.0
                for e in range(3):
                    product = p[d] * p[e] + a[d] * a[e] + b[d] * b[e] + s[d] * s[e]
                    second[k, d, e] += tetrahedron * product / 20.0
        if i < outer:
            surface[k] += np.sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2])
    centroid = np.empty((count, 3))
    for k in range(count):
        for d in range(3):
            centroid[k, d] = first[k, d] / volume[k] if volume[k] != 0.0 else 0.0
        for d in range(3):
            for e in range(3):
                second[k, d, e] -= volume[k] * centroid[k, d] * centroid[k, e]
        for d in range(3):
            centroid[k, d] += origin[k, d]
    return volume, centroid, second, surface


def triangle_volume(vertices: Floats, triangles: Ints) -> float:
    """Volume inside a closed triangle mesh, as seen from the middle of its vertices' box."""
    return float(_volume(vertices, triangles, 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))))


@njit
def _volume(vertices: Floats, triangles: Ints, middle: Floats) -> float:
    volume = 0.0
    for t in range(len(triangles)):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        for d in range(3):
            e, f = (d + 1) % 3, (d + 2) % 3
            cross = (vertices[j, e] - middle[e]) * (vertices[k, f] - middle[f])
            cross -= (vertices[j, f] - middle[f]) * (vertices[k, e] - middle[e])
            volume += (vertices[i, d] - middle[d]) * cross / 6.0
    return volume
