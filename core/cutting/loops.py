"""Inner faces: the closed loops that cut segments and partition edges inside of the body form on each facet."""

from typing import NamedTuple

import numpy as np

from ..geometry.packed import group
from ..jit import device_inlined, njit_no_refs
from ..record_arrays import Record, Records, record_type
from ..types import Floats, Ints
from .complex import Complex
from .inside_intervals import InsideIntervals
from .skin import CutSkin


class FacetLoops(NamedTuple):
    """Closed loops, counter-clockwise seen from the hi region around matter, clockwise around holes."""

    start: Ints  #: (L+1,)
    vertex: Ints  #: (.,)
    facet: Ints  #: (L,) never falls


#: What a vertex leads on to.
VERTEX_LINK = record_type(
    stamp="i8",  # last facet on which it led on
    next="i8",  # where to
    done="i8",  # last facet on which a loop had it
)
#: What is wrong with the loops.
LOOP_FAULTS = record_type(
    open_ends="i8",
    conflicts="i8",  # vertices with two ways on
    twins="i8",  # segments without a twin
)


class _Links(NamedTuple):
    """What follows what on the facet at hand."""

    start: Ints  #: (F+1,) bounds of the segments of each facet in `order`
    order: Ints  #: (segments,)
    first: Ints  #: (.,) vertices from which something leads on
    link: Records  #: (vertices,) VERTEX_LINK
    faults: Records  #: (1,) LOOP_FAULTS


@device_inlined
def _link(links: _Links, f: int, a: int, b: int, n: int) -> int:
    """Let a lead on to b; the number of links."""
    if links.link[a].stamp == f:
        links.faults[0].conflicts += 1
        return n
    links.link[a].stamp = f
    links.link[a].next = b
    links.first[n] = a
    return n + 1


@device_inlined
def _link_intervals(cx: Complex, intervals: InsideIntervals, f: int, links: _Links) -> int:
    """Link the spans on the facet's edges, in its sense of rotation; returns their number."""
    n = 0
    for h in range(cx.facet[f].first, cx.facet[f].last):
        e = cx.slot[h].edge
        for i in range(intervals.start[e], intervals.start[e + 1]):
            if cx.slot[h].sign < 0:
                n = _link(links, f, intervals.end[i], intervals.begin[i], n)
            else:
                n = _link(links, f, intervals.begin[i], intervals.end[i], n)
    return n


@device_inlined
def _link_segments(segments: Records, f: int, n: int, links: _Links) -> int:
    """Link the lo region's cut segments reversed; the hi region's must be the same ones."""
    twins = 0
    for j in range(links.start[f], links.start[f + 1]):
        segment = segments[links.order[j]]
        if segment.side == 0:
            twins += 1
            n = _link(links, f, segment.head, segment.tail, n)
    for j in range(links.start[f], links.start[f + 1]):
        segment = segments[links.order[j]]
        if segment.side == 1:
            twins -= 1
            link = links.link[segment.tail]
            if link.stamp != f or link.next != segment.head:
                links.faults[0].twins += 1
    links.faults[0].twins += abs(twins)
    return n


@njit_no_refs
def _facet_loops(cx: Complex, segments: Records, intervals: InsideIntervals, links: _Links, loops: FacetLoops) -> int:
    """Fill the loops; returns their number."""
    group(segments["facet"], links.start, links.order)
    count = 0
    at_corner = 0
    loops.start[0] = 0
    for f in range(len(cx.facet)):
        n = _link_intervals(cx, intervals, f, links)
        n = _link_segments(segments, f, n, links)
        for i in range(n):
            first = links.first[i]
            if links.link[first].done == f:
                continue
            at = first
            while links.link[at].stamp == f and links.link[at].done != f:
                links.link[at].done = f
                loops.vertex[at_corner] = at
                at_corner += 1
                at = links.link[at].next
            if at != first:
                links.faults[0].open_ends += 1
            loops.facet[count] = f
            count += 1
            loops.start[count] = at_corner
    return count


def facet_loops(cx: Complex, skin: CutSkin, intervals: InsideIntervals, vertices: int) -> tuple[FacetLoops, Record]:
    """All loops, and what is wrong with them: LOOP_FAULTS."""
    facets, segments = len(cx.facet), len(skin.segment)
    room = segments + int(np.diff(intervals.start)[cx.slot["edge"]].sum())  # each facet has the spans of its edges
    links = _Links(
        start=np.zeros(facets + 1, np.int64),
        order=np.empty(segments, np.int64),
        first=np.empty(room, np.int64),
        link=np.full(vertices, -1, VERTEX_LINK),
        faults=np.zeros(1, LOOP_FAULTS),
    )
    loops = FacetLoops(np.empty(room + 1, np.int64), np.empty(room, np.int64), np.empty(room, np.int64))
    count = _facet_loops(cx, skin.segment, intervals, links, loops)
    corners = int(loops.start[count])
    filled = FacetLoops(loops.start[: count + 1].copy(), loops.vertex[:corners].copy(), loops.facet[:count].copy())
    return filled, links.faults[0]


@njit_no_refs
def _measure(loops: FacetLoops, position: Floats, normal: Floats, area: Floats, moment: Floats) -> None:
    for loop in range(len(loops.facet)):
        begin, end = loops.start[loop], loops.start[loop + 1]
        f = loops.facet[loop]
        o = loops.vertex[begin]
        o0, o1, o2 = position[o, 0], position[o, 1], position[o, 2]
        total = 0.0
        x, y, z = 0.0, 0.0, 0.0
        for at in range(begin + 1, end - 1):
            a, b = loops.vertex[at], loops.vertex[at + 1]
            a0, a1, a2 = position[a, 0] - o0, position[a, 1] - o1, position[a, 2] - o2
            b0, b1, b2 = position[b, 0] - o0, position[b, 1] - o1, position[b, 2] - o2
            part = normal[f, 0] * (a1 * b2 - a2 * b1) + normal[f, 1] * (a2 * b0 - a0 * b2)
            part = 0.5 * (part + normal[f, 2] * (a0 * b1 - a1 * b0))
            total += part
            x += part * (a0 + b0)
            y += part * (a1 + b1)
            z += part * (a2 + b2)
        area[loop] = total
        moment[loop, 0] = x / 3.0 + total * o0
        moment[loop, 1] = y / 3.0 + total * o1
        moment[loop, 2] = z / 3.0 + total * o2


def loop_areas(loops: FacetLoops, position: Floats, normal: Floats) -> tuple[Floats, Floats]:
    """Area (L,) of each loop along the normal of its facet (F,3), and the first moment (L,3) of this area.

    Fans from each loop's first vertex, so that a small loop far from the origin keeps its digits.
    """
    area, moment = np.empty(len(loops.facet)), np.empty((len(loops.facet), 3))
    _measure(loops, position, normal, area, moment)
    return area, moment
