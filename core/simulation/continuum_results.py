"""From what a continuum did to what is handed out: pieces, and for each a pose and how its vertices deform on it.

A piece that goes on as a rigid body stays the same piece: it keeps the form in which it left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arithmetic.products import apply, norm
from ..arithmetic.small_matrices import rotation_matrices
from ..continuum.contract import ContinuumObject, ContinuumPiece, ContinuumRun, DrawnPieces
from ..fragments.triangulate import triangulated
from ..geometry.mesh import diagonal, mass_properties
from ..rigid.pose import make_sign_continuous
from ..rigid.quaternion import multiply_quaternion
from ..types import Body, Bools, Floats, Fracture, Fragments, Ints, Made, Motion, VertexTrack
from .assembly import CutPieces, build_pieces, seen_ancestor
from .pose_record import PoseRecord
from .rigid_part import follow_rotation
from .spec import FractureResult

#: Distance from where a rigid motion would lead a vertex that counts as none, in the size of its piece. Chosen: not to
#: be seen, and more than float32 loses (6e-8).
_RIGID = 1e-6


class Followed(NamedTuple):
    """What became of a piece that left."""

    number: int  #: of the object that it is among the rigid ones
    frame: int  #: stored frame from which it is


class Ways(NamedTuple):
    """Where an object was while it was rigid."""

    sooner: Followed | None  #: all of it, until that stored frame
    left: Mapping[int, Followed]  #: pieces that went on as rigid bodies, by number


class _Piece(NamedTuple):
    number: int
    rest: Floats  #: (V,3) vertices from the centre, as they are seen [m]
    centre: Floats  #: (3,) of mass at rest [m]
    matter: Floats  #: (W,3) vertices of what weighs, from the centre [m]
    triangles: Ints  #: (n,3) of these
    birth: int
    death: int


class _RigidSpan(NamedTuple):
    """A time for which a piece is rigid."""

    frame: int  #: stored frame at which it begins, or ends
    motion: Motion  #: of the rigid body
    centre: Floats  #: (3,) of that body in the coordinates of the piece at rest [m]; unused where it begins


class _Way(NamedTuple):
    """Of one piece at all S stored frames."""

    position: Floats  #: (S,3)
    rotation: Floats  #: (S,4)
    track: VertexTrack | None


def continuum_result(
    run: ContinuumRun,
    obj: ContinuumObject,
    rigid_ways: Ways,
    frames: int,
    rigid: Sequence[FractureResult],
    record: PoseRecord,
) -> FractureResult:
    """All that came of an object in a number of stored frames.

    `rigid` are the results of what is rigid, by number.
    """
    death = _deaths(run.pieces, frames)
    seen = [k for k, one in enumerate(run.pieces) if one.birth < death[k]]
    cuts: dict[int, list[int]] = {}
    for k in seen:
        cuts.setdefault(id(run.pieces[k].cells), []).append(k)
    seen = [k for some in cuts.values() for k in some]
    row_of = np.full(len(run.pieces), -1, np.int64)
    row_of[seen] = np.arange(len(seen))
    weighed = [_cut_pieces([run.pieces[k] for k in pieces], obj.material.density) for pieces in cuts.values()]
    drawn = run.draw() if len(weighed) == 1 else None
    made = weighed if drawn is None else [_as_drawn(weighed[0], drawn)]
    fragments = build_pieces(made)
    matter = fragments if drawn is None else build_pieces(weighed)
    triangles = _triangles_of(matter)
    units = [own for cut in made for own in cut.units]
    ways = []
    for row, k in enumerate(seen):
        rest = _vertices_of(fragments, row)
        own = rest if drawn is None else _vertices_of(matter, row)
        piece = _Piece(k, rest, fragments.centre[row], own, triangles[row], run.pieces[k].birth, death[k])
        position, rotation, forms = _way(run, piece, frames, _rigid_spans(rigid_ways, k, run.pieces[k], rigid))
        ways.append(_Way(position, rotation, _track(row, piece.rest, forms, piece.birth)))
    none = np.zeros(0)
    fracture = Fracture(
        cells=tuple(cut.cells for cut in made),
        fragment_cut=np.repeat(np.arange(len(made)), [len(cut.units) for cut in made]),
        fragment_start=np.cumsum([0] + [len(own) for own in units]),
        fragment_unit=np.concatenate(units),
        parent=np.array([seen_ancestor(run.pieces, run.pieces[k].parent, row_of) for k in seen], np.int64),
        birth=np.array([run.pieces[k].birth for k in seen], np.int64),
        death=np.array([death[k] for k in seen], np.int64),
        crack_time=none,
        crack_cut=none.astype(np.int64),
        crack_link=none.astype(np.int64),
        crack_load=none,
        crack_limit=none,
    )
    alive = np.array([(fracture.birth <= s) & (s < fracture.death) for s in range(frames)])
    tracks = tuple(way.track for way in ways if way.track is not None)
    bodies = tuple(cut.body for cut in made)
    motion = _motion(ways, alive, record)
    return FractureResult(bodies, fracture, fragments, motion, 0, 0.0, tuple(run.notes), tracks)


def _cut_pieces(pieces: Sequence[ContinuumPiece], density: float) -> CutPieces:
    """Pieces of one cut, as `build_pieces` needs them."""
    body, cells = pieces[0].body, pieces[0].cells
    return CutPieces(body, cells, [piece.units for piece in pieces], density, cells, _scar(body), True)


def _scar(body: Body) -> Ints:
    """Where it broke before, of a body that is a piece, as `FractureModel.scar`; of which bond is not known."""
    if not (body.made == Made.BROKEN).any():
        return np.zeros(0, np.int64)
    return np.where(body.made == Made.BROKEN, 0, -1)


def _as_drawn(weighed: CutPieces, drawn: DrawnPieces) -> CutPieces:
    """The same pieces as they are seen; units are those that did not break on."""
    plain = replace(weighed.plain, unit=drawn.unit[weighed.plain.unit])
    return weighed._replace(cells=drawn.cells, plain=plain, units=[np.unique(drawn.unit[own]) for own in weighed.units])


def _vertices_of(fragments: Fragments, row: int) -> Floats:
    return fragments.vertices[fragments.vertex_start[row] : fragments.vertex_start[row + 1]]


def _deaths(pieces: Sequence[ContinuumPiece], frames: int) -> list[int]:
    """Stored frame from which each piece no longer is: the first in which something has come of it."""
    death = [frames] * len(pieces)
    for one in pieces:
        if one.parent >= 0:
            death[one.parent] = min(death[one.parent], one.birth)
    return death


def _rigid_spans(
    ways: Ways, number: int, piece: ContinuumPiece, rigid: Sequence[FractureResult]
) -> tuple[_RigidSpan | None, _RigidSpan | None]:
    """For which time a piece is rigid before it deforms, and after that."""
    sooner = later = None
    if ways.sooner is not None and piece.parent < 0:
        body = rigid[ways.sooner.number]
        sooner = _RigidSpan(ways.sooner.frame, body.motion, body.fracture.cells[0].centroid[0])
    if number in ways.left:
        body = rigid[ways.left[number].number]
        later = _RigidSpan(ways.left[number].frame, body.motion, np.zeros(3))
    return sooner, later


def _way(
    run: ContinuumRun, piece: _Piece, frames: int, spans: tuple[_RigidSpan | None, _RigidSpan | None]
) -> tuple[Floats, Floats, Floats]:
    """Poses (S,3) and (S,4) of a piece, and what they do not tell of its form (F,V,3), from its birth on."""
    sooner, later = spans
    end = piece.death if later is None else min(later.frame + 1, piece.death)
    position, rotation = np.zeros((frames, 3)), np.zeros((frames, 4))
    forms = np.empty((end - piece.birth, len(piece.rest), 3))
    q = np.array([1.0, 0.0, 0.0, 0.0])
    begin = piece.birth
    if sooner is not None and sooner.frame > begin:
        begin = min(sooner.frame, end)
        q = _follow_rigid(piece, sooner, begin, position, rotation)
        forms[: begin - piece.birth] = piece.rest
    for frame in range(begin, end):
        places = run.deform(piece.number, piece.rest + piece.centre, frame)
        within = places if piece.matter is piece.rest else run.deform(piece.number, piece.matter + piece.centre, frame)
        _, middle, _ = mass_properties(within, piece.triangles)
        if later is not None and frame == later.frame:
            middle = later.motion.position[frame, 0]  # of the same form, but for how its faces are triangulated
        q = follow_rotation(piece.rest, places - middle, q)
        position[frame], rotation[frame] = middle, q
        forms[frame - piece.birth] = apply(rotation_matrices(q[None])[0].T, places - middle)
    position[: piece.birth], rotation[: piece.birth] = position[piece.birth], rotation[piece.birth]
    position[end:], rotation[end:] = position[end - 1], q
    if later is not None:
        rows = slice(later.frame, frames)
        position[rows] = later.motion.position[rows, 0]
        rotation[rows] = q
        for turned, (w, x, y, z) in zip(rotation[rows], later.motion.rotation[rows, 0], strict=True):
            multiply_quaternion(w, x, y, z, turned)
    return position, rotation, forms


def _follow_rigid(piece: _Piece, span: _RigidSpan, end: int, position: Floats, rotation: Floats) -> Floats:
    """Write the poses of a piece from its birth until a frame; returns the last quaternion (4,)."""
    rows = slice(piece.birth, end)
    rotation[rows] = span.motion.rotation[rows, 0]
    arm = apply(rotation_matrices(rotation[rows]), piece.centre - span.centre)
    position[rows] = span.motion.position[rows, 0] + arm
    return np.asarray(rotation[end - 1].copy())


def _triangles_of(fragments: Fragments) -> list[Ints]:
    """The triangles (n,3) of each piece, of its own vertices."""
    cut = triangulated(fragments)
    triangles = cut.corner_vertex.reshape(-1, 3)
    return np.split(triangles, cut.face_start[1:-1])


def _track(row: int, rest: Floats, forms: Floats, birth: int) -> VertexTrack | None:
    """The forms (F,V,3) from a birth on, as far as they are not the form at rest before, and the last one behind."""
    near = _RIGID * diagonal(rest)
    differ = np.array([float(norm(form - rest).max()) > near for form in forms])
    if not differ.any():
        return None
    first = int(np.argmax(differ))
    moved = np.array([float(norm(form - forms[-1]).max()) > near for form in forms])
    last = int(np.flatnonzero(moved)[-1]) + 1 if moved.any() else first
    return VertexTrack(row, birth + first, forms[first : max(last, first) + 1])


def _motion(ways: Sequence[_Way], alive: Bools, record: PoseRecord) -> Motion:
    """The motion of all pieces; energy and work are those of all that took part."""
    time, energy, work = record.energies()
    rotation = make_sign_continuous(np.stack([way.rotation for way in ways], axis=1))
    return Motion(
        time=time,
        position=np.stack([way.position for way in ways], axis=1),
        rotation=rotation,
        alive=alive,
        energy=energy,
        work=work,
        touch_frame=np.zeros(0, np.int64),
        touch_pair=np.zeros((0, 2), np.int64),
        touch_impulse=np.zeros((0, 3)),
        touch_point=np.zeros((0, 3)),
    )
