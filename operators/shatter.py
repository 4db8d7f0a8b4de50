"""Shatter: read the scene, run the core, write what came out."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import bpy
import numpy as np

from ..core import pipeline
from ..core.config.surface import QUALITY
from ..core.settings import Settings
from ..core.stepwise import scale_steps
from ..core.types import Progress
from . import again, idnames, pace, preset, settings
from .account import summary
from .around import ground_of, in_the_way, seen, surroundings
from .aside import Aside
from .borrowed import borrow, borrowed
from .bridge.changes import Changes, whole
from .bridge.paint import wanted
from .bridge.read import Reading, read_steps
from .bridge.siblings import other_pieces, refuse_unseen, told_of_others
from .bridge.viewer import heading_of
from .early import Early, Show, compute_and_write, compute_showing_early
from .generated import metres_per_unit, remember
from .job import READ, JobOperator, prepared, run_blocking
from .pattern import collection_named, pieces_of, with_meshes
from .playback import select_pieces, show_break
from .selection import poll_selected, to_break
from .together import PreparedObject, apart_notes, items_of, worlds_of
from .writing import Result, writing

Part = TypeVar("Part")

#: Choice of the redo panel that leaves the quality to the settings.
OWN = "own"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for beside the object's own settings; an empty preset, None and {} leave those as they are."""

    preset: str = ""
    count: int | None = None
    seed: int | None = None
    repair: Mapping[str, Any] = field(default_factory=dict)  #: values of `core.config.repair.Repair`
    colliders: bool | None = None  #: whether pieces bounce off colliders; None: as the scene says
    motion: str = ""  #: id of a motion
    quality: str = ""  #: of broken faces, see `core.config.surface.Surface`
    pattern: str = ""  #: name of a collection of meshes to cut with; empty: as the settings say
    fields: Sequence[Mapping[str, Any]] = ()  #: tables of fields on top of the stack
    heading: Sequence[float] = ()  #: where one looked when it was asked for; empty: as one looks now
    frames: int | None = None  #: that are stored; None: as the scene says


@dataclass(frozen=True, slots=True)
class _Ready:
    """Finished work that waits to be written."""

    source: bpy.types.Object
    request: Request
    tables: dict[str, Any]
    reading: Reading
    shattered: pipeline.Shattered


def shatter_object(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    *,
    preset: str = "",
    count: int | None = None,
    seed: int | None = None,
    repair: Mapping[str, Any] | None = None,
    colliders: bool | None = None,
    motion: str = "",
    quality: str = "",
    pattern: str = "",
    fields: Sequence[Mapping[str, Any]] = (),
    progress: Callable[[Progress], bool] | None = None,
) -> Result:
    """Shatter one object, starting at the current frame; the same as the operator `brittle.shatter`.

    `preset` is the name of a material preset, "" takes the settings `obj.brittle`; `count`, `seed`, the id of a
    `motion`, the `quality` of broken faces and the values of `repair` (see core/config) go before
    both, `colliders` before the scene's own choice. `pattern` names a collection of closed meshes to cut with.
    `fields` are tables of further fields (see core/strength/choice.py), on top of the stack.
    `progress` sees each step and stops the work by returning True. Earlier fragments of the object are replaced.
    Raises InputError, CutError or Cancelled; nothing in the file has changed then.
    """
    request = Request(preset, count, seed, repair or {}, colliders, motion, quality, pattern, fields)
    return run_blocking(shatter_steps(context, [obj], request), progress)[0]


def shatter_steps(
    context: bpy.types.Context, objects: Sequence[bpy.types.Object], request: Request, *, beside: bool = False
) -> Generator[Progress, None, list[Result]]:
    """Do all the work for some objects and write it; closed before its end it leaves the file as it was.

    With `beside` the core works in a thread while this waits, see `aside`.
    """
    return (
        yield from compute_and_write(
            context,
            lambda show: steps(context, objects, request, beside=beside, show=show),
            lambda ready, changes, early: _write(context, ready, changes, beside, early),
            lambda ready: min(item.reading.start_frame for item in ready),
            beside,
        )
    )


def steps(
    context: bpy.types.Context,
    objects: Sequence[bpy.types.Object],
    request: Request,
    *,
    beside: bool = False,
    show: Show[_Ready] | None = None,
) -> Generator[Progress, None, list[_Ready]]:
    """Do all the work for some objects without writing anything, for `commit_steps`; `beside` as for `shatter_steps`.

    Several objects that break from one frame on are in one world, where their pieces meet. What is known of a world
    while its motion goes on is given to `show`, which writes it.
    """
    prepared_objects = []
    for index, obj in enumerate(objects):
        job = prepare_steps(context, obj, request, objects, beside)
        prepared_objects.append(
            (yield from _part(job, READ * index / len(objects), READ * (index + 1) / len(objects), objects, obj))
        )
    worlds, early = worlds_of(prepared_objects), Early()
    done: dict[bpy.types.Object, _Ready] = {}
    for index, world in enumerate(worlds):
        share = (1.0 - READ) / len(worlds)
        finished = partial(_finished, request, world, prepared_objects)
        work = partial(pipeline.steps_together, *items_of(world))
        job = compute_showing_early(Aside(beside), work, finished, early, show)
        came = yield from _part(job, READ + index * share, READ + (index + 1) * share, objects, world[0].source)
        done |= {ready.source: ready for ready in came}
    return [done[obj] for obj in objects]


def _finished(
    request: Request,
    world: Sequence[PreparedObject],
    prepared_objects: Sequence[PreparedObject],
    came: Sequence[pipeline.Shattered],
) -> list[_Ready]:
    """What came of the objects of a world, with what is to be said of them beside it."""
    ready = []
    for one, shattered in zip(world, came, strict=True):
        warnings = (*one.reading.warnings, *shattered.report.warnings, *apart_notes(one, world, prepared_objects))
        report = replace(shattered.report, warnings=warnings, advice=(*shattered.report.advice, *one.reading.advice))
        ready.append(_Ready(one.source, request, one.tables, one.reading, replace(shattered, report=report)))
    return ready


def commit_steps(
    context: bpy.types.Context, ready: Sequence[_Ready], *, beside: bool = False
) -> Generator[Progress, None, list[Result]]:
    """Write finished work into the file: settings, fragments, motion, report; all of it, or nothing if any fails."""
    return (yield from whole(lambda changes: _write(context, ready, changes, beside)))


def _write(
    context: bpy.types.Context, ready: Sequence[_Ready], changes: Changes, beside: bool, early: bool = False
) -> Generator[Progress, None, list[Result]]:
    changes.begin()
    results = []
    for number, item in enumerate(ready):
        job = _commit(context, item, changes, beside, early)
        results.append((yield from scale_steps(job, number / len(ready), (number + 1) / len(ready))))
    return results


def request_tables(obj: bpy.types.Object, request: Request, scale_length: float) -> dict[str, Any]:
    """The tables (see settings.py) for a request. Raises InputError for a preset or setting that does not exist."""
    own = settings.tables(getattr(obj, idnames.OBJECT), scale_length)
    data = {**own, **preset.tables(request.preset)} if request.preset else own
    if request.pattern:
        data["pieces"] = pieces_of(data["pieces"])
    if request.count is not None:
        data["pieces"] = {**data["pieces"], "count": request.count}
    if request.motion not in ("", data["motion"]["method"]):
        data["motion"] = {"method": request.motion}
    if request.quality:
        data["surface"] = {**data["surface"], "quality": request.quality}
    data["repair"] = {**data["repair"], **request.repair}
    data[settings.FIELDS] = [*data[settings.FIELDS], *request.fields]
    return data


def prepare_steps(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    request: Request,
    together: Sequence[bpy.types.Object],
    beside: bool = False,
) -> Generator[Progress, None, PreparedObject]:
    """Read an object that is to break together with others."""
    refuse_unseen(context, obj)
    with borrowed(obj):
        data = request_tables(obj, request, metres_per_unit(context))
        seed = getattr(obj, idnames.OBJECT).seed if request.seed is None else request.seed
        chosen = settings.build(data, seed)
        yield Progress(0.0, "Looking at the pattern")
        chosen = with_meshes(context, obj, chosen, request.pattern)
        reading = yield from _read(context, obj, request, together, chosen, beside)
    return PreparedObject(obj, data, chosen, reading)


def _read(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    request: Request,
    together: Sequence[bpy.types.Object],
    chosen: Settings,
    beside: bool = False,
) -> Generator[Progress, None, Reading]:
    around = surroundings(context)
    asked = around["use_colliders"] if request.colliders is None else request.colliders
    others = other_pieces(context, obj, together)
    colliders = in_the_way(context, obj, together, others) if asked else []
    with seen(context, obj):
        frames = around["frames"] if request.frames is None else request.frames
        how = {"frames": frames, "ground": ground_of(around), "colliders": colliders}
        how |= {"paints": wanted(chosen.fields), "breaking": chosen.breaking, "beside": beside}
        if request.heading and not any(getattr(obj, idnames.OBJECT).heading):
            how["heading"] = np.array(request.heading, np.float64)
        reading = yield from read_steps(context, obj, **how)
    return replace(reading, advice=told_of_others(obj, len(others), asked))


def _commit(
    context: bpy.types.Context, ready: _Ready, changes: Changes, beside: bool, early: bool
) -> Generator[Progress, None, Result]:
    own = getattr(ready.source, idnames.OBJECT)
    changes.undo_by(remember(own))
    borrow(ready.source)
    settings.apply(own, ready.tables, metres_per_unit(context))
    own.preset = ready.request.preset or own.preset
    if not any(own.heading):
        own.heading = ready.request.heading or heading_of(context)
    if ready.request.pattern:
        own.own_meshes = collection_named(ready.request.pattern)
    if not early:
        pace.learn(ready.shattered)
    made = None if early else ready.shattered.diagram
    what, how = (
        (ready.source, ready.reading, ready.shattered),
        {"beside": beside, "early": early, "tables": ready.tables},
    )
    return (yield from writing(context, *what, changes, made, **how))


def _part(
    job: Generator[Progress, None, Part],
    start: float,
    end: float,
    objects: Sequence[bpy.types.Object],
    obj: bpy.types.Object,
) -> Generator[Progress, None, Part]:
    return (yield from scale_steps(job, start, end, "" if len(objects) == 1 else f"{obj.name}: "))


class BRITTLE_OT_shatter(JobOperator, bpy.types.Operator):
    """Break the selected objects where they are hit, starting at the current frame"""

    bl_idname = idnames.Operator.SHATTER
    bl_label = "Shatter"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.StringProperty(
        name="Material",
        description="Material preset; empty takes the object's own settings",
        search=preset.search_names,
        options={"SKIP_SAVE"},
    )
    count: bpy.props.IntProperty(
        name="Pieces",
        description="Number of pieces; -1 takes the object's own",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    )
    seed: bpy.props.IntProperty(
        name="Seed",
        description="Another seed, another break; -1 takes the object's own",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    )
    quality: bpy.props.EnumProperty(
        name="Quality",
        description="How finely broken faces are made",
        items=[
            (OWN, "As Chosen", "As the object's settings or the preset say", 0),
            *((choice.id, choice.label, choice.doc, choice.number) for choice in QUALITY),
        ],
        default=OWN,
        options={"SKIP_SAVE"},
    )
    heading: bpy.props.FloatVectorProperty(options={"HIDDEN", "SKIP_SAVE"})
    shown_preset: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})
    shown_count: bpy.props.IntProperty(default=-1, options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        return poll_selected(cls, context)

    def steps(self, context):
        """The work, as a job."""
        if self.preset != self.shown_preset and self.count == self.shown_count:
            self.count = -1  # another material was chosen in the redo panel: its own count comes with it
        if not any(self.heading):
            self.heading = heading_of(context)  # the redo panel breaks from the same side, though the view may turn
        request = Request(
            preset=self.preset,
            count=None if self.count == -1 else self.count,
            seed=None if self.seed == -1 else self.seed,
            quality="" if self.quality == OWN else self.quality,
            heading=tuple(self.heading),
        )
        # Kept: Blender takes pieces out of the selection when the job looks at a frame at which they are not there.
        self.breaking = to_break(context)
        return prepared(shatter_steps(context, self.breaking, request, beside=self.beside))

    def draw(self, context):
        """The redo panel."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "preset", placeholder="Settings of the Object")
        layout.prop(self, "count")
        layout.prop(self, "seed")
        layout.prop(self, "quality")

    def reads(self, context):
        """What must stay as it is while the job runs."""
        first = self.breaking[0]
        others = other_pieces(context, first, self.breaking)
        return [*self.breaking, *in_the_way(context, first, self.breaking, others)]

    def finish(self, context, results):
        """Go to the break, show in the redo panel what was used, and say what happened."""
        first = min(item.account["frames"][0] for item in results)
        if not self.seen or context.scene.frame_current < first:
            show_break(context, first)
        select_pieces(context, [(one.source, one.fragments) for one in results])
        own = getattr(results[0].source, idnames.OBJECT)
        self.count = getattr(settings.method_group(own, "pieces"), "count", -1)
        self.seed = own.seed
        self.shown_preset, self.shown_count = self.preset, self.count
        warnings = [text for item in results for text in item.report.warnings]
        said = summary([item.account for item in results])
        self.report({"WARNING"} if warnings else {"INFO"}, " ".join((said, *warnings)))
        return {"FINISHED"}


def register() -> None:
    """Register the operator."""
    bpy.utils.register_class(BRITTLE_OT_shatter)


def unregister() -> None:
    """Take the operator away; nothing that the redo panel asked for begins any more."""
    again.forget()
    bpy.utils.unregister_class(BRITTLE_OT_shatter)
