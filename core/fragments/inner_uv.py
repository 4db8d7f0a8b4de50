"""Texture coordinates of inner faces and caps: flat projection in metres, at the texel density of the outside."""

import numpy as np

from ..arithmetic.products import dot, norm
from ..geometry.corner_values import normalized
from ..geometry.mesh import cross_rows, edge_table, find_shells
from ..geometry.nearest import nearest
from ..jit import njit
from ..types import Body, Floats, Fragments, Ints, Made
from .joined import own_triangles


def face_normals(fragments: Fragments) -> Floats:
    """(F,3) unit normals of all faces (Newell's sum over the corners); zero for a face without area."""
    f = fragments
    normal = np.empty((len(f.face_triangle), 3))
    _newell(f.vertex_start, f.vertices, f.face_start, f.corner_start, f.corner_vertex, normal)
    return normal


@njit
def _newell(
    vertex_start: Ints, vertices: Floats, face_start: Ints, corner_start: Ints, corner_vertex: Ints, normal: Floats
) -> None:
    for k in range(len(face_start) - 1):
        for f in range(face_start[k], face_start[k + 1]):
            first, last = corner_start[f], corner_start[f + 1]
            # Relative to the face's first corner, so that small faces far from the centre keep their digits.
            o = vertex_start[k] + corner_vertex[first]
            nx = ny = nz = ax = ay = az = 0.0
            for c in range(first + 1, last):
                v = vertex_start[k] + corner_vertex[c]
                bx, by, bz = (
                    vertices[v, 0] - vertices[o, 0],
                    vertices[v, 1] - vertices[o, 1],
                    vertices[v, 2] - vertices[o, 2],
                )
                nx += ay * bz - az * by
                ny += az * bx - ax * bz
                nz += ax * by - ay * bx
                ax, ay, az = bx, by, bz
            length = np.sqrt(nx * nx + ny * ny + nz * nz)
            scale = 1.0 / length if length > 0.0 else 0.0
            normal[f, 0], normal[f, 1], normal[f, 2] = nx * scale, ny * scale, nz * scale


def planar_coordinates(fragments: Fragments, face: Ints, normal: Floats) -> Floats:
    """(N,2) coordinates in metres of the corners of the faces `face (n,)`, in planes across `normal (n,3)`.

    Zero on all other faces. They come from positions before the break: both sides of a bond get the same ones, and
    faces in one plane have one pattern. v points as far up as the plane allows, and nothing in it is stretched.
    """
    result = np.zeros((len(fragments.corner_vertex), 2))
    f = fragments
    axes = np.concatenate(_axes(_facing(normal)), axis=1)
    fragment = np.searchsorted(f.face_start, face, side="right") - 1
    _project(face, fragment, axes, f.vertex_start, f.vertices, f.centre, f.corner_start, f.corner_vertex, result)
    return result


def broken_normals(fragments: Fragments, face: Ints, normal: Floats) -> Floats:
    """(n,3) unit normals in whose planes broken faces lie on the whole: the mean over all faces of one bond.

    Rough faces are many triangles, which share one plane for their texture. `face (n,)` ascending, with its own
    normals `normal (n,3)`; faces of no bond keep theirs.
    """
    if len(face) == 0:
        return normal
    bond = fragments.face_bond[face]
    fragment = np.searchsorted(fragments.face_start, face, side="right") - 1
    # The faces of a bond follow each other.
    begins = np.ones(len(face), np.bool_)
    begins[1:] = (bond[1:] != bond[:-1]) | (fragment[1:] != fragment[:-1]) | (bond[1:] < 0)
    start = np.flatnonzero(begins)
    count = np.diff(np.append(start, len(face)))
    mean = np.repeat(np.add.reduceat(normal, start), count, axis=0)
    length = norm(mean)
    usable = np.repeat(count > 1, count) & (length > 0.0)
    return np.where(usable[:, None], mean / np.where(usable, length, 1.0)[:, None], normal)


def cap_normals(body: Body) -> Floats:
    """(T,3) unit mean normal of the cap that a triangle belongs to; zero for all that are no caps.

    A cap lies over several fragments, and need not be flat: its triangles share this plane. Those of pieces that are
    cut anew have that of the cap of which they are a part.
    """
    every, own = np.flatnonzero(body.made == Made.CAP), own_triangles(body)
    cap, later = every[every < own], every[every >= own]
    if not len(cap):
        cap, later = every, cap
    triangles = body.triangles[cap]
    label = find_shells(edge_table(triangles))
    a, b, c = (body.vertices[triangles[:, k]] for k in range(3))
    result, area = np.zeros((len(body.triangles), 3)), cross_rows(b - a, c - a)
    for k in range(3):
        result[cap, k] = np.bincount(label, area[:, k])[label]
    result[cap] = normalized(result[cap])
    if len(later):
        middle = body.vertices[body.triangles[later]].mean(axis=1)
        _, found, _ = nearest(body.vertices, triangles, middle)
        result[later] = result[cap[found]]
    return result


@njit
def _project(
    face: Ints,
    fragment: Ints,
    axes: Floats,
    vertex_start: Ints,
    vertices: Floats,
    centre: Floats,
    corner_start: Ints,
    corner_vertex: Ints,
    result: Floats,
) -> None:
    for i in range(len(face)):
        k = fragment[i]
        for c in range(corner_start[face[i]], corner_start[face[i] + 1]):
            v = vertex_start[k] + corner_vertex[c]
            for d in range(3):
                x = vertices[v, d] + centre[k, d]
                result[c, 0] += x * axes[i, d]
                result[c, 1] += x * axes[i, 3 + d]


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
    uu, vv, uv = (dot(a, b) for a, b in ((u, u), (v, v), (u, v)))
    result: Floats = np.sqrt(np.maximum(uu * vv - uv * uv, 0.0)) / 2.0
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
    u = cross_rows(up, normal)
    length = norm(u)
    u /= np.where(length > 0.0, length, 1.0)[:, None]
    return u, cross_rows(normal, u)
