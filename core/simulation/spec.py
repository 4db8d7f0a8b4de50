"""What goes into the frame loop and what comes out."""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ..breaking import Rule
from ..config.breakable import Breakable
from ..config.material import Material
from ..config.params import DeclaredParams
from ..continuum.contract import Continuum, ContinuumObject
from ..path import Path
from ..rigid.contract import FrameSteps
from ..rigid.state import RigidBodies, RigidState, World
from ..types import (
    Body,
    Cells,
    Clock,
    Floats,
    Fracture,
    Fragments,
    Frozen,
    Impact,
    Influence,
    Ints,
    Motion,
    Progress,
    Strengths,
    Units,
    VertexTrack,
)
from .deforming_mesh import LiveSurface
from .environment import Environment


@dataclass(frozen=True, eq=False, slots=True)
class VisibleCells(Frozen):
    """What is seen of cells: rough ones, cut from what is seen of the body, with the same units."""

    body: Body
    cells: Cells


@dataclass(frozen=True, eq=False, slots=True)
class CutOrigin(Frozen):
    """What a model was cut from."""

    impacts: tuple[Impact, ...]  #: around which it was cut, as the pattern knows them
    model: "FractureModel | None" = None  #: of which it is a piece; None: it is the object itself
    units: Ints | None = None  #: of that model; None: all of its body, as it is


@dataclass(frozen=True, eq=False, slots=True)
class FractureModel(Frozen):
    """What is broken: the body, its cells and units, the strength of each link, the material, the rule.

    Nothing that happens depends on what is seen of it.
    """

    body: Body
    cells: Cells
    units: Units
    strengths: Strengths
    material: Material
    rule: Rule
    params: DeclaredParams  #: the rule's
    seed: int
    rough: VisibleCells | None = None  #: what is seen of it; None: it is seen as it is
    #: (T,) of a visible body that is a piece: the bond on which each triangle lay before, -1 on the skin. Empty: none.
    scar: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    origin: CutOrigin | None = None  #: None: it was not cut

    @property
    def visible(self) -> VisibleCells:
        """What is seen of it."""
        return VisibleCells(self.body, self.cells) if self.rough is None else self.rough

    @property
    def density(self) -> float | Floats:
        """[kg/m^3] of all of it, or (C,) of each cell where it varies."""
        varies = self.strengths.density
        return self.material.density * varies if (varies != 1.0).any() else self.material.density


@dataclass(frozen=True, eq=False, slots=True)
class SurfaceMotion(Frozen):
    """How the surface of an object moves that deforms: at the corners of the triangles of its mesh."""

    place: Floats  #: (T,3,3) in the object's material coordinates [m]
    velocity: Floats  #: (T,3,3) [m/s]


@dataclass(frozen=True, slots=True)
class InitialMotion:
    """How a whole object moves before it is hit."""

    velocity: Floats  #: (3,) of the pivot [m/s]
    spin: Floats  #: (3,) [rad/s]
    pivot: Floats  #: (3,) a point in the object's material coordinates [m]
    surface: SurfaceMotion | None = None  #: in place of all three, where it deforms at the start


#: (body, impacts in its coordinates, what is seen of the body or None) -> its model, cut into pieces around them.
#: Raises CutError.
CutBody: TypeAlias = Callable[[Body, tuple[Impact, ...], Body | None], FractureModel]


@dataclass(frozen=True, slots=True)
class RefracturePolicy:
    """How an object answers what runs into it."""

    params: Breakable
    cut: CutBody
    whole_first: bool  #: the object is whole until it is hit, and cut only then
    anew: bool  #: pieces are cut anew, too


def _here() -> Floats:
    return np.zeros(3)


@dataclass(frozen=True, eq=False, slots=True)
class ContinuumModel(Frozen):
    """An object that a continuum method moves."""

    method: Continuum
    params: DeclaredParams  #: the method's
    obj: ContinuumObject
    divided: Any  #: what the method divided it into
    #: (body, mass [kg]) -> the model of a piece that goes on as a rigid body, in the form of that body.
    as_rigid: "Callable[[Body, float], FractureModel]"
    surface: LiveSurface  #: by which the environment knows it


@dataclass(frozen=True, eq=False, slots=True)
class SimObject(Frozen):
    """One object that may break."""

    name: str  #: for messages
    model: FractureModel  #: as it is at the start
    impacts: tuple[Impact, ...] = ()  #: with a resolved radius; one later than the clock acts on its last frame
    momentum: InitialMotion | None = None  #: None: at rest
    place: Floats = field(default_factory=_here)  #: (3,) zero of its material coordinates in the world [m]
    policy: RefracturePolicy | None = None  #: None: only impacts break it
    influence: Influence = field(default_factory=Influence)  #: on contacts, and on what is held
    stands: bool = False  #: what touches the ground is held there
    path: Path | None = None  #: that it follows until it breaks, see `kinematic_objects`
    #: Stored frame -> the object as it is then, with the momentum of that frame; raises InputError or CutError where it
    #: cannot be broken. For one that deforms until it breaks, see `deforming_objects`; None: it does not.
    deformed_at: "DeformedAt | None" = None
    continuum: ContinuumModel | None = None  #: that a continuum method moves it; None: it is rigid until it breaks


DeformedAt: TypeAlias = Callable[[int], Generator[Progress, None, SimObject]]

#: A motion with its params: (bodies, state, world, dt) -> its steps, see rigid/contract.py.
AdvanceFrame: TypeAlias = Callable[[RigidBodies, RigidState, World, float], FrameSteps]


@dataclass(frozen=True, slots=True)
class SimulationSpec:
    """What happens to the objects."""

    environment: Environment
    clock: Clock
    move: AdvanceFrame
    touches: bool = False  #: whether it is kept what pressed on what
    meets: bool = True  #: whether anything can come to touch anything: else nothing needs a shape
    most: int = 100_000  #: pieces that there may be at one time: beyond, contacts break nothing; by eye


@dataclass(frozen=True, eq=False, slots=True)
class PastCut(Frozen):
    """One body that was cut, or left whole."""

    parent: int  #: the cut of whose units it is, an earlier one of the history; -1: the object's own body
    units: Ints | None  #: of that cut; None: all of its body, as it is
    impacts: tuple[Impact, ...] | None  #: around which it was cut; None: it was left whole
    count: int  #: units that it has


@dataclass(frozen=True, eq=False, slots=True)
class CutHistory(Frozen):
    """All cuts of an object, each behind the one that it comes from, and of what its K fragments are made."""

    cuts: tuple[PastCut, ...]
    fragment_cut: Ints  #: (K,) ascending
    fragment_start: Ints  #: (K+1,)
    fragment_unit: Ints  #: (.,) units of each fragment, in its cut

    def units_of(self, cut: int) -> list[Ints]:
        """The units of each fragment that is made of a cut."""
        return [
            self.fragment_unit[self.fragment_start[k] : self.fragment_start[k + 1]]
            for k in np.flatnonzero(self.fragment_cut == cut)
        ]


@dataclass(frozen=True, eq=False, slots=True)
class FractureResult:
    """What came of an object."""

    bodies: tuple[Body, ...]  #: that were cut: the object's own, then those of its pieces, all in its coordinates
    fracture: Fracture
    fragments: Fragments  #: their outer triangles count through all the bodies
    motion: Motion  #: in the object's own coordinates
    #: Stored frame until which the object itself is seen, as its animation deforms it; 0 where that counts for nothing,
    #: the number of frames where it never broke: then the one fragment stands for it.
    until: int
    utilisation: float  #: largest load / limit that any hit reached; above 1 something cracked
    notes: tuple[str, ...] = ()  #: for the report, a sentence each
    tracks: tuple[VertexTrack, ...] = ()  #: of the fragments that deform, ascending
    history: CutHistory | None = None  #: by which its fragments can be made again; None: they were not cut
