"""From what happened to what is handed out: the fragments of each object that were ever seen, cracks and motion."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..continuum.contract import ContinuumPiece
from ..fragments.build import build_fragments, concatenate
from ..types import Body, Cells, Floats, Fracture, Fragments, Ints, Made
from .cut_history import history_of
from .fragment_tree import FragmentTree
from .impact_fracture import CrackRecord
from .live_fragments import LiveFragments
from .pose_record import PoseRecord
from .spec import FractureModel, FractureResult


class CutPieces(NamedTuple):
    """A body that was cut, and the pieces made of it."""

    body: Body  #: as it is seen
    cells: Cells  #: as they are seen
    units: list[Ints]  #: of each piece
    density: float | Floats  #: [kg/m^3] of all of it, or (C,)
    plain: Cells  #: by which pieces have their mass
    scar: Ints  #: see `FractureModel.scar`
    bends: bool = False  #: whether flat faces will not stay flat, so that those of its cells stay apart


def assemble_result(
    live: LiveFragments, obj: int, cracks: CrackRecord, record: PoseRecord, frames: int, notes: tuple[str, ...]
) -> FractureResult:
    """All that came of an object: its fragments that lived in a stored frame, by model and the order of birth."""
    tree = live.tree
    deforms, until = obj in live.until, min(live.until.get(obj, 0), frames)
    seen = [number for number in tree.of_object(obj) if tree[number].death != tree[number].birth]
    if deforms and until < frames:  # until then the object itself is seen
        seen = [number for number in seen if tree[number].parent >= 0]
    seen.sort(key=lambda number: (tree[number].model, number))
    row_of = np.full(len(tree), -1, np.int64)
    row_of[seen] = np.arange(len(seen))
    models = sorted({tree[number].model for number in seen})
    cut_of = {model: cut for cut, model in enumerate(models)}
    units = [tree[number].units for number in seen]
    hits = [hit for hit in cracks.hits if hit.model in cut_of]
    failed = [len(hit.link) for hit in hits]
    death = [frames if tree[number].death < 0 else tree[number].death for number in seen]
    fracture = Fracture(
        cells=tuple(live.models[model].cells for model in models),
        fragment_cut=np.array([cut_of[tree[number].model] for number in seen], np.int64),
        fragment_start=np.cumsum([0] + [len(some) for some in units]),
        fragment_unit=np.concatenate(units),
        parent=np.array([seen_ancestor(tree, tree[number].parent, row_of) for number in seen], np.int64),
        birth=np.array([tree[number].seen for number in seen], np.int64),
        death=np.array(death, np.int64),
        crack_time=np.repeat(np.array([hit.time for hit in hits], np.float64), failed),
        crack_cut=np.repeat(np.array([cut_of[hit.model] for hit in hits], np.int64), failed),
        crack_link=np.concatenate([np.zeros(0, np.int64), *(hit.link for hit in hits)]),
        crack_load=np.concatenate([np.zeros(0), *(hit.load for hit in hits)]),
        crack_limit=np.concatenate([np.zeros(0), *(hit.limit for hit in hits)]),
    )
    bodies = tuple(live.models[model].visible.body for model in models)
    motion = record.motion(len(seen), row_of, live.objects[obj].place)
    cuts = [pieces_of_model(live.models[m], [tree[k].units for k in seen if tree[k].model == m]) for m in models]
    history = history_of([live.models[model] for model in models], fracture.fragment_cut, units)
    return FractureResult(
        bodies, fracture, build_pieces(cuts), motion, until, cracks.utilisation, notes, history=history
    )


def seen_ancestor(known: FragmentTree | Sequence[ContinuumPiece], number: int, row_of: Ints) -> int:
    """The row of the first that was seen of a number and its ancestors, -1 for the object itself."""
    while number >= 0 and row_of[number] < 0:
        number = known[number].parent
    return int(row_of[number]) if number >= 0 else -1


def pieces_of_model(model: FractureModel, units: list[Ints]) -> CutPieces:
    """What `build_pieces` needs to make pieces of some units each."""
    return CutPieces(model.visible.body, model.visible.cells, units, model.density, model.cells, model.scar)


def build_pieces(cuts: Sequence[CutPieces]) -> Fragments:
    """The meshes of the pieces of several cut bodies, in order; triangles and bonds count through all of them."""
    built, first, bonds = [], 0, 0
    for cut in cuts:
        made = build_fragments(cut.cells, cut.units, cut.density, cut.body, cut.plain, cut.bends)
        built.append(_counted_on(made, cut, first, bonds))
        first += len(cut.body.triangles)
        bonds += len(cut.cells.bond_cells) + int(cut.scar.max(initial=-1)) + 1
    if any(len(some.corner_triangle) for some in built):
        built = [_with_corner_triangles(some) for some in built]
    return concatenate(built)


def _with_corner_triangles(f: Fragments) -> Fragments:
    """Fragments that say of each corner what else is said of the faces: all do, or none."""
    if len(f.corner_triangle):
        return f
    return replace(f, corner_triangle=np.repeat(f.face_triangle, np.diff(f.corner_start)))


def _counted_on(fragments: Fragments, cut: CutPieces, first: int, bonds: int) -> Fragments:
    """Fragments with all their triangles and bonds moved on; what was broken before is no skin, and has a bond."""
    f = fragments
    face, corner = _moved(f.face_triangle, first), _moved(f.corner_triangle, first)
    bond, weight = _moved(f.face_bond, bonds), f.corner_weight
    if len(cut.scar):
        old = np.flatnonzero(f.face_triangle >= 0)
        old = old[cut.body.made[f.face_triangle[old]] == Made.BROKEN]
        bond = bond.copy()
        bond[old] = bonds + len(cut.cells.bond_cells) + cut.scar[f.face_triangle[old]]
        face, corner, weight = face.copy(), corner.copy(), weight.copy()
        face[old] = -1
        inside = np.repeat(np.isin(np.arange(len(face)), old), np.diff(f.corner_start))
        weight[inside] = 0.0
        if len(corner):
            corner[inside] = -1
    return replace(f, face_triangle=face, corner_triangle=corner, face_bond=bond, corner_weight=weight)


def _moved(numbers: Ints, by: int) -> Ints:
    return np.where(numbers < 0, -1, numbers + by) if by else numbers
