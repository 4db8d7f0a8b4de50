"""Spheres and axes of revolution fitted to surfaces, for the charts that bend patterns around them."""

import math
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply, dot, multiply, norm, outer, sum_outer, sum_rows
from ..arithmetic.small_matrices import eigen_symmetric, pseudo_inverse_symmetric
from ..types import Floats, Ints

#: No sphere is larger than this many times the extent of its points: a flat sheet lies on that one. Chosen: the largest
#: bulges by a ten-thousandth of the extent.
FLATTEST = 1e3
#: In place of 0 below a fraction; its square is not 0.
_TINY = 1e-150


def fit_sphere(points: Floats, weights: Floats) -> tuple[Floats, float]:
    """Centre (3,) and radius [m] of the sphere nearest to weighted points (n,3), (n,); at least four, not on a line.

    Algebraic least squares with Taubin's norm (Taubin 1991; Chernov, "Circular and linear regression", 2010, section
    5.9): the least singular vector (A, B) of A (|x|^2 - mean) / (2 root mean) + B.x about the centroid. It is nearly
    free of bias, also for the two sides of a thin sheet and for a small cap. Of a flat sheet the radius is 1000 times
    the root mean square extent.
    """
    share = weights / np.sum(weights)
    middle = sum_rows(share, points)
    arm = points - middle
    square = dot(arm, arm)
    mean = float(np.sum(share * square))
    extent = math.sqrt(mean)
    rows = np.column_stack(((square - mean) / (2.0 * extent), arm))
    least = eigen_symmetric(sum_outer(share, rows, rows))[1][:, 0]
    # |x + B/2A|^2 = (B/2A)^2 + mean, with A = least[0] / (2 extent) and B = least[1:].
    away = -extent * least[1:] / math.copysign(max(abs(least[0]), _TINY), least[0])
    distance = float(norm(away))
    farthest = extent * math.sqrt(FLATTEST * FLATTEST - 1.0)
    if distance > farthest:
        away, distance = away * (farthest / distance), farthest
    return middle + away, math.sqrt(distance * distance + mean)


class Lathed(NamedTuple):
    """The axis of a body of revolution, and how much the body is one."""

    point: Floats  #: (3,) on the axis, level with the centroid of the surface [m]
    axis: Floats  #: (3,) unit
    radius: float  #: mean distance from the axis of the walls around it [m]
    #: rms of the normals' part around the axis over that across it: 0 on a body of revolution, about 0.5 on a square
    #: bar, 0.7 where normals point anywhere.
    error: float


def fit_axis(vertices: Floats, triangles: Ints) -> Lathed:
    """The axis about which a surface `vertices (V,3)`, `triangles (T,3)` is most nearly one of revolution.

    Turning a surface of revolution moves it within itself: the velocity c' + c x p has no part along the normal n
    (Pottmann, Wallner, "Computational Line Geometry", 2001, section 3.4: the linear complex nearest to the normals).
    The sum of (c'.n + c.(p x n))^2 over the area is least for |c| = 1 in the least eigenvector c of a 3x3 matrix, after
    c' is eliminated; a slide along the axis c'.c is left out.
    Where several axes serve equally well, as on a sphere, it is one of them.
    """
    corner = vertices[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    area = norm(normal)
    corner, normal, area = corner[area > 0.0], normal[area > 0.0], area[area > 0.0]
    # All integrands are squares of what is linear over a triangle: the middles of its sides stand for it exactly.
    place = 0.5 * (corner + corner[:, [1, 2, 0]]).reshape(-1, 3)
    normal, share = np.repeat(normal / area[:, None], 3, axis=0), np.repeat(area / (3.0 * np.sum(area)), 3)
    middle = sum_rows(share, place)
    arm = place - middle
    size = math.sqrt(float(np.sum(share * dot(arm, arm))))
    arm = arm / size
    moment = np.cross(arm, normal)
    turn = sum_outer(share, moment, moment)
    mixed = sum_outer(share, moment, normal)
    slide = pseudo_inverse_symmetric(sum_outer(share, normal, normal), 1e-9)
    back = multiply(slide, mixed.T)  # c' = -back c
    c = eigen_symmetric(turn - multiply(mixed, back))[1][:, 0]
    point = np.cross(c, -apply(back, c))
    return Lathed(middle + size * point, c, *_roundness(arm - point, normal, share, c, size))


def _roundness(arm: Floats, normal: Floats, share: Floats, axis: Floats, size: float) -> tuple[float, float]:
    """Mean radius of the walls [m], and the error of a `Lathed`, from places about its point in units of the size."""
    across = arm - outer(dot(arm, axis), axis)
    r = norm(across)
    level = dot(normal, axis)
    sideways = share * np.maximum(1.0 - level * level, 0.0)
    around = dot(np.cross(axis, across), normal)
    whole = float(np.sum(sideways * r * r))
    if whole == 0.0:
        return 0.0, 1.0  # nothing but flat ends
    radius = size * float(np.sum(sideways * r) / np.sum(sideways))
    return radius, math.sqrt(float(np.sum(share * around * around)) / whole)
