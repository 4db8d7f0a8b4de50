"""Cubic Bezier curves, and lattices between two parallel Bezier patches (Norton et al. 1991)."""

import numpy as np

from ...arithmetic.products import dot, norm
from ...errors import InputError
from ...geometry.mesh import cross_rows
from ...types import Floats
from ..spring_lattice.blocks import grid_complex
from ..spring_lattice.hexahedra import HexahedralComplex, check_hexahedra


def bezier_points(control: Floats, at: Floats) -> Floats:
    """Points (n,...) of a cubic curve with control points (4,...) at parameters (n,) 0..1."""
    t = at.reshape(-1, *[1] * (control.ndim - 1))
    r = 1.0 - t
    point = r * r * r * control[0] + 3.0 * (t * r * r) * control[1]
    return np.asarray(point + 3.0 * (t * t * r) * control[2] + t * t * t * control[3])


def bezier_tangents(control: Floats, at: Floats) -> Floats:
    """Derivatives (n,...) of a cubic curve with control points (4,...) by its parameter, at (n,) of them."""
    t = at.reshape(-1, *[1] * (control.ndim - 1))
    r, step = 1.0 - t, 3.0 * (control[1:] - control[:-1])
    return np.asarray(r * r * step[0] + 2.0 * (t * r) * step[1] + t * t * step[2])


def even_places(points: Floats, cells: int) -> Floats:
    """Places (cells+1,) along a polyline (n,d) in rows, 0..n-1, with equal lengths between them."""
    side = norm(points[1:] - points[:-1])
    way = np.concatenate([[0.0], np.cumsum(side)])
    wanted = way[-1] * (np.arange(cells + 1) / cells)
    row = np.clip(np.searchsorted(way, wanted, side="right") - 1, 0, len(side) - 1)
    place = row + (wanted - way[row]) / np.maximum(side[row], 1e-300)
    place[-1] = len(side)
    return np.asarray(place)


def thicken_patch(net: Floats, counts: tuple[int, int, int], thickness: float) -> HexahedralComplex:
    """The solid around a bicubic patch with control points (4,4,3): half of the `thickness` [m] on either side.

    counts: cells along both directions of the net, and through it. Raises InputError where the patch has no normal
    or is bent too sharply for the thickness.
    """
    u, v = (np.arange(count + 1) / count for count in counts[:2])
    rows = bezier_points(net, u)  # (p,4,3): for each u a curve over v
    point = np.moveaxis(bezier_points(np.moveaxis(rows, 1, 0), v), 0, 1)
    along = np.moveaxis(bezier_points(np.moveaxis(bezier_tangents(net, u), 1, 0), v), 0, 1)
    across = np.moveaxis(bezier_tangents(np.moveaxis(rows, 1, 0), v), 0, 1)
    normal = cross_rows(along.reshape(-1, 3), across.reshape(-1, 3))
    size = np.sqrt(dot(normal, normal))
    if not size.min() > 0.0:
        raise InputError("The patch has a point without a normal: pull its control points apart.")
    unit = (normal / size[:, None]).reshape(point.shape)
    depth = thickness * (np.arange(counts[2] + 1) / counts[2] - 0.5)
    solid = grid_complex(point[:, :, None] + depth[:, None] * unit[:, :, None])
    check_hexahedra(solid)
    return solid
