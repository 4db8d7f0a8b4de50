"""An impact of the artist's: which fragment it meets, what it breaks, and the momentum that it hands over."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arithmetic.products import apply, norm
from ..arithmetic.small_matrices import rotation_matrices
from ..breaking import ImpactContext, Verdict, verdict_steps
from ..breaking.contract import UnitImpulses
from ..geometry.graph import components
from ..stepwise import result_of
from ..types import Bools, Floats, Impact, Ints
from ..wording import count, percent
from .anchoring import Anchoring
from .impact_momentum import gather_impact_momentum
from .initial_pieces import InitialPieces
from .live_fragments import FragmentBreak, LiveFragments
from .piece_cutting import cut_anew
from .spec import FractureModel, SimObject


@dataclass(frozen=True, slots=True)
class FailedLinks:
    """The links that failed in one hit."""

    time: float
    model: int
    link: Ints  #: (n,)
    load: Floats  #: (n,)
    limit: Floats  #: (n,)


class CrackRecord:
    """What a rule said of one object in the course of time; `notes` are sentences for the report."""

    def __init__(self) -> None:
        self.notes: dict[str, None] = {}  # ordered, each once
        self.dust, self.dust_volume = 0, 0.0  # pieces left out, and how much they were [m^3]
        self.hits: list[FailedLinks] = []
        self.utilisation = 0.0

    def broken(
        self, model: FractureModel, number: int, units: Ints, anchored: Bools, impacts: tuple[Impact, ...], time: float
    ) -> Generator[None, None, tuple[list[Ints], Verdict]]:
        """The pieces into which the rule breaks some units of a model, one where nothing separates; and its verdict.

        Yields where the rule takes long. `anchored (U,)` are the units of the matter that cannot move.
        """
        struck = ImpactContext(
            model.cells, model.units, units, impacts, model.strengths, model.material, anchored, model.seed
        )
        verdict = yield from verdict_steps(model.rule, struck, model.params)
        self.notes.update(dict.fromkeys(verdict.notes))
        bearing = verdict.limit > 0
        if bearing.any():
            self.utilisation = max(self.utilisation, float((verdict.load[bearing] / verdict.limit[bearing]).max()))
        failed = np.flatnonzero(verdict.cracked)
        self.hits.append(FailedLinks(time, number, failed, verdict.load[failed], verdict.limit[failed]))
        labels = components(len(model.units.volume), model.units.links, ~verdict.cracked, units)
        order = np.argsort(labels, kind="stable")
        pieces = np.split(units[order], np.cumsum(np.bincount(labels))[:-1])
        return self._without_dust(pieces, model, verdict), verdict

    def rule_notes(self, whole_volume: float) -> tuple[str, ...]:
        """The notes, and what was left out as dust of an object of some volume [m^3]."""
        if self.dust == 0:
            return tuple(self.notes)
        share = self.dust_volume / whole_volume
        return (*self.notes, f"{count(self.dust, 'piece')} of dust left out: {percent(share)} of the volume.")

    def _without_dust(self, pieces: list[Ints], model: FractureModel, verdict: Verdict) -> list[Ints]:
        """The pieces that stay; the report says what goes."""
        if verdict.dust is None or len(pieces) == 1:
            return pieces
        volume = np.array([model.units.volume[one].sum() for one in pieces])
        dust = np.array([len(one) == 1 and bool(verdict.dust[one[0]]) for one in pieces])
        dust[np.argmax(volume)] = False
        if not 0 < dust.sum() < len(pieces) - 1:
            return pieces  # where one piece is left nothing has come off it
        self.dust += int(dust.sum())
        self.dust_volume += float(volume[dust].sum())
        return [one for one, gone in zip(pieces, dust, strict=True) if not gone]


class ImpactFracture:
    """Lets impacts act on the fragments of one object."""

    def __init__(
        self, live: LiveFragments, obj: int, cracks: CrackRecord, anchoring: Anchoring, pushes: bool = True
    ) -> None:
        """`pushes`: whether what is struck is set in motion, too."""
        self.live, self.obj, self.cracks, self.anchoring, self._pushes = live, obj, cracks, anchoring, pushes
        model = live.objects[obj].model
        rows = live.rows_of(obj)
        pieces = [live.tree[int(number)].units for number in live.alive[rows]]
        self._first = int(live.alive[rows[0]])
        self._initial = InitialPieces(model.body, model.cells, pieces)

    def strike(self, impacts: Sequence[Impact], frame: int, time: float) -> None:
        """`strike_steps`, run to their end at once."""
        result_of(self.strike_steps(impacts, frame, time))

    def strike_steps(self, impacts: Sequence[Impact], frame: int, time: float) -> Generator[None, None, None]:
        """Let impacts, given in the object's coordinates at rest, break and push the fragments that they meet.

        Those that meet the same fragment act on it at once. Yields where a rule takes long.
        """
        met = [self._meet(impact) for impact in impacts]
        for number in dict.fromkeys(number for number, _ in met):
            row = int(np.flatnonzero(self.live.alive == number)[0])  # rows move when a fragment falls apart
            yield from self._act(row, tuple(impact for other, impact in met if other == number), frame, time)

    def _act(self, row: int, impacts: tuple[Impact, ...], frame: int, time: float) -> Generator[None, None, None]:
        broken, verdict = yield from self._broken(row, impacts, frame, time)
        rows = np.array([row]) if broken is None else self.live.fall_apart([broken], frame)
        if not self._pushes:
            return
        if verdict.unit_impulses is not None and broken is not None:
            self._give(rows, verdict.unit_impulses)
            return
        for impact in impacts:
            self._push(rows, impact)

    def _broken(
        self, row: int, impacts: tuple[Impact, ...], frame: int, time: float
    ) -> Generator[None, None, tuple[FragmentBreak | None, Verdict]]:
        live, record = self.live, self.live.tree[int(self.live.alive[row])]
        model, number = live.model_of(row), record.model
        policy = self._object.policy
        units = record.units
        if policy is not None and policy.whole_first and record.parent < 0:
            model = cut_anew(policy.cut, model, None, impacts)
            number, units = live.add(model), np.arange(len(model.units.volume))
        anchored = self.anchoring.anchored_units(row, number)
        pieces, verdict = yield from self.cracks.broken(model, number, units, anchored, impacts, time)
        if len(pieces) > 1:
            return FragmentBreak(row, number, pieces, frame if live.skins()[row] else None), verdict
        if number != record.model:
            self.cracks.hits.pop()
            live.forget_last()
        return None, verdict

    @property
    def _object(self) -> SimObject:
        return self.live.objects[self.obj]

    def _meet(self, impact: Impact) -> tuple[int, Impact]:
        """The number of the living fragment that an impact meets, and the impact in its material coordinates.

        Of the fragments whose whole piece is nearest, it is the one that owns the cell whose site is nearest; a point
        outside of that piece acts at the nearest point of its surface.
        """
        live, rows = self.live, self.live.rows_of(self.obj)
        R = rotation_matrices(live.state.rotation[rows])
        at = impact.point + self._object.place - live.state.position[rows]
        points = apply(np.swapaxes(R, 1, 2), at) + live.rest.centre[rows]
        whole = np.array([live.tree[int(number)].whole for number in live.alive[rows]]) - self._first
        met = np.zeros(len(rows), np.bool_)
        met[self._initial.nearest(whole, points)] = True
        k = int(np.argmin(np.where(met, self._away(rows, points), np.inf)))
        point, _ = self._initial.clamped(int(whole[k]), points[k : k + 1])
        return int(live.alive[rows[k]]), replace(impact, point=point[0], direction=apply(R[k].T, impact.direction))

    def _away(self, rows: Ints, points: Floats) -> Floats:
        """(n,) distance of a point (n,3) of each row from the nearest site of a cell of its fragment [m]."""
        live = self.live
        place = np.full(len(live.alive), -1)
        place[rows] = np.arange(len(rows))
        away = np.full(len(rows), np.inf)
        for number in {live.tree[int(alive)].model for alive in live.alive[rows]}:
            owner = live.owners(number)
            cell = np.flatnonzero(owner >= 0)
            k = place[owner[cell]]
            np.minimum.at(away, k, norm(live.models[number].cells.site[cell] - points[k]))
        return away

    def _push(self, rows: Ints, impact: Impact) -> None:
        """Add the momentum of a blow, given in material coordinates, to some of the living, all of one model."""
        live = self.live
        number = live.tree[int(live.alive[rows[0]])].model
        model = live.models[number]
        place = np.full(len(live.alive) + 1, -1)  # the last entry is that of row -1
        place[rows] = np.arange(len(rows))
        owner = place[live.owners(number)]
        given = gather_impact_momentum(
            model.cells, owner, live.rest.centre[rows], model.density, impact, model.material.spread
        )
        R = rotation_matrices(live.state.rotation[rows])
        live.push(rows, apply(R, given.momentum), apply(R, given.angular_momentum))

    def _give(self, rows: Ints, given: UnitImpulses) -> None:
        """Add what the units of a model were given to the pieces that they are in, which are all of that matter."""
        R = rotation_matrices(self.live.state.rotation[rows])
        self.live.push(rows, *(apply(R, values) for values in self.live.gathered(rows, given)))
