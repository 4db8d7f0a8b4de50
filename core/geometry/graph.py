"""Connected components of graphs whose links are index pairs.

References: Galler and Fischer 1964 (union-find); Tarjan and van Leeuwen 1984 (path halving).
"""

import numpy as np

from ..jit import device_inlined, njit_no_refs
from ..types import Bools, Ints
from .packed import check_range


def components(unit_count: int, links: Ints, keep: Bools, members: Ints) -> Ints:
    """Labels of `members` by connected component over the kept links that have both ends in `members`.

    Parameters: `links (L,2)` pairs of units below `unit_count`; `keep (L,)` links that hold; `members (M,)` distinct
    units. Returns labels (M,) 0..n-1, numbered in order of the first member of each component, so they depend on
    neither the order nor the direction of the links. Members without a kept link are components of their own.
    Raises IndexError for a unit that does not exist. Cost: nearly linear in M + L, plus one array of `unit_count`.
    """
    check_range(links, unit_count)
    check_range(members, unit_count)
    place = np.full(unit_count, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    labels = np.empty(len(members), dtype=np.int64)
    _label(
        place,
        np.ascontiguousarray(links, dtype=np.int64).reshape(-1, 2),
        np.ascontiguousarray(keep, dtype=np.bool_),
        np.arange(len(members)),
        labels,
    )
    return labels


def connected_labels(node_count: int, links: Ints) -> Ints:
    """Labels (node_count,) of the connected components of a whole graph, in order of their first node.

    `links (L,2)` are pairs of nodes below `node_count`. Raises IndexError for a node that does not exist.
    """
    return components(node_count, links, np.ones(len(links), dtype=np.bool_), np.arange(node_count))


def number_by_appearance(label: Ints) -> tuple[Ints, Ints]:
    """Distinct labels (k,) in the order in which they first come, and the number 0..k-1 of each of (n,) among them."""
    kinds, first, back = np.unique(label, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    number = np.empty(len(kinds), np.int64)
    number[order] = np.arange(len(kinds))
    return kinds[order], number[back.ravel()]


@device_inlined
def root(parent: Ints, node: int) -> int:
    """The first node of the set that holds `node`; halves the way to it."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@device_inlined
def join(parent: Ints, a: int, b: int) -> None:
    """Make one set of two. The lower root becomes the root of both, so a root is the first member of its set."""
    a = root(parent, a)
    b = root(parent, b)
    if a < b:
        parent[b] = a
    else:
        parent[a] = b


@device_inlined
def number_sets(parent: Ints, labels: Ints) -> int:
    """Number the sets in the order of their first nodes and return how many there are; -1 for nodes without parent."""
    count = 0
    for k in range(len(labels)):
        labels[k] = -1
        if parent[k] >= 0:
            first = root(parent, k)
            if first == k:
                labels[k] = count
                count += 1
            else:
                labels[k] = labels[first]
    return count


@njit_no_refs
def _label(place: Ints, links: Ints, keep: Bools, parent: Ints, labels: Ints) -> None:
    for k in range(len(links)):
        if not keep[k]:
            continue
        a = place[links[k, 0]]
        b = place[links[k, 1]]
        if a >= 0 and b >= 0:
            join(parent, a, b)
    number_sets(parent, labels)
