"""From a scene and settings to fragments and motion: the one road through the core.

The stages are pure functions; this module owns their order, the progress, and what can be taken from an earlier run.
"""

from collections.abc import Callable, Generator, Sequence

import numpy as np

from .config.breakable import STRONGEST
from .continuum import CONTINUA
from .diagram import Load, ShatterDiagram, make_diagram
from .errors import Cancelled, InputError
from .object_simulation import Item, divided_steps, moved_steps
from .report import Stopwatch
from .results import OfferResults, PreparedObject, Shattered, make_result
from .settings import Settings
from .setup import (
    check_settings,
    ground_below,
    make_fracture_model,
    make_sim_object,
    origin_of,
    repair_steps,
    resolve_impacts,
    spec_steps,
)
from .simulation.opening import Opening, opening_steps
from .simulation.spec import FractureResult, SimObject
from .stepwise import map_steps, scale_steps
from .types import Body, Floats, Impact, Progress, Scene
from .wording import at_least

#: Fractions of the whole at which the stages end. By eye: so the bar moves about evenly.
_REPAIRED, _CUT, LINKED = 0.05, 0.35, 0.4


def shatter(
    scene: Scene,
    settings: Settings,
    load: Load | None = None,
    progress: Callable[[Progress], bool] | None = None,
) -> Shattered:
    """Run `shatter_steps` to its end. `progress` sees each step and cancels by returning True (raises Cancelled)."""
    job = shatter_steps(scene, settings, load)
    while True:
        try:
            step = next(job)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if progress is not None and progress(step):
            raise Cancelled("Stopped; nothing was changed.")


def shatter_steps(scene: Scene, settings: Settings, load: Load | None = None) -> Generator[Progress, None, Shattered]:
    """Shatter the scene's mesh under its impacts, yielding progress between the steps.

    `load` may return the diagram of an earlier run for its key, which is then not cut again. The same
    scene, settings and seed give the same bits. Raises InputError for what cannot be used, CutError where the
    cutter's self-checks refuse to return a result.
    """
    (result,) = yield from steps_together([Item(scene, settings, np.zeros(3))], [load])
    return result


def steps_together(
    items: Sequence[Item], loads: Sequence[Load | None], offer: OfferResults | None = None
) -> Generator[Progress, None, tuple[Shattered, ...]]:
    """`shatter_steps` for several objects in one world: each breaks under its own impacts, and all pieces meet.

    Gravity, clock, ground, colliders and motion are those of the first item. `offer` is called once, where there is
    more than the first second of motion, as soon as that is known; it changes nothing of what comes.
    """
    for item in items:
        check_settings(item.scene, item.settings)
        if not item.scene.impacts:
            raise InputError("Nothing hits the object; add an impact.")
    watch, prepared, objects = Stopwatch(), [], []
    for number, (item, load) in enumerate(zip(items, loads, strict=True)):
        one, obj = yield from scale_steps(
            _begin(item, load, watch), LINKED * number / len(items), LINKED * (number + 1) / len(items)
        )
        prepared.append(one)
        objects.append(obj)
    first = items[0]
    ground = ground_below(first.scene.ground, objects)
    shaping = watch.timed("link", spec_steps(first.scene, first.settings, ground, objects=objects))
    spec = yield from map_steps(shaping, lambda _: Progress(LINKED, "Shaping colliders"))

    def results(broken: Sequence[FractureResult]) -> tuple[Shattered, ...]:
        return tuple(
            make_result(one, came, watch, _warnings(one.scene, came))
            for one, came in zip(prepared, broken, strict=True)
        )

    return (yield from scale_steps(moved_steps(objects, spec, results, watch, offer), LINKED, 1.0))


def _begin(
    item: Item, load: Load | None, watch: Stopwatch
) -> Generator[Progress, None, tuple[PreparedObject, SimObject]]:
    """An object cut around its impacts."""
    scene, settings = item.scene, item.settings
    yield Progress(0.0, "Looking at the mesh")
    mending = watch.timed("intake", repair_steps(scene.mesh, settings))
    repair_result = yield from scale_steps(mending, 0.0, _REPAIRED)
    with watch.stage("intake"):
        impacts = resolve_impacts(scene.impacts, repair_result.body)
    if settings.breaking in CONTINUA:
        dividing = watch.timed("cut", divided_steps(item, repair_result, impacts))
        return (yield from scale_steps(dividing, _REPAIRED / LINKED, 1.0))
    yield Progress(_REPAIRED / LINKED, "Cutting")
    with watch.stage("cut"):
        diagram, notes = make_diagram(repair_result.body, impacts, settings, load)
    yield Progress(_CUT / LINKED, "Linking the pieces")
    with watch.stage("link"):
        obj = _linked(scene, settings, repair_result.body, impacts, diagram, item.place)
    return PreparedObject(scene, settings, repair_result, diagram, obj.model.units, notes), obj


def _linked(
    scene: Scene, settings: Settings, body: Body, impacts: tuple[Impact, ...], diagram: ShatterDiagram, place: Floats
) -> SimObject:
    """A body that was cut, ready to break under resolved impacts."""
    model = make_fracture_model(body, diagram, settings, origin_of(scene, body), impacts=impacts)
    return make_sim_object(scene, settings, model, impacts, place)


def opened(
    scene: Scene, settings: Settings, body: Body, impacts: tuple[Impact, ...], diagram: ShatterDiagram
) -> Generator[None, None, Opening]:
    """What `shatter_steps` will open in the frames of the impacts, asked of a body that was cut; yields now and then.

    body, impacts, diagram: as intake, `resolve_impacts` and `make_diagram` make them of the scene.
    Raises InputError as `shatter_steps`.
    """
    check_settings(scene, settings)
    obj = _linked(scene, settings, body, impacts, diagram, np.zeros(3))
    return (yield from opening_steps(obj, scene.clock, ground_below(scene.ground, [obj])))


def _warnings(scene: Scene, broken: FractureResult) -> tuple[str, ...]:
    pieces = int((broken.fracture.death == len(broken.motion.time)).sum())
    if broken.tracks:  # it answered the blow by its form
        return ()
    if len(broken.fracture.crack_link) == 0 and (pieces == 1 or broken.utilisation > 0.0):
        strongest = max(impact.strength for impact in scene.impacts)
        return (unbroken(strongest, broken.utilisation, int(broken.fracture.cells[0].unit.max()) + 1),)
    return ()


def unbroken(strength: float, utilisation: float, units: int) -> str:
    """Why nothing broke, and what to do about it.

    strength: of the strongest impact. utilisation: largest load over what bears it. units: what could have come apart.
    """
    if units == 1:
        return "Nothing broke: the pattern has one piece only; raise the number of pieces."
    if strength == 0.0:
        return "Nothing broke: the force of the impact is 0; raise it."
    if utilisation == 0.0:
        return (
            "Nothing broke: the impact strains nothing that could crack; move it onto the object, or raise its radius."
        )
    if strength > STRONGEST * utilisation:
        return "Nothing broke, and no force of the impact is high enough: choose a weaker material."
    return f"Nothing broke: raise the force of the impact to about {at_least(strength / utilisation)}."
