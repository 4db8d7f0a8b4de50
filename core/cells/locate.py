"""The region of each body vertex, found by walking from region to region across the facets it lies beyond."""

import numpy as np

from ..jit import njit
from ..types import Floats, Ints
from .complex import Complex, distance

OUTSIDE = -1  #: beyond the outermost regions
LOST = -2  #: the walk did not end: the complex is not one of convex regions


@njit
def _walk(cx: Complex, x: float, y: float, z: float, region: int, limit: int) -> int:
    """The region of a point, starting at `region`; points on a facet belong to its lo region."""
    for step in range(limit):
        begin = cx.region_start[region]
        count = cx.region_start[region + 1] - begin
        beyond = OUTSIDE
        moved = False
        for i in range(count):  # the order turns with every step, so that no walk repeats itself
            f = cx.region_facet[begin + (i + 7 * step) % count]
            is_lo = cx.facet_regions[f, 0] == region
            if (distance(cx, f, x, y, z) <= 0.0) != is_lo:
                beyond = cx.facet_regions[f, 1] if is_lo else cx.facet_regions[f, 0]
                moved = True
                break
        if not moved:
            return region
        if beyond < 0:
            return OUTSIDE
        region = beyond
    return LOST


@njit
def locate(cx: Complex, vertices: Floats, triangles: Ints) -> Ints:
    """Region (V,) of each vertex that a triangle uses, OUTSIDE or LOST; OUTSIDE for vertices without triangles."""
    home = np.full(len(vertices), -9, np.int64)
    limit = 4 * len(cx.region_start) + 64
    last = 0
    for t in range(len(triangles)):
        for k in range(3):
            near = home[triangles[t, k]]
            if near >= 0:
                last = near
        for k in range(3):
            v = triangles[t, k]
            if home[v] == -9:
                home[v] = _walk(cx, vertices[v, 0], vertices[v, 1], vertices[v, 2], last, limit)
                if home[v] >= 0:
                    last = home[v]
    for v in range(len(vertices)):
        if home[v] == -9:
            home[v] = OUTSIDE
    return home
