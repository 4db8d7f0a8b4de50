"""Make Final: the pieces that Shatter made in preview quality get fine broken faces, and all else stays as it is."""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass

import bpy

from ..core import pipeline
from ..core.errors import InputError
from ..core.results import Shattered
from ..core.stepwise import scale_steps
from ..core.types import Progress
from ..core.wording import count
from . import idnames
from .account import parsed
from .aside import Aside
from .bridge import names
from .bridge.changes import Changes, whole
from .bridge.finer import Finer, packed_as_written, swap_meshes, worn_as_written
from .bridge.movement import led
from .bridge.restore import collections_of, pieces_of
from .job import JobOperator, prepared, run_blocking
from .registering import registration_of
from .remembered import remembered
from .selection import to_restore
from .shatter import Request, begin_steps
from .targets import poll_found, report_of
from .together import Begun, loader

#: Share of the cuts after which what was written is known again. By eye, as those below.
KNOWN = 0.2
#: Share of the work after which all is cut, and of the rest after which all arrays are there.
CUT, PACKED = 0.7, 0.4
PREVIEW, FINAL = "preview", "final"
#: Said where what is there now would break otherwise.
CHANGED = "'{}', or how it is broken, has changed since: shatter it again, with Final as its Quality."
AGAIN = "Pieces of '{}' broke again as they moved: shatter or simulate it again, with Final as its Quality."


@dataclass(frozen=True, slots=True)
class _Again:
    """An object that was read and broken as it had been when its pieces were made."""

    begun: Begun
    shattered: Shattered


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of the pieces of an object."""

    source: bpy.types.Object
    finer: Finer


def final_steps(
    context: bpy.types.Context, objects: Sequence[bpy.types.Object], *, beside: bool = False
) -> Generator[Progress, None, list[Finished]]:
    """Give the pieces of shattered objects fine faces; closed before its end it leaves the file as it was.

    Raises InputError where an object, or how it is broken, is no longer what it was when it was shattered.
    """

    def job(changes: Changes) -> Generator[Progress, None, list[Finished]]:
        known = []
        for number, obj in enumerate(objects):
            steps = _broken_again(context, obj, beside)
            known.append(
                (yield from scale_steps(steps, CUT * number / len(objects), CUT * (number + 1) / len(objects)))
            )
        changes.begin()
        done = []
        for number, (obj, again) in enumerate(zip(objects, known, strict=True)):
            start, end = (CUT + (1.0 - CUT) * (number + k) / len(objects) for k in range(2))
            done.append(Finished(obj, (yield from scale_steps(_finish(obj, again, changes, beside), start, end))))
        return done

    return (yield from whole(job))


def _broken_again(
    context: bpy.types.Context, obj: bpy.types.Object, beside: bool
) -> Generator[Progress, None, list[_Again]]:
    """What an object breaks into at its first blow, in both qualities."""
    if any(piece[names.PARENT] >= 0 for piece in _own_pieces(obj)):
        raise InputError(AGAIN.format(obj.name))
    again = []
    for quality, (start, end) in {PREVIEW: (0.0, KNOWN), FINAL: (KNOWN, 1.0)}.items():
        begun = _begun(context, obj, quality)
        work = pipeline.shatter_steps(begun.reading.scene, begun.chosen, loader(obj))
        shattered = yield from scale_steps(Aside(beside).waiting_for(work), start, end)
        again.append(_Again(begun, shattered))
    return again


def _own_pieces(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The pieces of an object that did not break further: others are no more seen."""
    return [piece for piece in pieces_of(obj) if not collections_of(piece)]


def _finish(
    obj: bpy.types.Object, again: Sequence[_Again], changes: Changes, beside: bool
) -> Generator[Progress, None, Finer]:
    own, pieces = getattr(obj, idnames.OBJECT), _own_pieces(obj)
    made = []
    for number, one in enumerate(again):
        source = one.begun.reading.source
        worn = worn_as_written(source, own.inner_material, pieces)
        packing = packed_as_written(one.shattered, source, worn, own.faces == "TRIANGLES")
        steps = Aside(beside).waiting_for(packing, free=False)
        made.append((yield from scale_steps(steps, PACKED * number / 2, PACKED * (number + 1) / 2)))
    finer = yield from scale_steps(swap_meshes(pieces, *made, changes), PACKED, 1.0)
    if pieces and finer.made == 0:
        raise InputError(CHANGED.format(obj.name))
    changes.finish_by(lambda: _remember(obj))
    return finer


def _begun(context: bpy.types.Context, obj: bpy.types.Object, quality: str) -> Begun:
    """The object as it was read when it was broken, at the frame of the break, without what comes after."""
    request = Request(quality=quality, motion="still", colliders=False, frames=1)
    with led(context.scene) as lead:
        lead(parsed(report_of(obj)).get("frames", [context.scene.frame_current])[0])  # older files do not say it
        return run_blocking(begin_steps(context, obj, request, [obj]))


def _remember(obj: bpy.types.Object) -> None:
    """The account says what is there. The settings stay: they say how the object breaks the next time."""
    for collection in collections_of(obj):
        if idnames.REPORT in collection:
            collection[idnames.REPORT] = json.dumps({**parsed(collection[idnames.REPORT]), "quality": FINAL})


def unfinished(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The shattered objects, of the active and the selected ones, whose broken faces are rough and not fine."""
    return [obj for obj in to_restore(context) if _is_unfinished(obj)]


#: `unfinished` for panels and polls.
known_unfinished = remembered(unfinished)


def _is_unfinished(obj: bpy.types.Object) -> bool:
    account = report_of(obj)
    return bool(account) and parsed(account).get("quality") == PREVIEW


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
        return [*self.finishing, *(piece for obj in self.finishing for piece in pieces_of(obj))]

    def finish(self, context, results):
        """Say how many pieces there are, and which stay as they are."""
        made, kept = (sum(getattr(one.finer, name) for one in results) for name in ("made", "kept"))
        text = f"{count(made, 'piece')} with final faces."
        if kept:
            text += f" {count(kept, 'piece')} stay as they are: their meshes were edited."
        self.report({"WARNING"} if kept else {"INFO"}, text)
        return {"FINISHED"}


register, unregister = registration_of(BRITTLE_OT_make_final)
