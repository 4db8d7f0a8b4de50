"""Objects that a continuum method moves: their neighbours, what leaves them, and what came of them.

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
from ..continuum.contract import ReleasedPiece, last_change
from ..fragments.piece_body import piece_body
from ..geometry.mesh import mass_properties
from ..stepwise import map_steps, overall_share
from ..types import Body, Floats, Frozen, Ints, Mesh
from .continuum_results import Followed, continuum_result
from .live_fragments import LiveFragments
from .obstacles import FrameSurroundings
from .pose_record import PoseRecord
from .rigid_obstacles import RigidObstacles
from .rigid_part import follow_rotation
from .spec import FractureResult, SimObject, SimulationSpec

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
        self.run = self.model.method.start(self.model.obj, self.model.divided, self.model.params)
        self.left: dict[int, Followed] = {}  # pieces that are rigid, by number
        self._skins: dict[int, Body] = {}

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

    def __bool__(self) -> bool:
        return len(self._objects) > 0

    @property
    def count(self) -> int:
        """Number of pieces that live, and have not left."""
        return sum(len(one.held()) for one in self._objects)

    @property
    def last_cause(self) -> int:
        """The last stored frame in which an impact acts on one of them, or anything of it changes; 0: none."""
        clock = self._spec.clock
        hits = [round(impact.time * clock.fps) for one in self._objects for impact in one.obj.impacts]
        changes = [last_change(one.model.obj.courses) for one in self._objects]
        return min(max([*hits, *changes], default=0), clock.frames - 1)

    def advance_steps(self, frame: int, live: LiveFragments) -> Generator[float, None, None]:
        """Move all of them on to a stored frame; what is rigid is where it was. Yields the share that is done."""
        environment, dt = self._spec.environment, 1.0 / self._spec.clock.fps
        obstacles = (*environment.obstacles(frame), *self._rigid.of(live, dt))
        self._leaving = []
        for k, one in enumerate(self._objects):
            around = FrameSurroundings(environment.gravity, dt, environment.ground, obstacles, one.obj.place)
            progress = partial(overall_share, k, len(self._objects))
            left = yield from map_steps(one.run.advance(frame, around), progress)
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
        for one in self._objects:
            kinetic, potential = one.run.energy()
            result += (kinetic, 0.0, potential)
        return result

    def are_calm(self) -> bool:
        """Whether nothing of them will change any more by itself."""
        return all(one.run.is_calm() for one in self._objects)

    def finish(
        self, frames: int, rigid: Sequence[FractureResult], record: PoseRecord
    ) -> Generator[FractureResult, None, None]:
        """What came of each in a number of stored frames; `rigid` are the results of all that is rigid."""
        for one in self._objects:
            yield continuum_result(one.run, one.model.obj, one.left, frames, rigid, record)
