"""The parts of the partition's edges (struts) that lie inside the body.

Signs at crossings say where a strut enters and leaves; they must alternate. Partition vertices without a crossing
next to them are decided by flood fill along uncrossed struts.
"""

from typing import NamedTuple

import numpy as np

from ..geometry.graph import connected_labels
from ..types import Ints
from . import packed
from .complex import Complex
from .skin import FOLLOWING, INWARD, Skin


class Spans(NamedTuple):
    """Inside parts of each strut, from p towards q."""

    start: Ints  #: (E+1,)
    begin: Ints  #: (.,) vertex
    end: Ints  #: (.,) vertex
    inner: Ints  #: (P,) number of a partition vertex inside the body among those, -1 outside
    inside: Ints  #: (.,) partition vertices inside the body


class _Crossings(NamedTuple):
    """The crossings of all struts, sorted by strut and by their place on it."""

    start: Ints  #: (E+1,) crossings of each strut
    vertex: Ints  #: (X,) new vertex of the skin
    enters: Ints  #: (X,) 1 where the strut enters the body, else 0


def inside_spans(cx: Complex, skin: Skin, known: int) -> tuple[Spans, int, int]:
    """Spans, the number of struts without alternation, and that of contradicting votes.

    Vertices are numbered: the body's `known` ones, the new ones of the skin, partition vertices inside the body.
    """
    crossings = _crossings(skin)
    state, conflicts = _inside_vertices(cx, crossings)
    inside = np.flatnonzero(state)
    inner = np.full(len(cx.vertices), -1, np.int64)
    inner[inside] = np.arange(len(inside))
    start, begin, end, broken = _spans(cx.edge_vertices, crossings, state, inner, known, len(skin.label))
    return Spans(start, begin, end, inner, inside), broken, conflicts


def _crossings(skin: Skin) -> _Crossings:
    strut = np.flatnonzero(skin.strut_head >= 0)
    at = skin.strut_head[strut]
    struts, vertices = [strut], [at]
    while len(at):
        at = skin.label[at, FOLLOWING]
        strut, at = strut[at >= 0], at[at >= 0]
        struts.append(strut)
        vertices.append(at)
    strut, vertex = np.concatenate(struts), np.concatenate(vertices)
    vertex = vertex[np.lexsort((vertex, skin.place[vertex, 3], strut))]
    start = packed.starts(np.bincount(strut, minlength=len(skin.strut_head)))
    return _Crossings(start, vertex, skin.label[vertex, INWARD])


def _inside_vertices(cx: Complex, crossings: _Crossings) -> tuple[Ints, int]:
    """State (P,) of each partition vertex, 1 inside, 0 outside, and the number of contradicting votes.

    Vertices joined by uncrossed struts share a state. The ends of each crossed strut vote, and the last vote counts.
    """
    crossed = np.diff(crossings.start) > 0
    label = connected_labels(len(cx.vertices), cx.edge_vertices[~crossed])
    first, last = crossings.start[:-1][crossed], crossings.start[1:][crossed] - 1
    says = np.stack([1 - crossings.enters[first], crossings.enters[last]], axis=1).ravel()
    voter = label[cx.edge_vertices[crossed]].ravel()
    order = np.argsort(voter, kind="stable")
    again = voter[order[1:]] == voter[order[:-1]]
    conflicts = int(np.count_nonzero(again & (says[order[1:]] != says[order[:-1]])))
    vote = np.zeros(len(cx.vertices), np.int64)  # nobody votes where no strut is crossed: the far vertices are outside
    vote[voter[order]] = says[order]
    return vote[label], conflicts


def _spans(
    edge_vertices: Ints, crossings: _Crossings, state: Ints, inner: Ints, known: int, new: int
) -> tuple[Ints, Ints, Ints, int]:
    """Packed spans, and the number of struts along which entering and leaving do not alternate.

    Crossings divide a strut into parts; each part has the state of what is at its beginning.
    """
    parts = np.diff(crossings.start) + 1
    part_start = packed.starts(parts)
    first, last = part_start[:-1], part_start[1:] - 1
    is_first, is_last = np.zeros(part_start[-1], np.bool_), np.zeros(part_start[-1], np.bool_)
    is_first[first], is_last[last] = True, True
    begin, end, is_in = (np.empty(part_start[-1], np.int64) for _ in range(3))
    begin[first], end[last] = (known + new + inner[edge_vertices]).T
    begin[~is_first] = end[~is_last] = known + crossings.vertex
    is_in[first], is_in[~is_first] = state[edge_vertices[:, 0]], crossings.enters
    faulty = np.zeros(len(parts), np.bool_)
    faulty[packed.owners(crossings.start)[is_in[~is_first] == is_in[~is_last]]] = True
    astray = is_in[last] != state[edge_vertices[:, 1]]
    used = is_in == 1
    used[last[astray]] = False
    start = packed.starts(np.bincount(packed.owners(part_start)[used], minlength=len(parts)))
    return start, begin[used], end[used], int(np.count_nonzero(faulty | astray))
