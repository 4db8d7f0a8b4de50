"""Writing what came of one object: fragments and motion, with its report and its cut."""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import bpy

from ..core import pipeline
from ..core.diagram import ShatterDiagram
from ..core.report import Report
from ..core.stepwise import scale_steps
from ..core.types import Progress
from . import idnames
from .account import account
from .aside import Aside
from .bridge import diagram, names
from .bridge.changes import Changes
from .bridge.history import Past
from .bridge.history import packed as packed_past
from .bridge.read import Reading
from .bridge.vertex_tracks import SHAPE_KEYS, Forms, forms_of, store_steps
from .bridge.write import WRITING, left_over, write_steps

#: The two qualities of broken faces, see `core.config.surface.QUALITY`.
PREVIEW, FINAL = "preview", "final"
#: Shares of the writing after which cache files, and the bytes of the cut, are there. By eye: so the bar moves about
#: evenly.
STORED, KEPT = 0.1, 0.2


@dataclass(frozen=True, slots=True)
class Result:
    """One shattered object: its fragments, and the account of the work."""

    source: bpy.types.Object
    fragments: bpy.types.Collection
    report: Report
    account: dict[str, Any]  #: the same as plain data, see account.py


def writing(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    reading: Reading,
    shattered: pipeline.Shattered,
    changes: Changes,
    made: ShatterDiagram | None = None,
    beside: bool = False,
    early: bool = False,
    tables: Mapping[str, Any] | None = None,
    **how: Any,
) -> Generator[Progress, None, Result]:
    """Write one object with its seed, report and diagram; `how` are further choices of `bridge.write.write_steps`.

    `tables` of the settings are kept where faces may be made anew. What is shown `early` will go again, and leaves no
    files.
    """
    own = getattr(obj, idnames.OBJECT)
    own.seed = shattered.report.seed
    storing = _store(obj, reading, shattered, SHAPE_KEYS if early else own.deformation, changes)
    forms = yield from scale_steps(storing, 0.0, STORED)
    if forms.warning:
        report = shattered.report
        report = replace(report, warnings=(*report.warnings, forms.warning))
        shattered = replace(shattered, report=report)
    data = account(shattered.report, shattered.motion, reading.start_frame)
    metadata = {"seed": data["seed"], "version": data["version"], "report": json.dumps(data), **_hits(reading)}
    if forms.of:
        metadata[names.DEFORMS.removeprefix(names.PREFIX)] = min(forms.of)
    if tables is not None and not early and (kept := _past(obj, reading, shattered, tables, own.faces)):
        metadata[names.HISTORY.removeprefix(names.PREFIX)] = kept
    packed = b""
    if made is not None and not diagram.keeps(obj, made):
        packed = yield from scale_steps(Aside(beside).waiting_for(_packing(made), free=False), STORED, KEPT)
    steps = write_steps(
        context,
        obj,
        reading.source,
        shattered,
        reading.start_frame,
        inner_material=own.inner_material,
        triangles=own.faces == "TRIANGLES",
        reduce_keys=getattr(context.scene, idnames.SCENE).reduce_keys,
        changes=changes,
        metadata=metadata,
        until=shattered.until,
        beside=beside,
        forms=forms,
        **how,
    )
    fragments = yield from scale_steps(steps, KEPT, 1.0)
    if made is not None:
        changes.finish_by(lambda: diagram.store(obj, made, packed))
    return Result(obj, fragments, shattered.report, data)


def _past(
    obj: bpy.types.Object, reading: Reading, shattered: pipeline.Shattered, tables: Mapping[str, Any], faces: str
) -> str:
    """How pieces were cut that are a preview, or that come from a piece that may be one; "" for all others."""
    quality = shattered.report.quality
    if shattered.history is None or not (quality == PREVIEW or names.FRAGMENT in obj):
        return ""
    as_cut = {**tables, "surface": {**tables["surface"], "quality": quality or FINAL}}
    shift = left_over(shattered.fracture.birth, shattered.motion, reading.source)
    seed, frame = shattered.report.seed, reading.start_frame + shattered.until
    return packed_past(Past(shattered.history, as_cut, seed, frame, faces == "TRIANGLES", shift))


def _store(
    obj: bpy.types.Object, reading: Reading, shattered: pipeline.Shattered, storage: str, changes: Changes
) -> Generator[Progress, None, Forms]:
    """The forms of what deforms, in files where these are wanted."""
    if not shattered.tracks or shattered.until == len(shattered.motion.time):
        return Forms()
    shift = left_over(shattered.fracture.birth, shattered.motion, reading.source)
    return (yield from store_steps(forms_of(shattered, reading.source, shift), obj.name, storage, changes))


def _packing(made: ShatterDiagram) -> Generator[Progress, None, bytes]:
    yield Progress(0.0, WRITING)
    return diagram.pack(made)


def _hits(reading: Reading) -> dict[str, str]:
    """Where the object was hit, in the world, as metadata of its fragments."""
    source = reading.source
    points = [(hit.point / source.unit_scale + source.origin).tolist() for hit in reading.scene.impacts]
    return {names.HITS.removeprefix(names.PREFIX): json.dumps(points)}
