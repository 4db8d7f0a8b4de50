"""Nodes at which elements hang together by an edge or a node only: matter would turn there as on a hinge."""

import numpy as np

from ...geometry.graph import connected_labels
from ...types import Bools, Ints
from .joining import JoinedNodes
from .matter import OPPOSITE, find_outer, outer_triangles


def find_pinches(joined: JoinedNodes) -> Bools:
    """(n,) nodes of edges with more than two outer faces, and those around which elements do not join by faces."""
    count = len(joined.nodes.place)
    result = np.zeros(count, np.bool_)
    face = outer_triangles(joined.corners, *find_outer(joined.corners, joined.neighbours, joined.kept))
    ends = np.sort(face[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edge, uses = np.unique(ends[:, 0] * count + ends[:, 1], return_counts=True)
    pinched = edge[uses > 2]
    result[pinched // count] = True
    result[pinched % count] = True
    parts = _parts_around(joined, count)
    result |= parts > 1
    return result


def _parts_around(joined: JoinedNodes, count: int) -> Ints:
    """Into how many parts (n,), joined by faces, the elements around each node of the surface fall; 0 for others."""
    kept, corners = joined.kept, joined.corners
    tetrahedron, corner = np.nonzero(kept[:, None] & (joined.neighbours >= 0))
    beyond = joined.neighbours[tetrahedron, corner]
    # a node inside has elements all around it
    outer = (corners < joined.nodes.surface).any(axis=1)
    inner = kept[beyond] & (beyond > tetrahedron) & outer[tetrahedron]
    tetrahedron, corner, beyond = tetrahedron[inner], corner[inner], beyond[inner]
    pairs = []
    for k in range(3):
        own = OPPOSITE[corner, k]
        node = corners[tetrahedron, own]
        other = (corners[beyond] == node[:, None]).argmax(axis=1)
        pairs.append(np.stack([4 * tetrahedron + own, 4 * beyond + other], axis=1))
    label = connected_labels(4 * len(corners), np.concatenate(pairs))
    rows = np.flatnonzero(kept & outer)
    first = np.unique(label[(4 * rows[:, None] + np.arange(4)).ravel()], return_index=True)[1]
    parts = np.bincount(corners[rows].ravel()[first], minlength=count)
    parts[joined.nodes.surface :] = 0
    return parts
