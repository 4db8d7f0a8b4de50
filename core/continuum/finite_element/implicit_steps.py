"""Implicit steps of elements: linear in the frame that turns with each element, backward Euler, conjugate gradients.

For slow or soft shots, in which waves do not matter: the step is as long as what is to be seen, not as an element is
small, and what is faster than it is damped away. With the rotation R nearest to F, an element is as a linear one that
has been turned: strain e = (R^T F + F^T R)/2 - I, stress s = lambda tr(e) I + 2 mu e, forces -vol R s B, which is (24)
to the first order in strain. New velocities w solve

    (M + dt C + dt^2 K) w = M v + dt f(x),    x' = x + dt w

C is the damping of (26), and K the same with lambda and mu: both resist by vol F s B the strain (F^T W + W^T F)/2 of
the rate W = dw/du, so like f they do not turn the whole, and both momenta are kept to what iterations leave. Where F is
far from R, R is taken in place of F: K must not be less than half of how f changes, or long steps are not stable. The
matrices are never made: elements are gone through instead. Sums run in the order of elements and nodes.

Limitation: what is strained by more than a fourth gains or loses angular momentum.

References: Mueller, Gross: Interactive virtual materials, 2004 (stiffness that turns); Baraff, Witkin: Large steps in
cloth simulation, 1998 (backward Euler by conjugate gradients).
"""

import numpy as np

from ...jit import device_no_refs, njit_no_refs
from ...types import Floats, Ints
from ..plane_contacts import (
    DT,
    ELAPSED,
    GRAVITY,
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
)
from .element_steps import ELEMENT_NUMBERS, add_at_nodes
from .turning_elements import TurningElements, turn_elements

#: Numbers after those of explicit steps: what part of the first residual may be left, and most iterations.
RESIDUAL_LEFT, MOST_ITERATIONS = ELEMENT_NUMBERS, ELEMENT_NUMBERS + 1
IMPLICIT_NUMBERS = ELEMENT_NUMBERS + 2  # all of them
#: Rows of the room of work (6,n,3): forces, new velocities, residual, direction, its product; one over diagonals.
_FORCE, _NEW_VELOCITY, _RESIDUAL, _DIRECTION, _PRODUCT, _INVERSE_DIAGONAL = range(6)
WORK_ROWS = 6  # all of them


@njit_no_refs
def run_implicit_steps(
    motion: Floats,
    elements: TurningElements,
    nodes: tuple[Floats, Floats, Floats],
    surfaces: tuple[Ints, Floats],
    work: Floats,
    numbers: Floats,
    totals: Floats,
    row: int,
    most: int,
) -> tuple[int, int]:
    """Up to `most` steps from `motion[row]` (2,n,6), as `run_element_steps` does.

    `nodes`: masses (n,); inverse masses (n,), 0 for what is held or led; forces from outside (n,3) or none (0,3).
    Returns how many steps were made, and the most iterations of one: -1 where one did not come to its end.
    """
    mass, inverse_mass = nodes[0], nodes[1]
    dt, worst = numbers[DT], 0
    for k in range(most):
        now, then = motion[row], motion[1 - row]
        turn_elements(now, elements, totals)
        _begin_step(now, elements, nodes, work, numbers)
        made = _solve(elements, mass, work, numbers)
        if made < 0:
            return k, -1
        worst = max(worst, made)
        fastest, aside = _write_motion(now, then, work[_NEW_VELOCITY], numbers)
        push_by_surfaces(now, then, inverse_mass, surfaces[0], surfaces[1], numbers, totals)
        row = 1 - row
        totals[ELAPSED] += dt
        totals[WAY] += (np.sqrt(fastest) + numbers[SURFACE_SPEED]) * dt
        totals[WAY_ASIDE] += np.sqrt(aside) * dt
        if totals[WAY] > numbers[MOST_WAY] or totals[WAY_ASIDE] > numbers[MOST_WAY_ASIDE]:
            return k + 1, worst
    return most, worst


@device_no_refs
def _add_resistance(
    value: Floats, elements: TurningElements, turned: Floats, of_stiffness: float, of_damping: float, rest: float,
    total: Floats,
) -> None:  # fmt: skip
    """Add vol r s B_i to what is in `total`, block by block, of values (n,>=3) at nodes; see `_find_resistance`."""
    for b in range(len(elements.row)):
        node, edges = elements.node[b], elements.edges
        for p in range(ELEMENT_BLOCK):
            i0, i1, i2 = node[p], node[ELEMENT_BLOCK + p], node[2 * ELEMENT_BLOCK + p]
            i3 = node[3 * ELEMENT_BLOCK + p]
            for axis in range(3):
                start = value[i0, axis]
                edges[axis * ELEMENT_BLOCK + p] = value[i1, axis] - start
                edges[(3 + axis) * ELEMENT_BLOCK + p] = value[i2, axis] - start
                edges[(6 + axis) * ELEMENT_BLOCK + p] = value[i3, axis] - start
        _find_resistance(elements.row[b], turned[b], edges, elements.corner_force, of_stiffness, of_damping, rest)
        add_at_nodes(node, elements.corner_force, total)


@device_no_refs
def _find_resistance(
    row: Floats, r: Floats, edges: Floats, force: Floats, of_stiffness: float, of_damping: float, rest: float
) -> None:
    """Vol r s B_i of s = first tr(e) I + second e, e = (r^T G + G^T r)/2 - rest I, for a block: G of the edges."""
    for p in range(ELEMENT_BLOCK):
        g0x, g0y, g0z = row[p], row[ELEMENT_BLOCK + p], row[2 * ELEMENT_BLOCK + p]
        g1x, g1y, g1z = row[3 * ELEMENT_BLOCK + p], row[4 * ELEMENT_BLOCK + p], row[5 * ELEMENT_BLOCK + p]
        g2x, g2y, g2z = row[6 * ELEMENT_BLOCK + p], row[7 * ELEMENT_BLOCK + p], row[8 * ELEMENT_BLOCK + p]
        rxx, rxy, rxz = r[p], r[ELEMENT_BLOCK + p], r[2 * ELEMENT_BLOCK + p]
        ryx, ryy, ryz = r[3 * ELEMENT_BLOCK + p], r[4 * ELEMENT_BLOCK + p], r[5 * ELEMENT_BLOCK + p]
        rzx, rzy, rzz = r[6 * ELEMENT_BLOCK + p], r[7 * ELEMENT_BLOCK + p], r[8 * ELEMENT_BLOCK + p]
        a, b, c = edges[p], edges[3 * ELEMENT_BLOCK + p], edges[6 * ELEMENT_BLOCK + p]
        dxx = a * g0x + b * g1x + c * g2x
        dxy = a * g0y + b * g1y + c * g2y
        dxz = a * g0z + b * g1z + c * g2z
        a, b, c = edges[ELEMENT_BLOCK + p], edges[4 * ELEMENT_BLOCK + p], edges[7 * ELEMENT_BLOCK + p]
        dyx = a * g0x + b * g1x + c * g2x
        dyy = a * g0y + b * g1y + c * g2y
        dyz = a * g0z + b * g1z + c * g2z
        a, b, c = edges[2 * ELEMENT_BLOCK + p], edges[5 * ELEMENT_BLOCK + p], edges[8 * ELEMENT_BLOCK + p]
        dzx = a * g0x + b * g1x + c * g2x
        dzy = a * g0y + b * g1y + c * g2y
        dzz = a * g0z + b * g1z + c * g2z
        exx = rxx * dxx + ryx * dyx + rzx * dzx - rest
        eyy = rxy * dxy + ryy * dyy + rzy * dzy - rest
        ezz = rxz * dxz + ryz * dyz + rzz * dzz - rest
        eyz = (rxy * dxz + ryy * dyz + rzy * dzz) + (rxz * dxy + ryz * dyy + rzz * dzy)
        exz = (rxx * dxz + ryx * dyz + rzx * dzz) + (rxz * dxx + ryz * dyx + rzz * dzx)
        exy = (rxx * dxy + ryx * dyy + rzx * dzy) + (rxy * dxx + ryy * dyx + rzy * dzx)
        first = (
            of_stiffness * row[FIRST_MODULUS * ELEMENT_BLOCK + p] + of_damping * row[FIRST_DAMPING * ELEMENT_BLOCK + p]
        )
        half = (
            of_stiffness * row[SECOND_MODULUS * ELEMENT_BLOCK + p]
            + of_damping * row[SECOND_DAMPING * ELEMENT_BLOCK + p]
        )
        even = 2.0 * first * (exx + eyy + ezz)
        sxx = even + 2.0 * half * exx
        syy = even + 2.0 * half * eyy
        szz = even + 2.0 * half * ezz
        syz = half * eyz
        sxz = half * exz
        sxy = half * exy
        a = rxx * sxx + rxy * sxy + rxz * sxz
        b = rxx * sxy + rxy * syy + rxz * syz
        c = rxx * sxz + rxy * syz + rxz * szz
        force[p] = a * g0x + b * g0y + c * g0z
        force[3 * ELEMENT_BLOCK + p] = a * g1x + b * g1y + c * g1z
        force[6 * ELEMENT_BLOCK + p] = a * g2x + b * g2y + c * g2z
        a = ryx * sxx + ryy * sxy + ryz * sxz
        b = ryx * sxy + ryy * syy + ryz * syz
        c = ryx * sxz + ryy * syz + ryz * szz
        force[ELEMENT_BLOCK + p] = a * g0x + b * g0y + c * g0z
        force[4 * ELEMENT_BLOCK + p] = a * g1x + b * g1y + c * g1z
        force[7 * ELEMENT_BLOCK + p] = a * g2x + b * g2y + c * g2z
        a = rzx * sxx + rzy * sxy + rzz * sxz
        b = rzx * sxy + rzy * syy + rzz * syz
        c = rzx * sxz + rzy * syz + rzz * szz
        force[2 * ELEMENT_BLOCK + p] = a * g0x + b * g0y + c * g0z
        force[5 * ELEMENT_BLOCK + p] = a * g1x + b * g1y + c * g1z
        force[8 * ELEMENT_BLOCK + p] = a * g2x + b * g2y + c * g2z


@device_no_refs
def _begin_step(
    now: Floats, elements: TurningElements, nodes: tuple[Floats, Floats, Floats], work: Floats, numbers: Floats
) -> None:
    """Begin the iteration at the velocities that are there: write these, the residual, the diagonal, no direction."""
    mass, inverse_mass, outside = nodes
    dt, force, velocity, residual = numbers[DT], work[_FORCE], work[_NEW_VELOCITY], work[_RESIDUAL]
    given = len(outside) == len(mass)
    for i in range(len(mass)):
        for axis in range(3):
            push = outside[i, axis] if given else 0.0
            residual[i, axis] = dt * (push + mass[i] * numbers[GRAVITY + axis])
            velocity[i, axis] = now[i, 3 + axis]
            work[_DIRECTION, i, axis] = 0.0
            force[i, axis] = 0.0
    # dt f(x) - (dt C + dt^2 K) v: what is left of the equations at w = v.
    _add_resistance(now, elements, elements.frame, dt, 0.0, 1.0, force)
    _add_resistance(velocity, elements, elements.tangent, dt * dt, dt, 0.0, force)
    _write_diagonal(elements, mass, work[_INVERSE_DIAGONAL], dt)
    for i in range(len(mass)):
        for axis in range(3):
            free = inverse_mass[i] > 0.0
            residual[i, axis] = residual[i, axis] - force[i, axis] if free else 0.0
            if not free:
                work[_INVERSE_DIAGONAL, i, axis] = 0.0


@device_no_refs
def _write_diagonal(elements: TurningElements, mass: Floats, inverse: Floats, dt: float) -> None:
    """One over the mean of the three numbers of each node on the diagonal, which no turn changes."""
    for i in range(len(mass)):
        inverse[i, 0] = mass[i]
    for b in range(len(elements.row)):
        row = elements.row[b]
        for p in range(ELEMENT_BLOCK):
            first = dt * dt * row[FIRST_MODULUS * ELEMENT_BLOCK + p] + dt * row[FIRST_DAMPING * ELEMENT_BLOCK + p]
            second = dt * dt * row[SECOND_MODULUS * ELEMENT_BLOCK + p] + dt * row[SECOND_DAMPING * ELEMENT_BLOCK + p]
            square = 0.0
            for c in range(3):
                x, y = row[c * ELEMENT_BLOCK + p], row[(3 + c) * ELEMENT_BLOCK + p]
                z = row[(6 + c) * ELEMENT_BLOCK + p]
                square += (x + y + z) * (x + y + z)
            inverse[elements.node[b, p], 0] += square * (2.0 * first + 4.0 * second) / 3.0
            for k in range(3):
                x, y = row[3 * k * ELEMENT_BLOCK + p], row[(3 * k + 1) * ELEMENT_BLOCK + p]
                z = row[(3 * k + 2) * ELEMENT_BLOCK + p]
                share = (x * x + y * y + z * z) * (2.0 * first + 4.0 * second) / 3.0
                inverse[elements.node[b, (k + 1) * ELEMENT_BLOCK + p], 0] += share
    for i in range(len(mass)):
        inverse[i, 0] = inverse[i, 1] = inverse[i, 2] = 1.0 / inverse[i, 0] if inverse[i, 0] > 0.0 else 0.0


@device_no_refs
def _solve(elements: TurningElements, mass: Floats, work: Floats, numbers: Floats) -> int:
    """Conjugate gradients; how many iterations, or -1 where they were not enough."""
    dt, velocity, residual = numbers[DT], work[_NEW_VELOCITY], work[_RESIDUAL]
    direction, product, inverse = work[_DIRECTION], work[_PRODUCT], work[_INVERSE_DIAGONAL]
    size = _weighted_square(residual, inverse)
    enough, before = size * numbers[RESIDUAL_LEFT] * numbers[RESIDUAL_LEFT], np.inf
    for made in range(int(numbers[MOST_ITERATIONS])):
        if not size > enough:
            return made
        share = size / before
        for i in range(len(mass)):
            for axis in range(3):
                direction[i, axis] = inverse[i, axis] * residual[i, axis] + share * direction[i, axis]
                product[i, axis] = mass[i] * direction[i, axis]
        _add_resistance(direction, elements, elements.tangent, dt * dt, dt, 0.0, product)
        curved = 0.0
        for i in range(len(mass)):
            for axis in range(3):
                curved += direction[i, axis] * product[i, axis]
        step, before = size / curved, size
        for i in range(len(mass)):
            for axis in range(3):
                velocity[i, axis] += step * direction[i, axis]
                residual[i, axis] -= step * product[i, axis] if inverse[i, axis] > 0.0 else 0.0
        size = _weighted_square(residual, inverse)
    return -1


@device_no_refs
def _weighted_square(residual: Floats, inverse: Floats) -> float:
    """The square of the residual, by the diagonal."""
    total = 0.0
    for i in range(len(residual)):
        for axis in range(3):
            total += inverse[i, axis] * residual[i, axis] * residual[i, axis]
    return total


@device_no_refs
def _write_motion(now: Floats, then: Floats, velocity: Floats, numbers: Floats) -> tuple[float, float]:
    """The step by new velocities; the squares of the top speed, and of that beside the whole."""
    fastest = aside = 0.0
    for i in range(len(now)):
        speed = beside = 0.0
        for axis in range(3):
            u = velocity[i, axis]
            then[i, axis], then[i, 3 + axis] = now[i, axis] + numbers[DT] * u, u
            speed += u * u
            beside += (u - numbers[MEAN_VELOCITY + axis]) * (u - numbers[MEAN_VELOCITY + axis])
        fastest, aside = max(fastest, speed), max(aside, beside)
    return fastest, aside
