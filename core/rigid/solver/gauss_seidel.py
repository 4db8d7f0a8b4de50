"""Projected Gauss-Seidel over pairs: non-penetration with given targets, and Coulomb friction at each pair.

The normal impulse p of a point obeys  u >= target, p >= 0, p (u - target) = 0;  the friction of a pair acts at its
centre of pressure and minimises the kinetic energy within the disc |t| <= mu S, S the sum of its normal impulses, and
the interval |m| <= mu sum(p_i d_i) of the moment about the normal, d_i the distances of the points from that centre.
All three steps lower the energy or leave it when the target is zero.

What a collider jams against something that holds has no solution: the impulses would grow with every sweep, and
throw whatever stands askew. Between a collider that moves and another one, targets are therefore met up to
g K (p - p0), p0 the impulse at the start of a solve, K what a unit of it changes (the proximal point method:
Rockafellar 1976). The impulses stay bounded, and what rests on p0 rests exactly.
"""

import math

import numpy as np

from ...jit import device_inlined, device_no_refs, njit_no_refs
from ...record_arrays import Record, Records
from ...types import Bools, Floats, Ints

_SWEEPS = 16  # at most, in a large scene; by time; 30, the prototype's, and 20 were tried before
COLD_SWEEPS = 300  # at most, in the frame in which most contacts begin; by eye: docs/decisions.md, Motion
MOST_SWEEPS = 400  # at most, in a small one: of up to FEW contacts; by eye
_FEW = 25  # contacts on which all that helps can be spent; beyond, sweeps and precision fall with their square; by time
ROWS_AT_ONCE = 512  # blocks that are swept together: with their rows, what a second-level cache holds
PRECISION = 0.01  # change of a row's velocity that ends its work, relative to g h plus the approach; the prototype's
COLD_PRECISION = 0.001  # in the frame in which most contacts begin; by eye
FINER_PRECISION = 1e-5  # the same for each contact of a scene of few, where it costs nothing; by eye
#: Of contacts that may be jammed, see `CONTACT_CONSTRAINT`; what is hit then leaves at no more than about its speed. By
#: eye.
REGULARISATION = 0.1
CLOSED_GAP = 0.005  # gap of a contact that has closed, in radii; as SLOP


def starts_cold(active: int, known: int, calm: int) -> bool:
    """Whether most of so many contacts begin in this frame, and most are calm; so many were known before it.

    Without impulses to start from, a pile is found resting only after many fine sweeps; else it starts to move. What
    flies and tumbles rests on nothing.
    """
    return 2 * known < active and 2 * calm > active


def precision_for(count: Ints, cold: bool) -> Floats:
    """How precise the velocity of each contact is made, relative to what changes it; `count` (A,) are in its set."""
    finer = FINER_PRECISION * count * np.square(np.maximum(1.0, count / _FEW))
    return np.asarray(np.minimum(COLD_PRECISION if cold else PRECISION, finer))


def regularisation_for(jammed: Bools) -> Floats:
    """How much each contact (A,) gives way where it may be `jammed` (A,), see `CONTACT_CONSTRAINT`."""
    return np.where(jammed, REGULARISATION, 0.0)


def sweeps_for(active: int, cold: bool) -> int:
    """How many sweeps are worth while for so many contacts."""
    affordable = MOST_SWEEPS * _FEW * _FEW // (max(active, _FEW) * max(active, _FEW))
    return max(COLD_SWEEPS if cold else _SWEEPS, affordable)


@njit_no_refs
def set_velocity_bias(
    contacts: Records, active: Ints, blocks: Records, rows: Records, bodies: Records, h: float, weight: float,
    precision: Floats, gives: Floats,
) -> None:  # fmt: skip
    """Set targets for a solve that is followed by a drift of h [s]: a gap may just close, an overlap may not grow.

    `precision` and `gives` (A,) of each contact, see `precision_for` and `regularisation_for`.
    """
    for block in blocks:
        bodies[block.body[0]].hit, bodies[block.body[1]].hit = 0.0, 0.0
    for i in range(len(active)):
        contact, block = contacts[active[i]], blocks[i]
        a, b = bodies[block.body[0]].velocity, bodies[block.body[1]].velocity
        fastest = 0.0
        for k in range(block.count):
            row = rows[block.first + k]
            u = 0.0
            for x in range(3):
                u += block.normal[x] * (a[x] - b[x]) + row.jacobian[0, x] * a[3 + x] + row.jacobian[1, x] * b[3 + x]
            contact.approach[k] = u
            row.target = min(0.0, -contact.gap[k] / h)
            if u < row.target:
                fastest = max(fastest, -u)
        bodies[block.body[0]].hit = max(bodies[block.body[0]].hit, fastest)
        bodies[block.body[1]].hit = max(bodies[block.body[1]].hit, fastest)
    for i in range(len(blocks)):
        block = blocks[i]
        fastest = 0.0
        for side in range(2):
            body = bodies[block.body[side]]
            if body.immovable == 0:
                fastest = max(fastest, body.hit)
        block.regularisation = gives[i]
        block.tolerance = precision[i] * (weight * h + fastest)


@njit_no_refs
def set_restitution(contacts: Records, active: Ints, blocks: Records, rows: Records, h: float, weight: float) -> None:
    """Set targets for the solve after the drift: Newton's law of impact for points hit faster than sqrt(g r).

    Points that are still open belong to the next substep: braking them now would hide their approach from it.
    """
    for i in range(len(active)):
        contact, block = contacts[active[i]], blocks[i]
        for k in range(block.count):
            row, gap, approach = rows[block.first + k], contact.gap[k], contact.approach[k]
            fast = -approach > math.sqrt(weight * block.extent)
            near = gap <= CLOSED_GAP * block.extent
            # hit: it would have closed, and it did close. The impulse does not tell, it may be shared in many ways.
            hit = near and approach < row.target
            if hit and fast:
                row.target = -block.restitution * approach
            elif near and not fast:
                row.target = min(0.0, -gap / h)
            else:
                row.target = -np.inf if gap > 0.0 else 0.0


@njit_no_refs
def solve_constraints(blocks: Records, rows: Records, bodies: Records, done: int, sweeps: int) -> int:
    """Find impulses that meet the targets, starting from those of the rows, and apply them; returns the sweeps.

    After the first `done` sweeps, an even number, it goes on as if it had never stopped.

    As many blocks as the cache holds are swept forwards and backwards before the next ones are, from the first ones to
    the last and from there to the first; after the first sweeps only blocks of which a body changed.
    """
    if done == 0:
        for block in blocks:
            apply_warm_start(block, rows, bodies[block.body[0]], bodies[block.body[1]])
    chunks = (len(blocks) + ROWS_AT_ONCE - 1) // ROWS_AT_ONCE
    for sweep in range(done // 2 + 1, sweeps // 2 + 1):
        busy = False
        for i in range(chunks):
            first = ROWS_AT_ONCE * (i if sweep % 2 == 1 else chunks - 1 - i)
            end = min(first + ROWS_AT_ONCE, len(blocks))
            for j in range(2 * (end - first)):
                block = blocks[first + j if first + j < end else 2 * end - 1 - first - j]
                a, b = bodies[block.body[0]], bodies[block.body[1]]
                if sweep > 1 and a.changed < sweep - 1 and b.changed < sweep - 1:
                    continue
                worst = solve_friction(block, rows, a, b)
                if max(worst, solve_normal(block, rows, a, b)) > block.tolerance:
                    busy = True
                    if a.inverse_mass > 0.0:
                        a.changed = sweep
                    if b.inverse_mass > 0.0:
                        b.changed = sweep
        if not busy:
            return 2 * sweep
    return sweeps


@njit_no_refs
def accumulate_impulses(contacts: Records, active: Ints, blocks: Records, rows: Records, bodies: Records) -> None:
    """Add what the impulses of a solve did to the angular momenta, and to the report of the frame."""
    for i in range(len(active)):
        contact, block = contacts[active[i]], blocks[i]
        a, b = bodies[block.body[0]], bodies[block.body[1]]
        for k in range(block.count + 3):
            row = rows[block.first + k]
            p = row.impulse
            if p == 0.0:
                continue
            contact.carried = 1
            if k < block.count:
                accumulate_normal_impulse(contact, k, p)
            for x in range(3):
                d = row_direction(block, k, x)
                contact.total[x] += p * d
                if a.inverse_mass > 0.0:
                    a.angular_momentum[x] += p * row.jacobian[0, x]
                if b.inverse_mass > 0.0:
                    b.angular_momentum[x] += p * row.jacobian[1, x]
                elif b.mass == 0.0:
                    contact.work += p * (d * b.velocity[x] - row.jacobian[1, x] * b.velocity[3 + x])


@device_inlined
def accumulate_normal_impulse(contact: Record, k: int, p: float) -> None:
    """Count the normal impulse p [N s] of point k into the mean place at which the contact pressed in the frame."""
    contact.normal_impulse += p
    for x in range(3):
        contact.impulse_moment[0, x] += p * contact.anchor[k, 0, x]
        contact.impulse_moment[1, x] += p * contact.anchor[k, 1, x]


@device_inlined
def row_direction(block: Record, k: int, x: int) -> float:
    """Component x of the direction in which row k of a block pushes; none for the one about the normal."""
    if k < block.count:
        return float(block.normal[x])
    if k < block.count + 2:
        return float(block.tangent[k - block.count, x])
    return 0.0


@device_no_refs
def apply_warm_start(block: Record, rows: Records, a: Record, b: Record) -> None:
    """Apply the impulses that a block begins with."""
    a.changed, b.changed = 0, 0
    for k in range(block.count + 3):
        row = rows[block.first + k]
        p = row.impulse
        row.begun = p
        if p != 0.0:
            for x in range(3):
                d = p * row_direction(block, k, x)
                a.velocity[x] += a.inverse_mass * d
                b.velocity[x] -= b.inverse_mass * d
                a.velocity[3 + x] += p * row.inverse_mass_jacobian[0, x]
                b.velocity[3 + x] += p * row.inverse_mass_jacobian[1, x]


@device_no_refs
def solve_friction(block: Record, rows: Records, a: Record, b: Record) -> float:
    """One step of the friction of a block; returns the largest change of a row's velocity."""
    count, first, friction = block.count, block.first, block.friction
    limit, moment = 0.0, 0.0
    for k in range(count):
        row = rows[first + k]
        limit += friction * row.impulse
        moment += friction * row.impulse * row.distance
    r, s, m = rows[first + count], rows[first + count + 1], rows[first + count + 2]
    if limit == 0.0 and r.impulse == 0.0 and s.impulse == 0.0 and m.impulse == 0.0:
        return 0.0
    A, B, T, n = a.velocity, b.velocity, block.tangent, block.normal
    u, w, z = 0.0, 0.0, 0.0
    for x in range(3):
        v = A[x] - B[x]
        u += T[0, x] * v + r.jacobian[0, x] * A[3 + x] + r.jacobian[1, x] * B[3 + x]
        w += T[1, x] * v + s.jacobian[0, x] * A[3 + x] + s.jacobian[1, x] * B[3 + x]
        z += n[x] * (A[3 + x] - B[3 + x])
    e, f = solve_tangents(block, r, s, u, w, limit)
    for x in range(3):
        z += n[x] * (
            e * (r.inverse_mass_jacobian[0, x] - r.inverse_mass_jacobian[1, x])
            + f * (s.inverse_mass_jacobian[0, x] - s.inverse_mass_jacobian[1, x])
        )
    g = min(moment, max(-moment, m.impulse - z / m.inverse_effective_mass)) - m.impulse
    m.impulse += g
    for x in range(3):
        p = e * T[0, x] + f * T[1, x]
        A[x] += a.inverse_mass * p
        B[x] -= b.inverse_mass * p
        A[3 + x] += (
            e * r.inverse_mass_jacobian[0, x] + f * s.inverse_mass_jacobian[0, x] + g * m.inverse_mass_jacobian[0, x]
        )
        B[3 + x] += (
            e * r.inverse_mass_jacobian[1, x] + f * s.inverse_mass_jacobian[1, x] + g * m.inverse_mass_jacobian[1, x]
        )
    worst = max(abs(e) * r.inverse_effective_mass, abs(f) * s.inverse_effective_mass)
    return float(max(worst, abs(g) * m.inverse_effective_mass * block.extent))


@device_inlined
def solve_tangents(block: Record, r: Record, s: Record, u: float, w: float, limit: float) -> tuple[float, float]:
    """Changes of the two tangential impulses: the exact minimum where the disc allows it, else a projected gradient."""
    K, L, c = r.inverse_effective_mass, s.inverse_effective_mass, block.cross
    det = K * L - c * c
    p, q = r.impulse - (L * u - c * w) / det, s.impulse - (K * w - c * u) / det
    if p * p + q * q > limit * limit:
        largest = 0.5 * (K + L) + math.sqrt(0.25 * (K - L) * (K - L) + c * c)
        p, q = r.impulse - u / largest, s.impulse - w / largest
        size = math.sqrt(p * p + q * q)
        if size > limit:
            p, q = p * limit / size, q * limit / size
    e, f = p - r.impulse, q - s.impulse
    r.impulse, s.impulse = p, q
    return e, f


@device_no_refs
def solve_normal(block: Record, rows: Records, a: Record, b: Record) -> float:
    """The points of a block forwards and backwards; returns the largest change of a row's velocity.

    The velocities are held in local numbers (v = v_a - v_b) and written back once.
    """
    M = a.inverse_mass + b.inverse_mass
    A, B, n = a.velocity, b.velocity, block.normal
    nx, ny, nz = n[0], n[1], n[2]
    v = nx * (A[0] - B[0]) + ny * (A[1] - B[1]) + nz * (A[2] - B[2])
    ax, ay, az, bx, by, bz = A[3], A[4], A[5], B[3], B[4], B[5]
    P, worst, count, regularisation = 0.0, 0.0, block.count, block.regularisation
    kept = 1.0 / (1.0 + regularisation)
    for turn in range(2 * count):
        if turn == count:  # the last point was just done
            continue
        row = rows[block.first + (turn if turn < count else 2 * count - 1 - turn)]
        J, s, K = row.jacobian, row.inverse_mass_jacobian, row.inverse_effective_mass
        u = v + J[0, 0] * ax + J[0, 1] * ay + J[0, 2] * az + J[1, 0] * bx + J[1, 1] * by + J[1, 2] * bz
        e = kept * ((row.target - u) / K - regularisation * (row.impulse - row.begun))
        e = max(0.0, row.impulse + e) - row.impulse
        if e == 0.0:
            continue
        row.impulse += e
        worst = max(worst, abs(e) * K)
        P += e
        v += M * e
        ax, ay, az = ax + e * s[0, 0], ay + e * s[0, 1], az + e * s[0, 2]
        bx, by, bz = bx + e * s[1, 0], by + e * s[1, 1], bz + e * s[1, 2]
    for x in range(3):
        A[x] += a.inverse_mass * P * n[x]
        B[x] -= b.inverse_mass * P * n[x]
    A[3], A[4], A[5], B[3], B[4], B[5] = ax, ay, az, bx, by, bz
    return worst
