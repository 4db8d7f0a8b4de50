"""Faces cut into triangles, for those who cannot use faces with more corners."""

import dataclasses

import numpy as np

from ..geometry import packed
from ..geometry.facet_planes import triangulate_facets
from ..types import Fragments
from .inner_uv import face_normals


def triangulated(fragments: Fragments) -> Fragments:
    """The same fragments with all faces cut into triangles.

    Vertices, barycentric weights and the triangle or bond of each face are kept; a triangle's corners run as those of
    its face do. Faces without area, and rings that cross themselves, are cut anyhow.
    """
    f = fragments
    length = np.diff(f.corner_start)
    start = packed.packed_starts(np.maximum(length - 2, 0))
    corner = np.empty((start[-1], 3), np.int64)
    plain, large = np.flatnonzero(length == 3), np.flatnonzero(length > 3)
    corner[start[plain]] = f.corner_start[plain, None] + np.arange(3)
    if len(large):
        at = packed.ranges(f.corner_start[large], length[large])
        first_vertex = f.vertex_start[packed.owners(f.face_start)[large]]
        vertex = f.corner_vertex[at] + np.repeat(first_vertex, length[large])
        bounds, faces = packed.packed_starts(length[large]), np.arange(len(large) + 1)
        triangles, _ = triangulate_facets(faces, bounds, vertex, f.vertices, face_normals(f)[large])
        corner[packed.ranges(start[large], length[large] - 2)] = at[triangles]
    corner = corner.reshape(-1)
    face = packed.owners(start)
    return dataclasses.replace(
        f,
        face_start=start[f.face_start],
        corner_start=3 * np.arange(len(face) + 1),
        corner_vertex=f.corner_vertex[corner],
        corner_weight=f.corner_weight[corner],
        corner_triangle=f.corner_triangle[corner] if len(f.corner_triangle) else f.corner_triangle,
        face_triangle=f.face_triangle[face],
        face_bond=f.face_bond[face],
    )
