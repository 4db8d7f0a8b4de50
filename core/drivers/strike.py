"""An impact of the artist's: which fragment it meets, what it breaks, and the momentum that it hands over."""

from dataclasses import dataclass, replace

import numpy as np

from ..geometry.graph import components
from ..motion.pose import matrices
from ..types import Floats, Impact, Ints
from .crowd import Break, Crowd
from .launch import launch
from .matter import Matter, Thing
from .wholes import Wholes


@dataclass(frozen=True, slots=True)
class Cracked:
    """The links that failed in one hit."""

    time: float
    matter: int
    link: Ints  #: (n,)
    load: Floats  #: (n,)
    limit: Floats  #: (n,)


class Cracks:
    """What a rule said of one thing in the course of time."""

    def __init__(self) -> None:
        self.hits: list[Cracked] = []
        self.utilisation = 0.0

    def broken(self, matter: Matter, number: int, units: Ints, impact: Impact, time: float) -> list[Ints]:
        """The pieces into which the rule breaks some units of a matter; one where nothing separates."""
        loads = matter.rule(matter.units, units, impact, matter.strength, matter.params, matter.seed)
        cracked = loads.load > loads.limit
        bearing = loads.limit > 0
        if bearing.any():
            self.utilisation = max(self.utilisation, float((loads.load[bearing] / loads.limit[bearing]).max()))
        failed = np.flatnonzero(cracked)
        self.hits.append(Cracked(time, number, failed, loads.load[failed], loads.limit[failed]))
        labels = components(len(matter.units.volume), matter.units.links, ~cracked, units)
        order = np.argsort(labels, kind="stable")
        return np.split(units[order], np.cumsum(np.bincount(labels))[:-1])


class Striker:
    """Lets impacts act on the fragments of one thing."""

    def __init__(self, crowd: Crowd, thing: int, cracks: Cracks) -> None:
        self.crowd, self.thing, self.cracks = crowd, thing, cracks
        matter = crowd.things[thing].matter
        rows = crowd.rows_of(thing)
        pieces = [crowd.lives[int(number)].units for number in crowd.alive[rows]]
        self._first = int(crowd.alive[rows[0]])
        self._wholes = Wholes(matter.body, matter.cells, pieces)

    def strike(self, impact: Impact, frame: int, time: float) -> None:
        """Let an impact, given in the thing's coordinates at rest, break and push the fragment that it meets."""
        row, met = self._meet(impact)
        broken = self._broken(row, met, time)
        if broken is None:
            self._push(np.array([row]), met)
        else:
            self._push(self.crowd.fall_apart([broken], frame), met)

    def _broken(self, row: int, impact: Impact, time: float) -> Break | None:
        crowd, life = self.crowd, self.crowd.lives[int(self.crowd.alive[row])]
        matter, number = crowd.matter_of(row), life.matter
        answer = self._thing.answer
        units = life.units
        if answer is not None and answer.whole_first and life.parent < 0:
            matter = answer.cut(matter.body, (impact,))
            number, units = crowd.add(matter), np.arange(len(matter.units.volume))
        pieces = self.cracks.broken(matter, number, units, impact, time)
        if len(pieces) > 1:
            return Break(row, number, pieces)
        if number != life.matter:
            self.cracks.hits.pop()
            crowd.forget_last()
        return None

    @property
    def _thing(self) -> Thing:
        return self.crowd.things[self.thing]

    def _meet(self, impact: Impact) -> tuple[int, Impact]:
        """The row of the living fragment that an impact meets, and the impact in its material coordinates.

        Of the fragments whose whole piece is nearest, it is the one that owns the cell whose site is nearest; a point
        outside of that piece acts at the nearest point of its surface.
        """
        crowd, rows = self.crowd, self.crowd.rows_of(self.thing)
        R = matrices(crowd.state.rotation[rows])
        at = impact.point + self._thing.place - crowd.state.position[rows]
        points = np.einsum("kji,kj->ki", R, at) + crowd.rest.centre[rows]
        whole = np.array([crowd.lives[int(number)].whole for number in crowd.alive[rows]]) - self._first
        met = np.zeros(len(rows), np.bool_)
        met[self._wholes.nearest(whole, points)] = True
        k = int(np.argmin(np.where(met, self._away(rows, points), np.inf)))
        point, _ = self._wholes.clamped(int(whole[k]), points[k : k + 1])
        return int(rows[k]), replace(impact, point=point[0], direction=R[k].T @ impact.direction)

    def _away(self, rows: Ints, points: Floats) -> Floats:
        """(n,) distance of a point (n,3) of each row from the nearest site of a cell of its fragment [m]."""
        crowd = self.crowd
        place = np.full(len(crowd.alive), -1)
        place[rows] = np.arange(len(rows))
        away = np.full(len(rows), np.inf)
        for number in {crowd.lives[int(alive)].matter for alive in crowd.alive[rows]}:
            owner = crowd.owners(number)
            cell = np.flatnonzero(owner >= 0)
            k = place[owner[cell]]
            np.minimum.at(away, k, np.linalg.norm(crowd.matters[number].cells.site[cell] - points[k], axis=1))
        return away

    def _push(self, rows: Ints, impact: Impact) -> None:
        """Add the momentum of a blow, given in material coordinates, to some of the living, all of one matter."""
        crowd = self.crowd
        number = crowd.lives[int(crowd.alive[rows[0]])].matter
        matter = crowd.matters[number]
        place = np.full(len(crowd.alive) + 1, -1)  # the last entry is that of row -1
        place[rows] = np.arange(len(rows))
        owner = place[crowd.owners(number)]
        given = launch(
            matter.cells, owner, crowd.rest.centre[rows], matter.material.density, impact, matter.material.spread
        )
        R = matrices(crowd.state.rotation[rows])
        crowd.push(rows, np.einsum("kij,kj->ki", R, given.momentum), np.einsum("kij,kj->ki", R, given.angular_momentum))
