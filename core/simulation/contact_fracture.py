"""How objects answer the blows of a frame: which fragments break, and into what."""

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ..arithmetic.products import apply
from ..arithmetic.small_matrices import rotation_matrices
from ..config.breakable import SPEED, Breakable
from ..config.params import can_be
from ..errors import CutError
from ..geometry.mesh import diagonal
from ..pieces.convention import AUTOMATIC_RADIUS
from ..strength.influence import is_within_influence, toughness_at
from ..types import Floats, Impact, Ints
from ..wording import at_least
from .anchoring import Anchoring
from .contact_events import ContactEvent
from .deformed_form import take_form
from .fragment_tree import FragmentRecord
from .impact_fracture import CrackRecord
from .live_fragments import FragmentBreak, LiveFragments
from .piece_cutting import cut_anew
from .spec import FractureModel, RefracturePolicy

#: Least threshold that is advised [m/s or N s]. By eye.
LEAST_THRESHOLD = 0.01

#: Share of the object's volume below which no piece breaks, whatever the artist chose: its pieces would be round-off.
DUST = 1e-6


@dataclass(frozen=True, slots=True)
class FrameTime:
    """When it happens."""

    frame: int  #: stored frame in which pieces are seen first
    time: float  #: [s]
    fps: float


class ContactFracture:
    """Holds blows against thresholds; knows for how long pieces rest, how often they break, and how many there may be.

    `notes` are sentences for the report, one list for each object.
    """

    def __init__(self, live: LiveFragments, cracks: list[CrackRecord], anchoring: Anchoring, most: int) -> None:
        self.live, self.cracks, self.anchoring, self.most = live, cracks, anchoring, most
        self.notes: list[dict[str, None]] = [{} for _ in live.objects]  # ordered, each once
        self._withstood: set[int] = set()
        self._broken_by: dict[int, int] = {}  # see ContactEvent.by, of fragments that broke
        self._table = np.zeros((0, 3))  # see _entry, of the first fragments

    def watch_further(self) -> None:
        """One more object takes part, behind the others."""
        self.notes.append({})

    def begin(self) -> None:
        """A new frame: what withstood its blows in the last one may be asked again."""
        self._withstood.clear()

    def limits(self, when: FrameTime) -> Floats:
        """(K,) threshold of each living fragment, infinite for those that cannot break now."""
        live, known, tree = self.live, len(self._table), self.live.tree
        fresh = [self._entry(tree[number]) for number in range(known, len(tree))]
        if fresh:
            self._table = np.concatenate([self._table, np.array(fresh, np.float64)])
        limit, birth, rest = (self._table[live.alive, column] for column in range(3))
        rest[live.pinned] = 0.0  # what is still held is no new piece
        limit[when.frame - birth < np.maximum(1.0, rest * when.fps)] = np.inf
        limit[np.isin(live.alive, list(self._withstood))] = np.inf
        return np.asarray(limit)

    def _entry(self, record: FragmentRecord) -> tuple[float, float, float]:
        """Threshold, stored frame of birth and cooldown [s] of a fragment; the first ones were always there."""
        policy = self.live.objects[record.obj].policy
        if policy is None or not policy.params.breaks or not (len(record.units) > 1 or _is_cut(policy, record)):
            return np.inf, -np.inf, 0.0
        return policy.params.limit, record.birth if record.parent >= 0 else -np.inf, policy.params.cooldown

    def broken(self, events: list[ContactEvent], when: FrameTime) -> Generator[None, None, list[FragmentBreak]]:
        """The fragments that break under these blows.

        Yields before each, for one may have to be cut, and where a rule takes long.
        """
        result = []
        room = self.most - len(self.live.alive)
        for event in events:
            yield
            number = int(self.live.alive[event.row])
            record = self.live.tree[number]
            if self.live.skins()[event.row]:
                found = yield from self._respond_in_form(event, record, when, room)
            else:
                found = yield from self._respond(event, record, when, room)
            if found is None:
                self._withstood.add(number)
                continue
            room -= len(found.pieces) - 1
            self._broken_by[number] = event.by
            result.append(found)
            if when.frame == 1 and event.calm:
                self._note_weight(event, record)
        return result

    def _respond_in_form(
        self, event: ContactEvent, record: FragmentRecord, when: FrameTime, room: int
    ) -> Generator[None, None, FragmentBreak | None]:
        """`_answer` of a whole that deforms: it breaks in the form that it has before the frame, and moves on so."""
        live, before = self.live, self.live.objects[record.obj].place
        take_back = yield from take_form(live, event.row, when.frame - 1, self.cracks[record.obj])
        if take_back is None:
            return None
        shift = before - live.objects[record.obj].place
        found = yield from self._respond(replace(event, point=event.point + shift), record, when, room)
        if found is None:
            take_back()
            return None
        return replace(found, form=when.frame - 1)

    def _respond(
        self, event: ContactEvent, record: FragmentRecord, when: FrameTime, room: int
    ) -> Generator[None, None, FragmentBreak | None]:
        """Into what a blow breaks a fragment, where that makes no more than `room` further ones."""
        live, cracks = self.live, self.cracks[record.obj]
        obj, model = live.objects[record.obj], live.models[record.model]
        policy = obj.policy
        assert policy is not None  # its limit is finite
        if record.parent >= 0 and self._volume(event.row) < max(policy.params.smallest, DUST) * self._whole_volume(
            record
        ):
            return None
        at = apply(rotation_matrices(live.state.rotation[[event.row]])[0], event.point - live.rest.centre[event.row])
        if not is_within_influence(obj.influence, live.state.position[event.row] + at, when.time):
            return None
        toughness = toughness_at(obj.influence, model.body, event.point)
        if not event.ratio > toughness:
            return None
        impact = _impact(event, event.ratio / max(toughness, 1e-9), policy, model, record, when)
        if room < 1:
            self._full(record)  # before the work of cutting it
            return None
        number, units = record.model, record.units
        if _is_cut(policy, record) and not self._still_breaks(event, record, when):
            cut = self._cut(policy, model, record, impact)
            if cut is None:
                return None
            number, units = live.add(cut), np.arange(len(cut.units.volume))
        anchored = self.anchoring.anchored_units(event.row, number)
        pieces, _ = yield from cracks.broken(live.models[number], number, units, anchored, (impact,), when.time)
        if 1 < len(pieces) <= room + 1:
            return FragmentBreak(event.row, number, pieces)
        if len(pieces) > 1:
            self._full(record)
        if len(pieces) > 1 or number != record.model:
            cracks.hits.pop()
        if number != record.model:
            live.forget_last()
        return None

    def _still_breaks(self, event: ContactEvent, record: FragmentRecord, when: FrameTime) -> bool:
        """Whether a held rest is hit by the same object, or by its own pieces, so soon that this is one blow.

        Then it goes on to break along the cracks that it has.
        """
        policy = self.live.objects[record.obj].policy
        assert policy is not None  # its limit is finite
        age = (when.frame - record.birth) / when.fps
        same = event.by in (record.obj, self._broken_by.get(record.parent))
        return record.parent >= 0 and bool(self.live.pinned[event.row]) and same and age < policy.params.cooldown

    def _cut(
        self, policy: RefracturePolicy, model: FractureModel, record: FragmentRecord, impact: Impact
    ) -> FractureModel | None:
        """The fragment cut anew around the blow; None where that cannot be done."""
        is_piece = record.parent >= 0 or len(model.units.volume) > len(record.units)
        try:
            return cut_anew(policy.cut, model, record.units if is_piece else None, (impact,))
        except CutError as error:
            self._note(record, f"A piece stays as it is: {error}")
            return None

    def _volume(self, row: int) -> float:
        return float(self.live.rest.volume[row])

    def _whole_volume(self, record: FragmentRecord) -> float:
        return float(self.live.objects[record.obj].model.units.volume.sum())

    def _full(self, record: FragmentRecord) -> None:
        self._note(record, f"There are {self.most} pieces already: no more break.")

    def _note_weight(self, event: ContactEvent, record: FragmentRecord) -> None:
        policy = self.live.objects[record.obj].policy
        assert policy is not None  # it broke
        self._note(record, advise_on_own_weight(policy.params.measure, event.measure))

    def _note(self, record: FragmentRecord, text: str) -> None:
        self.notes[record.obj][text] = None


def advise_on_own_weight(measure: str, felt: float) -> str:
    """What to do where an object breaks while it only stands; `felt` [m/s or N s] is what its weight makes."""
    name, unit = ("speed", "m/s") if measure == SPEED else ("impulse", "N s")
    enough = max(1.05 * felt, LEAST_THRESHOLD)  # a little more than just enough
    if not can_be(Breakable, name, enough):
        return "It broke under its own weight at once, and no threshold is high enough: support it better."
    return f"It broke under its own weight at once: with a threshold of {at_least(enough)} {unit} it would stand."


def _is_cut(policy: RefracturePolicy, record: FragmentRecord) -> bool:
    """Whether a fragment is cut anew when it breaks; else it breaks along the cracks that it has."""
    if record.parent < 0:
        return policy.whole_first
    return policy.anew and record.generation < policy.params.generations


def _impact(
    event: ContactEvent,
    ratio: float,
    policy: RefracturePolicy,
    model: FractureModel,
    record: FragmentRecord,
    when: FrameTime,
) -> Impact:
    """A blow as the impact that a rule and a pattern are told of."""
    radius = policy.params.radius or AUTOMATIC_RADIUS * diagonal(_corners(model, record.units))
    strength = ratio * policy.params.strength
    return Impact(event.point, event.direction, strength, event.speed, radius, when.time, event.impulse)


def _corners(model: FractureModel, units: Ints) -> Floats:
    """Points of the skin and of the bonds of some units, between which they lie."""
    cells = model.cells
    mine = np.isin(cells.unit, units)
    corner = cells.outer_vertex[np.repeat(mine[cells.outer_cell], np.diff(cells.outer_start))]
    bonds = cells.bond_centroid[mine[cells.bond_cells].any(axis=1)]
    return np.concatenate([cells.vertices[corner], bonds])
