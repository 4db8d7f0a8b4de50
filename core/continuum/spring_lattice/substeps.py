"""The loop over substeps, compiled: springs, what is in the way, and nodes against nodes.

A substep reads one copy of the motion and writes the other: each bond tells its tension, then each node adds up those
of its own bonds, in order. So parts of both loops could run side by side, with the same bits, and both ends of a bond
find the same force to the bit, with opposite signs. A broken bond has no stiffness, no damping, and no length at which
it breaks.

Norton et al. 1991, "Dynamics": f = [k (r - l) + d ((V_j - V_i).u)] u on node i of a bond to j, with u from i to j.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...jit import device_no_refs, njit_no_refs
from ...record_arrays import Records, record_type
from ...types import Bools, Floats, Ints
from ..plane_contacts import (
    DT,
    ELAPSED,
    GRAVITY,
    LATENESS,
    MEAN_VELOCITY,
    MOST_WAY,
    MOST_WAY_ASIDE,
    SURFACE_SPEED,
    WAY,
    WAY_ASIDE,
    contact_force,
    kick,
    push_by_surfaces,
)

#: Whole numbers of half the width, which kernels read faster; without signs no index can count from the end.
ShortInts: TypeAlias = NDArray[np.uint32]

#: Springs: length at rest [m], stiffness [N/m], damping [N s/m], length at which each breaks [m].
SPRING = record_type(length="f8", stiffness="f8", damping="f8", breaking_length="f8")
#: Pairs of nodes that may touch: length below which they repel [m]; stiffness [N/m], damping [N s/m], friction, reduced
#: mass [kg].
NODE_PAIR = record_type(reach="f8", law=("f8", 4))
#: Cells: one over the product of their mean edges at rest [1/m^3], and their matter times its bulk modulus, and the
#: modulus with which it resists being pressed flat [J]; the last two are zero where a cell is broken.
CELL_PRESSURE = record_type(inverse_product="f8", bulk_energy="f8", flat_energy="f8")
#: Part of its volume below which a cell resists with the latter as well. By eye: before, springs are as Hooke says.
FLAT_SHARE = 0.5
#: Numbers after those of `plane_contacts`: 1 where the first substep breaks nothing, strain beyond which matter flows,
#: the share of the rest that flows away in a step.
SPARED, YIELD_STRAIN, FLOWING = 11, 12, 13
PAPER_EULER = LATENESS  # 1 for the paper's Euler step
STEP_NUMBERS = 14  # of them
TOTALS = 8  # those of `plane_contacts`
_TINY = 1e-150  # a length that is none, whose inverse is still a number


class SpringNet(NamedTuple):
    """Nodes and the springs between them."""

    inverse_mass: Floats  #: (n,) 0 for what is anchored [1/kg]
    bond_node: ShortInts  #: (b,2)
    half_start: Ints  #: (n+1,) bounds of the half bonds of each node
    half_bond: ShortInts  #: (h,2)
    spring: Records  #: (b,) SPRING
    pull: Floats  #: (b,) scratch: the tension of each by its length [N/m]


class PressedCells(NamedTuple):
    """Cells that resist being pressed; none where no cell does."""

    node: ShortInts  #: (c,8)
    pressure: Records  #: (c,) CELL_PRESSURE


class NodePairs(NamedTuple):
    """Pairs of nodes that may touch."""

    node: Ints  #: (p,2)
    contact: Records  #: (p,) NODE_PAIR


@njit_no_refs
def run_substeps(
    motion: Floats,
    net: SpringNet,
    cells: PressedCells,
    surfaces: tuple[Ints, Floats],
    pairs: NodePairs,
    numbers: Floats,
    totals: Floats,
    row: int,
    most: int,
) -> tuple[int, int]:
    """Up to `most` substeps from `motion[row]`; motion (2,n,6) has positions and velocities.

    `surfaces`: nodes (s,) and the planes in their way, see `plane_contacts`.
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
        _push_flat_cells(now, then, inverse_mass, cells.node, cells.pressure, dt, 1.0 - numbers[PAPER_EULER])
        push_by_surfaces(now, then, inverse_mass, surfaces[0], surfaces[1], numbers, totals)
        _push_by_pairs(now, then, inverse_mass, pairs.node, pairs.contact, numbers)
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
def _stretch_springs(now: Floats, bond_node: ShortInts, spring: Records, pull: Floats) -> int:
    """Write the tension of each bond by its length [N/m]; how many bonds are too long now."""
    torn = 0
    for b in range(len(bond_node)):
        i, j = bond_node[b, 0], bond_node[b, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        du, dv, dw = now[j, 3] - now[i, 3], now[j, 4] - now[i, 4], now[j, 5] - now[i, 5]
        r = np.sqrt(dx * dx + dy * dy + dz * dz)
        torn += r > spring[b].breaking_length
        inverse = 1.0 / max(r, _TINY)
        opening = (dx * du + dy * dv + dz * dw) * inverse
        pull[b] = (spring[b].stiffness * (r - spring[b].length) + spring[b].damping * opening) * inverse
    return torn


@njit_no_refs
def mark_long_bonds(now: Floats, bond_node: ShortInts, spring: Records, long: Bools) -> None:
    """Mark the bonds (b,) that are too long: those that end a run of substeps."""
    for b in range(len(bond_node)):
        i, j = bond_node[b, 0], bond_node[b, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        long[b] = np.sqrt(dx * dx + dy * dy + dz * dz) > spring[b].breaking_length


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
def _flow_rest_lengths(now: Floats, bond_node: ShortInts, spring: Records, yield_strain: float, share: float) -> None:
    """Plastic flow: take a share of the strain beyond the yield strain out of the bonds, stretched or pressed.

    The lengths at which they break stay.
    """
    for b in range(len(bond_node)):
        if spring[b].stiffness == 0.0:
            continue
        i, j = bond_node[b, 0], bond_node[b, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        r, rest = np.sqrt(dx * dx + dy * dy + dz * dz), spring[b].length
        if r > rest * (1.0 + yield_strain):
            spring[b].length += share * (r / (1.0 + yield_strain) - rest)
        elif r < rest * (1.0 - yield_strain):
            spring[b].length += share * (r / (1.0 - yield_strain) - rest)


@device_no_refs
def _push_flat_cells(
    now: Floats, then: Floats, inverse_mass: Floats, cell_node: ShortInts, rows: Records, dt: float, moves: float
) -> None:
    """Pressure of cells, see `cell_volumes`; positions take part by `moves`, 0 or 1."""
    for c in range(len(cell_node)):
        bulk, flat = rows[c].bulk_energy, rows[c].flat_energy
        if bulk == 0.0 and flat == 0.0:
            continue
        ax = ay = az = bx = by = bz = cx = cy = cz = 0.0
        for k in range(8):
            i = cell_node[c, k]
            x, y, z = 0.25 * now[i, 0], 0.25 * now[i, 1], 0.25 * now[i, 2]
            s, t, u = 2.0 * (k & 1) - 1.0, 2.0 * (k >> 1 & 1) - 1.0, 2.0 * (k >> 2 & 1) - 1.0
            ax, ay, az = ax + s * x, ay + s * y, az + s * z
            bx, by, bz = bx + t * x, by + t * y, bz + t * z
            cx, cy, cz = cx + u * x, cy + u * y, cz + u * z
        px, py, pz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
        share = (ax * px + ay * py + az * pz) * rows[c].inverse_product
        push = bulk * (1.0 - share) + flat * max(FLAT_SHARE - share, 0.0)
        if push == 0.0:
            continue
        push *= 0.25 * rows[c].inverse_product
        qx, qy, qz = cy * az - cz * ay, cz * ax - cx * az, cx * ay - cy * ax
        rx, ry, rz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        for k in range(8):
            i = cell_node[c, k]
            s, t, u = 2.0 * (k & 1) - 1.0, 2.0 * (k >> 1 & 1) - 1.0, 2.0 * (k >> 2 & 1) - 1.0
            kick = push * inverse_mass[i] * dt
            du = kick * (s * px + t * qx + u * rx)
            dv = kick * (s * py + t * qy + u * ry)
            dw = kick * (s * pz + t * qz + u * rz)
            then[i, 3], then[i, 4], then[i, 5] = then[i, 3] + du, then[i, 4] + dv, then[i, 5] + dw
            move = moves * dt
            then[i, 0], then[i, 1], then[i, 2] = then[i, 0] + move * du, then[i, 1] + move * dv, then[i, 2] + move * dw


@device_no_refs
def _push_by_pairs(now: Floats, then: Floats, inverse_mass: Floats, node: Ints, pair: Records, numbers: Floats) -> None:
    """Repulsion and friction of nodes that are nearer to each other than they may be."""
    dt = numbers[DT]
    for k in range(len(node)):
        i, j = node[k, 0], node[k, 1]
        dx, dy, dz = now[j, 0] - now[i, 0], now[j, 1] - now[i, 1], now[j, 2] - now[i, 2]
        square = dx * dx + dy * dy + dz * dz
        if not 0.0 < square < pair[k].reach * pair[k].reach:
            continue
        r = np.sqrt(square)
        nx, ny, nz = dx / r, dy / r, dz / r
        vx, vy, vz = now[j, 3] - now[i, 3], now[j, 4] - now[i, 4], now[j, 5] - now[i, 5]
        closing = -(nx * vx + ny * vy + nz * vz)
        vx, vy, vz = vx + closing * nx, vy + closing * ny, vz + closing * nz
        size = np.sqrt(vx * vx + vy * vy + vz * vz)
        push, drag = contact_force(pair[k].reach - r, closing, size, pair[k].law, dt)
        fx, fy, fz = push * nx - drag * vx, push * ny - drag * vy, push * nz - drag * vz
        kick(then, j, inverse_mass[j] * dt, fx, fy, fz, numbers)
        kick(then, i, -inverse_mass[i] * dt, fx, fy, fz, numbers)
