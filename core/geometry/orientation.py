"""Turning things so that neighbours agree: a flood over links that say same or opposite."""

from typing import NamedTuple

import numpy as np

from ..jit import device_inlined, njit_no_refs, sealed_ints
from ..types import Bools, Ints


class Orientation(NamedTuple):
    """Of n nodes that hang together by links."""

    turned: Bools  #: (n,) whether each must be turned to agree with the first node of its set
    conflict: Bools  #: (n,) nodes at links that no turning satisfies: the set has one side only


def orient(nodes: int, links: Ints, against: Bools) -> Orientation:
    """Turn nodes 0.. so that those at a link (n,2) agree, or disagree where `against (n,)`.

    Raises IndexError for a node that does not exist.
    """
    if links.size and (links.min() < 0 or links.max() >= nodes):
        raise IndexError("a link to a node that does not exist")
    parent, turned, conflict = np.arange(nodes), np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    _orient(sealed_ints(links), sealed_ints(against), parent, turned, conflict)
    return Orientation(turned != 0, conflict != 0)


@njit_no_refs
def _orient(links: Ints, against: Ints, parent: Ints, turned: Ints, conflict: Ints) -> None:
    """Afterwards every node hangs on the first of its set."""
    for k in range(len(links)):
        a, b = links[k, 0], links[k, 1]
        p, q = _climb(parent, turned, a), _climb(parent, turned, b)
        differ = (turned[a] if a != p else 0) ^ (turned[b] if b != q else 0) ^ against[k]
        if p == q:
            if differ == 1:
                conflict[a] = 1
        elif p < q:
            parent[q], turned[q] = p, differ
        else:
            parent[p], turned[p] = q, differ
    for a in range(len(parent)):
        _climb(parent, turned, a)


@device_inlined
def _climb(parent: Ints, turned: Ints, node: int) -> int:
    """The root of a node, on which it hangs from now on."""
    top, total = node, 0
    while parent[top] != top:
        total ^= turned[top]
        top = parent[top]
    while parent[node] != top and node != top:
        above, rest = parent[node], total ^ turned[node]
        parent[node], turned[node] = top, total
        node, total = above, rest
    return top
