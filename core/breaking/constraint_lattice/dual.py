"""Forces in a lattice whose bars are no more than needed: Jacobi-preconditioned conjugate gradients on J W J^T.

Source: Smith, Witkin, Baraff 2001, equation (3). Each tetrahedron has four bars at most, so J has full row rank and
lambda is unique (resolution 4.1): the preconditioner, here a scaling to a unit diagonal, and a start from an earlier
solution are allowed, which they are not where the minimum norm has to choose.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array

from ...jit import lean
from ...types import Bools, Floats
from .lattice import Lattice
from .reference import Solution, jacobian

Shorts = NDArray[np.int32]


class Dual:
    """Solves one lattice again and again while its bars break. The matrix is made once."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        J = jacobian(lattice)
        w = np.repeat(lattice.inverse_mass, 3)
        A = (J @ diags_array(w) @ J.T).tocsr()  # (1)
        A.sort_indices()
        self._scale = 1.0 / np.sqrt(A.diagonal())
        row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
        self.start = np.asarray(A.indptr, np.int32)
        self.column = np.asarray(A.indices, np.int32)
        self.value = A.data * self._scale[row] * self._scale[self.column]
        self._work = np.zeros((3, A.shape[0]))

    def blank(self) -> Floats:
        """Where a first solution begins: no forces."""
        return np.zeros(len(self.lattice.bars))

    def solve(self, alive: Bools, load: Floats, tolerance: float, most: int, force: Floats) -> Solution:
        """Lambda (m,) under forces `load (N,3)` [N] on the points.

        alive (m,) bars that hold; `force (m,)` is where to begin, and becomes the result. Stops at `tolerance` of the
        scaled right hand side, or after `most` iterations.
        """
        lattice, scale = self.lattice, self._scale
        acceleration = lattice.inverse_mass[:, None] * load
        a, b = (acceleration[lattice.bars[:, end]] for end in (0, 1))
        rhs = np.where(alive, -scale * np.einsum("mi,mi->m", lattice.direction, a - b), 0.0)
        x = np.where(alive, force / scale, 0.0)
        steps = _cg(self.start, self.column, self.value, alive, rhs, x, self._work, tolerance, most)
        np.multiply(scale, x, out=force)
        return Solution(force.copy(), abs(steps), steps >= 0)


@lean
def _cg(
    start: Shorts,
    column: Shorts,
    value: Floats,
    alive: Bools,
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
            if alive[i]:
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
