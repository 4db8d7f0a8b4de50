"""Each connected part of a region inside the body is a piece of its own: flood fill (Su 2009, section 3).

A grid has up to tens of millions of nodes, so little is kept of each of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...geometry.graph import connected_labels, join, number_sets
from ...jit import njit_no_refs
from ...types import Bools, Floats, Ints
from .grid import Shorts


class GridPieces(NamedTuple):
    """The nodes of C pieces."""

    label: Shorts  #: (nx,ny,nz) piece of each node, OUTSIDE without matter
    region: Ints  #: (C,) in ascending order
    dropped: int  #: parts too small for pieces, which joined a neighbour


def flooded(region: ArrayLike, fewest: int = 2) -> GridPieces:
    """Pieces of nodes of one region (nx,ny,nz) that hang together over the sides of cells; without matter it is < 0.

    Parts of less than `fewest` cells join the neighbour with which they share most sides of cells, so that no matter
    gets lost; the piece has the region of its largest part. Parts without a neighbour stay as they are.
    """
    regions = np.ascontiguousarray(region, np.int32)
    parent, part = np.arange(regions.size), np.empty(regions.size, np.int64)
    count = _label_parts(regions, parent, part)
    del parent
    label = part.astype(np.int32).reshape(regions.shape)
    del part
    size, part_region = np.zeros(count, np.int64), np.zeros(count, np.int64)
    _measure_parts(regions.reshape(-1), label.reshape(-1), size, part_region)
    sides = np.empty((_gather_sides(label, size, fewest, np.empty((0, 2), np.int64)), 2), np.int64)
    _gather_sides(label, size, fewest, sides)
    piece = _joined(size, sides, fewest)
    joined = np.argsort(size, kind="stable")  # the largest part of a piece is written last
    piece_region = np.zeros(int(piece.max(initial=-1)) + 1, np.int64)
    piece_region[piece[joined]] = part_region[joined]
    order = np.argsort(piece_region, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    _replace(label.reshape(-1), rank[piece])
    return GridPieces(label, piece_region[order], len(size) - len(order))


@njit_no_refs
def _label_parts(region: Shorts, parent: Ints, part: Ints) -> int:
    """Fill `part (N,)` with the part of each node, -1 without matter; returns how many there are.

    `parent (N,)` holds the nodes themselves at first.
    """
    nx, ny, nz = region.shape
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                node, own = (i * ny + j) * nz + k, region[i, j, k]
                if own < 0:
                    parent[node] = -1
                    continue
                if i > 0 and region[i - 1, j, k] == own:
                    join(parent, node - ny * nz, node)
                if j > 0 and region[i, j - 1, k] == own:
                    join(parent, node - nz, node)
                if k > 0 and region[i, j, k - 1] == own:
                    join(parent, node - 1, node)
    return number_sets(parent, part)


@njit_no_refs
def _measure_parts(region: Shorts, label: Shorts, size: Ints, of: Ints) -> None:
    """Add up the nodes of each part `size (P,)`, and write the region `of (P,)` it."""
    for node in range(len(label)):
        if label[node] >= 0:
            size[label[node]] += 1
            of[label[node]] = region[node]


@njit_no_refs
def _gather_sides(label: Shorts, size: Ints, fewest: int, sides: Ints) -> int:
    """The number of sides of cells between parts of which one is smaller than `fewest`; their parts, where they fit."""
    nx, ny, nz = label.shape
    count = 0
    for i in range(nx):
        for j in range(ny):
            for k in range(nz):
                own = label[i, j, k]
                for axis in range(3):
                    x, y, z = i + int(axis == 0), j + int(axis == 1), k + int(axis == 2)
                    if own < 0 or x == nx or y == ny or z == nz:
                        continue
                    other = label[x, y, z]
                    if other >= 0 and other != own and min(size[own], size[other]) < fewest:
                        if count < len(sides):
                            sides[count, 0], sides[count, 1] = own, other
                        count += 1
    return count


@njit_no_refs
def _replace(label: Shorts, by: Ints) -> None:
    """Write the new number `by (P,)` of each label, in its place."""
    for node in range(len(label)):
        if label[node] >= 0:
            label[node] = by[label[node]]


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


def node_counts(label: ArrayLike, count: int) -> Floats:
    """How many cells each of the pieces has (C,)."""
    cells = np.zeros(count, np.int64)
    _count(np.ascontiguousarray(label, np.int32).reshape(-1), cells)
    return cells.astype(np.float64)


@njit_no_refs
def _count(label: Shorts, cells: Ints) -> None:
    for node in range(len(label)):
        if label[node] >= 0:
            cells[label[node]] += 1
