"""The partition as the kernels see it: flat arrays, with the facet across each facet edge looked up in advance."""

from typing import NamedTuple

import numpy as np

from ..errors import CutError
from ..jit import device, njit
from ..record_arrays import Record, Records, record_type
from ..types import Floats, Ints, Partition

#: A sign whose value is smaller than this times the sum of its terms is not trusted. Measured on a prototype: none of
#: 1,056 cuts failed whose complex was valid and in which no sign was as small.
DOUBT = 3e-15


#: A facet of the complex.
FACET = record_type(
    lo="i8",  # region behind its normal
    hi="i8",  # region before it, -1 for none
    first="i8",  # of its slots
    last="i8",  # one past the last of them
    normal=("f8", 3),  # unit, from lo to hi
    point=("f8", 3),
)
#: An edge as one facet has it.
SLOT = record_type(
    edge="i8",
    sign="i8",  # 1 where the facet runs along it from p to q, -1 where from q to p
    across=("i8", 2),  # the facet on the other side of this edge inside the lo, and inside the hi region
)


class Complex(NamedTuple):
    """A Partition in few tables: a tuple because numba takes it apart, few because it counts references to each."""

    vertices: Floats  #: (P,3)
    edge_vertices: Ints  #: (E,2) p, q
    line: Floats  #: (E,2,3) point on the edge's line, direction from p to q
    facet: Records  #: (F,) FACET
    slot: Records  #: (H,) SLOT
    region_start: Ints  #: (R+1,)
    region_facet: Ints


def as_complex(partition: Partition) -> Complex:
    """The partition's arrays and face adjacency. Raises CutError unless regions meet each edge with two facets."""
    p = partition
    slot, facet, start = np.empty(len(p.facet_edge), SLOT), np.empty(len(p.facet_regions), FACET), p.facet_start
    slot["edge"], slot["sign"], slot["across"] = p.facet_edge, p.facet_edge_sign, -1
    facet["lo"], facet["hi"] = p.facet_regions.T
    facet["first"], facet["last"] = start[:-1], start[1:]
    facet["normal"], facet["point"] = p.facet_normal, p.facet_point
    met = np.full((len(p.edge_vertices), 3), -1, np.int64)
    owed = len(slot) + int(np.diff(start)[p.facet_regions[:, 1] >= 0].sum())
    if _fill_adjacency(p.region_start, p.region_facet, facet, slot, met) != owed:
        raise CutError("The regions of the pattern do not fit together face to face.")
    return Complex(
        vertices=p.vertices,
        edge_vertices=p.edge_vertices,
        line=np.ascontiguousarray(p.edge_line),
        facet=facet,
        slot=slot,
        region_start=p.region_start,
        region_facet=p.region_facet,
    )


@device
def _fill_adjacency_of(region: int, facets: Ints, facet: Records, slot: Records, met: Ints) -> int:
    """Fill the adjacency inside one region; returns how many, or -1 where an edge is not met just twice.

    `met (E,3)`: the last region that met the edge, the slot, and the facet, -1 once a second facet has met it there.
    """
    count, single = 0, 0
    for f in facets:
        if facet[f].lo != region and facet[f].hi != region:
            return -1
        side = 0 if facet[f].lo == region else 1
        for h in range(facet[f].first, facet[f].last):
            e = slot[h].edge
            if met[e, 0] != region:
                met[e, 0], met[e, 1], met[e, 2] = region, h, f
                single += 1
                continue
            other = met[e, 2]
            if other < 0:
                return -1
            slot[h].across[side] = other
            slot[met[e, 1]].across[0 if facet[other].lo == region else 1] = f
            met[e, 2] = -1
            single -= 1
            count += 2
    return count if single == 0 else -1


@njit
def _fill_adjacency(region_start: Ints, region_facet: Ints, facet: Records, slot: Records, met: Ints) -> int:
    """Fill the adjacency of all slots; returns how many, or -1 where an edge of a region is not met just twice.

    Regions come in the order of their facets, which are near to each other in memory more often than regions are.
    """
    count = 0
    done = np.zeros(len(region_start), np.bool_)
    for f in range(len(facet)):
        for region in (facet[f].lo, facet[f].hi):
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
def distance(facet: Record, x: float, y: float, z: float) -> float:
    """Signed distance of a point from the plane of a FACET, positive towards hi; one formula for every caller."""
    normal, point = facet.normal, facet.point
    a, b, c = x - point[0], y - point[1], z - point[2]
    value: float = normal[0] * a + normal[1] * b + normal[2] * c
    return value


@device
def doubtful_distance(facet: Record, x: float, y: float, z: float, reach: float) -> bool:
    """Whether round-off could decide the sign of `distance(...)`; `reach` is the body's largest coordinate."""
    normal, point = facet.normal, facet.point
    a, b, c = x - point[0], y - point[1], z - point[2]
    terms = abs(normal[0] * a) + abs(normal[1] * b) + abs(normal[2] * c)
    doubtful: bool = abs(distance(facet, x, y, z)) < DOUBT * (terms + reach)
    return doubtful
