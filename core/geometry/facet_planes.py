"""Polygons laid into their planes: the origin is the first corner, x points to the corner farthest from there.

There they are cut into triangles.
"""

from typing import NamedTuple

import numpy as np

from ..jit import njit_no_refs, sealed_floats, sealed_ints
from ..planar.ears import triangulate_polygons
from ..types import Floats, Ints

_FLAT = 1e-12  #: altitude that is round-off, relative to the extent of the facet; ten thousand roundings
_ROUND_OFF = 1e-15  #: the same relative to the largest coordinate; some ten roundings
_LOST = 1e-12  #: share of a squared length that is nothing but round-off; ten thousand roundings


class FacetPlanes(NamedTuple):
    """Facets laid into their planes; those without corners are all zeros."""

    point: Floats  #: (N,2) corners
    origin: Floats  #: (F,3)
    axes: Floats  #: (F,2,3) unit vectors
    flat: Floats  #: (F,) altitude that is round-off
    low: Floats  #: (F,2) smallest coordinates
    extent: Floats  #: (F,2)


def project_facets(start: Ints, loop_vertex: Ints, position: Floats, normal: Floats) -> FacetPlanes:
    """Lay out facets of the corners `loop_vertex (N,)`, rows of `position (V,3)`, which `start (F+1,)` bounds.

    `normal (F,3)` are unit, or 0 where a facet has none: then it is seen from its side.
    """
    count = len(normal)
    planes = FacetPlanes(
        point=np.empty((len(loop_vertex), 2)),
        origin=np.zeros((count, 3)),
        axes=np.zeros((count, 2, 3)),
        flat=np.zeros(count),
        low=np.zeros((count, 2)),
        extent=np.zeros((count, 2)),
    )
    _lay_out_all(sealed_ints(start), sealed_ints(loop_vertex), sealed_floats(position), sealed_floats(normal), planes)
    return planes


@njit_no_refs
def _lay_out_all(start: Ints, loop_vertex: Ints, position: Floats, normal: Floats, planes: FacetPlanes) -> None:
    point, origin, axes = planes.point, planes.origin, planes.axes
    for f in range(len(normal)):
        if start[f] == start[f + 1]:
            continue
        v = far = loop_vertex[start[f]]
        ox, oy, oz = position[v, 0], position[v, 1], position[v, 2]
        square = reach = 0.0
        for i in range(start[f], start[f + 1]):
            v = loop_vertex[i]
            x, y, z = position[v, 0], position[v, 1], position[v, 2]
            dx, dy, dz = x - ox, y - oy, z - oz
            own = dx * dx + dy * dy + dz * dz
            reach = max(reach, abs(x), abs(y), abs(z))
            if own > square:
                far, square = v, own
        ux, uy, uz = position[far, 0] - ox, position[far, 1] - oy, position[far, 2] - oz
        nx, ny, nz = normal[f, 0], normal[f, 1], normal[f, 2]
        for _ in range(2):  # the second time for what round-off left of the normal
            across = ux * nx + uy * ny + uz * nz
            ux, uy, uz = ux - across * nx, uy - across * ny, uz - across * nz
        rest = ux * ux + uy * uy + uz * uz
        if rest <= _LOST * square:  # all corners are in one place: any direction across the normal
            ux, uy, uz = (0.0, nz, -ny) if abs(nx) < 0.6 else (-nz, 0.0, nx)
            rest = ux * ux + uy * uy + uz * uz
        length = np.sqrt(rest) if rest > 0.0 else 1.0  # the normal may be 0
        ux, uy, uz = ux / length, uy / length, uz / length
        vx, vy, vz = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
        left = right = low = high = 0.0  # that is the first corner
        for i in range(start[f], start[f + 1]):
            v = loop_vertex[i]
            x, y, z = position[v, 0] - ox, position[v, 1] - oy, position[v, 2] - oz
            x, y = ux * x + uy * y + uz * z, vx * x + vy * y + vz * z
            point[i, 0], point[i, 1] = x, y
            left, right, low, high = min(left, x), max(right, x), min(low, y), max(high, y)
        planes.flat[f] = _FLAT * np.sqrt(square) + _ROUND_OFF * reach
        origin[f, 0], origin[f, 1], origin[f, 2] = ox, oy, oz
        axes[f, 0, 0], axes[f, 0, 1], axes[f, 0, 2] = ux, uy, uz
        axes[f, 1, 0], axes[f, 1, 1], axes[f, 1, 2] = vx, vy, vz
        planes.low[f, 0], planes.low[f, 1] = left, low
        planes.extent[f, 0], planes.extent[f, 1] = right - left, high - low


def triangulate_facets(
    loops: Ints, start: Ints, loop_vertex: Ints, position: Floats, normal: Floats
) -> tuple[Ints, Ints]:
    """Cut plane facets into triangles that run as the facets do, and whose border is the loops, whatever their shape.

    Facet f has the loops from `loops (F+1,)` of f on, the outline first and then its holes; loop i the corners
    `loop_vertex[start[i] : start[i + 1]]`, rows of `position (V,3)`. `normal (F,3)` are unit, or 0 for none.
    Returns the triangles (n,3), as places in `loop_vertex`, and the facet (n,) of each, ascending. N corners and h
    holes are N + 2h - 2 triangles.
    """
    plane = project_facets(start[loops], loop_vertex, position, normal)
    place, flat = np.arange(len(loop_vertex)), plane.flat
    corners, _, facet = triangulate_polygons(
        loops, np.arange(len(start) - 1), start, place, plane.point, np.zeros_like(place), flat, 0
    )
    return corners, facet
