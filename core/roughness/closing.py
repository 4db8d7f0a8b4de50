"""Whether cells are closed: along each edge of a cell as many faces run one way as the other."""

import numpy as np

from ..geometry import packed
from ..jit import njit_no_refs, sealed_ints
from ..types import Cells, Ints


def count_unbalanced_edges(cells: Cells) -> int:
    """How many directed edges of faces are not met by an opposite edge of their own cell; 0 where all are closed.

    Inner faces count for lo as they are stored, for hi reversed. Where a cell touches itself along an edge, as many run
    one way as the other. Closed cells are told by the sum of one random number for each edge, added one way and taken
    away the other, over the faces of each cell; that it is zero by chance has a probability below 2^-50. Only where it
    is not are edges sorted and counted.
    """
    return _counted(cells) if _sums(cells).any() else 0


def _sums(cells: Cells) -> Ints:
    """The sum (C+1,) for each cell, and for what is outside, of which each outer face is a face too.

    The number of the edge between vertices a < b is the product of a random number of a and one of b, modulo 2^64; they
    are odd, so that the product is never zero.
    """
    count = len(cells.volume)
    sums = np.zeros(count + 1, np.int64)
    number = np.random.default_rng(0).integers(-(2**63), 2**63, (len(cells.vertices), 2)) | 1
    outside = np.stack([np.arange(count), np.full(count, count)], axis=1)
    faces = (
        (cells.outer_start, cells.outer_vertex, cells.outer_cell, outside),
        (cells.inner_start, cells.inner_vertex, cells.inner_bond, cells.bond_cells.reshape(-1, 2)),
    )
    with np.errstate(over="ignore"):  # numbers of numpy warn where they wrap around, those of kernels do not
        for start, vertex, owner, sides in faces:
            _add(sealed_ints(start), sealed_ints(vertex), sealed_ints(owner), sealed_ints(sides), number, sums)
    return sums


@njit_no_refs
def _add(start: Ints, vertex: Ints, owner: Ints, sides: Ints, number: Ints, sums: Ints) -> None:
    """Add packed faces; `sides (n,2)` are the cells that have those of an owner as they are, and reversed."""
    for face in range(len(owner)):
        total = 0
        a = vertex[start[face + 1] - 1]
        for at in range(start[face], start[face + 1]):
            b = vertex[at]
            if a < b:
                total += number[a, 0] * number[b, 1]
            else:
                total -= number[b, 0] * number[a, 1]
            a = b
        sums[sides[owner[face], 0]] += total
        sums[sides[owner[face], 1]] -= total


def _counted(cells: Cells) -> int:
    """The same by sorting all edges of all cells."""
    inner = cells.inner_start, cells.inner_vertex
    lo, hi = cells.bond_cells[cells.inner_bond].reshape(-1, 2).T
    outer = cells.outer_start, cells.outer_vertex, cells.outer_cell, 1
    rows, ways = [], []
    for start, vertex, cell, way in (outer, (*inner, lo, 1), (*inner, hi, -1)):
        a, b = vertex, vertex[packed.following(start)]
        rows.append(np.stack([np.repeat(cell, np.diff(start)), np.minimum(a, b), np.maximum(a, b)], axis=1))
        ways.append(np.where(a < b, way, -way))
    row = np.unique(np.concatenate(rows), axis=0, return_inverse=True)[1].reshape(-1)
    return int(np.abs(np.bincount(row, np.concatenate(ways))).sum())
