"""Forces in a truss by conjugate gradients on J W J^T, compiled: for lattices that have loose parts.

Source: Smith, Witkin, Baraff 2001, equation (3). Each tetrahedron has four bars at most, so J has full row rank and
lambda is unique (resolution 4.1): a preconditioner, here the scaling to a unit diagonal, and a start from an earlier
solution are allowed. Where some are held or bars are too many the minimum norm has to choose: from zero, and scaled by
the roots of the stiffnesses alone.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array

from ...jit import lean
from ...types import Bools, Floats
from .reference import Solution, along, jacobian
from .structure import Structure

Shorts = NDArray[np.int32]


class Dual:
    """Solves one truss again and again while its bars break. The matrix is made once."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        J = jacobian(structure)
        w = np.repeat(structure.inverse_mass, 3)
        A = (J @ diags_array(w) @ J.T).tocsr()  # (1)
        A.sort_indices()
        self._unique = structure.determined
        stiffness = np.trace(structure.push, axis1=1, axis2=2)  # u is a unit vector
        self._scale = 1.0 / np.sqrt(A.diagonal()) if self._unique else np.sqrt(stiffness)
        row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
        self.start = np.asarray(A.indptr, np.int32)
        self.column = np.asarray(A.indices, np.int32)
        self.value = A.data * self._scale[row] * self._scale[self.column]
        self._work = np.zeros((3, A.shape[0]))

    def blank(self) -> Floats:
        """Where a first solution begins: no forces."""
        return np.zeros(len(self.structure.pair))

    def solve(self, holds: Bools, load: Floats, tolerance: float, most: int, force: Floats) -> Solution:
        """Forces (T,6) in the bars under loads (N,6); lambda in `force (T,)` is where to begin, and becomes the result.

        holds (T,) bars that are there. Stops at `tolerance` of the scaled right hand side, or after `most` iterations.
        """
        structure, scale = self.structure, self._scale
        acceleration = structure.inverse_mass[:, None] * load[:, :3]
        a, b = (acceleration[structure.pair[:, end]] for end in (0, 1))
        rhs = np.where(holds, -scale * np.einsum("mi,mi->m", structure.direction, a - b), 0.0)
        x = np.where(holds & self._unique, force / scale, 0.0)
        steps = _cg(self.start, self.column, self.value, holds, rhs, x, self._work, tolerance, most)
        np.multiply(scale, x, out=force)
        return Solution(along(structure, holds, force[holds]), abs(steps), steps >= 0)


@lean
def _cg(
    start: Shorts,
    column: Shorts,
    value: Floats,
    holds: Bools,
    b: Floats,
    x: Floats,
    work: Floats,
    tolerance: float,
    most: int,
) -> int:
    """Conjugate gradients from x; returns the number of iterations, negative where it did not end.

    The first round multiplies x itself: its product is the start of the residual.
    """
    r, p, q = work[0], work[1], work[2]
    goal, rr = 0.0, 0.0
    for i in range(len(b)):
        goal += b[i] * b[i]
        p[i] = x[i]
        r[i] = b[i]
    goal *= tolerance * tolerance
    for step in range(-1, most):
        pq = 0.0
        for i in range(len(b)):
            total = 0.0
            if holds[i]:
                for k in range(start[i], start[i + 1]):
                    total += value[k] * p[column[k]]
            q[i] = total
            pq += p[i] * total
        alpha = 1.0 if step < 0 else rr / pq
        before, rr = rr, 0.0
        for i in range(len(b)):
            r[i] -= alpha * q[i]
            rr += r[i] * r[i]
            if step >= 0:
                x[i] += alpha * p[i]
        if not rr > goal:
            return step + 1
        beta = 0.0 if step < 0 else rr / before
        for i in range(len(b)):
            p[i] = r[i] + beta * p[i]
    return -most
