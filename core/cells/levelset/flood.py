"""Each connected part of a region inside the body is a piece of its own: flood fill (Su 2009, section 3)."""

from typing import NamedTuple

import numpy as np

from ...geometry.graph import connected_labels
from ...types import Bools, Floats, Ints
from .grid import stepped
from .regions import OUTSIDE


class Pieces(NamedTuple):
    """The nodes of C pieces."""

    label: Ints  #: (nx,ny,nz) piece of each node, OUTSIDE without matter
    region: Ints  #: (C,) in ascending order
    dropped: int  #: parts too small for pieces, which joined a neighbour


def flooded(region: Ints, fewest: int = 2) -> Pieces:
    """Pieces of nodes of one region that hang together over the sides of cells.

    Parts of less than `fewest` cells join the neighbour with which they share most sides of cells, so that no matter
    gets lost; the piece has the region of its largest part. Parts without a neighbour stay as they are.
    """
    nodes = np.flatnonzero(region >= 0)
    number = np.full(region.shape, OUTSIDE)
    number.reshape(-1)[nodes] = np.arange(len(nodes))
    home = region.reshape(-1)[nodes]
    pairs = np.concatenate([_neighbours(number, axis) for axis in range(3)])
    alike = home[pairs[:, 0]] == home[pairs[:, 1]]
    part = connected_labels(len(nodes), pairs[alike])
    size = np.bincount(part)
    part_region = np.zeros(len(size), np.int64)
    part_region[part] = home
    piece = _joined(size, part[pairs[~alike]], fewest)
    joined = np.argsort(size, kind="stable")  # the largest part of a piece is written last
    piece_region = np.zeros(int(piece.max(initial=-1)) + 1, np.int64)
    piece_region[piece[joined]] = part_region[joined]
    order = np.argsort(piece_region, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    label = np.full(region.shape, OUTSIDE)
    label.reshape(-1)[nodes] = rank[piece[part]]
    return Pieces(label, piece_region[order], len(size) - len(order))


def _neighbours(number: Ints, axis: int) -> Ints:
    """Pairs (n,2) of numbers >= 0 of nodes that follow each other along an axis."""
    first, second = stepped(number, axis)
    both = (first >= 0) & (second >= 0)
    return np.stack([first[both], second[both]], axis=1)


def _joined(size: Ints, pairs: Ints, fewest: int) -> Ints:
    """Piece of each part (n,), numbered in the order of first parts; `pairs` are the sides that parts share."""
    piece = np.arange(len(size))
    while True:
        total = np.bincount(piece, size).astype(np.int64)
        ends = piece[pairs]
        links = _best(ends[ends[:, 0] != ends[:, 1]], total < fewest)
        if len(links) == 0:
            return piece
        piece = connected_labels(len(total), links)[piece]


def _best(ends: Ints, small: Bools) -> Ints:
    """Pairs of each small part and the one with which it shares most sides; of equals the first one."""
    both = np.concatenate([ends, ends[:, ::-1]])
    seeks, found = both[small[both[:, 0]]].T
    keys, shared = np.unique(seeks * len(small) + found, return_counts=True)
    part, other = keys // len(small), keys % len(small)
    order = np.lexsort((other, -shared, part))
    first = order[np.unique(part[order], return_index=True)[1]]
    return np.stack([part[first], other[first]], axis=1)


def node_counts(label: Ints, count: int) -> Floats:
    """How many cells each of the pieces has (C,)."""
    return np.bincount(label[label >= 0], minlength=count).astype(np.float64)
