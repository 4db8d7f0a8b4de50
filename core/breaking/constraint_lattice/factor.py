"""A sparse factor of a structure's stiffness, made anew only where ties break.

Thin walls are long and wide and have few neighbours: what is stiff in them and what bends differ by many orders of
magnitude, and iterations need thousands of rounds. A factor of such a graph costs about as much as a hundred of them,
and when a tie breaks it changes only in the columns on the way from its bodies to the root of the elimination tree.

References: Liu 1990, "The role of elimination trees in sparse factorization"; order by minimum degree (Liu 1985), as
SuperLU has it (Demmel et al. 1999), which finds the pattern as well.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

from ...jit import device_inlined, njit_no_refs
from ...types import Bools, Floats, Ints

#: Pivots are not below this share of the diagonal they come from: what is less is round-off. A thousand roundings.
_ROUND_OFF = 1e-13


class FactorTable(NamedTuple):
    """A factor as the iteration reads it: of N bodies, in columns."""

    seat: Ints  #: (N,) column of each body
    start: Ints  #: (N+1,) bounds of the blocks of each column
    row: Ints  #: row of each block, the diagonal first
    value: Floats  #: (.,36) blocks, see `Factor`


class BlockPattern:
    """Which blocks the factor of a graph has, by columns and by rows; the diagonal is the first of its column."""

    def __init__(self, count: int, pair: Ints) -> None:
        a, b = pair.T
        own = np.arange(count)
        value = np.concatenate([np.full(2 * len(pair), -1.0), 1.0 + np.bincount(pair.ravel(), minlength=count)])
        at = np.concatenate([a, b, own]), np.concatenate([b, a, own])
        # One number a body instead of six: diagonally dominant, so that no block of the pattern cancels.
        graph = coo_array((value, at), shape=(count, count)).tocsc()
        found = splu(graph, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        lower = found.L.tocsc()
        lower.eliminate_zeros()
        lower.sort_indices()
        self.seat = found.perm_c.astype(np.int64)  # (N,) column of each body
        self.start, self.row = lower.indptr.astype(np.int64), lower.indices.astype(np.int64)
        size = np.diff(self.start)
        column = np.repeat(own, size)
        below = np.flatnonzero(self.row > column)
        below = below[np.argsort(self.row[below], kind="stable")]
        self.line = np.concatenate([[0], np.cumsum(np.bincount(self.row[below], minlength=count))])  # (N+1,)
        self.column, self.entry = column[below], below  # (.,) blocks of each row left of the diagonal
        self.cost = float(np.sum(size * (size + 1.0))) / 2.0  # products of blocks that the factor takes
        self._key = column * count + self.row

    def places(self, pair: Ints) -> tuple[Ints, Bools]:
        """Where the block of each pair (T,2) of bodies is, and whether the first body has the lower column."""
        one, other = self.seat[pair].T
        key = np.minimum(one, other) * (len(self.start) - 1) + np.maximum(one, other)
        return np.searchsorted(self._key, key), one < other


class Factor:
    """L of A = L L^T, of blocks (6,6) as rows of 36, each transposed; diagonal blocks are inverse."""

    def __init__(self, pattern: BlockPattern, pair: Ints, block: Floats, cross: Floats) -> None:
        """`block (N,6,6)` of the bodies, `cross (T,6,6)` between the bodies of `pair (T,2)`."""
        self.pattern = pattern
        self._own = np.zeros((len(pattern.row), 36))
        self.value = np.zeros_like(self._own)
        self._dirty = np.ones(len(pattern.seat), np.bool_)
        self._room = np.zeros(len(pattern.seat), np.int64)
        self._own[pattern.start[pattern.seat]] = block.reshape(-1, 36)
        place, straight = pattern.places(pair)
        # The block at (row, column), transposed, is that at (column, row).
        turned = np.where(straight[:, None, None], cross, cross.transpose(0, 2, 1))
        self._own[place] = turned.reshape(-1, 36)

    def change(self, bodies: Ints, block: Floats, gone: Ints) -> None:
        """Blocks (n,6,6) of some bodies are others now, and pairs (m,2) of them hold together no more."""
        pattern = self.pattern
        self._own[pattern.start[pattern.seat[bodies]]] = block.reshape(-1, 36)
        self._own[pattern.places(gone)[0]] = 0.0
        self._dirty[pattern.seat[bodies]] = True

    @property
    def table(self) -> FactorTable:
        """As the iteration takes it."""
        return FactorTable(self.pattern.seat, self.pattern.start, self.pattern.row, self.value)

    def renew(self) -> None:
        """Bring the factor up to date."""
        p = self.pattern
        _factorise(p.start, p.row, p.line, p.column, p.entry, self._own, self._dirty, self._room, self.value)


@njit_no_refs
def _factorise(
    start: Ints, row: Ints, line: Ints, column: Ints, entry: Ints, own: Floats, dirty: Bools, place: Ints, value: Floats
) -> None:
    """Make the dirty columns anew, and all that follow from them."""
    for j in range(len(dirty)):
        if not dirty[j]:
            continue
        dirty[j] = False
        first, last = start[j], start[j + 1]
        if last > first + 1:
            dirty[row[first + 1]] = True
        for q in range(first, last):
            place[row[q]] = q
            for e in range(36):
                value[q, e] = own[q, e]
        for s in range(line[j], line[j + 1]):
            p = entry[s]
            empty = True
            for e in range(36):
                if value[p, e] != 0.0:
                    empty = False
                    break
            if not empty:
                for q in range(p, start[column[s] + 1]):
                    _subtract(value, place[row[q]], q, p)
        _inverse_root(value, own, first)
        for q in range(first + 1, last):
            for k in range(5, -1, -1):
                for i in range(6):
                    total = 0.0
                    for m in range(k + 1):
                        total += value[q, 6 * m + i] * value[first, 6 * m + k]
                    value[q, 6 * k + i] = total


@device_inlined
def _subtract(value: Floats, t: int, q: int, p: int) -> None:
    """T -= L_q L_p^T."""
    for j in range(6):
        t0, t1, t2 = value[t, 6 * j], value[t, 6 * j + 1], value[t, 6 * j + 2]
        t3, t4, t5 = value[t, 6 * j + 3], value[t, 6 * j + 4], value[t, 6 * j + 5]
        for k in range(6):
            c = value[p, 6 * k + j]
            t0 -= c * value[q, 6 * k]
            t1 -= c * value[q, 6 * k + 1]
            t2 -= c * value[q, 6 * k + 2]
            t3 -= c * value[q, 6 * k + 3]
            t4 -= c * value[q, 6 * k + 4]
            t5 -= c * value[q, 6 * k + 5]
        value[t, 6 * j], value[t, 6 * j + 1], value[t, 6 * j + 2] = t0, t1, t2
        value[t, 6 * j + 3], value[t, 6 * j + 4], value[t, 6 * j + 5] = t3, t4, t5


@device_inlined
def _inverse_root(value: Floats, own: Floats, f: int) -> None:
    """Replace a block by the inverse of its Cholesky root; entry (r,c) is at 6 c + r."""
    for c in range(6):
        d = max(value[f, 7 * c], _ROUND_OFF * own[f, 7 * c])
        value[f, 7 * c] = np.sqrt(d)
        for r in range(c + 1, 6):
            value[f, 6 * c + r] /= value[f, 7 * c]
        for k in range(c + 1, 6):
            for r in range(k, 6):
                value[f, 6 * k + r] -= value[f, 6 * c + r] * value[f, 6 * c + k]
    for c in range(6):
        value[f, 7 * c] = 1.0 / value[f, 7 * c]
        for r in range(c):
            value[f, 6 * c + r] = 0.0
        for r in range(c + 1, 6):
            total = 0.0
            for m in range(c, r):
                total += value[f, 6 * m + r] * value[f, 6 * c + m]
            value[f, 6 * c + r] = -total / value[f, 7 * r]
