"""The region of each body vertex, found by walking from region to region across the facets it lies beyond."""

import numpy as np

from ..jit import device_inlined, njit_no_refs
from ..types import Floats, Ints
from .complex import Complex, distance

OUTSIDE = -1  #: beyond the outermost regions
UNUSED = -3  #: no triangle has this vertex
LOST = -2  #: the walk did not end: the complex is not one of convex regions


@device_inlined
def _beyond(cx: Complex, region: int, step: int, x: float, y: float, z: float) -> int:
    """The region across some facet of `region` that has the point on its other side; `region` itself for none."""
    begin = cx.region_start[region]
    count = cx.region_start[region + 1] - begin
    at = 7 * step % count  # the order turns with every step, so that no walk repeats itself
    for _ in range(count):
        facet = cx.facet[cx.region_facet[begin + at]]
        is_lo = facet.lo == region
        if (distance(facet, x, y, z) <= 0.0) != is_lo:
            across: int = facet.hi if is_lo else facet.lo
            return across
        at += 1
        if at == count:
            at = 0
    return region


@device_inlined
def walk(cx: Complex, x: float, y: float, z: float, region: int, limit: int) -> int:
    """The region of a point, starting at `region`; points on a facet belong to its lo region."""
    for step in range(limit):
        across = _beyond(cx, region, step, x, y, z)
        if across == region:
            return region
        if across < 0:
            return OUTSIDE
        region = across
    return LOST


@njit_no_refs
def _locate(cx: Complex, vertices: Floats, triangles: Ints, home: Ints, mixed: Ints) -> int:
    """Fill `home`, and `mixed` with the triangles whose corners differ; returns the number of these."""
    limit = 4 * len(cx.region_start) + 64
    last = cx.facet[0].lo
    count = 0
    for t in range(len(triangles)):
        for k in range(3):
            near = home[triangles[t, k]]
            if near >= 0:
                last = near
        for k in range(3):
            v = triangles[t, k]
            if home[v] == UNUSED:
                home[v] = walk(cx, vertices[v, 0], vertices[v, 1], vertices[v, 2], last, limit)
                if home[v] >= 0:
                    last = home[v]
        first = home[triangles[t, 0]]
        if home[triangles[t, 1]] != first or home[triangles[t, 2]] != first:
            mixed[count] = t
            count += 1
    return count


def locate(cx: Complex, vertices: Floats, triangles: Ints, region: Ints | None = None) -> tuple[Ints, Ints]:
    """Region (V,) of each vertex, OUTSIDE, LOST or UNUSED, and the triangles whose corners are in different ones.

    `region (V,)` are regions that are known; where they are negative they are sought.
    """
    home = np.full(len(vertices), UNUSED, np.int64) if region is None else np.where(region < 0, UNUSED, region)
    mixed = np.empty(len(triangles), np.int64)
    count = _locate(cx, vertices, triangles, home, mixed)
    return home, mixed[:count].copy()
