"""Polygons whose loops cross each other: that they do is told by their triangles, and then they are filled blindly."""

from ..jit import device_no_refs
from ..types import Floats, Ints
from .delaunay import after


@device_no_refs
def repeats_edge(tip: Ints, halves: int, corners: int, last: Ints, others: Ints) -> bool:
    """Whether two half-edges run between the same corners in the same direction.

    `last` has room for each corner, `others` for each half-edge.
    """
    for i in range(corners):
        last[i] = -1  # the last half-edge that begins there
    for e in range(halves):
        a, b = tip[e], tip[after(e)]
        if a >= corners or b >= corners:
            continue
        k = last[a]
        while k >= 0:
            if tip[after(k)] == b:
                return True
            k = others[k]
        others[e], last[a] = last[a], e
    return False


@device_no_refs
def fill_blindly(at: Floats, loop: Ints, around: Ints, tip: Ints) -> int:
    """Fill a polygon edge by edge, whatever its shape; its loops, bounded by `loop`, are joined at their first corners.

    The ring of n corners with h holes has n + 2h nodes, each of which gets a point of its own in the same place, in
    the rows of `at` behind the corners: a strip of two triangles for each edge, and a fan inside of the strip. So no
    edge is there twice. Twins are not kept. `around` has room for the nodes; returns how many there are.
    """
    nodes, corners = 0, loop[len(loop) - 1] - loop[0]
    for number in range(len(loop) - 1):
        first, end = loop[number] - loop[0], loop[number + 1] - loop[0]
        joined = nodes > 0 and end > first
        if joined:
            around[nodes] = around[0]
            nodes += 1
        for a in range(first, end):
            around[nodes] = a
            nodes += 1
        if joined:
            around[nodes] = first
            nodes += 1
    for k in range(nodes):
        following = k + 1 if k < nodes - 1 else 0
        a, b, p, q = around[k], around[following], corners + k, corners + following
        at[p, 0], at[p, 1] = at[a, 0], at[a, 1]
        e = 6 * k
        tip[e], tip[e + 1], tip[e + 2] = a, b, q
        tip[e + 3], tip[e + 4], tip[e + 5] = a, q, p
        if 0 < k < nodes - 1:
            e = 6 * nodes + 3 * (k - 1)
            tip[e], tip[e + 1], tip[e + 2] = corners, p, q
    return nodes
