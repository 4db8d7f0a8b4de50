"""An impact of the artist's: which fragment it meets, what it breaks, and the momentum that it hands over."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arithmetic.products import apply, norm
from ..breaking import Struck, Verdict, verdict_steps
from ..breaking.contract import Given
from ..geometry.graph import components
from ..rigid.pose import rotation_matrices
from ..stepwise import result_of
from ..types import Bools, Floats, Impact, Ints
from ..wording import count, percent
from .anchors import Holding
from .crowd import Break, Crowd
from .launch import launch
from .matter import Matter, Thing
from .weighing import as_heavy
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
    """What a rule said of one thing in the course of time; `notes` are sentences for the report."""

    def __init__(self) -> None:
        self.notes: dict[str, None] = {}  # ordered, each once
        self.dust, self.dust_volume = 0, 0.0  # pieces left out, and how much they were [m^3]
        self.hits: list[Cracked] = []
        self.utilisation = 0.0

    def broken(
        self, matter: Matter, number: int, units: Ints, held: Bools, impacts: tuple[Impact, ...], time: float
    ) -> Generator[None, None, tuple[list[Ints], Verdict]]:
        """The pieces into which the rule breaks some units of a matter, one where nothing separates; and its verdict.

        Yields where the rule takes long. `held (U,)` are the units of the matter that cannot move.
        """
        struck = Struck(
            matter.cells, matter.units, units, impacts, matter.strengths, matter.material, held, matter.seed
        )
        verdict = yield from verdict_steps(matter.rule, struck, matter.params)
        self.notes.update(dict.fromkeys(verdict.notes))
        bearing = verdict.limit > 0
        if bearing.any():
            self.utilisation = max(self.utilisation, float((verdict.load[bearing] / verdict.limit[bearing]).max()))
        failed = np.flatnonzero(verdict.cracked)
        self.hits.append(Cracked(time, number, failed, verdict.load[failed], verdict.limit[failed]))
        labels = components(len(matter.units.volume), matter.units.links, ~verdict.cracked, units)
        order = np.argsort(labels, kind="stable")
        pieces = np.split(units[order], np.cumsum(np.bincount(labels))[:-1])
        return self._without_dust(pieces, matter, verdict), verdict

    def told(self, whole_volume: float) -> tuple[str, ...]:
        """The notes, and what was left out as dust of a thing of some volume [m^3]."""
        if self.dust == 0:
            return tuple(self.notes)
        share = self.dust_volume / whole_volume
        return (*self.notes, f"{count(self.dust, 'piece')} of dust left out: {percent(share)} of the volume.")

    def _without_dust(self, pieces: list[Ints], matter: Matter, verdict: Verdict) -> list[Ints]:
        """The pieces that stay; the report says what goes."""
        if verdict.dust is None or len(pieces) == 1:
            return pieces
        volume = np.array([matter.units.volume[one].sum() for one in pieces])
        dust = np.array([len(one) == 1 and bool(verdict.dust[one[0]]) for one in pieces])
        dust[np.argmax(volume)] = False
        if not 0 < dust.sum() < len(pieces) - 1:
            return pieces  # where one piece is left nothing has come off it
        self.dust += int(dust.sum())
        self.dust_volume += float(volume[dust].sum())
        return [one for one, gone in zip(pieces, dust, strict=True) if not gone]


class Striker:
    """Lets impacts act on the fragments of one thing."""

    def __init__(self, crowd: Crowd, thing: int, cracks: Cracks, holding: Holding) -> None:
        self.crowd, self.thing, self.cracks, self.holding = crowd, thing, cracks, holding
        matter = crowd.things[thing].matter
        rows = crowd.rows_of(thing)
        pieces = [crowd.lives[int(number)].units for number in crowd.alive[rows]]
        self._first = int(crowd.alive[rows[0]])
        self._wholes = Wholes(matter.body, matter.cells, pieces)

    def strike(self, impacts: Sequence[Impact], frame: int, time: float) -> None:
        """`strike_steps`, run to their end at once."""
        result_of(self.strike_steps(impacts, frame, time))

    def strike_steps(self, impacts: Sequence[Impact], frame: int, time: float) -> Generator[None, None, None]:
        """Let impacts, given in the thing's coordinates at rest, break and push the fragments that they meet.

        Those that meet the same fragment act on it at once. Yields where a rule takes long.
        """
        met = [self._meet(impact) for impact in impacts]
        for number in dict.fromkeys(number for number, _ in met):
            row = int(np.flatnonzero(self.crowd.alive == number)[0])  # rows move when a fragment falls apart
            yield from self._act(row, tuple(impact for other, impact in met if other == number), frame, time)

    def _act(self, row: int, impacts: tuple[Impact, ...], frame: int, time: float) -> Generator[None, None, None]:
        broken, verdict = yield from self._broken(row, impacts, frame, time)
        rows = np.array([row]) if broken is None else self.crowd.fall_apart([broken], frame)
        if verdict.given is not None and broken is not None:
            self._give(rows, verdict.given)
            return
        for impact in impacts:
            self._push(rows, impact)

    def _broken(
        self, row: int, impacts: tuple[Impact, ...], frame: int, time: float
    ) -> Generator[None, None, tuple[Break | None, Verdict]]:
        crowd, life = self.crowd, self.crowd.lives[int(self.crowd.alive[row])]
        matter, number = crowd.matter_of(row), life.matter
        answer = self._thing.answer
        units = life.units
        if answer is not None and answer.whole_first and life.parent < 0:
            matter = as_heavy(answer.cut(matter.body, impacts), matter, units)
            number, units = crowd.add(matter), np.arange(len(matter.units.volume))
        held = self.holding.held(row, number)
        pieces, verdict = yield from self.cracks.broken(matter, number, units, held, impacts, time)
        if len(pieces) > 1:
            return Break(row, number, pieces, frame if crowd.skins()[row] else None), verdict
        if number != life.matter:
            self.cracks.hits.pop()
            crowd.forget_last()
        return None, verdict

    @property
    def _thing(self) -> Thing:
        return self.crowd.things[self.thing]

    def _meet(self, impact: Impact) -> tuple[int, Impact]:
        """The number of the living fragment that an impact meets, and the impact in its material coordinates.

        Of the fragments whose whole piece is nearest, it is the one that owns the cell whose site is nearest; a point
        outside of that piece acts at the nearest point of its surface.
        """
        crowd, rows = self.crowd, self.crowd.rows_of(self.thing)
        R = rotation_matrices(crowd.state.rotation[rows])
        at = impact.point + self._thing.place - crowd.state.position[rows]
        points = apply(np.swapaxes(R, 1, 2), at) + crowd.rest.centre[rows]
        whole = np.array([crowd.lives[int(number)].whole for number in crowd.alive[rows]]) - self._first
        met = np.zeros(len(rows), np.bool_)
        met[self._wholes.nearest(whole, points)] = True
        k = int(np.argmin(np.where(met, self._away(rows, points), np.inf)))
        point, _ = self._wholes.clamped(int(whole[k]), points[k : k + 1])
        return int(crowd.alive[rows[k]]), replace(impact, point=point[0], direction=apply(R[k].T, impact.direction))

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
            np.minimum.at(away, k, norm(crowd.matters[number].cells.site[cell] - points[k]))
        return away

    def _push(self, rows: Ints, impact: Impact) -> None:
        """Add the momentum of a blow, given in material coordinates, to some of the living, all of one matter."""
        crowd = self.crowd
        number = crowd.lives[int(crowd.alive[rows[0]])].matter
        matter = crowd.matters[number]
        place = np.full(len(crowd.alive) + 1, -1)  # the last entry is that of row -1
        place[rows] = np.arange(len(rows))
        owner = place[crowd.owners(number)]
        given = launch(matter.cells, owner, crowd.rest.centre[rows], matter.density, impact, matter.material.spread)
        R = rotation_matrices(crowd.state.rotation[rows])
        crowd.push(rows, apply(R, given.momentum), apply(R, given.angular_momentum))

    def _give(self, rows: Ints, given: Given) -> None:
        """Add what the units of a matter were given to the pieces that they are in, which are all of that matter."""
        R = rotation_matrices(self.crowd.state.rotation[rows])
        self.crowd.push(rows, *(apply(R, values) for values in self.crowd.gathered(rows, given)))
