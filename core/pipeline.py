"""From a scene and settings to fragments and motion: the one road through the core.

The stages are pure functions; this module owns their order, the progress, and what can be taken from an earlier run.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace

import numpy as np

from .breaking import RULES
from .cells.fragments import closed
from .cells.units import units
from .diagram import Diagram, Load, diagram_of
from .drivers.impact import break_and_move
from .drivers.matter import Broken, Course, Matter, Momentum
from .drivers.stage import Stage
from .errors import Cancelled, InputError
from .geometry.mesh import diagonal
from .intake.account import Taken
from .intake.ladder import intake
from .motion import MOTIONS
from .motion.contract import Account
from .motion.state import RigidBodies, RigidState, World
from .pieces.convention import AUTOMATIC_RADIUS
from .report import Report, Stopwatch, differences
from .settings import Settings
from .strength.bonded import bonded
from .types import Body, Cells, Fracture, Fragments, Ground, Impact, Motion, Progress, Scene, Units

#: Fractions of the whole at which the stages end.
TAKEN, CUT, LINKED, MOVED = 0.05, 0.35, 0.4, 0.95


@dataclass(frozen=True, eq=False, slots=True)
class Shattered:
    """Everything that one Shatter made."""

    body: Body
    diagram: Diagram
    units: Units
    fracture: Fracture
    fragments: Fragments
    motion: Motion
    report: Report


def shatter(
    scene: Scene,
    settings: Settings,
    load: Load | None = None,
    progress: Callable[[Progress], bool] | None = None,
) -> Shattered:
    """Run `steps` to its end. `progress` sees each step and cancels by returning True (raises Cancelled)."""
    job = steps(scene, settings, load)
    while True:
        try:
            step = next(job)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        if progress is not None and progress(step):
            raise Cancelled("Stopped; nothing was changed.")


def steps(scene: Scene, settings: Settings, load: Load | None = None) -> Generator[Progress, None, Shattered]:
    """Shatter the scene's mesh under its impacts, yielding progress between the steps.

    `load` may return the diagram of an earlier run for its key, which is then not cut again. The same
    scene, settings and seed give the same bits. Raises InputError for what cannot be used, CutError where the
    cutter's self-checks refuse to return a result.
    """
    settings.check()
    if not scene.impacts:
        raise InputError("Nothing hits the object; add an impact.")
    watch = Stopwatch()
    yield Progress(0.0, "Looking at the mesh")
    with watch.stage("intake"):
        taken = intake(scene.mesh, settings.repair, thin=settings.material.thin)
        impacts = resolved(scene.impacts, taken.body)
    yield Progress(TAKEN, "Cutting")
    with watch.stage("cut"):
        diagram, notes = diagram_of(taken.body, impacts, settings, load)
    yield Progress(CUT, "Linking the pieces")
    with watch.stage("link"):
        graph = units(diagram.cells)
        matter = _matter(taken.body, diagram, graph, settings)
        course = _course(scene, impacts, taken.body, settings)
    moving = watch.timed("break and move", break_and_move(matter, course))
    broken = yield from _scaled(moving, LINKED, MOVED)
    with watch.stage("check"):
        report = _report(taken, diagram.cells, broken, scene, settings, notes, watch)
    yield Progress(1.0, "Done")
    return Shattered(taken.body, diagram, graph, broken.fracture, broken.fragments, broken.motion, report)


def resolved(impacts: tuple[Impact, ...], body: Body) -> tuple[Impact, ...]:
    """Impacts with unit directions and a radius: the automatic one is a tenth of the body's diagonal.

    Raises InputError for an impact without a direction or with a number that is not finite.
    """
    automatic = AUTOMATIC_RADIUS * diagonal(body.vertices)
    return tuple(_resolved(impact, automatic) for impact in impacts)


def _resolved(impact: Impact, automatic: float) -> Impact:
    length = float(np.linalg.norm(impact.direction))
    numbers = [*impact.point, length, impact.strength, impact.speed, impact.radius, impact.time]
    if not np.all(np.isfinite(numbers)) or length == 0.0:
        raise InputError("An impact has no direction or a number that is not finite; place it anew.")
    if min(impact.strength, impact.radius, impact.time) < 0.0:
        raise InputError("An impact has a negative strength, radius or time; these start at zero.")
    return replace(impact, direction=impact.direction / length, radius=impact.radius or automatic)


def _matter(body: Body, diagram: Diagram, graph: Units, settings: Settings) -> Matter:
    rule = RULES[settings.breaking].run
    strength = bonded(graph)
    return Matter(
        body, diagram.cells, graph, strength, settings.material, rule, settings.breaking_params, settings.seed,
        diagram.contact,
    )  # fmt: skip


def _course(scene: Scene, impacts: tuple[Impact, ...], body: Body, settings: Settings) -> Course:
    motion = MOTIONS[settings.motion]
    params = settings.motion_params or motion.params()

    def move(bodies: RigidBodies, state: RigidState, world: World, dt: float) -> tuple[RigidState, Account]:
        return motion.run(bodies, state, world, dt, params)

    return Course(
        impacts=impacts,
        momentum=Momentum(scene.velocity, scene.spin, scene.pivot),
        stage=Stage(scene.gravity, _sunk(scene, body), scene.colliders, scene.clock.frames),
        clock=scene.clock,
        move=move,
        touches=scene.touches,
    )


def _sunk(scene: Scene, body: Body) -> Ground | None:
    """The ground, lowered to the body's lowest point where the body reaches below it."""
    if scene.ground is None:
        return None
    return replace(scene.ground, height=min(scene.ground.height, float(body.vertices[:, 2].min())))


def _scaled(job: Generator[Progress, None, Broken], start: float, end: float) -> Generator[Progress, None, Broken]:
    while True:
        try:
            step = next(job)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        yield Progress(start + (end - start) * step.fraction, step.text)


def _report(
    taken: Taken,
    cells: Cells,
    broken: Broken,
    scene: Scene,
    settings: Settings,
    notes: tuple[str, ...],
    watch: Stopwatch,
) -> Report:
    last = broken.fracture.death == len(broken.motion.time)
    pieces = int(last.sum())
    warnings = []
    if len(broken.fracture.crack_link) == 0 and (pieces == 1 or broken.utilisation > 0.0):
        needed = max(impact.strength for impact in scene.impacts) / max(broken.utilisation, 1e-12)
        warnings.append(f"Nothing broke: raise the strength of the impact to about {needed:.3g}.")
    asked, pattern = settings.pieces_params.count, int(cells.unit.max()) + 1
    split = len(cells.region) - len(np.unique(cells.region))
    return Report(
        asked=asked,
        pattern=pattern,
        pieces=pieces,
        volume_before=taken.volume_before,
        volume_in=taken.volume_after,
        volume_out=float(broken.fragments.volume[last].sum()),
        closed_pieces=int(closed(broken.fragments)[last].sum()),
        area_exact=taken.exact,
        area_new=taken.new,
        area_lost=taken.lost,
        steps=taken.steps,
        repaired=(*taken.repaired, *notes),
        counted=differences(asked, pattern, split, int(cells.crumb.sum())),
        warnings=tuple(warnings),
        advice=taken.advice,
        seed=settings.seed,
        seconds=dict(watch.seconds),
    )
