"""The edges of closed fragments: each pair of vertices that some face joins, once."""

from dataclasses import dataclass

import numpy as np

from ..geometry import packed
from ..jit import njit, sealed_ints
from ..types import Fragments, Frozen, Ints


@dataclass(frozen=True, eq=False, slots=True)
class FragmentEdges(Frozen):
    """Edges of packed fragments, in the order in which the corners meet them."""

    start: Ints  #: (K+1,)
    vertices: Ints  #: (E,2) vertices of the fragment, counted from its own first one; in the first corner's direction
    corner: Ints  #: (N,) edge from each corner to the next of its face, counted from the fragment's own first one


def edges_of(fragments: Fragments) -> FragmentEdges:
    """Find the edges of all fragments. An edge of any number of faces is one edge."""
    corner_count = int(fragments.corner_start[-1])
    corner_of = fragments.corner_start[fragments.face_start]
    corner = np.empty(corner_count, np.int64)
    vertices = np.empty((corner_count, 2), np.int64)
    start = np.zeros(len(fragments.mass) + 1, np.int64)
    largest = int(np.diff(corner_of).max(initial=1))
    count = _edges(
        corner_of,
        sealed_ints(fragments.corner_vertex),
        sealed_ints(packed.following(fragments.corner_start)),
        np.empty(1 << largest.bit_length(), np.int64),
        vertices,
        corner,
        start,
    )
    return FragmentEdges(start, vertices[:count], corner)


@njit
def _edges(corner_of: Ints, vertex: Ints, next_: Ints, slots: Ints, vertices: Ints, corner: Ints, start: Ints) -> int:
    count = 0
    for k in range(len(corner_of) - 1):
        first = count
        # A hash table with more slots than this fragment has corners, so that some are always free.
        mask = 1
        while mask <= corner_of[k + 1] - corner_of[k]:
            mask *= 2
        mask -= 1
        slots[: mask + 1] = -1
        for i in range(corner_of[k], corner_of[k + 1]):
            a, b = vertex[i], vertex[next_[i]]
            low, high = min(a, b), max(a, b)
            slot = (low * 73856093 ^ high * 19349663) & mask
            edge = slots[slot]
            while edge >= 0 and (
                min(vertices[edge, 0], vertices[edge, 1]) != low or max(vertices[edge, 0], vertices[edge, 1]) != high
            ):
                slot = (slot + 1) & mask
                edge = slots[slot]
            if edge < 0:
                edge = count
                slots[slot] = edge
                vertices[edge, 0], vertices[edge, 1] = a, b
                count += 1
            corner[i] = edge - first
        start[k + 1] = count
    return count
