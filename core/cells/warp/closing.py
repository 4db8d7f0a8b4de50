"""Whether cells are closed: along each edge of a cell as many faces run one way as the other."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...types import Cells, Ints

Words = NDArray[np.uint64]


def unbalanced_edges(cells: Cells) -> int:
    """How many directed edges of faces are not met by an opposite edge of their own cell; 0 where all are closed.

    Inner faces count for lo as they are stored, for hi reversed. Where a cell touches itself along an edge, as many run
    one way as the other. Closed cells are told by the sum of one random number for each edge of a cell, added
    one way and taken away the other; that it is zero by chance has a probability of 2^-64. Only where it is not are
    edges sorted and counted.
    """
    total = np.uint64(0)
    for key, sign in _edges(cells):
        # Plain numbers of numpy warn where they wrap around, arrays do not.
        total = np.add(total, (_scrambled(key) * sign).sum(keepdims=True))[0]
    if total == 0:
        return 0
    parts = list(_edges(cells))
    row = np.unique(np.concatenate([key for key, _ in parts]), return_inverse=True)[1].reshape(-1)
    sign = np.concatenate([sign for _, sign in parts]).view(np.int64)
    return int(np.abs(np.bincount(row, sign)).sum())


def _edges(cells: Cells) -> Iterator[tuple[Words, Words]]:
    """A number for each edge of each cell, whichever way it runs, and +-1 for the way; outer faces, then inner ones."""
    edge, sign = _directed(cells.outer_start, cells.outer_vertex, len(cells.vertices))
    yield _of_cell(edge, cells.outer_cell, cells.outer_start, len(cells.vertices)), sign
    edge, sign = _directed(cells.inner_start, cells.inner_vertex, len(cells.vertices))
    lo, hi = cells.bond_cells[cells.inner_bond].reshape(-1, 2).T
    yield _of_cell(edge, lo, cells.inner_start, len(cells.vertices)), sign
    yield _of_cell(edge, hi, cells.inner_start, len(cells.vertices)), np.negative(sign)


def _directed(start: Ints, vertex: Ints, vertices: int) -> tuple[Words, Words]:
    """A number (N,) for the edge from each corner of packed faces to the next one, and 1 or -1 for its way."""
    following = np.empty_like(vertex)
    following[:-1] = vertex[1:]
    following[start[1:] - 1] = vertex[start[:-1]]
    edge = np.minimum(vertex, following) * vertices + np.maximum(vertex, following)
    return edge.view(np.uint64), (1 - 2 * (vertex > following)).view(np.uint64)


def _of_cell(edge: Words, cell: Ints, start: Ints, vertices: int) -> Words:
    """The edge's number among those of all cells, from the cell of each face."""
    key: Words = edge + np.repeat((cell * vertices**2).view(np.uint64), np.diff(start))
    return key


def _scrambled(key: Words) -> Words:
    """Other numbers, one to one, that look random (the finalizer of splitmix64: Steele, Lea and Flood 2014, fig. 17).

    Changes `key` in place.
    """
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        key ^= key >> np.uint64(shift)
        key *= np.uint64(factor)
    key ^= key >> np.uint64(31)
    return key
