"""One object that a continuum method moves, on its way: when it begins, what of it others meet, and what leaves it."""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arithmetic.elementary import cbrt
from ..arithmetic.products import apply, multiply, norm
from ..arithmetic.small_matrices import eigen_symmetric, rotation_matrices
from ..continuum.contract import ContinuumRun, ReleasedPiece, Surroundings
from ..errors import BrittleError
from ..fragments.piece_body import piece_body
from ..geometry.mesh import diagonal, mass_properties, volume
from ..types import Body, Floats, Frozen, Ints, Mesh
from .chained_runs import ChainedRuns
from .continuum_results import Followed
from .rigid_first import make_rigid_first, speed_of_begin
from .rigid_part import follow_rotation
from .spec import SimObject
from .turned_run import LateBegin, start_late

#: How far points may be from their places at rest, in the size of a piece, so that it is not bent. By eye: no jump is
#: seen; brittle matter breaks at less.
_UNBENT = 0.005
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


class ContinuumBody:
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
        self._volume = float(obj.model.units.volume.sum())
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

    def advance(
        self, frame: int, around: Surroundings, last: bool = False
    ) -> Generator[float, None, tuple[ReleasedPiece, ...]]:
        """Go on to a stored frame; `last`: only that which has begun last."""
        if last and isinstance(self.run, ChainedRuns):
            return (yield from self.run.advance_last(frame, around))
        return (yield from self.run.advance(frame, around))

    def may_begin_again(self, piece: HandedPiece) -> bool:
        """Whether a piece that goes on as a rigid body deforms again when something hits it."""
        whole = len(piece.obj.model.units.volume) == 1
        return self.speed > 0.0 and whole and self._params_again(piece.obj.model.body) is not None

    def _params_again(self, form: Body) -> Any:
        first = self.model.method.rigid_first
        share = volume(form.vertices, form.triangles) / self._volume
        return None if first is None else first.again(self.model.params, share)

    def begin_again_steps(self, piece: int, form: Body, mass: float, begin: LateBegin) -> Generator[float, None, bool]:
        """Divide a piece anew, which was rigid in some form, and let it begin; False where it cannot be divided."""
        method, obj = self.model.method, self.model.obj
        body, begin = _as_origin(self.skin(piece), form, begin)
        # It weighs what it weighed, but for what fields make of that in finer cells.
        density = obj.material.density if obj.fields else mass / volume(body.vertices, body.triangles)
        material = replace(obj.material, density=density)
        again = replace(obj, body=body, material=material, impacts=(), recipe=None)
        params = self._params_again(form)
        try:
            divided = yield from method.divide(again, params)
            run = start_late(method, again, divided, params, begin)
        except BrittleError:
            return False
        if not isinstance(self.run, ChainedRuns):
            self._run = ChainedRuns(self.run)
            assert len(self._run.pieces)  # the first ones keep their numbers
        assert isinstance(self._run, ChainedRuns)
        self._run.add(run, piece)
        return True

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


def _as_origin(rest: Body, form: Body, begin: LateBegin) -> tuple[Body, LateBegin]:
    """A piece in its form, as near to its place at rest as it can be without bending; it begins where it was.

    So what is fixed to places of the whole, as fields and paint, is where it was on the piece. It has the volume that
    it had at rest, and what is hardly bent has its form at rest.
    """
    centre, middle = rest.vertices.mean(axis=0), form.vertices.mean(axis=0)
    q = follow_rotation(rest.vertices - centre, form.vertices - middle, np.array([1.0, 0.0, 0.0, 0.0]))
    R = rotation_matrices(q[None])[0]
    vertices = apply(R.T, form.vertices - middle) + centre
    if float(norm(vertices - rest.vertices).max()) <= _UNBENT * diagonal(rest.vertices):
        vertices = rest.vertices
    else:
        swollen = cbrt(volume(rest.vertices, rest.triangles) / volume(form.vertices, form.triangles))
        vertices = centre + swollen * (vertices - centre)
    body = replace(form, vertices=vertices)
    shift = begin.shift + apply(begin.turn, middle - apply(R, centre))
    return body, replace(begin, turn=multiply(begin.turn, R), shift=shift)


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
