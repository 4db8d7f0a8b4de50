"""Kinetic and potential energy, and the budget that keeps their sum from rising over a frame."""

import math
from dataclasses import dataclass

import numpy as np

from ...arithmetic.elementary import cos, sin
from ...jit import device_inlined, device_no_refs, njit_no_refs, sealed_floats
from ...record_arrays import Record, Records, plain_view
from ...types import Bools, Floats, Ints
from ..quaternion import rotate_quaternion, write_rotation_matrix
from ..records import ISLAND_ENERGY
from ..sleep.islands import Islands
from ..solver_state import SolverState
from ..state import RigidBodies, RigidState, World

Energy = Floats  #: (3,) kinetic energy of translation, of rotation, potential energy [J]


def energy_of(bodies: RigidBodies, state: RigidState, world: World) -> Energy:
    """Energies (3,) [J] summed over the bodies: translation, rotation, potential -m g.x (zero at the origin)."""
    total = np.zeros(3)
    total[0] = 0.5 * np.sum(bodies.mass[:, None] * np.square(state.velocity))
    rotation, momentum = sealed_floats(state.rotation), sealed_floats(state.angular_momentum)
    total[1] = sum_rotation_energy(
        rotation, momentum, sealed_floats(bodies.moments), sealed_floats(bodies.axes), np.empty((3, 3))
    )
    total[2] = -np.sum(bodies.mass[:, None] * (state.position * world.gravity))
    return total


@njit_no_refs
def sum_rotation_energy(
    rotation: Floats, angular_momentum: Floats, moments: Floats, axes: Floats, turn: Floats
) -> float:
    """Sum of 1/2 L . I^-1 L over bodies [J]; `turn` (3,3) is scratch."""
    total = 0.0
    for k in range(len(moments)):
        L = angular_momentum[k]
        if L[0] == 0.0 and L[1] == 0.0 and L[2] == 0.0:
            continue
        write_rotation_matrix(rotation[k], turn)
        total += twice_rotation_energy(turn, axes[k], moments[k], L)
    return 0.5 * total


@njit_no_refs
def write_kinetic_energies(bodies: Records, each: Floats) -> None:
    """Write the kinetic energy (K,) of each of the first bodies [J]."""
    for k in range(len(each)):
        b, v = bodies[k], bodies[k].velocity
        each[k] = rotation_energy(b) + 0.5 * b.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@device_inlined
def rotation_energy(b: Record) -> float:
    """Kinetic energy of the rotation of a free body [J]."""
    return 0.5 * twice_rotation_energy(b.turn, b.axes, b.moments, b.angular_momentum)


@device_no_refs
def twice_rotation_energy(turn: Floats, axes: Floats, moments: Floats, L: Floats) -> float:
    """L . I^-1 L of a body turned by a matrix (3,3) [J]."""
    twice = 0.0
    for x in range(3):
        along = 0.0
        for i in range(3):
            along += (turn[i, 0] * axes[0, x] + turn[i, 1] * axes[1, x] + turn[i, 2] * axes[2, x]) * L[i]
        twice += along * along / moments[x]
    return twice


@dataclass(frozen=True, slots=True)
class FrameStart:
    """What the report of a frame begins with."""

    kinetic: Floats  #: (K,) [J]
    position: Floats  #: (K,3) [m]
    rotation: Floats  #: (K,4)


def record_frame_start(solver: SolverState) -> FrameStart:
    """The present state as the start of a frame."""
    bodies = solver.bodies[: solver.free]
    each = np.empty(solver.free)
    write_kinetic_energies(plain_view(solver.bodies), each)
    return FrameStart(each, bodies.position.copy(), bodies.rotation.copy())


def enforce_energy_budget(
    solver: SolverState, start: FrameStart, islands: Islands, contacts: Records, dt: float
) -> float:
    """Take back what each island of touching bodies gained over the frame beyond the work that was done on it.

    In this order: its position corrections, a uniform share of its velocities, its displacement. All three are taken
    relative to what the island rests on: the ground, a collider that carries it along, or its own mean velocity in
    the air, so that it keeps its momentum. The velocities also pay for the corrections that stay. A body that touched
    nothing is exact by itself and is left alone.

    Returns the work of the colliders [J]: that of their impulses, that of the corrections of bodies that ride on a
    moving collider, and that of the impulses which the budget itself takes from such a collider.
    """
    if islands.count == 0:
        return 0.0
    sums, ride = np.zeros(islands.count, ISLAND_ENERGY), np.empty((solver.free, 6))
    bodies, label = plain_view(solver.bodies), islands.label
    find_carrier_velocities(bodies, label, islands.grounded, islands.carrier, sums, ride)
    sum_island_energies(
        bodies, label, plain_view(contacts), start.kinetic, start.position, solver.gravity, dt, sums, ride
    )
    find_energy_correction(sums, islands.driven)
    apply_energy_correction(bodies, label, start.position, dt, sums, ride)
    return float(sums["work"].sum())


@njit_no_refs
def find_carrier_velocities(
    bodies: Records, label: Ints, grounded: Bools, carrier: Ints, sums: Records, ride: Floats
) -> None:
    """Write the velocity and spin (K,6) with which each body is carried along by what its island rests on."""
    for k in range(len(label)):
        if label[k] >= 0:
            total, b = sums[label[k]], bodies[k]
            total.mass += b.mass
            for x in range(3):
                total.momentum[x] += b.mass * b.velocity[x]
    for k in range(len(label)):
        if label[k] < 0:
            continue
        total, on, b = sums[label[k]], carrier[label[k]], bodies[k]
        for x in range(3):
            ride[k, x] = 0.0 if grounded[label[k]] else total.momentum[x] / total.mass
            ride[k, 3 + x] = 0.0
        if on >= 0:
            v, at = bodies[on].velocity, bodies[on].position
            for x in range(3):
                y, z = (x + 1) % 3, (x + 2) % 3
                ride[k, x] = v[x] + v[3 + y] * (b.position[z] - at[z]) - v[3 + z] * (b.position[y] - at[y])
                ride[k, 3 + x] = v[3 + x]


@device_inlined
def keeps_own_spin(ride: Floats) -> bool:
    """Whether the spin of a body is its own: a turning collider that carries it along would give it another."""
    return bool(ride[3] == 0.0 and ride[4] == 0.0 and ride[5] == 0.0)


@njit_no_refs
def sum_island_energies(
    bodies: Records, label: Ints, contacts: Records, kinetic: Floats, position: Floats, gravity: Floats, dt: float,
    sums: Records, ride: Floats,
) -> None:  # fmt: skip
    """Sum what each island gained over the frame, which began with the energies (K,) and positions (K,3)."""
    for contact in contacts:
        if contact.work != 0.0 and label[contact.body[0]] >= 0:
            sums[label[contact.body[0]]].work += contact.work
    for k in range(len(label)):
        if label[k] < 0:
            continue
        total, b = sums[label[k]], bodies[k]
        own, spinning, square, height, climb, lift = 0.0, rotation_energy(b), 0.0, 0.0, 0.0, 0.0
        for x in range(3):
            way = b.position[x] - position[k, x]
            own += (b.velocity[x] - ride[k, x]) * (b.velocity[x] - ride[k, x])
            square += b.velocity[x] * b.velocity[x]
            height -= b.mass * gravity[x] * way
            climb -= b.mass * gravity[x] * (way - dt * ride[k, x])
            lift -= b.mass * gravity[x] * b.pushed[x]
        total.free += 0.5 * b.mass * own + (spinning if keeps_own_spin(ride[k]) else 0.0)
        total.gain += spinning + 0.5 * b.mass * square - kinetic[k]
        total.had += kinetic[k]
        total.height += height
        total.climb += climb
        total.lift += lift
        total.raised += max(0.0, min(lift, climb))


@njit_no_refs
def find_energy_correction(sums: Records, driven: Bools) -> None:
    """For each island: the share of its corrections and of its displacement to take back, the velocity to keep.

    Energies that are taken back are those as seen from what the island rests on: `free` of motion, `climb` of height.
    What a collider jams against the floor is pushed from both sides with impulses of any size, whose work means
    little; but a collider takes no more from an island than that had.
    """
    for i in range(len(sums)):
        total = sums[i]
        lift, climb, free = total.lift, total.climb, total.free
        if driven[i]:
            carried = max(lift, 0.0)
            total.work = max(total.work, min(total.height, 0.0) - total.had) + carried
            lift -= carried
        over = total.gain + total.height - total.work
        if over > 0.0 and lift > 0.0:
            total.share = min(1.0, over / lift)
        over, climb = over - total.share * lift, climb - total.share * lift
        # The motion pays for the lift by which bodies rose: else corrections would feed back what contacts dissipate,
        # and a rocking body would never come to rest although its energy does not rise. A lift that only makes good
        # how far a body sank in the frame is free: what slides on a heavy body would stop for what the solver let
        # that one sink.
        debt = max(over, 0.0) + (1.0 - total.share) * min(max(lift, 0.0), total.raised)
        total.scale = 1.0
        if debt > 0.0:
            total.scale = math.sqrt(max(1.0 - debt / free, 0.0)) if free > 0.0 else 0.0
        if over > free and climb > 0.0:
            total.back = min(1.0, (over - free) / climb)
        total.drives = 1.0 if driven[i] else 0.0


@njit_no_refs
def apply_energy_correction(
    bodies: Records, label: Ints, position: Floats, dt: float, sums: Records, ride: Floats
) -> None:
    """Take back from each body what its island has to; the frame began at the positions (K,3)."""
    for k in range(len(label)):
        if label[k] < 0:
            continue
        total, b = sums[label[k]], bodies[k]
        slower = total.scale - 1.0
        factor = total.scale if keeps_own_spin(ride[k]) else 1.0
        if total.share > 0.0:
            revert_rotations(b, total.share)
        for x in range(3):
            taken = slower * (b.velocity[x] - ride[k, x])
            total.work += total.drives * (b.mass * taken * ride[k, x])
            b.position[x] -= total.share * b.pushed[x]
            b.position[x] -= total.back * (b.position[x] - position[k, x] - dt * ride[k, x])
            b.velocity[x] += taken
            b.velocity[3 + x] += (factor - 1.0) * b.velocity[3 + x]
            b.angular_momentum[x] *= factor


@device_no_refs
def revert_rotations(b: Record, share: float) -> None:
    """Take back a share of the rotations of corrections, with the angular momentum, so that the energy stays."""
    x, y, z = -share * b.pushed[3], -share * b.pushed[4], -share * b.pushed[5]
    angle = math.sqrt(x * x + y * y + z * z)
    if angle == 0.0:
        return
    rotate_quaternion(b.rotation, x, y, z)
    L = b.angular_momentum
    sine, versine = sin(angle) / angle, (1.0 - cos(angle)) / (angle * angle)
    # Rodrigues: L + sin(t) e x L + (1 - cos(t)) e x (e x L)
    p, q, r = y * L[2] - z * L[1], z * L[0] - x * L[2], x * L[1] - y * L[0]
    L[0] += sine * p + versine * (y * r - z * q)
    L[1] += sine * q + versine * (z * p - x * r)
    L[2] += sine * r + versine * (x * q - y * p)
