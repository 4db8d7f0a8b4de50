"""The unique edges of a triangle mesh, and ids of unordered pairs in general, without sorting."""

import numpy as np

from ..jit import njit
from ..types import Ints


@njit
def pair_ids(first: Ints, second: Ints, count: int) -> tuple[Ints, Ints]:
    """Number the unordered pairs (first[i], second[i]) of items 0..count-1 in the order of their smaller member.

    Returns `pairs (n,2)` with the smaller member first, and `pair_of (len(first),)`. Buckets by the smaller member and
    scans a bucket for the larger one, so the time grows with the largest bucket; meshes have short ones.
    """
    size = len(first)
    start = np.zeros(count + 1, np.int64)
    for i in range(size):
        start[min(first[i], second[i]) + 1] += 1
    for v in range(count):
        start[v + 1] += start[v]
    larger = np.empty(size, np.int64)  # distinct larger members, packed at the front of each bucket
    used = np.zeros(count, np.int64)
    slot = np.empty(size, np.int64)
    for i in range(size):
        a = min(first[i], second[i])
        b = max(first[i], second[i])
        begin = start[a]
        place = begin
        while place < begin + used[a] and larger[place] != b:
            place += 1
        if place == begin + used[a]:
            larger[place] = b
            used[a] += 1
        slot[i] = place
    total = 0
    shift = np.empty(count, np.int64)  # id of a pair = its place in the buckets minus the gaps before it
    for v in range(count):
        shift[v] = start[v] - total
        total += used[v]
    pairs = np.empty((total, 2), np.int64)
    for v in range(count):
        for j in range(used[v]):
            row = start[v] - shift[v] + j
            pairs[row, 0] = v
            pairs[row, 1] = larger[start[v] + j]
    for i in range(size):
        slot[i] -= shift[min(first[i], second[i])]
    return pairs, slot


@njit
def _directed_balance(triangles: Ints, triangle_edge: Ints, edges: Ints) -> Ints:
    balance = np.zeros(len(edges), np.int64)
    for t in range(len(triangles)):
        for k in range(3):
            edge = triangle_edge[t, k]
            balance[edge] += 1 if triangles[t, k] == edges[edge, 0] else -1
    return balance


def mesh_edges(triangles: Ints, vertex_count: int) -> tuple[Ints, Ints]:
    """The edges of a triangle mesh.

    Returns `edges (E,2)`, smaller vertex first, and `triangle_edge (T,3)`: the edge from corner k to corner k+1.
    """
    start = np.ascontiguousarray(triangles).ravel()
    end = np.ascontiguousarray(triangles[:, [1, 2, 0]]).ravel()
    edges, edge_of = pair_ids(start, end, vertex_count)
    return edges, edge_of.reshape(-1, 3)


def unbalanced_edges(triangles: Ints, edges: Ints, triangle_edge: Ints) -> int:
    """How many edges are not used equally often in both directions; 0 for a closed, consistently oriented mesh."""
    return int(np.count_nonzero(_directed_balance(triangles, triangle_edge, edges)))
