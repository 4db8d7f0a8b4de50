"""Closed shells, their edges, and the triangles around each edge by exact angle."""

from typing import NamedTuple

import numpy as np

from ...jit import device, njit, njit_no_refs, sealed_floats, sealed_ints
from ...types import Floats, Ints
from ..mesh_edges import mesh_edges
from ..predicates import orient3d


class Shells(NamedTuple):
    """Triangles whose directed edges all have their opposites."""

    vertices: Floats  #: (V,3)
    triangles: Ints  #: (T,3) no vertex twice in one, no three vertices twice
    multiple: Ints  #: (T,) how often each counts
    source: Ints  #: (T,) row of the input
    edges: Ints  #: (E,2) smaller vertex, larger vertex
    triangle_edge: Ints  #: (T,3) edge from corner k to the next


class EdgeRings(NamedTuple):
    """The triangles around the edges, in the order in which a half-plane that turns about the edge meets them.

    Half-edge 3t + k runs from corner k of triangle t to the next. The half-plane turns counter-clockwise seen from the
    larger vertex of the edge (against the edge's direction from its smaller vertex), and begins anywhere.
    """

    half: Ints  #: (3T,) half-edges, edge by edge
    rank: Ints  #: (T,3) place of each half-edge around its edge


def shells_of(vertices: Floats, triangles: Ints, multiple: Ints, source: Ints) -> tuple[Shells, int]:
    """The shells, and how many edges are not used equally often in both directions: that must be 0."""
    edges, triangle_edge, open_edges = mesh_edges(triangles, len(vertices))
    positions, corners = sealed_floats(vertices), sealed_ints(triangles)
    return Shells(positions, corners, multiple, source, sealed_ints(edges), triangle_edge), open_edges


def counted(triangles: Ints, multiple: Ints) -> Ints:
    """Triangles (T,3), each as often as it counts."""
    return triangles if (multiple == 1).all() else np.repeat(triangles, multiple, axis=0)


def rings_of(shells: Shells) -> EdgeRings:
    """Sort the triangles around the edges, of which no two may lie on each other."""
    edge = shells.triangle_edge.reshape(-1)
    uses = np.bincount(edge, minlength=len(shells.edges))
    start = np.concatenate([[0], np.cumsum(uses)])
    half = np.empty(len(edge), np.int64)
    _collect(edge, start.copy(), half)
    crowded = np.flatnonzero(uses > 2)
    if len(crowded) > 0:
        third = sealed_ints(shells.triangles[:, [2, 0, 1]].reshape(-1))
        _sort(shells.vertices, shells.edges, third, crowded, start, half)
    rank = np.empty(len(half), np.int64)
    rank[half] = np.arange(len(half)) - start[edge[half]]
    return EdgeRings(half, rank.reshape(-1, 3))


@njit_no_refs
def _collect(edge: Ints, end: Ints, half: Ints) -> None:
    """Fill in the half-edges edge by edge; `end (E+1,)` comes with where those of each edge begin."""
    for h in range(len(edge)):
        half[end[edge[h]]] = h
        end[edge[h]] += 1


@device
def _rises(v: Floats, p: int, q: int, a: int, b: int) -> int:
    """Sign of the angle about the edge p q by which vertex b is ahead of a."""
    det = orient3d(
        v[a, 0], v[a, 1], v[a, 2], v[b, 0], v[b, 1], v[b, 2], v[q, 0], v[q, 1], v[q, 2], v[p, 0], v[p, 1], v[p, 2]
    )  # fmt: skip
    return 1 if det > 0.0 else (-1 if det < 0.0 else 0)


@device
def _half_turn(v: Floats, p: int, q: int, first: int, c: int) -> int:
    """0, then 1 less than half a turn ahead of the first, 2 across from it, 3 beyond."""
    if c == first:
        return 0
    rise = _rises(v, p, q, first, c)
    return 1 if rise > 0 else (2 if rise == 0 else 3)


@njit
def _sort(vertices: Floats, edges: Ints, third: Ints, crowded: Ints, start: Ints, order: Ints) -> None:
    for e in crowded:
        p, q, begin = edges[e, 0], edges[e, 1], start[e]
        first = third[order[begin]]
        for end in range(begin + 1, start[e + 1]):
            i = end
            c = third[order[end]]
            turn = _half_turn(vertices, p, q, first, c)
            while i > begin + 1:
                other = third[order[i - 1]]
                ahead = turn - _half_turn(vertices, p, q, first, other)
                if ahead > 0 or (ahead == 0 and _rises(vertices, p, q, other, c) >= 0):
                    break
                order[i - 1], order[i] = order[i], order[i - 1]
                i -= 1
