"""The paper's solver, literally: conjugate gradients on J W J^T from zero, which gives the minimum-norm solution.

Source: Smith, Witkin, Baraff 2001, equations (1) to (3) and section 3.2. Slow; what the fast solvers are held against.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from ...types import Bools, Floats
from .lattice import Lattice


class Solution(NamedTuple):
    """Constraint forces, positive where a bar pushes its ends apart."""

    force: Floats  #: (m,) lambda [N]; 0 for bars that are gone
    iterations: int
    converged: bool


def jacobian(lattice: Lattice) -> csr_array:
    """J (m,3N) = dC/dp, dimensionless: row i has +u at point a and -u at point b."""
    rows = np.repeat(np.arange(len(lattice.bars)), 3)
    a, b = (3 * lattice.bars[:, [end]] + np.arange(3) for end in (0, 1))
    u = lattice.direction.ravel()
    entries = np.concatenate([u, -u]), (np.concatenate([rows, rows]), np.concatenate([a.ravel(), b.ravel()]))
    return csr_array(entries, shape=(len(lattice.bars), 3 * len(lattice.position)))


def solve_by_cg(
    lattice: Lattice,
    alive: Bools,
    load: Floats,
    tolerance: float = 1e-10,
    most: int = 100_000,
    start: Floats | None = None,
    kC: Floats | None = None,
) -> Solution:
    """Minimum-norm lambda of J W J^T lambda = -J W Q - kC, with the forces Q = `load (N,3)` [N] on the points.

    alive (m,) bars that hold; kC (m,) [m/s^2], of which what is out of the range of J is left out; start (m,) another
    start than zero, whose null part stays in the result. Where bars differ in stiffness k the solution has the least
    sum of lambda^2 / k. Stops at `tolerance` of the right hand side, or after `most` iterations with the best so far.
    """
    root = np.sqrt(lattice.stiffness[alive])
    J = diags_array(root) @ jacobian(lattice)[alive]
    w = np.repeat(lattice.inverse_mass, 3)
    A = (J @ diags_array(w) @ J.T).tocsr()  # (1)
    b = -J @ (w * load.ravel())
    iterations = 0
    if kC is not None:
        C, iterations, _ = _cg(A, A @ (root * kC[alive]), np.zeros(len(b)), 1e-14, most)  # resolution 4.3
        b = b - C
    first = np.zeros(len(b)) if start is None else start[alive] / root
    x, steps, converged = _cg(A, b, first, tolerance, most)
    force = np.zeros(len(alive))
    force[alive] = root * x
    return Solution(force, iterations + steps, converged)


def _cg(A: csr_array, b: Floats, x: Floats, tolerance: float, most: int) -> tuple[Floats, int, bool]:
    """Hestenes and Stiefel 1952; the best iterate, how many there were, and whether it is good enough."""
    r = b - A @ x
    p, rr = r.copy(), float(np.sum(r * r))
    goal = (tolerance * float(np.sqrt(np.sum(b * b)))) ** 2
    best, least = x, rr
    for k in range(most):
        if rr <= goal:
            return x, k, True
        q = A @ p
        alpha = rr / float(np.sum(p * q))
        x = x + alpha * p
        r = r - alpha * q
        before, rr = rr, float(np.sum(r * r))
        if rr < least:
            best, least = x, rr
        p = r + (rr / before) * p
    return best, most, False
