"""Where points lie in triangles: barycentric coordinates that are exact on corners and sides."""

import numpy as np

from ..arithmetic.products import dot
from ..jit import device_inlined, njit_no_refs, sealed_floats
from ..types import Floats
from .mesh import cross_rows
from .vectors import triangle_side

#: A point this near to a side of its triangle, relative to the mesh's diagonal, lies on it. Chosen: a hundred thousand
#: roundings, a ten-thousandth of what float32 can tell.
ON_SIDE = 1e-11


def barycentric(corner: Floats, point: Floats, near: float) -> Floats:
    """Barycentric coordinates (n,3) of the points (n,3) in their triangles `corner (n,3,3)`.

    They are never negative and sum to 1: a point outside is taken to the triangle. Points within `near` [m] of a corner
    or side lie on it, with exact 0 and 1 for a corner and an exact 0 across a side. A triangle without area is its
    three sides.
    """
    weight = np.empty(point.shape)
    _place(sealed_floats(corner), sealed_floats(point), near, np.empty((3, 3)), weight)
    return weight


@njit_no_refs
def _place(corner: Floats, point: Floats, near: float, arm: Floats, weight: Floats) -> None:
    """Fill the weights: of a corner within `near`, else of the nearest side within it, else by areas."""
    for n in range(len(point)):
        closest, least = 0, np.inf
        for k in range(3):
            apart = 0.0
            for i in range(3):
                arm[k, i] = corner[n, k, i] - point[n, i]
                apart += arm[k, i] * arm[k, i]
            if apart < least:
                closest, least = k, apart
        if least <= near * near:
            weight[n, 0], weight[n, 1], weight[n, 2] = 0.0, 0.0, 0.0
            weight[n, closest] = 1.0
        elif not _on_side(arm, near, weight, n):
            _by_areas(corner, arm, weight, n)


@device_inlined
def _on_side(arm: Floats, near: float, weight: Floats, n: int) -> bool:
    """Whether a side lies within `near` of the point from which the corners are `arm (3,3)`; fills row n then."""
    found, best = False, near
    for k in range(3):
        m = (k + 1) % 3
        along, squared, away = 0.0, 0.0, 0.0
        for i in range(3):
            side = arm[m, i] - arm[k, i]
            along -= arm[k, i] * side
            squared += side * side
        s = min(max(along / squared, 0.0), 1.0) if squared > 0.0 else 0.0
        for i in range(3):
            gap = arm[k, i] + s * (arm[m, i] - arm[k, i])
            away += gap * gap
        if np.sqrt(away) < best:
            found, best = True, np.sqrt(away)
            weight[n, k], weight[n, m], weight[n, (k + 2) % 3] = 1.0 - s, s, 0.0
    return found


@device_inlined
def _by_areas(corner: Floats, arm: Floats, weight: Floats, n: int) -> None:
    """Fill row n by the areas across from the corners, along the triangle's normal."""
    ux, uy, uz = triangle_side(corner, n, 1)
    vx, vy, vz = triangle_side(corner, n, 2)
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    total = 0.0
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        area = x * (arm[a, 1] * arm[b, 2] - arm[a, 2] * arm[b, 1])
        area += y * (arm[a, 2] * arm[b, 0] - arm[a, 0] * arm[b, 2])
        area += z * (arm[a, 0] * arm[b, 1] - arm[a, 1] * arm[b, 0])
        weight[n, k] = max(area, 0.0)
        total += weight[n, k]
    for k in range(3):
        weight[n, k] = weight[n, k] / total if total > 0.0 else 1.0 / 3.0


def affine_weights(corner: Floats, point: Floats) -> Floats:
    """Barycentric coordinates (n,3) of points (n,3), seen along the normals of the triangles `corner (n,3,3)`.

    They sum to 1 and are negative outside. Those of a triangle without area are its first corner's.
    """
    u, v, p = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0], point - corner[:, 0]
    normal = cross_rows(u, v)
    square = dot(normal, normal)
    square[square == 0.0] = np.inf
    weight = np.empty(point.shape)
    weight[:, 1] = dot(cross_rows(p, v), normal) / square
    weight[:, 2] = dot(cross_rows(u, p), normal) / square
    weight[:, 0] = 1.0 - weight[:, 1] - weight[:, 2]
    return weight


def closest_weights(corner: Floats, point: Floats) -> Floats:
    """Barycentric coordinates (n,3) of the place in each triangle `corner (n,3,3)` that is closest to a point (n,3).

    As `barycentric` without its care for what lies exactly on corners and sides, for many points, and with the closest
    place for those outside.
    """
    weight = np.zeros(point.shape)
    _closest(sealed_floats(corner), sealed_floats(point), weight)
    return weight


@njit_no_refs
def _closest(corner: Floats, point: Floats, weight: Floats) -> None:
    """Fill the weights, which come as 0: in the plane of the triangle, or on the nearest of its sides."""
    for n in range(len(point)):
        ax, ay, az = corner[n, 0, 0] - point[n, 0], corner[n, 0, 1] - point[n, 1], corner[n, 0, 2] - point[n, 2]
        ux, uy, uz = triangle_side(corner, n, 1)
        vx, vy, vz = triangle_side(corner, n, 2)
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        square = x * x + y * y + z * z
        # Of p - a in the directions u and v: the determinants of Cramer's rule, along the normal.
        b = x * (vy * az - vz * ay) + y * (vz * ax - vx * az) + z * (vx * ay - vy * ax)
        c = x * (ay * uz - az * uy) + y * (az * ux - ax * uz) + z * (ax * uy - ay * ux)
        if square > 0.0 and b >= 0.0 and c >= 0.0 and b + c <= square:
            weight[n, 1], weight[n, 2] = b / square, c / square
            weight[n, 0] = max(1.0 - weight[n, 1] - weight[n, 2], 0.0)
            continue
        best = np.inf
        for k in range(3):
            m = (k + 1) % 3
            along, length, away = 0.0, 0.0, 0.0
            for i in range(3):
                side = corner[n, m, i] - corner[n, k, i]
                along += (point[n, i] - corner[n, k, i]) * side
                length += side * side
            s = min(max(along / length, 0.0), 1.0) if length > 0.0 else 0.0
            for i in range(3):
                gap = corner[n, k, i] + s * (corner[n, m, i] - corner[n, k, i]) - point[n, i]
                away += gap * gap
            if away < best:
                best = away
                weight[n, k], weight[n, m], weight[n, (k + 2) % 3] = 1.0 - s, s, 0.0
