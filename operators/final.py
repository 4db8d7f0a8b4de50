"""Make Final: the pieces that Shatter made in preview quality get fine broken faces, and all else stays as it is."""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import bpy

from ..core.errors import CutError, InputError
from ..core.remake import CHANGED, remake_steps
from ..core.settings import Settings
from ..core.stepwise import scale_steps
from ..core.types import Mesh, Progress
from ..core.wording import count
from . import idnames, settings
from .account import parsed
from .around import seen
from .aside import Aside
from .bridge import names
from .bridge.changes import Changes, whole
from .bridge.finer import (
    Form,
    find_forms,
    laid_onto,
    packed_as_written,
    swap_steps,
    worn_as_written,
    worn_for_now,
)
from .bridge.history import Past, read_past
from .bridge.meshes import PackedMeshes
from .bridge.movement import borrow_playhead
from .bridge.paint import wanted
from .bridge.read import Reading, read_steps
from .bridge.restore import collections_of, pieces_of, sources_by_piece, with_their_own
from .bridge.siblings import sources_of
from .bridge.source import SourceAttributes
from .job import JobOperator, prepared, run_blocking
from .registering import registration_of
from .remembered import remembered
from .selection import to_restore
from .targets import poll_found
from .together import loader
from .watch import looking_away
from .writing import FINAL, PREVIEW

#: Share of the work after which all is cut and its arrays are there; of that for one object, where its two cuts begin,
#: where each of them ends, and where their arrays are there. By eye: so the bar moves about evenly.
MADE = 0.8
SHARES = ((0.0, 0.2, 0.3), (0.3, 0.75, 0.9))


@dataclass(frozen=True, eq=False, slots=True)
class FinalMeshes:
    """What comes of the pieces of an object."""

    source: bpy.types.Object
    forms: dict[bpy.types.Object, Form] = field(default_factory=dict)  #: of those that get another mesh
    kept: int = 0  #: pieces whose meshes are not what was written


def final_steps(
    context: bpy.types.Context, objects: Sequence[bpy.types.Object], *, beside: bool = False
) -> Generator[Progress, None, list[FinalMeshes]]:
    """Give the pieces of shattered objects, and those that these broke into, fine faces.

    Closed before its end it leaves the file as it was. Raises InputError where an object is no longer what it was when
    it was shattered.
    """

    def job(changes: Changes) -> Generator[Progress, None, list[FinalMeshes]]:
        every = [one for obj in objects for one in (obj, *_broken_pieces(obj))]
        done: list[FinalMeshes] = []
        forms: dict[bpy.types.Object, Form] = {}
        for number, obj in enumerate(every):
            steps = _finish(context, obj, forms.get(obj), obj in objects, beside)
            one = yield from scale_steps(steps, MADE * number / len(every), MADE * (number + 1) / len(every))
            done.append(one)
            forms |= one.forms
        if not forms:
            raise InputError(CHANGED.format(objects[0].name))
        changes.begin()
        yield from scale_steps(swap_steps(forms, changes), MADE, 1.0)
        for one in done:
            if one.forms:
                changes.finish_by(partial(_remember, one.source))
        return done

    return (yield from whole(job))


def _broken_pieces(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The pieces of an object that broke further by themselves, each behind what it is a piece of."""
    broken = {item[names.SOURCE] for item in bpy.data.collections if item.get(names.SOURCE) is not None}
    found = [piece for piece in pieces_of(obj) if piece in broken]
    return [one for piece in found for one in (piece, *_broken_pieces(piece))]


def _finish(
    context: bpy.types.Context, obj: bpy.types.Object, form: Form | None, first: bool, beside: bool
) -> Generator[Progress, None, FinalMeshes]:
    """The pieces of an object that has, or will have, a new form; a piece that broke may be unlike what it was.

    Raises InputError and CutError only of the `first` one, of which the others are pieces.
    """
    if form is None and not is_preview(obj):
        return FinalMeshes(obj)
    pieces = pieces_of(obj)
    try:
        before, after = yield from scale_steps(_packed(context, obj, form, pieces, beside), 0.0, SHARES[-1][-1])
    except (InputError, CutError):
        if first:
            raise
        return FinalMeshes(obj, kept=len(pieces))
    forms, kept = yield from scale_steps(find_forms(pieces, before, after), SHARES[-1][-1], 1.0)
    return FinalMeshes(obj, forms, kept)


def _packed(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    form: Form | None,
    pieces: Sequence[bpy.types.Object],
    beside: bool,
) -> Generator[Progress, None, tuple[PackedMeshes, PackedMeshes]]:
    """The pieces of an object as they were written, and as they will be; a piece is seen in its new `form`."""
    past = _past_of(obj)
    as_cut = settings.build(past.tables, past.seed)
    finer = replace(as_cut, surface=replace(as_cut.surface, quality=FINAL))
    reading = _read(context, obj, past, as_cut)
    source, new, shown = reading.source, reading.source, None
    if form is not None:
        shown, new = laid_onto(*_read_in(context, obj, form, past, as_cut), source)
    made = []
    for number, (how, mesh, whose) in enumerate(((as_cut, None, source), (finer, shown, new))):
        work = remake_steps(reading.scene, how, past.history, loader(obj), mesh)
        begin, cut, end = SHARES[number]
        remade = yield from scale_steps(Aside(beside).waiting_for(work), begin, cut)
        worn = worn_as_written(whose, getattr(obj, idnames.OBJECT).inner_material, pieces)
        packing = Aside(beside).waiting_for(packed_as_written(remade, whose, worn, past), free=False)
        made.append((yield from scale_steps(packing, cut, end)))
    return made[0], made[1]


def _past_of(obj: bpy.types.Object) -> Past:
    """How the pieces of an object were cut. Raises InputError where nothing says it."""
    found = next((past for item in collections_of(obj) if (past := read_past(item)) is not None), None)
    if found is None:
        raise InputError(CHANGED.format(obj.name))
    return found


def _read(context: bpy.types.Context, obj: bpy.types.Object, past: Past, chosen: Settings) -> Reading:
    """The object as it was when it was broken, without what comes after; at once, so that nobody sees it."""
    with looking_away(), borrow_playhead(context.scene) as lead:
        lead(past.frame)
        with seen(context, obj):
            steps = read_steps(context, obj, frames=1, ground=None, start=past.frame, paints=wanted(chosen.fields))
            return run_blocking(steps)


def _read_in(
    context: bpy.types.Context, obj: bpy.types.Object, form: Form, past: Past, chosen: Settings
) -> tuple[Mesh, SourceAttributes]:
    """A piece as it would have been read in its new form."""
    with looking_away():
        with worn_for_now(obj, form):
            reading = _read(context, obj, past, chosen)
        context.view_layer.update()
    return reading.scene.mesh, reading.source


def _remember(obj: bpy.types.Object) -> None:
    """The account says what is there. The settings stay: they say how the object breaks the next time."""
    for collection in filter(_has_preview_faces, collections_of(obj)):
        collection[idnames.REPORT] = json.dumps({**parsed(collection[idnames.REPORT]), "quality": FINAL})


def is_preview(obj: bpy.types.Object) -> bool:
    """Whether the broken faces of the pieces of an object are rough, and not fine."""
    return any(map(_has_preview_faces, collections_of(obj)))


def _has_preview_faces(collection: bpy.types.Collection) -> bool:
    """Whether the account of the pieces in a collection says so; older files do not say it."""
    return parsed(collection.get(idnames.REPORT, "{}")).get("quality") == PREVIEW


def unfinished(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The shattered objects, of which what is active or selected is all or a piece, that have faces of a preview."""
    known = sources_by_piece()
    chosen = dict.fromkeys([obj, *sources_of(obj, known)][-1] for obj in to_restore(context))
    coarse = {
        item[names.SOURCE]
        for item in bpy.data.collections
        if item.get(names.SOURCE) is not None and _has_preview_faces(item)
    }
    coarse |= {above for obj in coarse for above in sources_of(obj, known)}
    return [obj for obj in chosen if obj in coarse]


#: `unfinished` for panels and polls.
known_unfinished = remembered(unfinished)


class BRITTLE_OT_make_final(JobOperator, bpy.types.Operator):
    """Make the broken faces of the pieces fine, for rendering. Names, keys, materials and how the pieces move stay"""

    bl_idname = idnames.Operator.MAKE_FINAL
    bl_label = "Make Final"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        otherwise = "Select something that was shattered with rough faces in Preview quality"
        return poll_found(cls, context, bool(known_unfinished(context)), otherwise)

    def steps(self, context):
        """The work, as a job."""
        self.finishing = unfinished(context)
        return prepared(final_steps(context, self.finishing, beside=self.beside))

    def reads(self, context):
        """What must stay as it is while the job runs."""
        pieces = (with_their_own(collections_of(obj))[0] for obj in self.finishing)
        return [*self.finishing, *(piece for some in pieces for piece in some)]

    def finish(self, context, results):
        """Say how many pieces there are, and which stay as they are."""
        made, kept = sum(len(one.forms) for one in results), sum(one.kept for one in results)
        text = f"{count(made, 'piece')} with final faces."
        if kept:
            text += f" {count(kept, 'piece')} stay as they are: they, or what they broke from, were edited."
        self.report({"WARNING"} if kept else {"INFO"}, text)
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_make_final)
