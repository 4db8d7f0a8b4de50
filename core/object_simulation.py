"""Several objects at once, each whole until something hits it hard enough; from a scene to pieces and motion.

Objects break by what they run into, by each other, by colliders that are driven through them, and by impacts.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from .continuum import CONTINUA
from .diagram import ShatterDiagram, make_diagram
from .errors import InputError
from .intake.account import RepairResult
from .own_meshes import ignored_setting_notes
from .path import Path
from .report import Stopwatch
from .results import OfferResults, PreparedObject, Shattered, make_result
from .settings import Settings
from .setup import (
    check_settings,
    continuum_steps,
    ground_below,
    make_fracture_model,
    make_sim_object,
    make_whole_model,
    origin_of,
    repair_steps,
    resolve_impacts,
    spec_steps,
)
from .simulation.frame_loop import run_frame_loop
from .simulation.spec import FractureResult, SimObject, SimulationSpec
from .stepwise import map_steps, scale_steps
from .types import Floats, Frozen, Impact, Mesh, Progress, Scene

#: Fraction of the whole at which all is taken, and of what follows at which all has moved. By eye: so the bar moves
#: about evenly.
_REPAIRED, _MOVED = 0.2, 0.94


@dataclass(frozen=True, eq=False, slots=True)
class Deformation(Frozen):
    """How the animation of an object deforms it, until something breaks it."""

    meshes: tuple[Mesh, ...]  #: at each stored frame, in the world that all share; see `Collider.deformed`
    #: Stored frame -> the object as an item of a clock that begins at that frame. Raises InputError.
    at: "Callable[[int], Generator[Progress, None, Item]]"


@dataclass(frozen=True, eq=False, slots=True)
class Item(Frozen):
    """An object that takes part.

    Gravity, clock, ground and colliders are those of the first item's scene, in the world that all share.
    """

    scene: Scene
    settings: Settings
    place: Floats  #: (3,) zero of the scene's coordinates in the world that all share [m]
    path: Path | None = None  #: that it follows until something breaks it; None: it is free from the start
    deformation: Deformation | None = None  #: in place of a path, where it has another form at another frame


def simulation_steps(
    items: Sequence[Item], most: int, offer: OfferResults | None = None
) -> Generator[Progress, None, tuple[Shattered, ...]]:
    """Let the items move and break, yielding progress; there are never more than about `most` pieces.

    `offer` is called once, where there is more than the first second of motion, as soon as that is known; it changes
    nothing of what comes. Raises InputError for what cannot be used, with the name of the object, CutError where an
    object cannot be cut.
    """
    if not items:
        raise InputError('Nothing here breaks: switch on "Breaks on Contact" for an object first.')
    watch, prepared, objects = Stopwatch(), [], []
    forms = [_Forms(item) for item in items]
    for number, item in enumerate(items):
        yield Progress(_REPAIRED * number / len(items), f"Looking at {item.scene.mesh.name}")
        with watch.stage("intake and cut"):
            check_settings(item.scene, item.settings)
        done, step = _REPAIRED * number / len(items), _REPAIRED / len(items)
        mending = watch.timed("intake and cut", repair_steps(item.scene.mesh, item.settings))
        repair_result = yield from scale_steps(mending, done, done + 0.5 * step)
        beginning = watch.timed("intake and cut", _begin(item, repair_result))
        one, obj = yield from scale_steps(beginning, done + 0.5 * step, done + step)
        prepared.append(one)
        objects.append(obj if item.deformation is None else replace(obj, deformed_at=forms[number].at))
    first = items[0]
    deforming = [item.deformation.meshes for item in items if item.deformation is not None]
    ground = ground_below(first.scene.ground, objects)
    shaping = spec_steps(first.scene, first.settings, ground, most, deforming, objects)
    spec = yield from map_steps(shaping, lambda _: Progress(_REPAIRED, "Shaping colliders"))

    def results(broken: Sequence[FractureResult]) -> tuple[Shattered, ...]:
        gone_in = [form.prepared_of(came, one) for form, came, one in zip(forms, broken, prepared, strict=True)]
        return tuple(make_result(one, came, watch) for one, came in zip(gone_in, broken, strict=True))

    return (yield from scale_steps(moved_steps(objects, spec, results, watch, offer), _REPAIRED, 1.0))


def moved_steps(
    objects: Sequence[SimObject],
    spec: SimulationSpec,
    results: Callable[[Sequence[FractureResult]], tuple[Shattered, ...]],
    watch: Stopwatch,
    offer: OfferResults | None,
) -> Generator[Progress, None, tuple[Shattered, ...]]:
    """The `results` of what happens to objects; `offer` is called as `simulation_steps` says."""
    early = None if offer is None else lambda make: offer(lambda: results(make()))
    moving = watch.timed("break and move", run_frame_loop(objects, spec, early))
    broken = yield from scale_steps(moving, 0.0, _MOVED)
    with watch.stage("check"):
        result = results(broken)
    yield Progress(1.0, "Done")
    return result


def divided_steps(
    item: Item, repair_result: RepairResult, impacts: tuple[Impact, ...]
) -> Generator[Progress, None, tuple[PreparedObject, SimObject]]:
    """An object that a continuum method moves, made ready: divided instead of cut."""
    obj = yield from continuum_steps(item.scene, item.settings, repair_result.body, impacts, item.place)
    if item.path is not None and len(obj.model.units.volume) > 1:
        raise InputError(
            f"{item.scene.mesh.name} is animated and of several parts that are kept apart, which as rigid bodies would "
            "go their own ways: fuse them, remove the animation, or choose another way to break."
        )
    obj = replace(obj, path=item.path)
    return PreparedObject(item.scene, item.settings, repair_result, None, obj.model.units, ()), obj


class _Forms:
    """What an object that deforms is at the frames for which it is asked."""

    def __init__(self, item: Item) -> None:
        self._item = item
        self._prepared: PreparedObject | None = None  # of the last of these frames

    def at(self, frame: int) -> Generator[Progress, None, SimObject]:
        """The object that it is at a stored frame. Raises InputError or CutError where it cannot be used then."""
        deformation, fps = self._item.deformation, self._item.scene.clock.fps
        assert deformation is not None  # else nobody asks
        item = yield from deformation.at(frame)
        item = replace(item, scene=_postponed(item.scene, frame / fps))
        check_settings(item.scene, item.settings)
        repair_result = yield from repair_steps(item.scene.mesh, item.settings)
        self._prepared, obj = yield from _begin(item, repair_result)
        return obj

    def prepared_of(self, came: FractureResult, start: PreparedObject) -> PreparedObject:
        """How it went into the run: in the form in which it broke, or as at the start where it never broke."""
        broke = came.until < len(came.motion.time) and self._prepared is not None
        return self._prepared if broke else start  # type: ignore[return-value]


def _postponed(scene: Scene, time: float) -> Scene:
    """A scene whose times are counted from `time` [s] before its own start."""
    influence = replace(scene.influence, start=scene.influence.start + time, end=scene.influence.end + time)
    return replace(
        scene, impacts=tuple(replace(hit, time=hit.time + time) for hit in scene.impacts), influence=influence
    )


def _begin(item: Item, repair_result: RepairResult) -> Generator[Progress, None, tuple[PreparedObject, SimObject]]:
    """An object made ready: cut already where its pattern does not depend on the hit, nor its form on the frame."""
    scene, settings = item.scene, item.settings
    yield Progress(0.0, "Cutting")
    impacts = resolve_impacts(scene.impacts, repair_result.body)
    if settings.breaking in CONTINUA:
        _refuse_animated(item)
        return (yield from divided_steps(item, repair_result, impacts))
    origin = origin_of(scene, repair_result.body)
    whole = settings.pieces_params.placed_by_impact or settings.surface.wrap in ("sphere", "cylinder")
    whole |= item.deformation is not None  # it is cut in the form of another frame
    diagram: ShatterDiagram | None = None
    notes: tuple[str, ...] = ()
    if whole:
        model, notes = make_whole_model(repair_result.body, settings, origin), ignored_setting_notes(settings)
    else:
        diagram, notes = make_diagram(repair_result.body, (), settings)
        model = make_fracture_model(repair_result.body, diagram, settings, origin, impacts=())
    obj = replace(make_sim_object(scene, settings, model, impacts, item.place, whole=whole), path=item.path)
    return PreparedObject(scene, settings, repair_result, diagram, model.units, notes), obj


def _refuse_animated(item: Item) -> None:
    """Raise InputError for an object that its animation leads, and that is not rigid until it is hit."""
    method, params = CONTINUA[item.settings.breaking], item.settings.breaking_params
    first = method.run.rigid_first
    if item.deformation is None and (
        item.path is None or (first is not None and first.below(params, item.scene.courses) > 0.0)
    ):
        return
    can = "raise Rigid Below, " if first is not None and item.deformation is None else ""
    raise InputError(
        f"{item.scene.mesh.name} is animated, and what breaks by {method.label} moves by itself from the first frame "
        f"on: {can}remove its animation, or choose another way to break."
    )
