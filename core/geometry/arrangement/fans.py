"""The skin as a mesh of its own: what shares a vertex, and what only meets there.

Where two sheets pass an edge, they share it. Where more do, which is only along edges that the input has more than two
triangles at, those that bound the same matter belong together, so that solids which only meet fall apart. Where that
would leave four triangles at one edge of one vertex pair (two hollows of one solid that meet along the edge), those
that bound the same hollow belong together instead. Vertices follow: one for each fan of triangles.
"""

from typing import NamedTuple

import numpy as np

from ...types import Bools, Ints
from ..graph import connected_labels
from ..pair_ids import pair_ids
from .contacts import Unsettled
from .edges import Shells
from .graph import begins, place_of


class SkinPieces(NamedTuple):
    """The triangles of the skin, as yet with nodes for vertices."""

    triangles: Ints  #: (n,3) nodes
    piece: Ints  #: (n,3) piece of each side
    parent: Ints  #: (n,) triangle of the shells that each lies in


def split_vertices(skin: SkinPieces, shells: Shells, rank: Ints, side_piece: Ints) -> tuple[Ints, Ints]:
    """Number the vertices of the skin: the triangles (n,3), and the node of each vertex, in ascending order.

    `rank (T,3)` is the place of the shells' triangles around their edges, `side_piece (E+1,)` the first piece of each
    edge. Raises Unsettled where a side has not two triangles.
    """
    triangles, label, parent = skin.triangles, skin.piece.reshape(-1), skin.parent
    hollow = np.zeros(int(label.max(initial=-1)) + 1, np.bool_)
    after = np.arange(triangles.size).reshape(-1, 3)[:, [1, 2, 0]].reshape(-1)
    while True:
        one, other = _twins(skin, shells, rank, side_piece, hollow)
        links = np.concatenate([np.stack([one, after[other]], axis=1), np.stack([after[one], other], axis=1)])
        fan = connected_labels(triangles.size, links)
        node = np.full(int(fan.max(initial=-1)) + 1, -1, np.int64)
        node[fan] = triangles.reshape(-1)
        order = np.argsort(node, kind="stable")
        number = np.empty(len(node), np.int64)
        number[order] = np.arange(len(node))
        corner = number[fan]
        _, edge = pair_ids(corner[one], corner[after[one]], len(node))
        bad = np.flatnonzero((np.bincount(edge) > 1)[edge])  # more than one pair of triangles at an edge
        if len(bad) == 0:
            return corner.reshape(-1, 3), node[order]
        turn = np.unique(label[one[bad]])
        turn = turn[(np.bincount(label)[turn] > 2) & ~hollow[turn]]
        if len(turn) == 0:
            raise Unsettled(np.unique(parent[np.append(one[bad], other[bad]) // 3]))
        hollow[turn] = True


def _twins(skin: SkinPieces, shells: Shells, rank: Ints, side_piece: Ints, hollow: Bools) -> tuple[Ints, Ints]:
    """Pairs of half-edges of the skin that have matter between them, or where their piece wants that, a hollow."""
    triangles, label, parent = skin.triangles, skin.piece.reshape(-1), skin.parent
    uses = np.bincount(label)
    half = np.arange(len(label))
    first, last = np.full(len(uses), -1, np.int64), np.full(len(uses), -1, np.int64)
    first[label[::-1]] = half[::-1]
    last[label] = half
    plain = uses == 2
    one, other = first[plain], last[plain]
    begin, end = triangles.reshape(-1), triangles[:, [1, 2, 0]].reshape(-1)
    bad = begin[one] != end[other]
    if bad.any():
        raise Unsettled(np.unique(parent[one[bad] // 3]))
    crowd = half[~plain[label]]
    if len(crowd) == 0:
        return one, other
    edge, owner = np.searchsorted(side_piece, label[crowd], side="right") - 1, parent[crowd // 3]
    if edge.max() >= len(shells.edges.ends):
        raise Unsettled(np.unique(owner))
    side = place_of(edge, shells.triangle_edge[owner])
    order = np.lexsort((rank[owner, side], label[crowd]))
    crowd, owner, side, edge = crowd[order], owner[order], side[order], edge[order]
    up = shells.edges.ends[edge, 0] == shells.triangles[owner, side]
    run = begins(label[crowd])
    following = np.arange(len(crowd)) + 1
    following[np.append(run[1:], len(crowd)) - 1] = run
    if (up == up[following]).any():
        raise Unsettled(np.unique(owner))
    # Behind a triangle that runs down its edge, the next one, which runs up, has the same matter behind it.
    some = np.flatnonzero(up == hollow[label[crowd]])
    return np.append(one, crowd[some]), np.append(other, crowd[following[some]])
