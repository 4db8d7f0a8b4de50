"""Inner faces: the closed loops that cut segments and strut spans form on each facet."""

from typing import NamedTuple

import numpy as np

from ..geometry.mesh import cross
from ..jit import inner, njit
from ..types import Floats, Ints
from . import packed
from .complex import EDGE, FIRST, LAST, SIGN, Complex
from .skin import Skin
from .spans import Spans


class Loops(NamedTuple):
    """Closed loops, counter-clockwise seen from the hi region around matter, clockwise around holes."""

    start: Ints  #: (L+1,)
    vertex: Ints  #: (.,)
    facet: Ints  #: (L,)


OPEN_ENDS, CONFLICTS, TWINS = 0, 1, 2


@inner
def _link_spans(cx: Complex, spans: Spans, f: int, stamp: Ints, following: Ints, starts: Ints, faults: Ints) -> int:
    """Link the spans on the facet's edges, in its sense of rotation; returns their number."""
    n = 0
    for h in range(cx.facet[f, FIRST], cx.facet[f, LAST]):
        e = cx.slot[h, EDGE]
        for i in range(spans.start[e], spans.start[e + 1]):
            a, b = spans.begin[i], spans.end[i]
            if cx.slot[h, SIGN] < 0:
                a, b = b, a
            if stamp[a] == f:
                faults[CONFLICTS] += 1
                continue
            stamp[a] = f
            following[a] = b
            starts[n] = a
            n += 1
    return n


@inner
def _link_segments(
    segment: Ints,
    order: Ints,
    lo: int,
    hi: int,
    f: int,
    n: int,
    stamp: Ints,
    following: Ints,
    starts: Ints,
    faults: Ints,
) -> int:
    """Link the lo region's cut segments reversed; the hi region's must be the same ones."""
    twins = 0
    for j in range(lo, hi):
        i = order[j]
        if segment[i, 1] == 0:
            a, b = segment[i, 3], segment[i, 2]
            twins += 1
            if stamp[a] == f:
                faults[CONFLICTS] += 1
                continue
            stamp[a] = f
            following[a] = b
            starts[n] = a
            n += 1
    for j in range(lo, hi):
        i = order[j]
        if segment[i, 1] == 1:
            twins -= 1
            a = segment[i, 2]
            if stamp[a] != f or following[a] != segment[i, 3]:
                faults[TWINS] += 1
    faults[TWINS] += abs(twins)
    return n


@njit
def _facet_loops(
    cx: Complex, segment: Ints, spans: Spans, start: Ints, order: Ints, vertices: int
) -> tuple[Ints, Ints, Ints, Ints]:
    facets = len(cx.facet)
    room = len(order)
    most = 0
    for f in range(facets):
        here = start[f + 1] - start[f]
        for h in range(cx.facet[f, FIRST], cx.facet[f, LAST]):
            e = cx.slot[h, EDGE]
            here += spans.start[e + 1] - spans.start[e]
        most = max(most, here)
        room += here
    loop_start = np.empty(room + 1, np.int64)
    loop_start[0] = 0
    loop_facet = np.empty(room, np.int64)
    loop_vertex = np.empty(room, np.int64)
    stamp = np.full(vertices, -1, np.int64)
    done = np.full(vertices, -1, np.int64)
    following = np.empty(vertices, np.int64)
    starts = np.empty(most, np.int64)
    faults = np.zeros(3, np.int64)
    loops = 0
    count = 0
    for f in range(facets):
        n = _link_spans(cx, spans, f, stamp, following, starts, faults)
        n = _link_segments(segment, order, start[f], start[f + 1], f, n, stamp, following, starts, faults)
        for i in range(n):
            first = starts[i]
            if done[first] == f:
                continue
            at = first
            while stamp[at] == f and done[at] != f:
                done[at] = f
                loop_vertex[count] = at
                count += 1
                at = following[at]
            if at != first:
                faults[OPEN_ENDS] += 1
            loop_facet[loops] = f
            loops += 1
            loop_start[loops] = count
    return loop_start[: loops + 1], loop_vertex[:count], loop_facet[:loops], faults


def facet_loops(cx: Complex, skin: Skin, spans: Spans, vertices: int) -> tuple[Loops, Ints]:
    """All loops, and the numbers (3,) of open ends, of vertices with two ways on, and of segments without a twin."""
    start, order = packed.grouped(skin.segment[:, 0], len(cx.facet))
    loop_start, loop_vertex, loop_facet, faults = _facet_loops(cx, skin.segment, spans, start, order, vertices)
    return Loops(loop_start, loop_vertex, loop_facet), faults


def loop_areas(loops_start: Ints, loops_vertex: Ints, position: Floats) -> tuple[Floats, Floats]:
    """Area vectors (L,3), right-handed around each loop, and their first moments (L,3,3): integral of dA_i x_j.

    Fans from each loop's first vertex, so that a small loop far from the origin keeps its digits.
    """
    count = len(loops_start) - 1
    length = np.maximum(np.diff(loops_start) - 2, 0)
    loop = np.repeat(np.arange(count), length)
    middle = packed.ranges(loops_start[:-1] + 1, length)
    origin = position[loops_vertex[loops_start[:-1]]]
    a, b = (position[loops_vertex[at]] - origin[loop] for at in (middle, middle + 1))
    part = 0.5 * cross(a, b)
    mean = (a + position[loops_vertex[middle + 1]] - origin[loop]) / 3.0
    area, moment = np.empty((count, 3)), np.empty((count, 3, 3))
    for c in range(3):
        area[:, c] = np.bincount(loop, part[:, c], count)
        for d in range(3):
            moment[:, c, d] = np.bincount(loop, part[:, c] * mean[:, d], count) + area[:, c] * origin[:, d]
    return area, moment
