"""Simulate: all that breaks on contact moves and breaks in one world, through the frames of the scene."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import bpy

from ..core import object_simulation
from ..core.errors import InputError
from ..core.results import Shattered
from ..core.settings import Settings
from ..core.stepwise import scale_steps
from ..core.types import Mesh, Progress
from . import idnames, settings
from .account import summary
from .around import ground_of, seen, surroundings
from .aside import Aside
from .bridge.changes import Changes, whole
from .bridge.clock import LONGEST, end_with_animation, frames_to_follow
from .bridge.colliders import colliders_for
from .bridge.paint import wanted
from .bridge.paths import KinematicMotion, read_paths
from .bridge.read import Reading, read_steps
from .bridge.restore import source_of
from .early import Early, Show, compute_and_write, compute_showing_early
from .generated import metres_per_unit, remember
from .job import READ, JobOperator, prepared, run_blocking
from .pattern import collection_named, pieces_of, with_meshes
from .playback import show_break
from .targets import breaking_objects, known_breaking_objects, poll_found
from .together import item_of
from .watch import looking_away
from .writing import Result, writing

#: Share of the progress that is reading the scene, and then how it is animated. By eye.
FOLLOWED = 2.0 * READ

NOTHING = 'Nothing here breaks: switch on "Breaks on Contact" for an object first'


@dataclass(frozen=True, slots=True)
class Span:
    """The frames that are simulated, both ends included."""

    first: int
    last: int

    @property
    def count(self) -> int:
        """Number of stored frames."""
        return self.last - self.first + 1

    def check(self) -> None:
        """Raises InputError for no frames, or too many."""
        if not 1 <= self.count <= LONGEST:
            raise InputError(f"Simulate from 1 to {LONGEST} frames, not from {self.first} to {self.last}.")


@dataclass(frozen=True, slots=True)
class _Part:
    """An object that takes part, as it is at the first frame."""

    source: bpy.types.Object
    asked: dict[str, Any]  #: what changes of the tables of its settings
    tables: dict[str, Any]  #: these, changed
    reading: Reading
    settings: Settings
    how: dict[str, Any]  #: it was read


class _Forms:
    """Reads an object that its animation deforms at other frames, for the core; `reading` is the last one.

    The core may work `aside`, and asks the main thread then.
    """

    def __init__(
        self, context: bpy.types.Context, part: _Part, first: _Part, meshes: tuple[Mesh, ...], aside: Aside
    ) -> None:
        self.reading = part.reading
        self.deformation = object_simulation.Deformation(meshes, self._at)
        self._context, self._part, self._first, self._aside = context, part, first, aside

    def _at(self, frame: int) -> Generator[Progress, None, object_simulation.Item]:
        """The object at a stored frame. Raises InputError where it cannot be broken then."""
        yield from ()  # the window is free: whatever is led and shown is taken back before anybody looks
        how = self._part.how
        later = {"start": how["start"] + frame, "frames": max(how["frames"] - frame, 0), "passed": frame == 0}
        self._aside.ask(lambda: self._look({**how, **later, "colliders": []}))
        return item_of(self.reading, self._part.settings, self._first.reading)

    def _look(self, how: dict[str, Any]) -> None:
        with looking_away():
            self.reading = run_blocking(_read(self._context, self._part.source, how))


@dataclass(frozen=True, slots=True)
class _Ready:
    """Finished work of one object that waits to be written."""

    part: _Part
    shattered: Shattered


@dataclass(frozen=True, slots=True)
class SimulateRequest:
    """What is asked for beside the settings of the objects; see `simulate`."""

    frames: tuple[int, int] | None = None
    seed: int | None = None
    pattern: str = ""
    fields: tuple[Mapping[str, Any], ...] = ()

    def tables(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """What changes of the tables of an object."""
        pieces = {"pieces": pieces_of(own["pieces"])} if self.pattern else {}
        return pieces | ({settings.FIELDS: [*own[settings.FIELDS], *self.fields]} if self.fields else {})


def simulate(
    context: bpy.types.Context,
    *,
    objects: Sequence[bpy.types.Object] | None = None,
    frames: tuple[int, int] | None = None,
    seed: int | None = None,
    pattern: str = "",
    fields: Sequence[Mapping[str, Any]] = (),
    progress: Callable[[Progress], bool] | None = None,
) -> list[Result]:
    """Let things fall, collide and break; the same as the operator `brittle.simulate`.

    `objects` are those that take part, None is all visible ones that break on contact; `frames` the first and last
    frame, None those of the scene; `seed` goes before those of the objects; where a collection `pattern` is named all
    are cut with its meshes; all get the tables `fields` (see core/strength/choice.py) on top of their stacks.
    `progress` sees each step and stops the work by returning True. Earlier fragments of the objects are replaced.
    Raises InputError, CutError or Cancelled; nothing in the file has changed then.
    """
    chosen = breaking_objects(context) if objects is None else objects
    request = SimulateRequest(frames, seed, pattern, tuple(fields))
    return run_blocking(simulate_steps(context, chosen, request), progress)


def simulate_steps(
    context: bpy.types.Context, objects: Sequence[bpy.types.Object], request: SimulateRequest, *, beside: bool = False
) -> Generator[Progress, None, list[Result]]:
    """Do all the work and write it; closed before its end it leaves the file as it was.

    With `beside` the core works in a thread while this waits, see `aside`.
    """
    return (
        yield from compute_and_write(
            context,
            lambda show: steps(context, objects, request, beside=beside, show=show),
            lambda ready, changes, early: _write(context, ready, request, changes, beside, early),
            lambda ready: ready[0].part.reading.start_frame,
            beside,
        )
    )


def steps(
    context: bpy.types.Context,
    objects: Sequence[bpy.types.Object],
    request: SimulateRequest,
    *,
    beside: bool = False,
    show: Show[_Ready] | None = None,
) -> Generator[Progress, None, list[_Ready]]:
    """Do all the work without writing anything, for `commit_steps`; `beside` as for `simulate_steps`.

    What is known while the motion goes on is given to `show`, which writes it.
    """
    scene, around = context.scene, surroundings(context)
    span = Span(*request.frames) if request.frames is not None else Span(scene.frame_start, scene.frame_end)
    span.check()
    until_rest = request.frames is None and not around["frames"]
    if until_rest:
        span = Span(span.first, span.first + frames_to_follow(scene, span.first) - 1)
    _refuse_unmarked(objects)
    parts: list[_Part] = []
    for index, obj in enumerate(objects):
        # What stands in the way is told once for all, in the coordinates of the first.
        colliders = _colliders(context, objects) if around["use_colliders"] and index == 0 else []
        asked, changed, chosen = _settings(context, obj, request)
        chosen = with_meshes(context, obj, chosen, request.pattern)
        how = {"ground": ground_of(around), "colliders": colliders, "start": span.first}
        how |= {"frames": 0 if until_rest else span.count, "paints": wanted(chosen.fields)}
        how["breaking"] = chosen.breaking
        reading = _read(context, obj, {**how, "beside": beside})
        start, end = READ * index / len(objects), READ * (index + 1) / len(objects)
        came = yield from scale_steps(reading, start, end, f"{obj.name}: ")
        parts.append(_Part(obj, asked, changed, came, chosen, how))
    ways = yield from scale_steps(_paths(context, parts, span), READ, FOLLOWED)
    aside = Aside(beside)
    forms = [_Forms(context, part, parts[0], way.meshes, aside) for part, way in zip(parts, ways, strict=True)]
    finished = partial(_finished, parts, ways, forms)
    work = partial(object_simulation.simulation_steps, _items(parts, ways, forms, span), around["most_pieces"])
    return (yield from scale_steps(compute_showing_early(aside, work, finished, Early(), show), FOLLOWED, 1.0))


def _finished(
    parts: Sequence[_Part], ways: Sequence[KinematicMotion], forms: Sequence[_Forms], came: Sequence[Shattered]
) -> list[_Ready]:
    """What came of the objects, with what is to be said of them beside it."""
    return [
        _Ready(_as_broken(part, form, shattered), _told(part, parts[0], shattered, _left_out(way, shattered)))
        for part, form, shattered, way in zip(parts, forms, came, ways, strict=True)
    ]


def commit_steps(
    context: bpy.types.Context, ready: Sequence[_Ready], request: SimulateRequest, *, beside: bool = False
) -> Generator[Progress, None, list[Result]]:
    """Write finished work into the file, each object into a collection of its own, its settings with the request."""
    return (yield from whole(lambda changes: _write(context, ready, request, changes, beside)))


def _write(
    context: bpy.types.Context,
    ready: Sequence[_Ready],
    request: SimulateRequest,
    changes: Changes,
    beside: bool,
    early: bool = False,
) -> Generator[Progress, None, list[Result]]:
    changes.begin()
    for one in ready:
        own = getattr(one.part.source, idnames.OBJECT)
        changes.undo_by(remember(own))
        settings.apply(own, one.part.asked, metres_per_unit(context))
        if request.pattern:
            own.own_meshes = collection_named(request.pattern)
    results = []
    for number, one in enumerate(ready):
        part = one.part
        how = {"beside": beside, "early": early, "tables": part.tables, "whole": True}
        job = writing(context, part.source, part.reading, one.shattered, changes, **how)
        results.append((yield from scale_steps(job, number / len(ready), (number + 1) / len(ready))))
    return results


def _refuse_unmarked(objects: Sequence[bpy.types.Object]) -> None:
    if not objects:
        raise InputError(f"{NOTHING}.")
    for obj in objects:
        if not getattr(obj, idnames.OBJECT).breakable.breaks:
            raise InputError(f"'{obj.name}' does not break on contact: switch that on for it first.")


def _settings(
    context: bpy.types.Context, obj: bpy.types.Object, request: SimulateRequest
) -> tuple[dict[str, Any], dict[str, Any], Settings]:
    """What changes of the tables of an object by what is asked for, these, and the settings that they are."""
    own = getattr(obj, idnames.OBJECT)
    tables = settings.tables(own, metres_per_unit(context))
    asked, seed = request.tables(tables), own.seed if request.seed is None else request.seed
    changed = {**tables, **asked}
    return asked, changed, settings.build(changed, seed)


def _colliders(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """What stands in the way of all: nothing that breaks, nor what an earlier run has made of it."""
    found = colliders_for(context, objects[0], objects)
    return [obj for obj in found if source_of(obj) not in objects]


def _read(context: bpy.types.Context, obj: bpy.types.Object, how: dict[str, Any]) -> Generator[Progress, None, Reading]:
    with seen(context, obj):
        return (yield from read_steps(context, obj, **how))


def _paths(
    context: bpy.types.Context, parts: Sequence[_Part], span: Span
) -> Generator[Progress, None, list[KinematicMotion]]:
    """How animation leads each of the objects."""
    with ExitStack() as shown:
        for part in parts:
            shown.enter_context(seen(context, part.source))
        sources = [part.reading.source for part in parts]
        return (yield from read_paths(context, [part.source for part in parts], sources, span.first, span.count))


def _items(
    parts: Sequence[_Part], ways: Sequence[KinematicMotion], forms: Sequence[_Forms], span: Span
) -> list[object_simulation.Item]:
    """All in the world of the first one, each on its way."""
    items = [item_of(part.reading, part.settings, parts[0].reading) for part in parts]
    world = items[0].scene
    clock = end_with_animation(world.clock, span.count, [way.path for way in ways], [way.meshes for way in ways])
    items[0] = replace(items[0], scene=replace(world, clock=clock))
    return [
        replace(item, path=way.path, deformation=form.deformation if way.meshes else None)
        for item, way, form in zip(items, ways, forms, strict=True)
    ]


def _left_out(way: KinematicMotion, shattered: Shattered) -> str:
    """What of an animation did not count."""
    broke = bool(way.meshes) and shattered.until < len(shattered.motion.time)
    return "" if broke else way.left_out


def _as_broken(part: _Part, forms: _Forms, shattered: Shattered) -> _Part:
    """An object as it was read at the frame at which it broke, on the clock of all, where it deforms until then."""
    if not 0 < shattered.until < len(shattered.motion.time):
        return part
    start, warnings = part.reading.start_frame, part.reading.warnings
    return replace(part, reading=replace(forms.reading, start_frame=start, warnings=warnings))


def _told(part: _Part, first: _Part, shattered: Shattered, left_out: str) -> Shattered:
    """With what could not be taken into account."""
    warnings = (*part.reading.warnings, *([left_out] if left_out else []), *shattered.report.warnings)
    if (part.settings.motion, part.settings.motion_params) != (first.settings.motion, first.settings.motion_params):
        warnings = (*warnings, f"It moves by the settings of '{first.source.name}', as all do together.")
    return replace(shattered, report=replace(shattered.report, warnings=warnings))


class BRITTLE_OT_simulate(JobOperator, bpy.types.Operator):
    """Let all visible objects that break on contact move, collide and break through the frames of the scene"""

    bl_idname = idnames.Operator.SIMULATE
    bl_label = "Simulate"
    bl_options = {"REGISTER", "UNDO"}

    seed: bpy.props.IntProperty(
        name="Seed",
        description="Another seed, another break; -1 takes the objects' own",
        default=-1,
        min=-1,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        return poll_found(cls, context, bool(known_breaking_objects(context)), NOTHING)

    def steps(self, context):
        """The work, as a job."""
        request = SimulateRequest(seed=None if self.seed == -1 else self.seed)
        return prepared(simulate_steps(context, breaking_objects(context), request, beside=self.beside))

    def reads(self, context):
        """What must stay as it is while the job runs."""
        found = breaking_objects(context)
        return [*found, *colliders_for(context, found[0], found)]

    def finish(self, context, results):
        """Go to the first frame, and say what happened to which object."""
        if not self.seen:
            show_break(context, context.scene.frame_start)
        warnings = [f"{item.source.name}: {text}" for item in results for text in item.report.warnings]
        said = summary([item.account for item in results])
        self.report({"WARNING"} if warnings else {"INFO"}, " ".join((said, *warnings)))
        return {"FINISHED"}


def register() -> None:
    """Register the operator."""
    bpy.utils.register_class(BRITTLE_OT_simulate)


def unregister() -> None:
    """Take the operator away."""
    bpy.utils.unregister_class(BRITTLE_OT_simulate)
