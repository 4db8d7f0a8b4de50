"""The loop over substeps of elements, compiled: strain, stress, forces, what is in the way, and the step.

A substep reads one copy of the motion and writes the other. Elements are worked on in blocks: ends of edges are
gathered, forces are found for all of the block at once, then added at nodes in the order of elements. No term changes
its place by how many an instruction takes, so all processors find the same bits.

O'Brien, Hodgins 1999: strain (1), its rate (3), stress (4, 7, 8), force (24, 26). An element that is pressed below
`LEAST_SHARE` of its volume V also resists by the energy 1/2 V (lambda + 2 mu) (LEAST_SHARE - J)^2, J = det F: by
itself it would give way from there on, and be stable inside out (docs/papers/obrien1999.md, 4.4).
"""

import numpy as np

from ...jit import device_no_refs, njit_no_refs
from ...types import Floats, Ints
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
    push_by_surfaces,
)
from .element_blocks import (
    ELEMENT_BLOCK,
    FIRST_DAMPING,
    FIRST_MODULUS,
    SECOND_DAMPING,
    SECOND_MODULUS,
    VOLUME_ENERGY,
    BlockInts,
)
from .linear_laws import LAW_COLUMN, LAW_ROW

#: Of its volume, below which an element resists more than (24): 1/sqrt(3), at which it is weakest pressed along one
#: line. With a modulus of lambda + 2 mu beside it the force never falls again, by d2W/ds2 = M (3 s^2 - 1)/2 + M > 0.
LEAST_SHARE = 0.5773502691896258
#: Numbers of a step: those of `plane_contacts`.
ELEMENT_NUMBERS = 11
#: Totals after those of `plane_contacts`: most elements that were below LEAST_SHARE of their volume in one substep,
#: most that were inside out, and the smallest share of its volume that one had, if below.
PRESSED, INVERTED, SMALLEST_SHARE = 8, 9, 10
ELEMENT_TOTALS = 11  # all of them
#: Rows of the room in which a block is worked on: three edges, each followed by its rate (18); forces on the second to
#: fourth node, and the share of its volume that each element has (10).
EDGE_ROWS, FORCE_ROWS = 18, 10
_SHARE = 9 * ELEMENT_BLOCK  # where those shares begin
#: Where F, its rate, strain and its rate, and stress begin in the room of edges, for an element of any law.
_F, _D, _E, _S = 0, 9, 18, 30


@njit_no_refs
def run_element_steps(
    motion: Floats,
    blocks: tuple[BlockInts, Floats, Ints, Floats],
    nodes: tuple[Floats, Floats],
    surfaces: tuple[Ints, Floats],
    room: tuple[Floats, Floats, Floats],
    numbers: Floats,
    totals: Floats,
    row: int,
    most: int,
) -> int:
    """Up to `most` substeps from `motion[row]`; motion (2,n,6) has positions and velocities.

    `blocks`: see ElementBlocks. `nodes`: inverse masses (n,), 0 for what is held or led; forces from outside (n,3) or
    none (0,3). `surfaces`: nodes (s,) and planes (s,11) in their ways. `room`: of the work, (n,3), edges, forces.
    It ends when nodes may have gone farther than the window allows. Returns how many substeps were done.
    """
    inverse_mass, outside = nodes
    force, edges, corner_force = room
    dt = numbers[DT]
    for k in range(most):
        now, then = motion[row], motion[1 - row]
        _begin_forces(force, outside)
        _add_element_forces(now, blocks[0], blocks[1], edges, corner_force, force, totals)
        _add_law_forces(now, blocks, edges, force)
        fastest, aside = _move_nodes(now, then, inverse_mass, force, numbers)
        push_by_surfaces(now, then, inverse_mass, surfaces[0], surfaces[1], numbers, totals)
        row = 1 - row
        totals[ELAPSED] += dt
        totals[WAY] += (np.sqrt(fastest) + numbers[SURFACE_SPEED]) * dt
        totals[WAY_ASIDE] += np.sqrt(aside) * dt
        if totals[WAY] > numbers[MOST_WAY] or totals[WAY_ASIDE] > numbers[MOST_WAY_ASIDE]:
            return k + 1
    return most


@device_no_refs
def _begin_forces(force: Floats, outside: Floats) -> None:
    """Forces from outside, or none."""
    given = len(outside) == len(force)
    for i in range(len(force)):
        for c in range(3):
            force[i, c] = outside[i, c] if given else 0.0


@device_no_refs
def _add_element_forces(
    now: Floats, node: BlockInts, rows: Floats, edges: Floats, corner_force: Floats, force: Floats, totals: Floats
) -> None:
    """Add the forces of all elements, block by block."""
    pressed = inverted = 0
    for b in range(len(rows)):
        _gather_edges(now, node[b], edges)
        _find_forces(rows[b], edges, corner_force)
        for p in range(ELEMENT_BLOCK):
            share = corner_force[_SHARE + p]
            if share < LEAST_SHARE and rows[b, VOLUME_ENERGY * ELEMENT_BLOCK + p] > 0.0:
                _resist_flattening(rows[b], edges, corner_force, p, share)
                pressed += 1
                inverted += share <= 0.0
                totals[SMALLEST_SHARE] = min(totals[SMALLEST_SHARE], share)
        add_at_nodes(node[b], corner_force, force)
    totals[PRESSED] = max(totals[PRESSED], pressed)
    totals[INVERTED] = max(totals[INVERTED], inverted)


@device_no_refs
def _gather_edges(now: Floats, node: BlockInts, edges: Floats) -> None:
    """Edges from the first node of each element, and their rates."""
    for p in range(ELEMENT_BLOCK):
        i0, i1, i2, i3 = node[p], node[ELEMENT_BLOCK + p], node[2 * ELEMENT_BLOCK + p], node[3 * ELEMENT_BLOCK + p]
        for c in range(6):
            start = now[i0, c]
            edges[c * ELEMENT_BLOCK + p] = now[i1, c] - start
            edges[(6 + c) * ELEMENT_BLOCK + p] = now[i2, c] - start
            edges[(12 + c) * ELEMENT_BLOCK + p] = now[i3, c] - start


@device_no_refs
def _find_forces(row: Floats, edges: Floats, force: Floats) -> None:
    """Forces on the second to fourth node of each element, and det F.

    Letters: g gradients, f of (21), d of (22), e strain (1), n its rate (3), s half the volume times the stress (4).
    """
    for p in range(ELEMENT_BLOCK):
        g0x, g0y, g0z = row[p], row[ELEMENT_BLOCK + p], row[2 * ELEMENT_BLOCK + p]
        g1x, g1y, g1z = row[3 * ELEMENT_BLOCK + p], row[4 * ELEMENT_BLOCK + p], row[5 * ELEMENT_BLOCK + p]
        g2x, g2y, g2z = row[6 * ELEMENT_BLOCK + p], row[7 * ELEMENT_BLOCK + p], row[8 * ELEMENT_BLOCK + p]
        a, b, c = edges[p], edges[6 * ELEMENT_BLOCK + p], edges[12 * ELEMENT_BLOCK + p]
        fxx = a * g0x + b * g1x + c * g2x
        fxy = a * g0y + b * g1y + c * g2y
        fxz = a * g0z + b * g1z + c * g2z
        a, b, c = edges[ELEMENT_BLOCK + p], edges[7 * ELEMENT_BLOCK + p], edges[13 * ELEMENT_BLOCK + p]
        fyx = a * g0x + b * g1x + c * g2x
        fyy = a * g0y + b * g1y + c * g2y
        fyz = a * g0z + b * g1z + c * g2z
        a, b, c = edges[2 * ELEMENT_BLOCK + p], edges[8 * ELEMENT_BLOCK + p], edges[14 * ELEMENT_BLOCK + p]
        fzx = a * g0x + b * g1x + c * g2x
        fzy = a * g0y + b * g1y + c * g2y
        fzz = a * g0z + b * g1z + c * g2z
        exx = fxx * fxx + fyx * fyx + fzx * fzx - 1.0
        eyy = fxy * fxy + fyy * fyy + fzy * fzy - 1.0
        ezz = fxz * fxz + fyz * fyz + fzz * fzz - 1.0
        eyz = fxy * fxz + fyy * fyz + fzy * fzz
        exz = fxx * fxz + fyx * fyz + fzx * fzz
        exy = fxx * fxy + fyx * fyy + fzx * fzy
        a, b, c = edges[3 * ELEMENT_BLOCK + p], edges[9 * ELEMENT_BLOCK + p], edges[15 * ELEMENT_BLOCK + p]
        dxx = a * g0x + b * g1x + c * g2x
        dxy = a * g0y + b * g1y + c * g2y
        dxz = a * g0z + b * g1z + c * g2z
        a, b, c = edges[4 * ELEMENT_BLOCK + p], edges[10 * ELEMENT_BLOCK + p], edges[16 * ELEMENT_BLOCK + p]
        dyx = a * g0x + b * g1x + c * g2x
        dyy = a * g0y + b * g1y + c * g2y
        dyz = a * g0z + b * g1z + c * g2z
        a, b, c = edges[5 * ELEMENT_BLOCK + p], edges[11 * ELEMENT_BLOCK + p], edges[17 * ELEMENT_BLOCK + p]
        dzx = a * g0x + b * g1x + c * g2x
        dzy = a * g0y + b * g1y + c * g2y
        dzz = a * g0z + b * g1z + c * g2z
        nxx = 2.0 * (fxx * dxx + fyx * dyx + fzx * dzx)
        nyy = 2.0 * (fxy * dxy + fyy * dyy + fzy * dzy)
        nzz = 2.0 * (fxz * dxz + fyz * dyz + fzz * dzz)
        nyz = (fxy * dxz + fyy * dyz + fzy * dzz) + (fxz * dxy + fyz * dyy + fzz * dzy)
        nxz = (fxx * dxz + fyx * dyz + fzx * dzz) + (fxz * dxx + fyz * dyx + fzz * dzx)
        nxy = (fxx * dxy + fyx * dyy + fzx * dzy) + (fxy * dxx + fyy * dyx + fzy * dzx)
        first, second = row[FIRST_MODULUS * ELEMENT_BLOCK + p], row[SECOND_MODULUS * ELEMENT_BLOCK + p]
        drag, shear = row[FIRST_DAMPING * ELEMENT_BLOCK + p], row[SECOND_DAMPING * ELEMENT_BLOCK + p]
        even = first * (exx + eyy + ezz) + drag * (nxx + nyy + nzz)
        sxx = even + (second * exx + shear * nxx)
        syy = even + (second * eyy + shear * nyy)
        szz = even + (second * ezz + shear * nzz)
        syz = second * eyz + shear * nyz
        sxz = second * exz + shear * nxz
        sxy = second * exy + shear * nxy
        a, b, c = (
            fxx * sxx + fxy * sxy + fxz * sxz,
            fxx * sxy + fxy * syy + fxz * syz,
            fxx * sxz + fxy * syz + fxz * szz,
        )
        force[p] = -(a * g0x + b * g0y + c * g0z)
        force[3 * ELEMENT_BLOCK + p] = -(a * g1x + b * g1y + c * g1z)
        force[6 * ELEMENT_BLOCK + p] = -(a * g2x + b * g2y + c * g2z)
        a, b, c = (
            fyx * sxx + fyy * sxy + fyz * sxz,
            fyx * sxy + fyy * syy + fyz * syz,
            fyx * sxz + fyy * syz + fyz * szz,
        )
        force[ELEMENT_BLOCK + p] = -(a * g0x + b * g0y + c * g0z)
        force[4 * ELEMENT_BLOCK + p] = -(a * g1x + b * g1y + c * g1z)
        force[7 * ELEMENT_BLOCK + p] = -(a * g2x + b * g2y + c * g2z)
        a, b, c = (
            fzx * sxx + fzy * sxy + fzz * sxz,
            fzx * sxy + fzy * syy + fzz * syz,
            fzx * sxz + fzy * syz + fzz * szz,
        )
        force[2 * ELEMENT_BLOCK + p] = -(a * g0x + b * g0y + c * g0z)
        force[5 * ELEMENT_BLOCK + p] = -(a * g1x + b * g1y + c * g1z)
        force[8 * ELEMENT_BLOCK + p] = -(a * g2x + b * g2y + c * g2z)
        cross = fxx * (fyy * fzz - fyz * fzy) + fxy * (fyz * fzx - fyx * fzz)
        force[_SHARE + p] = cross + fxz * (fyx * fzy - fyy * fzx)


@device_no_refs
def _resist_flattening(row: Floats, edges: Floats, force: Floats, p: int, share: float) -> None:
    """Add the force of an element's volume: f = V (lambda + 2 mu) (LEAST_SHARE - J) dJ/dx."""
    push = row[VOLUME_ENERGY * ELEMENT_BLOCK + p] * (LEAST_SHARE - share)
    # dJ/dx of three corners, from the edges a, b, c: J det[a b c](rest) = det[a b c], so these are faces now over six
    # volumes then, and that is det of the three gradients.
    scale = push * _six_volume_inverse(row, p)
    for i in range(3):
        j, k = 6 * ((i + 1) % 3), 6 * ((i + 2) % 3)
        ax, ay, az = (
            edges[j * ELEMENT_BLOCK + p],
            edges[(j + 1) * ELEMENT_BLOCK + p],
            edges[(j + 2) * ELEMENT_BLOCK + p],
        )
        bx, by, bz = (
            edges[k * ELEMENT_BLOCK + p],
            edges[(k + 1) * ELEMENT_BLOCK + p],
            edges[(k + 2) * ELEMENT_BLOCK + p],
        )
        force[3 * i * ELEMENT_BLOCK + p] += scale * (ay * bz - az * by)
        force[(3 * i + 1) * ELEMENT_BLOCK + p] += scale * (az * bx - ax * bz)
        force[(3 * i + 2) * ELEMENT_BLOCK + p] += scale * (ax * by - ay * bx)


@device_no_refs
def _six_volume_inverse(row: Floats, p: int) -> float:
    """One over six volumes of an element at rest: the determinant of three gradients [1/m^3]."""
    ax, ay, az = row[p], row[ELEMENT_BLOCK + p], row[2 * ELEMENT_BLOCK + p]
    bx, by, bz = row[3 * ELEMENT_BLOCK + p], row[4 * ELEMENT_BLOCK + p], row[5 * ELEMENT_BLOCK + p]
    cx, cy, cz = row[6 * ELEMENT_BLOCK + p], row[7 * ELEMENT_BLOCK + p], row[8 * ELEMENT_BLOCK + p]
    inverse: float = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    return inverse


@device_no_refs
def add_at_nodes(node: BlockInts, corner_force: Floats, force: Floats) -> None:
    """Add the forces of a block; those of an element have no sum."""
    for p in range(ELEMENT_BLOCK):
        i0, i1, i2, i3 = node[p], node[ELEMENT_BLOCK + p], node[2 * ELEMENT_BLOCK + p], node[3 * ELEMENT_BLOCK + p]
        for c in range(3):
            a, b, d = (
                corner_force[c * ELEMENT_BLOCK + p],
                corner_force[(3 + c) * ELEMENT_BLOCK + p],
                corner_force[(6 + c) * ELEMENT_BLOCK + p],
            )
            force[i0, c] -= a + b + d
            force[i1, c] += a
            force[i2, c] += b
            force[i3, c] += d


@device_no_refs
def _add_law_forces(now: Floats, blocks: tuple[BlockInts, Floats, Ints, Floats], room: Floats, force: Floats) -> None:
    """Add the forces of elements of any linear law: -F s B_i, s of six numbers."""
    nodes, rows, element, law = blocks
    for k in range(len(element)):
        b, p = element[k] // ELEMENT_BLOCK, element[k] % ELEMENT_BLOCK
        i0 = nodes[b, p]
        for axis in range(3):
            for c in range(3):
                f = d = 0.0
                for i in range(3):
                    j, g = nodes[b, (i + 1) * ELEMENT_BLOCK + p], rows[b, (3 * i + c) * ELEMENT_BLOCK + p]
                    f, d = f + (now[j, axis] - now[i0, axis]) * g, d + (now[j, 3 + axis] - now[i0, 3 + axis]) * g
                room[_F + 3 * axis + c], room[_D + 3 * axis + c] = f, d
        _write_law_stress(law[k], room)
        for axis in range(3):
            for i in range(3):
                part = 0.0
                for c in range(3):
                    pull = 0.0
                    for a in range(3):
                        pull += room[_F + 3 * axis + a] * room[_S + 3 * a + c]
                    part += pull * rows[b, (3 * i + c) * ELEMENT_BLOCK + p]
                force[nodes[b, (i + 1) * ELEMENT_BLOCK + p], axis] -= part
                force[i0, axis] += part


@device_no_refs
def _write_law_stress(law: Floats, room: Floats) -> None:
    """Write s as a matrix, of F and its rate that are in the room, by both laws (2,6,6)."""
    for n in range(6):
        a, b = LAW_ROW[n], LAW_COLUMN[n]
        strain, rate = -1.0 if a == b else 0.0, 0.0
        for axis in range(3):
            fa, fb = room[_F + 3 * axis + a], room[_F + 3 * axis + b]
            strain += fa * fb
            rate += fa * room[_D + 3 * axis + b] + room[_D + 3 * axis + a] * fb
        twice = 1.0 if a == b else 2.0
        room[_E + n], room[_E + 6 + n] = twice * strain, twice * rate
    for n in range(6):
        s = 0.0
        for m in range(6):
            s += law[0, n, m] * room[_E + m] + law[1, n, m] * room[_E + 6 + m]
        room[_S + 3 * LAW_ROW[n] + LAW_COLUMN[n]] = room[_S + 3 * LAW_COLUMN[n] + LAW_ROW[n]] = s


@device_no_refs
def _move_nodes(now: Floats, then: Floats, inverse_mass: Floats, force: Floats, numbers: Floats) -> tuple[float, float]:
    """Write the motion `then`; the squares of the top speed, and of that beside the whole."""
    dt, late = numbers[DT], numbers[LATENESS]
    fastest = aside = 0.0
    for i in range(len(now)):
        share = inverse_mass[i] * dt
        free = dt if share > 0.0 else 0.0
        speed = beside = 0.0
        for c in range(3):
            u = now[i, 3 + c]
            u1 = u + (share * force[i, c] + free * numbers[GRAVITY + c])
            then[i, 3 + c] = u1
            then[i, c] = now[i, c] + dt * (late * u + (1.0 - late) * u1)
            speed += u1 * u1
            beside += (u1 - numbers[MEAN_VELOCITY + c]) * (u1 - numbers[MEAN_VELOCITY + c])
        fastest, aside = max(fastest, speed), max(aside, beside)
    return fastest, aside
