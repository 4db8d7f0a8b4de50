"""The parts of the partition's edges that lie inside the body.

Signs at crossings say where a partition edge enters and leaves; they must alternate. Partition vertices without a
crossing next to them are decided by flood fill along uncrossed partition edges.
"""

from typing import NamedTuple

import numpy as np

from ..geometry.graph import join, root
from ..jit import device_inlined, njit_no_refs
from ..record_arrays import Record, Records, record_type
from ..types import Ints
from .complex import Complex
from .skin import CutSkin


class InsideIntervals(NamedTuple):
    """Inside parts of each partition edge, from p towards q."""

    start: Ints  #: (E+1,)
    begin: Ints  #: (.,) vertex
    end: Ints  #: (.,) vertex
    inner: Ints  #: (P,) number of a partition vertex inside the body among those, -1 outside
    inside: Ints  #: (.,) partition vertices inside the body


class _Crossings(NamedTuple):
    """The crossings of all partition edges, sorted by partition edge and by their place on it."""

    start: Ints  #: (E+1,) crossings of each partition edge
    vertex: Ints  #: (X,) new vertex of the skin
    enters: Ints  #: (X,) 1 where the partition edge enters the body, else 0


#: What is wrong.
INTERVAL_FAULTS = record_type(
    broken="i8",  # partition edges without alternation
    conflicts="i8",  # contradicting votes
)


@device_inlined
def _sort_crossings(partition_edge_head: Ints, vertices: Records, crossings: _Crossings) -> None:
    """Sort each partition edge's list by place, equal places by vertex."""
    n = 0
    crossings.start[0] = 0
    for partition_edge in range(len(partition_edge_head)):
        first = n
        v = partition_edge_head[partition_edge]
        while v >= 0:
            at = n
            while at > first:
                before = crossings.vertex[at - 1]
                place, own = vertices[before].place, vertices[v].place
                if place < own or (place == own and before < v):
                    break
                crossings.vertex[at] = before
                at -= 1
            crossings.vertex[at] = v
            n += 1
            v = vertices[v].following
        crossings.start[partition_edge + 1] = n
        for at in range(first, n):
            crossings.enters[at] = vertices[crossings.vertex[at]].inward


@device_inlined
def _vote(vote: Ints, parent: Ints, v: int, says: int, faults: Record) -> None:
    """Let 1 (inside) or 0 be said of a vertex and of all that uncrossed partition edges join to it; the last counts."""
    first = root(parent, v)
    if vote[first] == 1 - says:
        faults.conflicts += 1
    vote[first] = says


@device_inlined
def _find_inside(edge_vertices: Ints, crossings: _Crossings, parent: Ints, vote: Ints, faults: Record) -> None:
    """Fill `vote (P,)`, -1 before, with the state of each partition vertex: 1 inside, 0 outside.

    Vertices joined by uncrossed partition edges share a state. The ends of each crossed partition edge vote.
    """
    for partition_edge in range(len(edge_vertices)):
        if crossings.start[partition_edge] == crossings.start[partition_edge + 1]:
            join(parent, edge_vertices[partition_edge, 0], edge_vertices[partition_edge, 1])
    for partition_edge in range(len(edge_vertices)):
        first, end = crossings.start[partition_edge], crossings.start[partition_edge + 1]
        if first < end:
            _vote(vote, parent, edge_vertices[partition_edge, 0], 1 - crossings.enters[first], faults)
            _vote(vote, parent, edge_vertices[partition_edge, 1], crossings.enters[end - 1], faults)
    for v in range(len(vote)):  # a root comes before the rest of its set
        if parent[v] != v:
            vote[v] = vote[root(parent, v)]
        elif vote[v] < 0:
            vote[v] = 0  # nobody votes where no partition edge is crossed: the far vertices are outside


@device_inlined
def _put_intervals(
    edge_vertices: Ints,
    crossings: _Crossings,
    intervals: InsideIntervals,
    state: Ints,
    base: int,
    new: int,
    faults: Record,
) -> None:
    """Crossings divide a partition edge into parts; each part has the state of what is at its beginning.

    The skin's new vertices are numbered from `base` on, partition vertices inside the body after those.
    """
    after = base + new
    n = 0
    intervals.start[0] = 0
    for partition_edge in range(len(edge_vertices)):
        p, q = edge_vertices[partition_edge, 0], edge_vertices[partition_edge, 1]
        begin, is_in = after + intervals.inner[p], state[p]
        broken = 0
        for at in range(crossings.start[partition_edge], crossings.start[partition_edge + 1]):
            end = base + crossings.vertex[at]
            if is_in == 1:
                intervals.begin[n] = begin
                intervals.end[n] = end
                n += 1
            if crossings.enters[at] == is_in:
                broken = 1
            begin, is_in = end, crossings.enters[at]
        if is_in != state[q]:
            broken = 1
        elif is_in == 1:
            intervals.begin[n] = begin
            intervals.end[n] = after + intervals.inner[q]
            n += 1
        faults.broken += broken
        intervals.start[partition_edge + 1] = n


@njit_no_refs
def _fill_intervals(
    edge_vertices: Ints,
    skin: CutSkin,
    crossings: _Crossings,
    intervals: InsideIntervals,
    parent: Ints,
    state: Ints,
    known: int,
    faults: Records,
) -> int:
    """Fill all tables; returns the number of partition vertices inside."""
    _sort_crossings(skin.partition_edge_head, skin.vertex, crossings)
    _find_inside(edge_vertices, crossings, parent, state, faults[0])
    inside = 0
    for v in range(len(state)):
        intervals.inner[v] = -1
        if state[v] == 1:
            intervals.inner[v] = inside
            intervals.inside[inside] = v
            inside += 1
    _put_intervals(edge_vertices, crossings, intervals, state, known, len(skin.vertex), faults[0])
    return inside


def find_inside_intervals(cx: Complex, skin: CutSkin, known: int) -> tuple[InsideIntervals, int, int]:
    """Intervals, the number of partition edges without alternation, and that of contradicting votes.

    Vertices are numbered: the body's `known` ones, the new ones of the skin, partition vertices inside the body.
    """
    partition_edges, vertices, new = len(cx.edge_vertices), len(cx.vertices), len(skin.vertex)
    crossings = _Crossings(np.empty(partition_edges + 1, np.int64), np.empty(new, np.int64), np.empty(new, np.int64))
    lengths = (partition_edges + 1, partition_edges + new, partition_edges + new, vertices, vertices)
    intervals = InsideIntervals(*(np.empty(length, np.int64) for length in lengths))
    faults = np.zeros(1, INTERVAL_FAULTS)
    state, parent = np.full(vertices, -1, np.int64), np.arange(vertices)
    inside = _fill_intervals(cx.edge_vertices, skin, crossings, intervals, parent, state, known, faults)
    count = int(intervals.start[partition_edges])
    intervals = intervals._replace(
        begin=intervals.begin[:count], end=intervals.end[:count], inside=intervals.inside[:inside]
    )
    return intervals, int(faults["broken"][0]), int(faults["conflicts"][0])
