"""Faces cut into triangles, for those who cannot use faces with more corners.

Ears are clipped, the roundest first: an ear is a convex corner whose triangle holds no other corner of its face, not
even on its border. So concave faces come out right, and straight corners end up in no flat triangle.
Time per face grows with the square of its corners.
"""

import dataclasses

import numpy as np

from ..geometry import packed
from ..jit import device, njit
from ..types import Floats, Fragments, Ints
from .inner_uv import face_normals

_FLAT = 1e-12  #: area of a triangle that is round-off, relative to the squared extent of its face
_PREVIOUS, _NEXT, _BLOCKER = 0, 1, 2  #: columns of a ring: neighbours (NEXT is -1 at corners that are gone), who blocks


def triangulated(fragments: Fragments) -> Fragments:
    """The same fragments with all faces cut into triangles.

    Vertices, barycentric weights and the triangle or bond of each face are kept; a triangle's corners run as those of
    its face do. Faces without area, and rings that cross themselves, are cut anyhow.
    """
    f = fragments
    length = np.diff(f.corner_start)
    start = packed.packed_starts(np.maximum(length - 2, 0))
    corner = np.empty(3 * int(start[-1]), np.int64)
    most = int(length.max(initial=0))
    first_vertex = f.vertex_start[packed.owners(f.face_start)]
    room = np.empty((most, 2)), np.empty(most), np.empty((most, 3), np.int64)
    _cut_faces(f.corner_start, f.corner_vertex, first_vertex, f.vertices, face_normals(f), *room, corner)
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


@njit
def _cut_faces(
    corner_start: Ints,
    corner_vertex: Ints,
    first_vertex: Ints,
    vertices: Floats,
    normal: Floats,
    point: Floats,
    rate: Floats,
    ring: Ints,
    corner: Ints,
) -> None:
    """Write the corners of all triangles; `point`, `rate` and `ring` are room for the largest face."""
    count = 0
    for f in range(len(corner_start) - 1):
        first = corner_start[f]
        size = corner_start[f + 1] - first
        if size > 3:
            flat = _FLAT * _flatten(corner_vertex, first, size, first_vertex[f], vertices, normal, f, point)
            count = _clip_ears(point, rate, ring, size, flat, corner, count, first)
        elif size == 3:
            for i in range(3):
                corner[count + i] = first + i
            count += 3


@device
def _flatten(
    corner_vertex: Ints, first: int, size: int, shift: int, vertices: Floats, normal: Floats, f: int, point: Floats
) -> float:
    """Corners of a face in axes of its plane, seen from its first corner; returns their squared extent."""
    nx, ny, nz = normal[f, 0], normal[f, 1], normal[f, 2]
    # Across the normal and the axis that is most unlike it.
    if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
        ux, uy, uz = 0.0, nz, -ny
    elif abs(ny) <= abs(nz):
        ux, uy, uz = -nz, 0.0, nx
    else:
        ux, uy, uz = ny, -nx, 0.0
    length = np.sqrt(ux * ux + uy * uy + uz * uz)
    if length > 0.0:
        ux, uy, uz = ux / length, uy / length, uz / length
    vx, vy, vz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
    o = shift + corner_vertex[first]
    extent = 0.0
    for i in range(size):
        v = shift + corner_vertex[first + i]
        x, y, z = vertices[v, 0] - vertices[o, 0], vertices[v, 1] - vertices[o, 1], vertices[v, 2] - vertices[o, 2]
        point[i, 0] = x * ux + y * uy + z * uz
        point[i, 1] = x * vx + y * vy + z * vz
        extent = max(extent, x * x + y * y + z * z)
    return extent


@device
def _clip_ears(
    point: Floats, rate: Floats, ring: Ints, size: int, flat: float, corner: Ints, count: int, first: int
) -> int:
    for i in range(size):
        ring[i, _PREVIOUS] = i - 1 if i > 0 else size - 1
        ring[i, _NEXT] = i + 1 if i + 1 < size else 0
    for i in range(size):
        _rate(point, rate, ring, i, flat, -flat)
    i = 0
    for left in range(size, 3, -1):
        ear = _best_ear(point, rate, ring, i, left, flat)
        i, after = ring[ear, _PREVIOUS], ring[ear, _NEXT]
        corner[count], corner[count + 1], corner[count + 2] = first + i, first + ear, first + after
        count += 3
        ring[i, _NEXT] = after
        ring[after, _PREVIOUS] = i
        ring[ear, _NEXT] = -1
        _rate(point, rate, ring, i, flat, -flat)
        _rate(point, rate, ring, after, flat, -flat)
    corner[count], corner[count + 1], corner[count + 2] = first + ring[i, _PREVIOUS], first + i, first + ring[i, _NEXT]
    return count + 3


@device
def _best_ear(point: Floats, rate: Floats, ring: Ints, begin: int, left: int, flat: float) -> int:
    """The roundest ear of the ring of `left` corners that `begin` is one of."""
    best = -1
    for attempt in range(2):
        highest = -1e300
        i = begin
        for _ in range(left):
            blocker = ring[i, _BLOCKER]
            if attempt == 1:  # what touches itself: corners on the border do not matter
                _rate(point, rate, ring, i, 0.0, flat)
            elif blocker >= 0 and blocker != i and ring[blocker, _NEXT] < 0:
                _rate(point, rate, ring, i, flat, -flat)
            if ring[i, _BLOCKER] < 0:
                value = rate[i]
                if left == 4:  # the rest is a triangle too
                    value = min(
                        value, _roundness(point, ring[i, _NEXT], ring[ring[i, _NEXT], _NEXT], ring[i, _PREVIOUS])
                    )
                if value > highest:
                    highest = value
                    best = i
            i = ring[i, _NEXT]
        if best >= 0:
            return best
    i = best = begin
    for _ in range(left):
        if rate[i] > rate[best]:
            best = i
        i = ring[i, _NEXT]
    return best


@device
def _rate(point: Floats, rate: Floats, ring: Ints, i: int, least: float, border: float) -> None:
    """Roundness of the corner's triangle, and a corner that blocks it: itself where the area is not above `least`.

    Others block where they lie further inside than the area `border` that they span with each side.
    """
    a, b = ring[i, _PREVIOUS], ring[i, _NEXT]
    rate[i] = _roundness(point, a, i, b)
    ring[i, _BLOCKER] = i
    if not _area(point, a, i, b) > least:
        return
    ring[i, _BLOCKER] = -1
    j = ring[b, _NEXT]
    while j != a:
        if _area(point, a, i, j) > border and _area(point, i, b, j) > border and _area(point, b, a, j) > border:
            ring[i, _BLOCKER] = j
            return
        j = ring[j, _NEXT]


@device
def _area(point: Floats, a: int, b: int, c: int) -> float:
    """Twice the signed area."""
    area: float = (point[b, 0] - point[a, 0]) * (point[c, 1] - point[a, 1]) - (point[b, 1] - point[a, 1]) * (
        point[c, 0] - point[a, 0]
    )
    return area


@device
def _roundness(point: Floats, a: int, b: int, c: int) -> float:
    """Signed area relative to the squared sides."""
    total = 0.0
    for k in range(2):
        u, v, w = point[b, k] - point[a, k], point[c, k] - point[b, k], point[a, k] - point[c, k]
        total += u * u + v * v + w * w
    return _area(point, a, b, c) / total if total > 0.0 else 0.0
