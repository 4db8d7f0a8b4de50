"""Places in a truss where forces in a few bars all but balance: there conjugate gradients get stuck.

Chains of thin tetrahedra, above all at the surface, have such forces z, with a z.A z for A = J W J^T far below that of
others. The preconditioner 1 + sum z z^T/(z.A z) makes iterations as few as they are without such places. Only where
lambda is unique: else it would be turned (resolution 4.1).

Reference: Nicolaides 1987, "Deflation of conjugate gradients", here as an additive correction; of our own is where to
look: what is left of chance forces after some iterations.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.products import multiply
from ...arithmetic.small_matrices import eigen_symmetric
from ...types import Bools, Floats, Ints
from .structure import Structure, ends_of

#: Modes with more resistance than this, in that of a single bar, do no harm. By eye, as those below: more modes cost
#: more in each iteration, fewer leave more iterations.
WEAK = 0.06
#: With less than this, forces balance up to round-off: what they should be is not for a preconditioner to say. Chosen.
NULL = 1e-9
#: The share of bodies around which to look for modes.
_LOOK = 0.02
#: A mode is one that is known when this share of its large entries lies in others.
KNOWN = 0.3
#: Entries of at least this share of the largest one count as large.
_LARGE = 0.4


class Modes(NamedTuple):
    """Forces, scaled as the matrix is, that all but balance."""

    bar: Ints  #: (K,16) of each mode; where it has less, one is repeated without an entry
    entry: Floats  #: (K,16), of length 1
    gain: Floats  #: (K,) one over what resists it


def no_modes() -> Modes:
    """None: gradients as they are."""
    return Modes(np.zeros((0, 16), np.int64), np.zeros((0, 16)), np.zeros(0))


def modes_of(structure: Structure, scale: Floats, left: Floats) -> Modes:
    """Modes of a truss in which no body has more than four bars, where `left (T,)` is large.

    scale (T,) by which J W J^T is scaled from both sides.
    """
    count = len(structure.position)
    bars = _bars_of(structure, count)
    most = np.where(bars < 0, 0.0, np.square(left)[bars]).sum(axis=1)
    look = np.argsort(-most, kind="stable")[: int(np.ceil(_LOOK * count))]
    patch = _patches(structure, bars, look)
    value, vector = eigen_symmetric(_matrices(structure, scale, patch))
    which, k = np.nonzero((value > NULL) & (value < WEAK))
    value, entry, bar = value[which, k], np.where(patch[which] < 0, 0.0, vector[which, :, k]), patch[which]
    bar = np.where(bar < 0, bar.max(axis=1, keepdims=True), bar)
    chosen = _different(value, entry, bar, len(scale))
    return Modes(bar[chosen], entry[chosen], 1.0 / value[chosen])


def _bars_of(structure: Structure, count: int) -> Ints:
    """(N,4) bars of each body, -1 where there are less."""
    tie, start = ends_of(structure.pair, count)
    body = np.repeat(np.arange(count), np.diff(start))
    result = np.full((count, 4), -1)
    result[body, np.arange(len(tie)) - start[body]] = tie
    return result


def _patches(structure: Structure, bars: Ints, body: Ints) -> Ints:
    """(n,16) bars of the neighbours of bodies (n,), each once, -1 where there are less."""
    own = bars[body]
    other = np.where(own < 0, body[:, None], structure.pair[own].sum(axis=2) - body[:, None])
    patch = np.where(own[:, :, None] < 0, -1, bars[other]).reshape(-1, 16)
    again = np.tril(patch[:, :, None] == patch[:, None, :], -1).any(axis=2)
    return np.where(again, -1, patch)


def _matrices(structure: Structure, scale: Floats, patch: Ints) -> Floats:
    """(n,16,16) J W J^T, scaled, of the bars of patches alone; a bar that is not there resists."""
    u = scale[patch, None] * structure.direction[patch]
    (a, b), w = np.moveaxis(structure.pair[patch], 2, 0), structure.inverse_mass

    def shared(one: Ints, other: Ints) -> Floats:
        return np.where(one[:, :, None] == other[:, None, :], w[one][:, :, None], 0.0)

    A = multiply(u, u.transpose(0, 2, 1)) * (shared(a, a) + shared(b, b) - shared(a, b) - shared(b, a))
    missing = patch < 0
    A[missing[:, :, None] | missing[:, None, :]] = 0.0
    A[:, np.arange(16), np.arange(16)] += missing
    return np.asarray(A)


def _different(value: Floats, entry: Floats, bar: Ints, count: int) -> Ints:
    """Numbers of modes that are not told by others of less resistance."""
    large = np.abs(entry) > _LARGE * np.abs(entry).max(axis=1, initial=0.0, keepdims=True)
    taken, chosen = np.zeros(count, np.bool_), []
    for k in np.argsort(value, kind="stable"):
        top = bar[k][large[k]]
        if taken[top].mean() <= KNOWN:
            taken[top] = True
            chosen.append(k)
    return np.array(chosen, np.int64)


def whole(modes: Modes, holds: Bools) -> Modes:
    """The modes all of whose bars (T,) hold."""
    kept = (holds[modes.bar] | (modes.entry == 0.0)).all(axis=1)
    return Modes(modes.bar[kept], modes.entry[kept], modes.gain[kept])
