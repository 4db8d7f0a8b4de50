"""Islands: bodies that touched each other, directly or through others, in one frame, and what they rest on."""

from dataclasses import dataclass

import numpy as np

from ...geometry.graph import join, number_sets
from ...jit import device_inlined, njit_no_refs
from ...record_arrays import Record, Records, plain_view
from ...types import Bools, Ints
from ..solver_state import SolverState


@dataclass(frozen=True, slots=True)
class Islands:
    """K bodies in I islands."""

    label: Ints  #: (K,) island of each body, -1 for one that touched nothing
    count: int  #: I
    grounded: Bools  #: (I,) touched something that does not move
    carrier: Ints  #: (I,) row of the moving collider on which an island rides that touched nothing at rest, else -1
    driven: Bools  #: (I,) touched a moving collider


def find_islands(solver: SolverState, contacts: Records) -> Islands:
    """The islands of the bodies between which impulses or corrections acted."""
    free = solver.free
    label, parent = np.empty(free, np.int64), np.full(free, -1)
    grounded, driven = np.zeros(free, np.bool_), np.zeros(free, np.bool_)
    carrier = np.full(free, len(solver.bodies))
    count = link_islands(plain_view(contacts), plain_view(solver.bodies), parent, label, grounded, driven, carrier)
    grounded, driven, carrier = grounded[:count], driven[:count], carrier[:count]
    if solver.kinematic.skin.any():  # no part of what deforms tells how all of an island is carried
        carrier[np.append(np.append(np.zeros(free, np.bool_), solver.kinematic.skin), True)[carrier]] = -1
    return Islands(label, count, grounded, np.where(driven & ~grounded, carrier, -1), driven)


@njit_no_refs
def link_islands(
    contacts: Records, bodies: Records, parent: Ints, label: Ints, grounded: Bools, driven: Bools, carrier: Ints
) -> int:
    """Fill what `Islands` says and return how many there are; `parent` (K,) is -1 everywhere at first."""
    for contact in contacts:
        if contact.carried == 0:
            continue
        both = True
        for side in range(2):
            body = contact.body[side]
            able = bodies[body].inverse_mass > 0.0
            both = both and able
            if able and parent[body] < 0:
                parent[body] = body
        if both:
            join(parent, contact.body[0], contact.body[1])
    count = number_sets(parent, label)
    for contact in contacts:
        if contact.carried == 1:
            a, b = bodies[contact.body[0]], bodies[contact.body[1]]
            if a.inverse_mass > 0.0 and b.inverse_mass == 0.0:
                note_support(label[contact.body[0]], contact.body[1], b, grounded, driven, carrier)
            elif b.inverse_mass > 0.0 and a.inverse_mass == 0.0:
                note_support(label[contact.body[1]], contact.body[0], a, grounded, driven, carrier)
    return count


@device_inlined
def note_support(island: int, on: int, other: Record, grounded: Bools, driven: Bools, carrier: Ints) -> None:
    """Note that an island touched something that it cannot move."""
    moves = False
    for x in range(6):
        moves = moves or other.velocity[x] != 0.0
    if moves:
        driven[island] = True
        carrier[island] = min(carrier[island], on)
    else:
        grounded[island] = True
