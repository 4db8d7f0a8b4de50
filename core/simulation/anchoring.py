"""What is anchored: fragments that stand on the ground or are painted fast stay where they are until they break off.

Support detection: a fragment of which no unit is anchored is free. One that the ground alone holds stands as long as
its centre of mass is above what it stands on; else it is let go and topples. What is painted fast never lets go.
"""

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from ..arithmetic.products import dot
from ..geometry.mesh import diagonal
from ..strength.influence import anchored_cells
from ..types import Bools, Floats, Ints
from .live_fragments import LiveFragments
from .spec import FractureModel, SimObject

#: Points that are no higher above the ground than this share of the object's diagonal stand on it. By eye: what an
#: artist sets down is seldom flush.
_NEAR = 1e-3


class Anchors(NamedTuple):
    """Of the units of a model."""

    painted: Bools  #: (U,)
    standing: Bools  #: (U,)
    unit: Ints  #: (n,) unit of each point that stands on the ground
    foot: Floats  #: (n,2) these points, seen from above [m]


def find_anchors(obj: SimObject, model: FractureModel, height: float | None) -> Anchors:
    """Which units of a model are anchored, at the place of the object at the start; `height` of the ground [m]."""
    cells, count = model.cells, len(model.units.volume)
    painted, standing = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    painted[cells.unit[anchored_cells(obj.influence, model.body, cells)]] = True
    unit, foot = np.zeros(0, np.int64), np.zeros((0, 2))
    if obj.stands and height is not None:
        low = cells.vertices[:, 2] + obj.place[2] <= height + _NEAR * diagonal(obj.model.body.vertices)
        corner = np.flatnonzero(low[cells.outer_vertex])
        face = np.searchsorted(cells.outer_start, corner, side="right") - 1
        unit, foot = cells.unit[cells.outer_cell[face]], cells.vertices[cells.outer_vertex[corner], :2]
        standing[unit] = True
    return Anchors(painted, standing, unit, foot)


def is_anchored(anchors: Anchors, units: Ints, centre: Floats) -> bool:
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


class Anchoring:
    """Pins the fragments that are anchored, and no piece of one that was loose.

    What is still anchored is the rest of an object, and no new piece: it may be cut anew as often as the object.
    """

    def __init__(self, live: LiveFragments, height: float | None) -> None:
        self.live, self.height = live, height
        self._anchors: dict[int, Anchors] = {}
        self._loose: set[int] = set()
        self._seen = 0

    def update(self) -> None:
        """Decide for the fragments that have come since the last time."""
        live = self.live
        if self._seen == len(live.tree):
            return
        pinned = live.pinned.copy()
        for row in np.flatnonzero(live.alive >= self._seen):
            pinned[row] = self._holds(int(row))
            if pinned[row]:
                live.tree.remains(int(live.alive[row]))
        self._seen = len(live.tree)
        live.pin(pinned)

    def anchored_units(self, row: int, model: int) -> Bools:
        """(U,) which units of a model hold the fragment in a row, which is made of it or has just been cut into it."""
        number = int(self.live.alive[row])
        anchors = self._of(self.live.tree[number].obj, model)
        # Impacts of the first frame come before it is decided what stays.
        undecided = number >= self._seen or bool(self.live.skins()[row])
        if number in self._loose or (undecided and not self._stays(row)):
            return np.zeros(len(anchors.painted), np.bool_)
        return np.asarray(anchors.painted | anchors.standing)

    def _of(self, obj: int, model: int) -> Anchors:
        """The anchors of a model; those of one that may still be forgotten are not kept."""
        found = self._anchors.get(model)
        return find_anchors(self.live.objects[obj], self.live.models[model], self.height) if found is None else found

    def _holds(self, row: int) -> bool:
        number = int(self.live.alive[row])
        record = self.live.tree[number]
        if self.live.skins()[row]:  # it moves with its skin, and what holds it counts once it is cut
            return True
        if self.live.objects[record.obj].path is not None and record.parent < 0:  # it goes where its path leads
            self._loose.add(number)
            return False
        self._anchors[record.model] = self._of(record.obj, record.model)
        if self._stays(row):
            return True
        self._loose.add(number)
        return False

    def _stays(self, row: int) -> bool:
        record = self.live.tree[int(self.live.alive[row])]
        anchors = self._of(record.obj, record.model)
        return record.parent not in self._loose and is_anchored(anchors, record.units, self.live.rest.centre[row])
