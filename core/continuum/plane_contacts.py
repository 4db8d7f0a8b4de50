"""What is in the way of nodes as planes, one for each node and window: penalty, or a hard stop, and friction.

A plane moves with a velocity of its own, so that ground and moving colliders are the same. Kernels that step motions
(n,6) of positions and velocities call these parts after the step is made of all other forces.
"""

import numpy as np

from ..jit import device_no_refs
from ..types import Floats, Ints

#: Columns of the surfaces (s,11) in the way of some nodes: unit normal n, offset c and velocity w of a plane, n.x = c
#: at the start of the window, stiffness [N/m], damping [N s/m], friction, mass of the node [kg].
SURFACE_NORMAL, SURFACE_OFFSET, SURFACE_VELOCITY, SURFACE_LAW = 0, 3, 4, 7
#: Numbers at the start of those of every such kernel: step [s], gravity [m/s^2], and what part of a step positions do
#: not know of its forces: 0 in symplectic Euler, 1 in forward Euler, 1/2 where they go by a parabola;
DT, GRAVITY, LATENESS = 0, 1, 4
#: speed of the fastest surface [m/s]; velocity of the whole [m/s], ways that nodes may go, and may go beside it, before
#: the window ends [m].
SURFACE_SPEED, MEAN_VELOCITY, MOST_WAY, MOST_WAY_ASIDE = 5, 6, 9, 10  # vectors take three places
#: Totals at the start of those of every such kernel: impulse of surfaces on nodes [N s], their work on nodes as they
#: moved [J], deepest intrusion [m]; time since the window began [s], ways of nodes in it, and beside the whole [m].
SURFACE_IMPULSE, SURFACE_WORK, DEEPEST, ELAPSED, WAY, WAY_ASIDE = 0, 3, 4, 5, 6, 7
_TINY = 1e-150  # a speed that is none, whose inverse is still a number


@device_no_refs
def push_by_surfaces(
    now: Floats, then: Floats, inverse_mass: Floats, node: Ints, plane: Floats, numbers: Floats, totals: Floats
) -> None:
    """Penalty and friction of the planes in the way of some nodes: they never pull."""
    dt, time = numbers[DT], totals[ELAPSED]
    for k in range(len(node)):
        i = node[k]
        if plane[k, SURFACE_LAW] == np.inf:
            _stop_at_surface(then, i, inverse_mass[i], plane[k], time + dt, dt, totals)
            continue
        nx, ny, nz = plane[k, SURFACE_NORMAL], plane[k, SURFACE_NORMAL + 1], plane[k, SURFACE_NORMAL + 2]
        wx, wy, wz = plane[k, SURFACE_VELOCITY], plane[k, SURFACE_VELOCITY + 1], plane[k, SURFACE_VELOCITY + 2]
        advance = (nx * wx + ny * wy + nz * wz) * time
        depth = plane[k, SURFACE_OFFSET] + advance - (nx * now[i, 0] + ny * now[i, 1] + nz * now[i, 2])
        if not (depth > 0.0 and inverse_mass[i] > 0.0):
            continue
        vx, vy, vz = now[i, 3] - wx, now[i, 4] - wy, now[i, 5] - wz
        closing = -(nx * vx + ny * vy + nz * vz)
        vx, vy, vz = vx + closing * nx, vy + closing * ny, vz + closing * nz
        push, drag = contact_force(depth, closing, np.sqrt(vx * vx + vy * vy + vz * vz), plane[k, SURFACE_LAW:], dt)
        fx, fy, fz = push * nx - drag * vx, push * ny - drag * vy, push * nz - drag * vz
        kick(then, i, inverse_mass[i] * dt, fx, fy, fz, numbers)
        totals[SURFACE_IMPULSE] += dt * fx
        totals[SURFACE_IMPULSE + 1] += dt * fy
        totals[SURFACE_IMPULSE + 2] += dt * fz
        totals[SURFACE_WORK] += dt * (fx * wx + fy * wy + fz * wz)
        totals[DEEPEST] = max(totals[DEEPEST], depth)


@device_no_refs
def _stop_at_surface(
    then: Floats, i: int, inverse: float, plane: Floats, time: float, dt: float, totals: Floats
) -> None:
    """Stop a node at a hard surface, and put it there; it rubs by Coulomb's friction."""
    nx, ny, nz = plane[SURFACE_NORMAL], plane[SURFACE_NORMAL + 1], plane[SURFACE_NORMAL + 2]
    wx, wy, wz = plane[SURFACE_VELOCITY], plane[SURFACE_VELOCITY + 1], plane[SURFACE_VELOCITY + 2]
    advance = (nx * wx + ny * wy + nz * wz) * time
    depth = plane[SURFACE_OFFSET] + advance - (nx * then[i, 0] + ny * then[i, 1] + nz * then[i, 2])
    if not (depth > 0.0 and inverse > 0.0):
        return
    vx, vy, vz = then[i, 3] - wx, then[i, 4] - wy, then[i, 5] - wz
    closing = -(nx * vx + ny * vy + nz * vz)
    stop = max(closing, 0.0)
    vx, vy, vz = vx + closing * nx, vy + closing * ny, vz + closing * nz
    sliding = np.sqrt(vx * vx + vy * vy + vz * vz)
    friction = plane[SURFACE_LAW + 2] * stop
    rub = 1.0 if sliding <= friction else friction / max(sliding, _TINY)
    dx, dy, dz = stop * nx - rub * vx, stop * ny - rub * vy, stop * nz - rub * vz
    then[i, 3], then[i, 4], then[i, 5] = then[i, 3] + dx, then[i, 4] + dy, then[i, 5] + dz
    then[i, 0], then[i, 1], then[i, 2] = then[i, 0] + depth * nx, then[i, 1] + depth * ny, then[i, 2] + depth * nz
    totals[SURFACE_IMPULSE] += dx / inverse
    totals[SURFACE_IMPULSE + 1] += dy / inverse
    totals[SURFACE_IMPULSE + 2] += dz / inverse
    totals[SURFACE_WORK] += (dx * wx + dy * wy + dz * wz) / inverse
    totals[DEEPEST] = max(totals[DEEPEST], depth)


@device_no_refs
def contact_force(depth: float, closing: float, sliding: float, law: Floats, dt: float) -> tuple[float, float]:
    """The force that pushes apart [N], and the friction by the velocity that slides [N s/m].

    Coulomb's friction, but no more than what stops the sliding within the step.
    """
    push = max(0.0, law[0] * depth + law[1] * closing)
    drag = law[3] / dt
    if drag * sliding > law[2] * push:
        drag = law[2] * push / sliding
    return push, drag


@device_no_refs
def kick(then: Floats, i: int, share: float, fx: float, fy: float, fz: float, numbers: Floats) -> None:
    """Add a force to the motion of a node at the end of the step; `share` is the step by the mass."""
    dx, dy, dz = share * fx, share * fy, share * fz
    then[i, 3] += dx
    then[i, 4] += dy
    then[i, 5] += dz
    move = (1.0 - numbers[LATENESS]) * numbers[DT]
    then[i, 0] += move * dx
    then[i, 1] += move * dy
    then[i, 2] += move * dz
