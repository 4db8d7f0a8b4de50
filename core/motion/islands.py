"""Islands: bodies that touched each other, directly or through others, in one frame, and what they rest on."""

from dataclasses import dataclass

import numpy as np

from ..geometry.graph import components
from ..types import Bools, Ints
from .moving import Moving
from .records import Records


@dataclass(frozen=True, slots=True)
class Islands:
    """K bodies in I islands."""

    label: Ints  #: (K,) island of each body, -1 for one that touched nothing
    count: int  #: I
    grounded: Bools  #: (I,) touched something that does not move
    carrier: Ints  #: (I,) row of the moving collider on which an island rides that touched nothing at rest, else -1
    driven: Bools  #: (I,) touched a moving collider


def islands_of(moving: Moving, contacts: Records) -> Islands:
    """The islands of the bodies between which impulses or corrections acted."""
    free = moving.free
    acted = contacts.body[np.flatnonzero(contacts.carried)]
    moves = (moving.bodies.velocity != 0.0).any(axis=1)
    able = moving.bodies.inverse_mass > 0.0
    label, count = joined(free, acted[able[acted].all(axis=1)], np.unique(acted[able[acted]]))
    one = np.flatnonzero(~able[acted].all(axis=1))  # a pair of a body and what cannot be moved
    body = np.where(able[acted[one, 0]], acted[one, 0], acted[one, 1])
    other = np.where(able[acted[one, 0]], acted[one, 1], acted[one, 0])
    island = label[body]
    grounded, driven = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    grounded[island[~moves[other]]] = True
    driven[island[moves[other]]] = True
    carrier = np.full(count, len(moving.bodies))
    np.minimum.at(carrier, island[moves[other]], other[moves[other]])
    return Islands(label, count, grounded, np.where(driven & ~grounded, carrier, -1), driven)


def joined(count: int, links: Ints, members: Ints) -> tuple[Ints, int]:
    """Labels (count,) of the components of `members`, joined by `links` (n,2), -1 for others; how many there are."""
    label = np.full(count, -1)
    if len(members) == 0:
        return label, 0
    label[members] = components(count, links, np.ones(len(links), np.bool_), members)
    return label, int(label.max()) + 1
