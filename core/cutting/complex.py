"""The partition as the kernels see it: flat arrays, with the facet across each facet edge looked up in advance."""

from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..jit import device, njit
from ..types import Floats, Ints, Partition

#: A sign whose value is smaller than this times the sum of its terms is not trusted. Measured on a prototype: none of
#: 1,056 cuts failed whose complex was valid and in which no sign was as small.
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


#: Columns of `Complex.facet`.
LO, HI, FIRST_EDGE, LAST = 0, 1, 2, 3
#: Columns of `Complex.slot`.
EDGE, SIGN, LO_ADJACENT = 0, 1, 2


def as_complex(partition: Partition) -> Complex:
    """The partition's arrays and face adjacency. Raises CutError unless regions meet each edge with two facets."""
    p = partition
    slot = np.empty((len(p.facet_edge), 4), np.int64)
    slot[:, EDGE], slot[:, SIGN], slot[:, LO_ADJACENT:] = p.facet_edge, p.facet_edge_sign, -1
    start = p.facet_start
    facet = np.column_stack([p.facet_regions, start[:-1], start[1:]])
    met = np.full((len(p.edge_vertices), 3), -1, np.int64)
    owed = len(slot) + int(np.diff(start)[p.facet_regions[:, 1] >= 0].sum())
    if _fill_adjacency(p.region_start, p.region_facet, facet, slot, met) != owed:
        raise CutError("The regions of the pattern do not fit together face to face.")
    return Complex(
        vertices=p.vertices,
        edge_vertices=p.edge_vertices,
        line=np.ascontiguousarray(p.edge_line.reshape(-1, 6)),
        facet=facet,
        plane=np.column_stack([p.facet_normal, p.facet_point]),
        slot=slot,
        region_start=p.region_start,
        region_facet=p.region_facet,
    )


@device
def _fill_adjacency_of(region: int, facets: Ints, facet: Ints, slot: Ints, met: Ints) -> int:
    """Fill the adjacency inside one region; returns how many, or -1 where an edge is not met just twice.

    `met (E,3)`: the last region that met the edge, the slot, and the facet, -1 once a second facet has met it there.
    """
    count, single = 0, 0
    for f in facets:
        if facet[f, LO] != region and facet[f, HI] != region:
            return -1
        side = LO_ADJACENT if facet[f, LO] == region else LO_ADJACENT + 1
        for h in range(facet[f, FIRST_EDGE], facet[f, LAST]):
            e = slot[h, EDGE]
            if met[e, 0] != region:
                met[e, 0], met[e, 1], met[e, 2] = region, h, f
                single += 1
                continue
            other = met[e, 2]
            if other < 0:
                return -1
            slot[h, side] = other
            slot[met[e, 1], LO_ADJACENT if facet[other, LO] == region else LO_ADJACENT + 1] = f
            met[e, 2] = -1
            single -= 1
            count += 2
    return count if single == 0 else -1


@njit
def _fill_adjacency(region_start: Ints, region_facet: Ints, facet: Ints, slot: Ints, met: Ints) -> int:
    """Fill the adjacency of all slots; returns how many, or -1 where an edge of a region is not met just twice.

    Regions come in the order of their facets, which are near to each other in memory more often than regions are.
    """
    count = 0
    done = np.zeros(len(region_start), np.bool_)
    for f in range(len(facet)):
        for side in (LO, HI):
            region = facet[f, side]
            if region < 0 or done[region]:
                continue
            done[region] = True
            found = _fill_adjacency_of(
                region, region_facet[region_start[region] : region_start[region + 1]], facet, slot, met
            )
            if found < 0:
                return -1
            count += found
    return count


@device
def distance(plane: Floats, facet: int, x: float, y: float, z: float) -> float:
    """Signed distance of a point from the plane of a facet, positive towards hi; one formula for every caller."""
    a, b, c = x - plane[facet, 3], y - plane[facet, 4], z - plane[facet, 5]
    value: float = plane[facet, 0] * a + plane[facet, 1] * b + plane[facet, 2] * c
    return value


@device
def doubtful_distance(plane: Floats, facet: int, x: float, y: float, z: float, reach: float) -> bool:
    """Whether round-off could decide the sign of `distance(...)`; `reach` is the body's largest coordinate."""
    a, b, c = x - plane[facet, 3], y - plane[facet, 4], z - plane[facet, 5]
    terms = abs(plane[facet, 0] * a) + abs(plane[facet, 1] * b) + abs(plane[facet, 2] * c)
    doubtful: bool = abs(distance(plane, facet, x, y, z)) < DOUBT * (terms + reach)
    return doubtful
