"""The partition as the kernels see it: flat arrays, with the facet across each facet edge looked up in advance."""

from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..jit import inner, njit
from ..types import Floats, Ints, Partition

#: A sign whose value is smaller than this times the sum of its terms is not trusted.
DOUBT = 3e-15


class Complex(NamedTuple):
    """A Partition in few tables: a tuple because numba takes it apart, few because it counts references to each."""

    vertices: Floats  #: (P,3)
    edge_vertices: Ints  #: (E,2) p, q
    line: Floats  #: (E,6) point on the edge's line, direction from p to q
    facet: Ints  #: (F,4) columns LO, HI, FIRST, LAST: regions, and the facet's rows of `slot`
    plane: Floats  #: (F,6) unit normal from lo to hi, point
    slot: Ints  #: (H,4) columns EDGE, SIGN, and the facet across this edge inside the lo and inside the hi region
    region_start: Ints  #: (R+1,)
    region_facet: Ints


LO, HI, FIRST, LAST = 0, 1, 2, 3
EDGE, SIGN, LO_MATE = 0, 1, 2


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
    start = p.facet_start
    return Complex(
        vertices=p.vertices,
        edge_vertices=p.edge_vertices,
        line=np.ascontiguousarray(p.edge_line.reshape(-1, 6)),
        facet=np.column_stack([p.facet_regions, start[:-1], start[1:]]),
        plane=np.column_stack([p.facet_normal, p.facet_point]),
        slot=np.column_stack([p.facet_edge, p.facet_edge_sign, mate]),
        region_start=p.region_start,
        region_facet=p.region_facet,
    )


@inner
def distance(plane: Floats, facet: int, x: float, y: float, z: float) -> float:
    """Signed distance of a point from the plane of a facet, positive towards hi; one formula for every caller."""
    a, b, c = x - plane[facet, 3], y - plane[facet, 4], z - plane[facet, 5]
    value: float = plane[facet, 0] * a + plane[facet, 1] * b + plane[facet, 2] * c
    return value


@inner
def doubtful_distance(plane: Floats, facet: int, x: float, y: float, z: float, reach: float) -> bool:
    """Whether round-off could decide the sign of `distance(...)`; `reach` is the body's largest coordinate."""
    a, b, c = x - plane[facet, 3], y - plane[facet, 4], z - plane[facet, 5]
    terms = abs(plane[facet, 0] * a) + abs(plane[facet, 1] * b) + abs(plane[facet, 2] * c)
    doubtful: bool = abs(distance(plane, facet, x, y, z)) < DOUBT * (terms + reach)
    return doubtful
