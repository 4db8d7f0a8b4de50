"""Objects that a continuum method moves: their neighbours, what leaves them, and what came of them.

Some are rigid first, until something hits them: they are among the rigid bodies then, and begin where these are, with
what these have.

In a frame what deforms goes first; it meets colliders and rigid pieces as these will be if nothing stops them. Then
what is rigid moves, to which its surface is kinematic. Momentum that the two exchange is that of their contact springs
and is not balanced between them; what a piece takes along when it leaves is exact.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..arithmetic.products import apply
from ..arithmetic.small_matrices import eigen_symmetric, rotation_matrices
from ..continuum.contract import ContinuumRun, ReleasedPiece, last_change
from ..fragments.piece_body import piece_body
from ..geometry.mesh import mass_properties
from ..stepwise import map_steps, overall_share
from ..types import Body, Floats, Frozen, Ints, Mesh
from .continuum_results import Followed, Ways, continuum_result
from .live_fragments import LiveFragments
from .obstacles import FrameSurroundings, Obstacle
from .pose_record import PoseRecord
from .rigid_first import late_begin, make_rigid_first, never_begun, speed_of_begin
from .rigid_obstacles import RigidObstacles
from .rigid_part import follow_rotation
from .spec import FractureResult, SimObject, SimulationSpec
from .turned_run import LateBegin, start_late

#: Part of its volume and of its least second moment below which a piece is crushed: as a rigid body it has its form at
#: rest. By eye.
_CRUSHED = 0.1


@dataclass(frozen=True, eq=False, slots=True)
class HandedPiece(Frozen):
    """A piece on its way from a continuum to the rigid bodies, with what it has in the object's coordinates."""

    source: int  #: which of the objects it left
    piece: int
    obj: SimObject  #: what it is from now on, in the form that it has
    momentum: Floats  #: (3,) [kg m/s]
    angular_momentum: Floats  #: (3,) about the centre of mass of `obj` [kg m^2/s]


class _DeformingObject:
    """One object on its way."""

    def __init__(self, obj: SimObject) -> None:
        assert obj.continuum is not None
        self.obj, self.model = obj, obj.continuum
        self.rigid = make_rigid_first(obj, self.model.obj.clock.fps)  #: what it is until it is hit, if that is rigid
        self.speed = speed_of_begin(self.model)  #: of contacts that leave it so [m/s]
        self.sooner: Followed | None = None  #: where it is then among the rigid ones, and until which stored frame
        self._run: ContinuumRun | None = None
        if self.rigid is None:
            self._run = self.model.method.start(self.model.obj, self.model.divided, self.model.params)
        self.left: dict[int, Followed] = {}  # pieces that are rigid, by number
        self._skins: dict[int, Body] = {}

    @property
    def waits(self) -> bool:
        """Whether nothing has hit it yet."""
        return self._run is None

    @property
    def run(self) -> ContinuumRun:
        """Its way as a continuum, once it has begun."""
        assert self._run is not None
        return self._run

    def begin(self, begin: LateBegin, number: int) -> None:
        """Let it begin, which was the object `number` of the rigid ones."""
        self._run = start_late(self.model.method, self.model.obj, self.model.divided, self.model.params, begin)
        self.sooner = Followed(number, begin.frame)

    def skin(self, piece: int) -> Body:
        """The surface of a piece at rest, as triangles."""
        if piece not in self._skins:
            one = self.run.pieces[piece]
            self._skins[piece], _, _ = piece_body(one.cells, one.units, one.body)
        return self._skins[piece]

    def held(self) -> list[int]:
        """The pieces that live, and have not left."""
        parents = {one.parent for one in self.run.pieces}
        return [k for k in range(len(self.run.pieces)) if k not in parents and k not in self.left]

    def surface(self, frame: int) -> tuple[Mesh, Mesh]:
        """What it is made of at the end of a frame, as it was at both ends of it, in the world."""
        skins = [(k, self.skin(k)) for k in self.held()]
        first = np.cumsum([0] + [len(skin.vertices) for _, skin in skins])
        rows = [skin.triangles + start for (_, skin), start in zip(skins, first[:-1], strict=True)]
        triangles: Ints = np.concatenate([np.zeros((0, 3), np.int64), *rows])
        ends = []
        for at in (frame - 1, frame):
            places = [self.run.deform(k, skin.vertices, at) + self.obj.place for k, skin in skins]
            ends.append(Mesh(self.obj.name, np.concatenate([np.zeros((0, 3)), *places]), triangles))
        return ends[0], ends[1]

    def hand_over(self, number: int, released: ReleasedPiece, frame: int) -> HandedPiece:
        """A piece as the rigid body that it becomes, with all of its momentum and angular momentum."""
        skin = self.skin(released.piece)
        places = self.run.deform(released.piece, skin.vertices, frame)
        if _is_crushed(skin, places):
            places = _as_at_rest(skin.vertices, places)
        form = replace(skin, vertices=places, polygon=skin.polygon[:0])  # bent faces are flat no more
        model = self.model.as_rigid(form, released.mass)
        arm = released.centre - model.units.centroid[0]
        return HandedPiece(
            number,
            released.piece,
            SimObject(f"{self.obj.name} {released.piece}", model, place=self.obj.place),
            released.momentum,
            released.angular_momentum + np.cross(arm, released.momentum),
        )


def _is_crushed(rest: Body, places: Floats) -> bool:
    """Whether a piece in the form of points (n,3) has next to no volume, or moments of inertia that no body has."""
    V, _, S = mass_properties(rest.vertices, rest.triangles)
    v, _, s = mass_properties(places, rest.triangles)
    (least, *_), _ = eigen_symmetric(S)
    (now, *_), _ = eigen_symmetric(s)
    return bool(v < _CRUSHED * V or now < _CRUSHED * least)


def _as_at_rest(rest: Floats, places: Floats) -> Floats:
    """Points in their form at rest, where others (n,3) are."""
    centre, middle = rest.mean(axis=0), places.mean(axis=0)
    q = follow_rotation(rest - centre, places - middle, np.array([1.0, 0.0, 0.0, 0.0]))
    return np.asarray(middle + apply(rotation_matrices(q[None])[0], rest - centre))


class ContinuumObjects:
    """All objects of a run that a continuum method moves."""

    def __init__(self, objects: Sequence[SimObject], spec: SimulationSpec) -> None:
        self._spec, self._objects = spec, [_DeformingObject(obj) for obj in objects]
        self._rigid = RigidObstacles()
        self._leaving: list[HandedPiece] = []
        self._waiting: dict[int, _DeformingObject] = {}  # those that are rigid, by their numbers there

    def __bool__(self) -> bool:
        return any(not one.waits for one in self._objects)

    def rigid_first(self, first: int) -> list[SimObject]:
        """What some are until something hits them: the objects of numbers from `first` on among the rigid ones."""
        waiting = [one for one in self._objects if one.rigid is not None]
        self._waiting = dict(enumerate(waiting, start=first))
        return [one.rigid for one in waiting if one.rigid is not None]

    def limits(self, objects: Ints) -> Floats:
        """(K,) speed [m/s] of contacts that make objects begin which have such numbers; infinite for all others."""
        result = np.full(len(objects), np.inf)
        for number, one in self._waiting.items():
            result[objects == number] = one.speed
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
            if any(hit.speed > 0.0 and round(hit.time * fps) == frame for hit in one.obj.impacts)
        ]

    def begin(self, number: int, frame: int, live: LiveFragments) -> None:
        """Let one that waits begin at a stored frame, with what it has among the rigid ones, and leave these.

        It may be asked on the way to the next frame, too.
        """
        one = self._waiting.pop(number)
        (row,) = live.rows_of(number)
        one.begin(late_begin(live, int(row), frame, one.obj.place, self._spec.environment.gravity), number)

    def catch_up_steps(self, number: int, frame: int, live: LiveFragments) -> Generator[float, None, None]:
        """Move one that has begun on the way to a stored frame on to that."""
        (k,) = (k for k, one in enumerate(self._objects) if one.sooner is not None and one.sooner.number == number)
        yield from self._advance_one(k, frame, live, self._obstacles(frame, live))

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
        self, k: int, frame: int, live: LiveFragments, obstacles: tuple[Obstacle, ...]
    ) -> Generator[float, None, None]:
        one, environment = self._objects[k], self._spec.environment
        dt = 1.0 / self._spec.clock.fps
        around = FrameSurroundings(environment.gravity, dt, environment.ground, obstacles, one.obj.place)
        left = yield from one.run.advance(frame, around)
        if len(live.alive):  # else nobody meets it
            one.model.surface.show(*one.surface(frame))
        self._leaving += [one.hand_over(k, piece, frame) for piece in left]

    @property
    def released(self) -> Sequence[HandedPiece]:
        """What leaves at the end of the stored frame to which these were moved last."""
        return self._leaving

    def follow(self, piece: HandedPiece, number: int, frame: int) -> None:
        """Note that a piece is the object `number` of the rigid ones from a stored frame on."""
        self._objects[piece.source].left[piece.piece] = Followed(number, frame)

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
        numbers = {id(one): number for number, one in self._waiting.items()}
        for one in self._objects:
            if one.waits:
                yield never_begun(rigid[numbers[id(one)]], one.speed)
            else:
                yield continuum_result(one.run, one.model.obj, Ways(one.sooner, one.left), frames, rigid, record)
