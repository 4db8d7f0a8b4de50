"""Forces in a truss by conjugate gradients on J W J^T, compiled: for lattices that have loose parts.

Source: Smith, Witkin, Baraff 2001, equation (3). Each tetrahedron has four bars at most, so J has full row rank and
lambda is unique (resolution 4.1): a preconditioner, here the scaling to a unit diagonal and the modes of `selfstress`,
and a start from an earlier solution are allowed. Where some are anchored or bars are too many the minimum norm has to
choose: from zero, and scaled by the roots of the stiffnesses alone.

The matrix couples bars that end at the same body, by w u.u. So it is kept by bodies, not by rows: the six couplings of
four bars at a time. That is less than half of what its rows need, and all loops are of fixed length; the bars of a body
that has more of them meet in several fours.
"""

from typing import NamedTuple

import numpy as np

from ...arithmetic.draws import normal
from ...arithmetic.products import dot
from ...jit import device_inlined, njit_no_refs
from ...types import Bools, Floats, Ints
from .selfstress import Modes, modes_of, no_modes, whole
from .structure import Numbers, Solution, Structure, ends_of

#: The couplings of four bars: 01, 02, 03, 12, 13, 23.
ONE, OTHER = np.triu_indices(4, 1)
#: Iterations after which chance forces are left in places alone where they all but balance. By eye.
CHANCE = 40


class CouplingMatrix(NamedTuple):
    """J W J^T of T bars, scaled, by fours of bars; see `couplings`."""

    four: Numbers  #: (B,4)
    coupling: Floats  #: (B,6)
    diagonal: Floats  #: (T,)


class Dual:
    """Solves one truss again and again while its bars break. The matrix is made once."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        w = structure.inverse_mass[structure.pair].sum(axis=1)  # u is a unit vector
        self._unique = structure.determined
        stiffness = np.trace(structure.push, axis1=1, axis2=2)
        self.scale = 1.0 / np.sqrt(w) if self._unique else np.sqrt(stiffness)
        self.diagonal = w * np.square(self.scale)
        self.four, self.coupling = couplings(structure, self.scale)
        self._a, self._b = structure.pair.T.copy()
        self._u = structure.direction.T.copy()
        self._holds, self._kept = np.ones(len(w), np.bool_), self.coupling.copy()  # of bars that were there last
        self._work = np.zeros((3, len(w)))
        self.modes = self._modes = no_modes()
        if self._unique and len(w):
            left = normal(np.random.default_rng(0), len(w))
            self._run(np.zeros(len(w)), left, 0.0, CHANCE)
            self.modes = self._modes = modes_of(structure, self.scale, left)

    def blank(self) -> Floats:
        """Where a first solution begins: no forces."""
        return np.zeros(len(self.structure.pair))

    def solve(self, holds: Bools, load: Floats, tolerance: float, most: int, force: Floats) -> Solution:
        """Forces (T,6) in the bars under loads (N,6); lambda in `force (T,)` is where to begin, and becomes the result.

        holds (T,) bars that are there. Stops at `tolerance` of the scaled right hand side, or after `most` iterations.
        """
        scale = self.scale
        self._refresh(holds)
        rhs = np.where(holds, -scale * self._relative(load), 0.0)
        x = np.where(holds & self._unique, force / scale, 0.0)
        steps = self._run(rhs, x, tolerance, most)
        np.multiply(scale, x, out=force)
        result = np.zeros((len(force), 6))
        np.multiply(force[:, None], self.structure.direction, out=result[:, :3])
        return Solution(result, abs(steps), steps >= 0)

    def _run(self, rhs: Floats, x: Floats, tolerance: float, most: int) -> int:
        modes = self._modes._replace(bar=self._modes.bar.astype(np.uint32))
        matrix = CouplingMatrix(self.four, self._kept, self.diagonal)
        return int(_cg(matrix, modes, rhs, x, self._work, np.zeros(len(modes.gain)), tolerance, most))

    def _refresh(self, holds: Bools) -> None:
        """Take out what bars that are gone have in common with others."""
        changed = holds != self._holds
        if not changed.any():
            return
        at = np.flatnonzero(changed[self.four].any(axis=1))
        there = holds[self.four[at]]
        self._kept[at] = self.coupling[at] * (there[:, ONE] & there[:, OTHER])
        self._holds, self._modes = holds.copy(), whole(self.modes, holds)

    def _relative(self, load: Floats) -> Floats:
        """J W Q (T,): how fast loads (N,6) would part the ends of the bars [m/s^2]."""
        w, result = self.structure.inverse_mass, np.zeros(len(self._a))
        for u, Q in zip(self._u, load.T, strict=False):
            acceleration = w * Q
            result += u * (acceleration[self._a] - acceleration[self._b])
        return result


def couplings(structure: Structure, scale: Floats) -> tuple[Numbers, Floats]:
    """The entries of J W J^T, scaled from both sides by `scale (T,)`, that are not on its diagonal.

    Returns bars in fours (B,4) and what each two of them have in common (B,6), see ONE and OTHER: an entry is the sum
    over all fours. Where there are less than four bars, one is repeated and has nothing in common with others there.
    """
    four, body, counts = _fours(structure.pair, len(structure.position))
    sign = np.where(structure.pair[four, 0] == body[:, None], 1.0, -1.0) * (four >= 0)
    root = sign * scale[four] * np.sqrt(structure.inverse_mass)[body, None]
    row = root[:, :, None] * structure.direction[four]
    common = counts * dot(row[:, ONE], row[:, OTHER])
    return np.where(four < 0, four[:, :1], four).astype(np.uint32), common


def _fours(pair: Ints, count: int) -> tuple[Ints, Ints, Bools]:
    """Bars in fours (B,4), -1 where there is none; the body (B,) at which they meet; and whether to count two (B,6).

    The bars of a body go by twos, and each two of these make a four: what two bars that go together have in common
    counts in one of them.
    """
    bar, start = ends_of(pair, count)
    number = np.diff(start)
    end = np.repeat(np.arange(count), number)
    place = np.arange(len(bar)) - start[end]
    twos = np.where(number == 2, 2, (number + 1) // 2)  # two bars make a four with nobody
    first = np.cumsum(twos) - twos
    two = np.full((int(twos.sum()), 2), -1)
    two[first[end] + place // 2, place % 2] = bar
    body = np.repeat(np.arange(count), twos)
    left = (first + twos)[body] - np.arange(len(two)) - 1  # how many follow at the body
    four, at, counts = [np.zeros((0, 4), np.int64)], [np.zeros(0, np.int64)], [np.zeros((0, 6), np.bool_)]
    for apart in range(1, int(twos.max(initial=0))):
        one = np.flatnonzero(left >= apart)
        four.append(np.concatenate([two[one], two[one + apart]], axis=1))
        at.append(body[one])
        across = np.ones((len(one), 6), np.bool_)
        across[:, 0], across[:, 5] = apart == 1, (apart == 1) & (left[one] == 1)
        counts.append(across)
    return np.concatenate(four), np.concatenate(at), np.concatenate(counts)


@device_inlined
def _dot(a: Floats, b: Floats) -> float:
    """Sum of products, in four parts: one addition need not wait for the last one."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = len(a) // 4 * 4
    for i in range(0, whole, 4):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
    for i in range(whole, len(a)):
        s0 += a[i] * b[i]
    return (s0 + s1) + (s2 + s3)


@njit_no_refs
def _cg(
    matrix: CouplingMatrix, modes: Modes, b: Floats, x: Floats, work: Floats, in_mode: Floats, tolerance: float,
    most: int,
) -> int:  # fmt: skip
    """Conjugate gradients from x; returns the number of iterations, negative where it did not end.

    The first round multiplies x itself: its product is the start of the residual. `in_mode (K,)` is room.
    """
    four, coupling, diagonal = matrix
    bar, entry, gain = modes
    r, p, q = work[0], work[1], work[2]
    for i in range(len(b)):
        r[i] = b[i]
        p[i] = x[i]
        q[i] = diagonal[i] * x[i]
    goal, rz = tolerance * tolerance * _dot(b, b), 0.0
    for step in range(-1, most):
        for k in range(len(four)):
            i0, i1, i2, i3 = four[k, 0], four[k, 1], four[k, 2], four[k, 3]
            p0, p1, p2, p3 = p[i0], p[i1], p[i2], p[i3]
            c01, c02, c03 = coupling[k, 0], coupling[k, 1], coupling[k, 2]
            c12, c13, c23 = coupling[k, 3], coupling[k, 4], coupling[k, 5]
            q[i0] += c01 * p1 + c02 * p2 + c03 * p3
            q[i1] += c01 * p0 + c12 * p2 + c13 * p3
            q[i2] += c02 * p0 + c12 * p1 + c23 * p3
            q[i3] += c03 * p0 + c13 * p1 + c23 * p2
        alpha = 1.0 if step < 0 else rz / _dot(p, q)
        onward = 0.0 if step < 0 else alpha
        for i in range(len(b)):
            x[i] += onward * p[i]
            r[i] -= alpha * q[i]
        rr = _dot(r, r)
        if not rr > goal:
            return step + 1
        before, rz = rz, rr  # r.z for z = r + sum over modes
        for k in range(len(gain)):
            total = 0.0
            for i in range(bar.shape[1]):
                total += entry[k, i] * r[bar[k, i]]
            in_mode[k] = gain[k] * total
            rz += in_mode[k] * total
        beta = 0.0 if step < 0 else rz / before
        for i in range(len(b)):
            p[i] = r[i] + beta * p[i]
            q[i] = diagonal[i] * p[i]
        for k in range(len(gain)):
            for i in range(bar.shape[1]):
                j = bar[k, i]
                p[j] += in_mode[k] * entry[k, i]
                q[j] += diagonal[j] * in_mode[k] * entry[k, i]
    return -most
