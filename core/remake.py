"""Pieces that a run has made, made again from their history, with broken faces of another quality."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from .diagram import Load, make_diagram
from .errors import InputError
from .fragments.piece_body import joined_bodies
from .settings import Settings
from .setup import check_settings, cutting, make_fracture_model, make_whole_model, origin_of, repair_steps
from .simulation.assembly import build_pieces, pieces_of_model
from .simulation.piece_cutting import cut_anew
from .simulation.spec import CutHistory, FractureModel, PastCut
from .stepwise import scale_steps
from .types import Body, Fragments, Frozen, Mesh, Progress, Scene

#: Shares of the work after which the mesh is repaired, and everything is cut. By eye: so the bar moves about evenly.
_REPAIRED, _CUT = 0.1, 0.8
#: Said where what is there now is not cut as it was then.
CHANGED = "'{}', or how it is broken, has changed since: shatter it again, with Final as its Quality."


@dataclass(frozen=True, eq=False, slots=True)
class Remade(Frozen):
    """Pieces, in the order in which they were made first."""

    body: Body  #: in whose triangles the fragments are expressed
    fragments: Fragments


def remake_steps(
    scene: Scene, settings: Settings, history: CutHistory, load: Load | None = None, seen: Mesh | None = None
) -> Generator[Progress, None, Remade]:
    """Cut a scene's mesh as it was cut before, and its pieces as they were; nothing breaks or moves.

    With the settings of the run the pieces are those of the run, bit by bit; with another quality those of a run with
    that. `seen` is a mesh in the same coordinates that is seen in place of the scene's, and decides nothing. `load` as
    for `pipeline.shatter_steps`. Raises InputError where the cuts are not those of the history, or `seen` cannot be
    cut, CutError where the cutter's self-checks refuse to return a result.
    """
    check_settings(scene, settings)
    body = yield from scale_steps(_repaired_body(scene.mesh, settings), 0.0, 0.5 * _REPAIRED)
    shown = None
    if seen is not None:
        shown = yield from scale_steps(_repaired_body(seen, settings), 0.5 * _REPAIRED, _REPAIRED)
    models: list[FractureModel] = []
    for number, past in enumerate(history.cuts):
        yield Progress(_REPAIRED + (_CUT - _REPAIRED) * number / len(history.cuts), "Cutting")
        models.append(_model(scene, settings, past, models, body, load, shown))
        if len(models[-1].units.volume) != past.count:
            raise InputError(CHANGED.format(scene.mesh.name))
    yield Progress(_CUT, "Making faces")
    used = np.unique(history.fragment_cut).tolist()
    pieces = [pieces_of_model(models[cut], history.units_of(cut)) for cut in used]
    return Remade(joined_bodies([one.body for one in pieces]), build_pieces(pieces))


def _repaired_body(mesh: Mesh, settings: Settings) -> Generator[Progress, None, Body]:
    return (yield from repair_steps(mesh, settings)).body


def _model(
    scene: Scene,
    settings: Settings,
    past: PastCut,
    models: list[FractureModel],
    body: Body,
    load: Load | None,
    seen: Body | None,
) -> FractureModel:
    """What one of the cuts makes, of the object's own body or of units of an earlier one."""
    if past.parent >= 0:
        assert past.impacts is not None  # what is a piece was cut
        return cut_anew(cutting(scene, settings, models[0]), models[past.parent], past.units, past.impacts)
    origin = origin_of(scene, body)
    if past.impacts is None:
        return make_whole_model(body, settings, origin)
    diagram, _ = make_diagram(body, past.impacts, settings, load if seen is None else None, seen)
    if seen is not None and diagram.rough is None:
        raise InputError("What is seen of the object cannot be cut as it was.")
    return make_fracture_model(body, diagram, settings, origin, seen, past.impacts)
