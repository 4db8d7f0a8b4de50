"""The parts of the partition's edges (struts) that lie inside the body.

Signs at crossings say where a strut enters and leaves; they must alternate. Partition vertices without a crossing
next to them are decided by flood fill along uncrossed struts.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inner, njit
from ..types import Floats, Ints
from .complex import Complex
from .sets import root
from .skin import FOLLOWING, INWARD, Skin


class Spans(NamedTuple):
    """Inside parts of each strut, from p towards q."""

    start: Ints  #: (E+1,)
    begin: Ints  #: (.,) vertex
    end: Ints  #: (.,) vertex
    inner: Ints  #: (P,) number of a partition vertex inside the body among those, -1 outside
    inside: Ints  #: (.,) partition vertices inside the body


@inner
def _sorted_crossings(skin_next: Ints, param: Floats, head: int, found: Ints) -> int:
    """Copy the crossings of one strut to `found`, by insertion in the order of their place; returns their number.

    With more than `len(found)` crossings the number alone is right.
    """
    n = 0
    at = head
    while at >= 0:
        if n < len(found):
            i = n
            while i > 0 and (
                param[found[i - 1]] > param[at] or (param[found[i - 1]] == param[at] and found[i - 1] > at)
            ):
                found[i] = found[i - 1]
                i -= 1
            found[i] = at
        n += 1
        at = skin_next[at]
    return n


@njit
def _most_crossings(heads: Ints, following: Ints) -> int:
    most = 0
    for head in heads:
        n = 0
        at = head
        while at >= 0:
            n += 1
            at = following[at]
        most = max(most, n)
    return most


@njit
def _inside_vertices(
    edge_vertices: Ints, heads: Ints, following: Ints, param: Floats, enters: Ints, vertices: int, found: Ints
) -> tuple[Ints, int]:
    """State (P,) of each partition vertex, 1 inside, 0 outside, and the number of contradicting votes."""
    parent = np.arange(vertices)
    for e in range(len(edge_vertices)):
        if heads[e] < 0:
            a = root(parent, edge_vertices[e, 0])
            b = root(parent, edge_vertices[e, 1])
            if a != b:
                parent[max(a, b)] = min(a, b)
    vote = np.full(vertices, -1, np.int64)
    conflicts = 0
    for e in range(len(edge_vertices)):
        if heads[e] < 0:
            continue
        n = _sorted_crossings(following, param, heads[e], found)
        for end in range(2):
            says = 1 - enters[found[0]] if end == 0 else enters[found[n - 1]]
            r = root(parent, edge_vertices[e, end])
            if vote[r] >= 0 and vote[r] != says:
                conflicts += 1
            vote[r] = says
    state = np.empty(vertices, np.int64)
    for v in range(vertices):
        state[v] = max(vote[root(parent, v)], 0)  # nobody votes where no strut is crossed: the far vertices are outside
    return state, conflicts


@njit
def _spans(
    edge_vertices: Ints,
    heads: Ints,
    following: Ints,
    param: Floats,
    enters: Ints,
    state: Ints,
    inner: Ints,
    known: int,
    found: Ints,
) -> tuple[Ints, Ints, Ints, int]:
    """Packed spans, and the number of struts along which entering and leaving do not alternate."""
    edges = len(edge_vertices)
    start = np.zeros(edges + 1, np.int64)
    begin = np.empty(edges + len(param), np.int64)
    end = np.empty(edges + len(param), np.int64)
    broken = 0
    count = 0
    base = known + len(param)
    for e in range(edges):
        p = edge_vertices[e, 0]
        q = edge_vertices[e, 1]
        if heads[e] < 0:
            if state[p] == 1:
                begin[count] = base + inner[p]
                end[count] = base + inner[q]
                count += 1
        else:
            n = _sorted_crossings(following, param, heads[e], found)
            is_in = state[p]
            last = base + inner[p]
            faulty = False
            for i in range(n):
                if enters[found[i]] == is_in:
                    faulty = True
                if is_in == 1:
                    begin[count] = last
                    end[count] = known + found[i]
                    count += 1
                is_in = enters[found[i]]
                last = known + found[i]
            if is_in != state[q]:
                faulty = True
            elif is_in == 1:
                begin[count] = last
                end[count] = base + inner[q]
                count += 1
            broken += 1 if faulty else 0
        start[e + 1] = count
    return start, begin[:count], end[:count], broken


def inside_spans(cx: Complex, skin: Skin, known: int) -> tuple[Spans, int, int]:
    """Spans, the number of struts without alternation, and that of contradicting votes.

    Vertices are numbered: the body's `known` ones, the new ones of the skin, partition vertices inside the body.
    """
    following, enters = (np.ascontiguousarray(skin.label[:, k]) for k in (FOLLOWING, INWARD))
    crossings = (cx.edge_vertices, skin.strut_head, following, np.ascontiguousarray(skin.place[:, 3]), enters)
    found = np.empty(_most_crossings(skin.strut_head, following) + 1, np.int64)
    state, conflicts = _inside_vertices(*crossings, len(cx.vertices), found)
    inside = np.flatnonzero(state)
    inner = np.full(len(cx.vertices), -1, np.int64)
    inner[inside] = np.arange(len(inside))
    start, begin, end, broken = _spans(*crossings, state, inner, known, found)
    return Spans(start, begin, end, inner, inside), broken, conflicts
