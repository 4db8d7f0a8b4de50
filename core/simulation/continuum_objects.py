"""Objects that a continuum method moves: their neighbours, what leaves them, and what came of them.

Some are rigid first, until something hits them: they are among the rigid bodies then, and begin where these are, with
what these have.

In a frame what deforms goes first; it meets colliders and rigid pieces as these will be if nothing stops them. Then
what is rigid moves, to which its surface is kinematic. Momentum that the two exchange is that of their contact springs
and is not balanced between them; what a piece takes along when it leaves is exact.
"""

from collections.abc import Generator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..continuum.contract import last_change
from ..stepwise import map_steps, overall_share, result_of
from ..types import Floats, Ints
from .continuum_body import ContinuumBody, HandedPiece
from .continuum_results import Followed, Ways, continuum_result
from .live_fragments import LiveFragments
from .obstacles import FrameSurroundings, Obstacle
from .pose_record import PoseRecord
from .rigid_first import late_begin, never_begun
from .rigid_obstacles import RigidObstacles
from .spec import FractureResult, SimObject, SimulationSpec

#: [s] for which a piece that has become rigid stays so, whatever hits it. By eye, as the cooldown of rigid pieces: what
#: breaks in a pile breaks once and not with each neighbour that comes down.
_COOLDOWN = 0.1


class _Waiting(NamedTuple):
    """What is rigid until something hits it."""

    source: int  #: which of the objects
    piece: int  #: of it; -1: all of it
    since: int  #: stored frame


class ContinuumObjects:
    """All objects of a run that a continuum method moves."""

    def __init__(self, objects: Sequence[SimObject], spec: SimulationSpec) -> None:
        self._spec, self._objects = spec, [ContinuumBody(obj) for obj in objects]
        self._rigid = RigidObstacles()
        self._leaving: list[HandedPiece] = []
        self._waiting: dict[int, _Waiting] = {}  # by their numbers among the rigid ones

    def __bool__(self) -> bool:
        return any(not one.waits for one in self._objects)

    def rigid_first(self, first: int) -> list[SimObject]:
        """What some are until something hits them: the objects of numbers from `first` on among the rigid ones."""
        waiting = [(k, one.rigid) for k, one in enumerate(self._objects) if one.rigid is not None]
        self._waiting = {first + row: _Waiting(k, -1, 0) for row, (k, _) in enumerate(waiting)}
        return [rigid for _, rigid in waiting]

    def limits(self, objects: Ints, frame: int) -> Floats:
        """(K,) speed [m/s] of contacts that make objects begin which have such numbers; infinite for all others.

        That is on the way to a stored frame.
        """
        result = np.full(len(objects), np.inf)
        for number, one in self._waiting.items():
            if one.piece < 0 or frame - one.since > _COOLDOWN * self._spec.clock.fps:
                result[objects == number] = self._objects[one.source].speed
        return result

    def waits(self, number: int) -> bool:
        """Whether an object among the rigid ones waits to be hit."""
        return number in self._waiting

    def struck(self, frame: int) -> list[int]:
        """The numbers of those that wait and that impacts hit at a stored frame."""
        fps = self._spec.clock.fps
        return [
            number
            for number, one in self._waiting.items()
            if one.piece < 0 and self._is_struck(self._objects[one.source].obj, frame / fps)
        ]

    def _is_struck(self, obj: SimObject, time: float) -> bool:
        fps = self._spec.clock.fps
        return any(hit.speed > 0.0 and round(hit.time * fps) == round(time * fps) for hit in obj.impacts)

    def begin_steps(self, number: int, frame: int, live: LiveFragments) -> Generator[float, None, int]:
        """Let one that waits begin at a stored frame, with what it has among the rigid ones, which it leaves then.

        It may be asked on the way to the next frame, too. Returns which of the objects it is, -1 where it cannot begin
        and stays rigid. Yields while it is divided.
        """
        waits = self._waiting.pop(number)
        one, (row,) = self._objects[waits.source], live.rows_of(number)
        begin = late_begin(live, int(row), frame, one.obj.place, self._spec.environment.gravity)
        if waits.piece < 0:
            one.begin(begin, number)
            return waits.source
        mass = float(live.rest.mass[row])
        begun = yield from one.begin_again_steps(waits.piece, live.objects[number].model.body, mass, begin)
        return waits.source if begun else -1

    def begin(self, number: int, frame: int, live: LiveFragments) -> int:
        """`begin_steps`, run to its end at once."""
        return result_of(self.begin_steps(number, frame, live))

    def catch_up_steps(self, source: int, frame: int, live: LiveFragments) -> Generator[float, None, None]:
        """Move what has begun last of an object, on the way to a stored frame, on to that."""
        yield from self._advance_one(source, frame, live, self._obstacles(frame, live), True)

    @property
    def count(self) -> int:
        """Number of pieces that live, and have not left."""
        return sum(len(one.held()) for one in self._objects if not one.waits)

    @property
    def last_cause(self) -> int:
        """The last stored frame in which an impact acts on one of them, or anything of it changes; 0: none."""
        clock = self._spec.clock
        hits = [round(impact.time * clock.fps) for one in self._objects for impact in one.obj.impacts]
        changes = [last_change(one.model.obj.courses) for one in self._objects]
        return min(max([*hits, *changes], default=0), clock.frames - 1)

    def advance_steps(self, frame: int, live: LiveFragments) -> Generator[float, None, None]:
        """Move all of them on to a stored frame; what is rigid is where it was. Yields the share that is done."""
        self._leaving = []
        obstacles = self._obstacles(frame, live) if self else ()
        for k, one in enumerate(self._objects):
            if not one.waits:
                progress = partial(overall_share, k, len(self._objects))
                yield from map_steps(self._advance_one(k, frame, live, obstacles), progress)

    def _obstacles(self, frame: int, live: LiveFragments) -> tuple[Obstacle, ...]:
        environment, dt = self._spec.environment, 1.0 / self._spec.clock.fps
        return (*environment.obstacles(frame), *self._rigid.of(live, dt))

    def _advance_one(
        self, k: int, frame: int, live: LiveFragments, obstacles: tuple[Obstacle, ...], last: bool = False
    ) -> Generator[float, None, None]:
        one, environment = self._objects[k], self._spec.environment
        dt = 1.0 / self._spec.clock.fps
        around = FrameSurroundings(environment.gravity, dt, environment.ground, obstacles, one.obj.place)
        left = yield from one.advance(frame, around, last)
        if len(live.alive):  # else nobody meets it
            one.model.surface.show(*one.surface(frame))
        self._leaving += [one.hand_over(k, piece, frame) for piece in left]

    @property
    def released(self) -> Sequence[HandedPiece]:
        """What leaves at the end of the stored frame to which these were moved last."""
        return self._leaving

    def follow(self, piece: HandedPiece, number: int, frame: int) -> None:
        """Note that a piece is the object `number` of the rigid ones from a stored frame on."""
        one = self._objects[piece.source]
        one.left[piece.piece] = Followed(number, frame)
        if one.may_begin_again(piece):
            self._waiting[number] = _Waiting(piece.source, piece.piece, frame)

    def energy(self) -> Floats:
        """(3,) kinetic energy, 0, and that of place and strain, as `Motion.energy` has them [J]."""
        result = np.zeros(3)
        for one in (one for one in self._objects if not one.waits):
            kinetic, potential = one.run.energy()
            result += (kinetic, 0.0, potential)
        return result

    def are_calm(self) -> bool:
        """Whether nothing of them will change any more by itself."""
        return all(one.waits or one.run.is_calm() for one in self._objects)

    def finish(
        self, frames: int, rigid: Sequence[FractureResult], record: PoseRecord
    ) -> Generator[FractureResult, None, None]:
        """What came of each in a number of stored frames; `rigid` are the results of all that is rigid."""
        numbers = {one.source: number for number, one in self._waiting.items() if one.piece < 0}
        for k, one in enumerate(self._objects):
            if one.waits:
                yield never_begun(rigid[numbers[k]], one.speed)
            else:
                yield continuum_result(one.run, one.model.obj, Ways(one.sooner, one.left), frames, rigid, record)
