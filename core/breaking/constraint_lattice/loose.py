"""Forces in a truss that has come loose, compiled: the paper's conjugate gradients, carried out on displacements.

Conjugate gradients on J W J^T from zero keep every lambda in the range of J, which is what makes its norm least (Smith,
Witkin, Baraff 2001, section 3.2). So lambda = J y, the residual is J s with s = -W (Q + J^T J y), the accelerations
that are left, and all scalar products are known from s and J^T J s alone. That is the method of conjugate residuals
(Stiefel 1955) for J^T J y = -Q. What moves without resistance stays in s and strains nothing. Unlike lambda, y may
begin anywhere, and J W J^T, which is far larger than J, is not needed.
"""

from ...jit import device_no_refs, njit_no_refs
from ...types import Floats
from .structure import Numbers


@device_no_refs
def _shorten(start: Numbers, other: Numbers, bar: Floats, p: Floats, q: Floats) -> None:
    """Q = J^T J p; `bar (T,3)` is u times the root of the stiffness."""
    for a in range(len(p)):
        for k in range(3):
            q[a, k] = 0.0
    for a in range(len(p)):
        p0, p1, p2 = p[a, 0], p[a, 1], p[a, 2]
        q0 = q1 = q2 = 0.0
        for i in range(start[a], start[a + 1]):
            b = other[i]
            ux, uy, uz = bar[i, 0], bar[i, 1], bar[i, 2]
            d = ux * (p0 - p[b, 0]) + uy * (p1 - p[b, 1]) + uz * (p2 - p[b, 2])
            q0 += d * ux
            q1 += d * uy
            q2 += d * uz
            q[b, 0] -= d * ux
            q[b, 1] -= d * uy
            q[b, 2] -= d * uz
        q[a, 0] += q0
        q[a, 1] += q1
        q[a, 2] += q2


@njit_no_refs
def conjugate_residuals(
    start: Numbers, other: Numbers, bar: Floats, w: Floats, load: Floats, y: Floats, work: Floats,
    tolerance: float, most: int,
) -> int:  # fmt: skip
    """Find y (N,3), where it begins as well, such that J y are the forces of least norm; `work (4,N,3)` is room.

    start (N+1,), other (T,), bar (T,3): bars by their first points; w (N,) inverse masses, load (N,3) forces Q. Returns
    the number of iterations until the residual J s is below `tolerance` of J W Q, negative after `most` of them.
    """
    s, As, d, g = work[0], work[1], work[2], work[3]
    for a in range(len(w)):
        for k in range(3):
            s[a, k] = -w[a] * load[a, k]
    _shorten(start, other, bar, s, As)
    goal = 0.0
    for a in range(len(w)):
        for k in range(3):
            goal += tolerance * tolerance * s[a, k] * As[a, k]
    _shorten(start, other, bar, y, g)
    for a in range(len(w)):
        for k in range(3):
            s[a, k] -= w[a] * g[a, k]
            d[a, k] = g[a, k] = 0.0
    before = 0.0
    for step in range(most + 1):
        _shorten(start, other, bar, s, As)
        rr = 0.0
        for a in range(len(w)):
            for k in range(3):
                rr += s[a, k] * As[a, k]
        if not rr > goal:
            return step
        beta = rr / before if before > 0.0 else 0.0
        pq = 0.0
        for a in range(len(w)):
            for k in range(3):
                d[a, k] = s[a, k] + beta * d[a, k]
                g[a, k] = As[a, k] + beta * g[a, k]
                pq += w[a] * g[a, k] * g[a, k]
        alpha = rr / pq
        for a in range(len(w)):
            for k in range(3):
                y[a, k] += alpha * d[a, k]
                s[a, k] -= alpha * w[a] * g[a, k]
        before = rr
    return -most
