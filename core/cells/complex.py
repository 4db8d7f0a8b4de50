"""The partition as the kernels see it: flat arrays, with the facet across each facet edge looked up in advance."""

from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..jit import inner
from ..types import Floats, Ints, Partition
from .packed import owners, ranges

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


def _mates(partition: Partition) -> Ints:
    """`mate (H,2)`: the facet across each facet edge in the lo and in the hi region, -1 in the outer hi.

    Raises CutError where a region does not meet an edge with exactly two facets.
    """
    p = partition
    length = np.diff(p.facet_start)[p.region_facet]
    facet = np.repeat(p.region_facet, length)
    slot = ranges(p.facet_start[p.region_facet], length)
    region = np.repeat(owners(p.region_start), length)
    key = region * len(p.edge_vertices) + p.facet_edge[slot]
    order = np.argsort(key, kind="stable")
    one, other = order[0::2], order[1::2]
    met = key[order]
    if len(order) % 2 or np.any(met[0::2] != met[1::2]) or np.any(met[2::2] == met[1:-1:2]):
        raise CutError("The regions of the pattern do not fit together face to face.")
    mate = np.full((len(p.facet_edge), 2), -1, np.int64)
    side = np.where(p.facet_regions[facet, 0] == region, 0, 1)
    mate[slot[one], side[one]] = facet[other]
    mate[slot[other], side[other]] = facet[one]
    return mate


def as_complex(partition: Partition) -> Complex:
    """The partition's arrays with mates. Raises CutError unless each region meets its edges with two facets each."""
    p = partition
    mate = _mates(p)
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
