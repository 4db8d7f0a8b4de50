"""What every continuum method takes and gives: one object that deforms until it cracks, on its way through the clock.

A method divides a body into what it computes with (`divide`), and lets that run (`start`). It tells which pieces there
are, made of which units of which cells, and where any point of them is. What is seen of it, what others run into, and
what becomes of a piece that goes on as a rigid body, is made of that in `simulation`, alike for all methods.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..config.material import Material
from ..config.surface import Surface
from ..strength.choice import FieldChoice
from ..strength.origin import Origin
from ..types import Body, Cells, Clock, Course, Floats, Frozen, Impact, Influence, Ints, LatticeRecipe


@dataclass(frozen=True, eq=False, slots=True)
class NearestSurface(Frozen):
    """The surface nearest to each of n points, of all that is in the way."""

    distance: Floats  #: (n,) negative inside of it; infinite where nothing is in the way [m]
    normal: Floats  #: (n,3) unit, outward
    velocity: Floats  #: (n,3) of the surface there [m/s]


@dataclass(frozen=True, eq=False, slots=True)
class TetrahedronOverlaps(Frozen):
    """What m pairs of a tetrahedron and something in its way share; a tetrahedron may be in several of them."""

    tetrahedron: Ints  #: (m,) ascending
    volume: Floats  #: (m,) of what they share, positive [m^3]
    centre: Floats  #: (m,3) of that [m]
    area: Floats  #: (m,3) of the surface within the tetrahedron, as the sum of its outward normals [m^2]
    velocity: Floats  #: (m,3) of the surface, where it is nearest to the centre [m/s]


class Surroundings(Protocol):
    """What is in the way of an object during one frame, in its own coordinates."""

    @property
    def gravity(self) -> Floats:
        """(3,) [m/s^2]."""

    @property
    def dt(self) -> float:
        """Of the frame [s]."""

    def find_nearest(self, points: Floats, share: float) -> NearestSurface:
        """The surface nearest to points (n,3), where everything is at a `share` 0..1 of the frame."""

    def find_overlaps(self, tetrahedra: Floats, share: float) -> TetrahedronOverlaps:
        """What tetrahedra (n,4,3), whichever way round, share with what is in the way at a `share` of the frame."""


@dataclass(frozen=True, eq=False, slots=True)
class RigidBegin(Frozen):
    """What an object has that was a rigid body until its continuum begins: in its own coordinates, turned with it."""

    centre: Floats  #: (3,) of mass [m]
    momentum: Floats  #: (3,) [kg m/s]
    angular_momentum: Floats  #: (3,) about that centre [kg m^2/s]
    turn: Floats  #: (3,3) from these coordinates to the axes of the world


@dataclass(frozen=True, eq=False, slots=True)
class ContinuumObject(Frozen):
    """An object as a continuum method gets it; all in its own coordinates."""

    body: Body
    material: Material
    origin: Origin  #: the whole object, to which fields and paint are fixed
    fields: tuple[FieldChoice, ...]  #: of strength and density, see `strength.stack`
    impacts: tuple[Impact, ...]  #: with resolved radii
    velocity: Floats  #: (3,) of the pivot at the start [m/s]
    spin: Floats  #: (3,) at the start [rad/s]
    pivot: Floats  #: (3,) [m]
    influence: Influence  #: with spheres in its own coordinates, which stay where they are while it moves
    clock: Clock
    seed: int
    courses: tuple[Course, ...] = ()  #: what changes of the params from frame to frame
    surface: Surface = field(default_factory=Surface)  #: how rough broken faces are, where they are rough
    recipe: LatticeRecipe | None = None  #: of its inside, where the artist has added the mesh as a lattice
    begin: RigidBegin | None = None  #: in place of velocity and spin, to 1e-9, where it was rigid before


@dataclass(frozen=True, eq=False, slots=True)
class ContinuumPiece(Frozen):
    """Matter that hangs together from its birth on: some units of cells."""

    body: Body  #: that was cut
    cells: Cells
    units: Ints
    parent: int  #: piece that it broke from, -1 for the first ones
    birth: int  #: stored frame from which it exists


@dataclass(frozen=True, eq=False, slots=True)
class ReleasedPiece(Frozen):
    """A piece that goes on as a rigid body from the end of a frame on, and what it has then."""

    piece: int
    mass: float  #: [kg]
    centre: Floats  #: (3,) of mass [m]
    momentum: Floats  #: (3,) [kg m/s]
    angular_momentum: Floats  #: (3,) about that centre [kg m^2/s]


@dataclass(frozen=True, eq=False, slots=True)
class DrawnPieces(Frozen):
    """What is seen of the pieces of a run: the body cut along their borders anew."""

    cells: Cells  #: with a unit for each piece that did not break on
    unit: Ints  #: (U,) of these cells to which each unit of the pieces belongs


class ContinuumRun(Protocol):
    """An object on its way. Pieces are never taken away: one that breaks dies when the first of its pieces is born."""

    @property
    def pieces(self) -> Sequence[ContinuumPiece]:
        """All that there ever were, by number."""

    @property
    def notes(self) -> Sequence[str]:
        """For the report, a sentence each."""

    def advance(self, frame: int, around: Surroundings) -> Generator[float, None, tuple[ReleasedPiece, ...]]:
        """Go on to stored frame `frame`, from 1 on: yields the share that is done, returns what leaves at its end."""

    def deform(self, piece: int, points: Floats, frame: int) -> Floats:
        """Where points (n,3) of a piece, given at rest, are at a stored frame up to the last one.

        Asked of frames before the birth of a piece, too: where its matter was.
        """

    def energy(self) -> Floats:
        """(2,) kinetic energy, and that of place and strain, of what has not left [J]."""

    def is_calm(self) -> bool:
        """Whether nothing will change any more by itself."""

    def draw(self) -> DrawnPieces | None:
        """The pieces as they are to be seen, once all is over; None: as their cells are."""


#: An object and params -> what the method computes with: nodes and springs, elements. Raises InputError for what it
#: cannot divide. A method that yields in between tells the share that is done.
Divide: TypeAlias = Callable[[ContinuumObject, Any], Generator[float, None, Any]]
#: An object, that, and params -> the run at stored frame 0, its impacts of time 0 yet to come.
Start: TypeAlias = Callable[[ContinuumObject, Any, Any], ContinuumRun]


@dataclass(frozen=True, slots=True)
class ContinuumEstimate:
    """What a run is foretold to be, before anything is divided."""

    elements: int
    element: str  #: what these are called, in the plural
    substeps: int  #: in a frame
    seconds: float  #: of one core, as long as nothing breaks


#: A body, its material, the recipe of its inside, params and the clock -> what is foretold. Cheap enough to follow a
#: slider. Raises InputError for what would take for ever.
EstimateRun: TypeAlias = Callable[[Body, Material, LatticeRecipe | None, Any, Clock], ContinuumEstimate]
#: Params and the area of sheets [m^2] -> how thick these have to be at least for the method to divide them [m].
ThickenSheets: TypeAlias = Callable[[Any, float], float]


@dataclass(frozen=True, slots=True)
class RigidFirst:
    """How a method lets objects be rigid until something hits them."""

    #: Params and what changes of them -> the speed of contacts that leave objects rigid [m/s]; 0: they never are.
    below: Callable[[Any, Sequence[Course]], float]
    mass: Callable[[Any], float]  #: what an object was divided into -> its mass [kg]
    #: Params and the share of the object's volume of a piece that has become rigid -> params with which it is divided
    #: anew when something hits it; None: it stays rigid.
    again: Callable[[Any, float], Any]


@dataclass(frozen=True, slots=True)
class Continuum:
    """A continuum method at work."""

    divide: Divide
    start: Start
    sheet_thickness: ThickenSheets
    estimate: EstimateRun
    rigid_first: RigidFirst | None = None  #: None: everything deforms from the first frame on


def value_at(courses: Sequence[Course], name: str, frame: int, otherwise: float) -> float:
    """A value on its course at a stored frame; `otherwise` where it has none."""
    for course in courses:
        if course.name == name:
            return float(course.values[min(frame, len(course.values) - 1)])
    return otherwise


def last_change(courses: Sequence[Course]) -> int:
    """The last stored frame at which a value is another one than the frame before; 0 where there is none."""
    changes = [np.flatnonzero(course.values[1:] != course.values[:-1]) for course in courses]
    return max((int(rows[-1]) + 1 for rows in changes if len(rows)), default=0)


def no_overlaps() -> TetrahedronOverlaps:
    """Of tetrahedra in whose way nothing is."""
    return TetrahedronOverlaps(np.zeros(0, np.int64), np.zeros(0), *(np.zeros((0, 3)) for _ in range(3)))


def no_surface(count: int) -> NearestSurface:
    """Of points in whose way nothing is."""
    return NearestSurface(np.full(count, np.inf), np.zeros((count, 3)), np.zeros((count, 3)))
