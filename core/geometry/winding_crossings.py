"""Where segments meet triangles: first, and where the winding number falls through 1/2 for the last time."""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, njit_no_refs, sealed_floats
from ..types import Floats, Ints
from .bvh import Tree, TreeNodes, leaf_entries

HITS = 32  # triangles that a segment can meet; where it is more, the tangle's middle is as good as any place; chosen


class _SegmentHits(NamedTuple):
    """Triangles that a segment meets, in their order along it."""

    at: Floats  #: (HITS,) share of the way
    jump: Ints  #: (HITS,2) by how much the winding number falls there, and the entry of the tree


def find_last_crossings(tree: Tree, p: Floats, q: Floats, value: Floats) -> tuple[Floats, Ints]:
    """The share (n,) of the way from p to q (n,3) at which the winding number falls through 1/2 for the last time.

    And the triangle (n,) where it does, or -1. `value (n,2)` is the winding number at p and q, >= 1/2 and < 1/2. It
    falls by 1 where the segment leaves a triangle through its front, and is taken to change linearly between. The last
    fall: gaps within the segment are closed. Segments should be short: they are looked for by their boxes.
    """
    share, entry = np.empty(len(p)), np.empty(len(p), np.int64)
    stack, hits = np.empty(tree.depth + 2, np.int64), _SegmentHits(np.empty(HITS), np.empty((HITS, 2), np.int64))
    _hits(tree.nodes, sealed_floats(p), sealed_floats(q), sealed_floats(value), stack, hits, share, entry)
    return share, np.where(entry >= 0, tree.order[entry], -1)


def find_first_hits(tree: Tree, p: Floats, q: Floats) -> Floats:
    """The share (n,) of the way from p to q (n,3) at which it meets a triangle first, 1 where it meets none."""
    share, stack = np.ones(len(p)), np.empty(tree.depth + 2, np.int64)
    _first(tree.nodes, sealed_floats(p), sealed_floats(q), stack, share)
    return share


@njit_no_refs
def _first(nodes: TreeNodes, p: Floats, q: Floats, stack: Ints, share: Floats) -> None:
    """Lower the `share` (n,) to that of the first hit."""
    for n in range(len(p)):
        stack[0] = 1
        top = 1
        while top > 0:
            top, begin, end = _next_leaf(nodes, p, q, n, stack, top)
            for e in range(begin, end):
                where, fall = _hit(nodes.corners, e, p, q, n)
                if fall != 0 and where < share[n]:
                    share[n] = where


@njit_no_refs
def _hits(
    nodes: TreeNodes, p: Floats, q: Floats, value: Floats, stack: Ints, hits: _SegmentHits, share: Floats, entry: Ints
) -> None:
    """Fill `share` and `entry`, the tree's or -1; the `hits` are scratch."""
    at, jump = hits
    for n in range(len(p)):
        count = 0
        stack[0] = 1
        top = 1
        while top > 0:
            top, begin, end = _next_leaf(nodes, p, q, n, stack, top)
            for e in range(begin, end):
                where, fall = _hit(nodes.corners, e, p, q, n)
                if fall == 0 or count == len(at):
                    continue
                k = count
                while k > 0 and at[k - 1] > where:
                    at[k], jump[k, 0], jump[k, 1] = at[k - 1], jump[k - 1, 0], jump[k - 1, 1]
                    k -= 1
                at[k], jump[k, 0], jump[k, 1] = where, fall, e
                count += 1
        share[n], entry[n] = _last_fall(value[n, 0], value[n, 1], hits, count)


@device_inlined
def _last_fall(first: float, last: float, hits: _SegmentHits, count: int) -> tuple[float, int]:
    """Share of the edge, and entry hit or -1, at which the winding number falls through 1/2 for the last time."""
    at, jump = hits
    share, entry = 0.5, -1
    if count == len(at):
        return share, entry
    drift = last - first
    for k in range(count):
        drift += jump[k, 0]
    before, begin = first, 0.0
    for k in range(count + 1):
        end = at[k] if k < count else 1.0
        after = before + drift * (end - begin)
        if before >= 0.5 and after < 0.5:
            share, entry = begin + (before - 0.5) / (before - after) * (end - begin), -1
        if k < count:
            before, begin = after - jump[k, 0], end
            if after >= 0.5 and before < 0.5:
                share, entry = end, jump[k, 1]
    return share, entry


@device_inlined
def _next_leaf(nodes: TreeNodes, p: Floats, q: Floats, n: int, stack: Ints, top: int) -> tuple[int, int, int]:
    """Go on to the next leaf in reach of a segment: the new height of the stack, and the leaf's entries.

    The search begins with `stack[0] = 1` and `top = 1`, and has ended where the height is 0; there may be no entries.
    """
    corners, low, high, depth = nodes
    leaves = 1 << depth
    while top > 0:
        top -= 1
        node = stack[top]
        if _clear(low, high, node, p, q, n):
            continue
        if node >= leaves:
            begin, end = leaf_entries(node - leaves, depth, len(corners))
            return top, begin, end
        stack[top], stack[top + 1] = 2 * node + 1, 2 * node
        top += 2
    return 0, 0, 0


@device_inlined
def _clear(low: Floats, high: Floats, node: int, p: Floats, q: Floats, n: int) -> bool:
    """Whether the box of a segment misses that of a node."""
    clear = False
    for k in range(3):
        clear = clear or min(p[n, k], q[n, k]) > high[node, k] or max(p[n, k], q[n, k]) < low[node, k]
    return clear


@device_inlined
def _hit(corners: Floats, e: int, p: Floats, q: Floats, n: int) -> tuple[float, int]:
    """Share of the way from p to q at which it meets entry e, and by how much the winding number falls there, or 0."""
    dx, dy, dz = q[n, 0] - p[n, 0], q[n, 1] - p[n, 1], q[n, 2] - p[n, 2]
    ax, ay, az = corners[e, 0, 0] - p[n, 0], corners[e, 0, 1] - p[n, 1], corners[e, 0, 2] - p[n, 2]
    bx, by, bz = corners[e, 1, 0] - p[n, 0], corners[e, 1, 1] - p[n, 1], corners[e, 1, 2] - p[n, 2]
    cx, cy, cz = corners[e, 2, 0] - p[n, 0], corners[e, 2, 1] - p[n, 1], corners[e, 2, 2] - p[n, 2]
    ab = dx * (ay * bz - az * by) + dy * (az * bx - ax * bz) + dz * (ax * by - ay * bx)
    bc = dx * (by * cz - bz * cy) + dy * (bz * cx - bx * cz) + dz * (bx * cy - by * cx)
    ca = dx * (cy * az - cz * ay) + dy * (cz * ax - cx * az) + dz * (cx * ay - cy * ax)
    total = ab + bc + ca
    if total == 0.0 or not ((ab >= 0.0 and bc >= 0.0 and ca >= 0.0) or (ab <= 0.0 and bc <= 0.0 and ca <= 0.0)):
        return 0.0, 0
    height = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    where = height / total
    if not 0.0 <= where <= 1.0:
        return 0.0, 0
    return where, 1 if total > 0.0 else -1
