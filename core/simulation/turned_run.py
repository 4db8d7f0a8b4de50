"""A continuum that begins later than the clock: its own coordinates are where its matter was at rest, turned and moved.

So a method begins at a frame 0 of its own, with its matter undeformed, whatever its object did before as a rigid body.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arithmetic.products import apply
from ..continuum.contract import (
    Continuum,
    ContinuumObject,
    ContinuumPiece,
    ContinuumRun,
    DrawnPieces,
    NearestSurface,
    ReleasedPiece,
    RigidBegin,
    Surroundings,
    TetrahedronOverlaps,
)
from ..types import Clock, Course, Floats, Frozen, Impact


@dataclass(frozen=True, eq=False, slots=True)
class LateBegin(Frozen):
    """Where an object is, and what it has, when its continuum begins; all in the object's coordinates."""

    frame: int  #: stored frame
    turn: Floats  #: (3,3) rotation from its rest pose
    shift: Floats  #: (3,) where the zero of its material coordinates is [m]
    centre: Floats  #: (3,) of mass [m]
    momentum: Floats  #: (3,) [kg m/s]
    angular_momentum: Floats  #: (3,) about that centre [kg m^2/s]
    place_energy: float  #: of place, that it has as a rigid body [J]

    def to_own(self, points: Floats) -> Floats:
        """Points (n,3) in the coordinates of the continuum."""
        return apply(self.turn.T, points - self.shift)

    def to_object(self, points: Floats) -> Floats:
        """Points (n,3) of the continuum in the object's coordinates."""
        return np.asarray(apply(self.turn, points) + self.shift)


@dataclass(frozen=True, slots=True)
class TurnedSurroundings:
    """The `continuum.contract.Surroundings` of a frame, seen from what is turned and moved."""

    around: Surroundings
    begin: LateBegin

    @property
    def gravity(self) -> Floats:
        """(3,) [m/s^2]."""
        return apply(self.begin.turn.T, self.around.gravity)

    @property
    def dt(self) -> float:
        """Of the frame [s]."""
        return self.around.dt

    def find_nearest(self, points: Floats, share: float) -> NearestSurface:
        """The surface nearest to points (n,3)."""
        found, back = self.around.find_nearest(self.begin.to_object(points), share), self.begin.turn.T
        return NearestSurface(found.distance, apply(back, found.normal), apply(back, found.velocity))

    def find_overlaps(self, tetrahedra: Floats, share: float) -> TetrahedronOverlaps:
        """What tetrahedra (n,4,3) share with what is in the way."""
        found, back = self.around.find_overlaps(self.begin.to_object(tetrahedra), share), self.begin.turn.T
        area, velocity = apply(back, found.area), apply(back, found.velocity)
        return replace(found, centre=self.begin.to_own(found.centre), area=area, velocity=velocity)


class TurnedRun:
    """The `continuum.contract.ContinuumRun` of an object that begins late, in the object's coordinates and frames."""

    def __init__(self, run: ContinuumRun, begin: LateBegin) -> None:
        self._run, self.begin = run, begin
        self._pieces: list[ContinuumPiece] = []

    @property
    def pieces(self) -> Sequence[ContinuumPiece]:
        """All that there ever were; the first ones are there from the start of the clock on."""
        for one in self._run.pieces[len(self._pieces) :]:
            birth = 0 if one.parent < 0 else one.birth + self.begin.frame
            self._pieces.append(replace(one, birth=birth))
        return self._pieces

    @property
    def notes(self) -> Sequence[str]:
        """For the report."""
        return self._run.notes

    def advance(self, frame: int, around: Surroundings) -> Generator[float, None, tuple[ReleasedPiece, ...]]:
        """Go on to a stored frame."""
        begin, turned = self.begin, TurnedSurroundings(around, self.begin)
        left = yield from self._run.advance(frame - begin.frame, turned)
        return tuple(
            replace(
                one,
                centre=begin.to_object(one.centre),
                momentum=apply(begin.turn, one.momentum),
                angular_momentum=apply(begin.turn, one.angular_momentum),
            )
            for one in left
        )

    def deform(self, piece: int, points: Floats, frame: int) -> Floats:
        """Where points (n,3) of a piece are at a stored frame, from that at which it began on."""
        return self.begin.to_object(self._run.deform(piece, points, frame - self.begin.frame))

    def energy(self) -> Floats:
        """(2,) kinetic energy, and that of place and strain [J]."""
        return np.asarray(self._run.energy() + np.array([0.0, self.begin.place_energy]))

    def is_calm(self) -> bool:
        """Whether nothing will change any more by itself."""
        return self._run.is_calm()

    def draw(self) -> DrawnPieces | None:
        """The pieces as they are to be seen, at rest."""
        return self._run.draw()


def start_late(method: Continuum, obj: ContinuumObject, divided: object, params: object, begin: LateBegin) -> TurnedRun:
    """The run of an object that was rigid until a stored frame."""
    time = begin.frame / obj.clock.fps
    spheres = obj.influence.spheres.copy()
    spheres[:, :3] = begin.to_own(spheres[:, :3])
    influence = replace(obj.influence, spheres=spheres, start=obj.influence.start - time, end=obj.influence.end - time)
    back = begin.turn.T
    own = replace(
        obj,
        impacts=tuple(_own_impact(hit, begin, time) for hit in obj.impacts if _is_to_come(hit, begin, obj.clock)),
        influence=influence,
        clock=replace(obj.clock, frames=obj.clock.frames - begin.frame, least=0),
        courses=tuple(Course(one.name, one.values[min(begin.frame, len(one.values) - 1) :]) for one in obj.courses),
        begin=RigidBegin(
            begin.to_own(begin.centre[None])[0],
            apply(back, begin.momentum),
            apply(back, begin.angular_momentum),
            begin.turn,
        ),
    )
    return TurnedRun(method.start(own, divided, params), begin)


def _is_to_come(hit: Impact, begin: LateBegin, clock: Clock) -> bool:
    return round(hit.time * clock.fps) >= begin.frame


def _own_impact(hit: Impact, begin: LateBegin, time: float) -> Impact:
    point, direction = begin.to_own(hit.point[None])[0], apply(begin.turn.T, hit.direction)
    return replace(hit, point=point, direction=direction, time=hit.time - time)
