"""Texture coordinates of inner faces: flat projection in metres, at the texel density of the outside."""

import numpy as np

from ..types import Floats, Fragments, Ints
from . import packed


def face_normals(fragments: Fragments) -> Floats:
    """(F,3) unit normals of all faces (Newell's sum over the corners); zero for a face without area."""
    corner = fragments.corner_vertex + _vertex_shift(fragments)
    p = fragments.vertices[corner]
    # Relative to the face's first corner, so that small faces far from the centre keep their digits.
    p = p - p[np.repeat(fragments.corner_start[:-1], np.diff(fragments.corner_start))]
    q = p[packed.following(fragments.corner_start)]
    area = np.empty_like(p)
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        area[:, i] = p[:, j] * q[:, k] - p[:, k] * q[:, j]
    normal = np.add.reduceat(area, fragments.corner_start[:-1], axis=0) if len(area) else np.zeros((0, 3))
    length = np.sqrt(np.einsum("ij,ij->i", normal, normal))
    result: Floats = normal / np.where(length > 0.0, length, 1.0)[:, None]
    return result


def inner_coordinates(fragments: Fragments, normal: Floats) -> Floats:
    """(N,2) coordinates in metres on the plane of each corner's inner face; zero on outer faces.

    `normal (F,3)` as from `face_normals`. Both sides of a bond get the same coordinates, v points as far up as the
    face allows, and nothing is stretched.
    """
    result = np.zeros((len(fragments.corner_vertex), 2))
    face = packed.owners(fragments.corner_start)
    inner = np.flatnonzero(fragments.face_bond[face] >= 0)
    fragment = packed.owners(fragments.face_start)[face[inner]]
    vertex = fragments.corner_vertex[inner] + fragments.vertex_start[fragment]
    position = fragments.vertices[vertex] + fragments.centre[fragment]
    u, v = _axes(_facing(normal))
    for column, axis in enumerate((u, v)):
        result[inner, column] = np.einsum("ij,ij->i", position, axis[face[inner]])
    return result


def texel_density(area: Floats, uv_area: Floats) -> float:
    """Texture units per metre of the median square metre: triangle areas (T,) in space [m^2] and in texture space."""
    usable = np.flatnonzero((area > 0.0) & (uv_area > 0.0))
    if not len(usable):
        return 1.0
    density = np.sqrt(uv_area[usable] / area[usable])
    order = np.argsort(density, kind="stable")
    covered = np.cumsum(area[usable][order])
    return float(density[order[np.searchsorted(covered, covered[-1] / 2.0)]])


def triangle_areas(corners: Floats) -> Floats:
    """(T,) areas of triangles in space or in the plane, from their corners (T,3,3) or (T,3,2)."""
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    uu, vv, uv = (np.einsum("ij,ij->i", a, b) for a, b in ((u, u), (v, v), (u, v)))
    result: Floats = np.sqrt(np.maximum(uu * vv - uv * uv, 0.0)) / 2.0
    return result


def _vertex_shift(fragments: Fragments) -> Ints:
    """(N,) row of the first vertex of each corner's fragment."""
    fragment = packed.owners(fragments.face_start)[packed.owners(fragments.corner_start)]
    result: Ints = fragments.vertex_start[fragment]
    return result


def _facing(normal: Floats) -> Floats:
    """Each normal or its opposite, the same one for both: the largest component is positive."""
    # Uneven scales, for otherwise round-off would decide about the many normals with two equal components.
    largest = np.argmax(np.abs(normal) * (1.0, 0.97, 0.93), axis=1)
    result: Floats = normal * np.where(normal[np.arange(len(normal)), largest] < 0.0, -1.0, 1.0)[:, None]
    return result


def _axes(normal: Floats) -> tuple[Floats, Floats]:
    """Two unit axes (F,3) each across the normals; v leans towards +z, or towards +y on level faces."""
    up = np.where((np.abs(normal[:, 2]) > 0.9)[:, None], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    u = np.cross(up, normal)
    length = np.sqrt(np.einsum("ij,ij->i", u, u))
    u /= np.where(length > 0.0, length, 1.0)[:, None]
    return u, np.cross(normal, u)
