"""The unique edges of a triangle mesh, and ids of unordered pairs in general."""

import numpy as np

from ..types import Ints


def pair_ids(first: Ints, second: Ints, count: int) -> tuple[Ints, Ints]:
    """Number the unordered pairs (first[i], second[i]) of items 0..count-1 by their smaller member.

    Returns `pairs (n,2)` with the smaller member first, and `pair_of (len(first),)`. Pairs with the same smaller member
    are numbered in the order in which they first appear.
    """
    smaller, larger = np.minimum(first, second), np.maximum(first, second)
    key = smaller * count + larger
    order = np.argsort(key, kind="stable")
    begins = np.ones(len(key), np.bool_)
    begins[1:] = key[order[1:]] != key[order[:-1]]
    seen = order[begins]  # where each pair first appears
    by_number = np.lexsort((seen, smaller[seen]))
    number = np.empty(len(seen), np.int64)
    number[by_number] = np.arange(len(seen))
    pair_of = np.empty(len(key), np.int64)
    pair_of[order] = number[np.cumsum(begins) - 1]
    seen = seen[by_number]
    return np.stack([smaller[seen], larger[seen]], axis=1), pair_of


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
    direction = np.where(triangles == edges[triangle_edge, 0], 1.0, -1.0)
    return int(np.count_nonzero(np.bincount(triangle_edge.ravel(), direction.ravel(), len(edges))))
