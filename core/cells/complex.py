"""The partition as the kernels see it: flat arrays, with the facet across each facet edge looked up in advance."""

from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..jit import njit
from ..types import Floats, Ints, Partition

#: A sign whose value is smaller than this times the sum of its terms is not trusted.
DOUBT = 3e-15


class Complex(NamedTuple):
    """Arrays of a Partition (see there), and `mate`; a tuple because numba takes tuples apart for free."""

    vertices: Floats
    edge_vertices: Ints
    line_point: Floats
    line_direction: Floats
    facet_regions: Ints
    normal: Floats
    point: Floats
    facet_start: Ints
    facet_edge: Ints
    facet_sign: Ints
    region_start: Ints
    region_facet: Ints
    mate: Ints  #: (H,2) facet across this edge of this facet, inside the lo and inside the hi region


@njit
def _mates(region_start: Ints, region_facet: Ints, regions: Ints, start: Ints, edge: Ints, edges: int) -> Ints:
    """`mate (H,2)`; -2 stays where a region does not meet an edge with exactly two facets."""
    mate = np.full((len(edge), 2), -2, np.int64)
    seen_in = np.full(edges, -1, np.int64)
    first_slot = np.empty(edges, np.int64)
    first_facet = np.empty(edges, np.int64)
    for r in range(len(region_start) - 1):
        for i in range(region_start[r], region_start[r + 1]):
            f = region_facet[i]
            side = 0 if regions[f, 0] == r else 1
            for h in range(start[f], start[f + 1]):
                e = edge[h]
                if seen_in[e] != r:
                    seen_in[e] = r
                    first_slot[e] = h
                    first_facet[e] = f
                    continue
                g = first_facet[e]
                other = 0 if regions[g, 0] == r else 1
                if mate[first_slot[e], other] != -2 or mate[h, side] != -2:
                    mate[h, side] = -3  # a third facet
                    continue
                mate[first_slot[e], other] = f
                mate[h, side] = g
    return mate


def as_complex(partition: Partition) -> Complex:
    """The partition's arrays with mates. Raises CutError unless each region meets its edges with two facets each."""
    p = partition
    mate = _mates(p.region_start, p.region_facet, p.facet_regions, p.facet_start, p.facet_edge, len(p.edge_vertices))
    inside = mate[:, 1][np.repeat(p.facet_regions[:, 1], np.diff(p.facet_start)) >= 0]
    if np.any(mate[:, 0] < 0) or np.any(inside < 0):
        raise CutError("The regions of the pattern do not fit together face to face.")
    return Complex(
        p.vertices,
        p.edge_vertices,
        np.ascontiguousarray(p.edge_line[:, 0]),
        np.ascontiguousarray(p.edge_line[:, 1]),
        p.facet_regions,
        p.facet_normal,
        p.facet_point,
        p.facet_start,
        p.facet_edge,
        p.facet_edge_sign,
        p.region_start,
        p.region_facet,
        mate,
    )


@njit
def distance(cx: Complex, facet: int, x: float, y: float, z: float) -> float:
    """Signed distance of a point from the plane of a facet, positive towards hi; one formula for every caller."""
    n = cx.normal
    o = cx.point
    return n[facet, 0] * (x - o[facet, 0]) + n[facet, 1] * (y - o[facet, 1]) + n[facet, 2] * (z - o[facet, 2])


@njit
def doubtful_distance(cx: Complex, facet: int, x: float, y: float, z: float, reach: float, value: float) -> bool:
    """Whether round-off could have decided the sign of `value = distance(...)`; `reach` is the largest coordinate."""
    n = cx.normal
    o = cx.point
    terms = abs(n[facet, 0] * (x - o[facet, 0])) + abs(n[facet, 1] * (y - o[facet, 1]))
    return abs(value) < DOUBT * (terms + abs(n[facet, 2] * (z - o[facet, 2])) + reach)
