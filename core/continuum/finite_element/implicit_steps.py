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
cloth simulation, 1998 (backward Euler by conjugate gradients); Mueller et al.: A robust method to extract the
rotational part of deformations, 2016, whose turn is made half as long again here, and so of the second order.
"""

from typing import NamedTuple

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
from .element_steps import ELEMENT_NUMBERS, INVERTED, LEAST_SHARE, PRESSED, SMALLEST_SHARE

#: Numbers after those of explicit steps: what part of the first residual may be left, and most iterations.
RESIDUAL_LEFT, MOST_ITERATIONS = ELEMENT_NUMBERS, ELEMENT_NUMBERS + 1
IMPLICIT_NUMBERS = ELEMENT_NUMBERS + 2  # all of them
_TURNS = 40  # of a rotation; from the one of the step before it takes 2 or 3, turned half around some 10
_TURN_LEFT = 1e-24  # square of the last turn [rad^2]
_TURN_LENGTH = 1.5  # of the published turn: exact to the first order where an element is hardly stretched
#: Square of the distance of F from R up to which K takes F: a stretch of 3/4, with a square above 1/2.
_MOST_STRETCH = 0.0625
_NO_STRETCH = 1e-9  # sum of stretches below which no way to turn is told from another
#: Rows of the room of work (6,n,3): forces, new velocities, residual, direction, its product; one over diagonals.
_FORCE, _NEW_VELOCITY, _RESIDUAL, _DIRECTION, _PRODUCT, _INVERSE_DIAGONAL = range(6)
WORK_ROWS = 6  # all of them


class TurningElements(NamedTuple):
    """Elements as implicit steps read them; frames are written."""

    node: Ints  #: (e,4)
    gradient: Floats  #: (e,4,3)
    modulus: Floats  #: (e,4) volume times lambda, 2 mu [J], phi, 2 psi [J s]
    quaternion: Floats  #: (e,4) of the frame of each element, w, x, y, z
    frame: Floats  #: (e,3,3) the same as a matrix
    tangent: Floats  #: (e,3,3) F at the start of the step, or the frame where F is far from it


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
        _turn_elements(now, elements, totals)
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
def _turn_elements(now: Floats, elements: TurningElements, totals: Floats) -> None:
    """Bring the frame of each element to the rotation nearest to F; count what is pressed flat or inside out."""
    pressed = inverted = 0
    for e in range(len(elements.node)):
        f0, f1, f2 = _deformation(now, elements.node[e], elements.gradient[e])
        q, r = elements.quaternion[e], elements.frame[e]
        for _ in range(_TURNS):
            _write_matrix(q, r)
            if _turn_towards(q, r, f0, f1, f2) < _TURN_LEFT:
                break
        _write_matrix(q, r)
        _choose_tangent(elements.tangent[e], r, f0, f1, f2)
        share = f0[0] * (f1[1] * f2[2] - f1[2] * f2[1]) + f0[1] * (f1[2] * f2[0] - f1[0] * f2[2])
        share += f0[2] * (f1[0] * f2[1] - f1[1] * f2[0])
        if share < LEAST_SHARE:
            pressed += 1
            inverted += share <= 0.0
            totals[SMALLEST_SHARE] = min(totals[SMALLEST_SHARE], share)
    totals[PRESSED], totals[INVERTED] = max(totals[PRESSED], pressed), max(totals[INVERTED], inverted)


@device_no_refs
def _deformation(
    value: Floats, node: Ints, gradient: Floats
) -> tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]:
    """The rows of dx/du of the first three columns (n,>=3) of a table of nodes."""
    xx = xy = xz = yx = yy = yz = zx = zy = zz = 0.0
    i = node[0]
    for k in range(1, 4):
        j, gx, gy, gz = node[k], gradient[k, 0], gradient[k, 1], gradient[k, 2]
        x, y, z = value[j, 0] - value[i, 0], value[j, 1] - value[i, 1], value[j, 2] - value[i, 2]
        xx, xy, xz = xx + x * gx, xy + x * gy, xz + x * gz
        yx, yy, yz = yx + y * gx, yy + y * gy, yz + y * gz
        zx, zy, zz = zx + z * gx, zy + z * gy, zz + z * gz
    return (xx, xy, xz), (yx, yy, yz), (zx, zy, zz)


@device_no_refs
def _write_matrix(q: Floats, r: Floats) -> None:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    r[0, 0], r[0, 1], r[0, 2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    r[1, 0], r[1, 1], r[1, 2] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    r[2, 0], r[2, 1], r[2, 2] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


@device_no_refs
def _turn_towards(
    q: Floats,
    r: Floats,
    f0: tuple[float, float, float],
    f1: tuple[float, float, float],
    f2: tuple[float, float, float],
) -> float:
    """Turn a quaternion by sum r_k x f_k/|sum r_k.f_k| over columns; the square of the turn [rad^2]."""
    x = y = z = along = 0.0
    for k in range(3):
        x += r[1, k] * f2[k] - r[2, k] * f1[k]
        y += r[2, k] * f0[k] - r[0, k] * f2[k]
        z += r[0, k] * f1[k] - r[1, k] * f0[k]
        along += r[0, k] * f0[k] + r[1, k] * f1[k] + r[2, k] * f2[k]
    half = 0.5 * _TURN_LENGTH / max(abs(along), _NO_STRETCH)
    x, y, z = half * x, half * y, half * z
    w0, x0, y0, z0 = q[0], q[1], q[2], q[3]
    w1, x1 = w0 - x * x0 - y * y0 - z * z0, x0 + x * w0 + y * z0 - z * y0
    y1, z1 = y0 + y * w0 + z * x0 - x * z0, z0 + z * w0 + x * y0 - y * x0
    length = np.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    q[0], q[1], q[2], q[3] = w1 / length, x1 / length, y1 / length, z1 / length
    return 4.0 * (x * x + y * y + z * z)


@device_no_refs
def _choose_tangent(
    tangent: Floats,
    r: Floats,
    f0: tuple[float, float, float],
    f1: tuple[float, float, float],
    f2: tuple[float, float, float],
) -> None:
    """F, with which what resists turns nothing; or the frame."""
    apart = 0.0
    for k in range(3):
        a, b, c = f0[k] - r[0, k], f1[k] - r[1, k], f2[k] - r[2, k]
        apart += a * a + b * b + c * c
    near = apart < _MOST_STRETCH
    for k in range(3):
        tangent[0, k] = f0[k] if near else r[0, k]
        tangent[1, k] = f1[k] if near else r[1, k]
        tangent[2, k] = f2[k] if near else r[2, k]


@device_no_refs
def _add_elastic_forces(now: Floats, elements: TurningElements, dt: float, total: Floats) -> None:
    """Add what elements resist with by where they are, times dt."""
    for e in range(len(elements.node)):
        node, gradient, modulus = elements.node[e], elements.gradient[e], elements.modulus[e]
        g = _deformation(now, node, gradient)
        _add_symmetric(total, node, gradient, elements.frame[e], g, (dt * modulus[0], dt * modulus[1], 1.0))


@device_no_refs
def _add_tangent_forces(velocity: Floats, elements: TurningElements, dt: float, total: Floats) -> None:
    """Add (dt C + dt^2 K) v."""
    for e in range(len(elements.node)):
        node, gradient, modulus = elements.node[e], elements.gradient[e], elements.modulus[e]
        g = _deformation(velocity, node, gradient)
        first, second = dt * (dt * modulus[0] + modulus[2]), dt * (dt * modulus[1] + modulus[3])
        _add_symmetric(total, node, gradient, elements.tangent[e], g, (first, second, 0.0))


@device_no_refs
def _add_symmetric(
    total: Floats,
    node: Ints,
    gradient: Floats,
    r: Floats,
    rows: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]],
    law: tuple[float, float, float],
) -> None:
    """Add r s B_i of the law s = first tr(e) I + second e, e = (r^T G + G^T r)/2 - rest I, of the rows of G."""
    g0, g1, g2 = rows
    first, second, rest = law
    half = 0.5 * second
    xx = r[0, 0] * g0[0] + r[1, 0] * g1[0] + r[2, 0] * g2[0] - rest
    yy = r[0, 1] * g0[1] + r[1, 1] * g1[1] + r[2, 1] * g2[1] - rest
    zz = r[0, 2] * g0[2] + r[1, 2] * g1[2] + r[2, 2] * g2[2] - rest
    yz = r[0, 1] * g0[2] + r[1, 1] * g1[2] + r[2, 1] * g2[2] + (r[0, 2] * g0[1] + r[1, 2] * g1[1] + r[2, 2] * g2[1])
    xz = r[0, 0] * g0[2] + r[1, 0] * g1[2] + r[2, 0] * g2[2] + (r[0, 2] * g0[0] + r[1, 2] * g1[0] + r[2, 2] * g2[0])
    xy = r[0, 0] * g0[1] + r[1, 0] * g1[1] + r[2, 0] * g2[1] + (r[0, 1] * g0[0] + r[1, 1] * g1[0] + r[2, 1] * g2[0])
    even = first * (xx + yy + zz)
    xx, yy, zz = even + second * xx, even + second * yy, even + second * zz
    yz, xz, xy = half * yz, half * xz, half * xy
    for axis in range(3):
        a, b, c = r[axis, 0], r[axis, 1], r[axis, 2]
        p, q, s = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, a * xz + b * yz + c * zz
        of_first = 0.0
        for k in range(1, 4):
            part = p * gradient[k, 0] + q * gradient[k, 1] + s * gradient[k, 2]
            total[node[k], axis] += part
            of_first -= part
        total[node[0], axis] += of_first


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
    _add_elastic_forces(now, elements, dt, force)
    _add_tangent_forces(velocity, elements, dt, force)
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
    for e in range(len(elements.node)):
        modulus, g = elements.modulus[e], elements.gradient[e]
        first = dt * dt * modulus[0] + dt * modulus[2]
        second = dt * dt * modulus[1] + dt * modulus[3]
        for k in range(4):
            square = g[k, 0] * g[k, 0] + g[k, 1] * g[k, 1] + g[k, 2] * g[k, 2]
            inverse[elements.node[e, k], 0] += square * (first + 2.0 * second) / 3.0
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
        _add_tangent_forces(direction, elements, dt, product)
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
