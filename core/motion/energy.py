"""Kinetic and potential energy, and the budget that keeps their sum from rising over a frame."""

from dataclasses import dataclass

import numpy as np

from ..geometry.mesh import cross
from ..types import Floats, Ints
from .islands import Islands
from .moving import Moving
from .pose import matrices, turned_by
from .records import Records
from .state import RigidBodies, RigidState, World

Energy = Floats  #: (3,) kinetic energy of translation, of rotation, potential energy [J]


def energy(bodies: RigidBodies, state: RigidState, world: World) -> Energy:
    """Energies (3,) [J] summed over the bodies: translation, rotation, potential -m g.x (zero at the origin)."""
    total = np.zeros(3)
    total[0] = 0.5 * np.sum(bodies.mass[:, None] * state.velocity**2)
    total[1] = np.sum(rotation_energy(state.rotation, state.angular_momentum, bodies.moments, bodies.axes))
    total[2] = -np.sum(bodies.mass[:, None] * (state.position * world.gravity))
    return total


def rotation_energy(rotation: Floats, angular_momentum: Floats, moments: Floats, axes: Floats) -> Floats:
    """1/2 L . I^-1 L (K,) of each body [J]."""
    along = np.einsum("kji,kj->ki", matrices(rotation) @ axes, angular_momentum)
    return np.asarray(0.5 * np.sum(along**2 / moments, axis=1))


def kinetic(moving: Moving) -> Floats:
    """Kinetic energy (K,) of each body [J]."""
    b = moving.bodies[: moving.free]
    turning = rotation_energy(b.rotation, b.angular_momentum, b.moments, b.axes)
    return np.asarray(turning + 0.5 * b.mass * np.square(b.velocity[:, :3]).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Start:
    """What the account of a frame begins with."""

    kinetic: Floats  #: (K,) [J]
    position: Floats  #: (K,3) [m]
    rotation: Floats  #: (K,4)


def start_of(moving: Moving) -> Start:
    """The present state as the start of a frame."""
    bodies = moving.bodies[: moving.free]
    return Start(kinetic(moving), bodies.position.copy(), bodies.rotation.copy())


def settle(moving: Moving, start: Start, islands: Islands, contacts: Records, dt: float) -> float:
    """Take back what each island of touching bodies gained over the frame beyond the work that was done on it.

    In this order: its position corrections, a uniform share of its velocities, its displacement. All three are taken
    relative to what the island rests on: the ground, a collider that carries it along, or its own mean velocity in
    the air, so that it keeps its momentum. The velocities also pay for the corrections that stay. A body that touched
    nothing is exact by itself and is left alone.

    Returns the work of the colliders [J]: that of their impulses, that of the corrections of bodies that ride on a
    moving collider, and that of the impulses which the budget itself takes from such a collider.
    """
    some = np.flatnonzero(islands.label >= 0)
    if len(some) == 0:
        return 0.0
    b, k, count = moving.bodies[some], islands.label[some], islands.count
    ride, spin = _ride(moving, islands, some)
    v = b.velocity[:, :3] - ride
    turning = rotation_energy(b.rotation, b.angular_momentum, b.moments, b.axes)
    own = (spin == 0.0).all(axis=1)  # the spin of a body that a turning collider carries along is not its own
    free = _sums(0.5 * b.mass * np.square(v).sum(axis=1) + np.where(own, turning, 0.0), k, count)
    weight = b.mass[:, None] * moving.gravity
    way = b.position - start.position[some]
    height = _sums(-np.sum(weight * way, axis=1), k, count)
    climb = _sums(-np.sum(weight * (way - dt * ride), axis=1), k, count)
    lift = _sums(-np.sum(weight * b.pushed[:, :3], axis=1), k, count)
    gain = turning + 0.5 * b.mass * np.square(b.velocity[:, :3]).sum(axis=1) - start.kinetic[some]
    carried = np.where(islands.driven, np.maximum(lift, 0.0), 0.0)
    # What a collider jams against the floor is pushed from both sides with impulses of any size, whose work means
    # little; but a collider takes no more from an island than that had.
    had = _sums(start.kinetic[some], k, count) - np.minimum(height, 0.0)
    work = _work(moving, islands, contacts)
    work = np.where(islands.driven, np.maximum(work, -had), work) + carried
    share, scale, back = _repayments(_sums(gain, k, count) + height - work, climb, lift - carried, free)
    taken = (scale[k] - 1.0)[:, None] * v
    work += islands.driven * _sums(b.mass * np.sum(taken * ride, axis=1), k, count)
    factor = np.where(own, scale[k], 1.0)[:, None]
    moving.bodies.position[some] -= share[k, None] * b.pushed[:, :3]
    _turn_back(moving, some, share[k])
    moving.bodies.position[some] -= back[k, None] * (moving.bodies.position[some] - start.position[some] - dt * ride)
    moving.bodies.velocity[some] += np.concatenate([taken, (factor - 1.0) * b.velocity[:, 3:]], axis=1)
    moving.bodies.angular_momentum[some] *= factor
    return float(work.sum())


def _turn_back(moving: Moving, some: Ints, share: Floats) -> None:
    """Take back a share (n,) of the rotations of corrections, with the angular momenta, so that energies stay."""
    tilted = (share > 0.0) & (moving.bodies.pushed[some, 3:] != 0.0).any(axis=1)
    rows = some[tilted]
    if len(rows) == 0:
        return
    angle = -share[tilted, None] * moving.bodies.pushed[rows, 3:]
    turn = matrices(turned_by(np.tile([1.0, 0.0, 0.0, 0.0], (len(rows), 1)), angle))
    moving.bodies.rotation[rows] = turned_by(moving.bodies.rotation[rows], angle)
    momentum = moving.bodies.angular_momentum[rows]
    moving.bodies.angular_momentum[rows] = np.einsum("kij,kj->ki", turn, momentum)


def _ride(moving: Moving, islands: Islands, some: Ints) -> tuple[Floats, Floats]:
    """Velocity (n,3) and spin (n,3) with which the bodies `some` are carried along by what their island rests on."""
    b, k = moving.bodies[some], islands.label[some]
    mass = _sums(b.mass, k, islands.count)
    mean = np.stack([_sums(b.mass * b.velocity[:, x], k, islands.count) for x in range(3)], axis=1) / mass[:, None]
    ride, spin = np.where(islands.grounded[k, None], 0.0, mean[k]), np.zeros((len(some), 3))
    on = islands.carrier[k]
    led = moving.bodies[np.maximum(on, 0)]
    carried = led.velocity[:, :3] + cross(led.velocity[:, 3:], b.position - led.position)
    rides = (on >= 0)[:, None]
    return np.where(rides, carried, ride), np.where(rides, led.velocity[:, 3:], spin)


def _work(moving: Moving, islands: Islands, contacts: Records) -> Floats:
    """Work (I,) of the impulses of colliders on each island [J]."""
    by = np.flatnonzero(contacts.work != 0.0)
    return _sums(contacts.work[by], islands.label[contacts.body[by, 0]], islands.count)


def _repayments(over: Floats, climb: Floats, lift: Floats, free: Floats) -> tuple[Floats, Floats, Floats]:
    """For each island (I,): the share of its corrections and of its displacement to take back, the velocity to keep.

    Energies that are taken back are those as seen from what the island rests on: `free` of motion, `climb` of height.
    """
    share = np.where((over > 0.0) & (lift > 0.0), np.minimum(1.0, over / np.where(lift > 0.0, lift, 1.0)), 0.0)
    over, climb = over - share * lift, climb - share * lift
    # The motion pays for the lift that stays: else corrections would feed back what contacts dissipate, and a
    # rocking body would never come to rest although its energy does not rise.
    debt = np.maximum(over, 0.0) + np.maximum((1.0 - share) * lift, 0.0)
    kept = np.maximum(1.0 - debt / np.where(free > 0.0, free, 1.0), 0.0)
    scale = np.where(debt > 0.0, np.where(free > 0.0, np.sqrt(kept), 0.0), 1.0)
    rest = (over > free) & (climb > 0.0)
    back = np.where(rest, np.minimum(1.0, (over - free) / np.where(rest, climb, 1.0)), 0.0)
    return share, scale, back


def _sums(values: Floats, k: Ints, count: int) -> Floats:
    return np.asarray(np.bincount(k, values, minlength=count), np.float64)
