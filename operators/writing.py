"""Writing what came of one object: fragments and motion, with its report and its cut."""

import json
from collections.abc import Generator
from dataclasses import dataclass
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
from .bridge.read import Reading
from .bridge.write import WRITING, write_steps

#: Share of the writing after which the bytes of the cut are there.
KEPT = 0.2


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
    **how: Any,
) -> Generator[Progress, None, Result]:
    """Write one object with its seed, report and diagram; `how` are further choices of `bridge.write.write_steps`."""
    own = getattr(obj, idnames.OBJECT)
    own.seed = shattered.report.seed
    data = account(shattered.report, shattered.motion, reading.start_frame)
    packed = b""
    if made is not None and not diagram.keeps(obj, made):
        packed = yield from scale_steps(Aside(beside).waiting_for(_packing(made), free=False), 0.0, KEPT)
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
        metadata={"seed": data["seed"], "version": data["version"], "report": json.dumps(data), **_hits(reading)},
        until=shattered.until,
        beside=beside,
        **how,
    )
    fragments = yield from scale_steps(steps, KEPT, 1.0)
    if made is not None:
        changes.finish_by(lambda: diagram.store(obj, made, packed))
    return Result(obj, fragments, shattered.report, data)


def _packing(made: ShatterDiagram) -> Generator[Progress, None, bytes]:
    yield Progress(0.0, WRITING)
    return diagram.pack(made)


def _hits(reading: Reading) -> dict[str, str]:
    """Where the object was hit, in the world, as metadata of its fragments."""
    source = reading.source
    points = [(hit.point / source.unit_scale + source.origin).tolist() for hit in reading.scene.impacts]
    return {names.HITS.removeprefix(names.PREFIX): json.dumps(points)}
