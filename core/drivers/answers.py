"""How things answer the blows of a frame: which fragments break, and into what."""

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ..arithmetic.products import apply
from ..breakable import SPEED, Breakable
from ..cells.piece_body import piece_body
from ..errors import CutError
from ..geometry.mesh import diagonal
from ..params import can_be
from ..pieces.convention import AUTOMATIC_RADIUS
from ..rigid.pose import rotation_matrices
from ..strength.influence import reaches, toughness_at
from ..types import Floats, Impact, Ints
from ..wording import at_least
from .anchors import Holding
from .blows import Blow
from .crowd import Break, Crowd
from .forms import take_form
from .lives import Life
from .matter import Answer, Matter
from .strike import Cracks
from .weighing import as_heavy

#: Least threshold that is advised [m/s or N s].
LEAST_THRESHOLD = 0.01

#: Share of the object's volume below which no piece breaks, whatever the artist chose: its pieces would be round-off.
DUST = 1e-6


@dataclass(frozen=True, slots=True)
class Moment:
    """When it happens."""

    frame: int  #: stored frame in which pieces are seen first
    time: float  #: [s]
    fps: float


class Answers:
    """Holds blows against thresholds; knows for how long pieces rest, how often they break, and how many there may be.

    `notes` are sentences for the report, one list for each thing.
    """

    def __init__(self, crowd: Crowd, cracks: list[Cracks], holding: Holding, most: int) -> None:
        self.crowd, self.cracks, self.holding, self.most = crowd, cracks, holding, most
        self.notes: list[dict[str, None]] = [{} for _ in crowd.things]  # ordered, each once
        self._withstood: set[int] = set()
        self._broken_by: dict[int, int] = {}  # see Blow.by, of fragments that broke
        self._table = np.zeros((0, 3))  # see _entry, of the first fragments

    def begin(self) -> None:
        """A new frame: what withstood its blows in the last one may be asked again."""
        self._withstood.clear()

    def limits(self, moment: Moment) -> Floats:
        """(K,) threshold of each living fragment, infinite for those that cannot break now."""
        crowd, known, lives = self.crowd, len(self._table), self.crowd.lives
        fresh = [self._entry(lives[number]) for number in range(known, len(lives))]
        if fresh:
            self._table = np.concatenate([self._table, np.array(fresh, np.float64)])
        limit, birth, rest = (self._table[crowd.alive, column] for column in range(3))
        rest[crowd.pinned] = 0.0  # what is still held is no new piece
        limit[moment.frame - birth < np.maximum(1.0, rest * moment.fps)] = np.inf
        limit[np.isin(crowd.alive, list(self._withstood))] = np.inf
        return np.asarray(limit)

    def _entry(self, life: Life) -> tuple[float, float, float]:
        """Threshold, stored frame of birth and cooldown [s] of a fragment; the first ones were always there."""
        answer = self.crowd.things[life.thing].answer
        if answer is None or not answer.params.breaks or not (len(life.units) > 1 or _is_cut(answer, life)):
            return np.inf, -np.inf, 0.0
        return answer.params.limit, life.birth if life.parent >= 0 else -np.inf, answer.params.cooldown

    def broken(self, blows: list[Blow], moment: Moment) -> Generator[None, None, list[Break]]:
        """The fragments that break under these blows.

        Yields before each, for one may have to be cut, and where a rule takes long.
        """
        result = []
        room = self.most - len(self.crowd.alive)
        for blow in blows:
            yield
            number = int(self.crowd.alive[blow.row])
            life = self.crowd.lives[number]
            if self.crowd.skins()[blow.row]:
                found = yield from self._answer_in_form(blow, life, moment, room)
            else:
                found = yield from self._answer(blow, life, moment, room)
            if found is None:
                self._withstood.add(number)
                continue
            room -= len(found.pieces) - 1
            self._broken_by[number] = blow.by
            result.append(found)
            if moment.frame == 1 and blow.calm:
                self._note_weight(blow, life)
        return result

    def _answer_in_form(self, blow: Blow, life: Life, moment: Moment, room: int) -> Generator[None, None, Break | None]:
        """`_answer` of a whole that deforms: it breaks in the form that it has before the frame, and moves on so."""
        crowd, before = self.crowd, self.crowd.things[life.thing].place
        take_back = yield from take_form(crowd, blow.row, moment.frame - 1, self.cracks[life.thing])
        if take_back is None:
            return None
        shift = before - crowd.things[life.thing].place
        found = yield from self._answer(replace(blow, point=blow.point + shift), life, moment, room)
        if found is None:
            take_back()
            return None
        return replace(found, form=moment.frame - 1)

    def _answer(self, blow: Blow, life: Life, moment: Moment, room: int) -> Generator[None, None, Break | None]:
        """Into what a blow breaks a fragment, where that makes no more than `room` further ones."""
        crowd, cracks = self.crowd, self.cracks[life.thing]
        thing, matter = crowd.things[life.thing], crowd.matters[life.matter]
        answer = thing.answer
        assert answer is not None  # its limit is finite
        if life.parent >= 0 and self._volume(blow.row) < max(answer.params.smallest, DUST) * self._whole_volume(life):
            return None
        at = apply(rotation_matrices(crowd.state.rotation[[blow.row]])[0], blow.point - crowd.rest.centre[blow.row])
        if not reaches(thing.influence, crowd.state.position[blow.row] + at, moment.time):
            return None
        toughness = toughness_at(thing.influence, matter.body, blow.point)
        if not blow.ratio > toughness:
            return None
        impact = _impact(blow, blow.ratio / max(toughness, 1e-9), answer, matter, life, moment)
        if room < 1:
            self._full(life)  # before the work of cutting it
            return None
        number, units = life.matter, life.units
        if _is_cut(answer, life) and not self._still_breaks(blow, life, moment):
            cut = self._cut(answer, matter, life, impact)
            if cut is None:
                return None
            number, units = crowd.add(cut), np.arange(len(cut.units.volume))
        held = self.holding.held(blow.row, number)
        pieces, _ = yield from cracks.broken(crowd.matters[number], number, units, held, (impact,), moment.time)
        if 1 < len(pieces) <= room + 1:
            return Break(blow.row, number, pieces)
        if len(pieces) > 1:
            self._full(life)
        if len(pieces) > 1 or number != life.matter:
            cracks.hits.pop()
        if number != life.matter:
            crowd.forget_last()
        return None

    def _still_breaks(self, blow: Blow, life: Life, moment: Moment) -> bool:
        """Whether a held rest is hit by the same thing, or by its own pieces, so soon that this is one blow.

        Then it goes on to break along the cracks that it has.
        """
        answer = self.crowd.things[life.thing].answer
        assert answer is not None  # its limit is finite
        age = (moment.frame - life.birth) / moment.fps
        same = blow.by in (life.thing, self._broken_by.get(life.parent))
        return life.parent >= 0 and bool(self.crowd.pinned[blow.row]) and same and age < answer.params.cooldown

    def _cut(self, answer: Answer, matter: Matter, life: Life, impact: Impact) -> Matter | None:
        """The fragment cut anew around the blow; None where that cannot be done."""
        body, scar = matter.body, matter.scar
        if life.parent >= 0 or len(matter.units.volume) > len(life.units):
            body, bond, row = piece_body(matter.cells, life.units, matter.body)
            scar = _scars(bond, row, matter)
        try:
            return as_heavy(replace(answer.cut(body, (impact,)), scar=scar), matter, life.units)
        except CutError as error:
            self._note(life, f"A piece stays as it is: {error}")
            return None

    def _volume(self, row: int) -> float:
        return float(self.crowd.rest.volume[row])

    def _whole_volume(self, life: Life) -> float:
        return float(self.crowd.things[life.thing].matter.units.volume.sum())

    def _full(self, life: Life) -> None:
        self._note(life, f"There are {self.most} pieces already: no more break.")

    def _note_weight(self, blow: Blow, life: Life) -> None:
        answer = self.crowd.things[life.thing].answer
        assert answer is not None  # it broke
        self._note(life, broke_at_once(answer.params.measure, blow.measure))

    def _note(self, life: Life, text: str) -> None:
        self.notes[life.thing][text] = None


def broke_at_once(measure: str, felt: float) -> str:
    """What to do where a thing breaks while it only stands; `felt` [m/s or N s] is what its weight makes."""
    name, unit = ("speed", "m/s") if measure == SPEED else ("impulse", "N s")
    enough = max(1.05 * felt, LEAST_THRESHOLD)  # a little more than just enough
    if not can_be(Breakable, name, enough):
        return "It broke under its own weight at once, and no threshold is high enough: support it better."
    return f"It broke under its own weight at once: with a threshold of {at_least(enough)} {unit} it would stand."


def _is_cut(answer: Answer, life: Life) -> bool:
    """Whether a fragment is cut anew when it breaks; else it breaks along the cracks that it has."""
    if life.parent < 0:
        return answer.whole_first
    return answer.anew and life.generation < answer.params.generations


def _scars(bond: Ints, row: Ints, matter: Matter) -> Ints:
    """Where triangles of a piece lay before: on a scar of its matter, or on a bond, counted behind these scars."""
    before = matter.scar[row] if len(matter.scar) else np.full(len(row), -1)
    return np.where(bond < 0, before, bond + int(matter.scar.max(initial=-1)) + 1)


def _impact(blow: Blow, ratio: float, answer: Answer, matter: Matter, life: Life, moment: Moment) -> Impact:
    """A blow as the impact that a rule and a pattern are told of."""
    radius = answer.params.radius or AUTOMATIC_RADIUS * diagonal(_corners(matter, life.units))
    strength = ratio * answer.params.strength
    return Impact(blow.point, blow.direction, strength, blow.speed, radius, moment.time, blow.impulse)


def _corners(matter: Matter, units: Ints) -> Floats:
    """Points of the skin and of the bonds of some units, between which they lie."""
    cells = matter.cells
    mine = np.isin(cells.unit, units)
    corner = cells.outer_vertex[np.repeat(mine[cells.outer_cell], np.diff(cells.outer_start))]
    bonds = cells.bond_centroid[mine[cells.bond_cells].any(axis=1)]
    return np.concatenate([cells.vertices[corner], bonds])
