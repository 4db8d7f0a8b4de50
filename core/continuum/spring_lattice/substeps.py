"""The loop over substeps, compiled: springs, what is in the way, and nodes against nodes.

A substep reads one copy of the motion and writes the other: each bond tells its tension, then each node adds up those
of its own bonds, in order. So parts of both loops could run side by side, with the same bits, and both ends of a bond
find the same force to the bit, with opposite signs. A broken bond has no stiffness, no damping, and no length at which
it breaks.

Norton et al. 1991, "Dynamics": f = [k (r - l) + d ((V_j - V_i).u)] u on node i of a bond to j, with u from i to j.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...jit import device_no_refs, njit_no_refs
from ...types import Bools, Floats, Ints

#: Whole numbers of half the width, which kernels read faster; without signs no index can count from the end.
ShortInts: TypeAlias = NDArray[np.uint32]

#: Columns of the springs (b,4): length at rest [m], stiffness [N/m], damping [N s/m], length at which it breaks [m].
LENGTH, STIFFNESS, DAMPING, BREAKING_LENGTH = range(4)
#: Columns of the surfaces (s,11) in the way of some nodes: unit normal n, offset c and velocity w of a plane, n.x = c
#: at the start of the window, stiffness [N/m], damping [N s/m], friction, mass of the node [kg].
SURFACE_NORMAL, SURFACE_OFFSET, SURFACE_VELOCITY, SURFACE_LAW = 0, 3, 4, 7
#: Columns of the pairs (p,5): length below which they repel [m], stiffness [N/m], damping [N s/m], friction, reduced
#: mass [kg].
PAIR_REACH, PAIR_LAW = 0, 1
#: Numbers: step [s], gravity [m/s^2], 1 for the paper's Euler step, speed of the fastest surface [m/s], 1 where the
#: first substep breaks nothing, strain beyond which matter flows, the share of the rest that flows away in a step;
#: velocity of the whole [m/s], ways that nodes may go, and may go beside it, before the window ends [m].
DT, GRAVITY, PAPER_EULER, SURFACE_SPEED, SPARED, YIELD_STRAIN, FLOWING = 0, 1, 4, 5, 6, 7, 8
MEAN_VELOCITY, MOST_WAY, MOST_WAY_ASIDE = 9, 12, 13  # vectors take three places
STEP_NUMBERS = 14  # of them
#: Totals: impulse of surfaces on nodes [N s], their work on nodes as they moved [J], deepest intrusion [m]; time since
#: the window began [s], ways of nodes in it, and beside the whole [m].
SURFACE_IMPULSE, SURFACE_WORK, DEEPEST, ELAPSED, WAY, WAY_ASIDE = 0, 3, 4, 5, 6, 7
TOTALS = 8  # of them
_TINY = 1e-150  # a length that is none, whose inverse is still a number


@njit_no_refs
def run_substeps(
    motion: Floats,
    net: tuple[Floats, ShortInts, Ints, ShortInts, Floats, Floats],
    surfaces: tuple[Ints, Floats],
    pairs: tuple[Ints, Floats],
    numbers: Floats,
    totals: Floats,
    row: int,
    most: int,
) -> tuple[int, int]:
    """Up to `most` substeps from `motion[row]`; motion (2,n,6) has positions and velocities.

    `net`: inverse masses (n,), 0 for what is held; nodes (b,2) of bonds; bounds (n+1,) of the half bonds of each node,
    and these (h,2); springs (b,4); room (b,). `surfaces`: nodes (s,) and rows. `pairs`: nodes (p,2) and rows.
    It ends before a substep in which a bond is too long, and when nodes may have gone farther than the window allows.
    Returns how many substeps were done, and how many bonds are too long now.
    """
    inverse_mass, bond_node, half_start, half_bond, spring, pull = net
    dt = numbers[DT]
    for k in range(most):
        now, then = motion[row], motion[1 - row]
        torn = _stretch_springs(now, bond_node, spring, pull)
        if torn > 0 and not (k == 0 and numbers[SPARED] > 0.0):
            return k, torn
        fastest, aside = _move_by_springs(now, then, inverse_mass, half_start, half_bond, pull, numbers)
        _push_by_surfaces(now, then, inverse_mass, surfaces[0], surfaces[1], numbers, totals)
        _push_by_pairs(now, then, inverse_mass, pairs[0], pairs[1], numbers)
        if numbers[YIELD_STRAIN] < np.inf:
            _flow_rest_lengths(then, bond_node, spring, numbers[YIELD_STRAIN], numbers[FLOWING])
        row = 1 - row
        totals[ELAPSED] += dt
        totals[WAY] += (np.sqrt(fastest) + numbers[SURFACE_SPEED]) * dt
        totals[WAY_ASIDE] += np.sqrt(aside) * dt
        if totals[WAY] > numbers[MOST_WAY] or totals[WAY_ASIDE] > numbers[MOST_WAY_ASIDE]:
            return k + 1, 0
    return most, 0


@device_no_refs
def _stretch_springs(now: Floats, bond_node: ShortInts, spring: Floats, pull: Floats) -> int:
    """Write the tension of each bond by its length [N/m]; how many bonds are too long now."""
    torn = 0
    for b in range(len(bond_node)):
        i, j = bond_node[b, 0], bond_node[b, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        du, dv, dw = now[j, 3] - now[i, 3], now[j, 4] - now[i, 4], now[j, 5] - now[i, 5]
        r = np.sqrt(dx * dx + dy * dy + dz * dz)
        torn += r > spring[b, BREAKING_LENGTH]
        inverse = 1.0 / max(r, _TINY)
        opening = (dx * du + dy * dv + dz * dw) * inverse
        pull[b] = (spring[b, STIFFNESS] * (r - spring[b, LENGTH]) + spring[b, DAMPING] * opening) * inverse
    return torn


@njit_no_refs
def mark_long_bonds(now: Floats, bond_node: ShortInts, spring: Floats, long: Bools) -> None:
    """Mark the bonds (b,) that are too long: those that end a run of substeps."""
    for b in range(len(bond_node)):
        i, j = bond_node[b, 0], bond_node[b, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        long[b] = np.sqrt(dx * dx + dy * dy + dz * dz) > spring[b, BREAKING_LENGTH]


@device_no_refs
def _move_by_springs(
    now: Floats, then: Floats, inverse_mass: Floats, start: Ints, half_bond: ShortInts, pull: Floats, numbers: Floats
) -> tuple[float, float]:
    """Write the motion `then` under springs and gravity; the squares of the top speed, and of that beside the whole."""
    dt, gx, gy, gz = numbers[DT], numbers[GRAVITY], numbers[GRAVITY + 1], numbers[GRAVITY + 2]
    paper = numbers[PAPER_EULER] > 0.0
    mu, mv, mw = numbers[MEAN_VELOCITY], numbers[MEAN_VELOCITY + 1], numbers[MEAN_VELOCITY + 2]
    fastest = aside = 0.0
    for i in range(len(now)):
        x, y, z, u, v, w = now[i, 0], now[i, 1], now[i, 2], now[i, 3], now[i, 4], now[i, 5]
        fx = fy = fz = 0.0
        for h in range(start[i], start[i + 1]):
            j, tension = half_bond[h, 0], pull[half_bond[h, 1]]
            fx += tension * (now[j, 0] - x)
            fy += tension * (now[j, 1] - y)
            fz += tension * (now[j, 2] - z)
        share = inverse_mass[i] * dt
        free = dt if share > 0.0 else 0.0
        u1, v1, w1 = u + (share * fx + free * gx), v + (share * fy + free * gy), w + (share * fz + free * gz)
        fastest = max(fastest, u1 * u1 + v1 * v1 + w1 * w1)
        aside = max(aside, (u1 - mu) * (u1 - mu) + (v1 - mv) * (v1 - mv) + (w1 - mw) * (w1 - mw))
        then[i, 3], then[i, 4], then[i, 5] = u1, v1, w1
        if not paper:
            u, v, w = u1, v1, w1
        then[i, 0], then[i, 1], then[i, 2] = x + dt * u, y + dt * v, z + dt * w
    return fastest, aside


@device_no_refs
def _flow_rest_lengths(now: Floats, bond_node: ShortInts, spring: Floats, yield_strain: float, share: float) -> None:
    """Plastic flow: take a share of the strain beyond the yield strain out of the bonds, stretched or pressed.

    The lengths at which they break stay.
    """
    for b in range(len(bond_node)):
        if spring[b, STIFFNESS] == 0.0:
            continue
        i, j = bond_node[b, 0], bond_node[b, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        r, rest = np.sqrt(dx * dx + dy * dy + dz * dz), spring[b, LENGTH]
        if r > rest * (1.0 + yield_strain):
            spring[b, LENGTH] += share * (r / (1.0 + yield_strain) - rest)
        elif r < rest * (1.0 - yield_strain):
            spring[b, LENGTH] += share * (r / (1.0 - yield_strain) - rest)


@device_no_refs
def _push_by_surfaces(
    now: Floats, then: Floats, inverse_mass: Floats, node: Ints, plane: Floats, numbers: Floats, totals: Floats
) -> None:
    """Penalty and friction of the planes in the way of some nodes: they never pull."""
    dt, time = numbers[DT], totals[ELAPSED]
    for k in range(len(node)):
        i = node[k]
        nx, ny, nz = plane[k, SURFACE_NORMAL], plane[k, SURFACE_NORMAL + 1], plane[k, SURFACE_NORMAL + 2]
        wx, wy, wz = plane[k, SURFACE_VELOCITY], plane[k, SURFACE_VELOCITY + 1], plane[k, SURFACE_VELOCITY + 2]
        advance = (nx * wx + ny * wy + nz * wz) * time
        depth = plane[k, SURFACE_OFFSET] + advance - (nx * now[i, 0] + ny * now[i, 1] + nz * now[i, 2])
        if not (depth > 0.0 and inverse_mass[i] > 0.0):
            continue
        vx, vy, vz = now[i, 3] - wx, now[i, 4] - wy, now[i, 5] - wz
        closing = -(nx * vx + ny * vy + nz * vz)
        vx, vy, vz = vx + closing * nx, vy + closing * ny, vz + closing * nz
        push, drag = _contact_force(depth, closing, np.sqrt(vx * vx + vy * vy + vz * vz), plane[k, SURFACE_LAW:], dt)
        fx, fy, fz = push * nx - drag * vx, push * ny - drag * vy, push * nz - drag * vz
        _kick(then, i, inverse_mass[i] * dt, fx, fy, fz, numbers)
        totals[SURFACE_IMPULSE] += dt * fx
        totals[SURFACE_IMPULSE + 1] += dt * fy
        totals[SURFACE_IMPULSE + 2] += dt * fz
        totals[SURFACE_WORK] += dt * (fx * wx + fy * wy + fz * wz)
        totals[DEEPEST] = max(totals[DEEPEST], depth)


@device_no_refs
def _push_by_pairs(now: Floats, then: Floats, inverse_mass: Floats, node: Ints, pair: Floats, numbers: Floats) -> None:
    """Repulsion and friction of nodes that are nearer to each other than they may be."""
    dt = numbers[DT]
    for k in range(len(node)):
        i, j = node[k, 0], node[k, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        square = dx * dx + dy * dy + dz * dz
        if not 0.0 < square < pair[k, PAIR_REACH] * pair[k, PAIR_REACH]:
            continue
        r = np.sqrt(square)
        nx, ny, nz = dx / r, dy / r, dz / r
        vx, vy, vz = now[j, 3] - now[i, 3], now[j, 4] - now[i, 4], now[j, 5] - now[i, 5]
        closing = -(nx * vx + ny * vy + nz * vz)
        vx, vy, vz = vx + closing * nx, vy + closing * ny, vz + closing * nz
        size = np.sqrt(vx * vx + vy * vy + vz * vz)
        push, drag = _contact_force(pair[k, PAIR_REACH] - r, closing, size, pair[k, PAIR_LAW:], dt)
        fx, fy, fz = push * nx - drag * vx, push * ny - drag * vy, push * nz - drag * vz
        _kick(then, j, inverse_mass[j] * dt, fx, fy, fz, numbers)
        _kick(then, i, -inverse_mass[i] * dt, fx, fy, fz, numbers)


@device_no_refs
def _contact_force(depth: float, closing: float, sliding: float, law: Floats, dt: float) -> tuple[float, float]:
    """The force that pushes apart [N], and the friction by the velocity that slides [N s/m].

    Coulomb's friction, but no more than what stops the sliding within the step.
    """
    push = max(0.0, law[0] * depth + law[1] * closing)
    drag = law[3] / dt
    if drag * sliding > law[2] * push:
        drag = law[2] * push / sliding
    return push, drag


@device_no_refs
def _kick(then: Floats, i: int, share: float, fx: float, fy: float, fz: float, numbers: Floats) -> None:
    """Add a force to the motion of a node at the end of the step; `share` is the step by the mass."""
    dx, dy, dz = share * fx, share * fy, share * fz
    then[i, 3] += dx
    then[i, 4] += dy
    then[i, 5] += dz
    if numbers[PAPER_EULER] == 0.0:
        dt = numbers[DT]
        then[i, 0] += dt * dx
        then[i, 1] += dt * dy
        then[i, 2] += dt * dz
