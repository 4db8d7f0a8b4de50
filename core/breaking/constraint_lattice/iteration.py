"""The iteration of the solver, compiled: conjugate gradients, preconditioned in one of two ways."""

from typing import NamedTuple

import numpy as np

from ...jit import device_no_refs, njit_no_refs
from ...types import Bools, Floats, Ints
from .factor import FactorTable
from .structure import Numbers


class TieNet(NamedTuple):
    """N bodies and T ties, sorted by their first bodies; see `equilibrium.Rows`."""

    start: Numbers  #: (N+1,) bounds of the ties of each first body
    other: Numbers  #: (T,) second body
    centre: Floats  #: (N,3)
    face: Floats  #: (T,3)
    push: Floats  #: (T,6), 0 where a tie is gone; so is the next
    turn: Floats  #: (T,6)
    soft: Floats  #: (N,) stiffness to the ground
    anchored: Bools  #: (N,)


class Preconditioner(NamedTuple):
    """The factor where it has blocks, else the inverse blocks of the bodies and a coarse space."""

    block: Floats  #: (N,36)
    cluster: Ints  #: (N,) cluster of each body
    middle: Floats  #: (N,3) from the middle of the cluster, over the scale
    coarse: Floats  #: (6C,6C) inverse, of the rigid motions of C clusters
    factor: FactorTable


class StoppingRule(NamedTuple):
    """When to end."""

    tolerance: float  #: r.P r is below its square of b.P b
    most: int  #: iterations
    runaway: float  #: a direction resists less than 1/runaway of what the preconditioner takes it for


def conjugate_gradients(
    net: TieNet, preconditioner: Preconditioner, b: Floats, y: Floats, work: Floats, force: Floats, stop: StoppingRule
) -> int:
    """Solve (J^T J + soft) y = b from y (N,6), which becomes the result; `work (5,N,6)` is room.

    `force (T,6)` becomes J y. Returns the number of iterations until the residual is within the tolerance, negative
    where it did not come so far: after the most of them, or where a direction ran away.
    """
    low = np.zeros((2, max(len(preconditioner.coarse), 6)))
    return int(_iterate(net, preconditioner, b, y, work, low, force, stop))


@device_no_refs
def _stretch(net: TieNet, p: Floats, o: Floats, q: Floats, force: Floats) -> None:
    """Q = (J^T J + soft) p; `force` becomes J p where it has room for it; `o (N,6)` is room.

    Motions of all bodies are told at the origin, and so are forces: one tie then needs one arm, to its face.
    """
    start, other, centre, face, push, turn, soft, anchored = net
    for a in range(len(soft)):
        x, y, z = centre[a, 0], centre[a, 1], centre[a, 2]
        wx, wy, wz = p[a, 3], p[a, 4], p[a, 5]
        o[a, 0] = p[a, 0] - wy * z + wz * y
        o[a, 1] = p[a, 1] - wz * x + wx * z
        o[a, 2] = p[a, 2] - wx * y + wy * x
        o[a, 3], o[a, 4], o[a, 5] = wx, wy, wz
        for k in range(6):
            q[a, k] = 0.0
    for a in range(len(soft)):
        o0, o1, o2, o3, o4, o5 = o[a, 0], o[a, 1], o[a, 2], o[a, 3], o[a, 4], o[a, 5]
        q0 = q1 = q2 = q3 = q4 = q5 = 0.0
        for i in range(start[a], start[a + 1]):
            b = other[i]
            x, y, z = face[i, 0], face[i, 1], face[i, 2]
            rx, ry, rz = o3 - o[b, 3], o4 - o[b, 4], o5 - o[b, 5]
            dx = o0 - o[b, 0] + ry * z - rz * y
            dy = o1 - o[b, 1] + rz * x - rx * z
            dz = o2 - o[b, 2] + rx * y - ry * x
            fx = push[i, 0] * dx + push[i, 1] * dy + push[i, 2] * dz
            fy = push[i, 1] * dx + push[i, 3] * dy + push[i, 4] * dz
            fz = push[i, 2] * dx + push[i, 4] * dy + push[i, 5] * dz
            mx = turn[i, 0] * rx + turn[i, 1] * ry + turn[i, 2] * rz
            my = turn[i, 1] * rx + turn[i, 3] * ry + turn[i, 4] * rz
            mz = turn[i, 2] * rx + turn[i, 4] * ry + turn[i, 5] * rz
            if len(force) > 0:
                force[i, 0], force[i, 1], force[i, 2] = fx, fy, fz
                force[i, 3], force[i, 4], force[i, 5] = mx, my, mz
            mx += y * fz - z * fy
            my += z * fx - x * fz
            mz += x * fy - y * fx
            q0 += fx
            q1 += fy
            q2 += fz
            q3 += mx
            q4 += my
            q5 += mz
            q[b, 0] -= fx
            q[b, 1] -= fy
            q[b, 2] -= fz
            q[b, 3] -= mx
            q[b, 4] -= my
            q[b, 5] -= mz
        q[a, 0] += q0
        q[a, 1] += q1
        q[a, 2] += q2
        q[a, 3] += q3
        q[a, 4] += q4
        q[a, 5] += q5
    for a in range(len(soft)):
        x, y, z = centre[a, 0], centre[a, 1], centre[a, 2]
        q[a, 3] -= y * q[a, 2] - z * q[a, 1]
        q[a, 4] -= z * q[a, 0] - x * q[a, 2]
        q[a, 5] -= x * q[a, 1] - y * q[a, 0]
        for k in range(6):
            q[a, k] = 0.0 if anchored[a] else q[a, k] + soft[a] * p[a, k]


@device_no_refs
def _substitute(table: FactorTable, r: Floats, w: Floats) -> None:
    """W = (L L^T)^-1 r, both ways through the columns of the factor; w is in their order."""
    seat, start, row, factor = table
    count = len(seat)
    for a in range(count):
        for k in range(6):
            w[seat[a], k] = r[a, k]
    for j in range(count):
        f = start[j]
        for r6 in range(5, -1, -1):
            total = 0.0
            for k in range(r6 + 1):
                total += factor[f, 6 * k + r6] * w[j, k]
            w[j, r6] = total
        x0, x1, x2, x3, x4, x5 = w[j, 0], w[j, 1], w[j, 2], w[j, 3], w[j, 4], w[j, 5]
        for q in range(f + 1, start[j + 1]):
            i = row[q]
            for k in range(6):
                w[i, k] -= (
                    factor[q, k] * x0 + factor[q, 6 + k] * x1 + factor[q, 12 + k] * x2
                    + factor[q, 18 + k] * x3 + factor[q, 24 + k] * x4 + factor[q, 30 + k] * x5
                )  # fmt: skip
    for j in range(count - 1, -1, -1):
        f = start[j]
        for q in range(f + 1, start[j + 1]):
            i = row[q]
            x0, x1, x2, x3, x4, x5 = w[i, 0], w[i, 1], w[i, 2], w[i, 3], w[i, 4], w[i, 5]
            for k in range(6):
                w[j, k] -= (
                    factor[q, 6 * k] * x0 + factor[q, 6 * k + 1] * x1 + factor[q, 6 * k + 2] * x2
                    + factor[q, 6 * k + 3] * x3 + factor[q, 6 * k + 4] * x4 + factor[q, 6 * k + 5] * x5
                )  # fmt: skip
        for k in range(6):
            total = 0.0
            for r6 in range(k, 6):
                total += factor[f, 6 * k + r6] * w[j, r6]
            w[j, k] = total


@device_no_refs
def _precondition(
    preconditioner: Preconditioner, anchored: Bools, r: Floats, z: Floats, w: Floats, low: Floats
) -> float:
    """Z = P r, by the factor where there is one, else the sum of blocks and coarse space; returns r.z."""
    block, cluster, middle, coarse, factor = preconditioner
    rz = 0.0
    if len(factor.value) > 0:
        _substitute(factor, r, w)
        for a in range(len(factor.seat)):
            for k in range(6):
                z[a, k] = w[factor.seat[a], k]
                rz += r[a, k] * z[a, k]
        return rz
    count = len(coarse)
    for k in range(count):
        low[0, k] = low[1, k] = 0.0
    for a in range(len(cluster)):
        if not anchored[a]:
            at = 6 * cluster[a]
            fx, fy, fz = r[a, 0], r[a, 1], r[a, 2]
            low[0, at] += fx
            low[0, at + 1] += fy
            low[0, at + 2] += fz
            low[0, at + 3] += r[a, 3] + middle[a, 1] * fz - middle[a, 2] * fy
            low[0, at + 4] += r[a, 4] + middle[a, 2] * fx - middle[a, 0] * fz
            low[0, at + 5] += r[a, 5] + middle[a, 0] * fy - middle[a, 1] * fx
    for j in range(count):
        c = low[0, j]
        for k in range(count):
            low[1, k] += c * coarse[j, k]
    for a in range(len(cluster)):
        if anchored[a]:
            continue
        at = 6 * cluster[a]
        ox, oy, oz = low[1, at + 3], low[1, at + 4], low[1, at + 5]
        z[a, 0] = low[1, at] + oy * middle[a, 2] - oz * middle[a, 1]
        z[a, 1] = low[1, at + 1] + oz * middle[a, 0] - ox * middle[a, 2]
        z[a, 2] = low[1, at + 2] + ox * middle[a, 1] - oy * middle[a, 0]
        z[a, 3], z[a, 4], z[a, 5] = ox, oy, oz
        for k in range(6):
            total = z[a, k]
            for j in range(6):
                total += block[a, 6 * k + j] * r[a, j]
            z[a, k] = total
            rz += r[a, k] * total
    return rz


@njit_no_refs
def _iterate(
    net: TieNet, preconditioner: Preconditioner, b: Floats, y: Floats, work: Floats, low: Floats, force: Floats,
    stop: StoppingRule,
) -> int:  # fmt: skip
    """As `conjugate_gradients`; `low (2,.)` is room for the coarse space."""
    r, z, p, q, w = work[0], work[1], work[2], work[3], work[4]
    tolerance, most, runaway = stop
    anchored = net.anchored
    goal = _precondition(preconditioner, anchored, b, z, w, low)
    goal *= tolerance * tolerance
    _stretch(net, y, w, q, force[:0])
    for a in range(len(b)):
        for k in range(6):
            r[a, k] = b[a, k] - q[a, k]
            p[a, k] = z[a, k] = 0.0
    before, steps = 0.0, -most
    for step in range(most + 1):
        rz = _precondition(preconditioner, anchored, r, z, w, low)
        if not rz > goal:
            steps = step
            break
        beta = rz / before if before > 0.0 else 0.0
        for a in range(len(b)):
            for k in range(6):
                p[a, k] = z[a, k] + beta * p[a, k]
        _stretch(net, p, w, q, force[:0])
        pq = 0.0
        for a in range(len(b)):
            for k in range(6):
                pq += p[a, k] * q[a, k]
        if not pq * runaway > rz:
            steps = -step - 1
            break
        alpha = rz / pq
        for a in range(len(b)):
            for k in range(6):
                y[a, k] += alpha * p[a, k]
                r[a, k] -= alpha * q[a, k]
        before = rz
    _stretch(net, y, w, q, force)
    return steps
