"""The paper's solver, literally: conjugate gradients on J W J^T from zero, which gives the minimum-norm solution.

Source: Smith, Witkin, Baraff 2001, equations (1) to (3) and section 3.2. Slow; what the fast solvers are held against.
"""

import numpy as np
from scipy.sparse import csr_array, diags_array

from core.breaking.constraint_lattice.structure import Solution, Structure
from core.types import Bools, Floats


def jacobian(structure: Structure) -> csr_array:
    """J (m,3N) = dC/dp, dimensionless: row i has +u at point a and -u at point b."""
    rows = np.repeat(np.arange(len(structure.pair)), 3)
    a, b = (3 * structure.pair[:, [end]] + np.arange(3) for end in (0, 1))
    u = structure.direction.ravel()
    entries = np.concatenate([u, -u]), (np.concatenate([rows, rows]), np.concatenate([a.ravel(), b.ravel()]))
    return csr_array(entries, shape=(len(structure.pair), 3 * len(structure.position)))


def solve_by_cg(
    structure: Structure,
    holds: Bools,
    load: Floats,
    tolerance: float = 1e-10,
    most: int = 100_000,
    start: Floats | None = None,
    kC: Floats | None = None,
) -> Solution:
    """Minimum-norm lambda of J W J^T lambda = -J W Q - kC of a truss, with the forces Q in `load (N,6)` on its points.

    holds (m,) bars that are there; kC (m,) [m/s^2], of which what is out of the range of J is left out; start (m,)
    another start than zero, whose null part stays in the result. Where bars differ in stiffness k the solution has the
    least sum of lambda^2 / k. Stops at `tolerance` of the right hand side, or after `most` iterations with the best.
    """
    root = np.sqrt(np.trace(structure.push[holds], axis1=1, axis2=2))  # u is a unit vector
    J = diags_array(root) @ jacobian(structure)[holds]
    w = np.repeat(structure.inverse_mass, 3)
    A = (J @ diags_array(w) @ J.T).tocsr()  # (1)
    b = -J @ (w * load[:, :3].ravel())
    iterations = 0
    if kC is not None:
        C, iterations, _ = _cg(A, A @ (root * kC[holds]), np.zeros(len(b)), 1e-14, most)  # resolution 4.3
        b = b - C
    first = np.zeros(len(b)) if start is None else start[holds] / root
    x, steps, converged = _cg(A, b, first, tolerance, most)
    return Solution(expand_forces(structure, holds, root * x), iterations + steps, converged)


def expand_forces(structure: Structure, holds: Bools, force: Floats) -> Floats:
    """(T,6) forces in bars from lambda of those that hold (n,)."""
    result = np.zeros((len(holds), 6))
    result[holds, :3] = force[:, None] * structure.direction[holds]
    return result


def _cg(A: csr_array, b: Floats, x: Floats, tolerance: float, most: int) -> tuple[Floats, int, bool]:
    """Hestenes and Stiefel 1952; the best iterate, how many there were, and whether it is good enough."""
    r = b - A @ x
    p, rr = r.copy(), float(np.sum(r * r))
    goal = tolerance * tolerance * float(np.sum(b * b))
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
