"""What is held: fragments that stand on the ground or are painted fast stay where they are until they break off.

Support detection: a fragment of which no unit is held is free. One that the ground alone holds stands as long as its
centre of mass is above what it stands on; else it is let go and topples. What is painted fast never lets go.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ..arithmetic.products import dot
from ..geometry.mesh import diagonal
from ..strength.influence import held_cells
from ..types import Bools, Floats, Ints
from .crowd import Crowd
from .matter import Matter, Thing

#: Points that are no higher above the ground than this share of the object's diagonal stand on it.
NEAR = 1e-3


class Anchors(NamedTuple):
    """Of the units of a matter."""

    painted: Bools  #: (U,)
    standing: Bools  #: (U,)
    unit: Ints  #: (n,) unit of each point that stands on the ground
    foot: Floats  #: (n,2) these points, seen from above [m]


def anchors_of(thing: Thing, matter: Matter, height: float | None) -> Anchors:
    """Which units of a matter are held, at the place of the thing at the start; `height` of the ground [m]."""
    cells, count = matter.cells, len(matter.units.volume)
    painted, standing = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    painted[cells.unit[held_cells(thing.influence, matter.body, cells)]] = True
    unit, foot = np.zeros(0, np.int64), np.zeros((0, 2))
    if thing.stands and height is not None:
        low = cells.vertices[:, 2] + thing.place[2] <= height + NEAR * diagonal(thing.matter.body.vertices)
        corner = np.flatnonzero(low[cells.outer_vertex])
        face = np.searchsorted(cells.outer_start, corner, side="right") - 1
        unit, foot = cells.unit[cells.outer_cell[face]], cells.vertices[cells.outer_vertex[corner], :2]
        standing[unit] = True
    return Anchors(painted, standing, unit, foot)


def holds(anchors: Anchors, units: Ints, centre: Floats) -> bool:
    """Whether a fragment of these units with its centre of mass (3,) at rest stays where it is."""
    if anchors.painted[units].any():
        return True
    if not anchors.standing[units].any():
        return False
    mine = np.zeros(len(anchors.standing), np.bool_)
    mine[units] = True
    return _above(anchors.foot[mine[anchors.unit]], centre[:2])


def _above(foot: Floats, point: Floats) -> bool:
    """Whether a point (2,) is above the hull of others (n,2)."""
    try:
        sides = ConvexHull(foot).equations
    except (QhullError, ValueError):  # a line or a point holds nothing upright
        return False
    return bool((dot(sides[:, :2], point) + sides[:, 2] <= 0.0).all())


class Holding:
    """Pins the fragments that are held, and no piece of one that was loose.

    What is still held is the rest of an object, and no new piece: it may be cut anew as often as the object.
    """

    def __init__(self, crowd: Crowd, height: float | None) -> None:
        self.crowd, self.height = crowd, height
        self._anchors: dict[int, Anchors] = {}
        self._loose: set[int] = set()
        self._seen = 0

    def update(self) -> None:
        """Decide for the fragments that have come since the last time."""
        crowd = self.crowd
        if self._seen == len(crowd.lives):
            return
        pinned = crowd.pinned.copy()
        for row in np.flatnonzero(crowd.alive >= self._seen):
            pinned[row] = self._holds(int(row))
            if pinned[row]:
                crowd.lives.remains(int(crowd.alive[row]))
        self._seen = len(crowd.lives)
        crowd.pin(pinned)

    def held(self, row: int, matter: int) -> Bools:
        """(U,) which units of a matter hold the fragment in a row, which is made of it or has just been cut into it."""
        number = int(self.crowd.alive[row])
        anchors = self._of(self.crowd.lives[number].thing, matter)
        # Impacts of the first frame come before it is decided what stays.
        undecided = number >= self._seen or bool(self.crowd.skins()[row])
        if number in self._loose or (undecided and not self._stays(row)):
            return np.zeros(len(anchors.painted), np.bool_)
        return np.asarray(anchors.painted | anchors.standing)

    def _of(self, thing: int, matter: int) -> Anchors:
        """The anchors of a matter; those of one that may still be forgotten are not kept."""
        found = self._anchors.get(matter)
        return anchors_of(self.crowd.things[thing], self.crowd.matters[matter], self.height) if found is None else found

    def _holds(self, row: int) -> bool:
        number = int(self.crowd.alive[row])
        life = self.crowd.lives[number]
        if self.crowd.skins()[row]:  # it is led by its skin, and what holds it counts once it is cut
            return True
        if self.crowd.things[life.thing].path is not None and life.parent < 0:  # it goes where it is led
            self._loose.add(number)
            return False
        self._anchors[life.matter] = self._of(life.thing, life.matter)
        if self._stays(row):
            return True
        self._loose.add(number)
        return False

    def _stays(self, row: int) -> bool:
        life = self.crowd.lives[int(self.crowd.alive[row])]
        anchors = self._of(life.thing, life.matter)
        return life.parent not in self._loose and holds(anchors, life.units, self.crowd.rest.centre[row])
